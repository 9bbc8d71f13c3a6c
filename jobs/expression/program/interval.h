/* Ranges of integers that values lie in, before anything wraps. */
#ifndef HB_EXPRESSION_PROGRAM_INTERVAL_H
#define HB_EXPRESSION_PROGRAM_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "rlwe/params.h"

/* Ends of +-(2^63 - 1) mean that much or more. */
typedef struct hb_interval {
    bool known; /* false: nothing is known, least and most say nothing */
    int64_t least, most;
} hb_interval;

hb_interval hb_interval_of(int64_t least, int64_t most);
hb_interval hb_interval_add(hb_interval a, hb_interval b);
hb_interval hb_interval_negate(hb_interval a);
hb_interval hb_interval_multiply(hb_interval a, hb_interval b);
hb_interval hb_interval_square(hb_interval a);
/* The smallest that holds a and 0. */
hb_interval hb_interval_with_zero(hb_interval a);
/* The smallest that holds a and b; the other one where one is not known. */
hb_interval hb_interval_join(hb_interval a, hb_interval b);
/* What a and b have in common; not known where that is nothing. Both are known. */
hb_interval hb_interval_meet(hb_interval a, hb_interval b);
/* "0 .. 150" of a known one, for people: ends that mean that much or more as "more than 2^62". */
void hb_interval_text(char out[64], hb_interval a);
/* a lies in b. False where one is not known. */
bool hb_interval_within(hb_interval a, hb_interval b);
/* What a column of integers can hold under these parameters (hb_codec_cell_range). */
hb_interval hb_interval_held(const hb_params_spec *spec, bool is_signed);

#endif
