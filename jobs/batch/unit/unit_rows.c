#include "unit_rows.h"

#include <string.h>

#include "batch/pipeline/stage_times.h"
#include "buffers.h"
#include "divided/engine.h"

size_t hb_unit_batch(const hb_engine *engine, const hb_params *params, uint64_t unit)
{
    const size_t one = params->key_limbs * params->spec.n * sizeof(uint64_t), best = engine->batch_bytes;
    /* Counted with all limbs of a key, divided or not, so that members agree. */
    const size_t batch = best > one ? best / one : 1;
    return best == 0 || unit < batch ? (size_t)unit : batch;
}

/* Returns the bytes of the row digests of one ciphertext, of all limbs. */
static size_t digest_bytes(const hb_header *header)
{
    return (size_t)hb_header_stored(header) * header->limbs * HB_DIGEST_BYTES;
}

uint64_t hb_unit_rows_bytes(const hb_params *params, const hb_header *header)
{
    return hb_rows_bytes(params, header) + header->unit * digest_bytes(header);
}

hb_status hb_unit_rows_init(hb_unit_rows *rows, size_t count, hb_engine *engine, const hb_params *params,
                            const hb_header *header)
{
    if (count == 0) {
        return HB_OK;
    }
    *rows = (hb_unit_rows){.engine = engine, .params = params, .header = header};
    rows->components = hb_header_stored(header);
    rows->component_bytes = hb_rows_component_bytes(engine, header);
    hb_header_digest(rows->header_digest, header);
    /* One ciphertext has below 2^27 bytes (io/dataset/dataset.h); units are bounded when they are read or chosen. */
    const size_t one = rows->components * rows->component_bytes;
    const size_t digests = digest_bytes(header);
    if (header->unit > SIZE_MAX / (one + digests) / count) {
        return HB_FAIL(HB_ENOMEM, "no memory for units of this size");
    }
    const size_t unit = (size_t)header->unit;
    HB_TRY(hb_alloc(engine, count * unit * one, (void **)&rows->own));
    rows->packed = rows->own;
    /* Digests of all limbs, also of other members': the exchange brings them here. */
    HB_TRY(hb_alloc(engine, count * unit * digests, (void **)&rows->digests));
    HB_TRY(hb_host_alloc(engine, count * unit * digests, (void **)&rows->host_digests));
    for (size_t k = 1; k < count; k++) {
        rows[k] = *rows;
        rows[k].own += k * unit * one;
        rows[k].packed = rows[k].own;
        rows[k].digests += k * unit * digests;
        rows[k].host_digests += k * unit * digests;
    }
    return HB_OK;
}

void hb_unit_rows_move(hb_unit_rows *rows, hb_engine *engine)
{
    rows->engine = engine;
}

void hb_unit_rows_lend(hb_unit_rows *rows, uint8_t *packed)
{
    rows->packed = packed != NULL ? packed : rows->own;
}

void hb_unit_rows_know(hb_unit_rows *rows, uint64_t u, const hb_dataset *dataset)
{
    rows->checked = dataset;
    rows->unit = u;
}

uint64_t hb_unit_rows_packed_bytes(const hb_engine *engine, const hb_header *header)
{
    return header->unit * hb_header_stored(header) * hb_rows_component_bytes(engine, header);
}

void hb_unit_rows_turn_to(hb_unit_rows *rows, const hb_header *header)
{
    HB_ASSERT(hb_rows_component_bytes(rows->engine, header) == rows->component_bytes);
    rows->header = header;
    rows->components = hb_header_stored(header);
    rows->checked = NULL;
    hb_header_digest(rows->header_digest, header);
}

void hb_unit_rows_clear(hb_unit_rows *rows, size_t count)
{
    if (count > 0 && rows->engine != NULL) {
        hb_free(rows->engine, rows->own);
        hb_free(rows->engine, rows->digests);
        hb_host_free(rows->engine, rows->host_digests);
    }
    for (size_t k = 0; k < count; k++) {
        rows[k] = (hb_unit_rows){.engine = NULL};
    }
}

