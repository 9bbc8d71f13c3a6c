#include "unit_course.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "divided/engine.h"
#include "unit.h"
#include "unit_state.h"

/* Whether all members found the same: 32 bits of a digest, a question and its opposite each. */
static hb_status agree_on(hb_unit_evaluator *x, bool found, bool *all)
{
    uint8_t digest[HB_DIGEST_BYTES] = {0};
    bool any;
    HB_TRY(hb_divided_any(x->engine, !found, &any));
    *all = !any;
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch places");
    hb_digest_add_u64(&state, x->course.generation);
    hb_digest_add(&state, x->course.at, (size_t)x->count * sizeof *x->course.at);
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

void hb_unit_course_clear(hb_unit_course *course)
{
    free(course->at);
    hb_kept_file_clear(&course->kept);
    *course = (hb_unit_course){.at = NULL};
}

hb_status hb_unit_course_begin(hb_unit_evaluator *x)
{
    hb_eval_keeper *keeper = x->setting->keeper;
    hb_unit_course *course = &x->course;
    bool found = false, all = false, listed;
    *course = (hb_unit_course){.at = calloc((size_t)x->count + 1, sizeof *course->at), .looked = hb_now()};
    course->stored = course->looked;
    if (course->at == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of row blocks");
    }
    if (keeper == NULL || keeper->folder == NULL) {
        return HB_OK;
    }
    HB_ASSERT(keeper->pass == x->pass);
    /* Members list the folder each, and may see it differently for a moment: they agree. */
    HB_TRY(hb_divided_any(x->engine, keeper->there[x->step] != 0, &listed));
    if (!listed) {
        return HB_OK;
    }
    const hb_status st = hb_unit_state_read(x, &found);
    const hb_error why = *hb_last_error();
    HB_TRY(agree_on(x, found, &all));
    if (!all) {
        /* Who is the first to refuse says why. */
        if ((found || st != HB_OK) && atomic_fetch_add(&keeper->refused, 1) == 0) {
            keeper->refusal =
                st != HB_OK ? why : (hb_error){.text = "members that share its limbs found different ones"};
        }
        memset(course->at, 0, (size_t)x->count * sizeof *course->at);
        hb_kept_file_clear(&course->kept);
        hb_clear_error();
        return HB_OK;
    }
    atomic_fetch_add(&keeper->resumed, 1);
    return hb_unit_state_take(x);
}

hb_status hb_unit_course_next(hb_unit_evaluator *x, bool *more)
{
    hb_unit_course *course = &x->course;
    /* Of those before, the ones that were computed are done. */
    const uint32_t end = x->setting->program->passes[x->pass].row_count;
    for (uint64_t b = course->first; b < course->first + course->count; b++) {
        course->at[b] = end;
    }
    course->first += course->count;
    course->count = 0;
    while (course->first < x->count && course->at[course->first] == end) {
        course->first++;
    }
    while (course->first + course->count < x->count && course->count < x->batch &&
           course->at[course->first + course->count] == course->at[course->first]) {
        course->count++;
    }
    *more = course->count > 0;
    if (!*more || course->at[course->first] == 0) {
        return HB_OK;
    }
    return hb_unit_state_take_registers(x);
}

/* Stops are passed without a look where they follow one another within this time, in seconds: looking waits for the
 * engine. */
static const double soon = 0.05;

/* Stores where somebody wants that; what cannot be stored is computed to its end. */
static hb_status store_or_go_on(hb_unit_evaluator *x, const hb_stop *stop, bool halts)
{
    hb_eval_keeper *keeper = x->setting->keeper;
    hb_unit_course *course = &x->course;
    const hb_status st = hb_unit_state_store(x, stop);
    bool failed;
    const hb_error why = *hb_last_error();
    HB_TRY(hb_divided_any(x->engine, st != HB_OK, &failed));
    course->stored = hb_now();
    if (failed) {
        if (atomic_fetch_add(&keeper->full, 1) == 0 && st != HB_OK) {
            keeper->failure = why;
        }
        hb_clear_error();
        course->full = true;
        return HB_OK;
    }
    if (!halts) {
        return HB_OK;
    }
    atomic_fetch_add(&keeper->left, 1);
    const uint64_t behind = stop->turns > 0 ? stop->turns - stop->turn + 1 : 0;
    if (behind > atomic_load(&keeper->behind)) {
        atomic_store(&keeper->behind, behind);
        atomic_store(&keeper->turns, stop->turns);
    }
    return HB_FAIL(HB_ESTOPPED, "stopped within a step");
}

hb_status hb_unit_course_look(void *evaluator, const hb_stop *stop)
{
    hb_unit_evaluator *x = evaluator;
    hb_eval_keeper *keeper = x->setting->keeper;
    hb_unit_course *course = &x->course;
    if (keeper->folder == NULL || course->passed++ < course->skips) {
        return HB_OK;
    }
    bool halts = false, slow, due;
    HB_TRY(hb_finish(x->engine));
    const double now = hb_now();
    HB_TRY(keeper->look(keeper->context, x->worker, &halts));
    HB_TRY(hb_divided_any(x->engine, halts, &halts));
    HB_TRY(hb_divided_any(x->engine, now - course->looked > soon, &slow));
    HB_TRY(hb_divided_any(x->engine, keeper->interval > 0 && now - course->stored > keeper->interval, &due));
    course->passed = 0;
    course->skips = slow ? 0 : 2 * course->skips + 1;
    course->looked = now;
    return (halts || due) && !course->full ? store_or_go_on(x, stop, halts) : HB_OK;
}
