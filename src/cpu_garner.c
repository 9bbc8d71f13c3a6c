/* Mixed-radix digits, and the largest centred value by comparing them (garner.h). */
#include <string.h>

#include "cpu_private.h"
#include "garner_arith.h"

/* digit may be a. */
HB_CLONES static void digit_row_f64(uint64_t *digit, const uint64_t *a, const uint64_t *lower, size_t n,
                                    uint64_t inverse_radix, const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        digit[j] = hb_garner_digit_f64(a[j], lower[j], inverse_radix, &m);
    }
}

static void digit_row_integer(uint64_t *digit, const uint64_t *a, const uint64_t *lower, size_t n,
                              uint64_t inverse_radix, const hb_modulus *modulus)
{
    const uint64_t m = modulus->value, quotient = hb_shoup_quotient(inverse_radix, m);
    for (size_t j = 0; j < n; j++) {
        digit[j] = hb_garner_digit(a[j], lower[j], inverse_radix, quotient, m);
    }
}

/* Digit i from the digits below it, which are integers below their own moduli; the sum of products takes them as they
 * are. */
hb_status hb_cpu_garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants)
{
    const size_t n = hb_cpu_words(e, r);
    uint64_t *lower = hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < r.count; c++) {
        memmove(hb_cpu_row(e, r, c, 0), hb_cpu_row(e, a, c, 0), n * sizeof *lower);
        hb_cpu_terms below = {.count = 0};
        for (uint32_t i = 1; i < r.limbs; i++) {
            const hb_modulus *m = hb_cpu_modulus(e, r, i);
            const bool f64 = hb_cpu_all_f64(e->ring, r.ids, i + 1);
            memcpy(below.weights, constants->radix + (size_t)i * r.limbs, i * sizeof *below.weights);
            below.a[below.count++] = hb_cpu_row(e, r, c, i - 1);
            hb_cpu_sum(lower, &below, n, m, f64);
            (m->f64 ? digit_row_f64 : digit_row_integer)(hb_cpu_row(e, r, c, i), hb_cpu_row(e, a, c, i), lower, n,
                                                         constants->inverse[i], m);
        }
    }
    return HB_OK;
}

HB_CLONES static void compare_row(uint64_t *negative, const uint64_t *digit, size_t n, uint64_t half)
{
    for (size_t j = 0; j < n; j++) {
        negative[j] = hb_garner_compare(negative[j], digit[j], half);
    }
}

HB_CLONES static int64_t fold_and_maximum(uint64_t *y, const uint64_t *digit, const uint64_t *negative,
                                          const uint64_t *running, size_t n, uint64_t m)
{
    int64_t maximum = 0;
    for (size_t j = 0; j < n; j++) {
        y[j] = hb_garner_fold(digit[j], negative[j], m);
        int64_t candidate = (int64_t)(y[j] & running[j]);
        maximum = candidate > maximum ? candidate : maximum;
    }
    return maximum;
}

HB_CLONES static void drop_smaller(uint64_t *running, const uint64_t *y, size_t n, uint64_t maximum)
{
    for (size_t j = 0; j < n; j++) {
        running[j] &= 0 - (uint64_t)(y[j] == maximum);
    }
}

/* All of this runs over whole rows whatever the digits are: its time tells nothing about the noise. Words `running` are
 * all ones for the coefficients that have the largest y so far. */
static void widest_of(hb_engine *e, uint64_t *largest, hb_batch a, size_t c, const hb_garner *constants)
{
    const size_t n = hb_cpu_words(e, a);
    uint64_t *const *scratch = hb_cpu(e)->scratch, *negative = scratch[0], *running = scratch[1], *y = scratch[2];
    memset(negative, 0xff, n * sizeof *negative);
    memset(running, 0xff, n * sizeof *running);
    for (uint32_t l = 0; l < a.limbs; l++) {
        compare_row(negative, hb_cpu_row(e, a, c, l), n, constants->half[l]);
    }
    for (uint32_t l = a.limbs; l-- > 0;) {
        largest[l] =
            (uint64_t)fold_and_maximum(y, hb_cpu_row(e, a, c, l), negative, running, n, hb_cpu_modulus(e, a, l)->value);
        drop_smaller(running, y, n, largest[l]);
    }
    uint64_t carry = 0; /* 1 if one of the largest is negative; then y < Q / 2, so that the sum fits */
    for (size_t j = 0; j < n; j++) {
        carry |= running[j] & negative[j] & 1;
    }
    for (uint32_t l = 0; l < a.limbs; l++) {
        largest[l] = hb_garner_carry(largest[l], &carry, hb_cpu_modulus(e, a, l)->value);
    }
}

hb_status hb_cpu_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    for (size_t c = 0; c < a.count; c++) {
        widest_of(e, digits + c * a.limbs, a, c, constants);
    }
    return HB_OK;
}
