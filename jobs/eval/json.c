/* A computation in reports. */
#include "batch/cells/column_values.h"
#include "batch/cells/table_missing.h"
#include "batch/unit/predicted.h"
#include "cli/report.h"
#include "job.h"
#include "rekey/switched_input.h"
#include "scheme/quality.h"

/* Appends the item, which it takes over. */
static hb_status append(json_t *list, json_t *item)
{
    return json_array_append_new(list, item) == 0 ? HB_OK : HB_ENOMEM;
}

/* Returns the list, or NULL, freed, where an item was lost. */
static json_t *finished(json_t *list, hb_status st)
{
    if (st != HB_OK) {
        json_decref(list);
        return NULL;
    }
    return list;
}

/* Names, shapes and sums of the inputs. */
static json_t *inputs_json(const hb_eval_job *job)
{
    json_t *list = json_array();
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < job->inputs.count && st == HB_OK; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        char sum[2 * HB_DIGEST_BYTES + 1] = "";
        if (input->dataset != NULL) {
            uint8_t digest[HB_DIGEST_BYTES];
            hb_dataset_sum(input->dataset, digest);
            hb_hex(sum, digest, sizeof digest);
        }
        json_t *ring = input->switched != NULL ? json_integer((json_int_t)input->switched->own->spec.n) : NULL;
        st = append(list, json_pack("{s:s, s:o, s:b, s:o*, s:o, s:o, s:I, s:I, s:s}", "name", input->name, "file",
                                    hb_report_text(input->path), "encrypted", (int)(input->dataset != NULL), "ring",
                                    ring, "left_out", hb_left_out_json(&input->header->schema), "missing",
                                    hb_table_missing_json(input->table), "rows", (json_int_t)input->header->schema.rows,
                                    "columns", (json_int_t)input->header->schema.columns, "sum", sum));
    }
    return finished(list, st);
}

/* Names, shapes and sums of the outputs, and the units that an earlier job left. */
static json_t *outputs_json(const hb_eval_job *job)
{
    json_t *list = json_array();
    hb_status st = HB_OK;
    for (uint32_t o = 0; o < job->outputs.count && st == HB_OK; o++) {
        const hb_eval_output *output = &job->outputs.output[o];
        char sum[2 * HB_DIGEST_BYTES + 1] = "";
        /* A run that failed has no sum. */
        if (output->dataset.committed) {
            hb_hex(sum, output->dataset.sum, sizeof output->dataset.sum);
        }
        st = append(list,
                    json_pack("{s:s, s:o, s:o, s:o*, s:I, s:I, s:o, s:b, s:o*, s:i, s:I, s:I, s:I, s:b, s:I, s:s}",
                              "name", job->outputs.names[o], "file", hb_report_text(output->path), "left_out",
                              hb_left_out_json(&output->header.schema), "threshold_gap",
                              hb_threshold_gap_json(&output->header.schema), "rows",
                              (json_int_t)output->header.schema.rows, "columns",
                              (json_int_t)output->header.schema.columns, "column",
                              hb_report_columns(&output->header.schema), "may_wrap",
                              (int)hb_columns_may_wrap(&output->header.schema), "sanitized",
                              output->header.past.sanitized > 0 ? json_real(output->header.past.sanitized) : NULL,
                              "limbs", (int)output->header.limbs, "ciphertexts", (json_int_t)output->header.ciphertexts,
                              "stored_bytes", (json_int_t)hb_header_stored_bytes(&output->header), "units",
                              (json_int_t)hb_header_units(&output->header), "resumed",
                              (int)hb_output_dataset_continues(&output->dataset), "there",
                              (json_int_t)hb_output_dataset_there(&output->dataset), "sum", sum));
    }
    return finished(list, st);
}

