/* Bootstrapping of CKKS (J. H. Cheon et al., "Bootstrapping for Approximate Homomorphic Encryption", EUROCRYPT 2018),
 * slots to coefficients first: while the modulus is raised values are coefficients of a polynomial at level 0, which
 * becomes a multiple of q_0 more; a trigonometric polynomial takes that away again, in the slots, at the full size of
 * the values. The secret is sparse while the modulus is raised and at no other time (J.-P. Bossuat,
 * J. Troncoso-Pastoriza, J.-P. Hubaux, "Bootstrapping for Approximate Homomorphic Encryption with Negligible
 * Failure-Probability by Using Sparse-Secret Encapsulation", ACNS 2022). The exact computation, to the bit:
 * semantics.md 9.13.
 *
 * Values at the lowest level (HB_BOOTSTRAP_LOWEST) go the other way round, as in the paper of 2018: the modulus is
 * raised at once, and slots become coefficients last, on users' levels. EvalMod works on the coefficients of the
 * ciphertext's own polynomial, whose errors come together in each slot. So results have half of log2 N bits fewer than
 * of the other order. The maps then take users' levels, so results have that many fewer. Keys are the same where there
 * are as many maps of each direction: both then have the same rotations, those to slots at higher levels. */
#ifndef HB_CKKS_BOOTSTRAP_H
#define HB_CKKS_BOOTSTRAP_H

#include "rlwe/bootstrap.h"
#include "rlwe/evaluator.h"

/* Sets *count to the number of keys that bootstrapping takes for values that repeat with a period (hb_bootstrap_spec),
 * and list[0 .. min(room, *count) - 1] (host) to the purposes of these keys: each with the limbs of the highest level
 * at which it is used, and without the secret that it comes from or goes to (hb_key_purpose.other). HB_ECONFIG where
 * the chain has no bootstrapping, or not with that period; HB_ENOMEM. */
hb_status hb_ckks_bootstrap_key_purposes(const hb_params *params, size_t period, hb_key_purpose *list, uint32_t room,
                                         uint32_t *count);

/* Returns whether values of a modulus within 2^range_bits can be bootstrapped from the lowest level: maps of both
 * directions are as many, users have more levels than the maps take, and the ratio of the form leaves room at q_0. */
bool hb_ckks_bootstraps_lowest(const hb_params *params, uint32_t range_bits);

/* Opens bootstrapping as the spec says, in memory of the engine; engine and params are borrowed. Waits. HB_ENOMEM;
 * HB_ECONFIG where the chain has no bootstrapping; HB_EDATA where a range is too large for it. Closing takes NULL. */
hb_status hb_ckks_bootstrap_open(hb_engine *engine, const hb_params *params, const hb_bootstrap_spec *spec,
                                 hb_bootstrap **out);
void hb_ckks_bootstrap_close(hb_bootstrap *bootstrap);
/* Finds the memory that this takes, whether or not spec->of is there. HB_ENOMEM; HB_ECONFIG likewise; HB_EDATA where a
 * range is too large to be bootstrapped from the lowest level. */
hb_status hb_ckks_bootstrap_memory(const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap_memory *out);

/* Bootstraps batches (scheme/bootstrap.h). HB_EDATA where a key is missing. With the reals of a chain of integers
 * (hb_ckks_params_of_integers) the kind is HB_BOOTSTRAP_NOISE, range_bits is 0, and ciphertexts have the limb of q_0
 * alone. Their phase modulo q_0 has coefficients z q_0 / ratio, |z| <= 1; results have the users' limbs and the phase z
 * times the scale of levels (semantics.md 9.15). Or it is HB_BOOTSTRAP_TABLE, range_bits the number of a table of the
 * spec: coefficients are m q_0 / 2^bits and noise, and results have entry m, centred, over 2^bits, times twice the
 * scale of levels (semantics.md 9.16). */
hb_status hb_ckks_bootstrap_apply(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_kind kind,
                                  uint32_t range_bits, hb_ciphertexts r[], hb_ciphertexts a[],
                                  const hb_switch_keys *keys);

/* Does one stage by itself, for `count` ciphertexts that go at a time, of the first range (scheme/bootstrap.h). The
 * bootstrap is not of operands at the lowest level. */
hb_status hb_ckks_bootstrap_stage(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_stage stage, size_t count,
                                  const hb_switch_keys *keys);

#endif
