#include "codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "ring/roots.h"

/* A codec with the tables and workspace of transforms and rounding on the engine. */
typedef struct ckks_codec {
    hb_codec codec;
    hb_slot_tables tables; /* of slots; else zeroed */
    uint64_t *refused;     /* the word of hb_rounding */
    hb_batch work;         /* coefficients of some plaintexts, where they are not the values themselves */
} ckks_codec;

static const uint64_t nothing_refused = UINT64_MAX;

static ckks_codec *ckks_of(hb_codec *codec)
{
    return (ckks_codec *)codec; /* a struct begins where its first member does */
}

static bool is_wide(const hb_codec *codec)
{
    return hb_ckks_is_wide(&codec->params->spec);
}

/* Returns whether values are coefficients, in the same memory; else these are in `work`. */
static bool are_coefficients(const hb_codec *codec)
{
    return codec->encoding != HB_ENCODE_SLOTS && !is_wide(codec);
}

/* Returns the polynomials of reals that coefficients of one plaintext take. */
static size_t rows_of(const hb_params_spec *spec)
{
    return hb_ckks_is_wide(spec) ? 2 : 1;
}

/* Returns the plaintexts that are transformed at a time, at most: enough to fill a GPU. */
static size_t most_work(size_t n)
{
    const size_t words = (size_t)1 << 19;
    return hb_larger(16, words / n);
}

/* Returns their number on an engine; the same on all members that share limbs, who each have all reals. */
static size_t work_count(const hb_engine *engine)
{
    const size_t n = engine->ring->n, most = most_work(n);
    const size_t bytes = engine->device != NULL ? engine->device->batch_bytes : engine->batch_bytes;
    const size_t fit = bytes / (n * sizeof(uint64_t));
    return bytes == 0 || fit > most ? most : hb_larger(1, fit);
}

uint64_t hb_ckks_codec_bytes(const hb_params_spec *spec, hb_encoding encoding)
{
    const uint64_t row = spec->n * sizeof(uint64_t), order = spec->n / 2 * sizeof(uint32_t);
    const bool slots = encoding == HB_ENCODE_SLOTS;
    const uint64_t tables = slots ? rows_of(spec) * row + order : 0;
    return sizeof(uint64_t) + tables + (slots || rows_of(spec) > 1 ? rows_of(spec) * most_work(spec->n) * row : 0);
}

/* Makes the members of a codec on the engine. */
static hb_status fill(ckks_codec *ckks)
{
    hb_engine *engine = ckks->codec.engine;
    void *word = NULL;
    HB_TRY(hb_alloc(engine, sizeof *ckks->refused, &word));
    ckks->refused = word;
    HB_TRY(hb_upload(engine, ckks->refused, &nothing_refused, sizeof nothing_refused));
    const hb_params *params = ckks->codec.params;
    if (ckks->codec.encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_slot_tables_init(&ckks->tables, engine, hb_ckks_generator(&params->spec), is_wide(&ckks->codec)));
    }
    if (!are_coefficients(&ckks->codec)) {
        const size_t rows = rows_of(&params->spec) * work_count(engine);
        HB_TRY(hb_batch_alloc(engine, &ckks->work, rows, 1, &params->common_id));
    }
    return hb_finish(engine);
}

hb_status hb_ckks_codec_open(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_codec **out)
{
    *out = NULL;
    ckks_codec *ckks = calloc(1, sizeof *ckks);
    if (ckks == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an encoder");
    }
    ckks->codec = (hb_codec){.engine = engine, .params = params, .encoding = encoding};
    const hb_status st = fill(ckks);
    if (st != HB_OK) {
        hb_ckks_codec_close(&ckks->codec);
        return st;
    }
    *out = &ckks->codec;
    return HB_OK;
}

void hb_ckks_codec_close(hb_codec *codec)
{
    if (codec != NULL) {
        ckks_codec *ckks = ckks_of(codec);
        hb_batch_wipe(codec->engine, ckks->work);
        hb_batch_free(codec->engine, &ckks->work);
        hb_slot_tables_clear(&ckks->tables, codec->engine);
        hb_free(codec->engine, ckks->refused);
        free(ckks);
    }
}

/* Returns the scale of a level that has the limbs of a plaintext. */
static hb_exact_scale scale_of(const hb_codec *codec, hb_batch plain)
{
    HB_ASSERT(plain.limbs >= 1 && plain.limbs <= codec->params->fresh_limbs);
    return hb_ckks_scale(codec->params, plain.limbs);
}

/* Returns the factor of coefficients, or of integers. */
static hb_real_scale real_scale(const hb_codec *codec, hb_exact_scale scale)
{
    return (hb_real_scale){hb_exact_scale_dd(scale),
                           hb_exact_scale_dd(hb_exact_scale_divide(hb_exact_scale_of(1), scale)), is_wide(codec)};
}

/* Returns the plaintexts of one chunk, at most, and the workspace for those of a chunk. */
static size_t most_of(const ckks_codec *ckks, size_t count)
{
    return are_coefficients(&ckks->codec) ? count : ckks->work.count / rows_of(&ckks->codec.params->spec);
}
static hb_batch work_for(const ckks_codec *ckks, size_t count)
{
    return hb_batch_slice(ckks->work, 0, rows_of(&ckks->codec.params->spec) * count);
}