/* The compiler's findings about noise, for each node that it notes, or for each step. */
static json_t *notes_json(const hb_node_note *notes, uint32_t count, bool assumed)
{
    json_t *list = json_array();
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < count && st == HB_OK; i++) {
        const hb_node_note *note = &notes[i];
        json_t *values = NULL;
        if (note->values.real) {
            values = json_pack("[f, f]", note->values.low, note->values.high);
        }
        st = append(list,
                    json_pack("{s:o*, s:o*, s:o*, s:s*, s:o, s:I, s:I, s:I, s:f, s:f}", "values", values, "iterations",
                              note->iterations > 0 ? json_integer((json_int_t)note->iterations) : NULL, "approximate",
                              hb_predicted_approximate_json(note->approximate, note->worst), "operation",
                              note->operation, "node", hb_report_text(note->text), "at", (json_int_t)note->at, "limbs",
                              (json_int_t)note->limbs, "depth", (json_int_t)note->depth,
                              assumed ? "assumed" : hb_certainty_word(note->certainty), note->worst, "expected",
                              note->expected));
    }
    return finished(list, st);
}

/* Returns what a note says of integers whose noise is refreshed. */
static json_t *refresh_json(const hb_bootstrap_note *note)
{
    json_t *ranges = json_array();
    for (uint32_t i = 0; i < note->passes && i < HB_BOOTSTRAP_NOTE_PASSES; i++) {
        (void)json_array_append_new(ranges, json_integer((json_int_t)note->ranges[i]));
    }
    return json_pack("{s:o, s:I, s:I, s:I, s:b, s:I, s:o, s:[I, I], s:[f, f], s:[f, f]}", "node",
                     hb_report_text(note->text), "at", (json_int_t)note->at, "iteration", (json_int_t)note->iteration,
                     "values", (json_int_t)note->values, "total", (int)note->total, "passes", (json_int_t)note->passes,
                     "k", ranges, "limbs", (json_int_t)note->limbs_before, (json_int_t)note->limbs_after, "bound",
                     note->worst_before, note->worst_after, "expected", note->expected_before, note->expected_after);
}

/* Values that are bootstrapped. */
static json_t *bootstraps_json(const hb_program *program)
{
    json_t *list = json_array();
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < program->description.bootstrap_count && st == HB_OK; i++) {
        const hb_bootstrap_note *note = &program->description.bootstraps[i];
        if (note->passes > 0) {
            st = append(list, refresh_json(note));
            continue;
        }
        st = append(list, json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:[I, I], s:[f, f], s:[f, f]}",
                                    "node", hb_report_text(note->text), "at", (json_int_t)note->at, "iteration",
                                    (json_int_t)note->iteration, "values", (json_int_t)note->values, "complex",
                                    (json_int_t)note->complex, "single", (json_int_t)note->singles, "paired",
                                    (json_int_t)note->pairs, "row_blocks_paired", (json_int_t)note->neighbours, "total",
                                    (int)note->total, "range_bits", (json_int_t)note->range_bits, "limbs",
                                    (json_int_t)note->limbs_before, (json_int_t)note->limbs_after, "proven",
                                    note->worst_before, note->worst_after, "expected", note->expected_before,
                                    note->expected_after));
    }
    return finished(list, st);
}

/* The polynomials that stand for functions. */
static json_t *functions_json(const hb_program *program)
{
    json_t *list = json_array();
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < program->description.function_count && st == HB_OK; i++) {
        const hb_function_note *note = &program->description.functions[i];
        json_t *degrees = json_array();
        for (uint32_t j = 0; j < note->stages && j < HB_FUNCTION_NOTE_STAGES && st == HB_OK; j++) {
            st = append(degrees, json_integer((json_int_t)note->degrees[j]));
        }
        json_t *item =
            json_pack("{s:s, s:o, s:I, s:[f, f], s:f, s:f, s:I, s:o}", "name", note->name, "node",
                      hb_report_text(note->text), "at", (json_int_t)note->at, "interval", note->low, note->high, "gap",
                      note->gap, "error", note->error, "levels", (json_int_t)note->levels, "degrees", degrees);
        st = append(list, item);
    }
    return finished(list, st);
}

