#include "totals_checkpoint.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "io/files/durable.h"
#include "job_private.h"
#include "lang/program/resume_points.h"
#include "pass_file.h"

static hb_batch total_of(const hb_eval_job *job, uint16_t total)
{
    return hb_runner_register(job->evaluator[0].runner, total, 1).all;
}

/* --- storing */

/* Puts every total of the list into the file, which rank 0 has; other groups have the same ones. */
static hb_status put(hb_eval_job *job, hb_checkpoint_file *file, const hb_live *live)
{
    for (uint32_t i = 0; i < live->register_count && job->base.session.grid.peers->rank == 0; i++) {
        HB_TRY(hb_eval_words_put(job, total_of(job, live->registers[i]), file, live->registers[i]));
    }
    return HB_OK;
}

/* Writes the file of a pass, on rank 0; it contains the steps of older ones. */
static hb_status write_file(hb_eval_job *job, hb_checkpoint_file *file, uint32_t pass)
{
    HB_TRY(hb_pass_file_write(job, HB_PASS_TOTALS, pass, file));
    for (uint32_t p = job->totals.stored > 0 ? job->totals.stored - 1 : 0; p <= pass; p++) {
        hb_pass_file_remove(job, HB_PASS_SUMS, p);
        if (p < pass) {
            hb_pass_file_remove(job, HB_PASS_TOTALS, p);
        }
    }
    return HB_OK;
}

static hb_status store(hb_eval_job *job, uint32_t pass)
{
    const bool writes = job->base.group->rank == 0;
    hb_checkpoint_file file = {.words = NULL};
    hb_live live = {.registers = NULL};
    hb_status st;
    HB_GOTO(hb_agree(job->base.group, hb_live_totals(&live, &job->program, pass)));
    HB_GOTO(hb_agree(job->base.group, writes ? hb_pass_file_begin(job, HB_PASS_TOTALS, pass, &file) : HB_OK));
    HB_GOTO(hb_agree(job->base.group, put(job, &file, &live)));
    st = hb_agree(job->base.group, writes ? write_file(job, &file, pass) : HB_OK);
done:
    hb_live_clear(&live);
    hb_checkpoint_file_clear(&file);
    return st;
}

hb_status hb_totals_checkpoint_store(hb_eval_job *job)
{
    hb_totals_checkpoint *totals = &job->totals;
    if (totals->done > totals->stored) {
        HB_TRY(store(job, totals->done - 1));
        totals->stored = totals->done;
        totals->at = hb_now();
    }
    return HB_OK;
}

hb_status hb_totals_checkpoint_pardon(hb_eval_job *job, hb_status stored)
{
    hb_totals_checkpoint *totals = &job->totals;
    if (stored != HB_ENOMEM && stored != HB_ECREATE && stored != HB_EIO) {
        return stored;
    }
    if (!totals->warned) {
        hb_console_warn(job->base.group, "checkpoint   of what passes add up could not be stored: %s",
                        hb_last_error()->text);
    }
    totals->warned = true;
    totals->at = hb_now();
    hb_clear_error();
    return HB_OK;
}

hb_status hb_totals_checkpoint_note(hb_eval_job *job)
{
    const double interval = job->options.checkpoint_interval;
    uint8_t due = interval > 0 && hb_now() - job->totals.at >= interval;
    job->totals.done = job->pass + 1;
    if (job->totals.done == job->program.pass_count || interval == 0) {
        return HB_OK;
    }
    /* By the clock of rank 0, as all store or none. */
    HB_TRY(hb_agree(job->base.group, hb_group_broadcast(job->base.group, &due, sizeof due, 0)));
    return due != 0 ? hb_totals_checkpoint_pardon(job, hb_totals_checkpoint_store(job)) : HB_OK;
}

/* --- going on */

