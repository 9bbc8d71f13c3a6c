/* Runs that may stop at resume points: the observer at these points, and the sums accumulated between them. */
#include <stdlib.h>

#include "lang/program/resume_points.h"
#include "runner_private.h"

/* Whether a pass that has resume points accumulates into this register. */
static bool stays_apart(const hb_program *program, uint32_t total)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        if (program->passes[p].resume_point_count > 0 && hb_pass_accumulates(&program->passes[p], total)) {
            return true;
        }
    }
    return false;
}

uint64_t hb_runner_watch_bytes(const hb_params *params, const hb_program *program)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < program->register_count; i++) {
        const hb_register *r = &program->registers[i];
        if (r->total && stays_apart(program, i)) {
            words += (uint64_t)r->size * hb_params_most_limbs(params, params->ids, r->limbs) * params->ring.n;
        }
    }
    return words * sizeof(uint64_t);
}

hb_status hb_runner_watch_rows(hb_runner *runner, hb_runner_watch watch)
{
    const hb_program *program = runner->program;
    HB_ASSERT(runner->apart == NULL);
    runner->watch = watch;
    runner->apart = calloc(program->register_count, sizeof *runner->apart);
    if (runner->apart == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u registers", program->register_count);
    }
    for (uint32_t i = 0; i < program->register_count; i++) {
        const hb_register *r = &program->registers[i];
        if (r->total && stays_apart(program, i)) {
            HB_TRY(hb_ciphertexts_alloc(&runner->apart[i], runner->engine, runner->params, r->size, 1, r->limbs));
            HB_TRY(hb_clear(runner->engine, runner->apart[i].all));
        }
    }
    return hb_finish(runner->engine);
}

/* Limbs may be elsewhere, all of them, so that memory says nothing: it is apart where it has components. */
hb_ciphertexts hb_runner_unsettled(const hb_runner *runner, uint32_t total)
{
    return runner->apart != NULL ? runner->apart[total] : (hb_ciphertexts){.size = 0};
}

hb_status hb_runner_settle(hb_runner *runner, uint32_t pass, bool keep)
{
    for (uint32_t i = 0; i < runner->program->register_count; i++) {
        const hb_ciphertexts apart = hb_runner_unsettled(runner, i);
        if (apart.size == 0 || !hb_pass_accumulates(&runner->program->passes[pass], i)) {
            continue;
        }
        if (keep) {
            HB_TRY(hb_evaluator_add(runner->evaluator, runner->sums[i], runner->sums[i], apart));
        }
        HB_TRY(hb_clear(runner->engine, apart.all));
    }
    return HB_OK;
}

hb_ciphertexts hb_runner_register(const hb_runner *runner, uint32_t i, size_t count)
{
    return hb_runner_value(runner, i, count);
}

/* Loads the columns again that are live at a place. */
static hb_status reload(hb_runner *runner, uint32_t pass, uint32_t at, uint64_t first, size_t count)
{
    const hb_instruction *rows = runner->program->passes[pass].rows;
    const hb_runner_meter meter = runner->meter;
    hb_live live;
    hb_status st = hb_live_find(&live, runner->program, pass, at);
    runner->meter.worked = NULL; /* they count with all before the place */
    for (uint32_t i = 0; st == HB_OK && i < live.load_count; i++) {
        st = hb_runner_execute(runner, &rows[live.loads[i]], 1, first, count);
    }
    hb_live_clear(&live);
    runner->meter = meter;
    HB_TRY(st);
    return hb_runner_count_work(runner, rows, at, count);
}

hb_status hb_runner_rows_from(hb_runner *runner, uint32_t pass, uint32_t at, uint64_t first, size_t count)
{
    HB_ASSERT(pass < runner->program->pass_count && count >= 1 && count <= runner->count);
    HB_ASSERT(first % hb_program_blocks_together(runner->program) == 0);
    const hb_pass *p = &runner->program->passes[pass];
    HB_ASSERT(at <= p->row_count);
    if (at > 0) {
        HB_TRY(reload(runner, pass, at, first, count));
    }
    for (uint32_t s = 0; s < p->resume_point_count && runner->watch.look != NULL; s++) {
        const hb_resume_point *point = &p->resume_points[s];
        if (point->at > at) {
            HB_TRY(hb_runner_execute(runner, p->rows + at, point->at - at, first, count));
            at = point->at;
            HB_TRY(runner->watch.look(runner->watch.context, point));
        }
    }
    return hb_runner_execute(runner, p->rows + at, p->row_count - at, first, count);
}
