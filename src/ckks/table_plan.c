/* A table (refresh/table.h) as a plan. With w = e^(2 pi i t), t = I + m / p + noise, p = 2^bits, the real part of
 *
 *     F(w) = sum over j < p of c_j w^j,    c_0 = f_0,  c_j = 2 (1 - j / p) f_j,
 *     f_j = 1/p sum over m of y_m e^(-2 pi i j m / p),    y_m entry m, centred, over p,
 *
 * is y_m where there is no noise. The weights are those of L. Fejer: Re F is the mean of all y with a kernel that is
 * nowhere negative, so it stays between the least and the largest entry, and its slope at m / p is 0. Powers of w are
 * monomials: w^k is w^i w^j, i the largest power of two below k, i + j = k. */
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "bootstrapping/exponential.h"
#include "polynomial_planner.h"

#include <string.h>

#include "base/bits.h"

enum { MOST_ENTRIES = 1 << HB_TABLE_MOST_BITS };

/* The polynomial of a table, and the powers of its operand. */
typedef struct table_plan {
    hb_polynomial_planner *p;
    uint32_t baby;                             /* sums of multiples have degrees below it */
    double re[MOST_ENTRIES], im[MOST_ENTRIES]; /* c_j */
    uint16_t power[MOST_ENTRIES];              /* of w; HB_NO_VALUE: not there yet */
} table_plan;

/* c_first .. c_(first + degree). */
typedef struct table_part {
    uint32_t first, degree;
} table_part;

/* --- coefficients */

/* Returns c_j. Sums of doubles in this order, so that all machines have the same; entries are integers, and p and its
 * square powers of two: of the factors only 2 (p - j) is rounded away. */
static void coefficient(table_plan *t, const hb_bootstrap_table *table, uint32_t j)
{
    const uint32_t p = (uint32_t)1 << table->bits, step = MOST_ENTRIES / p;
    const double square = (double)p * p;
    double re = 0, im = 0;
    for (uint32_t m = 0; m < p; m++) {
        const uint64_t entry = table->entries[m];
        const double y = entry < p / 2 ? (double)entry : (double)entry - p;
        const uint32_t k = j * m % p * step;
        re += y * hb_exponential_root(k);
        im -= y * hb_exponential_root(k + MOST_ENTRIES - MOST_ENTRIES / 4); /* the sine */
    }
    const double weight = 2.0 * (p - j);
    t->re[j] = j == 0 ? re / square : weight * re / (square * p);
    t->im[j] = j == 0 ? 0 : weight * im / (square * p);
}

/* --- the polynomial */

static uint32_t power_limbs(const table_plan *t, uint32_t k)
{
    return t->p->plan->values[t->power[1]].limbs - (k <= 1 ? 0 : hb_bit_length(k - 1));
}

static hb_status power(table_plan *t, uint32_t k, uint16_t *out)
{
    if (t->power[k] == HB_NO_VALUE) {
        const uint32_t i = (uint32_t)1 << (hb_bit_length(k - 1) - 1);
        uint16_t a, b, product;
        HB_TRY(power(t, i, &a)); /* at most 8 deep */
        HB_TRY(power(t, k - i, &b));
        HB_TRY(hb_polynomial_planner_tensor(t->p, a, b, &product));
        HB_TRY(hb_polynomial_planner_down(t->p, product, 1, &t->power[k]));
    }
    *out = t->power[k];
    return HB_OK;
}

/* Adds a to *sum, which it becomes where there is none yet. */
static hb_status add(table_plan *t, uint16_t *sum, uint16_t a)
{
    if (*sum == HB_NO_VALUE) {
        *sum = a;
        return HB_OK;
    }
    return hb_polynomial_planner_add(t->p, *sum, a, HB_PLUS);
}

/* Adds sum c_k w^(k - first) for one part of the numbers c, real or imaginary, to *sum. */
static hb_status add_half(table_plan *t, const double *c, uint32_t degree, hb_polynomial_place at, uint16_t *sum)
{
    for (uint32_t k = 1; k <= degree; k++) {
        uint16_t w, term;
        if (c[k] != 0) {
            HB_TRY(power(t, k, &w));
            HB_TRY(hb_polynomial_planner_multiple(t->p, w, c[k], at, &term));
            HB_TRY(add(t, sum, term));
        }
    }
    if (c[0] == 0) {
        return HB_OK;
    }
    if (*sum == HB_NO_VALUE) {
        HB_TRY(hb_polynomial_planner_clear(t->p, at, sum));
    }
    return hb_polynomial_planner_add_number(t->p, *sum, c[0], 1, at.scale);
}

/* Adds the sum of multiples that a part is: imaginary parts together, and then i times these. */
static hb_status add_terms(table_plan *t, table_part x, hb_polynomial_place at, uint16_t *sum)
{
    uint16_t imaginary = HB_NO_VALUE;
    HB_TRY(add_half(t, t->re + x.first, x.degree, at, sum));
    HB_TRY(add_half(t, t->im + x.first, x.degree, at, &imaginary));
    if (imaginary != HB_NO_VALUE) {
        HB_TRY(hb_polynomial_planner_turn(t->p, imaginary));
        return add(t, sum, imaginary);
    }
    return *sum == HB_NO_VALUE ? hb_polynomial_planner_clear(t->p, at, sum) : HB_OK;
}

