#include "packed_quality.h"

#include <math.h>

#include "base/bits.h"
#include "lang/analysis/deferred_sums.h"
#include "rlwe/bounds.h"
#include "scheme/quality.h"
#include "scheme/slots.h"

static const hb_quality nothing = {.powers = 1};

static hb_quality lowered(const hb_params *params, uint32_t from, hb_quality quality, hb_magnitude values, uint32_t to)
{
    const hb_quality_factor factor = {quality, 2, values, false};
    return to < from ? hb_quality_adjust(params, from, factor, to) : quality;
}

/* Returns the size of values in a slot of the packed ciphertext. */
static hb_magnitude in_slots(const hb_value *value, hb_magnitude one)
{
    const double bits = log2((double)value->columns);
    return (hb_magnitude){one.most + bits, one.mean + bits, 0, one.peak + bits};
}

/* --- from totals to coefficients */

/* Returns the bound of a total's own error at a lower level. Rounding on the way there is none of it: there is one
 * packed ciphertext, and its rounding is spread over all coefficients, as in_coefficients has it. */
static hb_quality lowered_own(const hb_params *params, uint32_t from, hb_quality own, hb_magnitude values, uint32_t to)
{
    hb_quality low = lowered(params, from, own, values, to);
    if (to < from && low.norm > 0) {
        const double rounding = lowered(params, from, (hb_quality){0}, (hb_magnitude){0}, to).expected;
        const double above = exp2(2 * (low.expected - rounding)) - 1;
        low.expected = above > 0 ? fmax(own.expected, rounding + log2(above) / 2) : own.expected;
    }
    return low;
}

/* Returns the bound of totals in coefficients from that of the packed ciphertext and that of the total that is expected
 * to have the largest error. For reals a power of X changes no magnitude, and no coefficient is larger than the norm,
 * the root of the sum of the squares of all. The expected error: a total's own error is the same in all slots, as the
 * total is, so it meets no other total; the errors of the ciphertext are spread over n coefficients, and one has theirs
 * by the root of n. */
static hb_quality in_coefficients(const hb_params *params, hb_quality packed, hb_quality own)
{
    if (packed.norm <= 0) {
        return packed;
    }
    const double spread = hb_quality_even(packed) - log2((double)params->spec.n) / 2;
    const double worst = fmin(packed.worst, packed.norm), expected = hb_log_root(own.expected, spread);
    hb_quality all = {.worst = worst,
                      .expected = fmin(expected, worst),
                      .powers = packed.powers,
                      .norm = packed.norm,
                      .certainty = packed.certainty};
    if (own.systematic.most > 0) {
        all.systematic = own.systematic;
        all.even = hb_log_root(hb_quality_even(own), spread);
        all.common = own.common * exp2(2 * (hb_quality_even(own) - all.even));
    }
    return all;
}

/* --- the columns together */

/* Returns the share of an expected error that has to be systematic for the likely error to be as large
 * (hb_quality_likely). A total's own constant error stays with it in its coefficient. */
static double systematic_share(const hb_params *params, double expected, double likely)
{
    const double drawn = exp2(hb_quality_margin(params));
    return fmin(fmax((drawn - exp2(likely - expected)) / (drawn - 1), 0), 1);
}

/* The columns of a value, and more bounds. */
typedef struct together {
    hb_quality sum;  /* of all */
    hb_quality most; /* what is proven of any */
    hb_quality own;  /* the one that is expected to have the largest error, as likely as any has */
} together;

static void take(const hb_params *params, together *t, hb_quality one, double *likely)
{
    t->most.worst = fmax(t->most.worst, one.worst);
    t->most.norm = fmax(t->most.norm, one.norm); /* 0 of none or of all */
    t->most.expected = fmax(t->most.expected, one.expected);
    t->most.powers = one.powers > t->most.powers ? one.powers : t->most.powers;
    t->most.certainty = hb_certainty_of_both(t->most.certainty, one.certainty);
    t->own = one.expected > t->own.expected ? one : t->own;
    *likely = fmax(*likely, hb_quality_likely(params, one));
}

/* Returns the bound of the noise that sums of slots in `summed` limbs add to what the columns' own bounds say. A
 * number that is added to a total is divided over the slots: its rounding grows with them. So does rounding on the way
 * to fewer limbs, and there keys switch once more. */
static hb_quality merging(const hb_params *params, uint32_t from, uint32_t summed)
{
    const hb_slot_shape slots = hb_slots_shape(&params->spec);
    const hb_quality number = hb_quality_add_number(params, nothing);
    return summed < from
               ? hb_quality_sum_slots(params, summed, lowered(params, from, number, (hb_magnitude){0}, summed))
               : hb_quality_sum(params, number, (double)slots.columns * slots.rows);
}

