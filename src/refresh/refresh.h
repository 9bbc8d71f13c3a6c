/* Bootstrapping of BFV: a pass takes noise out of a ciphertext of integers (J. Kim, J. Seo, Y. Song, "Simpler and
 * Faster BFV Bootstrapping for Arbitrary Plaintext Modulus from CKKS", CCS 2024; to the bit: semantics.md 9.15). The
 * message is never approximated: t 2^k times a ciphertext has the phase 2^k t e modulo Q, e its noise, which CKKS reads
 * as a real number z with a small error; an integer times the result is e again, and is subtracted. The noise that is
 * left is 2^-k times the error of z. Any t, slots or not.
 *
 * The functions are BFV's row of hb_bootstrap_ops (scheme/scheme_ops.h), with the rules of scheme/bootstrap.h. */
#ifndef HB_REFRESH_REFRESH_H
#define HB_REFRESH_REFRESH_H

#include "base/natural.h"
#include "rlwe/bootstrap.h"
#include "rlwe/evaluator.h"

/* Sets *count to the number of keys that a pass takes, and list[0 .. min(room, *count) - 1] (host) to their purposes,
 * as hb_ckks_bootstrap_key_purposes does. The period is 0: integers have none. HB_ECONFIG where the chain has no
 * bootstrapping; HB_ENOMEM. */
hb_status hb_refresh_key_purposes(const hb_params *params, size_t period, hb_key_purpose *list, uint32_t room,
                                  uint32_t *count);
/* Sets both to the users' limbs; `lowest` is false. */
void hb_refresh_limbs(const hb_params *params, bool lowest, uint32_t *operands, uint32_t *results);
/* Opens passes for spec->count ciphertexts a batch, 1 or more, in memory of the engine; engine and params are borrowed.
 * The spec has the period 0 and is neither `twice` nor `lowest`; its ranges are not looked at. Waits. HB_ECONFIG,
 * HB_ENOMEM. Closing takes NULL. */
hb_status hb_refresh_open(hb_engine *engine, const hb_params *params, const hb_bootstrap_spec *spec,
                          hb_bootstrap **out);
void hb_refresh_close(hb_bootstrap *bootstrap);
/* Finds the memory that this takes (hb_ckks_bootstrap_memory). HB_ECONFIG, HB_ENOMEM. */
hb_status hb_refresh_memory(const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap_memory *out);
/* Does one pass: r[0] has the messages of a[0], both in coefficient form with 2 components and the users' limbs; r[0]
 * may be a[0]. kind: HB_BOOTSTRAP_NOISE. k: the noise v of operands has ratio 2^k |v| <= 1 (bootstrapping/eval_mod.h),
 * or the result decrypts wrongly. Or HB_BOOTSTRAP_TABLE, k the number of a table of the spec (refresh/table.h): each
 * coefficient m of the message becomes entry m. HB_EDATA where a key is missing; HB_ECONFIG where k is so large that
 * less is to be gained than the rounding of the integer costs (hb_refresh_constant). Host memory for a list of keys may
 * be allocated: HB_ENOMEM. */
hb_status hb_refresh_apply(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_kind kind, uint32_t k,
                           hb_ciphertexts r[], hb_ciphertexts a[], const hb_switch_keys *keys);
/* Does one stage by itself (scheme/bootstrap.h). */
hb_status hb_refresh_stage(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_stage stage, size_t count,
                           const hb_switch_keys *keys);

/* The least integer by which a pass multiplies, 2^HB_REFRESH_LEAST_BITS: rounding it costs 2^-27 of z. */
enum { HB_REFRESH_LEAST_BITS = 26 };
/* Sets *c to the integer by which a pass with k multiplies: the nearest to Q / (t 2^k ratio scale), the exact quotient
 * of the users' modulus, halves up. HB_ECONFIG where it is below 2^HB_REFRESH_LEAST_BITS. */
hb_status hb_refresh_constant(const hb_params *params, uint32_t k, hb_natural *c);

#endif
