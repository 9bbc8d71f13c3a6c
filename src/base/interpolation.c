#include "interpolation.h"

#include <stdlib.h>
#include <string.h>

#include "clones.h"
#include "modarith.h"

/* Products of shorter polynomials are taken term by term: so many products below 2^120 fit into 128 bits ... */
#define SHORT 64
/* ... and of residues of so many bits, below 2^58, into 64, which vectors add up. */
#define NARROW_BITS 29

bool hb_points_differ(hb_points points, size_t count, uint64_t t)
{
    return points == HB_POINTS_NUMBERS ? count <= t : count <= t / 2;
}

static uint64_t point(hb_points points, size_t i, const hb_modulus *p)
{
    const uint64_t half = (p->value + 1) / 2, at = points == HB_POINTS_HALF_SQUARES ? hb_mod_add(i, half, p) : i;
    return points == HB_POINTS_NUMBERS ? at : hb_mod_mul(at, at, p);
}

/* --- weights of the values: 1 / prod over j != i of (point i - point j) */

/* factorial: [2 count]. The signs, (-1)^(count - 1 - i), are left out. */
static uint64_t denominator(hb_points points, const uint64_t *factorial, size_t i, size_t count, const hb_modulus *p)
{
    const uint64_t above = factorial[count - 1 - i];
    switch (points) {
    case HB_POINTS_NUMBERS:
        return hb_mod_mul(factorial[i], above, p);
    case HB_POINTS_SQUARES: { /* (i - j)(i + j); the sum is 2 i once, and 0 never */
        const uint64_t both = hb_mod_mul(above, factorial[count - 1 + i], p);
        return i == 0 ? both : hb_mod_mul(both, (p->value + 1) / 2, p);
    }
    default: /* (i - j)(i + j + 1), over 2 i + 1: that is the caller's */
        return hb_mod_mul(above, factorial[count + i], p);
    }
}

/* Stores values[i] times the weights, by one inversion for all. scratch: [3 count]. */
static void weigh(const hb_modulus *p, hb_points points, const uint64_t *values, size_t count, uint64_t *weighted,
                  uint64_t *scratch)
{
    uint64_t *factorial = scratch, *below = scratch + 2 * count;
    factorial[0] = 1;
    for (size_t i = 1; i < 2 * count; i++) {
        factorial[i] = hb_mod_mul(factorial[i - 1], i % p->value, p); /* 0 from the prime on, where none is used */
    }
    uint64_t product = 1;
    for (size_t i = 0; i < count; i++) {
        below[i] = product;
        product = hb_mod_mul(product, denominator(points, factorial, i, count, p), p);
    }
    uint64_t inverse = hb_mod_inverse(product, p);
    for (size_t i = count; i-- > 0;) {
        uint64_t weight = hb_mod_mul(inverse, below[i], p);
        inverse = hb_mod_mul(inverse, denominator(points, factorial, i, count, p), p);
        weight = points == HB_POINTS_HALF_SQUARES ? hb_mod_mul(weight, 2 * i + 1, p) : weight;
        weight = (count - 1 - i) % 2 == 1 ? hb_mod_negate(weight, p) : weight;
        weighted[i] = hb_mod_mul(values[i], weight, p);
    }
}

/* --- products */

HB_CLONES static void multiply_narrow(const hb_modulus *p, const uint64_t *a, const uint64_t *b, size_t n,
                                      uint64_t *out)
{
    uint64_t sum[2 * SHORT] = {0};
    uint32_t factor[SHORT] = {0};
    for (size_t i = 0; i < n; i++) {
        factor[i] = (uint32_t)b[i];
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t by = (uint32_t)a[i];
        for (size_t j = 0; j < SHORT; j++) { /* of a length that compilers know */
            sum[i + j] += (uint64_t)by * factor[j];
        }
    }
    for (size_t k = 0; k < 2 * n - 1; k++) {
        out[k] = hb_mod_reduce(sum[k], p);
    }
}

static void multiply_short(const hb_modulus *p, const uint64_t *a, const uint64_t *b, size_t n, uint64_t *out)
{
    if (p->bits <= NARROW_BITS && n >= SHORT / 4) {
        multiply_narrow(p, a, b, n, out);
        return;
    }
    for (size_t k = 0; k < 2 * n - 1; k++) {
        const size_t from = k < n ? 0 : k - n + 1, to = k < n ? k : n - 1;
        hb_u128 sum = 0;
        for (size_t i = from; i <= to; i++) {
            sum += (hb_u128)a[i] * b[k - i];
        }
        out[k] = hb_mod_reduce_wide(sum, p);
    }
}

