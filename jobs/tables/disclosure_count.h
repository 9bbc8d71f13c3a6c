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

#endif
