/* Bootstrapping in any scheme that has it: reals get levels again (ckks/bootstrap.h), integers lose noise
 * (refresh/refresh.h). */
#ifndef HB_SCHEME_BOOTSTRAP_H
#define HB_SCHEME_BOOTSTRAP_H

#include "rlwe/bootstrap.h"
#include "rlwe/evaluator.h"

/* Sets *list to the purposes of all keys that bootstrapping needs, *count of them (host): each with the limbs of the
 * highest level at which it is used, and without the secret that it comes from or goes to (hb_key_purpose.other). The
 * caller frees *list; NULL and 0 after a failure. HB_ECONFIG where the chain has no bootstrapping
 * (hb_params_can_bootstrap); HB_ENOMEM. */
hb_status hb_bootstrap_key_purposes(const hb_params *params, hb_key_purpose **list, uint32_t *count);

/* Sets those to the limbs of operands and of results of bootstraps from the lowest level, or of all others. The chain
 * has these (hb_bootstraps_lowest, hb_params_can_bootstrap). */
void hb_bootstrap_limbs(const hb_params *params, bool lowest, uint32_t *operands, uint32_t *results);
/* Returns whether parameters can bootstrap values that are at the lowest level, reals or complex ones of a modulus of
 * at most 2^range_bits. */
bool hb_bootstraps_lowest(const hb_params *params, uint32_t range_bits);

/* Prepares bootstrapping: linear maps, plans and workspace, in memory of the engine. engine and params are borrowed.
 * Waits. HB_ENOMEM; HB_ECONFIG where the chain has no bootstrapping, or tables and no levels for them; HB_EDATA where a
 * range of reals is too large for it, from the lowest level too. Closing takes NULL. */
hb_status hb_bootstrap_open(hb_engine *engine, const hb_params *params, const hb_bootstrap_spec *spec,
                            hb_bootstrap **out);
void hb_bootstrap_close(hb_bootstrap *bootstrap);
/* Finds the memory that it takes, whether or not spec->of is given. HB_ENOMEM, and HB_ECONFIG likewise; HB_EDATA where
 * a range is too large to be bootstrapped from the lowest level. */
hb_status hb_bootstrap_memory_of(const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap_memory *out);

/* Bootstraps batches of ciphertexts: a[], hb_bootstrap_batches(kind) of them, with 2 components and as many ciphertexts
 * each. The meaning of `range_bits` depends on the kind.
 *
 * Reals: a[] are at rest at the level of bootstrap->limbs limbs. range_bits is one of the ranges of the spec, and each
 * slot is within 2^range_bits: its real and imaginary parts are; of HB_BOOTSTRAP_LOWEST its modulus is, as there the
 * coefficients have to be within 2^range_bits, and these are means of the slots, turned. Results r[] are at rest and
 * have bootstrap->result_limbs limbs. Larger values come out wrong, of HB_BOOTSTRAP_LOWEST with all others of their
 * ciphertext, and so do other values once in 2^72 (hb_eval_mod). No overlap. ev has all limbs of the chain that are not
 * special.
 *
 * Integers (refresh/refresh.h): of HB_BOOTSTRAP_NOISE range_bits is k (hb_quality_refresh_bits), of HB_BOOTSTRAP_TABLE
 * the number of a table of the spec. a[0] and r[0] are in coefficient form and have the users' limbs; r[0] may be a[0].
 *
 * ev: of the same engine or a fork of it, with switching; one queue at a time uses a bootstrap. Does not wait. Device
 * memory is not allocated; the first call of integers may allocate host memory for a list of keys, as may one with more
 * keys: HB_ENOMEM. HB_EDATA where a key is missing; HB_ECONFIG where k is too large: then r is undefined. */
hb_status hb_bootstrap_apply(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_kind kind, uint32_t range_bits,
                             hb_ciphertexts r[], hb_ciphertexts a[], const hb_switch_keys *keys);

/* Does one stage of a complex bootstrap, not from the lowest level, by itself, of the first range, for `count`
 * ciphertexts, at most as many as go at a time, on the present contents of the workspace: for measurements. Neither
 * waits nor allocates. */
hb_status hb_bootstrap_apply_stage(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_stage stage, size_t count,
                                   const hb_switch_keys *keys);

#endif
