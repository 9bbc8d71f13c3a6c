/* The layout of a computation: units of its outputs, by the inputs and the program alone; how large its steps are, and
 * how many row blocks are computed at a time, as --batch says, as the job began, or as suits the device. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/partition.h"
#include "batch/job/resident.h"
#include "device/batch_choice.h"
#include "job_private.h"
#include "machine/machine.h"
#include "scheme/quality.h"

/* The share of a rank in its host's memory that steps of a size of our choice may take. */
enum { HOST_SHARE = 2 };

/* Whether the steps of a job that is continued must be those that it began with: sums or checkpoints are of them. */
static bool steps_are_bound(const hb_program *program)
{
    bool bound = false;
    for (uint32_t p = 0; p < program->pass_count; p++) {
        bound = bound || hb_pass_accumulates_any(&program->passes[p]) || program->passes[p].resume_point_count > 0;
    }
    return bound;
}

static bool stores_rows(const hb_eval_job *job)
{
    bool stores = false;
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        stores = stores || !job->program.outputs[o].total;
    }
    return stores;
}

/* Takes steps of `size` row blocks, a multiple of a unit's where outputs have rows. */
static void set_steps(hb_eval_job *job, uint64_t size)
{
    const hb_params *params = job->base.session.params;
    hb_eval_shape *shape = &job->setting.shape;
    /* Steps are of all limbs of the data level, as their size in bytes is only shown. */
    job->steps = hb_eval_step_header(&params->spec, params->fresh_limbs, job->plan.blocks, size);
    shape->size = size;
    job->outputs.step_units = stores_rows(job) ? size / shape->unit : 1;
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        hb_eval_input *input = &job->inputs.input[i];
        input->most_units = input->dataset != NULL ? hb_eval_step_most_units(input, size) : 0;
    }
}

/* Returns how many coefficients of component 0 packed totals need, in whole slices; 0: all. */
static uint32_t kept_for(uint64_t totals, size_t n)
{
    const uint64_t slices = hb_divide_up(totals, HB_SLICE_WORDS);
    return slices < n / HB_SLICE_WORDS ? (uint32_t)slices * HB_SLICE_WORDS : 0;
}

/* Makes the header of output o from the compiler's description; unit: row blocks of a unit that has rows. */
static hb_status fill_output(hb_eval_job *job, uint32_t o, uint64_t unit)
{
    const hb_output *from = &job->program.outputs[o];
    hb_header *header = &job->outputs.output[o].header;
    const uint64_t block = job->program.block;
    *header = (hb_header){.limbs = from->limbs,
                          .past.computed_limbs = from->computed_limbs,
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
    hb_header_quality(header, hb_quality_said(job->base.session.params, from->limbs, from->quality,
                                              hb_certainty_of(job->options.trust)));
    header->approximate = from->approximate;
    header->noise_assumed = hb_eval_assumes(job);
    HB_TRY(hb_schema_copy(&header->schema, &from->schema));
    header->kept = from->packed ? kept_for(header->schema.columns, header->spec.n) : 0;
    const hb_packing packing = hb_header_packing(header);
    HB_TRY(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    const uint64_t own = (from->total ? 1 : unit) * hb_packing_across(&packing);
    header->unit = header->ciphertexts > 0 ? own : 1;
    job->outputs.headers[o] = header;
    return job->outputs.sanitizing == NULL
               ? HB_OK
               : hb_header_sanitize(header, job->base.session.params, from->quality, job->options.sanitize,
                                    job->outputs.names[o], &job->outputs.sanitizing[o].plan);
}

/* Returns the stored bytes of a row block of the outputs that have rows. */
static uint64_t output_block_bytes(const hb_eval_job *job)
{
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        const hb_output *output = &job->program.outputs[o];
        const hb_header one = {.spec = job->base.session.params->spec, .limbs = output->limbs};
        const uint64_t across = job->program.block > 1 ? 1 : output->schema.columns;
        bytes += output->total ? 0 : across * hb_header_ciphertext_bytes(&one);
    }
    return bytes;
}

/* Returns the row blocks of the smallest step, at most as many as there are. */
static uint64_t step_size(const hb_eval_job *job)
{
    const uint64_t blocks = job->plan.blocks > 0 ? job->plan.blocks : 1;
    const uint64_t wanted = hb_eval_step_size(job->inputs.input, job->inputs.count, output_block_bytes(job),
                                              hb_program_blocks_together(&job->program));
    return wanted < blocks ? wanted : blocks;
}

/* Fails where so many row blocks at a time would divide some that are computed as one. */
static hb_status check_asked(const hb_eval_job *job)
{
    const uint64_t asked = job->options.batch, together = hb_program_blocks_together(&job->program);
    if (asked % together == 0 || asked >= job->plan.blocks) {
        return HB_OK;
    }
    return HB_FAIL(HB_EUSAGE,
                   "--batch %" PRIu64 ": here %" PRIu64 " row blocks are computed as one, so it is a multiple of "
                   "%" PRIu64,
                   asked, together, together);
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
    const uint64_t unit = step_size(job);
    HB_TRY(check_asked(job));
    HB_TRY(check_stores(&job->program));
    job->plan.steps_bound = steps_are_bound(&job->program);
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        HB_TRY(fill_output(job, o, unit));
    }
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        job->plan.input_bytes += input->dataset != NULL ? hb_header_stored_bytes(input->header) : 0;
    }
    hb_resident *resident = hb_resident_of(job->base.group);
    job->setting =
        (hb_eval_setting){.session = &job->base.session,
                          .program = &job->program,
                          .keys = &job->base.session.switch_keys,
                          .kept = &job->kept,
                          .checkpoints = &job->checkpoints,
                          .shelf = resident != NULL ? &resident->matrices : NULL,
                          .meter = {hb_eval_progress_worked, job},
                          .division = &job->division,
                          .shape = {job->inputs.input, job->outputs.headers, job->program.outputs,
                                    job->outputs.sanitizing, job->inputs.count, job->outputs.count, unit, unit}};
    set_steps(job, unit);
    return HB_OK;
}

