/* Parameters of any scheme: the literal decides which. The objects are those of rlwe/params.h; a scheme's own have them
 * as their first member. */
#ifndef HB_SCHEME_PARAMS_H
#define HB_SCHEME_PARAMS_H

#include <string.h>

#include "rlwe/codec.h"
#include "rlwe/keys.h"
#include "rlwe/params.h"

/* Return a scheme's name: "BFV", for people, and "bfv", in files and reports; NULL when no scheme has that number, as
 * after the last. */
const char *hb_scheme_name(hb_scheme scheme);
const char *hb_scheme_word(hb_scheme scheme);

/* Checks a literal, nothing in which is trusted, and builds the tables. Each refusal is HB_ECONFIG and names the rule,
 * the value and the nearest legal choice; HB_ENOMEM otherwise. Close with hb_params_close (NULL allowed). */
hb_status hb_params_open(const hb_params_spec *spec, hb_params **out);
void hb_params_close(hb_params *params);

/* Returns whether two literals have the same keys and ciphertexts: the same scheme, ring, chain and parameters of the
 * scheme's own. The level of security is not compared. */
bool hb_params_same(const hb_params_spec *a, const hb_params_spec *b);
/* Returns whether keys of both have the same owners: one, or as many of the same session, with the same threshold and
 * results. Bounds of noise and what hides parts (joint/part_plan.h) go by these numbers. */
static inline bool hb_owners_same(const hb_params_spec *a, const hb_params_spec *b)
{
    const hb_joint_spec *x = &a->joint, *y = &b->joint;
    return hb_spec_owners(a) == hb_spec_owners(b) &&
           (hb_spec_owners(a) == 1 || (x->threshold == y->threshold && x->results == y->results &&
                                       memcmp(x->session, y->session, HB_DIGEST_BYTES) == 0));
}
/* Returns whether keys or ciphertexts with these ids and literals are of the same key: id, parameters and owners, which
 * no id covers. */
bool hb_keys_same(const uint8_t a_id[HB_KEY_ID_BYTES], const hb_params_spec *a, const uint8_t b_id[HB_KEY_ID_BYTES],
                  const hb_params_spec *b);
/* Writes the identity of a literal's parameters in files: hb_params.digest of the checked object. */
void hb_params_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec);

/* Sets *spec to the named parameter set ("bfv-4096" ...) of any scheme; HB_EUSAGE, naming all, when there is none of
 * that name. */
hb_status hb_params_preset(const char *name, hb_params_spec *spec);
/* Returns the name of set i of all, scheme by scheme, in order; NULL after the last. */
const char *hb_params_preset_name(size_t i);
/* Returns the name of set i of those whose ring and chain no earlier set has: on the others engines do nothing new. */
const char *hb_params_chain_name(size_t i);

/* Sets ids to two moduli of the ring on which an engine's operations for plaintexts are tried (check/check.h). */
void hb_params_check_moduli(const hb_params *params, uint16_t ids[2]);
/* Returns whether ciphertexts can be multiplied by one another. */
bool hb_params_has_products(const hb_params *params);
/* Returns whether there is an encoding by slots (rlwe/codec.h). */
bool hb_params_has_slots(const hb_params *params);
/* Returns HB_ECONFIG unless there is one: the message has the reason, and parameters to choose instead. */
hb_status hb_params_require_slots(const hb_params *params);

#endif