/* Returns where the rows of a component begin in a unit of `count` ciphertexts, which may be fewer than the
 * header's. */
static uint8_t *rows_of(const hb_unit_rows *rows, uint32_t component, size_t count)
{
    return rows->packed + count * component * rows->component_bytes;
}

static hb_packed packed_at(const hb_unit_rows *rows, uint32_t component, hb_unit_rows_view places)
{
    return (hb_packed){rows_of(rows, component, places.count), places.count, places.at, places.stride};
}

/* Whether rows of this component hold some coefficients, whatever the form of ciphertexts is. */
static bool is_cut(const hb_unit_rows *rows, uint32_t component)
{
    return component == 0 && rows->header->kept > 0;
}

hb_status hb_unit_rows_pack(hb_unit_rows *rows, uint32_t component, hb_batch c, hb_unit_rows_view places)
{
    if (is_cut(rows, component)) {
        if (rows->header->form == HB_NTT_FORM) {
            HB_TRY(hb_intt(rows->engine, c));
        }
        HB_TRY(hb_clear(rows->engine, hb_unit_rows_behind(c, rows->engine->ring->n, rows->header->kept)));
    }
    return hb_pack(rows->engine, packed_at(rows, component, places), c);
}

hb_status hb_unit_rows_unpack(hb_unit_rows *rows, uint32_t component, hb_batch c, hb_unit_rows_view places)
{
    size_t out_of_range = 0;
    HB_TRY(hb_unpack(rows->engine, c, packed_at(rows, component, places), &out_of_range));
    if (out_of_range == 0) {
        return is_cut(rows, component) && rows->header->form == HB_NTT_FORM ? hb_ntt(rows->engine, c) : HB_OK;
    }
    return rows->checked != NULL ? hb_dataset_out_of_range(rows->checked, rows->unit, out_of_range)
                                 : HB_FAIL(HB_EDATA, "%zu residues are not below their modulus", out_of_range);
}

hb_status hb_unit_rows_expand(hb_engine *engine, hb_batch c1, const hb_seed *seeds, hb_form form)
{
    HB_TRY(hb_sample_uniform(engine, c1, seeds)); /* a seed stands for the NTT form (io/README.md) */
    return form == HB_COEFFICIENT_FORM ? hb_intt(engine, c1) : HB_OK;
}

hb_status hb_unit_rows_load(hb_unit_rows *rows, hb_batch c0, hb_batch c1, const hb_rows *host, hb_unit_rows_view places)
{
    HB_ASSERT(places.stride == 1);
    HB_TRY(hb_unit_rows_unpack(rows, 0, c0, places));
    return rows->header->seeded ? hb_unit_rows_expand(rows->engine, c1, host->seeds + places.at, rows->header->form)
                                : hb_unit_rows_unpack(rows, 1, c1, places);
}

hb_status hb_unit_rows_find_transparent(hb_engine *engine, const hb_params *params, hb_batch c1, size_t *place)
{
    const uint64_t words = (uint64_t)c1.limbs * params->spec.n;
    uint64_t zeros;
    HB_TRY(hb_count_zeros(engine, &zeros, c1));
    /* One count over the whole batch usually shows that no ciphertext can be all zeros. */
    for (*place = 0; zeros >= words && *place < c1.count; ++*place) {
        uint64_t own;
        HB_TRY(hb_count_zeros(engine, &own, hb_batch_slice(c1, *place, 1)));
        if (own == words) {
            return HB_OK;
        }
    }
    *place = c1.count;
    return HB_OK;
}

