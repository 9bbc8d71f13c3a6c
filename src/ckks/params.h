/* CKKS parameters: those of RLWE, and the scales of levels.
 *
 * A level owns one prime, or two where the scale is longer than one can be (hb_ckks_spec.level_primes). Level l, from
 * 0, has those of all levels up to its own, and a ciphertext at rest there has one scale, S_l. Scales belong to levels:
 * with Q_l the product of the primes that level l owns, S_0 = 2^scale_bits and S_l = sqrt(S_{l-1} Q_l). So a product of
 * two ciphertexts of a level, of scale S_l^2, divided by Q_l has exactly the scale of the level below, up to the cut to
 * 128 bits. Operands never have scales that match only nearly. (From the top down, as OpenFHE's FLEXIBLEAUTO has them,
 * deviations from 2^scale_bits double at each level; from the bottom up they stay those of one level.)
 *
 * Literals that are like Microsoft SEAL's (hb_ckks_spec.like_seal) compute as that does: one special prime, digits of
 * one prime that are not centred, slots in powers of 3. Their scales are doubles, as in SEAL's ciphertexts. The highest
 * level has 2^scale_bits. Each lower one has the scale of a rescaled product of two ciphertexts of the level above: the
 * double nearest to the square of that scale over the dropped prime. Primes may be far from the scale. The next scale
 * must be between 2^HB_CKKS_LEAST_TRACKED_BITS and 2^HB_CKKS_MOST_TRACKED_BITS, and 2^4 times it must fit the primes of
 * its level. Otherwise no product goes down to that level (hb_ckks_products_go_down), and it has 2^scale_bits again, or
 * as much of it as fits. Ciphertexts with another scale, which come from SEAL's files, state it
 * (hb_ckks_spec.stated_scale): scales of levels below follow from that one, and levels above have scales from which it
 * could come. */
#ifndef HB_CKKS_PARAMS_H
#define HB_CKKS_PARAMS_H

#include "rlwe/params.h"
#include "scale.h"

/* CKKS in SEAL's files and in parms_id (its scheme_type). */
#define HB_CKKS_SCHEME_TYPE 2

/* Primes of our own family are below this: the FP64 path takes them. */
#define HB_CKKS_PRIME_BITS 50
/* The range of scale_bits for levels with one prime and with two. Literals of our own family drop primes near the
 * scale, or near its root, together with others, which must be above 2^32 (ring/mod_down.h). Between 2^48, twice which
 * is as long as q_0 can be, and 2^64 our own family has no scales. */
#define HB_CKKS_LEAST_SCALE_BITS 20
#define HB_CKKS_MOST_SCALE_BITS 59
#define HB_CKKS_LEAST_WIDE_SCALE_BITS 64
#define HB_CKKS_MOST_WIDE_SCALE_BITS 95
#define HB_CKKS_MOST_LEVEL_PRIMES 2
/* Between which powers of two scales of levels like SEAL's are tracked: below, nothing is left of values, and above,
 * plaintexts have no room for any. */
#define HB_CKKS_LEAST_TRACKED_BITS 10
#define HB_CKKS_MOST_TRACKED_BITS 61

/* CKKS parameters; const after hb_ckks_params_open. Callers see hb_params, its first member. */
typedef struct hb_ckks_params {
    /* Its common modulus is a prime of 61 bits = 1 mod 2N. There are no auxiliary primes. */
    hb_params rlwe;
    uint16_t check_id;                   /* a modulus for tests of the engines' operations on plaintexts of other
                                          * schemes */
    hb_exact_scale scales[HB_MAX_LIMBS]; /* [levels] of ciphertexts at rest: S_0, S_1, ... */
} hb_ckks_params;

/* Returns the whole of parameters that hb_ckks_params_open made. */
static inline const hb_ckks_params *hb_ckks_of(const hb_params *params)
{
    HB_ASSERT(params->spec.scheme == HB_CKKS);
    return (const hb_ckks_params *)params; /* a struct begins where its first member does */
}

/* Returns how many levels users have: scales, and values to encode, exist for these. For a chain that is too short for
 * its bootstrapping, which is refused, 1. */
uint32_t hb_ckks_levels(const hb_params_spec *spec);
/* Checks of a literal, whose primes are there, that digits need not end early (hb_digit_list_of): HB_ECONFIG unless
 * the special primes, if there are several, are longer than every digit of hb_spec_digit_limbs primes, so that key
 * switching adds no more noise than rounding does. */
hb_status hb_ckks_check_digits(const hb_params_spec *spec);

/* Sets scales[l], from the lowest level up, and returns how many levels users have. Its primes are in range
 * (hb_ckks_params_open), and level_primes is 2 at most; there is no other condition. */
uint32_t hb_ckks_scales(hb_exact_scale scales[HB_MAX_LIMBS], const hb_params_spec *spec);
/* Returns the scale of ciphertexts at rest with `limbs` limbs, those of a level. */
hb_exact_scale hb_ckks_scale(const hb_params *params, uint32_t limbs);
/* Returns whether the product of two ciphertexts at rest with `limbs` limbs has, rescaled, the scale of the level
 * below; false at the lowest level. Like SEAL's it may not, where the scale is far from primes. */
bool hb_ckks_products_go_down(const hb_params_spec *spec, uint32_t limbs);
/* Returns the exact product of the primes that the level of `limbs` limbs owns, by which products there are divided. */
hb_exact_scale hb_ckks_divisor(const hb_params_spec *spec, uint32_t limbs);
/* Returns whether scales are longer than doubles hold: values are then encoded in double-doubles
 * (base/double_double.h). */
bool hb_ckks_is_wide(const hb_params_spec *spec);
/* Returns the generator of rotations of slots (ring/galois.h): 5, for literals like SEAL's 3. */
uint32_t hb_ckks_generator(const hb_params_spec *spec);

/* Returns whether two literals have the same ring, chain, scales, distribution of secret keys and way of switching
 * keys; the level of security is not compared, as keys and ciphertexts do not depend on it. */
bool hb_ckks_params_same(const hb_params_spec *a, const hb_params_spec *b);

/* Checks a literal, first by the rules of all schemes (semantics.md 8.1), then by those of CKKS (semantics.md 9.1), and
 * builds the tables. Each refusal is HB_ECONFIG and names the rule, the value and the nearest legal choice; HB_ENOMEM
 * otherwise. hb_ckks_params_close frees them; NULL is allowed. */
hb_status hb_ckks_params_open(const hb_params_spec *spec, hb_params **out);
void hb_ckks_params_close(hb_params *params);

/* Makes the reals of a chain of integers that bootstraps: parameters over the same ring and chain, whose limbs are
 * divided alike, in which bootstrapping reads the noise of integers. Levels of users have no scale but that of the
 * noise. Their tables are made anew; nothing is borrowed. HB_ENOMEM; HB_ECONFIG where the chain does not bootstrap. */
hb_status hb_ckks_params_of_integers(const hb_params *integers, hb_params **out);

/* Computes BLAKE2b-256 over the little-endian words [2 = CKKS, N, q_0 .. q_{K-1}, 0, scale_bits, like_seal, special
 * primes, primes of a digit], behind them the primes of a level where these are more than one, and behind those [form
 * of EvalMod, levels of SlotsToCoeffs, of CoeffsToSlots, weight of the sparse secret] of a chain with bootstrapping. */
void hb_ckks_params_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec);
/* Computes the same over the words up to the 0: SEAL's parms_id of the key level, which knows no scale. */
void hb_ckks_parms_id(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec);

#endif
