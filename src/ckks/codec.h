/* CKKS plaintexts: from reals to polynomials and back (semantics.md 9.7). On an engine of divided limbs every member
 * has all values, and its limbs of the plaintexts.
 *
 * The values of one plaintext are N words, the bits of doubles, in a batch of one limb (ring/real_ops.h). With
 * HB_ENCODE_SLOTS they are the slots, N/2 real parts and N/2 imaginary parts; columns of reals fill the real parts.
 * With HB_ENCODE_COEFFICIENTS value i is coefficient i. Plaintexts are in NTT form, with any limbs, at a scale. */
#ifndef HB_CKKS_CODEC_H
#define HB_CKKS_CODEC_H

#include "params.h"
#include "rlwe/codec.h"

/* Opens a codec, which borrows engine and params and has memory for some plaintexts at a time on the engine. Waits.
 * HB_ENOMEM. Closing wipes that memory; it takes NULL. */
hb_status hb_ckks_codec_open(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_codec **out);
void hb_ckks_codec_close(hb_codec *codec);
/* Returns the most bytes of the engine's memory that it takes. */
uint64_t hb_ckks_codec_bytes(const hb_params_spec *spec, hb_encoding encoding);

/* Encodes at the scale of a level: plain has its limbs, q_0, q_1, .. The values are kept. Values of which some
 * coefficient times the scale is not an integer below 2^62 in magnitude, or 2^125 where scales are wide
 * (hb_ckks_is_wide), or no number, have 0 in its place, and hb_ckks_codec_refused tells. Does not wait. */
hb_status hb_ckks_encode(hb_codec *codec, hb_batch plain, hb_batch values);
/* Sets *refusal to the first of all values encoded since the last call that could not be, and forgets them. Waits. */
hb_status hb_ckks_codec_refused(hb_codec *codec, hb_refusal *refusal);

/* Decodes plaintexts at the scale of their level. It takes the centred integers modulo the fewest low primes with a
 * product of 2^128 or more, or all primes; the integers are assumed to fit. Each is rounded to a double and divided by
 * the scale. Where scales are wide it is rounded to a double-double, and the values are rounded to doubles in the end.
 * The plaintexts are used as workspace. Exchanges where limbs are divided; does not wait else. */
hb_status hb_ckks_decode(hb_codec *codec, hb_batch values, hb_batch plain);

/* Returns the range of values of columns: all plaintexts of such values, also complex ones, can be encoded at any
 * level. Magnitudes are at most 2^(61 - scale_bits), or 2^(124 - scale_bits) where scales are wide. Fresh ciphertexts
 * of a chain of few bits may hold less: the largest power of two that, times 2^scale_bits, is at most 15/32 of the
 * product of the data primes. */
hb_cell_range hb_ckks_cell_range(const hb_params_spec *spec);

#endif