hb_status hb_unit_rows_upload(hb_unit_rows *rows, const hb_rows *from)
{
    const size_t count = (size_t)from->count, bytes = count * rows->component_bytes;
    HB_TRY(hb_stage_times_note_engine(rows->engine, HB_TIME_COMPUTE));
    HB_TRY(hb_upload(rows->engine, rows_of(rows, 0, count), from->c0, bytes));
    if (rows->components > 1) {
        HB_TRY(hb_upload(rows->engine, rows_of(rows, 1, count), from->c1, bytes));
    }
    return hb_stage_times_note_engine(rows->engine, HB_TIME_UPLOAD);
}

hb_status hb_unit_rows_download(hb_unit_rows *rows, hb_rows *to)
{
    const size_t count = (size_t)to->count, bytes = count * rows->component_bytes;
    HB_TRY(hb_stage_times_note_engine(rows->engine, HB_TIME_COMPUTE));
    HB_TRY(hb_download(rows->engine, to->c0, rows_of(rows, 0, count), bytes));
    if (rows->components > 1) {
        HB_TRY(hb_download(rows->engine, to->c1, rows_of(rows, 1, count), bytes));
    }
    return hb_stage_times_note_engine(rows->engine, HB_TIME_DOWNLOAD);
}

/* Brings the digests of all components to the host, in the order of limbs. */
static hb_status download_digests(hb_unit_rows *rows, size_t count)
{
    const uint32_t limbs = rows->header->limbs;
    const uint16_t *ids = rows->params->ids;
    const size_t each = count * HB_DIGEST_BYTES;
    if (hb_divided_device(rows->engine) == rows->engine) {
        return hb_download(rows->engine, rows->host_digests, rows->digests, rows->components * limbs * each);
    }
    for (uint32_t i = 0; i < rows->components * limbs; i++) {
        const uint32_t first = i / limbs * limbs, place = hb_digest_place(rows->engine, ids, limbs, i % limbs);
        HB_TRY(hb_download(rows->engine, rows->host_digests + i * each, rows->digests + (first + place) * each, each));
    }
    return HB_OK;
}

/* The sum under a header with this digest. */
static hb_status sum_under(hb_unit_rows *rows, const uint8_t header_digest[HB_DIGEST_BYTES], uint64_t u,
                           const hb_rows *host, uint8_t sum[HB_DIGEST_BYTES])
{
    const size_t count = (size_t)host->count;
    const uint32_t limbs = rows->header->limbs;
    const size_t component_digests = limbs * count * HB_DIGEST_BYTES;
    for (uint32_t component = 0; component < rows->components; component++) {
        /* Exchanges: every member gets the digests of all limbs, and so computes the same sum. */
        HB_TRY(hb_digest_rows(rows->engine, rows->digests + component * component_digests,
                              (hb_packed){rows_of(rows, component, count), count, 0, 1}, rows->params->ids, limbs));
    }
    HB_TRY(download_digests(rows, count));
    /* The digests are on the host only now. */
    HB_TRY(hb_finish(rows->engine));
    hb_unit_digest(sum, rows->header, header_digest, u, host, rows->host_digests);
    hb_stage_times_note(HB_TIME_COMPUTE);
    return HB_OK;
}

hb_status hb_unit_rows_sum(hb_unit_rows *rows, uint64_t u, const hb_rows *host, uint8_t sum[HB_DIGEST_BYTES])
{
    return sum_under(rows, rows->header_digest, u, host, sum);
}

hb_status hb_unit_rows_check(hb_unit_rows *rows, uint64_t u, const hb_rows *host, const hb_dataset *dataset)
{
    uint8_t sum[HB_DIGEST_BYTES];
    HB_TRY(hb_unit_rows_upload(rows, host));
    HB_TRY(sum_under(rows, hb_dataset_unit_header(dataset, u), u, host, sum));
    /* Set also for a sum that differs: messages about these rows then name the unit. */
    hb_unit_rows_know(rows, u, dataset);
    return memcmp(sum, hb_dataset_unit_sum(dataset, u), sizeof sum) == 0 ? HB_OK : hb_dataset_mismatch(dataset, u);
}
