/* Results that have been shown to others under a key, counted in KEY.shared.json beside it: noise hides the errors of
 * as many as was promised when it was chosen (scheme/cipher.h, hb_flood_plan). A result of a promise of T takes 1/T of
 * what the key has; promises may differ, and nothing is shown beyond the whole. */
#ifndef HB_TABLES_SHOWN_H
#define HB_TABLES_SHOWN_H

#include "rlwe/keys.h"

/* What stands there. Zeroed: nothing has been shown. */
typedef struct hb_shown {
    uint64_t results;
    double spent; /* of the whole, which is 1 */
} hb_shown;

/* Reads it, for the key of that id; no file is a zeroed one. HB_EDATA where the file is none of ours or counts another
 * key's results; HB_EIO, HB_ENOMEM. */
hb_status hb_shown_read(const char *key_path, const uint8_t key_id[HB_KEY_ID_BYTES], hb_shown *shown);
/* HB_EDATA unless `results` more may be shown, of `promised` in all. */
hb_status hb_shown_check(const char *key_path, const hb_shown *shown, uint64_t results, uint64_t promised);
/* Counts them, before any of them is there, so that none is ever uncounted: reads, checks and replaces the file under
 * its lock, and returns in *shown what stands there then. HB_EDATA as above; HB_ECREATE where another job counts at
 * this moment, or the file cannot be made. */
hb_status hb_shown_add(const char *key_path, const uint8_t key_id[HB_KEY_ID_BYTES], uint64_t results, uint64_t promised,
                       hb_shown *shown);

#endif
