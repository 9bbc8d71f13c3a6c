#include "part_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "scheme/params.h"

/* All parts have rows of one shape. */
static const hb_header *header_of(const hb_part_inputs *inputs)
{
    return hb_dataset_header(inputs->part[0]);
}

uint64_t hb_part_sums_worker_bytes(const hb_params *params, const hb_part_inputs *inputs, size_t batch)
{
    const hb_header *header = header_of(inputs);
    const uint64_t limbs = hb_params_most_limbs(params, params->ids, header->limbs);
    return hb_unit_rows_bytes(params, header) +
           (hb_header_components(header) * header->unit + batch) * limbs * params->spec.n * sizeof(uint64_t);
}

uint64_t hb_part_sums_host_bytes(const hb_params *params, const hb_part_inputs *inputs, uint32_t buffers)
{
    return (uint64_t)buffers * inputs->count * hb_rows_bytes(params, header_of(inputs));
}

/* Makes room for a unit, and for `batch` ciphertexts at a time. */
static hb_status unit_init(hb_part_sum *unit, const hb_header *header, hb_engine *engine, const hb_params *params,
                           size_t batch)
{
    HB_TRY(hb_unit_rows_init(&unit->rows, 1, engine, params, header));
    HB_TRY(hb_batch_alloc(engine, &unit->h, batch, header->limbs, params->ids));
    for (uint32_t c = 0; c < hb_header_components(header); c++) {
        HB_TRY(hb_batch_alloc(engine, &unit->sum[c], (size_t)header->unit, header->limbs, params->ids));
    }
    return HB_OK;
}

static void unit_clear(hb_part_sum *unit)
{
    hb_engine *engine = unit->rows.engine;
    if (engine != NULL) {
        hb_batch_free(engine, &unit->h);
        for (uint32_t c = 0; c < 2; c++) {
            hb_batch_wipe(engine, unit->sum[c]); /* in the clear it is the message, with component 0 */
            hb_batch_free(engine, &unit->sum[c]);
        }
    }
    hb_unit_rows_clear(&unit->rows, 1);
    memset(unit, 0, sizeof *unit);
}

hb_status hb_part_sums_prepare(hb_part_sums *sums, hb_part_inputs *inputs, const hb_job *job)
{
    const hb_workers *workers = &job->plan.workers;
    const hb_session *session = &job->session;
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(job), workers->units);
    sums->inputs = inputs;
    sums->engine = session->engine;
    sums->rows = calloc((size_t)HB_PIPELINE_MOST_BUFFERS * inputs->count, sizeof *sums->rows);
    if (sums->rows == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for parts");
    }
    for (size_t i = 0; i < (size_t)buffers * inputs->count; i++) {
        HB_TRY(hb_rows_alloc(&sums->rows[i], 1, sums->engine, header_of(inputs)));
    }
    for (uint32_t i = 0; i < workers->count; i++) {
        HB_TRY(unit_init(&sums->unit[i], header_of(inputs), session->queue[i], session->params, workers->batch));
    }
    return HB_OK;
}

void hb_part_sums_close(hb_part_sums *sums)
{
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        unit_clear(&sums->unit[i]);
    }
    for (size_t i = 0; sums->rows != NULL && i < (size_t)HB_PIPELINE_MOST_BUFFERS * sums->inputs->count; i++) {
        hb_rows_free(&sums->rows[i], sums->engine);
    }
    free(sums->rows);
    memset(sums, 0, sizeof *sums);
}

hb_status hb_part_sums_read(hb_part_sums *sums, uint32_t buffer, uint64_t u)
{
    const hb_part_inputs *inputs = sums->inputs;
    for (uint32_t i = 0; i < inputs->count; i++) {
        HB_TRY(hb_dataset_read(inputs->part[i], u, &sums->rows[buffer * inputs->count + i]));
    }
    return HB_OK;
}

/* Adds a component of one owner's parts of a unit, whose sum was compared. */
static hb_status add_rows(hb_part_sum *unit, uint32_t component, size_t count, bool first)
{
    for (hb_chunk c = hb_chunks(count, unit->h.count); hb_chunk_next(&c);) {
        const hb_unit_rows_view places = {c.first, 1, count};
        const hb_batch sum = hb_batch_slice(unit->sum[component], c.first, c.count);
        const hb_batch h = first ? sum : hb_batch_slice(unit->h, 0, c.count);
        HB_TRY(hb_unit_rows_unpack(&unit->rows, component, h, places));
        if (!first) {
            HB_TRY(hb_add(unit->rows.engine, sum, sum, h));
        }
    }
    return HB_OK;
}

hb_status hb_part_sums_add(hb_part_sums *sums, uint32_t buffer, uint32_t worker, uint64_t u, size_t *count)
{
    const hb_part_inputs *inputs = sums->inputs;
    const hb_rows *rows = &sums->rows[buffer * inputs->count];
    hb_part_sum *unit = &sums->unit[worker];
    *count = (size_t)rows->count;
    for (uint32_t i = 0; i < inputs->count; i++) {
        hb_dataset *part = inputs->part[i];
        const hb_header *header = hb_dataset_header(part);
        hb_unit_rows_turn_to(&unit->rows, header);
        HB_TRY(hb_unit_rows_check(&unit->rows, u, &rows[i], part));
        for (uint32_t c = 0; c < hb_header_components(header); c++) {
            HB_TRY(add_rows(unit, c, *count, i == 0));
        }
    }
    return HB_OK;
}
