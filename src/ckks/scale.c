#include "scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/modarith.h"
#include "base/status.h"
#include "ring/real_arith.h"

enum { MANTISSA_BITS = 128, DOUBLE_BITS = 53 };

/* 256 bits, for products of mantissas. */
typedef struct wide {
    hb_u128 high, low;
} wide;

static hb_u128 mantissa(hb_exact_scale a)
{
    return (hb_u128)a.high << 64 | a.low;
}

/* m has its uppermost bit set. */
static hb_exact_scale scale_of(hb_u128 m, int32_t exponent)
{
    HB_ASSERT(m >> 127 == 1);
    return (hb_exact_scale){(uint64_t)(m >> 64), (uint64_t)m, exponent};
}

static wide multiply_wide(hb_u128 a, hb_u128 b)
{
    const uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a, b1 = (uint64_t)(b >> 64), b0 = (uint64_t)b;
    const hb_u128 low = (hb_u128)a0 * b0, left = (hb_u128)a1 * b0, right = (hb_u128)a0 * b1;
    const hb_u128 middle = (low >> 64) + (uint64_t)left + (uint64_t)right; /* below 3 * 2^64 */
    return (wide){(hb_u128)a1 * b1 + (left >> 64) + (right >> 64) + (middle >> 64), middle << 64 | (uint64_t)low};
}

static bool at_most(wide a, wide b)
{
    return a.high != b.high ? a.high < b.high : a.low <= b.low;
}

hb_exact_scale hb_exact_scale_power_of_two(int32_t bits)
{
    return scale_of((hb_u128)1 << 127, bits - 127);
}

hb_exact_scale hb_exact_scale_of(uint64_t number)
{
    HB_ASSERT(number > 0);
    const uint32_t up = MANTISSA_BITS - hb_bit_length(number);
    return scale_of((hb_u128)number << up, -(int32_t)up);
}

hb_exact_scale hb_exact_scale_of_double(double number)
{
    int exponent;
    const double mantissa = frexp(number, &exponent);
    HB_ASSERT(mantissa > 0 && mantissa < 1);
    hb_exact_scale a = hb_exact_scale_of((uint64_t)ldexp(mantissa, DOUBLE_BITS));
    a.exponent += exponent - DOUBLE_BITS;
    return a;
}

hb_exact_scale hb_exact_scale_multiply(hb_exact_scale a, hb_exact_scale b)
{
    /* The product of the mantissas is in [2^254, 2^256). */
    const wide product = multiply_wide(mantissa(a), mantissa(b));
    const int32_t exponent = a.exponent + b.exponent;
    return product.high >> 127 == 1 ? scale_of(product.high, exponent + 128)
                                    : scale_of(product.high << 1 | product.low >> 127, exponent + 127);
}

/* One step of long division by m: the next bit of the dividend goes to the remainder, below m, and the bit of the
 * quotient is returned. */
static bool divide_step(hb_u128 *remainder, bool next, hb_u128 m)
{
    const bool carry = *remainder >> 127 == 1;
    *remainder = *remainder << 1 | next;
    const bool bit = carry || *remainder >= m;
    *remainder -= bit ? m : 0; /* modulo 2^128, which makes good the carry */
    return bit;
}

hb_exact_scale hb_exact_scale_divide(hb_exact_scale a, hb_exact_scale b)
{
    /* For a quotient in (1/2, 2) the first bit is that of the units where a's mantissa is not the smaller one. */
    const hb_u128 m = mantissa(b);
    const bool units = mantissa(a) >= m;
    const int32_t fraction_bits = units ? 127 : 128;
    hb_u128 remainder = mantissa(a) - (units ? m : 0), quotient = units;
    for (int32_t i = 0; i < fraction_bits; i++) {
        quotient = quotient << 1 | divide_step(&remainder, false, m);
    }
    return scale_of(quotient, a.exponent - b.exponent - fraction_bits);
}

