/* Finds transparent results: a node is evaluated as a linear form of the graph's inputs, at a pseudo-random point mod
 * 2^61 - 1. Encrypted operands, and results of operations that round, are its variables; sums, constants and plaintexts
 * act on it as on the components of ciphertexts, exactly. It is 0 for the zero form, whose ciphertexts have nothing but
 * a component 0, and for others with a chance of 2^-61. */
#ifndef HB_LANG_IR_TRANSPARENCY_H
#define HB_LANG_IR_TRANSPARENCY_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/modarith.h"
#include "graph.h"

#define HB_FINGERPRINT_MODULUS (((uint64_t)1 << 61) - 1)

/* Returns x mod 2^61 - 1, x below 2^64 - 8. */
static inline uint64_t hb_fingerprint_fold(uint64_t x)
{
    const uint64_t once = (x >> 61) + (x & HB_FINGERPRINT_MODULUS);
    return once >= HB_FINGERPRINT_MODULUS ? once - HB_FINGERPRINT_MODULUS : once;
}

/* Returns a b mod 2^61 - 1, of canonical ones. */
static inline uint64_t hb_fingerprint_multiply(uint64_t a, uint64_t b)
{
    const hb_u128 product = (hb_u128)a * b;
    return hb_fingerprint_fold((uint64_t)(product >> 61) +
                               ((uint64_t)product & HB_FINGERPRINT_MODULUS)); /* below 2^62 */
}

/* A double as a word. */
typedef union hb_fingerprint_bits {
    double real;
    uint64_t word;
} hb_fingerprint_bits;

/* Returns an integer mod 2^61 - 1. */
static inline uint64_t hb_fingerprint_number(int64_t number)
{
    const uint64_t magnitude = hb_fingerprint_fold(number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    return number < 0 && magnitude != 0 ? HB_FINGERPRINT_MODULUS - magnitude : magnitude;
}

/* Returns, of a real number that is no integer, some number that is the same for the same one. */
static inline uint64_t hb_fingerprint_real(double number)
{
    const hb_fingerprint_bits bits = {.real = number};
    const bool integer = fabs(number) <= 0x1p53 && nearbyint(number) == number;
    return integer ? hb_fingerprint_number((int64_t)number) : hb_fingerprint_fold(bits.word >> 3) | 1;
}

#endif
