#include "fetched.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "base/seed.h"

/* Room for polynomials of degree up to 2 HB_MOST_FETCHED. */
enum { MOST = 2 * HB_MOST_FETCHED + 2 };

/* A polynomial: coefficients from the constant one on; the leading one is not 0. No coefficients: 0. */
typedef struct poly {
    uint64_t c[MOST];
    size_t count;
} poly;

static uint64_t power(uint64_t x, uint64_t exponent, const hb_modulus *t)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1) {
        result = (exponent & 1) != 0 ? hb_mod_mul(result, x, t) : result;
        x = hb_mod_mul(x, x, t);
    }
    return result;
}

static uint64_t inverse(uint64_t x, const hb_modulus *t)
{
    return power(x, t->value - 2, t);
}

static void trim(poly *x)
{
    while (x->count > 0 && x->c[x->count - 1] == 0) {
        x->count--;
    }
}

/* Makes x the remainder of x by y, and *quotient, if it is not NULL, the quotient; y is not 0. */
static void divide(poly *x, const poly *y, poly *quotient, const hb_modulus *t)
{
    const uint64_t lead = inverse(y->c[y->count - 1], t);
    if (quotient != NULL) {
        memset(quotient, 0, sizeof *quotient);
        quotient->count = x->count >= y->count ? x->count - y->count + 1 : 0;
    }
    while (x->count >= y->count) {
        const size_t shift = x->count - y->count;
        const uint64_t factor = hb_mod_mul(x->c[x->count - 1], lead, t);
        for (size_t i = 0; i < y->count; i++) {
            x->c[shift + i] = hb_mod_sub(x->c[shift + i], hb_mod_mul(factor, y->c[i], t), t);
        }
        if (quotient != NULL) {
            quotient->c[shift] = factor;
        }
        trim(x);
    }
}

/* Makes x the greatest common divisor of both, with leading coefficient 1; y is destroyed. */
static void common(poly *x, poly *y, const hb_modulus *t)
{
    poly *a = x, *b = y;
    while (b->count > 0) {
        divide(a, b, NULL, t);
        poly *kept = a;
        a = b;
        b = kept;
    }
    if (a != x) {
        *x = *a;
    }
    const uint64_t lead = x->count > 0 ? inverse(x->c[x->count - 1], t) : 0;
    for (size_t i = 0; i < x->count; i++) {
        x->c[i] = hb_mod_mul(x->c[i], lead, t);
    }
}

/* Makes x its product with y mod f; both have lower degrees than f. */
static void multiply(poly *x, const poly *y, const poly *f, const hb_modulus *t)
{
    poly product = {.count = x->count + y->count};
    for (size_t i = 0; i < x->count; i++) {
        for (size_t j = 0; j < y->count; j++) {
            product.c[i + j] = hb_mod_add(product.c[i + j], hb_mod_mul(x->c[i], y->c[j], t), t);
        }
    }
    trim(&product);
    divide(&product, f, NULL, t);
    *x = product;
}

/* Makes out (x + shift)^exponent mod f, of degree 1 or more. */
static void power_of(uint64_t shift, uint64_t exponent, const poly *f, poly *out, const hb_modulus *t)
{
    poly base = {.c = {shift, 1}, .count = 2};
    divide(&base, f, NULL, t);
    *out = (poly){.c = {1}, .count = 1};
    for (; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            multiply(out, &base, f, t);
        }
        const poly same = base;
        multiply(&base, &same, f, t);
    }
}

/* x less a constant, or x itself. */
static void subtract(poly *x, size_t place, const hb_modulus *t)
{
    while (x->count <= place) {
        x->c[x->count++] = 0;
    }
    x->c[place] = hb_mod_sub(x->c[place], 1, t);
    trim(x);
}

/* Polynomials that are still to be split, each a product of different x - root. */
typedef struct splitting {
    poly *stack; /* [HB_MOST_FETCHED + 1] */
    size_t height;
    uint64_t *roots;
    size_t count;
} splitting;

/* The roots r for which r + shift is a square, half of them, go one way, the others another. */
static void split(splitting *s, const hb_modulus *t)
{
    poly part, f;
    for (uint64_t shift = 0; s->height > 0; shift = hb_mod_add(shift, 1, t)) { /* some shift separates any two */
        f = s->stack[s->height - 1];
        if (f.count == 2) {
            s->roots[s->count++] = hb_mod_negate(f.c[0], t); /* of x - root */
            s->height--;
            continue;
        }
        power_of(shift, (t->value - 1) / 2, &f, &part, t);
        subtract(&part, 0, t);
        poly other = f;
        common(&part, &other, t);
        if (part.count > 1 && part.count < f.count) {
            divide(&f, &part, &other, t);
            s->stack[s->height - 1] = part;
            s->stack[s->height++] = other; /* both have a leading coefficient of 1 */
        }
    }
}

