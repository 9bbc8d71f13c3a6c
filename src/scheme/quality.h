/* Bounds of the error of ciphertexts in any scheme, operation by operation, before anything is computed
 * (rlwe/quality.h). Pure functions. Operands are at the level of `limbs` limbs where one is asked for, and results too,
 * except for functions that leave that level: hb_quality_mod_switch, hb_quality_relinearize_rescale, hb_quality_adjust,
 * hb_quality_extend. Where a scheme has scales, bounds are of errors times the scale at hand: that of the level, of
 * products, until they are rescaled, its square. */
#ifndef HB_SCHEME_QUALITY_H
#define HB_SCHEME_QUALITY_H

#include "rlwe/bootstrap.h"
#include "rlwe/params.h"
#include "rlwe/polynomial.h"
#include "rlwe/quality.h"

/* Returns the bound of a fresh ciphertext, of any level, made with the public key or the secret one, of values that
 * were encoded with no error but the rounding of coefficients (hb_quality_transformed). */
hb_quality hb_quality_fresh(const hb_params *params, bool public_key, hb_distribution errors);
/* Returns the bound of a + b or a - b. */
hb_quality hb_quality_add(const hb_params *params, hb_quality a, hb_quality b);
/* Returns the bound of the sum of `terms` ciphertexts with the bound of a. */
hb_quality hb_quality_sum(const hb_params *params, hb_quality a, double terms);
/* Returns the bound of a plus or minus a plaintext, again but for the transform that encoded it. */
hb_quality hb_quality_add_plain(const hb_params *params, hb_quality a);
/* Returns the bound of a plus or minus the same number in every slot. */
hb_quality hb_quality_add_number(const hb_params *params, hb_quality a);
/* Return the bound after values of that size, a's or a plaintext's, went through the transform between slots and
 * coefficients, at encoding or decoding, with its rounding of doubles. Exact schemes add nothing. */
hb_quality hb_quality_transformed(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values);
hb_quality hb_quality_decoded(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values);
/* Returns the bound of a times an integer of that magnitude, or of as many times a added up: at the scale of a. */
hb_quality hb_quality_multiply_integer(const hb_params *params, hb_quality a, double magnitude);

/* A factor of a product: its bounds, its components, 2 or more, its values, and whether it is `related` to the other
 * factor: one is a factor of the other, or they have a factor in common, as x y and x z. Where values count, errors of
 * related factors add up and are large where the values are, so the expected bound is higher. */
typedef struct hb_quality_factor {
    hb_quality quality;
    uint32_t size;
    hb_magnitude values;
    bool related;
} hb_quality_factor;
/* Returns the bound of a times a number, as hb_evaluator_multiply_number computes it. */
hb_quality hb_quality_multiply_number(const hb_params *params, uint32_t limbs, hb_quality_factor a, double number);
/* Returns the bound of a times a plaintext that holds `factor`, of values of that size. It has the error of the
 * encoding. */
hb_quality hb_quality_multiply_plain(const hb_params *params, uint32_t limbs, hb_quality_factor a,
                                     hb_plain_factor factor, hb_magnitude plain);
/* Return the bound of the product a b, or a a, not relinearized. */
hb_quality hb_quality_multiply(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_quality_factor b);
hb_quality hb_quality_square(const hb_params *params, uint32_t limbs, hb_quality_factor a);
/* Returns the bound of a for a product whose other factor, a ciphertext or a plaintext, is in a's error `times` times
 * already: once where x^2 is multiplied by x, as the error of x^2 is that of x times x; twice where x^3 is. Powers of
 * one polynomial are larger than products of as many different ones, so the expected bound rises with `times`. */
hb_quality hb_quality_again(const hb_params *params, hb_quality a, uint32_t times);
/* Returns the bound after relinearization, an automorphism or a change of keys (hb_evaluator_change_key): between two
 * secrets of one person as HB_SWITCH_GALOIS. */
hb_quality hb_quality_switch(const hb_params *params, uint32_t limbs, hb_quality a, hb_switch_use use);
/* Returns the bound after every slot has become the sum of all. */
hb_quality hb_quality_sum_slots(const hb_params *params, uint32_t limbs, hb_quality a);
/* Returns the bound of one coefficient of merged sums of slots (merge.h), from that of such a sum, made one by one, in
 * every slot, of any limbs. */
hb_quality hb_quality_merged(const hb_params *params, hb_quality a);
/* Returns the bound after hb_evaluator_sum_window. */
hb_quality hb_quality_sum_window(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t terms);
/* Returns the bound after the modulus switch from the level of `limbs` limbs, not the lowest, to the next; a has `size`
 * components. */
hb_quality hb_quality_mod_switch(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t size);
/* Returns the bound after relinearization and such a modulus switch, in one. */
hb_quality hb_quality_relinearize_rescale(const hb_params *params, uint32_t limbs, hb_quality a);
/* Returns the bound of a, of `limbs` limbs, after hb_evaluator_adjust to `to` of them, a level's. */
hb_quality hb_quality_adjust(const hb_params *params, uint32_t limbs, hb_quality_factor a, uint32_t to);

/* Returns the bound of a, of `limbs` limbs, after hb_evaluator_extend to `to` of them: as much of the modulus
 * as before. */
hb_quality hb_quality_extend(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t to);

/* Finds the bound of the polynomial of a, of `limbs` limbs with values in [-1, 1], as hb_evaluator_polynomial computes
 * it, at the level of results; error: the distance of the polynomial's values from the intended function, which is
 * added to the bound. Errors are those of hb_polynomial_open. */
