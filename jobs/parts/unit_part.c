#include "unit_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "scheme/codec.h"

static bool is_ordered(const hb_header *header)
{
    return header->encoding == HB_ENCODE_REVERSED;
}

uint64_t hb_unit_part_bytes(const hb_params *params, const hb_header *part, size_t batch)
{
    const bool ordered = is_ordered(part), sent = hb_part_has_receiver(part->part);
    const uint32_t limbs = part->limbs;
    const uint64_t own = hb_params_most_limbs(params, params->ids, limbs);
    const uint64_t words = (1U + sent + ordered) * own * params->spec.n + hb_values_words(&params->spec);
    hb_header dataset = *part; /* a view: of both components, and all coefficients */
    dataset.part = NULL;
    return hb_unit_rows_bytes(params, &dataset) + hb_unit_rows_bytes(params, part) +
           (hb_spec_threshold(&part->spec) < hb_spec_owners(&part->spec) ? hb_masks_bytes(params, limbs, batch) : 0) +
           hb_pads_bytes(params, batch) + hb_codec_bytes(&params->spec, part->encoding) +
           (sent ? hb_receiver_bytes(params, limbs, batch) : 0) + (ordered ? hb_unit_order_bytes(params, limbs) : 0) +
           batch * words * sizeof(uint64_t);
}

static hb_status allocate(hb_unit_part *x, hb_engine *engine)
{
    const hb_unit_part_setting *setting = x->setting;
    const hb_header *header = hb_dataset_header(setting->dataset);
    const hb_params *params = setting->secret->params;
    const size_t unit = (size_t)header->unit, words = x->batch * hb_values_words(&params->spec);
    void *memory;
    /* For a moment these are products with the secret. */
    HB_TRY(hb_batch_alloc_locked(engine, &x->c1, x->batch, header->limbs, params->ids));
    if (setting->receiver != NULL) {
        HB_TRY(hb_batch_alloc_locked(engine, &x->h1, x->batch, header->limbs, params->ids));
    }
    HB_TRY(hb_values_alloc(&x->stray, engine, params, x->batch));
    if (is_ordered(header)) {
        HB_TRY(hb_unit_order_open(&x->order, engine, params, header->limbs));
        HB_TRY(hb_batch_alloc(engine, &x->ordered, x->batch, header->limbs, params->ids));
    }
    HB_TRY(hb_host_alloc(engine, words * sizeof(uint64_t), &memory));
    x->stray_words = memory;
    x->seeds = calloc(unit, sizeof *x->seeds);
    x->records = calloc(unit, sizeof *x->records);
    if (x->seeds == NULL || x->records == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for parts of %zu ciphertexts", unit);
    }
    hb_lock(x->seeds, unit * sizeof *x->seeds);
    return HB_OK;
}

hb_status hb_unit_part_init(hb_unit_part *x, const hb_unit_part_setting *setting, hb_engine *engine, size_t batch)
{
    const hb_header *header = hb_dataset_header(setting->dataset);
    const hb_params *params = setting->secret->params;
    *x = (hb_unit_part){.setting = setting, .batch = batch};
    HB_TRY(hb_unit_rows_init(&x->from, 1, engine, params, header));
    HB_TRY(hb_unit_rows_init(&x->to, 1, engine, params, setting->part));
    HB_TRY(hb_pads_open(engine, params, header->limbs, header->encoding, batch, &x->pads));
    if (setting->masked) {
        HB_TRY(hb_masks_open(engine, params, header->limbs, &setting->masks, batch, &x->masks));
    }
    if (setting->receiver != NULL) {
        HB_TRY(hb_receiver_open(engine, setting->receiver, header->limbs, batch, &x->receiver));
    }
    return allocate(x, engine);
}

void hb_unit_part_clear(hb_unit_part *x)
{
    hb_engine *engine = x->from.engine;
    if (engine != NULL) {
        hb_batch *const batches[] = {&x->c1, &x->h1, &x->stray, &x->ordered};
        for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
            hb_batch_wipe(engine, *batches[i]);
            hb_batch_free(engine, batches[i]);
        }
        hb_host_free(engine, x->stray_words);
    }
    if (x->seeds != NULL) {
        hb_wipe(x->seeds, (size_t)x->from.header->unit * sizeof *x->seeds);
    }
    free(x->seeds);
    free(x->records);
    hb_masks_close(x->masks);
    hb_pads_close(x->pads);
    hb_receiver_close(x->receiver);
    hb_unit_order_close(&x->order);
    hb_unit_rows_clear(&x->to, 1);
    hb_unit_rows_clear(&x->from, 1);
    memset(x, 0, sizeof *x);
}

