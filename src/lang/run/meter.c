/* The work of a run, as its meter is told of it. */
#include "base/clock.h"
#include "lang/cost/program_cost.h"
#include "runner_private.h"

/* Seconds from one wait for a queue of a device to the next: a wait lets the device idle for some microseconds. */
static const double interval = 0.5;

/* All that is queued is known to be done. */
static void tell(hb_runner *runner)
{
    if (runner->meter.worked != NULL && runner->queued > 0) {
        runner->meter.worked(runner->meter.context, runner->queued, NULL);
    }
    runner->queued = 0;
}

void hb_runner_worked(hb_runner *runner, uint32_t pass, uint64_t blocks)
{
    const hb_pass *p = &runner->program->passes[pass];
    if (blocks > 0) {
        runner->queued += blocks * hb_instructions_work(runner->params, runner->program, p->rows, p->row_count);
    }
    tell(runner);
}

hb_status hb_runner_count_work(hb_runner *runner, const hb_instruction *instructions, uint32_t instruction_count,
                               size_t count)
{
    if (runner->meter.worked == NULL) {
        return HB_OK;
    }
    runner->queued += count * hb_instructions_work(runner->params, runner->program, instructions, instruction_count);
    runner->queued -= runner->under_way.work; /* which was told */
    runner->under_way.work = 0;
    if (!runner->engine->on_host) {
        const double now = hb_now();
        if (now - runner->told < interval) {
            return HB_OK;
        }
        runner->told = now;
        HB_TRY(hb_finish(runner->engine));
    }
    tell(runner);
    return HB_OK;
}
