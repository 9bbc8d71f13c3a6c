#include "adder.h"

#include <inttypes.h>
#include <string.h>

#include "base/chunk.h"

static uint64_t group_ciphertexts(const hb_header *header)
{
    const uint64_t most = hb_add_together(header) * header->unit;
    return most < header->ciphertexts ? most : header->ciphertexts;
}

uint64_t hb_adder_bytes(const hb_params *params, const hb_header *header, size_t batch)
{
    const uint64_t ciphertext =
        (uint64_t)2 * hb_params_most_limbs(params, params->ids, header->limbs) * params->spec.n * sizeof(uint64_t);
    return 2 * hb_unit_rows_bytes(params, header) + (group_ciphertexts(header) + batch) * ciphertext;
}

hb_status hb_adder_init(hb_adder *x, hb_engine *engine, const hb_params *params, const hb_header *header, size_t batch)
{
    *x = (hb_adder){.engine = engine, .params = params, .header = header, .batch = batch};
    HB_TRY(hb_unit_rows_init(&x->input, engine, params, header));
    HB_TRY(hb_unit_rows_init(&x->made, engine, params, header));
    for (int i = 0; i < 2; i++) {
        HB_TRY(hb_batch_alloc(engine, &x->sum[i], (size_t)group_ciphertexts(header), header->limbs, params->ids));
        HB_TRY(hb_batch_alloc(engine, &x->some[i], batch, header->limbs, params->ids));
    }
    return HB_OK;
}

void hb_adder_clear(hb_adder *x)
{
    for (int i = 0; i < 2 && x->engine != NULL; i++) {
        hb_batch_free(x->engine, &x->sum[i]);
        hb_batch_free(x->engine, &x->some[i]);
    }
    hb_unit_rows_clear(&x->input);
    hb_unit_rows_clear(&x->made);
    memset(x, 0, sizeof *x);
}

/* Brings ciphertexts of the unit that was checked into c. */
static hb_status load(hb_adder *x, const hb_rows *rows, hb_unit_rows_view places, const hb_batch c[2])
{
    HB_TRY(hb_unit_rows_unpack(&x->input, 0, c[0], places));
    return x->input.header->seeded ? hb_unit_rows_expand(x->engine, c[1], rows->seeds + places.at, x->header->form)
                                   : hb_unit_rows_unpack(&x->input, 1, c[1], places);
}

hb_status hb_adder_add(hb_adder *x, const hb_add_read *read, const hb_rows *rows, const hb_dataset *dataset)
{
    hb_unit_rows_turn_to(&x->input, hb_dataset_header(dataset));
    HB_TRY(hb_unit_rows_check(&x->input, read->unit, rows, dataset));
    for (hb_chunk c = hb_chunks((size_t)read->count, x->batch); hb_chunk_next(&c);) {
        const hb_unit_rows_view places = {(size_t)read->from + c.first, 1, (size_t)rows->count};
        hb_batch sum[2], some[2];
        for (int i = 0; i < 2; i++) {
            sum[i] = hb_batch_slice(x->sum[i], (size_t)read->to + c.first, c.count);
            some[i] = hb_batch_slice(x->some[i], 0, c.count);
        }
        if (read->input == 0) {
            HB_TRY(load(x, rows, places, sum));
            continue;
        }
        HB_TRY(load(x, rows, places, some));
        HB_TRY(hb_add(x->engine, sum[0], sum[0], some[0]));
        HB_TRY(hb_add(x->engine, sum[1], sum[1], some[1]));
    }
    /* Rows of the next unit go to the same memory. */
    return hb_finish(x->engine);
}

hb_status hb_adder_make(hb_adder *x, const hb_add_group *group, uint64_t unit, const char *name, hb_rows *rows,
                        uint8_t sum[HB_DIGEST_BYTES])
{
    uint64_t first, ciphertexts;
    hb_header_unit_range(x->header, unit, &first, &ciphertexts);
    const size_t at = (size_t)(first - group->first), count = (size_t)ciphertexts;
    const hb_unit_rows_view places = {0, 1, count};
    const hb_batch c0 = hb_batch_slice(x->sum[0], at, count), c1 = hb_batch_slice(x->sum[1], at, count);
    size_t place;
    HB_TRY(hb_unit_rows_find_transparent(x->engine, x->params, c1, &place));
    if (place < count) {
        return HB_FAIL(HB_EDATA,
                       "%s: its ciphertext %" PRIu64 " (from 0) is transparent: anyone could read it without a key, so "
                       "nothing is stored; datasets cancel one another",
                       name, first + place);
    }
    HB_TRY(hb_unit_rows_pack(&x->made, 0, c0, places));
    HB_TRY(hb_unit_rows_pack(&x->made, 1, c1, places));
    rows->count = ciphertexts;
    HB_TRY(hb_unit_rows_download(&x->made, rows));
    return hb_unit_rows_sum(&x->made, unit, rows, sum);
}
