/* The old ciphertexts of a unit that is made anew because its dataset grows: ciphertexts that stay, and those of the
 * last row block, to which rows are added. */
#ifndef HB_BATCH_UNIT_UNIT_OLDER_H
#define HB_BATCH_UNIT_UNIT_OLDER_H

#include "buffers.h"
#include "unit_rows.h"

/* The loaded unit, on an engine. Zeroed: the dataset does not grow. Everything but memory is borrowed. */
typedef struct hb_unit_older {
    hb_dataset *dataset;
    hb_growth growth;
    hb_unit_rows rows;
    hb_rows host;
    hb_batch c;     /* [1] */
    uint64_t first; /* first ciphertext of the loaded unit, in the dataset */
    bool loaded;
} hb_unit_older;

/* Returns the bytes of the engine's memory that it takes, on the member with most limbs. */
uint64_t hb_unit_older_bytes(const hb_params *params, const hb_header *header);
/* Allocates for a dataset of these parameters whose ciphertexts have all limbs of fresh ones. The caller clears, also
 * after a failure, before the engine closes. HB_ENOMEM. */
hb_status hb_unit_older_init(hb_unit_older *x, hb_engine *engine, const hb_params *params, hb_dataset *dataset,
                             const hb_growth *growth);
void hb_unit_older_clear(hb_unit_older *x);
/* Reads the part of unit u that the dataset has, and checks it. HB_EDATA, HB_EIO. Exchanges. */
hb_status hb_unit_older_load(hb_unit_older *x, uint64_t u);
/* Joins the loaded ciphertexts into fresh ones, whose first has number `first` in the grown dataset. Fresh ones that
 * have an old counterpart become that ciphertext; those of the last old row block become the sum with it, as its slots
 * for new rows are 0. c1 has no data where seeds [c0.count] stand for it. Errors of
 * hb_unit_rows_unpack and of the engine. */
hb_status hb_unit_older_join(hb_unit_older *x, uint64_t first, hb_batch c0, hb_batch c1, hb_seed *seeds);

#endif
