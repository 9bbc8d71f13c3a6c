#include "modulus.h"

#include <inttypes.h>

#include "bits.h"
#include "modarith.h"

hb_status hb_modulus_init(hb_modulus *m, uint64_t value)
{
    if (value < 2 || hb_bit_length(value) > HB_MODULUS_MAX_BITS) {
        return HB_FAIL(HB_ECONFIG, "modulus %" PRIu64 " is outside [2, 2^%d)", value, HB_MODULUS_MAX_BITS);
    }
    /* floor(2^128 / m) from floor((2^128 - 1) / m): they differ only when m divides 2^128. */
    hb_u128 all_ones = ~(hb_u128)0;
    hb_u128 ratio = all_ones / value + (all_ones % value == value - 1 ? 1 : 0);
    m->value = value;
    m->barrett_hi = (uint64_t)(ratio >> 64);
    m->barrett_lo = (uint64_t)ratio;
    m->f64_value = (double)value;
    m->f64_inverse = 1.0 / (double)value;
    m->bits = hb_bit_length(value);
    m->f64 = m->bits <= HB_F64_MAX_BITS;
    return HB_OK;
}

uint64_t hb_mod_pow(uint64_t base, uint64_t exponent, const hb_modulus *m)
{
    uint64_t power = 1; /* m >= 2 */
    uint64_t square = hb_mod_reduce(base, m);
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) {
            power = hb_mod_mul(power, square, m);
        }
        square = hb_mod_mul(square, square, m);
    }
    return power;
}

uint64_t hb_mod_inverse(uint64_t a, const hb_modulus *m)
{
    /* Extended Euclid; the coefficients stay within m in magnitude, m < 2^61. */
    int64_t c0 = 0, c1 = 1;
    uint64_t r0 = m->value, r1 = hb_mod_reduce(a, m);
    /* Invariant: r0 = c0 a and r1 = c1 a modulo m. */
    while (r1 != 0) {
        uint64_t q = r0 / r1;
        uint64_t r = r0 - q * r1;
        int64_t c = c0 - (int64_t)q * c1;
        r0 = r1;
        r1 = r;
        c0 = c1;
        c1 = c;
    }
    if (r0 != 1) {
        return 0;
    }
    return c0 < 0 ? m->value - (uint64_t)-c0 : (uint64_t)c0;
}