void hb_part_records(hb_ledger_record *records, const hb_unit_rows *rows, size_t count, const hb_part_request *request)
{
    const uint32_t limbs = rows->header->limbs;
    const uint8_t *of_c1 = rows->host_digests + (size_t)limbs * count * HB_DIGEST_BYTES;
    for (size_t i = 0; i < count; i++) {
        uint8_t digests[HB_MAX_LIMBS][HB_DIGEST_BYTES];
        for (uint32_t l = 0; l < limbs; l++) {
            memcpy(digests[l], of_c1 + (l * count + i) * HB_DIGEST_BYTES, HB_DIGEST_BYTES);
        }
        hb_part_c1_digest(records[i].c1, limbs, digests[0]);
        hb_part_context(records[i].context, request, records[i].c1);
    }
}

/* Makes records and seeds of a unit that was checked. */
static void request_parts(hb_unit_part *x, size_t count)
{
    hb_part_records(x->records, &x->from, count, &x->setting->request);
    for (size_t i = 0; i < count; i++) {
        hb_part_seed(&x->seeds[i], &x->setting->owner->own, x->records[i].context);
    }
}

/* Adds values that hide slots which are no cell; first: number of the first ciphertext. */
static hb_status add_pads(hb_unit_part *x, hb_batch h, const hb_seed *seeds, uint64_t first)
{
    hb_engine *e = x->from.engine;
    const size_t words = hb_values_words(&x->from.params->spec);
    const hb_batch stray = hb_batch_slice(x->stray, 0, h.count);
    bool any = false;
    for (size_t i = 0; i < h.count; i++) {
        any |= hb_part_cells_strays(x->setting->cells, first + i, x->stray_words + i * words, words);
    }
    if (!any) {
        return HB_OK;
    }
    HB_TRY(hb_upload(e, stray.data, x->stray_words, h.count * words * sizeof(uint64_t)));
    if (x->order.engine == NULL) {
        HB_TRY(hb_pads_add(x->pads, h, stray, seeds));
    } else {
        const hb_batch ordered = hb_batch_slice(x->ordered, 0, h.count);
        HB_TRY(hb_clear(e, ordered));
        HB_TRY(hb_pads_add(x->pads, ordered, stray, seeds));
        HB_TRY(hb_unit_order_to_ring(&x->order, ordered));
        HB_TRY(hb_add(e, h, h, ordered));
    }
    return hb_finish(e); /* the words are the next batch's from here on */
}

/* Ciphertexts at .. at + some of the `count` of a unit whose first one is number `first`. */
static hb_status make_some(hb_unit_part *x, size_t at, size_t some, size_t count, uint64_t first)
{
    const hb_unit_rows_view places = {at, 1, count};
    const hb_batch h = hb_batch_slice(x->c1, 0, some);
    const hb_exact_flood flood = x->setting->request.plan.flood;
    HB_TRY(hb_unit_rows_unpack(&x->from, 1, h, places));
    HB_TRY(hb_part_make(x->from.engine, x->setting->secret, flood, h, h, x->seeds + at));
    if (x->masks != NULL) {
        HB_TRY(hb_masks_add(x->masks, h, x->records[at].context, sizeof *x->records));
    }
    HB_TRY(add_pads(x, h, x->seeds + at, first + at));
    if (x->receiver != NULL) {
        const hb_batch h1 = hb_batch_slice(x->h1, 0, some);
        HB_TRY(hb_receiver_turn(x->receiver, h, h1, x->seeds + at));
        HB_TRY(hb_unit_rows_pack(&x->to, 1, h1, places));
    }
    return hb_unit_rows_pack(&x->to, 0, h, places);
}

hb_status hb_unit_part_make(hb_unit_part *x, hb_unit_buffer *buffer, uint64_t u)
{
    uint64_t first, ciphertexts;
    hb_header_unit_range(x->from.header, u, &first, &ciphertexts);
    const size_t count = (size_t)ciphertexts;
    /* The part of a component 1 that somebody made up tells the secret: the sum is compared first. */
    HB_TRY(hb_unit_rows_check(&x->from, u, &buffer->rows, x->setting->dataset));
    request_parts(x, count);
    for (hb_chunk c = hb_chunks(count, x->batch); hb_chunk_next(&c);) {
        HB_TRY(make_some(x, c.first, c.count, count, first));
    }
    HB_TRY(hb_unit_rows_download(&x->to, &buffer->rows));
    HB_TRY(hb_unit_rows_sum(&x->to, u, &buffer->rows, buffer->sum));
    /* They have not left yet: a unit that is refused until here counts for nothing. */
    return hb_ledger_add_parts(x->setting->owner->ledger, x->records, count, first);
}