/* Returns the bound of a column as a sum that merges, in a coefficient: it came to its level before its slots are
 * summed, not behind. */
static hb_quality merged_column(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    const uint32_t to = node->shape.limbs;
    while (hb_goes_down(node->op)) {
        node = &g->nodes[node->a];
    }
    const uint32_t from = node->shape.limbs;
    return hb_quality_merged(g->params,
                             from > to ? hb_quality_add(g->params, quality, merging(g->params, from, to)) : quality);
}

/* merged: the sums of their slots do. Then there is the noise of key switching in columns that are 0, too. */
static together together_of(const hb_lowering *l, const hb_facts *f, const hb_value *value, bool merged)
{
    const hb_params *params = l->graph.params;
    const uint32_t from = hb_packed_column(l, value, 0)->shape.limbs;
    const hb_quality least =
        merged ? hb_quality_merged(params, hb_quality_sum_slots(params, from, nothing)) : (hb_quality){0};
    together t = {.most = least, .own = least};
    double likely = hb_quality_likely(params, least);
    for (uint32_t i = 0; i < value->columns; i++) {
        const hb_node *node = hb_packed_column(l, value, i);
        const hb_quality own = hb_node_quality(f, node), one = merged ? merged_column(&l->graph, node, own) : own;
        t.sum = i > 0 ? hb_quality_add(params, t.sum, one) : one;
        take(params, &t, one, &likely);
    }
    const double systematic = t.own.expected + log2(systematic_share(params, t.own.expected, likely));
    t.own.systematic = systematic > 0 ? (hb_systematic){systematic, systematic} : (hb_systematic){0};
    return t;
}

/* --- sums of slots that merge */

/* Returns log2 of the most by which the norm of the noise of one key switch counts in that of the ciphertext of so many
 * sums of N / 2 slots, for all switches together. Each is followed by sums with automorphisms, which double a norm. The
 * noise of switches of one step comes to coefficients of their own: squares add up. */
static double times_of_switch(uint64_t n, uint64_t sums)
{
    double norm = 0;
    for (uint64_t times = n / 4; times > 0; times /= 2) {
        sums = hb_divide_up(sums, 2);
        norm += (double)times * sqrt((double)sums);
    }
    return log2(norm);
}

/* Returns the bound of the ciphertext of so many sums, each with at most that error. For reals: coefficients that are
 * no sum have the noise of key switching alone. */
static hb_quality of_sums(const hb_params *params, uint32_t limbs, hb_quality any, uint32_t sums)
{
    if (any.norm <= 0) {
        return any;
    }
    const double key = hb_quality_switch(params, limbs, nothing, HB_SWITCH_GALOIS).norm;
    const double norm = hb_log_sum(any.norm + log2(sums) / 2, key + times_of_switch(params->spec.n, sums));
    return (hb_quality){.worst = norm, .norm = norm, .powers = any.powers, .certainty = any.certainty};
}

/* Linear functions are computed before sums of slots, not behind, so that their weights, integers, are no part of the
 * noise of key switching: the bound of a column counts it once at least, but for columns that are 0. */
static hb_quality merged_quality(const hb_lowering *l, const together *t, const hb_value *value, hb_magnitude one,
                                 uint32_t summed, uint32_t limbs)
{
    const hb_params *params = l->graph.params;
    const uint32_t from = hb_packed_column(l, value, 0)->shape.limbs;
    const hb_quality added = hb_quality_merged(params, merging(params, from, summed));
    const hb_quality any = hb_quality_add(params, lowered(params, from, t->most, one, summed), added);
    /* The rounding of numbers alone is far below what is expected of any sum. */
    const hb_quality own =
        summed < from ? hb_quality_add(params, lowered(params, from, t->own, one, summed), added) : t->own;
    const hb_quality sums = of_sums(params, summed, any, value->columns);
    return in_coefficients(params, lowered(params, summed, sums, in_slots(value, one), limbs),
                           lowered_own(params, summed, own, one, limbs));
}

hb_quality hb_packed_quality(const hb_lowering *l, const hb_facts *f, const hb_value *value, hb_magnitude one,
                             uint32_t summed, uint32_t limbs)
{
    const hb_params *params = l->graph.params;
    const uint32_t from = hb_packed_column(l, value, 0)->shape.limbs;
    const together t = together_of(l, f, value, summed > 0);
    return summed > 0 ? merged_quality(l, &t, value, one, summed, limbs)
                      : in_coefficients(params, lowered(params, from, t.sum, in_slots(value, one), limbs),
                                        lowered_own(params, from, t.own, one, limbs));
}
