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
#include "polynomial_planner.h"

#include <string.h>

#include "base/bits.h"

enum { MOST_ENTRIES = 1 << HB_TABLE_MOST_BITS };

/* --- constants
 *
 * Behind the raise a slot holds x = t / (bound + 1/2), t = I + m / p + noise, bound that of the form fine. Two
 * polynomials in x are the cosine and the sine of 2 pi t / 8. Their sum, the second times i, squared three times is w.
 * The cosine's coefficients of odd degree are 0, the sine's of even degree. Coefficients are those of the Chebyshev
 * series at 64 nodes in 150 bits, rounded to doubles. Results depend on their bits: other coefficients make other
 * words. */

/* Degrees of both, and the degrees below which they are sums of multiples. */
enum { COSINE_DEGREE = 30, SINE_DEGREE = 31, EXPONENTIAL_BABY = 4, EXPONENTIAL_DOUBLINGS = 3 };

static const double cosine[COSINE_DEGREE + 1] = {
    [0] = -0x1.7c2ee8db1ae7p-4,    [2] = -0x1.b98c4e6d7281ap-4,   [4] = 0x1.2a4ef43e6669fp-3,
    [6] = 0x1.e9b7e0f3a56fbp-2,    [8] = 0x1.4c245f2d86274p-2,    [10] = -0x1.3002be541a4d4p-1,
    [12] = 0x1.31aefc782badfp-2,   [14] = -0x1.54f5e97e62768p-4,  [16] = 0x1.f900754ca70dep-7,
    [18] = -0x1.0f1a09feb28ddp-9,  [20] = 0x1.bd457439e7d8ep-13,  [22] = -0x1.223045bf3ae45p-16,
    [24] = 0x1.346cca55c97c1p-20,  [26] = -0x1.10f8b04a08ab5p-24, [28] = 0x1.992c36a55f256p-29,
    [30] = -0x1.074c3c1b8dcc6p-33,
};

static const double sine[SINE_DEGREE + 1] = {
    [1] = -0x1.c5d95187b5f1bp-2,   [3] = -0x1.ec9efe7784559p-2,   [5] = -0x1.83d7fae059836p-2,
    [7] = 0x1.005c30bb2d945p-3,    [9] = 0x1.296985b46ec2dp-1,    [11] = -0x1.d8fa701fa47dbp-2,
    [13] = 0x1.5675164d161dep-3,   [15] = -0x1.32ca10b106da9p-5,  [17] = 0x1.7fb3db11a4d5fp-8,
    [19] = -0x1.6659316f205c7p-11, [21] = 0x1.0524240e9f2f6p-14,  [23] = -0x1.32756428d2d0bp-18,
    [25] = 0x1.28899f7b53871p-22,  [27] = -0x1.e21e01ebcdfeep-27, [29] = 0x1.4e49c08a428a4p-31,
    [31] = -0x1.906b5f237a809p-36,
};

enum { ROOTS = MOST_ENTRIES, QUARTER = ROOTS / 4 };

static const double quarter[QUARTER + 1] = {
    0x1p+0,
    0x1.ffd886084cd0dp-1,
    0x1.ff621e3796d7ep-1,
    0x1.fe9cdad01883ap-1,
    0x1.fd88da3d12526p-1,
    0x1.fc26470e19fd3p-1,
    0x1.fa7557f08a517p-1,
    0x1.f8764fa714ba9p-1,
    0x1.f6297cff75cbp-1,
    0x1.f38f3ac64e589p-1,
    0x1.f0a7efb9230d7p-1,
    0x1.ed740e7684963p-1,
    0x1.e9f4156c62ddap-1,
    0x1.e6288ec48e112p-1,
    0x1.e212104f686e5p-1,
    0x1.ddb13b6ccc23cp-1,
    0x1.d906bcf328d46p-1,
    0x1.d4134d14dc93ap-1,
    0x1.ced7af43cc773p-1,
    0x1.c954b213411f5p-1,
    0x1.c38b2f180bdb1p-1,
    0x1.bd7c0ac6f952ap-1,
    0x1.b728345196e3ep-1,
    0x1.b090a581502p-1,
    0x1.a9b66290ea1a3p-1,
    0x1.a29a7a0462782p-1,
    0x1.9b3e047f38741p-1,
    0x1.93a22499263fbp-1,
    0x1.8bc806b151741p-1,
    0x1.83b0e0bff976ep-1,
    0x1.7b5df226aafafp-1,
    0x1.72d0837efff96p-1,
    0x1.6a09e667f3bcdp-1,
    0x1.610b7551d2cdfp-1,
    0x1.57d69348cecap-1,
    0x1.4e6cabbe3e5e9p-1,
    0x1.44cf325091dd6p-1,
    0x1.3affa292050b9p-1,
    0x1.30ff7fce17035p-1,
    0x1.26d054cdd12dfp-1,
    0x1.1c73b39ae68c8p-1,
    0x1.11eb3541b4b23p-1,
    0x1.073879922ffeep-1,
    0x1.f8ba4dbf89abap-2,
    0x1.e2b5d3806f63bp-2,
    0x1.cc66e9931c45ep-2,
    0x1.b5d1009e15ccp-2,
    0x1.9ef7943a8ed8ap-2,
    0x1.87de2a6aea963p-2,
    0x1.7088530fa459fp-2,
    0x1.58f9a75ab1fddp-2,
    0x1.4135c94176601p-2,
    0x1.294062ed59f06p-2,
    0x1.111d262b1f677p-2,
    0x1.f19f97b215f1bp-3,
    0x1.c0b826a7e4f63p-3,
    0x1.8f8b83c69a60bp-3,
    0x1.5e214448b3fc6p-3,
    0x1.2c8106e8e613ap-3,
    0x1.f564e56a9730ep-4,
    0x1.917a6bc29b42cp-4,
    0x1.2d52092ce19f6p-4,
    0x1.91f65f10dd814p-5,
    0x1.92155f7a3667ep-6,
    0,
};

