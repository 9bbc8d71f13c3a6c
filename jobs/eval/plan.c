/* The plan of a computation: its memory, and the space of its outputs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "batch/unit/buffers.h"
#include "batch/unit/work.h"
#include "cli/paths.h"
#include "io/files/durable.h"
#include "job_private.h"
#include "lang/program/resume_points.h"
#include "machine/machine.h"
#include "rekey/switched_input.h"

bool hb_eval_assumes(const hb_eval_job *job)
{
    uint32_t i = 0;
    while (i < job->inputs.count &&
           !(job->inputs.input[i].dataset != NULL && job->inputs.input[i].header->noise_assumed)) {
        i++;
    }
    return i < job->inputs.count;
}

/* --- memory */

/* Returns the bytes of workers that compute totals alone, and of the blocks of columns that workers merge. */
static uint64_t totals_bytes(const hb_eval_job *job, const hb_params *params)
{
    const hb_eval_division *division = &job->division;
    const uint64_t units = job->base.plan.rank_units > 0 ? job->base.plan.rank_units : 1;
    uint64_t most = 0;
    for (uint32_t p = 0; p < division->of.pass_count; p++) {
        const hb_pass_division *pass = hb_totals_division_of(&division->of, p);
        uint64_t bytes = 0;
        for (uint32_t o = 0; pass != NULL && o < job->program.output_count; o++) {
            const hb_output *output = &job->program.outputs[o];
            bytes += hb_pass_stores_totals(&job->program.passes[p], o)
                         ? hb_packed_totals_bytes(params, output, pass->blocks[o]) -
                               hb_packed_totals_bytes(params, output, 0)
                         : 0;
        }
        most = bytes > most ? bytes : most;
    }
    for (uint64_t w = units; w < division->workers; w++) { /* others have row blocks */
        most += hb_device_queue_bytes(&job->base.device, params) +
                hb_unit_evaluator_bytes(params, &division->of.alone, &job->setting.shape, 1, division->own[w]);
    }
    return most;
}

uint64_t hb_eval_plan_fixed_bytes(const void *context, const hb_params *params)
{
    const hb_eval_job *job = context;
    uint64_t bytes = hb_key_choices_bytes(params, job->keys) + hb_runner_shared_bytes(params, &job->program) +
                     totals_bytes(job, params);
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_switched_input *switched = job->inputs.input[i].switched;
        bytes += switched != NULL ? hb_switched_input_bytes(switched, params) : 0;
    }
    return bytes;
}

uint64_t hb_eval_plan_worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_eval_job *job = context;
    return hb_unit_evaluator_bytes(params, &job->program, &job->setting.shape, batch, NULL);
}

/* Returns the bytes of the checkpoint of a step, which is composed in host memory: live values of the row blocks that
 * are computed at a time, and the rows of outputs. */
static uint64_t checkpoint_bytes(const hb_eval_job *job, const hb_params *params, size_t batch)
{
    const hb_eval_shape *shape = &job->setting.shape;
    uint64_t bytes =
        hb_program_most_live(&job->program, params->map.members) * batch * params->spec.n * sizeof(uint64_t);
    for (uint32_t o = 0; o < shape->output_count && bytes > 0; o++) {
        bytes += hb_eval_shape_units(shape, o) * hb_rows_bytes(params, shape->outputs[o]);
    }
    return bytes;
}

uint64_t hb_eval_plan_host_bytes(const void *context, const hb_params *params, const hb_workers *workers)
{
    const hb_eval_job *job = context;
    const hb_eval_shape *shape = &job->setting.shape;
    uint64_t bytes =
        hb_pipeline_buffers(hb_workers_threads(workers, true), workers->units) * hb_eval_buffer_bytes(params, shape);
    bytes += workers->count * checkpoint_bytes(job, params, workers->batch);
    for (uint32_t i = 0; i < shape->input_count; i++) {
        if (hb_eval_input_has_cells(&shape->inputs[i])) {
            bytes += job->base.device.files * shape->size * hb_eval_step_cell_bytes(&shape->inputs[i]);
        }
        bytes += hb_plain_columns_bytes(&shape->inputs[i].plain); /* read already */
    }
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_switched_input *switched = job->inputs.input[i].switched;
        bytes += switched != NULL ? hb_switched_input_host_bytes(switched, params) : 0;
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

/* Returns how many columns the computation has in memory at a time: of the input or output with most in use. */
static uint64_t most_columns(const hb_eval_job *job)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        uint64_t used = 0;
        for (uint64_t c = 0; input->dataset != NULL && c < input->across; c++) {
            used += input->used[c];
        }
        most = used > most ? used : most;
    }
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        const uint64_t columns = job->outputs.output[o].header.schema.columns;
        most = columns > most ? columns : most;
    }
    return most;
}

/* Returns the memory of a rank with the workers and batches of the plan, with limbs divided as they are in `params`. */
static uint64_t planned_bytes(const void *context, const hb_params *params)
{
    const hb_eval_job *job = context;
    const hb_workers *workers = &job->base.plan.workers;
    const uint64_t worker =
        hb_device_queue_bytes(&job->base.device, params) + hb_eval_plan_worker_bytes(job, params, workers->batch);
    return hb_device_table_bytes(&job->base.device, params) + hb_eval_plan_fixed_bytes(job, params) +
           workers->count * worker + hb_eval_plan_host_bytes(job, params, workers);
}