hb_status hb_quality_polynomial(const hb_params *params, uint32_t limbs, hb_quality_factor a,
                                const hb_chebyshev *polynomial, double error, hb_quality *out);

/* Finds the bound of a after bootstrapping (scheme/bootstrap.h), at the level of results. a is at rest at the level of
 * operands, with values within 2^range_bits as hb_bootstrap_apply takes them; for a pair, it is the worse of both;
 * twice: errors are bootstrapped themselves (hb_bootstrap_spec). HB_ECONFIG where the scheme or the parameters have no
 * bootstrapping; HB_EDATA where the values do not fit the range, or the range the kind; HB_ENOMEM. */
hb_status hb_quality_bootstrap(const hb_params *params, hb_bootstrap_kind kind, uint32_t range_bits, bool twice,
                               hb_quality_factor a, hb_quality *out);

/* Finds the range of noise that one pass of bootstrapping integers (HB_BOOTSTRAP_NOISE) may bring down, as its k: 2^-k
 * of what the chain reads at a time. a is at the users' highest level, its bound of that certainty holds. *k is the
 * largest for which the noise fits, and no larger than leaves the pass exact: closer to a fresh ciphertext nothing is
 * gained. HB_EDATA where a has too little left to be read; HB_ECONFIG where the chain has no bootstrapping of integers,
 * or t is too long for it. */
hb_status hb_quality_refresh_bits(const hb_params *params, hb_certainty certainty, hb_quality a, uint32_t *k);
/* Finds the bound of a after one pass with that k. out->worst holds with that certainty, or what is left of that of a.
 * HB_EDATA where a does not fit this k, or k is too large for the chain; HB_ECONFIG as above; HB_ENOMEM of
 * HB_CERTAINTY_PROVEN, which opens parameters of the reals. */
hb_status hb_quality_refresh(const hb_params *params, hb_certainty certainty, uint32_t k, hb_quality a,
                             hb_quality *out);
/* Sets *bits to the bits of integers in coefficients, all that t holds, that a table takes while they are bootstrapped
 * (HB_BOOTSTRAP_TABLE). HB_ECONFIG where the scheme, the chain or t has no tables. */
hb_status hb_quality_table_bits(const hb_params *params, uint32_t *bits);
/* Finds the bound of the noise behind any table, of a at the users' highest level. HB_EDATA where results might be
 * wrong; HB_ECONFIG as above, and where nothing is proven but a proof is wanted. */
hb_status hb_quality_table(const hb_params *params, hb_certainty certainty, hb_quality a, hb_quality *out);
/* Returns log2 of the probability that one of so many passes, each over one ciphertext that nobody made for it, loses
 * it, as an integer is larger than the form of the chain holds: -infinity where that is impossible, and for no pass.
 * The chain bootstraps. */
double hb_quality_refresh_failure(const hb_params *params, double passes);
/* The largest such number with which a job is computed: its owner would not hear of a lost ciphertext. */
enum { HB_QUALITY_MOST_FAILURE = -60 };

/* Returns log2 of the largest values that a ciphertext of that level holds beside such an error, at the scale of the
 * level, without wrapping around. infinity: the error does not matter; -infinity: no room for any value. */
double hb_quality_room(const hb_params *params, uint32_t limbs, hb_quality a);
/* Returns the bits that are left under the bound log2_error; negative: as many too few. A ciphertext with 1 or more
 * under `worst` decrypts rightly; with 0 it may decrypt wrongly. In BFV this is the noise budget, a whole number; in
 * CKKS it is bits of absolute precision, any number: slots are right to 2^-bits. */
double hb_quality_bits(const hb_params *params, uint32_t limbs, double log2_error);
/* Estimates the errors of the filled slots of one decoded ciphertext from these slots, and adds the estimate. Other
 * slots have no bound, for example slots where a comparison had no row to compare. values: host, as many words as
 * hb_values_words says. Returns false, and adds nothing, where values are exact and tell nothing, as in BFV: the
 * quality of its ciphertexts is measured by hb_decryptor_measure (cipher.h). */
bool hb_quality_of_values(const hb_params_spec *spec, const uint64_t *values, hb_filled_slots filled,
                          hb_precision *precision);
/* Return the name of these bits: "noise budget" for people, "noise_budget_bits" in reports. */
const char *hb_quality_name(hb_scheme scheme);
const char *hb_quality_word(hb_scheme scheme);

/* Returns the bits that one ciphertext in many may have less than expected: a user of the expected bound keeps this
 * margin. */
double hb_quality_margin(const hb_params *params);
/* Returns the bound of the error, as log2, that a user of the expected bound may trust: with the margin for its drawn
 * part, without one for its systematic part, and never above the proven bound. */
double hb_quality_likely(const hb_params *params, hb_quality quality);

/* Returns the bounds that are said of a result of so many limbs: where bounds are drawn, and nothing is left by what is
 * proven, the drawn bound stands in its place. */
hb_quality hb_quality_said(const hb_params *params, uint32_t limbs, hb_quality a, hb_certainty certainty);

/* Returns HB_ECONFIG, with a remedy, unless fresh ciphertexts made with that key have proven bits left: a ciphertext
 * that may decrypt wrongly is never made. */
hb_status hb_quality_require_fresh(const hb_params *params, bool public_key);

#endif