/* --- the choice of steps */

/* Returns the steps in which so many row blocks are computed at a time: of whole units, where those are stored. */
static uint64_t step_of(const hb_eval_job *job, uint64_t batch)
{
    const uint64_t unit = job->setting.shape.unit,
                   each = stores_rows(job) ? unit : hb_program_blocks_together(&job->program);
    return batch <= unit ? unit : hb_divide_up(batch, each) * each;
}

/* Returns the row blocks at a time that --batch says, but no more than there are; 0: it is not given. */
static uint64_t asked_of(const hb_eval_job *job)
{
    const uint64_t asked = job->options.batch < job->plan.blocks ? job->options.batch : job->plan.blocks,
                   together = hb_program_blocks_together(&job->program);
    return hb_divide_up(asked, together) * together;
}

/* Returns this rank's share of the memory of its host. */
static uint64_t host_share(const hb_eval_job *job)
{
    return hb_machine_memory_each((uint32_t)job->base.group->node_size);
}

/* Takes steps of `size`, and returns how many workers the memory of this rank, up to `host` bytes of its host's, allows
 * with `batch` row blocks each; 0: it does not hold them. *bytes: of the host. */
static uint64_t try_steps(hb_eval_job *job, uint64_t size, uint64_t batch, uint64_t host, uint64_t *bytes)
{
    hb_plan plan;
    set_steps(job, size);
    *bytes = 0;
    if (hb_job_make_plan(&job->base, &plan) != HB_OK) {
        hb_clear_error();
        return 0;
    }
    *bytes = plan.host_bytes;
    return plan.workers.batch >= (batch < size ? batch : size) && plan.host_bytes <= host ? plan.workers.count : 0;
}

/* Returns the largest number of row blocks at a time, below `asked`, that this rank's memory holds; 0: none. */
static uint64_t largest_that_fits(hb_eval_job *job, uint64_t asked)
{
    const uint64_t together = hb_program_blocks_together(&job->program);
    uint64_t held = 0, too_many = hb_divide_up(asked, together), bytes; /* in units of `together` */
    while (too_many - held > 1) {
        const uint64_t middle = held + (too_many - held) / 2, batch = middle * together;
        job->plan.batch = batch;
        if (try_steps(job, step_of(job, batch), batch, host_share(job), &bytes) > 0) {
            held = middle;
        } else {
            too_many = middle;
        }
    }
    return held * together;
}

/* Refuses what --batch asks for. */
static hb_status refuse(hb_eval_job *job, uint64_t asked, uint64_t bytes)
{
    const uint64_t fits = largest_that_fits(job, asked);
    if (fits == 0) { /* nor does any other: the plan says how much is missing */
        job->plan.batch = asked;
        set_steps(job, step_of(job, asked));
        return HB_OK;
    }
    char needs[128] = "the memory of the device";
    if (bytes > host_share(job)) {
        snprintf(needs, sizeof needs, "the %s of memory that this rank has of its host",
                 hb_human_bytes((double)host_share(job)).text);
    }
    return HB_FAIL(HB_ENOMEM, "--batch %" PRIu64 ": %s holds no more than --batch %" PRIu64, job->options.batch, needs,
                   fits);
}