static hb_status evaluate(table_plan *t, table_part x, hb_polynomial_place at, uint16_t *out);

/* Adds the part, not rescaled, to *sum, or makes it: (c_g + .. ) w^g and the rest, g the largest power of two in it. */
static hb_status add_part(table_plan *t, table_part x, hb_polynomial_place at, uint16_t *sum)
{
    while (x.degree > 1 && (x.degree >= t->baby || power_limbs(t, x.degree) < at.limbs)) {
        const uint32_t g = (uint32_t)1 << (hb_bit_length(x.degree) - 1);
        uint16_t w, quotient, product;
        HB_TRY(power(t, g, &w));
        const hb_polynomial_place above = {at.limbs, hb_exact_scale_divide(at.scale, t->p->plan->values[w].scale)};
        HB_TRY(evaluate(t, (table_part){x.first + g, x.degree - g}, above, &quotient));
        HB_TRY(hb_polynomial_planner_tensor(t->p, quotient, w, &product));
        HB_TRY(add(t, sum, product));
        x.degree = g - 1;
    }
    return add_terms(t, x, at, sum);
}

/* Returns the value of a part at that level and scale, made one level above and brought down. */
static hb_status evaluate(table_plan *t, table_part x, hb_polynomial_place at, uint16_t *out)
{
    const uint32_t limbs = at.limbs + 1;
    uint16_t sum = HB_NO_VALUE;
    HB_TRY(add_part(
        t, x,
        (hb_polynomial_place){limbs, hb_exact_scale_multiply(at.scale, hb_ckks_divisor(&t->p->params->spec, limbs))},
        &sum));
    return hb_polynomial_planner_down(t->p, sum, 1, out);
}

/* --- the exponential */

/* w = e^(2 pi i t) at the level of `join` limbs, at rest: squares from that of an eighth of the angle. */
static hb_status add_exponential(hb_polynomial_planner *p, uint32_t join, uint16_t *w)
{
    hb_exact_scale scale = hb_ckks_scale(p->params, join);
    for (uint32_t k = 0; k < HB_EXPONENTIAL_DOUBLINGS; k++) {
        scale = hb_exact_scale_sqrt_product(scale, hb_ckks_divisor(&p->params->spec, join + 1 + k));
    }
    const hb_polynomial_place at = {join + HB_EXPONENTIAL_DOUBLINGS, scale};
    uint16_t sine;
    HB_TRY(hb_polynomial_planner_evaluate(p, (hb_polynomial_part){hb_exponential_cosine, HB_COSINE_DEGREE}, at, w));
    HB_TRY(hb_polynomial_planner_evaluate(p, (hb_polynomial_part){hb_exponential_sine, HB_SINE_DEGREE}, at, &sine));
    HB_TRY(hb_polynomial_planner_turn(p, sine));
    HB_TRY(hb_polynomial_planner_add(p, *w, sine, HB_PLUS));
    for (uint32_t k = 0; k < HB_EXPONENTIAL_DOUBLINGS; k++) {
        uint16_t square;
        HB_TRY(hb_polynomial_planner_tensor(p, *w, *w, &square));
        HB_TRY(hb_polynomial_planner_down(p, square, 1, w));
    }
    return HB_OK;
}

static hb_status check(const hb_params *params, const hb_bootstrap_table *table)
{
    const uint32_t levels = params->spec.bootstrapping.table_levels;
    return table->bits >= 1 && table->bits <= levels
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "a table for integers of %u bits: parameters %s have %u levels for tables, one for each bit",
                         table->bits, params->name, levels);
}

hb_status hb_polynomial_plan_init_table(hb_polynomial_plan *plan, const hb_params *params,
                                        const hb_bootstrap_table *table)
{
    *plan = (hb_polynomial_plan){.limbs = 0};
    HB_TRY(check(params, table));
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    const uint32_t first = levels.eval_mod + 1, out = levels.out + 1, p = (uint32_t)1 << table->bits;
    hb_polynomial_planner planner;
    table_plan t = {.p = &planner, .baby = (uint32_t)1 << (table->bits + 1) / 2};
    uint16_t result;
    HB_TRY(hb_polynomial_planner_begin(&planner, plan, params,
                                       (hb_polynomial_place){first, hb_ckks_divisor(&params->spec, first)},
                                       HB_EXPONENTIAL_BABY));
    plan->levels = levels.eval_mod - levels.out;
    for (uint32_t j = 0; j < p; j++) {
        coefficient(&t, table, j);
    }
    memset(t.power, 0xff, sizeof t.power); /* HB_NO_VALUE */
    HB_TRY(add_exponential(&planner, levels.join + 1, &t.power[1]));
    HB_TRY(evaluate(&t, (table_part){0, p - 1}, (hb_polynomial_place){out, hb_ckks_scale(params, out)}, &result));
    return hb_polynomial_planner_finish(&planner);
}
