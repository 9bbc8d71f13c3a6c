/* What a computation will read, make and need. */
#include <inttypes.h>
#include <string.h>

#include "job.h"

bool hb_eval_assumes(const hb_eval_job *job)
{
    uint32_t i = 0;
    while (i < job->input_count && !(job->inputs[i].dataset != NULL && job->inputs[i].header->noise_assumed)) {
        i++;
    }
    return i < job->input_count;
}

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
    header->noise_assumed = hb_eval_assumes(job);
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
    for (uint32_t i = 0; i < job->input_count; i++) {
        hb_eval_input *input = &job->inputs[i];
        if (input->dataset != NULL) {
            input->most_units = hb_eval_step_most_units(input, size);
            plan->input_bytes += input->header->ciphertexts * hb_header_ciphertext_bytes(input->header);
        } else if (input->one_row == NULL) {
            HB_TRY(hb_cells_init(&input->cells, input->header, (size_t)(size * input->across), job->device.files));
        }
    }
    job->setting = (hb_eval_setting){.session = &job->session,
                                     .program = &job->program,
                                     .keys = &job->session.ring,
                                     .shape = {job->inputs, job->headers, job->input_count, job->output_count, size}};
    return HB_OK;
}

static uint64_t key_bytes(const hb_eval_job *job, const hb_params *params)
{
    return job->keys.count > 0
               ? job->keys.count * hb_switch_key_prepared_bytes(params) + hb_switch_key_preparing_bytes(params)
               : 0;
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
    plan->limbs = hb_plan_limbs_of(&job->session);
    plan->key_bytes = key_bytes(job, job->session.params);
    plan->rank_steps = hb_partition(plan->steps, 0, plan->limbs.groups).count;
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
        cells += job->inputs[i].cells.hands * job->inputs[i].cells.most * job->steps.spec.n * sizeof(uint64_t);
    }
    const uint64_t buffer = hb_eval_buffer_bytes(job->session.params, &job->setting.shape);
    const uint64_t host = hb_pipeline_buffers(hb_lanes_crew(&plan->lanes, true)) * buffer + cells;
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
            passes += hb_pass_stores_rows(pass, o);
            passes += hb_pass_stores_totals(pass, o);
        }
        if (passes != 1) {
            return HB_FAIL(HB_EINTERNAL, "%s would be stored in %" PRIu32 " passes", program->outputs[o].name, passes);
        }
    }
    return HB_OK;
}

hb_status hb_eval_job_lay_out(hb_eval_job *job)
{
    HB_TRY(check_stores(&job->program));
    return lay_out(job);
}

/* With one lane, and a row block at a time. */
static uint64_t least_bytes(const void *context, const hb_params *params)
{
    const hb_eval_job *job = context;
    return hb_device_table_bytes(&job->device, params) + hb_device_queue_bytes(&job->device, params) +
           key_bytes(job, params) + hb_unit_evaluator_bytes(params, &job->program, &job->setting.shape, 1);
}

hb_status hb_eval_job_start(hb_eval_job *job)
{
    const hb_limb_needs needs = {.units = job->plan.steps, .least_bytes = least_bytes, .context = job};
    HB_TRY(hb_session_start(&job->session, job->group, &job->device, &job->options.limbs, &needs));
    return hb_agree(job->group, plan_memory(job));
}
