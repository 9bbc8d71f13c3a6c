/* What a computation will read, make and need. */
#include <inttypes.h>
#include <string.h>

#include "durable.h"
#include "eval_job.h"
#include "report.h"

static hb_status fill_output(hb_eval_job *job, uint32_t o, uint64_t size)
{
    const hb_output *from = &job->program.outputs[o];
    hb_header *header = &job->outputs[o].header;
    *header = (hb_header){.spec = job->session.params->spec,
                          .limbs = from->limbs,
                          .components = 2,
                          .stray = from->stray,
                          .encoding = job->program.encoding,
                          .order = HB_PACK_COLUMNS};
    memcpy(header->key_id, job->session.key_id, sizeof header->key_id);
    hb_header_noise(header, from->noise);
    HB_TRY(hb_schema_copy(&header->schema, &from->schema));
    const hb_packing packing = hb_header_packing(header);
    HB_TRY(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    const uint64_t unit = (from->total ? 1 : size) * header->schema.columns;
    header->unit = header->ciphertexts > 0 ? unit : 1;
    job->headers[o] = header;
    return HB_OK;
}

/* Stored bytes of a row block of the outputs that have rows. */
static uint64_t output_block_bytes(const hb_eval_job *job)
{
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < job->output_count; o++) {
        const hb_output *output = &job->program.outputs[o];
        const hb_header one = {.spec = job->session.params->spec, .limbs = output->limbs, .components = 2};
        bytes += output->total ? 0 : output->schema.columns * hb_header_ciphertext_bytes(&one);
    }
    return bytes;
}

static hb_status lay_out(hb_eval_job *job)
{
    hb_eval_plan *plan = &job->plan;
    const uint64_t wanted = hb_eval_step_size(job->inputs, job->input_count, output_block_bytes(job));
    const uint64_t size = wanted < plan->blocks ? wanted : plan->blocks > 0 ? plan->blocks : 1;
    for (uint32_t o = 0; o < job->output_count; o++) {
        HB_TRY(fill_output(job, o, size));
    }
    job->steps = hb_eval_step_header(&job->session.params->spec, job->session.params->data_limbs, plan->blocks, size);
    plan->steps = hb_header_units(&job->steps);
    plan->rank_steps = hb_partition(plan->steps, 0, (uint32_t)job->group->size).count;
    for (uint32_t i = 0; i < job->input_count; i++) {
        hb_eval_input *input = &job->inputs[i];
        if (input->dataset != NULL) {
            input->most_units = hb_eval_step_most_units(input, size);
            plan->input_bytes += input->header->ciphertexts * hb_header_ciphertext_bytes(input->header);
        } else if (input->one_row == NULL) {
            HB_TRY(hb_cells_init(&input->cells, input->header, (size_t)(size * input->across)));
        }
    }
    job->setting = (hb_eval_setting){.session = &job->session,
                                     .program = &job->program,
                                     .keys = &job->session.ring,
                                     .shape = {job->inputs, job->headers, job->input_count, job->output_count, size}};
    return HB_OK;
}

static uint64_t lane_bytes(const void *context, size_t batch)
{
    const hb_eval_setting *setting = context;
    return hb_unit_evaluator_bytes(setting->session->params, setting->program, &setting->shape, batch);
}

static hb_status plan_memory(hb_eval_job *job)
{
    hb_eval_plan *plan = &job->plan;
    const hb_device *device = &job->device;
    const uint64_t asked = job->options.batch, size = job->steps.unit;
    plan->key_bytes = job->element_count * (job->element_count > 0 ? hb_switch_key_bytes(job->session.params) : 0);
    const hb_lane_needs needs = {.units = plan->rank_steps,
                                 .batch = asked == 0     ? hb_unit_batch(job->session.engine, job->session.params, size)
                                          : asked < size ? (size_t)asked
                                                         : (size_t)size,
                                 .fixed_bytes = plan->key_bytes,
                                 .lane_bytes = lane_bytes,
                                 .context = &job->setting};
    HB_TRY(hb_lanes_choose(&plan->lanes, &job->session, device, &needs));
    uint64_t cells = 0;
    for (uint32_t i = 0; i < job->input_count; i++) {
        cells += job->inputs[i].cells.most * job->steps.spec.n * sizeof(uint64_t);
    }
    const uint64_t host = hb_pipeline_slots(plan->lanes.count) * hb_eval_slot_bytes(&job->setting.shape) + cells;
    plan->host_bytes = device->gpu ? host : host + plan->lanes.bytes;
    plan->device_bytes = device->gpu ? plan->lanes.bytes : 0;
    plan->device_limit = device->gpu ? device->memory : 0;
    return HB_OK;
}

