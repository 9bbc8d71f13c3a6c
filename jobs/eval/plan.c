/* The plan of a computation: its inputs, outputs and memory. */
#include <inttypes.h>
#include <string.h>

#include "batch/unit/buffers.h"
#include "cli/paths.h"
#include "job.h"
#include "lang/program/resume_points.h"

bool hb_eval_assumes(const hb_eval_job *job)
{
    uint32_t i = 0;
    while (i < job->inputs.count &&
           !(job->inputs.input[i].dataset != NULL && job->inputs.input[i].header->noise_assumed)) {
        i++;
    }
    return i < job->inputs.count;
}

/* Returns how many coefficients of component 0 packed totals need, in whole slices; 0: all. */
static uint32_t kept_for(uint64_t totals, size_t n)
{
    const uint64_t slices = (totals + HB_SLICE_WORDS - 1) / HB_SLICE_WORDS;
    return slices < n / HB_SLICE_WORDS ? (uint32_t)slices * HB_SLICE_WORDS : 0;
}

/* Makes the header of output o from the compiler's description. */
static hb_status fill_output(hb_eval_job *job, uint32_t o, uint64_t size)
{
    const hb_output *from = &job->program.outputs[o];
    hb_header *header = &job->outputs.output[o].header;
    const uint64_t block = job->program.block;
    *header = (hb_header){.limbs = from->limbs,
                          .computed_limbs = from->computed_limbs,
                          .components = 2,
                          .dirty_padding = from->dirty_padding,
                          .order = block > 1 ? HB_PACK_ROWS : HB_PACK_COLUMNS,
                          .block = block > 1 ? block : 0};
    if (from->packed) { /* the one row, a total in each coefficient */
        header->order = HB_PACK_ROWS;
    }
    hb_header_set_scheme(header, &job->base.session.params->spec,
                         from->reversed ? HB_ENCODE_REVERSED
                         : from->packed ? HB_ENCODE_COEFFICIENTS
                                        : job->program.encoding);
    memcpy(header->key_id, job->base.session.key_id, sizeof header->key_id);
    hb_header_quality(header, from->quality);
    header->approximate = from->approximate;
    header->noise_assumed = hb_eval_assumes(job);
    HB_TRY(hb_schema_copy(&header->schema, &from->schema));
    header->kept = from->packed ? kept_for(header->schema.columns, header->spec.n) : 0;
    const hb_packing packing = hb_header_packing(header);
    HB_TRY(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    /* A step is one unit of every output with rows. */
    const uint64_t unit = (from->total ? 1 : size) * hb_packing_across(&packing);
    header->unit = header->ciphertexts > 0 ? unit : 1;
    job->outputs.headers[o] = header;
    return HB_OK;
}

/* Returns the stored bytes of a row block of the outputs that have rows. */
static uint64_t output_block_bytes(const hb_eval_job *job)
{
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        const hb_output *output = &job->program.outputs[o];
        const hb_header one = {.spec = job->base.session.params->spec, .limbs = output->limbs, .components = 2};
        const uint64_t across = job->program.block > 1 ? 1 : output->schema.columns;
        bytes += output->total ? 0 : across * hb_header_ciphertext_bytes(&one);
    }
    return bytes;
}

/* Returns the row blocks of a step, at most as many as there are. Steps without rows to store are no units of any file,
 * so they may be as large as the batch that was asked for. */
static uint64_t step_size(const hb_eval_job *job, uint64_t batch)
{
    const uint64_t output_bytes = output_block_bytes(job), blocks = job->plan.blocks > 0 ? job->plan.blocks : 1;
    const uint64_t least = batch < blocks ? batch : blocks;
    const uint64_t wanted =
        hb_eval_step_size(job->inputs.input, job->inputs.count,
                          (hb_eval_step_wish){.output_bytes = output_bytes,
                                              .least = output_bytes == 0 ? least : 0,
                                              .together = hb_program_blocks_together(&job->program)});
    return wanted < blocks ? wanted : blocks;
}

/* Fails where an output would be stored in several passes: its units would never be whole. The compiler never makes
 * such a program. */
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

hb_status hb_eval_plan_lay_out(hb_eval_job *job)
{
    const hb_params *params = job->base.session.params;
    job->plan.step_batch = job->options.batch;
    if (job->options.resume) { /* sums and totals that were stored are of those steps */
        hb_resume_batch(job->outputs.output[0].path, &job->plan.step_batch);
    }
    const uint64_t size = step_size(job, job->plan.step_batch);
    job->plan.steps_stay = size != step_size(job, job->options.batch);
    HB_TRY(check_stores(&job->program));
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        HB_TRY(fill_output(job, o, size));
    }
    /* Steps are of all limbs of the data level, as their size in bytes is only shown. */
    job->steps = hb_eval_step_header(&params->spec, params->fresh_limbs, job->plan.blocks, size);
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        hb_eval_input *input = &job->inputs.input[i];
        if (input->dataset != NULL) {
            input->most_units = hb_eval_step_most_units(input, size);
            job->plan.input_bytes += hb_header_stored_bytes(input->header);
        }
    }
    job->setting = (hb_eval_setting){
        .session = &job->base.session,
        .program = &job->program,
        .keys = &job->base.session.switch_keys,
        .kept = &job->kept,
        .checkpoints = &job->checkpoints,
        .meter = {hb_eval_progress_worked, job},
        .shape = {job->inputs.input, job->outputs.headers, job->inputs.count, job->outputs.count, size}};
    return HB_OK;
}