/* Returns whether an output lacks units that the passes up to this one store. */
static bool outputs_lack(const hb_eval_job *job, uint32_t last)
{
    bool lack = false;
    for (uint32_t p = 0; p <= last; p++) {
        const hb_pass *pass = &job->program.passes[p];
        for (uint64_t u = 0; u < job->base.plan.units && !lack; u++) {
            lack = hb_eval_outputs_lack(&job->outputs, pass, u);
        }
        for (uint32_t o = 0; o < job->outputs.count; o++) {
            lack = lack ||
                   (hb_pass_stores_totals(pass, o) && !hb_unit_map_has(&job->outputs.output[o].dataset.finished, 0));
        }
    }
    return lack;
}

/* Reads the file of a pass on rank 0, if there is one that counts. Only memory that is short is a failure. */
static hb_status read_file(const hb_eval_job *job, uint32_t pass, hb_checkpoint_file *file, bool *found)
{
    const hb_status st = hb_pass_file_read(job, HB_PASS_TOTALS, pass, file);
    *found = st == HB_OK && !outputs_lack(job, pass);
    if (st != HB_OK && st != HB_ENOINPUT) {
        hb_console_log(job->base.group, job->base.common, "passes       totals do not count: %s",
                       hb_last_error()->text);
    }
    if (!*found) {
        hb_checkpoint_file_clear(file);
        hb_clear_error();
    }
    return st == HB_ENOMEM ? st : HB_OK;
}

/* Finds the file of the last pass that has one that counts, on rank 0; *passes: so many are done then, or 0. */
static hb_status find_file(const hb_eval_job *job, hb_checkpoint_file *file, uint32_t *passes)
{
    bool found = false;
    for (uint32_t p = job->program.pass_count; p-- > 0 && !found;) {
        HB_TRY(read_file(job, p, file, &found));
        *passes = found ? p + 1 : 0;
    }
    return HB_OK;
}

/* Fills the totals of all ranks, each with its limbs. */
static hb_status get(hb_eval_job *job, const hb_checkpoint_file *file, uint32_t pass)
{
    hb_live live = {.registers = NULL};
    hb_status st;
    HB_GOTO(hb_agree(job->base.group, hb_live_totals(&live, &job->program, pass)));
    for (uint32_t i = 0; i < live.register_count; i++) {
        HB_GOTO(hb_eval_words_get(job, job->base.group, total_of(job, live.registers[i]), file, live.registers[i]));
    }
done:
    hb_live_clear(&live);
    return st;
}

hb_status hb_totals_checkpoint_begin(hb_eval_job *job)
{
    hb_group *group = job->base.group;
    hb_checkpoint_file file = {.words = NULL};
    uint32_t passes = 0;
    hb_status st;
    job->totals = (hb_totals_checkpoint){.at = hb_now()};
    job->pass = 0;
    if (!job->outputs.output[0].dataset.resumed) {
        return HB_OK;
    }
    HB_GOTO(hb_agree(group, group->rank == 0 ? find_file(job, &file, &passes) : HB_OK));
    HB_GOTO(hb_agree(group, hb_group_broadcast(group, &passes, sizeof passes, 0)));
    if (passes > 0) {
        HB_GOTO(get(job, &file, passes - 1));
        job->pass = job->totals.done = job->totals.stored = passes;
        hb_console_log(group, job->base.common,
                       "passes       %" PRIu32 " of %" PRIu32 " are done: their totals are there", passes,
                       job->program.pass_count);
    }
done:
    hb_checkpoint_file_clear(&file);
    return st;
}

static hb_status look_at(void *context, int folder, const char *path, const char *entry)
{
    uint32_t *passes = context, pass;
    char rest;
    (void)folder;
    (void)path;
    /* A file that is being written has more behind its number. */
    if (sscanf(entry, HB_TOTALS_NAME "%9" SCNu32 "%c", &pass, &rest) == 1 && pass + 1 > *passes) {
        *passes = pass + 1;
    }
    return HB_OK;
}

hb_status hb_totals_checkpoint_look(const char *folder, uint32_t *passes)
{
    *passes = 0;
    return hb_folder_each_if_any(folder, look_at, passes); /* a job that ends now removes the folder */
}
