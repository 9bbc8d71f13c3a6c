/* The header of a dataset that comes under another key: it says what its ciphertexts are, before any is computed. */
#ifndef HB_REKEY_MOVED_HEADER_H
#define HB_REKEY_MOVED_HEADER_H

#include "batch/unit/unit_sanitize.h"
#include "moving_key.h"

/* The dataset that is moved; borrowed. */
typedef struct hb_moved_data {
    const hb_header *header;
    const char *name;   /* for messages */
    const uint8_t *sum; /* [HB_DIGEST_BYTES] hb_dataset_sum */
} hb_moved_data;

/* Makes the header of the data under the key that `key` leads to, whose parameters and owners are those of `params`: a
 * step more of its history, and bounds with one switch of keys. Where the key is that of another person, for whom data
 * are sanitized to 2^-bits, also sets *plan and *before, the proven bits of budget of the data as it is; else `bits`
 * has no meaning, and both are zeroed. Rank-local. HB_EDATA where no budget would be left, or too little to sanitize,
 * where noise is not proven, and for reals under the key of another person; HB_EUSAGE as hb_sanitize_plan_make;
 * HB_ENOMEM. The caller clears *header, also after a failure. */
hb_status hb_moved_header_make(hb_header *header, const hb_params *params, const hb_moving_key *key, hb_moved_data data,
                               uint32_t bits, hb_sanitize_plan *plan, double *before);

#endif