/* Takes as many row blocks at a time as were asked for, or fails. Rank-local: whether memory holds them. */
static hb_status take_asked(hb_eval_job *job)
{
    uint64_t bytes;
    job->plan.batch = asked_of(job);
    job->plan.limit = HB_BATCH_ASKED;
    return try_steps(job, step_of(job, job->plan.batch), job->plan.batch, host_share(job), &bytes) > 0
               ? HB_OK
               : refuse(job, job->plan.batch, bytes);
}

/* Describes the job to those who choose, by the speed of this rank. */
static hb_batch_case case_of(const hb_eval_job *job)
{
    const uint32_t groups = (uint32_t)job->base.session.grid.peers->size;
    const hb_work work = job->base.kind->work(&job->base, groups);
    const hb_speed speed = hb_job_speed(&job->base);
    const hb_batch_times times = hb_predict_batch(&work, &speed);
    const uint64_t share = hb_partition(job->plan.blocks, 0, groups).count;
    return (hb_batch_case){.blocks = share > 0 ? share : 1,
                           .unit = job->setting.shape.unit,
                           .most = (uint64_t)fmax(1, times.enough),
                           .threads = job->base.device.files > 0 ? job->base.device.files : 1,
                           .compute = times.compute,
                           .once = times.once,
                           .move = times.move,
                           .read = times.read,
                           .write = times.write,
                           .memory = times.memory};
}

/* Finds how many workers the memory of every rank allows with steps of these sizes; 0 on a processor, which is fastest
 * with its cache, whatever a step holds. Collective. */
static hb_status fit(void *context, const uint64_t *sizes, uint64_t *workers, size_t count)
{
    hb_eval_job *job = context;
    const bool gpu = job->base.device.gpu;
    uint64_t bytes;
    /* The least of the ranks, as the largest distance to 2^64 - 1. */
    for (size_t i = 0; i < count; i++) {
        workers[i] = UINT64_MAX - (gpu ? try_steps(job, sizes[i], sizes[i], host_share(job) / HOST_SHARE, &bytes) : 0);
    }
    HB_TRY(hb_agree(job->base.group, hb_group_max(job->base.group, workers, count)));
    for (size_t i = 0; i < count; i++) {
        workers[i] = UINT64_MAX - workers[i];
    }
    return HB_OK;
}

/* Takes as many as suit the devices of all ranks. Collective. */
static hb_status choose(hb_eval_job *job)
{
    hb_batch_case c = case_of(job);
    uint64_t size, cpus = !job->base.device.gpu;
    /* Steps are the same on all ranks, and so must be that by which they are chosen. */
    HB_TRY(hb_agree(job->base.group, hb_group_broadcast(job->base.group, &c, sizeof c, 0)));
    HB_TRY(hb_batch_choose(&c, (hb_batch_fit){fit, job}, &size, &job->plan.limit));
    HB_TRY(hb_agree(job->base.group, hb_group_max(job->base.group, &cpus, 1)));
    job->plan.limit = cpus > 0 ? HB_BATCH_CACHE : job->plan.limit;
    set_steps(job, size);
    return HB_OK;
}

/* Finds the steps that an earlier job began with, whose sums and checkpoints are of them; *size = 0: there is none.
 * Collective. */
static hb_status find_stored(hb_eval_job *job, uint64_t *size)
{
    const uint64_t whole = step_of(job, job->plan.blocks);
    *size = 0;
    if (!job->options.resume || !job->plan.steps_bound) {
        return HB_OK;
    }
    if (job->base.group->rank == 0) {
        hb_resume_step(job->outputs.output[0].path, size);
        /* A damaged number, or one of another program, is that of no job. */
        *size = *size <= whole && step_of(job, *size) == *size ? *size : 0;
    }
    return hb_agree(job->base.group, hb_group_broadcast(job->base.group, size, sizeof *size, 0));
}

hb_status hb_eval_plan_steps(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    uint64_t stored;
    HB_TRY(find_stored(job, &stored));
    if (stored > 0) {
        job->plan.steps_stay = job->options.batch > 0 && stored != step_of(job, asked_of(job));
        job->plan.batch = asked_of(job);
        job->plan.limit = HB_BATCH_STAYS;
        set_steps(job, stored);
        return HB_OK;
    }
    return job->options.batch > 0 ? hb_agree(base->group, take_asked(job)) : choose(job);
}
