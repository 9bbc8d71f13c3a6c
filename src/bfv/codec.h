/* BFV plaintexts: from integers to polynomials mod t and back (semantics.md 3). On an engine of divided limbs every
 * member has all plaintexts, as t is a modulus that each holds. */
#ifndef HB_BFV_CODEC_H
#define HB_BFV_CODEC_H

#include "params.h"
#include "rlwe/codec.h"

/* Allocates memory for `count` plaintexts, or as many sets of N values: one limb mod t each. HB_ENOMEM. The caller
 * frees it with hb_batch_free. */
hb_status hb_bfv_plaintexts_alloc(hb_batch *plain, hb_engine *engine, const hb_params *params, size_t count);

/* Opens a codec, which borrows engine and params. Value i of HB_ENCODE_SLOTS is slot i of the 2 x N/2 matrix.
 * HB_ECONFIG for slots when t does not batch; coefficients take any t. HB_ENOMEM. Closing takes NULL. */
hb_status hb_bfv_codec_open(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_codec **out);
void hb_bfv_codec_close(hb_codec *codec);

/* Encode makes plaintexts of values, and decode values of plaintexts. Both are one limb mod t, [count][n], canonical,
 * on the engine, and do not overlap. The input is not changed by encode, and is used as workspace by decode. */
hb_status hb_bfv_encode(hb_codec *codec, hb_batch plain, hb_batch values);
hb_status hb_bfv_decode(hb_codec *codec, hb_batch values, hb_batch plain);

/* Returns the range of cells that t can hold: [0, t) for unsigned columns, [-floor((t - 1) / 2), floor(t / 2)] for
 * signed ones. */
hb_cell_range hb_bfv_cell_range(const hb_params_spec *spec, bool is_signed);
/* Turn cells in that range into residues mod t, in place, and back. Host; rank-local. */
void hb_bfv_from_cells(const hb_params_spec *spec, hb_cell_words cells, bool is_signed);
void hb_bfv_to_cells(const hb_params_spec *spec, hb_cell_words values, bool is_signed);
/* Returns the residue mod t of a number that signed columns hold. */
uint64_t hb_bfv_from_number(const hb_params_spec *spec, int64_t number);

#endif
