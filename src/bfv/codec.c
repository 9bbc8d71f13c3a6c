#include "codec.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/clones.h"
#include "base/modarith.h"
#include "ring/permutation.h"

/* A codec with the permutation between values and the words of the transform. */
typedef struct bfv_codec {
    hb_codec codec;
    hb_permutation slots; /* map[i] is where value i sits in the transform (semantics.md 3) or in the polynomial */
} bfv_codec;

static bfv_codec *bfv_of(hb_codec *codec)
{
    return (bfv_codec *)codec; /* a struct begins where its first member does */
}

/* Fills in the slots: slot i of row 0 is the value at psi^(3^i), of row 1 at psi^(-3^i); the transform keeps psi^e at
 * brev((e - 1) / 2). */
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

/* Makes the permutation on the engine: the slots, or the identity for coefficients. */
static hb_status upload_slots(bfv_codec *bfv)
{
    const hb_ring *ring = &bfv->codec.params->ring;
    uint32_t *words = malloc(2 * ring->n * sizeof *words);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the slot map of %zu values", ring->n);
    }
    if (bfv->codec.encoding == HB_ENCODE_SLOTS) {
        fill_slots(words, ring);
    } else {
        for (uint32_t i = 0; i < ring->n; i++) {
            /* Coefficient i is value i. */
            words[i] = i;
        }
    }
    const hb_status st = hb_permutation_init(&bfv->slots, bfv->codec.engine, words);
    free(words);
    return st;
}

hb_status hb_bfv_plaintexts_alloc(hb_batch *plain, hb_engine *engine, const hb_params *params, size_t count)
{
    return hb_batch_alloc(engine, plain, count, 1, &hb_bfv_of(params)->plain_id);
}

hb_status hb_bfv_codec_open(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_codec **out)
{
    *out = NULL;
    /* Asked first: nothing has to be closed when t does not batch. */
    if (encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_bfv_require_batching(params));
    }
    bfv_codec *bfv = calloc(1, sizeof *bfv);
    if (bfv == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an encoder");
    }
    bfv->codec = (hb_codec){.engine = engine, .params = params, .encoding = encoding};
    hb_status st = upload_slots(bfv);
    if (st != HB_OK) {
        hb_bfv_codec_close(&bfv->codec);
        return st;
    }
    *out = &bfv->codec;
    return HB_OK;
}

void hb_bfv_codec_close(hb_codec *codec)
{
    if (codec != NULL) {
        hb_permutation_clear(&bfv_of(codec)->slots, codec->engine);
        free(bfv_of(codec));
    }
}

hb_status hb_bfv_encode(hb_codec *codec, hb_batch plain, hb_batch values)
{
    /* Values go to their places in the transform, whose inverse makes the polynomial. */
    HB_TRY(hb_permute(codec->engine, plain, values, bfv_of(codec)->slots.inverse));
    return codec->encoding == HB_ENCODE_SLOTS ? hb_intt(codec->engine, plain) : HB_OK;
}

hb_status hb_bfv_decode(hb_codec *codec, hb_batch values, hb_batch plain)
{
    if (codec->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_ntt(codec->engine, plain));
    }
    return hb_permute(codec->engine, values, plain, bfv_of(codec)->slots.map);
}

/* For one residue: values with several plain moduli have a wider range (hb_residues_most). */
hb_cell_range hb_bfv_cell_range(const hb_params_spec *spec, bool is_signed)
{
    const uint64_t t = spec->bfv.plain;
    return is_signed ? (hb_cell_range){0 - (t - 1) / 2, t / 2} : (hb_cell_range){0, t - 1};
}

/* Turn signed integers into residues, and back, without a branch; `stride` is a constant where it is 1. */
HB_CLONED_INLINE void wrap_negative(hb_cell_words cells, size_t stride, uint64_t t)
{
    for (size_t i = 0; i < cells.count; i++) {
        cells.words[i * stride] = hb_mod_from_signed((int64_t)cells.words[i * stride], t);
    }
}

HB_CLONED_INLINE void unwrap_negative(hb_cell_words values, size_t stride, uint64_t t)
{
    for (size_t i = 0; i < values.count; i++) {
        values.words[i * stride] = (uint64_t)hb_mod_to_signed(values.words[i * stride], t);
    }
}

/* A column that stands alone gets a loop of its own, which vectorises. */
HB_CLONES static void column_wrap(hb_cell_words cells, uint64_t t)
{
    if (cells.stride == 1) {
        wrap_negative(cells, 1, t);
    } else {
        wrap_negative(cells, cells.stride, t);
    }
}

HB_CLONES static void column_unwrap(hb_cell_words values, uint64_t t)
{
    if (values.stride == 1) {
        unwrap_negative(values, 1, t);
    } else {
        unwrap_negative(values, values.stride, t);
    }
}

void hb_bfv_from_cells(const hb_params_spec *spec, hb_cell_words cells, bool is_signed)
{
    /* Unsigned cells are residues already. */
    if (is_signed) {
        column_wrap(cells, spec->bfv.plain);
    }
}

uint64_t hb_bfv_from_number(const hb_params_spec *spec, int64_t number)
{
    /* For several plain moduli numbers may be larger than each. */
    return hb_mod_from_signed(number % (int64_t)spec->bfv.plain, spec->bfv.plain);
}

void hb_bfv_to_cells(const hb_params_spec *spec, hb_cell_words values, bool is_signed)
{
    if (is_signed) {
        column_unwrap(values, spec->bfv.plain);
    }
}
