#include "encode.h"

#include <stdlib.h>

#include "base/bits.h"

struct hb_encoder {
    hb_engine *engine;
    const hb_params *params;
    hb_encoding encoding;
    uint32_t
        *to_slot; /* [n] where value i sits in the transform (semantics.md 3) or in the polynomial; on the engine */
    uint32_t *from_slot; /* the inverse permutation */
};

/* Slot i of row 0 is the value at psi^(3^i), of row 1 at psi^(-3^i); the transform keeps psi^e at brev((e - 1) / 2). */
static void fill_slots(uint32_t *to_slot, const hb_ring *ring)
{
    const uint32_t n = (uint32_t)ring->n, mask = 2 * n - 1;
    uint32_t e = 1;
    for (uint32_t i = 0; i < n / 2; i++) {
        to_slot[i] = hb_bit_reverse((e - 1) / 2, ring->log_n);
        to_slot[n / 2 + i] = hb_bit_reverse((2 * n - e - 1) / 2, ring->log_n);
        e = (3 * e) & mask;
    }
}

/* maps[0 .. n): to_slot; maps[n .. 2 n): from_slot. */
static void fill_maps(uint32_t *maps, const hb_ring *ring, hb_encoding encoding)
{
    const uint32_t n = (uint32_t)ring->n;
    if (encoding == HB_ENCODE_SLOTS) {
        fill_slots(maps, ring);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            maps[i] = i;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        maps[n + maps[i]] = i;
    }
}

static hb_status upload_maps(hb_encoder *encoder)
{
    const size_t n = encoder->params->ring.n, bytes = 2 * n * sizeof(uint32_t);
    uint32_t *maps = malloc(bytes);
    if (maps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the slot map of %zu values", n);
    }
    fill_maps(maps, &encoder->params->ring, encoder->encoding);
    void *there = NULL;
    hb_status st = HB_OK;
    HB_GOTO(hb_alloc(encoder->engine, bytes, &there));
    encoder->to_slot = there;
    encoder->from_slot = encoder->to_slot + n;
    HB_GOTO(hb_upload(encoder->engine, there, maps, bytes));
    st = hb_finish(encoder->engine);
done:
    free(maps);
    return st;
}

hb_status hb_plaintexts_alloc(hb_batch *plain, hb_engine *engine, const hb_params *params, size_t count)
{
    return hb_batch_alloc(engine, plain, count, 1, &hb_bfv_of(params)->plain_id);
}

hb_status hb_encoder_open(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_encoder **out)
{
    *out = NULL;
    if (encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_params_require_batching(params));
    }
    hb_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an encoder");
    }
    *encoder = (hb_encoder){.engine = engine, .params = params, .encoding = encoding};
    hb_status st = upload_maps(encoder);
    if (st != HB_OK) {
        hb_encoder_close(encoder);
        return st;
    }
    *out = encoder;
    return HB_OK;
}

void hb_encoder_close(hb_encoder *encoder)
{
    if (encoder != NULL) {
        hb_free(encoder->engine, encoder->to_slot);
        free(encoder);
    }
}

hb_status hb_encode(hb_encoder *encoder, hb_batch plain, hb_batch values)
{
    HB_TRY(hb_permute(encoder->engine, plain, values, encoder->from_slot));
    return encoder->encoding == HB_ENCODE_SLOTS ? hb_intt(encoder->engine, plain) : HB_OK;
}

hb_status hb_decode(hb_encoder *encoder, hb_batch values, hb_batch plain)
{
    if (encoder->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_ntt(encoder->engine, plain));
    }
    return hb_permute(encoder->engine, values, plain, encoder->to_slot);
}