static json_t *plan_json(const hb_eval_job *job)
{
    const hb_plan *plan = &job->base.plan;
    const hb_eval_plan *own = &job->plan;
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
        "s:I, s:s, s:f, s:o, s:b}",
        "row_blocks", (json_int_t)own->blocks, "step_row_blocks", (json_int_t)job->steps.unit, "steps",
        (json_int_t)plan->units, "rank_steps", (json_int_t)plan->rank_units, "passes",
        (json_int_t)job->program.pass_count, "depth", (json_int_t)job->program.depth, "products",
        (json_int_t)job->program.products, "keys", (json_int_t)job->keys.count, "key_bytes", (json_int_t)own->key_bytes,
        "kept_bytes", (json_int_t)own->kept_bytes, "queues", (json_int_t)plan->workers.count, "io_threads",
        (json_int_t)plan->workers.files, "batch_row_blocks", (json_int_t)plan->workers.batch, "rank_host_bytes",
        (json_int_t)plan->host_bytes, "rank_device_bytes", (json_int_t)plan->device_bytes, "device_limit",
        (json_int_t)plan->device_limit, "input_bytes", (json_int_t)own->input_bytes, "output_bytes",
        (json_int_t)plan->output_bytes, "key_file_bytes", (json_int_t)own->key_file_bytes, "key_read_bytes",
        (json_int_t)own->key_read_bytes, "checkpoint_bytes", (json_int_t)own->checkpoint_bytes, "batch_limit",
        hb_batch_limit_words(own->limit), "key_seconds", own->key_seconds, "predicted", hb_plan_time_json(plan),
        "sampled", (int)own->sampled);
}

/* How totals were divided: instructions of the passes so far, each once; ciphertexts that ranks brought to others. */
static json_t *totals_json(const hb_eval_job *job)
{
    const hb_eval_division *division = &job->division;
    json_int_t passes = 0;
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        passes += hb_totals_division_of(&division->of, p) != NULL;
    }
    return json_pack("{s:I, s:I, s:I, s:I}", "instructions", (json_int_t)division->instructions, "moved",
                     (json_int_t)division->moved, "divided_passes", passes, "queues", (json_int_t)division->workers);
}

/* Null where there is none. */
static json_t *model_json(const hb_eval_job *job)
{
    const hb_model *model = job->options.model;
    char id[2 * HB_DIGEST_BYTES + 1];
    if (model == NULL) {
        return json_null();
    }
    hb_hex(id, model->digest, sizeof model->digest);
    return json_pack("{s:o, s:s, s:i, s:i, s:s}", "file", hb_report_text(model->path), "kind", model->kind, "inputs",
                     (int)model->inputs, "layers", (int)model->layer_count, "digest", id);
}

json_t *hb_eval_job_json(const hb_eval_job *job)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, job->base.session.key_id, HB_KEY_ID_BYTES);
    const hb_program *program = &job->program;
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "totals",
                     totals_json(job), "expression", hb_report_text(job->options.expression), "model", model_json(job),
                     "keys", hb_report_text(job->options.keys), "key_id", id, "inputs", inputs_json(job), "outputs",
                     outputs_json(job), hb_quality_word(job->base.session.params->spec.scheme),
                     notes_json(program->description.notes, program->description.note_count, hb_eval_assumes(job)),
                     "steps",
                     notes_json(program->description.steps, program->description.step_count, hb_eval_assumes(job)),
                     "bootstraps", bootstraps_json(program), "functions", functions_json(program), "params",
                     hb_report_params(job->base.session.params), "plan", plan_json(job), "limbs",
                     hb_plan_limbs_json(&job->base.plan.limbs, &job->base.exchanged), "device",
                     hb_device_json(&job->base.device, job->base.session.engine));
}
