/* The transform with 64-bit words and Shoup's multiplication (paper 003 section 2; Harvey's lazy butterflies). Words
 * stay in [0, 4m) forward and [0, 2m) inverse, which m < 2^61 leaves room for. Two stages a pass: half the memory
 * traffic. */
#include "cpu_ntt.h"
#include "modarith.h"

/* x, y in [0, 4m) to x + w y, x - w y in [0, 4m). */
static inline void butterfly(uint64_t *x, uint64_t *y, uint64_t w, uint64_t w_quotient, uint64_t m)
{
    uint64_t a = hb_correct(*x, 2 * m);
    uint64_t b = hb_mul_shoup_lazy(*y, w, w_quotient, m);
    *x = a + b;
    *y = a + 2 * m - b;
}

/* x, y in [0, 2m) to x + y, (x - y) w in [0, 2m). */
static inline void inverse_butterfly(uint64_t *x, uint64_t *y, uint64_t w, uint64_t w_quotient, uint64_t m)
{
    uint64_t a = *x, b = *y;
    *x = hb_correct(a + b, 2 * m);
    *y = hb_mul_shoup_lazy(a + 2 * m - b, w, w_quotient, m);
}

/* [0, 4m) to [0, m). */
static inline uint64_t canonical(uint64_t x, uint64_t m)
{
    return hb_correct(hb_correct(x, 2 * m), m);
}

/* Stages `groups` and 2 * groups of all groups. */
static void forward_two_stages(const hb_cpu_ntt *t, uint64_t *x, size_t groups)
{
    const uint64_t m = t->modulus.value;
    const size_t quarter = t->n / (4 * groups);
    for (size_t g = 0; g < groups; g++) {
        uint64_t *x0 = x + g * 4 * quarter, *x1 = x0 + quarter, *x2 = x1 + quarter, *x3 = x2 + quarter;
        const size_t a = groups + g, b = 2 * a, c = b + 1;
        const uint64_t wa = t->w[a], wb = t->w[b], wc = t->w[c];
        const uint64_t qa = t->w_quotient[a], qb = t->w_quotient[b], qc = t->w_quotient[c];
        for (size_t j = 0; j < quarter; j++) {
            butterfly(&x0[j], &x2[j], wa, qa, m);
            butterfly(&x1[j], &x3[j], wa, qa, m);
            butterfly(&x0[j], &x1[j], wb, qb, m);
            butterfly(&x2[j], &x3[j], wc, qc, m);
        }
    }
}

static void inverse_two_stages(const hb_cpu_ntt *t, uint64_t *x, size_t groups)
{
    const uint64_t m = t->modulus.value;
    const size_t quarter = t->n / (4 * groups);
    for (size_t g = 0; g < groups; g++) {
        uint64_t *x0 = x + g * 4 * quarter, *x1 = x0 + quarter, *x2 = x1 + quarter, *x3 = x2 + quarter;
        const size_t a = groups + g, b = 2 * a, c = b + 1;
        const uint64_t wa = t->iw[a], wb = t->iw[b], wc = t->iw[c];
        const uint64_t qa = t->iw_quotient[a], qb = t->iw_quotient[b], qc = t->iw_quotient[c];
        for (size_t j = 0; j < quarter; j++) {
            inverse_butterfly(&x0[j], &x1[j], wb, qb, m);
            inverse_butterfly(&x2[j], &x3[j], wc, qc, m);
            inverse_butterfly(&x0[j], &x2[j], wa, qa, m);
            inverse_butterfly(&x1[j], &x3[j], wa, qa, m);
        }
    }
}

void hb_cpu_ntt_u64_forward(const hb_cpu_ntt *t, uint64_t *x)
{
    const uint64_t m = t->modulus.value;
    size_t groups = 1;
    if (t->log_n % 2 == 1) {
        for (size_t j = 0; j < t->n / 2; j++) {
            butterfly(&x[j], &x[j + t->n / 2], t->w[1], t->w_quotient[1], m);
        }
        groups = 2;
    }
    for (; groups < t->n; groups *= 4) {
        forward_two_stages(t, x, groups);
    }
    for (size_t j = 0; j < t->n; j++) {
        x[j] = canonical(x[j], m);
    }
}

void hb_cpu_ntt_u64_inverse(const hb_cpu_ntt *t, uint64_t *x)
{
    const uint64_t m = t->modulus.value;
    size_t groups = t->n / 4;
    for (; groups >= 1; groups /= 4) {
        inverse_two_stages(t, x, groups);
    }
    if (t->log_n % 2 == 1) {
        for (size_t j = 0; j < t->n / 2; j++) {
            inverse_butterfly(&x[j], &x[j + t->n / 2], t->iw[1], t->iw_quotient[1], m);
        }
    }
    for (size_t j = 0; j < t->n; j++) {
        x[j] = hb_correct(hb_mul_shoup_lazy(x[j], t->inverse_n, t->inverse_n_quotient, m), m);
    }
}
