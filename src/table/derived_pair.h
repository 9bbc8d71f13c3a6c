/* Numbers of two columns of a row together: their order, difference and sum, and the days between them. Rank-local. */
#ifndef HB_TABLE_DERIVED_PAIR_H
#define HB_TABLE_DERIVED_PAIR_H

#include "derived_constant.h"

/* Sets rule->times for columns of one meaning whose scales may differ. False: they mean different things. Scales are
 * powers of ten, so that the greater one is a multiple of the other. */
static inline bool hb_derived_pair_scales(hb_derived_rule *rule, const hb_meaning *a, const hb_meaning *b)
{
    const uint64_t left = hb_meaning_scale(a), right = hb_meaning_scale(b);
    hb_meaning same = *b;
    same.scale = a->scale;
    rule->times[0] = right > left ? right / left : 1;
    rule->times[1] = left > right ? left / right : 1;
    return hb_meaning_same(a, &same);
}

/* Returns the order of two numbers that may have different scales: below, at or above 0. */
static inline int hb_derived_pair_order(const hb_derived_rule *rule, const hb_derived_cell *a, const hb_derived_cell *b)
{
    hb_derived_cell x = *a, y = *b;
    /* A product that 127 bits do not hold is farther from 0 than the other number, which is not multiplied. */
    if (__builtin_mul_overflow(a->integer, (hb_i128)rule->times[0], &x.integer)) {
        return a->integer < 0 ? -1 : 1;
    }
    if (__builtin_mul_overflow(b->integer, (hb_i128)rule->times[1], &y.integer)) {
        return b->integer < 0 ? 1 : -1;
    }
    return hb_derived_cell_compare(&x, &y, rule->real);
}

/* Sets the meaning and the factors of a rule of HB_DERIVED_DAYS, _DIFFERENCE or _SUM. HB_EUSAGE for columns that have
 * none. */
hb_status hb_derived_pair_make(hb_derived_rule *rule, const hb_column *const *from);

/* Makes the cell of such a rule; neither of a and b is missing. Returns NULL, or the fault of the cells: the result has
 * more than 64 bits with a sign, or is no number. */
const char *hb_derived_pair_value(const hb_derived_rule *rule, const hb_derived_cell *a, const hb_derived_cell *b,
                                  hb_derived_cell *to);

#endif
