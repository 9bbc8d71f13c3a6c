/* A row of numbers in one ciphertext, spread into a ciphertext for each: the expansion by automorphisms (S. Angel, H.
 * Chen, K. Laine, S. Setty, PIR with Compressed Queries and Amortized Query Processing, IEEE S&P 2018, figure 3).
 *
 * Number j of up to 2^k is coefficient j. The automorphism s_i keeps the even powers of X^(2^i), and turns the odd ones
 * into their negatives. So of a polynomial in X^(2^i)
 *     x + s_i(x)  and  X^(-2^i) (x - s_i(x))
 * are twice its even half and twice its odd half, both polynomials in X^(2^(i + 1)). After k of these steps, in which
 * one key switch makes two halves of each, number j stands alone, as the constant coefficient: a number in all slots,
 * 2^k times as large. The client divides by 2^k before it encrypts: modulo t, or as reals, in both exactly. The steps
 * take no level and no plaintext with an error. Halves that hold no wanted number are not made.
 *
 * s_i is the rotation by N / 2^(i + 2) slots: the keys are those of a sum over slots, the larger steps first. With the
 * generator 3, s_i of X^(N/4) is a rotation by 1 and the swap, two switches. That of X^(N/2) is the swap, or the
 * conjugation.
 *
 * Reals have N/2 numbers in a ciphertext, and the imaginary part of number j is coefficient N/2 + j: X^(N/2) is i, and
 * all steps keep it.
 *
 * Number j of a row that came from a smaller ring (ring_switch.h) is coefficient 2^first j. That is a polynomial in
 * X^(2^first), whose first step is number `first`. Other coefficients hold noise alone, which no step makes more than
 * twice as large.
 *
 * Masks and rotations never cost less: a number alone would take a product with a mask, a level, and a rotation for
 * every bit of the number of slots, log2(N) switches; here it takes k, and all of 2^k take 2^k - 1. */
#ifndef HB_SCHEME_SPREAD_H
#define HB_SCHEME_SPREAD_H

#include "evaluator.h"
#include "quality.h"
#include "ring/galois.h"

/* Returns how many numbers a ciphertext holds: hb_codec_capacity / 2^first, which is 1 or more. */
uint64_t hb_spread_capacity(const hb_params_spec *spec, uint32_t first);
/* Returns k of a row of so many numbers, 1 or more: the least with 2^k numbers in each ciphertext, or as many as it
 * holds. */
uint32_t hb_spread_steps(const hb_params_spec *spec, uint32_t first, uint64_t numbers);
/* Multiplies words, values of the scheme (scheme/codec.h), by 2^exponent, modulo t or as reals: negative, it divides.
 * Reals stay exact unless they come below the normal doubles. */
void hb_spread_scale(const hb_params_spec *spec, int exponent, uint64_t *values, size_t count);

/* Lists the elements of the automorphisms of step i, which are applied one after another. Returns how many: 1 or 2. */
#define HB_SPREAD_MOST_ELEMENTS 2
uint32_t hb_spread_elements(const hb_params_spec *spec, uint32_t i, uint32_t elements[HB_SPREAD_MOST_ELEMENTS]);

/* The steps of a row: first .. first + count. */
typedef struct hb_spread_way {
    uint32_t first, count;
} hb_spread_way;
/* Return the way as one number, as programs have it; and that back. */
static inline int64_t hb_spread_way_number(hb_spread_way way)
{
    return (int64_t)way.first << 8 | way.count;
}
static inline hb_spread_way hb_spread_way_of(int64_t number)
{
    return (hb_spread_way){(uint32_t)(number >> 8), (uint32_t)(number & 0xff)};
}

/* Numbers of a ciphertext of 2^way.count that are wanted: those in these places, each below 2^way.count and another. */
typedef struct hb_spread_places {
    hb_spread_way way;
    uint32_t count;
    const uint32_t *place; /* [count], host */
} hb_spread_places;
/* Sets *switches to the key switches that these take together. HB_ENOMEM. */
hb_status hb_spread_switches(const hb_params_spec *spec, const hb_spread_places *places, uint64_t *switches);
/* Returns the bound of every number that is spread from a ciphertext with this bound, with the values 2^way.count times
 * as large as there. */
hb_quality hb_quality_spread(const hb_params *params, uint32_t limbs, hb_spread_way way, hb_quality a);

typedef struct hb_spreader hb_spreader;

/* Opens a spreader for ciphertexts of `limbs` limbs, or fewer, and steps before step `steps`. Borrows engine and
 * parameters. Waits. HB_ENOMEM. Closing takes NULL. */
hb_status hb_spreader_open(hb_engine *engine, const hb_params *params, uint32_t limbs, uint32_t steps,
                           hb_spreader **out);
void hb_spreader_close(hb_spreader *spreader);
/* Returns the most bytes of the engine's memory that it takes. */
uint64_t hb_spreader_bytes(const hb_params *params, uint32_t limbs, uint32_t steps);
/* Computes to[i], [places->count], as the number in place i of a. `a` and each of `to` are one ciphertext of 2
 * components, all of one level, none over another. The evaluator switches keys. HB_EDATA naming a missing key: `to` is
 * undefined then. HB_ENOMEM of host memory. */
hb_status hb_spread(hb_spreader *spreader, hb_evaluator *ev, const hb_ciphertexts *to, const hb_spread_places *places,
                    hb_ciphertexts a, const hb_switch_keys *keys);

#endif
