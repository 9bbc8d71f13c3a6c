#include "combining.h"

#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "scheme/params.h"
#include "scheme/quality.h"

/* --- the parts of a unit */

uint64_t hb_combining_worker_bytes(const hb_params *params, const hb_header *dataset, size_t batch)
{
    const uint64_t limbs = hb_params_most_limbs(params, params->ids, dataset->limbs);
    return hb_unit_rows_bytes(params, dataset) + (dataset->unit + batch) * limbs * params->spec.n * sizeof(uint64_t);
}

/* Makes room for a unit, and for `batch` ciphertexts at a time. */
static hb_status unit_init(hb_combining_unit *unit, hb_part_inputs *inputs, hb_engine *engine, const hb_params *params,
                           size_t batch)
{
    const hb_header *header = hb_dataset_header(inputs->part[0]);
    *unit = (hb_combining_unit){.inputs = inputs};
    HB_TRY(hb_unit_rows_init(&unit->rows, 1, engine, params, header));
    HB_TRY(hb_batch_alloc(engine, &unit->h, batch, header->limbs, params->ids));
    return hb_batch_alloc(engine, &unit->sum, (size_t)header->unit, header->limbs, params->ids);
}

static void unit_clear(hb_combining_unit *unit)
{
    hb_engine *engine = unit->rows.engine;
    if (engine != NULL) {
        hb_batch_free(engine, &unit->h);
        hb_batch_wipe(engine, unit->sum); /* with component 0 it is the message */
        hb_batch_free(engine, &unit->sum);
    }
    hb_unit_rows_clear(&unit->rows, 1);
    memset(unit, 0, sizeof *unit);
}

/* Adds one owner's parts of a unit, whose sum was compared. */
static hb_status add_rows(hb_combining_unit *unit, size_t count, bool first)
{
    for (hb_chunk c = hb_chunks(count, unit->h.count); hb_chunk_next(&c);) {
        const hb_unit_rows_view places = {c.first, 1, count};
        const hb_batch sum = hb_batch_slice(unit->sum, c.first, c.count);
        const hb_batch h = first ? sum : hb_batch_slice(unit->h, 0, c.count);
        HB_TRY(hb_unit_rows_unpack(&unit->rows, 0, h, places));
        if (!first) {
            HB_TRY(hb_add(unit->rows.engine, sum, sum, h));
        }
    }
    return HB_OK;
}

/* Adds up the parts of unit u, whose rows are there, [count], after checking the sum of each. Exchanges. */
static hb_status unit_add(hb_combining_unit *unit, uint64_t u, const hb_rows *rows)
{
    for (uint32_t i = 0; i < unit->inputs->count; i++) {
        hb_dataset *part = unit->inputs->part[i];
        hb_unit_rows_turn_to(&unit->rows, hb_dataset_header(part));
        HB_TRY(hb_unit_rows_check(&unit->rows, u, &rows[i], part));
        HB_TRY(add_rows(unit, (size_t)rows[i].count, i == 0));
    }
    return HB_OK;
}

/* --- the parts in a job */

hb_status hb_combining_open(hb_combining *combining, hb_job *job, char *const *paths, size_t count,
                            const hb_dataset *dataset, const char *dataset_path)
{
    HB_TRY(hb_part_dataset_check(job->header, dataset_path));
    HB_TRY(hb_session_open_keyless(&job->session, &job->header->spec));
    memcpy(job->session.key_id, job->header->key_id, sizeof job->session.key_id);
    return hb_part_inputs_open(&combining->inputs, paths, count, job, dataset, dataset_path);
}

void hb_combining_close(hb_combining *combining)
{
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        unit_clear(&combining->unit[i]);
    }
    for (size_t i = 0; combining->rows != NULL && i < (size_t)HB_PIPELINE_MOST_BUFFERS * combining->inputs.count; i++) {
        hb_rows_free(&combining->rows[i], combining->engine);
    }
    free(combining->rows);
    hb_part_cells_clear(&combining->cells);
    hb_part_inputs_close(&combining->inputs);
    memset(combining, 0, sizeof *combining);
}

