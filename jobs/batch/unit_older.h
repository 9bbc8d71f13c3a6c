/* What a dataset that grows had in a unit that is made anew: ciphertexts that stay, and those of its last row block, to
 * which rows come. */
#ifndef HB_BATCH_UNIT_OLDER_H
#define HB_BATCH_UNIT_OLDER_H

#include "buffers.h"
#include "unit_rows.h"

/* The unit that was loaded, on an engine. All of it zero: there is nothing older. Everything but memory is borrowed. */
typedef struct hb_unit_older {
    hb_dataset *dataset;
    hb_growth growth;
    hb_unit_rows rows;
    hb_rows host;
    hb_batch c;     /* [1] */
    uint64_t first; /* ciphertext of the dataset; of the unit that is loaded */
    bool loaded;
} hb_unit_older;

/* Bytes of the engine's memory that it takes, on the member with most limbs. */
uint64_t hb_unit_older_bytes(const hb_params *params, const hb_header *header);
/* For a dataset of these parameters whose ciphertexts have all limbs of fresh ones. The caller clears, also after a
 * failure, before the engine closes. HB_ENOMEM. */
hb_status hb_unit_older_init(hb_unit_older *x, hb_engine *engine, const hb_params *params, hb_dataset *dataset,
                             const hb_growth *growth);
void hb_unit_older_clear(hb_unit_older *x);
/* Reads unit u, as far as the dataset has it, and checks it. HB_EDATA, HB_EIO. Exchanges. */
hb_status hb_unit_older_load(hb_unit_older *x, uint64_t u);
/* Joins fresh ciphertexts, number first and on of the dataset that grew, c1 without data where seeds [c0.count] stand
 * for it, with those that were loaded: they become the ones that stay, and sums with those of the last row block, whose
 * slots of new rows are 0. */
hb_status hb_unit_older_join(hb_unit_older *x, uint64_t first, hb_batch c0, hb_batch c1, hb_seed *seeds);

#endif