static int by_value(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Finds the different roots of f, whose leading coefficient is 1, and then how often each is one. */
static hb_status find_roots(const poly *f, uint64_t *roots, size_t *count, const hb_modulus *t)
{
    splitting s = {.stack = malloc((HB_MOST_FETCHED + 1) * sizeof(poly)), .roots = malloc(MOST * sizeof *s.roots)};
    hb_status st = s.stack && s.roots ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for rows that are fetched");
    *count = 0;
    if (st == HB_OK && f->count > 1) {
        poly all, rest = *f;
        power_of(0, t->value, f, &all, t);
        subtract(&all, 1, t); /* x^t - x has all residues as roots, once */
        common(&all, &rest, t);
        if (all.count > 1) {
            s.stack[s.height++] = all;
            split(&s, t);
        }
        rest = *f;
        for (size_t i = 0; i < s.count; i++) {
            const poly linear = {.c = {hb_mod_negate(s.roots[i], t), 1}, .count = 2};
            for (;;) {
                poly quotient, left = rest;
                divide(&left, &linear, &quotient, t);
                if (left.count > 0) {
                    break;
                }
                roots[(*count)++] = s.roots[i];
                rest = quotient;
            }
        }
        qsort(roots, *count, sizeof *roots, by_value);
    }
    free(s.stack);
    free(s.roots);
    return st;
}

hb_status hb_fetched_keys(const hb_modulus *t, const uint64_t *sums, size_t most, uint64_t *keys, size_t *count)
{
    uint64_t e[HB_MOST_FETCHED + 1] = {1}; /* elementary symmetric functions, with signs: of x^n first */
    poly f = {.count = 0};
    const size_t n = (size_t)sums[0];
    HB_ASSERT(most <= HB_MOST_FETCHED);
    if (sums[0] > most) {
        return HB_FAIL(HB_EDATA, "more than %zu row%s selected: fetch(.., N) with a larger N fetches more", most,
                       most == 1 ? " is" : "s are");
    }
    bool right = true;
    for (size_t i = 1; i <= most; i++) {
        uint64_t sum = 0; /* p_i + e_1 p_(i-1) + ... + e_(i-1) p_1 = -i e_i, and e_i = 0 above n */
        for (size_t j = 0; j < i; j++) {
            sum = hb_mod_add(sum, j <= n ? hb_mod_mul(e[j], sums[i - j], t) : 0, t);
        }
        if (i <= n) {
            e[i] = hb_mod_mul(hb_mod_negate(sum, t), inverse(i, t), t);
        } else {
            right = right && sum == 0;
        }
    }
    f.count = n + 1;
    for (size_t i = 0; i <= n; i++) {
        f.c[n - i] = e[i];
    }
    HB_TRY(find_roots(&f, keys, count, t));
    return right && *count == n ? HB_OK
                                : HB_FAIL(HB_EDATA, "the sums are those of no rows: some --range was not true, "
                                                    "or they are damaged");
}

hb_status hb_fetched_values(const hb_modulus *t, const uint64_t *keys, size_t count, const uint64_t *sums,
                            uint64_t *values)
{
    uint64_t all[HB_MOST_FETCHED + 1] = {1}; /* the product of x - key */
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j > 0; j--) {
            all[j] = hb_mod_sub(all[j - 1], hb_mod_mul(keys[i], all[j], t), t);
        }
        all[0] = hb_mod_negate(hb_mod_mul(keys[i], all[0], t), t);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t rest = 0, at = 0,
                 value = 0; /* divided by x - key, that quotient at the key, and with sums for powers */
        for (size_t j = count; j-- > 0;) {
            rest = hb_mod_add(all[j + 1], hb_mod_mul(rest, keys[i], t), t);
            at = hb_mod_add(hb_mod_mul(at, keys[i], t), rest, t);
            value = hb_mod_add(value, hb_mod_mul(rest, sums[j], t), t);
        }
        if (at == 0) {
            return HB_FAIL(HB_EDATA,
                           "two rows that are selected have the same first column, which is to tell them apart: "
                           "put a column without repeats first");
        }
        values[i] = hb_mod_mul(value, inverse(at, t), t);
    }
    return HB_OK;
}
