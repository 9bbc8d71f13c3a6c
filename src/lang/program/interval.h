/* Ranges that values lie in, before anything wraps: of integers, or of reals. */
#ifndef HB_LANG_PROGRAM_INTERVAL_H
#define HB_LANG_PROGRAM_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/wide.h"
#include "rlwe/params.h"

/* Integers have wide ends, which are exact up to 2^317, and the same ends in 64 bits, of which +-(2^63 - 1) mean that
 * much or more; so do infinite ones of reals. An interval computed from two holds reals where one of them does; such
 * ends are rounded outwards. */
typedef struct hb_interval {
    bool known; /* false: nothing is known, the ends say nothing */
    bool real;  /* the ends are low and high */
    union {
        struct {
            int64_t least, most;
            hb_wide wide_least, wide_most;
        };
        struct {
            double low, high;
        };
    };
} hb_interval;

/* Return known intervals: of integers from least to most, least <= most, and of reals from low to high. */
hb_interval hb_interval_of(int64_t least, int64_t most);
hb_interval hb_interval_of_wide(hb_wide least, hb_wide most);
/* Returns that of one integer, which is exact, unlike an end of 2^63 - 1 that means that much or more. */
hb_interval hb_interval_of_number(int64_t number);
hb_interval hb_interval_of_reals(double low, double high);
/* The smallest one of reals that holds a; a itself where it is one. */
hb_interval hb_interval_to_reals(hb_interval a);
hb_interval hb_interval_add(hb_interval a, hb_interval b);
hb_interval hb_interval_negate(hb_interval a);
hb_interval hb_interval_multiply(hb_interval a, hb_interval b);
hb_interval hb_interval_square(hb_interval a);
/* The values of a^exponent, exponent 1 and more. */
hb_interval hb_interval_power(hb_interval a, uint32_t exponent);
/* The smallest that holds a and 0. */
hb_interval hb_interval_with_zero(hb_interval a);
/* The smallest that holds a and b; the other one where one is not known. */
hb_interval hb_interval_join(hb_interval a, hb_interval b);
/* The values that a and b have in common; not known where there are none. Both are known. */
hb_interval hb_interval_meet(hb_interval a, hb_interval b);
/* The largest magnitude in a known one, rounded up. */
double hb_interval_magnitude(hb_interval a);
/* "0 .. 150" of a known one, for people: ends of integers beyond 2^128 as "more than 2^150", those of reals as
 * hb_real_bound_text writes them, outwards. */
#define HB_INTERVAL_TEXT 216
void hb_interval_text(char out[HB_INTERVAL_TEXT], hb_interval a);
/* "0..150" of a known one, as --range has it. */
#define HB_INTERVAL_OPTION 216
void hb_interval_option(char out[HB_INTERVAL_OPTION], hb_interval a);
/* a lies in b. False where one is not known. */
bool hb_interval_within(hb_interval a, hb_interval b);
/* Returns the values that a column can hold under these parameters (hb_codec_cell_range); with several plain moduli,
 * the values that their product can hold. */
hb_interval hb_interval_held(const hb_params_spec *spec, bool is_signed);

#endif
