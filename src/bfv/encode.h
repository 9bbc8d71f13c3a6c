/* Plaintexts: from integers to polynomials mod t and back (semantics.md 3). */
#ifndef HB_BFV_ENCODE_H
#define HB_BFV_ENCODE_H

#include "base/hostdevice.h"
#include "params.h"

typedef enum hb_encoding {
    HB_ENCODE_SLOTS,       /* batching: value i is slot i of the 2 x N/2 matrix; needs a t that batches */
    HB_ENCODE_COEFFICIENTS /* value i is coefficient i; any t */
} hb_encoding;

/* Own memory for `count` plaintexts, or as many sets of N values: one limb mod t each; free with hb_batch_free. */
hb_status hb_plaintexts_alloc(hb_batch *plain, hb_engine *engine, const hb_params *params, size_t count);

typedef struct hb_encoder hb_encoder;

/* Borrows engine and params. HB_ECONFIG for slots without batching. */
hb_status hb_encoder_open(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_encoder **out);
void hb_encoder_close(hb_encoder *encoder);

/* values: one limb mod t, [count][n], canonical, on the engine; plain likewise. values and plain do not overlap; the
 * input is not changed by encode, and is used as workspace by decode. */
hb_status hb_encode(hb_encoder *encoder, hb_batch plain, hb_batch values);
hb_status hb_decode(hb_encoder *encoder, hb_batch values, hb_batch plain);

/* Residue of a table value and back. Range of unsigned columns [0, t), of signed ones [-floor((t-1)/2), floor(t/2)]. */
HB_FN uint64_t hb_plain_from_signed(int64_t value, uint64_t t)
{
    return (uint64_t)value + (t & (0 - ((uint64_t)value >> 63)));
}

HB_FN int64_t hb_plain_to_signed(uint64_t residue, uint64_t t)
{
    return (int64_t)(residue - (residue > t / 2 ? t : 0));
}

#endif