/* Returns cos(2 pi k / 256), the nearest double. */
static double root(uint32_t k)
{
    const uint32_t once = k % ROOTS, half = once < ROOTS - once ? once : ROOTS - once;
    return half <= QUARTER ? quarter[half] : -quarter[2 * QUARTER - half];
}

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

/* Sets c_j. Sums of doubles are in this order, so that all machines have the same. p, p^2 and p^3 are powers of two:
 * only sums and the products with roots and with 2 (p - j) round. */
static void coefficient(table_plan *t, const hb_bootstrap_table *table, uint32_t j)
{
    const uint32_t p = (uint32_t)1 << table->bits, step = MOST_ENTRIES / p;
    const double square = (double)p * p;
    double re = 0, im = 0;
    for (uint32_t m = 0; m < p; m++) {
        const uint64_t entry = table->entries[m];
        const double y = entry < p / 2 ? (double)entry : (double)entry - p;
        const uint32_t k = j * m % p * step;
        re += y * root(k);
        im -= y * root(k + MOST_ENTRIES - MOST_ENTRIES / 4); /* the sine */
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

/* Adds sum c_k w^k for one part of the numbers c, real or imaginary, to *sum: of degree 1 or more. */
static hb_status add_half(table_plan *t, const double *c, uint32_t degree, hb_polynomial_place at, uint16_t *sum)
{
    for (uint32_t k = 1; k <= degree; k++) {
        uint16_t w, term;
        HB_TRY(power(t, k, &w));
        HB_TRY(hb_polynomial_planner_multiple(t->p, w, c[k], at, &term));
        HB_TRY(add(t, sum, term));
    }
    return hb_polynomial_planner_add_number(t->p, *sum, c[0], 1, at.scale);
}

/* Adds the sum of multiples that a part is: imaginary parts together, and then i times these. */
static hb_status add_terms(table_plan *t, table_part x, hb_polynomial_place at, uint16_t *sum)
{
    uint16_t imaginary = HB_NO_VALUE;
    HB_TRY(add_half(t, t->re + x.first, x.degree, at, sum));
    HB_TRY(add_half(t, t->im + x.first, x.degree, at, &imaginary));
    HB_TRY(hb_polynomial_planner_turn(t->p, imaginary));
    return add(t, sum, imaginary);
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
    for (uint32_t k = 0; k < EXPONENTIAL_DOUBLINGS; k++) {
        scale = hb_exact_scale_sqrt_product(scale, hb_ckks_divisor(&p->params->spec, join + 1 + k));
    }
    const hb_polynomial_place at = {join + EXPONENTIAL_DOUBLINGS, scale};
    uint16_t turned;
    HB_TRY(hb_polynomial_planner_evaluate(p, (hb_polynomial_part){cosine, COSINE_DEGREE}, at, w));
    HB_TRY(hb_polynomial_planner_evaluate(p, (hb_polynomial_part){sine, SINE_DEGREE}, at, &turned));
    HB_TRY(hb_polynomial_planner_turn(p, turned));
    HB_TRY(hb_polynomial_planner_add(p, *w, turned, HB_PLUS));
    for (uint32_t k = 0; k < EXPONENTIAL_DOUBLINGS; k++) {
        uint16_t square;
        HB_TRY(hb_polynomial_planner_tensor(p, *w, *w, &square));
        HB_TRY(hb_polynomial_planner_down(p, square, 1, w));
    }
    return HB_OK;
}

static hb_status check(const hb_params *params, const hb_bootstrap_table *table)
{
    const uint32_t levels = params->spec.bootstrapping.table_levels;
    return table->bits >= 2 && table->bits <= levels ? HB_OK
                                                     : HB_FAIL(HB_ECONFIG,
                                                               "a table for integers of %u bits: there are tables for "
                                                               "2 bits or more, and parameters %s have %u levels for "
                                                               "them, one for each bit",
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
    HB_TRY(hb_polynomial_planner_begin(
        &planner, plan, params, (hb_polynomial_place){first, hb_ckks_divisor(&params->spec, first)}, EXPONENTIAL_BABY));
    plan->levels = levels.eval_mod - levels.out;
    for (uint32_t j = 0; j < p; j++) {
        coefficient(&t, table, j);
    }
    memset(t.power, 0xff, sizeof t.power); /* HB_NO_VALUE */
    HB_TRY(add_exponential(&planner, levels.join + 1, &t.power[1]));
    HB_TRY(evaluate(&t, (table_part){0, p - 1}, (hb_polynomial_place){out, hb_ckks_scale(params, out)}, &result));
    return hb_polynomial_planner_finish(&planner);
}
