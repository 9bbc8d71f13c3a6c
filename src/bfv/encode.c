#include "encode.h"

#include <stdlib.h>

#include "base/bits.h"
#include "ring/permutation.h"

struct hb_encoder {
    hb_engine *engine;
    const hb_params *params;
    hb_encoding encoding;
    hb_permutation slots; /* map[i]: where value i sits in the transform (semantics.md 3) or in the polynomial */
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

static hb_status upload_slots(hb_encoder *encoder)
{
    const hb_ring *ring = &encoder->params->ring;
    uint32_t *words = malloc(2 * ring->n * sizeof *words);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the slot map of %zu values", ring->n);
    }
    if (encoder->encoding == HB_ENCODE_SLOTS) {
        fill_slots(words, ring);
    } else {
        for (uint32_t i = 0; i < ring->n; i++) {
            words[i] = i;
        }
    }
    const hb_status st = hb_permutation_init(&encoder->slots, encoder->engine, words);
    free(words);
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
    hb_status st = upload_slots(encoder);
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
        hb_permutation_clear(&encoder->slots, encoder->engine);
        free(encoder);
    }
}

hb_status hb_encode(hb_encoder *encoder, hb_batch plain, hb_batch values)
{
    HB_TRY(hb_permute(encoder->engine, plain, values, encoder->slots.inverse));
    return encoder->encoding == HB_ENCODE_SLOTS ? hb_intt(encoder->engine, plain) : HB_OK;
}

hb_status hb_decode(hb_encoder *encoder, hb_batch values, hb_batch plain)
{
    if (encoder->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_ntt(encoder->engine, plain));
    }
    return hb_permute(encoder->engine, values, plain, encoder->slots.map);
}
