/* Bounds of the error of ciphertexts in any scheme, operation by operation, before anything is computed
 * (rlwe/quality.h). Pure functions. Operands are at the level of `limbs` limbs where one is asked for, and results too,
 * except for hb_quality_mod_switch, which leaves that level. */
#ifndef HB_SCHEME_QUALITY_H
#define HB_SCHEME_QUALITY_H

#include "rlwe/params.h"
#include "rlwe/quality.h"

/* Returns the bound of a fresh ciphertext at the data level, made with the public key or the secret one. */
hb_quality hb_quality_fresh(const hb_params *params, bool public_key, hb_distribution errors);
/* Returns the bound of a + b or a - b. */
hb_quality hb_quality_add(const hb_params *params, hb_quality a, hb_quality b);
/* Returns the bound of the sum of `terms` ciphertexts with the bound of a. */
hb_quality hb_quality_sum(const hb_params *params, hb_quality a, double terms);
/* Returns the bound of a plus or minus a plaintext. */
hb_quality hb_quality_add_plain(const hb_params *params, hb_quality a);
/* Returns the bound of a times an integer of that magnitude. */
hb_quality hb_quality_multiply_integer(const hb_params *params, hb_quality a, double magnitude);
/* Returns the bound of a times a plaintext that holds `factor`. */
hb_quality hb_quality_multiply_plain(const hb_params *params, hb_quality a, hb_plain_factor factor);

/* A factor of a product of ciphertexts: its bounds and its components, 2 or more. */
typedef struct hb_quality_factor {
    hb_quality quality;
    uint32_t size;
} hb_quality_factor;
/* Returns the bound of the product a b, not relinearized. */
hb_quality hb_quality_multiply(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_quality_factor b);
/* Returns the bound of a for a product whose other factor, a ciphertext or a plaintext, is in a's error `times` times
 * already: once where x^2 is multiplied by x, as the error of x^2 is that of x times x; twice where x^3 is. Powers of
 * one polynomial are larger than products of as many different ones, so the expected bound rises with `times`. */
hb_quality hb_quality_again(const hb_params *params, hb_quality a, uint32_t times);
/* Returns the bound after relinearization or an automorphism. */
hb_quality hb_quality_switch(const hb_params *params, uint32_t limbs, hb_quality a);
/* Returns the bound after every slot has become the sum of all. */
hb_quality hb_quality_sum_slots(const hb_params *params, uint32_t limbs, hb_quality a);
/* Returns the bound after the modulus switch from `limbs`, 2 or more, to one limb fewer; a has `size` components. */
hb_quality hb_quality_mod_switch(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t size);

/* Returns the bits that are left under the bound log2_error, a whole number; negative: as many too few. A ciphertext
 * with 1 or more under `worst` decrypts rightly; with 0 it may decrypt wrongly. In BFV this is the noise budget. */
double hb_quality_bits(const hb_params *params, uint32_t limbs, double log2_error);
/* Return what these bits are called: "noise budget" for people, "noise_budget_bits" in reports. */
const char *hb_quality_name(hb_scheme scheme);
const char *hb_quality_word(hb_scheme scheme);

/* Returns the bits that one ciphertext in many may have less than expected: who goes by the expected bound keeps so
 * many in hand. */
double hb_quality_margin(const hb_params *params);

/* Returns HB_ECONFIG unless fresh ciphertexts made with that key have proven bits left; says what to choose instead.
 * What can be made only with an error that may decrypt wrongly is refused before there is any. */
hb_status hb_quality_require_fresh(const hb_params *params, bool public_key);

#endif