/* out [2 n - 1] = a b, of n coefficients each. scratch: [6 n + 6 SHORT]. */
static void multiply(const hb_modulus *p, const uint64_t *a, const uint64_t *b, size_t n, uint64_t *out,
                     uint64_t *scratch)
{
    if (n <= SHORT) {
        multiply_short(p, a, b, n, out);
        return;
    }
    const size_t low = n - n / 2, high = n / 2;
    uint64_t *x = scratch, *y = x + low, *middle = y + low, *rest = middle + 2 * low;
    for (size_t i = 0; i < low; i++) {
        x[i] = i < high ? hb_mod_add(a[i], a[low + i], p) : a[i];
        y[i] = i < high ? hb_mod_add(b[i], b[low + i], p) : b[i];
    }
    multiply(p, x, y, low, middle, rest);
    multiply(p, a, b, low, out, rest);
    out[2 * low - 1] = 0;
    multiply(p, a + low, b + low, high, out + 2 * low, rest);
    for (size_t i = 0; i < 2 * low - 1; i++) {
        middle[i] = hb_mod_sub(middle[i], out[i], p);
        middle[i] = i < 2 * high - 1 ? hb_mod_sub(middle[i], out[2 * low + i], p) : middle[i];
    }
    for (size_t i = 0; i < 2 * low - 1; i++) {
        out[low + i] = hb_mod_add(out[low + i], middle[i], p);
    }
}

/* --- the tree */

typedef struct tree {
    const hb_modulus *p;
    hb_points points;
    const uint64_t *weighted;
} tree;

/* A branch holds two polynomials of the points from .. from + count - 1, both [count]: the product of x - point without
 * its highest power, and the sum of weighted[i] times the products of all others. scratch: [room(count)]. */
static size_t room(size_t count)
{
    return 16 * count + 64 * SHORT;
}

static void branch(const tree *t, size_t from, size_t count, uint64_t *product, uint64_t *sum, uint64_t *scratch)
{
    const hb_modulus *p = t->p;
    if (count == 1) {
        product[0] = hb_mod_negate(point(t->points, from, p), p);
        sum[0] = t->weighted[from];
        return;
    }
    /* The right half is as long as the left one, or ends in a 0: lengths of products are the same. */
    const size_t n = count - count / 2, m = count / 2;
    uint64_t *left = scratch, *left_sum = left + n, *right = left_sum + n, *right_sum = right + n;
    uint64_t *made = right_sum + n, *rest = made + 2 * n;
    branch(t, from, n, left, left_sum, rest);
    branch(t, from + n, m, right, right_sum, rest);
    right[n - 1] = m < n ? 0 : right[n - 1];
    right_sum[n - 1] = m < n ? 0 : right_sum[n - 1];
    made[2 * n - 1] = 0;
    /* (x^n + left)(x^m + right) - x^(n + m) */
    multiply(p, left, right, n, made, rest);
    memcpy(product, made, count * sizeof *product); /* coefficients beyond are 0 */
    for (size_t i = 0; i < n; i++) {
        product[m + i] = hb_mod_add(product[m + i], left[i], p);
    }
    for (size_t i = 0; i < m; i++) {
        product[n + i] = hb_mod_add(product[n + i], right[i], p);
    }
    /* left_sum (x^m + right) + right_sum (x^n + left) */
    multiply(p, left_sum, right, n, made, rest);
    memcpy(sum, made, count * sizeof *sum);
    multiply(p, right_sum, left, n, made, rest);
    for (size_t i = 0; i < count; i++) {
        sum[i] = hb_mod_add(sum[i], made[i], p);
    }
    for (size_t i = 0; i < n; i++) {
        sum[m + i] = hb_mod_add(sum[m + i], left_sum[i], p);
    }
    for (size_t i = 0; i < m; i++) {
        sum[n + i] = hb_mod_add(sum[n + i], right_sum[i], p);
    }
}

hb_status hb_interpolate_mod(const hb_modulus *prime, hb_points points, const uint64_t *values, size_t count,
                             uint64_t *coefficients)
{
    HB_ASSERT(count > 0 && prime->bits <= 60 && hb_points_differ(points, count, prime->value));
    uint64_t *weighted = malloc((2 * count + room(count)) * sizeof *weighted);
    if (weighted == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial through %zu values", count);
    }
    uint64_t *product = weighted + count, *scratch = product + count;
    weigh(prime, points, values, count, weighted, scratch);
    const tree t = {prime, points, weighted};
    branch(&t, 0, count, product, coefficients, scratch);
    free(weighted);
    return HB_OK;
}