/* An output whose columns were stored in different passes would have units that are never whole. */
static hb_status check_stores(const hb_program *program)
{
    for (uint32_t o = 0; o < program->output_count; o++) {
        uint32_t passes = 0;
        for (uint32_t p = 0; p < program->pass_count; p++) {
            const hb_pass *pass = &program->passes[p];
            passes += hb_eval_stores(pass->rows, pass->row_count, o);
            passes += hb_eval_stores(pass->totals, pass->total_count, o);
        }
        if (passes != 1) {
            return HB_FAIL(HB_EINTERNAL, "%s would be stored in %" PRIu32 " passes", program->outputs[o].name, passes);
        }
    }
    return HB_OK;
}

hb_status hb_eval_job_plan(hb_eval_job *job)
{
    HB_TRY(check_stores(&job->program));
    HB_TRY(lay_out(job));
    return plan_memory(job);
}

typedef void (*speaker)(const hb_group *, const hb_common *, const char *, ...);

static void print_inputs(const hb_eval_job *job, speaker say)
{
    for (uint32_t i = 0; i < job->input_count; i++) {
        const hb_eval_input *input = &job->inputs[i];
        const hb_schema *schema = &input->header->schema;
        say(job->group, job->common, "%-12s %s: %s%" PRIu64 " rows x %" PRIu64 " columns", input->name, input->path,
            input->dataset != NULL ? "" : "plain, ", schema->rows, schema->columns);
    }
}

/* What is left of the noise budget where it matters. */
static void print_notes(const hb_eval_job *job, speaker say)
{
    const hb_program *program = &job->program;
    say(job->group, job->common,
        "depth        %" PRIu32 " products of ciphertexts one after another, %" PRIu32 " in all; %" PRIu32
        " %s over the rows",
        program->depth, program->products, program->pass_count, program->pass_count == 1 ? "pass" : "passes");
    for (uint32_t i = 0; i < program->note_count; i++) {
        const hb_node_note *note = &program->notes[i];
        say(job->group, job->common,
            "noise budget %.0f bits left at least, %.0f expected, %" PRIu32 " of %" PRIu32 " limbs: %s", note->worst,
            note->expected, note->limbs, job->session.params->data_limbs, note->text);
    }
}

static void print_memory(const hb_eval_job *job, speaker say)
{
    const hb_eval_plan *plan = &job->plan;
    say(job->group, job->common, "memory       %s of buffers a rank, %zu row blocks at a time",
        hb_human_bytes((double)plan->host_bytes).text, plan->lanes.batch);
    if (plan->device_limit > 0) {
        say(job->group, job->common, "GPU memory   %s of %s a rank", hb_human_bytes((double)plan->device_bytes).text,
            hb_human_bytes((double)plan->device_limit).text);
    }
    if (plan->seconds > 0) {
        say(job->group, job->common, "time         about %s to compute, without reading and writing",
            hb_human_seconds(plan->seconds).text);
    }
    say(job->group, job->common, "disk         %s to read%s, %s to write",
        hb_human_bytes((double)plan->input_bytes).text, job->program.pass_count > 1 ? " in each pass" : "",
        hb_human_bytes((double)plan->output_bytes).text);
}

void hb_eval_job_print(const hb_eval_job *job, bool results)
{
    const speaker say = results ? hb_console_result : hb_console_log;
    const hb_eval_plan *plan = &job->plan;
    print_inputs(job, say);
    say(job->group, job->common,
        "steps        %" PRIu64 " of %" PRIu64 " row blocks of %zu rows; %" PRIu64 " row blocks in all", plan->steps,
        job->steps.unit, job->steps.spec.n, plan->blocks);
    say(job->group, job->common, "ranks        %d, each at most %" PRIu64 " steps", job->group->size, plan->rank_steps);
    if (job->element_count > 0) {
        say(job->group, job->common, "keys         %" PRIu32 " of %s, %s", job->element_count, job->options.keys,
            hb_human_bytes((double)plan->key_bytes).text);
    }
    print_notes(job, say);
    hb_lanes_print(&plan->lanes, &job->device, job->group, job->common, results);
    print_memory(job, say);
    for (uint32_t o = 0; o < job->output_count; o++) {
        const hb_header *header = &job->outputs[o].header;
        say(job->group, job->common, "%-12s %s: %" PRIu64 " rows x %" PRIu64 " columns, %" PRIu64 " ciphertexts, %s",
            job->output_names[o], job->outputs[o].path, header->schema.rows, header->schema.columns,
            header->ciphertexts,
            hb_human_bytes((double)header->ciphertexts * (double)hb_header_ciphertext_bytes(header)).text);
    }
    for (uint32_t i = 0; i < job->program.warning_count; i++) {
        hb_console_log(job->group, job->common, "warning: %s", job->program.warnings[i]);
    }
}
