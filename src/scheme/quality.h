/* Bounds of the error of ciphertexts in any scheme, operation by operation, before anything is computed
 * (rlwe/quality.h). Pure functions. Results are at the level of `limbs` limbs, where one is asked for. */
#ifndef HB_SCHEME_QUALITY_H
#define HB_SCHEME_QUALITY_H

#include "rlwe/params.h"
#include "rlwe/quality.h"

/* Of a fresh ciphertext at the data level, made with the public key or the secret one. */
hb_quality hb_quality_fresh(const hb_params *params, bool public_key, hb_distribution errors);
hb_quality hb_quality_add(const hb_params *params, hb_quality a, hb_quality b); /* and sub */
/* Of the sum of `terms` ciphertexts with the bound of a. */
hb_quality hb_quality_sum(const hb_params *params, hb_quality a, double terms);
hb_quality hb_quality_add_plain(const hb_params *params, hb_quality a);
/* Times an integer of that magnitude. */
hb_quality hb_quality_scale(const hb_params *params, hb_quality a, double magnitude);
hb_quality hb_quality_multiply_plain(const hb_params *params, hb_quality a, hb_plain_factor factor);

/* A factor of a product of ciphertexts: its bounds and its components, 2 or more. */
typedef struct hb_quality_factor {
    hb_quality quality;
    uint32_t size;
} hb_quality_factor;
hb_quality hb_quality_multiply(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_quality_factor b);
/* Of a factor that contains the other factor of the product to come, a ciphertext or a plaintext, `times` times
 * already, as that of x^3 contains x twice: what then adds up, less at random than products of others. */
hb_quality hb_quality_again(const hb_params *params, hb_quality a, uint32_t times);
/* After relinearization or an automorphism. */
hb_quality hb_quality_switch(const hb_params *params, uint32_t limbs, hb_quality a);
/* From `limbs`, 2 or more, to one fewer; a has `size` components. */
hb_quality hb_quality_mod_switch(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t size);

/* Bits that are left under the bound log2_error, a whole number; negative: as many too few. 1 or more under `worst`: it
 * decrypts rightly; 0 may decrypt wrongly. Of BFV the noise budget. */
double hb_quality_bits(const hb_params *params, uint32_t limbs, double log2_error);
/* "noise budget": what the bits are, for people; "noise_budget_bits": in reports. */
const char *hb_quality_name(hb_scheme scheme);
const char *hb_quality_word(hb_scheme scheme);

/* Bits that a ciphertext in many may have less than expected: who goes by the expected bound keeps so many in hand. */
double hb_quality_margin(const hb_params *params);

/* HB_ECONFIG unless fresh ciphertexts made with that key have proven bits left; says what to choose instead. What can
 * be made only with an error that may decrypt wrongly is refused before there is any. */
hb_status hb_quality_require_fresh(const hb_params *params, bool public_key);

#endif
