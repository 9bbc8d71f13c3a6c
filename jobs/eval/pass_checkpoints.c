#include "pass_checkpoints.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval/checkpoint/checkpoint.h"
#include "io/files/durable.h"
#include "job_private.h"

/* Also removes a file that was being written when a job was killed. */
static hb_status remove_entry(void *context, int folder, const char *path, const char *entry)
{
    static const char *const kinds[] = {HB_SUMS_NAME, HB_TOTALS_NAME, HB_CHECKPOINT_NAME};
    (void)context;
    (void)path;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(entry, kinds[i], strlen(kinds[i])) == 0) {
            (void)unlinkat(folder, entry, 0);
        }
    }
    return HB_OK;
}

void hb_pass_checkpoints_remove_all(const hb_eval_job *job)
{
    const char *folder = job->outputs.output[0].path;
    /* While the residues of several moduli are computed, each has a folder of its own, and this one may be missing. */
    if (hb_folder_each_if_any(folder, remove_entry, NULL) != HB_OK) {
        hb_console_warn(job->base.group, "checkpoint   files may be left: %s", hb_last_error()->text);
        hb_clear_error();
    }
}

/* --- a pass */

/* Computes the identity of checkpoints; it includes the places of resume points, as another compiler may choose
 * others. */
static void identify(const hb_eval_job *job, uint8_t identity[HB_DIGEST_BYTES])
{
    const hb_pass *pass = &job->program.passes[job->pass];
    hb_digest_state state;
    hb_eval_job_digest_pass(&state, "hebatch step", job, job->pass);
    hb_digest_add_u64(&state, pass->row_count);
    for (uint32_t s = 0; s < pass->resume_point_count; s++) {
        hb_digest_add_u64(&state, pass->resume_points[s].at);
    }
    hb_digest_end(&state, identity);
}

/* The checkpoints that are there, and how far the last of them is. */
typedef struct found {
    hb_checkpoints *checkpoints;
    uint64_t count, iteration, iterations;
} found;

static void note_found(void *context, uint32_t pass, const hb_checkpoint_head *head)
{
    found *f = context;
    if (pass != f->checkpoints->pass || head->step >= f->checkpoints->steps) {
        return;
    }
    f->count += f->checkpoints->may_exist[head->step] == 0;
    f->checkpoints->may_exist[head->step] = 1;
    if (f->iteration == 0 || head->iteration < f->iteration) {
        f->iteration = head->iteration;
        f->iterations = head->iterations;
    }
}

static hb_status begin(hb_eval_job *job)
{
    hb_checkpoints *checkpoints = &job->checkpoints;
    checkpoints->pass = job->pass;
    checkpoints->steps = job->base.plan.units;
    checkpoints->interval = job->options.checkpoint_interval;
    identify(job, checkpoints->identity);
    checkpoints->may_exist = calloc((size_t)checkpoints->steps + 1, 1);
    if (checkpoints->may_exist == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " steps", checkpoints->steps);
    }
    return hb_path_with(job->outputs.output[0].path, ".partial", &checkpoints->folder);
}

hb_status hb_pass_checkpoints_begin(hb_eval_job *job)
{
    hb_checkpoints *checkpoints = &job->checkpoints;
    found f = {.checkpoints = checkpoints};
    hb_checkpoints_clear(checkpoints);
    if (job->program.passes[job->pass].resume_point_count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_agree(job->base.group, begin(job)));
    if (hb_checkpoint_each(checkpoints->folder, note_found, &f) != HB_OK) {
        hb_console_warn(job->base.group, "checkpoint   steps may begin anew: %s", hb_last_error()->text);
        hb_clear_error();
    }
    if (f.count > 0 && f.iterations > 0) {
        hb_console_log(job->base.group, job->base.common,
                       "checkpoint   of %s is there, in iteration %" PRIu64 " of %" PRIu64 " and later",
                       hb_human_things(f.count, "step").text, f.iteration, f.iterations);
    } else if (f.count > 0) {
        hb_console_log(job->base.group, job->base.common, "checkpoint   of %s is there",
                       hb_human_things(f.count, "step").text);
    }
    return HB_OK;
}

hb_status hb_pass_checkpoints_report(hb_eval_job *job)
{
    hb_checkpoints *checkpoints = &job->checkpoints;
    hb_group *group = job->base.group;
    if (checkpoints->folder == NULL) {
        return HB_OK;
    }
    const hb_error reason = *hb_last_error();
    uint64_t sums[] = {atomic_load(&checkpoints->resumed), atomic_load(&checkpoints->refused),
                       atomic_load(&checkpoints->stopped), atomic_load(&checkpoints->unstored)};
    uint64_t loop[] = {atomic_load(&checkpoints->iterations_left), atomic_load(&checkpoints->iterations)};
    HB_TRY(hb_agree(group, hb_group_sum(job->base.session.grid.peers, sums, sizeof sums / sizeof *sums)));
    HB_TRY(hb_agree(group, hb_group_max(group, loop, 2)));
    if (sums[0] > 0) {
        hb_console_log(group, job->base.common, "checkpoint   %s went on from it",
                       hb_human_things(sums[0], "step").text);
    }
    if (sums[1] > 0) {
        hb_console_warn(group, "checkpoint   %s began anew%s%s", hb_human_things(sums[1], "step").text,
                        checkpoints->refusal.text[0] != '\0' ? ": " : "", checkpoints->refusal.text);
    }
    if (sums[3] > 0) {
        hb_console_warn(group, "checkpoint   of %s could not be stored%s%s", hb_human_things(sums[3], "step").text,
                        checkpoints->failure.text[0] != '\0' ? ": " : "", checkpoints->failure.text);
    }
    if (sums[2] > 0 && loop[0] > 0) {
        hb_console_log(group, job->base.common,
                       "checkpoint   of %s is stored, in iteration %" PRIu64 " of %" PRIu64 " and later",
                       hb_human_things(sums[2], "step").text, loop[1] - loop[0] + 1, loop[1]);
    } else if (sums[2] > 0) {
        hb_console_log(group, job->base.common, "checkpoint   of %s is stored", hb_human_things(sums[2], "step").text);
    }
    hb_set_error(&reason);
    return HB_OK;
}
