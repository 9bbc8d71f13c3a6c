#include "unit_encrypt.h"

#include <string.h>

#include "base/chunk.h"
#include "batch/pipeline/stage_times.h"
#include "scheme/codec.h"
#include "scheme/params.h"

/* --- old ciphertexts of a dataset that grows */

uint64_t hb_unit_older_bytes(const hb_params *params, const hb_header *header)
{
    const uint64_t limbs = hb_params_most_limbs(params, params->ids, header->limbs);
    return hb_unit_rows_bytes(params, header) + limbs * params->spec.n * sizeof(uint64_t);
}

/* Allocates for a dataset of these parameters, of any level. Cleared also after a
 * failure, before the engine closes. */
static hb_status older_init(hb_unit_older *x, hb_engine *engine, const hb_params *params, hb_dataset *dataset,
                            const hb_growth *growth)
{
    const hb_header *header = hb_dataset_header(dataset);
    *x = (hb_unit_older){.dataset = dataset, .growth = *growth};
    HB_TRY(hb_unit_rows_init(&x->rows, 1, engine, params, header));
    HB_TRY(hb_rows_alloc(&x->host, 1, engine, header));
    return hb_batch_alloc(engine, &x->c, 1, header->limbs, params->ids);
}

static void older_clear(hb_unit_older *x)
{
    hb_engine *engine = x->rows.engine;
    if (engine != NULL) {
        hb_batch_free(engine, &x->c);
        hb_rows_free(&x->host, engine);
    }
    hb_unit_rows_clear(&x->rows, 1);
    memset(x, 0, sizeof *x);
}

/* Reads the part of unit u that the dataset has, and checks it. */
static hb_status older_load(hb_unit_older *x, uint64_t u)
{
    x->loaded = x->dataset != NULL && u < hb_header_units(hb_dataset_header(x->dataset));
    if (!x->loaded) {
        return HB_OK;
    }
    uint64_t count;
    hb_header_unit_range(hb_dataset_header(x->dataset), u, &x->first, &count);
    HB_TRY(hb_dataset_read(x->dataset, u, &x->host));
    return hb_unit_rows_check(&x->rows, u, &x->host, x->dataset);
}

/* Copies ciphertext `at` of the loaded ones into component c, one polynomial, or adds it. */
static hb_status join_component(hb_unit_older *x, size_t at, uint32_t component, hb_batch c, bool stays)
{
    HB_TRY(hb_unit_rows_unpack(&x->rows, component, x->c, (hb_unit_rows_view){at, 1, (size_t)x->host.count}));
    return stays ? hb_copy(x->rows.engine, c, x->c) : hb_add(x->rows.engine, c, c, x->c);
}

/* Joins the loaded ciphertexts into fresh ones, whose first has number `first` in the grown dataset. Fresh ones that
 * have an old counterpart become that ciphertext. In the last old row block they become the sum with it, as its slots
 * for new rows are 0. c1 has no data where seeds [c0.count] stand for it. */
static hb_status older_join(hb_unit_older *x, uint64_t first, hb_batch c0, hb_batch c1, hb_seed *seeds)
{
    for (size_t i = 0; x->loaded && i < c0.count && first + i < x->first + x->host.count; i++) {
        const size_t at = (size_t)(first + i - x->first);
        const bool stays = first + i < x->growth.kept;
        HB_ASSERT(stays || c1.data != NULL); /* sums have no seeds */
        HB_TRY(join_component(x, at, 0, hb_batch_slice(c0, i, 1), stays));
        if (c1.data != NULL) {
            HB_TRY(join_component(x, at, 1, hb_batch_slice(c1, i, 1), stays));
        } else {
            seeds[i] = x->host.seeds[at];
        }
    }
    return HB_OK;
}

/* --- fresh ciphertexts */

uint64_t hb_unit_encryptor_bytes(const hb_params *params, const hb_header *header, size_t batch)
{
    const uint64_t data = hb_params_most_limbs(params, params->ids, header->limbs);
    /* c0, with a public key c1. */
    const uint64_t limbs = header->seeded ? data : 2 * data;
    const uint64_t each =
        hb_values_words(&params->spec) + hb_plaintext_words(params, header->limbs) + limbs * params->spec.n;
    return hb_unit_rows_bytes(params, header) + hb_codec_bytes(&params->spec, header->encoding) +
           batch * each * sizeof(uint64_t) + hb_encryptor_bytes(params, !header->seeded, batch);
}

