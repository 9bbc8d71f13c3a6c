/* The transform with 64-bit words and Shoup's multiplication (paper 003 section 2; Harvey's lazy butterflies). Words
 * stay in [0, 4m) forward and [0, 2m) inverse, which m < 2^61 leaves room for. Two stages a pass: half the memory
 * traffic. Loops over adjacent words vectorise, which pays with AVX-512; where there are but a few of them, the
 * processor's own product of words is faster. */
#include "clones.h"
#include "cpu_ntt.h"
#include "modarith.h"

#define VECTOR 8 /* adjacent words from which on a loop is for vectors */

/* High word of a b: from halves, of which there are products in vectors. */
HB_CLONED_INLINE uint64_t mul_high(uint64_t a, uint64_t b, const bool vector)
{
    if (!vector) {
        return hb_mul_high(a, b);
    }
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t cross = a1 * b0 + (a0 * b0 >> 32); /* at most (2^32 - 1)^2 + 2^32 - 1 */
    const uint64_t other = a0 * b1 + (uint32_t)cross;
    return a1 * b1 + (cross >> 32) + (other >> 32);
}

/* A twiddle and its Shoup quotient. */
typedef struct factor {
    uint64_t w, quotient;
} factor;

/* As hb_mul_shoup_lazy. */
HB_CLONED_INLINE uint64_t mul_lazy(uint64_t x, factor f, uint64_t m, const bool vector)
{
    return x * f.w - mul_high(x, f.quotient, vector) * m;
}

/* x, y in [0, 4m) to x + w y, x - w y in [0, 4m). */
HB_CLONED_INLINE void butterfly(uint64_t *x, uint64_t *y, factor f, uint64_t m, const bool vector)
{
    uint64_t a = hb_correct(*x, 2 * m);
    uint64_t b = mul_lazy(*y, f, m, vector);
    *x = a + b;
    *y = a + 2 * m - b;
}

/* x, y in [0, 2m) to x + y, (x - y) w in [0, 2m). */
HB_CLONED_INLINE void inverse_butterfly(uint64_t *x, uint64_t *y, factor f, uint64_t m, const bool vector)
{
    uint64_t a = *x, b = *y;
    *x = hb_correct(a + b, 2 * m);
    *y = mul_lazy(a + 2 * m - b, f, m, vector);
}

/* [0, 4m) to [0, m). */
HB_CLONED_INLINE uint64_t canonical(uint64_t x, uint64_t m)
{
    return hb_correct(hb_correct(x, 2 * m), m);
}

/* Of two stages of one group: that of the outer stage, pairs 2 `quarter` apart, and the two of the inner one. */
typedef struct factors {
    factor outer, inner[2];
} factors;

HB_CLONED_INLINE factors group_factors(const uint64_t *w, const uint64_t *quotient, size_t group)
{
    const size_t b = 2 * group, c = b + 1;
    return (factors){{w[group], quotient[group]}, {{w[b], quotient[b]}, {w[c], quotient[c]}}};
}

/* The flag is a constant in each loop. */
HB_CLONED_INLINE void forward_quarters(uint64_t *x, size_t quarter, factors f, uint64_t m, const bool vector)
{
    uint64_t *x1 = x + quarter, *x2 = x1 + quarter, *x3 = x2 + quarter;
    HB_INDEPENDENT
    for (size_t j = 0; j < quarter; j++) {
        butterfly(&x[j], &x2[j], f.outer, m, vector);
        butterfly(&x1[j], &x3[j], f.outer, m, vector);
        butterfly(&x[j], &x1[j], f.inner[0], m, vector);
        butterfly(&x2[j], &x3[j], f.inner[1], m, vector);
    }
}

