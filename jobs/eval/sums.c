#include "sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"
#include "job_private.h"
#include "pass_file.h"

void hb_eval_sums_clear(hb_eval_sums *sums)
{
    hb_unit_map_clear(&sums->steps);
    free(sums->fresh);
    *sums = (hb_eval_sums){.fresh = NULL};
}

/* United over the peers: ranks that share limbs have added up the same steps. */
static hb_status gather_steps(hb_eval_job *job)
{
    hb_eval_sums *sums = &job->sums;
    hb_unit_map fresh = {0};
    hb_status st;
    HB_GOTO(hb_agree(job->base.group, hb_unit_map_init(&fresh, job->base.plan.units)));
    /* Bytes become bits: threads set bytes without a lock. */
    for (uint64_t u = 0; u < job->base.plan.units; u++) {
        if (sums->fresh[u] != 0) {
            hb_unit_map_add(&fresh, u);
        }
    }
    HB_GOTO(hb_agree(job->base.group, hb_unit_map_unite(job->base.session.grid.peers, &fresh)));
    for (uint64_t u = 0; u < job->base.plan.units; u++) {
        if (hb_unit_map_has(&fresh, u)) {
            HB_ASSERT(!hb_unit_map_has(&sums->steps, u)); /* or it would count twice */
            hb_unit_map_add(&sums->steps, u);
        }
    }
    memset(sums->fresh, 0, (size_t)job->base.plan.units);
done:
    hb_unit_map_clear(&fresh);
    return st;
}

/* Makes a worker's sum zero. */
static hb_status clear_sum(const hb_unit_evaluator *x, uint32_t total)
{
    hb_ciphertexts sum;
    HB_TRY(hb_runner_accumulated(x->runner, total, &sum));
    HB_TRY(hb_clear(x->engine, sum.all));
    return hb_finish(x->engine);
}

/* Clears every sum but that of worker 0 of the first group, which has been given all that was added up: nothing may
 * count twice when sums are added up and stored again. */
static hb_status clear_others(hb_eval_job *job)
{
    const hb_pass *pass = &job->program.passes[job->pass];
    const uint32_t kept = job->base.session.grid.peers->rank == 0 ? 1 : 0;
    for (uint32_t r = 0; r < job->program.register_count; r++) {
        for (uint32_t i = kept; i < job->base.plan.workers.count && hb_pass_accumulates(pass, r); i++) {
            HB_TRY(clear_sum(&job->evaluator[i], r));
        }
    }
    return HB_OK;
}

hb_status hb_eval_sums_gather(hb_eval_job *job)
{
    HB_TRY(gather_steps(job));
    /* Now worker 0 of every rank has the whole sum. */
    HB_TRY(hb_eval_job_add_up(job, job->pass));
    return hb_agree(job->base.group, clear_others(job));
}

/* --- the file: a section for each register, and two behind these: how many steps there are, and a bit for each */

#define STEP_COUNT UINT64_MAX
#define STEP_BITS (UINT64_MAX - 1)

static size_t map_words(const hb_unit_map *steps)
{
    return (size_t)(steps->units / 64 + 1);
}

static hb_status begin_file(const hb_eval_job *job, hb_checkpoint_file *file)
{
    const hb_unit_map *steps = &job->sums.steps;
    HB_TRY(hb_pass_file_begin(job, HB_PASS_SUMS, job->pass, file));
    HB_TRY(hb_checkpoint_file_put(file, STEP_COUNT, &steps->units, 1));
    return hb_checkpoint_file_put(file, STEP_BITS, steps->words, map_words(steps));
}

static hb_status get_steps(const hb_checkpoint_file *file, hb_unit_map *steps)
{
    size_t count = 0;
    const uint64_t *words = hb_checkpoint_file_find(file, STEP_BITS, &count);
    if (words == NULL || count != map_words(steps)) {
        return HB_FAIL(HB_EDATA, "they are of another job");
    }
    memcpy(steps->words, words, count * sizeof *words);
    return HB_OK;
}

/* Puts sum `total` into the file, which rank 0 has. Collective among the members of the first group. */
static hb_status put_sum(hb_eval_job *job, hb_checkpoint_file *file, uint32_t total)
{
    hb_ciphertexts sum = {.size = 0};
    HB_TRY(hb_agree(job->base.session.grid.members, hb_runner_accumulated(job->evaluator[0].runner, total, &sum)));
    return hb_eval_words_put(job, sum.all, file, total);
}

/* Gets sum `total` from the file, into worker 0. Collective among the members of the first group. */
static hb_status get_sum(hb_eval_job *job, hb_checkpoint_file *file, uint32_t total)
{
    hb_group *members = job->base.session.grid.members;
    hb_ciphertexts sum = {.size = 0};
    HB_TRY(hb_agree(members, hb_runner_accumulated(job->evaluator[0].runner, total, &sum)));
    return hb_eval_words_get(job, members, sum.all, file, total);
}

/* Moves every sum of the pass; ranks of other groups have nothing to do. */
static hb_status each_sum(hb_eval_job *job, hb_checkpoint_file *file,
                          hb_status (*move)(hb_eval_job *job, hb_checkpoint_file *file, uint32_t total))
{
    const hb_pass *pass = &job->program.passes[job->pass];
    for (uint32_t r = 0; r < job->program.register_count && job->base.session.grid.peers->rank == 0; r++) {
        if (hb_pass_accumulates(pass, r)) {
            HB_TRY(move(job, file, r));
        }
    }
    return HB_OK;
}

