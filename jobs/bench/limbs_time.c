/* Times of what several ranks do together: all of them make the same calls, whatever each has seen of the clock. */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "bench_private.h"
#include "cli/stop.h"
#include "limbs_private.h"

enum { FEWEST = 5, MOST = 64 }; /* samples */

static const double nanosecond = 1e-9;

/* One sample: the ranks begin together. */
static hb_status sample(hb_group *group, hb_limbs_calls calls, void *argument, uint64_t count, uint64_t *nanoseconds)
{
    HB_TRY(hb_agree(group, hb_stop_check()));
    const double begin = hb_now();
    const hb_status st = calls(argument, count);
    *nanoseconds = (uint64_t)((hb_now() - begin) / nanosecond);
    return hb_agree(group, st);
}

/* Of the slowest rank. */
static hb_status sample_slowest(hb_group *group, hb_limbs_calls calls, void *argument, uint64_t count, double *seconds)
{
    uint64_t nanoseconds;
    HB_TRY(sample(group, calls, argument, count, &nanoseconds));
    HB_TRY(hb_agree(group, hb_group_max(group, &nanoseconds, 1)));
    *seconds = (double)nanoseconds * nanosecond;
    return HB_OK;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void rest(double seconds)
{
    const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) / nanosecond)};
    nanosleep(&t, NULL); /* a signal may shorten it */
}

hb_status hb_limbs_time(hb_group *group, const hb_bench_limbs_options *options, hb_limbs_calls calls, void *argument,
                        uint64_t unit, double *seconds)
{
    static const double longest = 0.02;
    const double pause =
        hb_bench_pace_of(&(hb_bench_options){.device = options->device, .sustained = options->sustained}).pause;
    const double share = options->seconds / FEWEST / (1 + pause), enough = share < longest ? share : longest;
    uint64_t count = unit, samples[MOST];
    double last;
    HB_TRY(sample_slowest(group, calls, argument, count, &last)); /* the first call of anything is slow */
    HB_TRY(sample_slowest(group, calls, argument, count, &last));
    while (last < enough / 2 && count < (uint64_t)1 << 20) {
        count *= 2;
        HB_TRY(sample_slowest(group, calls, argument, count, &last));
    }
    const double wanted = options->seconds / (last * (1 + pause));
    const size_t taken = wanted < FEWEST ? FEWEST : wanted > MOST ? MOST : (size_t)wanted;
    for (size_t i = 0; i < taken; i++) {
        HB_TRY(sample(group, calls, argument, count, &samples[i]));
        rest(pause * (double)samples[i] * nanosecond);
    }
    HB_TRY(hb_agree(group, hb_group_max(group, samples, taken)));
    qsort(samples, taken, sizeof *samples, compare);
    const double median = 0.5 * nanosecond * (double)(samples[(taken - 1) / 2] + samples[taken / 2]);
    *seconds = median / (double)(count / unit);
    return HB_OK;
}

static hb_status skip_reading(void *context, uint32_t buffer, uint32_t hand, uint64_t unit)
{
    (void)context, (void)buffer, (void)hand, (void)unit;
    return HB_OK;
}

static hb_status compute(void *context, uint32_t buffer, uint32_t worker, uint64_t unit)
{
    (void)buffer, (void)unit;
    hb_limbs_rig *rig = context;
    HB_TRY(hb_limbs_issue(rig, &rig->lane[worker]));
    return hb_finish(rig->lane[worker].queue);
}

static hb_status tend(void *context)
{
    const hb_limbs_rig *rig = context;
    const hb_status st = hb_stop_check();
    if (st != HB_OK && rig->grid != NULL) {
        hb_group_stop_others(rig->grid->all); /* who measures has nothing to keep */
    }
    HB_TRY(st);
    return rig->grid != NULL && hb_group_stopping(rig->grid->all) ? HB_FAIL(HB_EPEER, "another rank stopped") : HB_OK;
}

static void leave(void *context, uint32_t worker)
{
    hb_limbs_rig *rig = context;
    hb_engine_leave(rig->lane[worker].queue);
}

static void interrupt(void *context)
{
    hb_limbs_rig *rig = context;
    hb_engine_interrupt(rig->engine);
}

hb_status hb_limbs_calls_of(void *argument, uint64_t calls)
{
    static const hb_pipeline_stages stages = {
        .read = skip_reading, .compute = compute, .tend = tend, .leave = leave, .interrupt = interrupt};
    hb_limbs_rig *rig = argument;
    if (rig->queues > 1) {
        hb_pipeline_times times;
        for (uint32_t i = 0; i < rig->queues; i++) {
            hb_engine_enter(rig->lane[i].queue);
        }
        return hb_pipeline_run(&stages, rig, (hb_crew){1, rig->queues, 0}, 0, calls, &times);
    }
    for (uint64_t i = 0; i < calls; i++) {
        HB_TRY(hb_limbs_issue(rig, &rig->lane[0]));
        HB_TRY(rig->wait ? hb_finish(rig->lane[0].queue) : HB_OK);
    }
    return hb_finish(rig->lane[0].queue);
}

hb_status hb_limbs_repeats_of(void *argument, uint64_t calls)
{
    hb_limbs_rig *rig = argument;
    for (uint64_t i = 0; i < calls; i++) {
        HB_TRY(hb_recorder_repeat(rig->recorder, hb_divided_device(rig->lane[0].queue)));
    }
    return HB_OK;
}