/* Returns how limbs may be divided so that ranks on CPUs have the memory: over those that there are, or, where there is
 * one, over ranks of several hosts. */
static hb_limb_advice advise_limbs(const hb_eval_job *job, uint64_t share)
{
    const hb_limb_requirements requirements = {.rank_bytes = planned_bytes, .context = job};
    const uint32_t ranks = (uint32_t)job->base.group->size;
    return hb_limb_advise(job->base.session.params, &requirements, share, ranks > 1 ? ranks : 0);
}

/* Refuses what this host cannot hold, and says how many columns at a time it can. */
static hb_status require_memory(const hb_eval_job *job)
{
    const hb_group *group = job->base.group;
    const uint64_t needed = job->base.plan.host_bytes, share = hb_machine_memory_left((uint32_t)group->node_size);
    if (needed <= share) {
        return HB_OK;
    }
    /* Keys and tables are the same for any number of columns; the rest grows with them. */
    const uint64_t columns = most_columns(job),
                   fixed = job->base.device.gpu ? 0 : hb_eval_plan_fixed_bytes(job, job->base.session.params);
    const uint64_t fit = needed > fixed && share > fixed
                             ? (uint64_t)((double)columns * ((double)(share - fixed) / (double)(needed - fixed)))
                             : 0;
    char parts[160] = "", keys[96] = "", limbs[192] = "";
    const hb_limb_advice divided = job->base.device.gpu ? (hb_limb_advice){.text = ""} : advise_limbs(job, share);
    if (divided.text[0] != '\0') {
        snprintf(limbs, sizeof limbs, ", or %s%s", divided.text, group->size > 1 ? "" : ", on hosts of their own");
    }
    if (fit > 0) {
        snprintf(parts, sizeof parts,
                 ", or compute with fewer columns in each of several commands: about %" PRIu64 " of %" PRIu64
                 " would fit",
                 fit, columns);
    }
    if (fixed > needed / 2) {
        snprintf(keys, sizeof keys, ", %s of it for keys", hb_human_bytes((double)fixed).text);
    }
    return HB_FAIL(HB_ENOMEM, "this needs %s of memory a rank%s, and a rank of this host has %s: %s%s%s",
                   hb_human_bytes((double)needed).text, keys, hb_human_bytes((double)share).text,
                   group->node_size > 1 ? "start fewer ranks on a host" : "take a host with more", limbs, parts);
}

hb_status hb_eval_plan_complete(hb_eval_job *job)
{
    hb_plan *plan = &job->base.plan;
    HB_TRY(require_memory(job));
    const hb_eval_outputs *outputs = &job->outputs;
    job->plan.key_bytes = hb_key_choices_bytes(job->base.session.params, job->keys);
    job->plan.checkpoint_bytes = checkpoint_bytes(job, job->base.session.params, plan->workers.batch);
    for (uint32_t o = 0; o < outputs->count; o++) {
        plan->output_bytes += output_bytes(&outputs->output[o]);
    }
    return plan_space(outputs, &plan->free_bytes);
}

/* --- work */

/* Returns the bytes of datasets that a rank reads, of all passes, for one plain modulus. Inputs that are kept are read
 * once. */
static double read_bytes(const hb_eval_job *job, uint32_t groups)
{
    const double ranks = groups * (double)hb_spec_residues(&job->base.session.params->spec);
    const double kept = (double)job->plan.kept_bytes;
    double first = 0, later = 0;
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        for (uint32_t i = 0; i < job->inputs.count; i++) {
            const hb_eval_input *input = &job->inputs.input[i];
            if (input->dataset != NULL && hb_eval_input_in_pass(input, &job->program, p, i)) {
                *(p == 0 ? &first : &later) += (double)hb_header_stored_bytes(input->header) / ranks;
            }
        }
    }
    return first + (kept < first ? later * (1 - kept / first) : 0);
}

/* Returns who computes totals, before the job is divided: so many groups, with the queues of a CPU, or with one where
 * their ranks share limbs, which exchange in one order. */
static hb_totals_lanes lanes_of(const hb_eval_job *job, uint32_t groups)
{
    const uint64_t queues = job->options.job.device.queues;
    const bool shares_limbs = job->base.session.params->map.members > 1;
    return (hb_totals_lanes){.ranks = groups, .workers = queues > 0 && !shares_limbs ? (uint32_t)queues : 1};
}

hb_work hb_eval_plan_work(const hb_job *base, uint32_t groups)
{
    const hb_eval_job *job = (const hb_eval_job *)base;
    const hb_params *params = base->session.params;
    hb_work work = hb_work_program(params, &job->program, job->plan.blocks, job->keys.count,
                                   hb_runner_shared_bytes(params, &job->program), lanes_of(job, groups));
    work.file_bytes = work.upload_bytes = read_bytes(job, groups);
    work.key_bytes = (double)job->plan.key_whole_bytes;
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        const hb_schema *schema = &input->header->schema;
        work.cells += hb_eval_input_has_cells(input) ? (double)schema->rows * (double)schema->columns : 0;
    }
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        const hb_header *header = &job->outputs.output[o].header;
        work.written_bytes += (double)(header->ciphertexts * hb_header_ciphertext_bytes(header)) / groups;
    }
    work.download_bytes = work.written_bytes;
    work.on_disk = job->outputs.count > 0 && hb_path_is_on_disk(job->outputs.output[0].path);
    return work;
}
