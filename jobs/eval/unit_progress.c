#include "unit_progress.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "divided/engine.h"
#include "unit.h"
#include "unit_checkpoint.h"

/* Whether all members found the same: 32 bits of a digest, a question and its opposite each. */
static hb_status agree_on(hb_unit_evaluator *x, bool found, bool *all)
{
    uint8_t digest[HB_DIGEST_BYTES] = {0};
    bool any;
    HB_TRY(hb_divided_any(x->engine, !found, &any));
    *all = !any;
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch places");
    hb_digest_add_u64(&state, x->progress.generation);
    hb_digest_add(&state, x->progress.done, (size_t)x->count * sizeof *x->progress.done);
    hb_digest_end(&state, digest);
    for (uint32_t i = 0; i < 32 && x->setting->session->grid.members->size > 1; i++) {
        const bool bit = (digest[i / 8] >> i % 8 & 1) != 0;
        bool ones, zeros;
        HB_TRY(hb_divided_any(x->engine, bit, &ones));
        HB_TRY(hb_divided_any(x->engine, !bit, &zeros));
        *all = *all && !(ones && zeros);
    }
    return HB_OK;
}

void hb_unit_progress_clear(hb_unit_progress *progress)
{
    free(progress->done);
    hb_checkpoint_file_clear(&progress->checkpoint);
    *progress = (hb_unit_progress){.done = NULL};
}

hb_status hb_unit_progress_begin(hb_unit_evaluator *x)
{
    hb_checkpoints *checkpoints = x->setting->checkpoints;
    hb_unit_progress *progress = &x->progress;
    bool found = false, all = false, listed;
    *progress = (hb_unit_progress){.done = calloc((size_t)x->count + 1, sizeof *progress->done), .looked = hb_now()};
    progress->stored = progress->looked;
    if (progress->done == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of row blocks");
    }
    if (checkpoints == NULL || checkpoints->folder == NULL) {
        return HB_OK;
    }
    HB_ASSERT(checkpoints->pass == x->pass);
    /* Members list the folder each, and may see it differently for a moment: they agree. */
    HB_TRY(hb_divided_any(x->engine, checkpoints->may_exist[x->step] != 0, &listed));
    if (!listed) {
        return HB_OK;
    }
    const hb_status st = hb_unit_checkpoint_read(x, &found);
    const hb_error why = *hb_last_error();
    HB_TRY(agree_on(x, found, &all));
    if (!all) {
        /* Who is the first to refuse says why. */
        if ((found || st != HB_OK) && atomic_fetch_add(&checkpoints->refused, 1) == 0) {
            checkpoints->refusal =
                st != HB_OK ? why : (hb_error){.text = "members that share its limbs found different ones"};
        }
        memset(progress->done, 0, (size_t)x->count * sizeof *progress->done);
        hb_checkpoint_file_clear(&progress->checkpoint);
        hb_clear_error();
        return HB_OK;
    }
    atomic_fetch_add(&checkpoints->resumed, 1);
    return hb_unit_checkpoint_restore(x);
}

hb_status hb_unit_progress_next(hb_unit_evaluator *x, bool *more)
{
    hb_unit_progress *progress = &x->progress;
    /* The row blocks of the batch before are computed: they are done. */
    const uint32_t end = x->setting->program->passes[x->pass].row_count;
    for (uint64_t b = progress->first; b < progress->first + progress->count; b++) {
        progress->done[b] = end;
    }
    progress->first += progress->count;
    progress->count = 0;
    while (progress->first < x->count && progress->done[progress->first] == end) {
        progress->first++;
    }
    while (progress->first + progress->count < x->count && progress->count < x->batch &&
           progress->done[progress->first + progress->count] == progress->done[progress->first]) {
        progress->count++;
    }
    *more = progress->count > 0;
    if (!*more || progress->done[progress->first] == 0) {
        return HB_OK;
    }
    return hb_unit_checkpoint_restore_registers(x);
}

/* Stops are passed without a look where they follow one another within this time, in seconds: looking waits for the
 * engine. */
static const double soon = 0.05;

/* Stores where somebody wants that; what cannot be stored is computed to its end. */
static hb_status store_or_go_on(hb_unit_evaluator *x, const hb_resume_point *point, bool halts)
{
    hb_checkpoints *checkpoints = x->setting->checkpoints;
    hb_unit_progress *progress = &x->progress;
    const hb_status st = hb_unit_checkpoint_store(x, point);
    bool failed;
    const hb_error why = *hb_last_error();
    HB_TRY(hb_divided_any(x->engine, st != HB_OK, &failed));
    progress->stored = hb_now();
    if (failed) {
        if (atomic_fetch_add(&checkpoints->unstored, 1) == 0 && st != HB_OK) {
            checkpoints->failure = why;
        }
        hb_clear_error();
        progress->store_failed = true;
        return HB_OK;
    }
    if (!halts) {
        return HB_OK;
    }
    atomic_fetch_add(&checkpoints->stopped, 1);
    const uint64_t behind = point->iterations > 0 ? point->iterations - point->iteration + 1 : 0;
    if (behind > atomic_load(&checkpoints->iterations_left)) {
        atomic_store(&checkpoints->iterations_left, behind);
        atomic_store(&checkpoints->iterations, point->iterations);
    }
    return HB_FAIL(HB_ESTOPPED, "stopped within a step");
}

hb_status hb_unit_progress_look(void *evaluator, const hb_resume_point *point)
{
    hb_unit_evaluator *x = evaluator;
    hb_checkpoints *checkpoints = x->setting->checkpoints;
    hb_unit_progress *progress = &x->progress;
    if (checkpoints->folder == NULL || progress->passed++ < progress->skips) {
        return HB_OK;
    }
    bool halts = false, slow, due;
    HB_TRY(hb_finish(x->engine));
    const double now = hb_now();
    HB_TRY(checkpoints->look(checkpoints->context, x->worker, &halts));
    HB_TRY(hb_divided_any(x->engine, halts, &halts));
    HB_TRY(hb_divided_any(x->engine, now - progress->looked > soon, &slow));
    HB_TRY(
        hb_divided_any(x->engine, checkpoints->interval > 0 && now - progress->stored > checkpoints->interval, &due));
    progress->passed = 0;
    progress->skips = slow ? 0 : 2 * progress->skips + 1;
    progress->looked = now;
    return (halts || due) && !progress->store_failed ? store_or_go_on(x, point, halts) : HB_OK;
}