HB_CLONED_INLINE void inverse_quarters(uint64_t *x, size_t quarter, factors f, uint64_t m, const bool vector)
{
    uint64_t *x1 = x + quarter, *x2 = x1 + quarter, *x3 = x2 + quarter;
    HB_INDEPENDENT
    for (size_t j = 0; j < quarter; j++) {
        inverse_butterfly(&x[j], &x1[j], f.inner[0], m, vector);
        inverse_butterfly(&x2[j], &x3[j], f.inner[1], m, vector);
        inverse_butterfly(&x[j], &x2[j], f.outer, m, vector);
        inverse_butterfly(&x1[j], &x3[j], f.outer, m, vector);
    }
}

/* Stages `groups` and 2 * groups of all groups. */
HB_CLONES static void forward_two_stages(const hb_cpu_ntt *t, uint64_t *x, size_t groups)
{
    const uint64_t m = t->modulus.value;
    const size_t quarter = t->n / (4 * groups);
    for (size_t g = 0; g < groups; g++, x += 4 * quarter) {
        const factors f = group_factors(t->w, t->w_quotient, groups + g);
        if (quarter >= VECTOR) {
            forward_quarters(x, quarter, f, m, true);
        } else {
            forward_quarters(x, quarter, f, m, false);
        }
    }
}

HB_CLONES static void inverse_two_stages(const hb_cpu_ntt *t, uint64_t *x, size_t groups)
{
    const uint64_t m = t->modulus.value;
    const size_t quarter = t->n / (4 * groups);
    for (size_t g = 0; g < groups; g++, x += 4 * quarter) {
        const factors f = group_factors(t->iw, t->iw_quotient, groups + g);
        if (quarter >= VECTOR) {
            inverse_quarters(x, quarter, f, m, true);
        } else {
            inverse_quarters(x, quarter, f, m, false);
        }
    }
}

/* Stage 1 alone. */
HB_CLONES static void forward_stage(const hb_cpu_ntt *t, uint64_t *x)
{
    const uint64_t m = t->modulus.value;
    const factor f = {t->w[1], t->w_quotient[1]};
    uint64_t *y = x + t->n / 2;
    const size_t half = t->n / 2;
    HB_INDEPENDENT
    for (size_t j = 0; j < half; j++) {
        butterfly(&x[j], &y[j], f, m, true);
    }
}

HB_CLONES static void inverse_stage(const hb_cpu_ntt *t, uint64_t *x)
{
    const uint64_t m = t->modulus.value;
    const factor f = {t->iw[1], t->iw_quotient[1]};
    uint64_t *y = x + t->n / 2;
    const size_t half = t->n / 2;
    HB_INDEPENDENT
    for (size_t j = 0; j < half; j++) {
        inverse_butterfly(&x[j], &y[j], f, m, true);
    }
}

HB_CLONES static void make_canonical(uint64_t *x, size_t n, uint64_t m)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        x[j] = canonical(x[j], m);
    }
}

HB_CLONES static void divide_by_n(const hb_cpu_ntt *t, uint64_t *x)
{
    const uint64_t m = t->modulus.value;
    const factor f = {t->inverse_n, t->inverse_n_quotient};
    const size_t n = t->n;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        x[j] = hb_correct(mul_lazy(x[j], f, m, true), m);
    }
}

void hb_cpu_ntt_u64_forward(const hb_cpu_ntt *t, uint64_t *x)
{
    size_t groups = 1;
    if (t->log_n % 2 == 1) {
        forward_stage(t, x);
        groups = 2;
    }
    for (; groups < t->n; groups *= 4) {
        forward_two_stages(t, x, groups);
    }
    make_canonical(x, t->n, t->modulus.value);
}

void hb_cpu_ntt_u64_inverse(const hb_cpu_ntt *t, uint64_t *x)
{
    size_t groups = t->n / 4;
    for (; groups >= 1; groups /= 4) {
        inverse_two_stages(t, x, groups);
    }
    if (t->log_n % 2 == 1) {
        inverse_stage(t, x);
    }
    divide_by_n(t, x);
}
