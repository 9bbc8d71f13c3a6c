#include "combining.h"

#include <string.h>

#include "cli/parse.h"
#include "scheme/params.h"
#include "scheme/quality.h"

hb_status hb_combining_open(hb_combining *combining, hb_job *job, char *const *paths, size_t count,
                            const hb_dataset *dataset, const char *dataset_path)
{
    HB_TRY(hb_part_dataset_check(job->header, dataset_path));
    HB_TRY(hb_session_open_keyless(&job->session, &job->header->spec));
    memcpy(job->session.key_id, job->header->key_id, sizeof job->session.key_id);
    HB_TRY(hb_part_inputs_open(&combining->inputs, paths, count, job, dataset, dataset_path));
    const hb_part_facts *facts = hb_part_inputs_facts(&combining->inputs);
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, facts->receiver, HB_KEY_ID_BYTES);
    return hb_part_has_receiver(facts)
               ? HB_FAIL(HB_EUSAGE,
                         "the parts of %s are for key %s, whose owner alone opens them: give OUT.heb in the place of a "
                         "table, and decrypt it with that key",
                         dataset_path, id)
               : HB_OK;
}

void hb_combining_close(hb_combining *combining)
{
    hb_part_sums_close(&combining->sums);
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
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(job), job->plan.workers.units);
    return combining->inputs.count > 0 ? hb_part_sums_host_bytes(job->session.params, &combining->inputs, buffers) : 0;
}

hb_status hb_combining_prepare(hb_combining *combining, hb_decryption *decryption, const hb_job *job)
{
    hb_part_inputs *inputs = &combining->inputs;
    const hb_workers *workers = &job->plan.workers;
    const hb_part_facts *facts = hb_part_inputs_facts(inputs);
    combining->some = facts->some;
    HB_TRY(hb_part_cells_init(&combining->cells, job->header, facts));
    HB_TRY(hb_part_sums_prepare(&combining->sums, inputs, job));
    for (uint32_t i = 0; i < workers->count; i++) {
        HB_TRY(hb_unit_combiner_init(&decryption->decryptor[i], &job->session, job->session.queue[i], job->header,
                                     workers->batch, &inputs->plan));
    }
    return HB_OK;
}

void hb_combining_fill(const hb_combining *combining, const hb_cells *cells, uint64_t first, size_t count,
                       uint64_t *values)
{
    const bool fills = combining->some && hb_spec_residues(cells->spec) == 1; /* one residue has no range to be in */
    for (size_t i = 0; fills && i < count; i++, values += cells->stride) {
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
    size_t count;
    HB_TRY(hb_part_sums_add(&combining->sums, buffer, worker, u, &count));
    decryptor->parts = hb_batch_slice(combining->sums.unit[worker].sum[0], 0, count);
    return HB_OK;
}
