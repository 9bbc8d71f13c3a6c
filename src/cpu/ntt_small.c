/* The transform one word at a time, by Harvey's lazy butterflies, for rows too short for vectors. Words stay in [0, 4m)
 * forward and in [0, 2m) inverse, which m < 2^61 leaves room for. */
#include <string.h>

#include "base/modarith.h"
#include "ntt.h"

static void forward(const hb_cpu_ntt *t, uint64_t *x, const hb_cpu_source *from)
{
    memmove(x, from->words, t->n * sizeof *x);
    const uint64_t m = t->modulus.value;
    /* From one group of N / 2 pairs to N / 2 groups of one. */
    for (size_t groups = 1; groups < t->n; groups *= 2) {
        const size_t gap = t->n / 2 / groups;
        for (size_t g = 0; g < groups; g++) {
            const uint64_t w = t->w[groups + g], quotient = t->w[t->groups + groups + g];
            for (size_t j = 2 * gap * g; j < 2 * gap * g + gap; j++) {
                /* a < 2m and b < 2m: the sum is below 4m, and a + 2m - b is in (0, 4m). */
                const uint64_t a = hb_correct(x[j], 2 * m), b = hb_mul_shoup_lazy(x[j + gap], w, quotient, m);
                x[j] = a + b;
                x[j + gap] = a + 2 * m - b;
            }
        }
    }
    for (size_t j = 0; j < t->n; j++) {
        x[j] = hb_correct(hb_correct(x[j], 2 * m), m);
    }
}

static void inverse(const hb_cpu_ntt *t, uint64_t *x, const uint64_t *last)
{
    const uint64_t m = t->modulus.value;
    /* The mirror image, except the last stage. */
    for (size_t groups = t->n / 2; groups >= 2; groups /= 2) {
        const size_t gap = t->n / 2 / groups;
        for (size_t g = 0; g < groups; g++) {
            const uint64_t w = t->iw[groups + g], quotient = t->iw[t->groups + groups + g];
            for (size_t j = 2 * gap * g; j < 2 * gap * g + gap; j++) {
                /* Both are below 2m; a product takes any word. */
                const uint64_t a = x[j], b = x[j + gap];
                x[j] = hb_correct(a + b, 2 * m);
                x[j + gap] = hb_mul_shoup_lazy(a + 2 * m - b, w, quotient, m);
            }
        }
    }
    /* The last stage multiplies sums and differences by 1/N as well. */
    for (size_t j = 0; j < t->n / 2; j++) {
        const uint64_t a = x[j], b = x[j + t->n / 2];
        x[j] = hb_mul_shoup(a + b, last[0], last[2], m);
        x[j + t->n / 2] = hb_mul_shoup(a + 2 * m - b, last[1], last[3], m);
    }
}

const hb_cpu_transform hb_cpu_ntt_small = {.planes = 2, .forward = forward, .inverse = inverse};