hb_status hb_combining_select(const hb_combining *combining, const hb_schema *schema, hb_selection *selection)
{
    const hb_part_facts *facts = hb_part_inputs_facts(&combining->inputs);
    HB_TRY(hb_selection_read(NULL, NULL, schema, selection));
    selection->some = facts->some;
    if (facts->some) { /* within those of the table: the header of the part was checked */
        memcpy(selection->columns, facts->column, (size_t)facts->columns * sizeof *facts->column);
        selection->view.row = facts->row;
        selection->view.rows = facts->rows;
        selection->view.count = facts->columns;
    }
    return HB_OK;
}

hb_predicted hb_combining_predicted(const hb_combining *combining, const hb_job *job)
{
    hb_predicted predicted = hb_predicted_budget(job->session.params, job->header);
    predicted.worst = hb_quality_bits(job->session.params, job->header->limbs, combining->inputs.plan.worst);
    predicted.expected = predicted.worst;
    return predicted;
}

uint64_t hb_combining_host_bytes(const hb_combining *combining, const hb_job *job)
{
    const uint64_t buffers = hb_pipeline_buffers(hb_job_threads(job), job->plan.workers.units);
    return buffers * combining->inputs.count * hb_rows_bytes(job->session.params, job->header) / 2;
}

hb_status hb_combining_prepare(hb_combining *combining, hb_decryption *decryption, const hb_job *job)
{
    hb_part_inputs *inputs = &combining->inputs;
    const hb_workers *workers = &job->plan.workers;
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(job), workers->units);
    const hb_part_facts *facts = hb_part_inputs_facts(inputs);
    combining->some = facts->some;
    HB_TRY(hb_part_cells_init(&combining->cells, job->header, facts));
    combining->engine = job->session.engine;
    combining->rows = calloc((size_t)HB_PIPELINE_MOST_BUFFERS * inputs->count, sizeof *combining->rows);
    if (combining->rows == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for parts");
    }
    for (size_t i = 0; i < (size_t)buffers * inputs->count; i++) {
        HB_TRY(hb_rows_alloc(&combining->rows[i], 1, combining->engine, hb_dataset_header(inputs->part[0])));
    }
    for (uint32_t i = 0; i < workers->count; i++) {
        hb_engine *queue = job->session.queue[i];
        HB_TRY(unit_init(&combining->unit[i], inputs, queue, job->session.params, workers->batch));
        HB_TRY(hb_unit_combiner_init(&decryption->decryptor[i], &job->session, queue, job->header, workers->batch,
                                     &inputs->plan));
    }
    return HB_OK;
}

hb_status hb_combining_read(hb_combining *combining, uint32_t buffer, uint64_t u)
{
    hb_part_inputs *inputs = &combining->inputs;
    for (uint32_t i = 0; i < inputs->count; i++) {
        HB_TRY(hb_dataset_read(inputs->part[i], u, &combining->rows[buffer * inputs->count + i]));
    }
    return HB_OK;
}

void hb_combining_fill(const hb_combining *combining, const hb_cells *cells, uint64_t first, size_t count,
                       uint64_t *values)
{
    for (size_t i = 0; combining->some && i < count; i++, values += cells->stride) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        const size_t stride = hb_packing_stride(&cells->packing, &own);
        for (uint64_t r = 0; r < own.rows; r++) {
            for (uint64_t c = 0; c < own.columns; c++) {
                const hb_column *column = &cells->schema->column[own.column + c];
                if (!hb_part_cells_have(&combining->cells, own.row + r, own.column + c)) {
                    values[r * stride + c] = column->ranged ? column->least : 0;
                }
            }
        }
    }
}

hb_status hb_combining_add(hb_combining *combining, hb_unit_decryptor *decryptor, uint32_t buffer, uint32_t worker,
                           uint64_t u)
{
    const hb_rows *rows = &combining->rows[buffer * combining->inputs.count];
    hb_combining_unit *unit = &combining->unit[worker];
    HB_TRY(unit_add(unit, u, rows));
    decryptor->parts = hb_batch_slice(unit->sum, 0, (size_t)rows->count);
    return HB_OK;
}
