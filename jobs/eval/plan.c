/* The plan of a computation: who computes totals, its memory, and the space of its outputs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "batch/unit/buffers.h"
#include "cli/paths.h"
#include "job_private.h"
#include "lang/program/resume_points.h"
#include "machine/machine.h"

bool hb_eval_assumes(const hb_eval_job *job)
{
    uint32_t i = 0;
    while (i < job->inputs.count &&
           !(job->inputs.input[i].dataset != NULL && job->inputs.input[i].header->noise_assumed)) {
        i++;
    }
    return i < job->inputs.count;
}

/* --- totals */

/* Returns how many workers of this rank compute totals. Operations of a GPU fill it; ranks that share limbs exchange in
 * the same order, which shares of different lengths would keep waiting. */
static uint32_t workers_of(const hb_job *base)
{
    const uint32_t queues = base->device.queues > 0 ? (uint32_t)base->device.queues : 1;
    return base->device.gpu || base->session.exchange != NULL ? 1 : queues;
}

hb_totals_lanes hb_eval_lanes(const hb_eval_job *job, uint32_t groups)
{
    const uint64_t queues = job->options.job.device.queues;
    const bool alone = job->base.session.params->map.members > 1;
    return (hb_totals_lanes){.ranks = groups, .workers = queues > 0 && !alone ? (uint32_t)queues : 1};
}

static void digest_shares(hb_digest_state *state, const hb_pass_division *pass)
{
    hb_digest_add_u64(state, pass->share_count);
    for (uint32_t s = 0; s < pass->share_count; s++) {
        const hb_totals_share *share = &pass->shares[s];
        const uint64_t words[] = {share->stage, share->rank, share->worker, share->first, share->count};
        hb_digest_add(state, words, sizeof words);
    }
    hb_digest_add_u64(state, pass->move_count);
    for (uint32_t m = 0; m < pass->move_count; m++) {
        const uint64_t words[] = {pass->moves[m].stage, pass->moves[m].rank, pass->moves[m].total};
        hb_digest_add(state, words, sizeof words);
    }
}

/* Returns HB_EDATA unless all ranks divide alike: predicted work is made of real numbers. Collective. */
static hb_status check_same(const hb_eval_job *job)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch totals");
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        const hb_pass_division *pass = hb_totals_division_of(&job->division.of, p);
        hb_digest_add_u64(&state, job->program.passes[p].total_count);
        if (pass != NULL) {
            digest_shares(&state, pass);
            hb_digest_add(&state, pass->blocks, job->program.output_count * sizeof *pass->blocks);
        }
    }
    hb_digest_end(&state, digest);
    return hb_group_same(job->base.group, digest, "the division of totals");
}

/* Notes the registers that shares of a worker write. */
static void note_own(const hb_eval_job *job, const hb_pass_division *pass, const hb_pass *list, uint32_t worker,
                     uint8_t *own)
{
    for (uint32_t s = 0; s < pass->share_count; s++) {
        const hb_totals_share *share = &pass->shares[s];
        for (uint32_t i = share->first; i < share->first + share->count; i++) {
            const bool mine =
                hb_eval_share_is_of(&job->division, share) && share->worker % job->division.workers == worker;
            if (mine && hb_instruction_makes(&list->totals[i]) && job->division.of.own[list->totals[i].to] != 0) {
                own[list->totals[i].to] = 1;
            }
        }
    }
}

/* Lists the registers that each worker but the first has of its own. */
static hb_status find_own(hb_eval_job *job)
{
    hb_eval_division *division = &job->division;
    for (uint32_t w = 1; w < division->workers; w++) {
        division->own[w] = calloc(job->program.register_count + (size_t)1, 1);
        if (division->own[w] == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a list of %u registers", job->program.register_count);
        }
        for (uint32_t p = 0; p < job->program.pass_count; p++) {
            const hb_pass_division *pass = hb_totals_division_of(&division->of, p);
            if (pass != NULL) {
                note_own(job, pass, &job->program.passes[p], w, division->own[w]);
            }
        }
    }
    return HB_OK;
}

static bool divides_any(const hb_eval_job *job)
{
    bool any = false;
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        any = any || hb_totals_division_of(&job->division.of, p) != NULL;
    }
    return any;
}

/* Rank-local, the same on all ranks. */
static hb_status divide(hb_eval_job *job, uint32_t workers)
{
    hb_eval_division *division = &job->division;
    const hb_totals_lanes lanes = {(uint32_t)job->base.session.grid.peers->size, workers, job->base.device.gpu};
    HB_TRY(hb_totals_divide(&division->of, job->base.session.params, &job->program, lanes));
    if (!divides_any(job)) {
        division->workers = 1;
        return HB_OK;
    }
    return find_own(job);
}

hb_status hb_eval_divide(hb_eval_job *job)
{
    uint64_t most = job->division.workers = workers_of(&job->base);
    job->division.rank = (uint32_t)job->base.session.grid.peers->rank;
    /* As many lanes on all ranks: one with fewer workers has several shares for each. */
    HB_TRY(hb_agree(job->base.group, hb_group_max(job->base.group, &most, 1)));
    HB_TRY(hb_agree(job->base.group, divide(job, (uint32_t)most)));
    return check_same(job);
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
    return hb_key_choices_bytes(params, job->keys) + hb_runner_shared_bytes(params, &job->program) +
           totals_bytes(job, params);
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
    uint64_t bytes = hb_program_most_live(&job->program) * batch * params->spec.n * sizeof(uint64_t);
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

/* Refuses what this host cannot hold, and says how many columns at a time it can. */
static hb_status require_memory(const hb_eval_job *job)
{
    const hb_group *group = job->base.group;
    const uint64_t needed = job->base.plan.host_bytes, share = hb_machine_memory_each((uint32_t)group->node_size);
    if (needed <= share) {
        return HB_OK;
    }
    /* Keys and tables are the same for any number of columns; the rest grows with them. */
    const uint64_t columns = most_columns(job),
                   fixed = job->base.device.gpu ? 0 : hb_eval_plan_fixed_bytes(job, job->base.session.params);
    const uint64_t fit = needed > fixed && share > fixed
                             ? (uint64_t)((double)columns * ((double)(share - fixed) / (double)(needed - fixed)))
                             : 0;
    char parts[160] = "", keys[96] = "";
    if (fit > 0) {
        snprintf(parts, sizeof parts,
                 ", or compute with fewer columns in each of several commands: about %" PRIu64 " of %" PRIu64
                 " would fit",
                 fit, columns);
    }
    if (fixed > needed / 2) {
        snprintf(keys, sizeof keys, ", %s of it for keys", hb_human_bytes((double)fixed).text);
    }
    return HB_FAIL(HB_ENOMEM, "this needs %s of memory a rank%s, and a rank of this host has %s: %s%s",
                   hb_human_bytes((double)needed).text, keys, hb_human_bytes((double)share).text,
                   group->node_size > 1 ? "start fewer ranks on a host" : "take a host with more", parts);
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
