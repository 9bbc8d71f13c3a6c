/* One coefficient of Garner's reconstruction (garner.h), on either engine: a mixed-radix digit, and comparing numbers
 * by their digits without a branch on them. Loops use local copies of moduli and constants: the compiler must assume
 * that a loop's stores change the originals. */
#ifndef HB_RING_GARNER_ARITH_H
#define HB_RING_GARNER_ARITH_H

#include "base/modarith.h"

/* Returns the digit (a - lower) inverse mod m, where `lower` is the number mod m that the lower digits make; all are
 * canonical. quotient is Shoup's of inverse. a + m - lower is in (0, 2m). */
HB_FN uint64_t hb_garner_digit(uint64_t a, uint64_t lower, uint64_t inverse, uint64_t quotient, uint64_t m)
{
    return hb_mul_shoup(a + m - lower, inverse, quotient, m);
}

/* Does one step of x >= half, from the first digit up to the last: a higher digit overrules the lower ones. negative is
 * all ones or zero, at first all ones, as equal to half is negative. Digits are below 2^61, so a difference is negative
 * exactly when its top bit is set. */
HB_FN uint64_t hb_garner_compare(uint64_t negative, uint64_t digit, uint64_t half)
{
    const uint64_t above = 0 - ((half - digit) >> 63), below = 0 - ((digit - half) >> 63);
    return above | (negative & ~below);
}

/* Returns the digit of y, which is x where x is not negative and Q - 1 - x where it is, so that |x| = y or y + 1. It
 * uses m - 1 - d = ~d + m. */
HB_FN uint64_t hb_garner_fold(uint64_t digit, uint64_t negative, uint64_t m)
{
    return (digit ^ negative) + (m & negative);
}

/* Returns digit + *carry modulo m, and sets *carry to the carry to the next digit. */
HB_FN uint64_t hb_garner_carry(uint64_t digit, uint64_t *carry, uint64_t m)
{
    digit += *carry;
    *carry = digit == m;
    return digit & (*carry - 1);
}

#endif