uint64_t hb_eval_plan_fixed_bytes(const void *context, const hb_params *params)
{
    const hb_eval_job *job = context;
    return hb_key_choices_bytes(params, job->keys) + hb_runner_shared_bytes(params, &job->program);
}

uint64_t hb_eval_plan_worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_eval_job *job = context;
    return hb_unit_evaluator_bytes(params, &job->program, &job->setting.shape, batch);
}

/* Returns the bytes of the checkpoint of a step, which is composed in host memory: live values of the row blocks that
 * are computed at a time, and the rows of outputs. */
static uint64_t checkpoint_bytes(const hb_eval_job *job, const hb_params *params, size_t batch)
{
    const hb_eval_shape *shape = &job->setting.shape;
    uint64_t bytes = hb_program_most_live(&job->program) * batch * params->spec.n * sizeof(uint64_t);
    for (uint32_t o = 0; o < shape->output_count && bytes > 0; o++) {
        bytes += hb_rows_bytes(params, shape->outputs[o]);
    }
    return bytes;
}

uint64_t hb_eval_plan_host_bytes(const void *context, const hb_params *params, const hb_workers *workers)
{
    const hb_eval_job *job = context;
    const hb_eval_shape *shape = &job->setting.shape;
    uint64_t bytes = hb_pipeline_buffers(hb_workers_threads(workers, true), workers->units) *
                     hb_eval_buffer_bytes(params, shape);
    bytes += workers->count * checkpoint_bytes(job, params, workers->batch);
    for (uint32_t i = 0; i < shape->input_count; i++) {
        if (hb_eval_input_has_cells(&shape->inputs[i])) {
            bytes += job->base.device.files * shape->size * hb_eval_step_cell_bytes(&shape->inputs[i]);
        }
        bytes += hb_plain_columns_bytes(&shape->inputs[i].plain); /* read already */
    }
    return bytes;
}

static uint64_t output_bytes(const hb_eval_output *output)
{
    return hb_output_dataset_left(&output->dataset, hb_plan_file_bytes(&output->header, output->dataset.shards.count));
}

/* A disk must hold the sum of its outputs, as several may be on one. */
typedef struct disk {
    uint64_t number, bytes;
    const char *path; /* of one of them */
} disk;

static int compare_disks(const void *a, const void *b)
{
    const disk *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* disks [outputs->count]: those of the outputs, each once; their number is *count. */
static hb_status find_disks(const hb_eval_outputs *outputs, disk *disks, uint32_t *count)
{
    for (uint32_t o = 0; o < outputs->count; o++) {
        disks[o] = (disk){.path = outputs->output[o].path, .bytes = output_bytes(&outputs->output[o])};
        HB_TRY(hb_path_disk(disks[o].path, &disks[o].number));
    }
    qsort(disks, outputs->count, sizeof *disks, compare_disks);
    for (uint32_t o = *count = 0; o < outputs->count; o++) {
        if (*count > 0 && disks[*count - 1].number == disks[o].number) {
            disks[*count - 1].bytes += disks[o].bytes;
        } else {
            disks[(*count)++] = disks[o];
        }
    }
    return HB_OK;
}

/* Tells the least space of the disks, which must hold the outputs. */
static hb_status plan_space(const hb_eval_outputs *outputs, uint64_t *least)
{
    uint32_t count = 0;
    disk *disks = calloc((size_t)outputs->count + 1, sizeof *disks);
    hb_status st = disks != NULL ? find_disks(outputs, disks, &count)
                                 : HB_FAIL(HB_ENOMEM, "no memory for %u outputs", outputs->count);
    *least = UINT64_MAX;
    for (uint32_t d = 0; st == HB_OK && d < count; d++) {
        uint64_t space = 0;
        st = hb_plan_space(disks[d].path, disks[d].bytes, &space);
        *least = space < *least ? space : *least;
    }
    free(disks);
    return st;
}

hb_status hb_eval_plan_complete(hb_eval_job *job)
{
    hb_plan *plan = &job->base.plan;
    const hb_eval_outputs *outputs = &job->outputs;
    job->plan.key_bytes = hb_key_choices_bytes(job->base.session.params, job->keys);
    job->plan.checkpoint_bytes = checkpoint_bytes(job, job->base.session.params, plan->workers.batch);
    for (uint32_t o = 0; o < outputs->count; o++) {
        plan->output_bytes += output_bytes(&outputs->output[o]);
    }
    return plan_space(outputs, &plan->free_bytes);
}
