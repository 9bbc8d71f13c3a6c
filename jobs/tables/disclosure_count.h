/* Counts the results that were shown to others under a key, in KEY.shared.json beside it. The noise of a shown result
 * hides the errors of as many results as were promised when it was chosen (scheme/cipher.h, hb_flood_plan). With a
 * promise of T, one result takes 1/T of the key's budget; promises may differ, and nothing is shown beyond the
 * budget. */
#ifndef HB_TABLES_DISCLOSURE_COUNT_H
#define HB_TABLES_DISCLOSURE_COUNT_H

#include "rlwe/keys.h"

/* The contents of the file. Zeroed: nothing has been shown. */
typedef struct hb_disclosure_count {
    uint64_t results;
    double spent; /* part of the budget, which is 1 */
} hb_disclosure_count;

/* Reads the file for the key of that id; without a file *shown is zeroed. HB_EDATA where hebatch did not write the
 * file, or it counts another key's results; HB_EIO, HB_ENOMEM. */
hb_status hb_disclosure_count_read(const char *key_path, const uint8_t key_id[HB_KEY_ID_BYTES],
                                   hb_disclosure_count *disclosed);
/* Returns HB_EDATA unless `results` more may be shown, of `promised` in all. */
hb_status hb_disclosure_count_check(const char *key_path, const hb_disclosure_count *disclosed, uint64_t results,
                                    uint64_t promised);
/* Counts the results before any of them exists, so that none is ever uncounted: reads, checks and replaces the file
 * under its lock, and returns its new contents in *shown. HB_EDATA as above; HB_ECREATE where another job is counting,
 * or the file cannot be made. */
hb_status hb_disclosure_count_add(const char *key_path, const uint8_t key_id[HB_KEY_ID_BYTES], uint64_t results,
                                  uint64_t promised, hb_disclosure_count *disclosed);

#endif