static wide subtract_wide(wide a, wide b)
{
    return (wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

/* One step of Newton's method towards the root of x, which is in [2^254, 2^256). The distance is a double: it has 52
 * more bits right than the root had. */
static hb_u128 step_to_root(hb_u128 root, wide x)
{
    const hb_u128 largest = ~(hb_u128)0;
    const wide square = multiply_wide(root, root);
    const bool below = at_most(square, x);
    const wide apart = below ? subtract_wide(x, square) : subtract_wide(square, x);
    const hb_u128 by = (hb_u128)((ldexp((double)apart.high, 128) + (double)apart.low) / (2 * (double)root));
    return below ? (by > largest - root ? largest : root + by) : root - by;
}

/* Returns the root of x in [2^254, 2^256), rounded down. It begins with the root of the upper 64 bits as a double;
 * after two steps it is off by a few units at most. */
static hb_u128 root_of(wide x)
{
    const hb_u128 largest = ~(hb_u128)0;
    const double first = ldexp(sqrt((double)(uint64_t)(x.high >> 64)), 96);
    hb_u128 root = first < 0x1p128 ? (hb_u128)first : largest;
    root = step_to_root(step_to_root(root, x), x);
    while (!at_most(multiply_wide(root, root), x)) {
        root--;
    }
    while (root < largest && at_most(multiply_wide(root + 1, root + 1), x)) {
        root++;
    }
    return root;
}

hb_exact_scale hb_exact_scale_sqrt_product(hb_exact_scale a, hb_exact_scale b)
{
    HB_ASSERT((b.low & 1) == 0);
    wide radicand = multiply_wide(mantissa(a), mantissa(b)); /* [2^254, 2^256) */
    int32_t exponent = a.exponent + b.exponent;
    if ((exponent & 1) != 0) {
        /* An even power of two, and the radicand is where it was; its lowest bit is 0, as that of b is. */
        const bool up = radicand.high >> 127 == 0;
        radicand = up ? (wide){radicand.high << 1 | radicand.low >> 127, radicand.low << 1}
                      : (wide){radicand.high >> 1, radicand.high << 127 | radicand.low >> 1};
        exponent += up ? -1 : 1;
    }
    return scale_of(root_of(radicand), exponent / 2);
}

double hb_exact_scale_double(hb_exact_scale a)
{
    enum { CUT = 64 - DOUBLE_BITS };
    const uint64_t kept = a.high >> CUT, rest = a.high & (((uint64_t)1 << CUT) - 1), half = (uint64_t)1 << (CUT - 1);
    const bool up = rest > half || (rest == half && (a.low != 0 || (kept & 1) == 1));
    return ldexp((double)(kept + up), a.exponent + 64 + CUT); /* 2^53 at most: exact */
}

/* The mantissa of 128 bits is an integer like a composed one. */
hb_dd hb_exact_scale_dd(hb_exact_scale a)
{
    const uint64_t words[HB_REAL_WORDS] = {a.low, a.high, 0};
    const hb_dd m = hb_dd_nearest(words);
    return (hb_dd){ldexp(m.high, a.exponent), ldexp(m.low, a.exponent)};
}

double hb_exact_scale_log2(hb_exact_scale a)
{
    return log2((double)a.high) + 64 + a.exponent;
}

/* r = r 2^up. */
static void shift_up(hb_natural *r, uint32_t up)
{
    for (; up >= 63; up -= 63) {
        hb_natural_mul_add(r, (uint64_t)1 << 63, 0);
    }
    hb_natural_mul_add(r, (uint64_t)1 << up, 0);
}

/* r = floor(r / 2^down) for down >= 1; returns the first bit that is left out; sets *rest where another one is 1. */
static bool shift_down(hb_natural *r, uint32_t down, bool *rest)
{
    bool first = false;
    for (uint32_t i = 0; i < down; i++) {
        *rest = *rest || first;
        first = hb_natural_div(r, 2) == 1;
    }
    return first;
}

/* r = floor(r / m); returns the remainder. */
static hb_u128 divide(hb_natural *r, hb_u128 m)
{
    hb_u128 remainder = 0;
    hb_natural quotient;
    hb_natural_set(&quotient, 0);
    for (uint32_t i = 64 * r->words; i-- > 0;) {
        const bool next = (r->word[i / 64] >> i % 64 & 1) == 1;
        hb_natural_mul_add(&quotient, 2, divide_step(&remainder, next, m));
    }
    *r = quotient;
    return remainder;
}

/* r = |value| m 2^*exponent: both are integers, and r has at most 181 bits. */
static void product(hb_natural *r, double value, hb_u128 m, int32_t *exponent)
{
    int e;
    const double fraction = frexp(fabs(value), &e); /* 0, or [1/2, 1) */
    const wide all = multiply_wide(m, (uint64_t)ldexp(fraction, DOUBLE_BITS));
    *exponent = e - DOUBLE_BITS;
    hb_natural_set(r, (uint64_t)all.high);
    shift_up(r, 64);
    hb_natural_mul_add(r, 1, (uint64_t)(all.low >> 64));
    shift_up(r, 64);
    hb_natural_mul_add(r, 1, (uint64_t)all.low);
}

bool hb_exact_scale_nearest(hb_natural *magnitude, bool *negative, double value, hb_exact_scale over,
                            hb_exact_scale under)
{
    if (!isfinite(value)) {
        return false;
    }
    hb_natural r;
    int32_t exponent;
    product(&r, value, mantissa(over), &exponent);
    exponent += over.exponent - under.exponent;
    /* The quotient is r 2^exponent / m, m the mantissa below the line, in [2^127, 2^128). */
    const int64_t bits = (int64_t)hb_natural_bits(&r) + exponent - (MANTISSA_BITS - 1);
    if (r.words > 0 && bits > HB_EXACT_SCALE_MOST_BITS) {
        return false;
    }
    if (r.words == 0 || bits < -1) { /* below a quarter */
        hb_natural_set(magnitude, 0);
        *negative = false;
        return true;
    }
    shift_up(&r, exponent > 0 ? (uint32_t)exponent : 0);
    const hb_u128 m = mantissa(under), remainder = divide(&r, m);
    /* The fraction below the units: `half` is whether it is a half or more, `rest` whether it exceeds 0, or that
     * half. */
    bool rest = exponent < 0 ? remainder != 0 : remainder > m - remainder;
    const bool half = exponent < 0 ? shift_down(&r, (uint32_t)-exponent, &rest) : remainder >= m - remainder;
    /* Half of the units goes up, also below 0: there the magnitude stays. */
    hb_natural_mul_add(&r, 1, half && (value > 0 || rest));
    *magnitude = r;
    *negative = value < 0 && r.words > 0;
    return true;
}

double hb_exact_scale_distance_from_one(hb_exact_scale a)
{
    const hb_u128 m = mantissa(a), one = (hb_u128)1 << 127;
    if (a.exponent == -127) {
        return ldexp((double)(m - one), -127);
    }
    return a.exponent == -128 ? ldexp((double)(0 - m), -128) : fabs(hb_exact_scale_double(a) - 1);
}

double hb_exact_scale_distance_from_integer(hb_exact_scale a)
{
    if (a.exponent >= 0) {
        return 0;
    }
    if (a.exponent <= -128) {
        const double small = hb_exact_scale_double(a);
        return fmin(small, 1 - small);
    }
    const uint32_t bits = (uint32_t)-a.exponent; /* 1 .. 127 */
    const hb_u128 one = (hb_u128)1 << bits, rest = mantissa(a) & (one - 1);
    return ldexp((double)(rest < one - rest ? rest : one - rest), a.exponent);
}

void hb_exact_scale_text(char text[HB_EXACT_SCALE_TEXT], hb_exact_scale a)
{
    snprintf(text, HB_EXACT_SCALE_TEXT, "0x%016" PRIx64 "%016" PRIx64 " * 2^%" PRId32, a.high, a.low, a.exponent);
}
