#include "bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points that go through the recurrence at once, for vectors. */
enum { BLOCK = 32 };

static void values_of_block(double *out, const double *c, uint32_t first, uint32_t last, uint32_t count,
                            const hb_angle *at)
{
    double x[BLOCK] = {0}, next[BLOCK] = {0}, here[BLOCK] = {0};
    for (uint32_t i = 0; i < count; i++) {
        x[i] = 2 * at[i].cosine;
    }
    for (uint32_t k = last; k >= 1; k--) {
        const double coefficient = k >= first ? c[k] : 0;
        for (uint32_t i = 0; i < BLOCK; i++) {
            const double before = x[i] * here[i] - next[i] + coefficient;
            next[i] = here[i];
            here[i] = before;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = x[i] / 2 * here[i] - next[i] + (first == 0 ? c[0] : 0);
    }
}

/* b_k = 2 x b_(k+1) - b_(k+2) + c_k is rounded as if c_k were off by at most 9 2^-53 max |b|, and |b| is at most
 * (last + 1) sum |c_k|; a value is the sum of last + 1 such c_k times |T_k| <= 1. */
void hb_chebyshev_values(double *out, const double *c, uint32_t first, uint32_t last, uint32_t count,
                         const hb_angle *at)
{
    for (uint32_t i = 0; i < count; i += BLOCK) {
        values_of_block(out + i, c, first, last, count - i < BLOCK ? count - i : BLOCK, at + i);
    }
}

/* A polynomial of degree n is at most 1 / cos(pi n / 2m) times its largest magnitude at the points cos(pi j / m), j
 * = 0 .. m > n (H. Ehlich, K. Zeller, Schwankung von Polynomen zwischen Gitterpunkten, 1964); with m = 16 n or more
 * that is below 1 + 1.25 (n / m)^2. Between such a point and the double in its place, 2^-51 away, it changes by less
 * than n^2 2^-51 of its maximum. */
hb_status hb_chebyshev_bound(double *bound, const double *c, uint32_t degree, uint32_t oversample)
{
    const uint32_t n = degree > 1 ? degree : 1, count = oversample * n;
    hb_angle *grid = malloc((count + 1) * sizeof *grid);
    double *value = malloc((count + 1) * sizeof *value);
    if (grid == NULL || value == NULL) {
        free(grid);
        free(value);
        return HB_FAIL(HB_ENOMEM, "no memory to bound a polynomial of degree %u", degree);
    }
    hb_angles(grid, count);
    hb_chebyshev_values(value, c, 0, degree, count + 1, grid);
    double largest = 0, sum = 0;
    for (uint32_t i = 0; i <= count; i++) {
        largest = fmax(largest, fabs(value[i]));
    }
    for (uint32_t k = 0; k <= degree; k++) {
        sum += fabs(c[k]);
    }
    const double rounding = (double)(degree + 1) * (double)(degree + 1) * 0x1p-49 * sum;
    const double between = 1.26 / ((double)oversample * oversample) + (double)n * n * 0x1p-50;
    *bound = fmin((largest + rounding) * (1 + between), sum * (1 + 0x1p-39));
    free(grid);
    free(value);
    return HB_OK;
}
