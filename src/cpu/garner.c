/* Mixed-radix digits, and the largest centred value, which is found by comparing digits (ring/garner.h). */
#include <string.h>

#include "cpu_private.h"
#include "ring/garner_arith.h"

/* Makes digit i of all coefficients: (a_i - sum over k < i of radix_ik digit_k) inverse_i is one sum of products, of
 * the digits below it, which are integers below their own moduli, and of a_i. */
static void make_digit(hb_engine *e, hb_batch r, hb_batch a, size_t c, uint32_t i, const hb_garner *constants)
{
    const hb_modulus *m = hb_cpu_modulus(e, r, i);
    const uint64_t *radix = constants->radix + (size_t)i * r.limbs, inverse = constants->inverse[i];
    hb_cpu_terms terms = {.count = i + 1};
    for (uint32_t k = 0; k < i; k++) {
        terms.a[k] = hb_cpu_row(e, r, c, k);
        /* The inverse goes into the weights, and the sign with it, so that one sum makes the digit. */
        terms.weights[k] = hb_mod_negate(hb_mod_mul(radix[k], inverse, m), m);
    }
    terms.a[i] = hb_cpu_row(e, a, c, i);
    terms.weights[i] = inverse;
    /* Narrow if all moduli up to this one are. */
    hb_cpu_sum(hb_cpu_row(e, r, c, i), &terms, hb_cpu_words(e, r), m, hb_cpu_all_f64(e->ring, r.ids, i + 1));
}

/* r may be a: digit i needs limb i of a, and of r only the limbs below it. */
static hb_status garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants)
{
    for (size_t c = 0; c < r.count; c++) {
        memmove(hb_cpu_row(e, r, c, 0), hb_cpu_row(e, a, c, 0), hb_cpu_words(e, r) * sizeof *r.data);
        for (uint32_t i = 1; i < r.limbs; i++) {
            make_digit(e, r, a, c, i, constants);
        }
    }
    return HB_OK;
}

/* One step of the comparison with half (hb_garner_compare), from the lowest digit up. */
HB_CLONES static void compare_row(uint64_t *negative, const uint64_t *digit, size_t n, uint64_t half)
{
    for (size_t j = 0; j < n; j++) {
        negative[j] = hb_garner_compare(negative[j], digit[j], half);
    }
}

/* Writes digit l of y, which is x or Q - 1 - x, and returns its largest value among the coefficients still running.
 * Digits are below 2^61, so signed comparisons do, which vectorise. */
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

/* Lets only those coefficients run on whose digit is the maximum. */
HB_CLONES static void drop_smaller(uint64_t *running, const uint64_t *y, size_t n, uint64_t maximum)
{
    for (size_t j = 0; j < n; j++) {
        running[j] &= 0 - (uint64_t)(y[j] == maximum);
    }
}

/* Computes the digits of the largest |x| of polynomial c. All loops run over whole rows for all digits: the time tells
 * nothing about the noise. Words of `running` are all ones for the coefficients that have the largest y so far. */
static void widest_of(hb_engine *e, uint64_t *largest, hb_batch a, size_t c, const hb_garner *constants)
{
    const size_t n = hb_cpu_words(e, a);
    uint64_t *const *scratch = hb_cpu(e)->scratch, *negative = scratch[0], *running = scratch[1], *y = scratch[2];
    /* All coefficients run at first, and all count as negative until a digit says otherwise. */
    memset(negative, 0xff, n * sizeof *negative);
    memset(running, 0xff, n * sizeof *running);
    for (uint32_t l = 0; l < a.limbs; l++) {
        compare_row(negative, hb_cpu_row(e, a, c, l), n, constants->half[l]);
    }
    /* From the highest digit down: only coefficients with the largest digit so far run on. */
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

static hb_status infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    for (size_t c = 0; c < a.count; c++) {
        widest_of(e, digits + c * a.limbs, a, c, constants);
    }
    return HB_OK;
}

const hb_garner_ops hb_cpu_garner_ops = {
    .garner_digits = garner_digits,
    .infinity_norm = infinity_norm,
};