hb_status hb_unit_encryptor_init(hb_unit_encryptor *x, const hb_session *session, hb_engine *engine,
                                 const hb_header *header, size_t batch, hb_distribution errors)
{
    *x = (hb_unit_encryptor){.batch = batch};
    const hb_params *params = session->params;
    HB_ASSERT(header->limbs <= params->fresh_limbs && header->seeded == (session->kind == HB_KEY_SECRET));
    HB_TRY(hb_unit_rows_init(&x->rows, 1, engine, params, header));
    HB_TRY(hb_codec_open(engine, params, header->encoding, &x->codec));
    HB_TRY(hb_encryptor_open(engine, header->seeded ? &session->secret : NULL,
                             header->seeded ? NULL : &session->public_key, errors, x->batch, &x->encryptor));
    HB_TRY(hb_values_alloc(&x->values, engine, params, x->batch));
    HB_TRY(hb_plaintexts_alloc(&x->plain, engine, params, header->limbs, x->batch));
    HB_TRY(hb_batch_alloc(engine, &x->c0, x->batch, header->limbs, params->ids));
    return header->seeded ? HB_OK : hb_batch_alloc(engine, &x->c1, x->batch, header->limbs, params->ids);
}

hb_status hb_unit_encryptor_grow(hb_unit_encryptor *x, hb_dataset *dataset, const hb_growth *growth)
{
    return older_init(&x->older, x->rows.engine, x->rows.params, dataset, growth);
}

void hb_unit_encryptor_clear(hb_unit_encryptor *x)
{
    hb_engine *engine = x->rows.engine;
    older_clear(&x->older);
    if (engine != NULL) {
        /* After a failure c0 and c1 may hold a s without its error. */
        hb_batch *batches[] = {&x->values, &x->plain, &x->c0, &x->c1};
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            hb_batch_wipe(engine, *batches[i]);
            hb_batch_free(engine, batches[i]);
        }
    }
    hb_encryptor_close(x->encryptor);
    hb_codec_close(x->codec);
    hb_unit_rows_clear(&x->rows, 1);
    memset(x, 0, sizeof *x);
}

/* Ciphertexts at .. at + some of the `count` of a unit whose first one is number `first`. */
static hb_status encrypt_some(hb_unit_encryptor *x, hb_unit_buffer *buffer, size_t at, size_t some, size_t count,
                              uint64_t first, const hb_seed *root)
{
    hb_engine *engine = x->rows.engine;
    const bool seeded = x->rows.header->seeded;
    const hb_unit_rows_view places = {at, 1, count};
    const size_t stride = hb_values_words(&x->rows.header->spec);
    const hb_batch values = hb_batch_slice(x->values, 0, some), plain = hb_batch_slice(x->plain, 0, some);
    const hb_batch c0 = hb_batch_slice(x->c0, 0, some);
    const hb_batch c1 = seeded ? (hb_batch){0} : hb_batch_slice(x->c1, 0, some);
    HB_TRY(hb_stage_times_note_engine(engine, HB_TIME_COMPUTE));
    HB_TRY(hb_upload(engine, values.data, buffer->values + at * stride, some * stride * sizeof(uint64_t)));
    HB_TRY(hb_stage_times_note_engine(engine, HB_TIME_UPLOAD));
    HB_TRY(hb_encode(x->codec, plain, values));
    HB_TRY(hb_encrypt(x->encryptor, c0, c1, seeded ? buffer->rows.seeds + at : NULL, plain, root, first + at));
    HB_TRY(older_join(&x->older, first + at, c0, c1, seeded ? buffer->rows.seeds + at : NULL));
    HB_TRY(hb_unit_rows_pack(&x->rows, 0, c0, places));
    return seeded ? HB_OK : hb_unit_rows_pack(&x->rows, 1, c1, places);
}

hb_status hb_unit_encrypt(hb_unit_encryptor *x, hb_unit_buffer *buffer, uint64_t u, const hb_seed *root)
{
    uint64_t first, ciphertexts;
    hb_header_unit_range(x->rows.header, u, &first, &ciphertexts);
    const size_t count = (size_t)ciphertexts;
    HB_TRY(older_load(&x->older, u));
    for (hb_chunk c = hb_chunks(count, x->batch); hb_chunk_next(&c);) {
        HB_TRY(encrypt_some(x, buffer, c.first, c.count, count, first, root));
    }
    buffer->rows.count = ciphertexts;
    HB_TRY(hb_unit_rows_download(&x->rows, &buffer->rows));
    return hb_unit_rows_sum(&x->rows, u, &buffer->rows, buffer->sum);
}