hb_status hb_eval_sums_store(hb_eval_job *job)
{
    const bool writes = job->base.group->rank == 0;
    hb_checkpoint_file file = {.words = NULL};
    hb_status st;
    HB_GOTO(hb_agree(job->base.group, writes ? begin_file(job, &file) : HB_OK));
    /* In memory first: the file is replaced at once, so a crash leaves the older one or the newer one. */
    HB_GOTO(hb_agree(job->base.group, each_sum(job, &file, put_sum)));
    st = hb_agree(job->base.group, writes ? hb_pass_file_write(job, HB_PASS_SUMS, job->pass, &file) : HB_OK);
done:
    hb_checkpoint_file_clear(&file);
    return st;
}

/* Tells whether every step that is in the sums also has its rows: a step whose rows have to be made again would be
 * added a second time. */
static bool rows_are_there(const hb_eval_job *job, const hb_unit_map *steps)
{
    const hb_pass *pass = &job->program.passes[job->pass];
    for (uint64_t u = 0; u < job->base.plan.units; u++) {
        if (hb_unit_map_has(steps, u) && hb_eval_outputs_lack(&job->outputs, pass, u)) {
            return false;
        }
    }
    return true;
}

/* Says why stored sums do not count, which is no failure. */
static const char *why_not(hb_status read)
{
    return read == HB_OK ? "rows of some steps have to be made again" : hb_last_error()->text;
}

/* Reads the file on rank 0; *found: it is there, of these sums, and whole. Only memory that is short is a failure. */
static hb_status read_file(hb_eval_job *job, hb_checkpoint_file *file, bool *found)
{
    hb_status st = hb_pass_file_read(job, HB_PASS_SUMS, job->pass, file);
    st = st == HB_OK ? get_steps(file, &job->sums.steps) : st;
    *found = st == HB_OK && rows_are_there(job, &job->sums.steps);
    /* Reading may have filled the map already. */
    if (!*found) {
        memset(job->sums.steps.words, 0, (size_t)(job->base.plan.units / 64 + 1) * sizeof *job->sums.steps.words);
        if (st != HB_ENOINPUT) { /* without a file nothing is lost */
            hb_console_log(job->base.group, job->base.common, "sums         start from the beginning: %s", why_not(st));
        }
        hb_clear_error();
    }
    return st == HB_ENOMEM ? st : HB_OK;
}

/* Takes over the sums that an earlier job stored, if there are any. Collective. */
static hb_status take_over(hb_eval_job *job)
{
    hb_checkpoint_file file = {.words = NULL};
    bool found = false;
    hb_status st;
    HB_GOTO(hb_agree(job->base.group, job->base.group->rank == 0 ? read_file(job, &file, &found) : HB_OK));
    /* The map is empty on the other ranks, and on all where nothing was found: so all ranks take the same branch
     * below. */
    HB_GOTO(hb_unit_map_unite(job->base.group, &job->sums.steps));
    /* The same on all ranks, so all come along or none. */
    if (hb_unit_map_count(&job->sums.steps) > 0) {
        HB_GOTO(hb_agree(job->base.group, each_sum(job, &file, get_sum)));
        hb_console_log(job->base.group, job->base.common, "sums         of %" PRIu64 " of %" PRIu64 " steps are there",
                       hb_unit_map_count(&job->sums.steps), job->base.plan.units);
    }
done:
    hb_checkpoint_file_clear(&file);
    return st;
}

static hb_status init(hb_eval_job *job)
{
    HB_TRY(hb_unit_map_init(&job->sums.steps, job->base.plan.units));
    job->sums.fresh = calloc((size_t)job->base.plan.units + 1, 1);
    if (job->sums.fresh == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " steps", job->base.plan.units);
    }
    return HB_OK;
}

hb_status hb_eval_sums_begin(hb_eval_job *job)
{
    HB_TRY(hb_agree(job->base.group, init(job)));
    return job->outputs.output[0].dataset.resumed ? take_over(job) : HB_OK;
}

/* Counts the steps in a file. */
static hb_status count_steps(const char *path, uint64_t *done, uint64_t *steps)
{
    hb_checkpoint_file file;
    size_t count = 0;
    hb_status st = hb_checkpoint_file_read(&file, path, NULL);
    const uint64_t *units = st == HB_OK ? hb_checkpoint_file_find(&file, STEP_COUNT, &count) : NULL;
    if (st == HB_OK && (units == NULL || count != 1)) {
        st = HB_FAIL(HB_EDATA, "%s is damaged", path);
    }
    if (st == HB_OK) {
        *steps = *units;
        const uint64_t *bits = hb_checkpoint_file_find(&file, STEP_BITS, &count);
        *done = 0;
        for (size_t i = 0; bits != NULL && i < count; i++) {
            *done += (uint64_t)__builtin_popcountll(bits[i]);
        }
    }
    hb_checkpoint_file_clear(&file);
    return st;
}

hb_status hb_eval_sums_look(const char *folder, uint32_t pass, uint64_t *done, uint64_t *steps)
{
    char name[64], *path;
    snprintf(name, sizeof name, "/" HB_SUMS_NAME "%" PRIu32, pass);
    HB_TRY(hb_path_with(folder, name, &path));
    const hb_status st = count_steps(path, done, steps);
    free(path);
    return st;
}