/* Makes coefficients of some values: they are where *work says. */
static hb_status to_coefficients(const ckks_codec *ckks, hb_batch *work, hb_batch values)
{
    hb_engine *e = ckks->codec.engine;
    *work = values;
    if (are_coefficients(&ckks->codec)) {
        return HB_OK;
    }
    *work = work_for(ckks, values.count);
    if (ckks->codec.encoding == HB_ENCODE_SLOTS) {
        return hb_slots_to_coefficients(e, *work, values, &ckks->tables);
    }
    HB_TRY(hb_clear(e, *work)); /* low parts */
    for (size_t c = 0; c < values.count; c++) {
        HB_TRY(hb_copy(e, hb_batch_slice(*work, 2 * c, 1), hb_batch_slice(values, c, 1)));
    }
    return HB_OK;
}

/* Makes values of their coefficients, unless these are the same. */
static hb_status from_coefficients(const ckks_codec *ckks, hb_batch values, hb_batch work)
{
    hb_engine *e = ckks->codec.engine;
    if (are_coefficients(&ckks->codec)) {
        return HB_OK;
    }
    if (ckks->codec.encoding == HB_ENCODE_SLOTS) {
        return hb_coefficients_to_slots(e, values, work, &ckks->tables);
    }
    for (size_t c = 0; c < values.count; c++) { /* high parts are the nearest doubles */
        HB_TRY(hb_copy(e, hb_batch_slice(values, c, 1), hb_batch_slice(work, 2 * c, 1)));
    }
    return HB_OK;
}

hb_status hb_ckks_encode(hb_codec *codec, hb_batch plain, hb_batch values)
{
    const hb_exact_scale scale = scale_of(codec, plain);
    const ckks_codec *ckks = ckks_of(codec);
    HB_ASSERT(plain.count == values.count);
    for (hb_chunk c = hb_chunks(plain.count, most_of(ckks, plain.count)); hb_chunk_next(&c);) {
        const hb_rounding rounding = {real_scale(codec, scale), ckks->refused, c.first};
        hb_batch coefficients;
        HB_TRY(to_coefficients(ckks, &coefficients, hb_batch_slice(values, c.first, c.count)));
        HB_TRY(hb_round_reals(codec->engine, hb_batch_slice(plain, c.first, c.count), coefficients, &rounding));
    }
    return hb_ntt(codec->engine, plain);
}

hb_status hb_ckks_codec_refused(hb_codec *codec, hb_refusal *refusal)
{
    uint64_t *word = ckks_of(codec)->refused, place;
    const size_t n = codec->params->spec.n;
    *refusal = (hb_refusal){0};
    HB_TRY(hb_download(codec->engine, &place, word, sizeof place));
    HB_TRY(hb_finish(codec->engine));
    if (place == nothing_refused) {
        return HB_OK;
    }
    *refusal = (hb_refusal){true, (size_t)(place / n), (size_t)(place % n)};
    HB_TRY(hb_upload(codec->engine, word, &nothing_refused, sizeof nothing_refused));
    return hb_finish(codec->engine);
}

hb_status hb_ckks_decode(hb_codec *codec, hb_batch values, hb_batch plain)
{
    const ckks_codec *ckks = ckks_of(codec);
    const hb_real_scale scale = real_scale(codec, scale_of(codec, plain));
    hb_composition composition;
    HB_ASSERT(plain.count == values.count);
    HB_TRY(hb_composition_init(&composition, &codec->params->ring, plain.ids, plain.limbs));
    const hb_batch low = hb_batch_limbs(codec->engine, plain, 0, composition.limbs);
    HB_TRY(hb_intt(codec->engine, low));
    for (hb_chunk c = hb_chunks(plain.count, most_of(ckks, plain.count)); hb_chunk_next(&c);) {
        const hb_batch to = hb_batch_slice(values, c.first, c.count);
        const hb_batch work = are_coefficients(codec) ? to : work_for(ckks, c.count);
        HB_TRY(hb_compose_reals(codec->engine, work, hb_batch_slice(low, c.first, c.count), &composition, &scale));
        HB_TRY(from_coefficients(ckks, to, work));
    }
    return HB_OK;
}

hb_cell_range hb_ckks_cell_range(const hb_params_spec *spec)
{
    double bits = log2(15.0 / 16); /* of the product of primes; the rest is for errors */
    for (uint32_t l = 0; l < hb_ckks_levels(spec) * hb_spec_level_limbs(spec); l++) {
        bits += log2((double)spec->primes[l]);
    }
    /* A coefficient is no larger than the largest complex slot, which is sqrt(2) of its larger part, and a scale is
     * near 2^scale_bits: all stay below 2^62, or 2^125, and of few primes reals below half of the product. */
    const double coded = hb_ckks_is_wide(spec) ? 124 : 61;
    const double most = ldexp(1, (int)fmin(coded, floor(bits) - 1) - (int)spec->ckks.scale_bits);
    return (hb_cell_range){hb_real_word(-most), hb_real_word(most)};
}
