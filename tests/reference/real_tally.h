/* The agreement of error bounds of reals with measured errors, over many values. */
#ifndef HB_TESTS_REAL_TALLY_H
#define HB_TESTS_REAL_TALLY_H

#include "real_values.h"

/* The distance of expected from measured errors, in bits, over many values. */
typedef struct tally {
    size_t count, within; /* one bit */
    double least, most, sum, squares;
    double largest; /* squares as well, of the largest slot's */
    double slack;   /* of proven bounds, the least */
} tally;

static const tally no_tally = {.least = INFINITY, .most = -INFINITY, .slack = INFINITY};

static inline void tally_add(tally *to, double bits, double slack)
{
    to->count++;
    to->within += fabs(bits) <= 1;
    to->least = fmin(to->least, bits);
    to->most = fmax(to->most, bits);
    to->sum += bits;
    to->squares += bits * bits;
    to->slack = fmin(to->slack, slack);
}

static inline void tally_join(tally *to, const tally *more)
{
    to->count += more->count;
    to->within += more->within;
    to->sum += more->sum;
    to->squares += more->squares;
    to->largest += more->largest;
    to->least = fmin(to->least, more->least);
    to->most = fmax(to->most, more->most);
    to->slack = fmin(to->slack, more->slack);
}

/* Checks the proven bound of a value and adds its expected one. */
static inline void check(real_world *w, const real *a, tally *to)
{
    const uint32_t limbs = real_limbs(a);
    const hb_quality all = hb_quality_transformed(w->params, limbs, a->quality, a->values);
    const real_errors errors = real_measure(w, a);
    const double scale = log2(real_scale(w, limbs)), largest = log2(errors.largest) + scale,
                 mean = log2(errors.mean) + scale, tail = log2(hb_error_tail(w->params));
    if (largest > all.worst || mean > all.norm) {
        fail_msg("%u limbs: proven 2^%.2f, norm 2^%.2f; measured 2^%.2f, 2^%.2f", limbs, all.worst, all.norm, largest,
                 mean);
    }
    to->largest += (all.expected - largest) * (all.expected - largest);
    tally_add(to, all.even - tail - mean, all.worst - largest);
}

#endif
