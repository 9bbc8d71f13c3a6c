/* Adds units of datasets on an engine, and makes the units of their sum. Only one thread at a time uses an adder. */
#ifndef HB_ADD_ADDER_H
#define HB_ADD_ADDER_H

#include "batch/unit/unit_rows.h"
#include "read_schedule.h"

typedef struct hb_adder {
    hb_engine *engine;
    const hb_params *params;
    const hb_header *header; /* of the sum */
    size_t batch;            /* ciphertexts that are unpacked at a time */
    hb_unit_rows input, made;
    hb_batch sum[2];  /* [ciphertexts of a group] components of the sum so far */
    hb_batch some[2]; /* [batch] */
} hb_adder;

/* Returns the bytes of the engine's memory that an adder takes, on the member with most limbs. `header` is that of the
 * sum, whose units are as large as the largest unit of any dataset. */
uint64_t hb_adder_bytes(const hb_params *params, const hb_header *header, size_t batch);
/* Makes an adder on an engine; borrows everything. HB_ENOMEM. The caller clears, also after a failure and before the
 * engine closes; a zeroed struct is allowed. */
hb_status hb_adder_init(hb_adder *x, hb_engine *engine, const hb_params *params, const hb_header *header, size_t batch);
void hb_adder_clear(hb_adder *x);

/* Adds the ciphertexts that `read` has of its unit to the sum of the group; `rows` are those of the unit. The first
 * dataset begins the sum. HB_EDATA where the rows do not match the unit's digest, or are no residues. Exchanges where
 * limbs are divided. */
hb_status hb_adder_add(hb_adder *x, const hb_add_read *read, const hb_rows *rows, const hb_dataset *dataset);
/* Makes unit `unit` of the sum, which belongs to the group, once the group is complete: its rows, under the header of
 * the sum, and their digest. HB_EDATA where a ciphertext is transparent; `name` is for the message. Exchanges;
 * waits. */
hb_status hb_adder_make(hb_adder *x, const hb_add_group *group, uint64_t unit, const char *name, hb_rows *rows,
                        uint8_t sum[HB_DIGEST_BYTES]);

#endif
