/* The measurements of `bench limbs` on one rig: each operation together, apart, and its transfers alone. All ranks make
 * the same calls, for all readings of their clocks: they wait for one another in most of them. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "bench_private.h"
#include "cli/stop.h"
#include "limbs_private.h"

enum { FEWEST = 5, MOST = 64 }; /* samples */

static const double nanosecond = 1e-9;

/* Makes `calls` calls of a rig and waits for them. */
typedef hb_status (*rig_calls)(hb_limbs_rig *rig, uint64_t calls);

/* Takes one sample, which the ranks begin together, as they have just agreed. Collective. */
static hb_status sample(hb_group *group, rig_calls calls, hb_limbs_rig *rig, uint64_t count, uint64_t *nanoseconds)
{
    HB_TRY(hb_agree(group, hb_stop_check()));
    const double begin = hb_now();
    const hb_status st = calls(rig, count);
    *nanoseconds = (uint64_t)((hb_now() - begin) / nanosecond);
    return hb_agree(group, st);
}

/* Takes one sample, of the slowest rank. Collective. */
static hb_status sample_slowest(hb_group *group, rig_calls calls, hb_limbs_rig *rig, uint64_t count, double *seconds)
{
    uint64_t nanoseconds;
    HB_TRY(sample(group, calls, rig, count, &nanoseconds));
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

/* Returns the median seconds of `unit` calls of the slowest rank. After a warm-up come samples of as many units as take
 * a few milliseconds, which begin together on all ranks, and behind each the pause of bench_private.h. Collective. */
static hb_status time_of(hb_group *group, const hb_bench_limbs_options *options, rig_calls calls, hb_limbs_rig *rig,
                         uint64_t unit, double *seconds)
{
    static const double longest = 0.02;
    const double pause =
        hb_bench_pace_of(&(hb_bench_options){.device = options->device, .sustained = options->sustained}).pause;
    const double share = options->seconds / FEWEST / (1 + pause), enough = share < longest ? share : longest;
    uint64_t count = unit, samples[MOST];
    /* Every call below is collective, so all ranks go round the same number of times. */
    double last;
    HB_TRY(sample_slowest(group, calls, rig, count, &last)); /* the first call of anything is slow */
    HB_TRY(sample_slowest(group, calls, rig, count, &last));
    while (last < enough / 2 && count < (uint64_t)1 << 20) {
        count *= 2;
        HB_TRY(sample_slowest(group, calls, rig, count, &last));
    }
    /* `last` is the slowest rank's on all ranks, so all take as many samples. */
    const double wanted = options->seconds / (last * (1 + pause));
    const size_t taken = (size_t)fmax(FEWEST, fmin(MOST, wanted));
    for (size_t i = 0; i < taken; i++) {
        HB_TRY(sample(group, calls, rig, count, &samples[i]));
        rest(pause * (double)samples[i] * nanosecond);
    }
    /* The slowest rank of each sample: the ranks' medians could be of different samples. */
    HB_TRY(hb_agree(group, hb_group_max(group, samples, taken)));
    qsort(samples, taken, sizeof *samples, compare);
    const double median = 0.5 * nanosecond * (double)(samples[(taken - 1) / 2] + samples[taken / 2]);
    *seconds = median / (double)(count / unit);
    return HB_OK;
}

/* The pipeline is used for its workers alone. */
static hb_status skip_reading(void *context, uint32_t buffer, uint32_t thread, uint64_t unit)
{
    (void)context, (void)buffer, (void)thread, (void)unit;
    return HB_OK;
}

static hb_status compute(void *context, uint32_t buffer, uint32_t worker, uint64_t unit)
{
    (void)buffer, (void)unit;
    hb_limbs_rig *rig = context;
    HB_TRY(hb_limbs_issue(rig, &rig->worker[worker]));
    return hb_finish(rig->worker[worker].queue);
}

/* Looks after signals and other ranks while workers compute. */
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
    hb_engine_leave(rig->worker[worker].queue);
}

static void interrupt(void *context)
{
    hb_limbs_rig *rig = context;
    hb_engine_interrupt(rig->engine);
}

/* Makes calls of the rig's operation, in turns over its queues. */
static hb_status calls_of(hb_limbs_rig *rig, uint64_t calls)
{
    static const hb_pipeline_stages stages = {
        .read = skip_reading, .compute = compute, .tend = tend, .leave = leave, .interrupt = interrupt};
    if (rig->queues > 1) {
        hb_pipeline_times times;
        for (uint32_t i = 0; i < rig->queues; i++) {
            /* As a job does: the queues take turns at exchanging. */
            hb_engine_enter(rig->worker[i].queue);
        }
        return hb_pipeline_run(&stages, rig, (hb_threads){1, rig->queues, 0}, 0, calls, &times);
    }
    for (uint64_t i = 0; i < calls; i++) {
        HB_TRY(hb_limbs_issue(rig, &rig->worker[0]));
        if (rig->wait) {
            HB_TRY(hb_finish(rig->worker[0].queue));
        }
    }
    return hb_finish(rig->worker[0].queue);
}

/* Makes the transfers that the recorder noted, and nothing else. */
static hb_status repeats_of(hb_limbs_rig *rig, uint64_t calls)
{
    for (uint64_t i = 0; i < calls; i++) {
        HB_TRY(hb_recorder_repeat(rig->recorder, hb_divided_device(rig->worker[0].queue)));
    }
    return HB_OK;
}

/* The arguments that the functions below share. */
typedef struct measurement {
    hb_group *group;
    const hb_bench_limbs_options *options;
    hb_limbs_results_k *results;
    bool brief; /* only the measurements for predictions */
} measurement;

/* Tells whether tables by k show the operation. */
static bool scales(hb_limb_operation operation)
{
    return operation == HB_LIMB_PRODUCT || operation == HB_LIMB_ROTATE;
}

static bool wanted(const measurement *m, hb_limb_operation operation)
{
    return hb_limbs_possible(m->options->params, operation) && (!m->brief || scales(operation));
}

/* Returns the seconds of a ciphertext where each of so many queues works on `count` of them. Collective. */
static hb_status time_calls(const measurement *m, hb_limbs_rig *rig, rig_calls calls, size_t count, uint32_t queues,
                            double *seconds)
{
    rig->count = count;
    rig->queues = queues;
    rig->wait = count == 1 && queues == 1;
    HB_TRY(time_of(m->group, m->options, calls, rig, queues, seconds));
    *seconds /= (double)count * queues;
    return HB_OK;
}

/* Notes the transfers of one call, those of the member that receives most. Collective. */
static hb_status record(const measurement *m, hb_limbs_rig *rig, size_t count, hb_limbs_row *row)
{
    rig->count = count;
    hb_recorder_begin(rig->recorder);
    const hb_status st = hb_limbs_issue(rig, &rig->worker[0]);
    /* Ended also after a failure, or the next call would be noted too. */
    const hb_status ended = hb_recorder_end(rig->recorder);
    HB_TRY(hb_agree(m->group, st == HB_OK ? ended : st));
    HB_TRY(hb_agree(m->group, hb_finish(rig->worker[0].queue)));
    const hb_limb_traffic own = hb_recorder_traffic(rig->recorder);
    uint64_t most[2 * HB_PATTERNS];
    for (int i = 0; i < HB_PATTERNS; i++) {
        most[i] = (uint64_t)own.bytes[i];
        most[HB_PATTERNS + i] = (uint64_t)own.transfers[i];
    }
    HB_TRY(hb_agree(m->group, hb_group_max(m->group, most, 2 * HB_PATTERNS)));
    for (int i = 0; i < HB_PATTERNS; i++) {
        row->traffic.bytes[i] = (double)most[i] / (double)count;
        row->traffic.transfers[i] = (double)most[HB_PATTERNS + i];
    }
    return HB_OK;
}

/* Notes the model's prediction for the same call. */
static void model(const measurement *m, const hb_limbs_rig *rig, size_t count, hb_limbs_row *row)
{
    hb_limb_case c = hb_limbs_case(m->options->params, m->results);
    c.conversions = rig->shape.division;
    c.cost = hb_recorder_exchange(rig->recorder)->cost;
    row->model = hb_limb_traffic_most(&c, rig->operation, count);
    for (int i = 0; i < HB_PATTERNS; i++) {
        row->model.bytes[i] /= (double)count;
    }
}

/* Measures with the other members, or, for k = 1, on all limbs. */
static hb_status measure_together(const measurement *m, hb_limbs_rig *rig, hb_limbs_row *row)
{
    const size_t count = m->results->count, k = rig->shape.k;
    const uint32_t queues = rig->shape.queues;
    HB_TRY(time_calls(m, rig, calls_of, count, queues, &row->batch));
    HB_TRY(time_calls(m, rig, calls_of, 1, 1, &row->alone));
    if (k == 1) {
        row->compute = row->weak = row->batch;
        row->compute_alone = row->alone;
        return HB_OK;
    }
    /* Only where k times as many ciphertexts were found to fit. */
    if (scales(rig->operation) && rig->shape.count == count * k) {
        HB_TRY(time_calls(m, rig, calls_of, count * k, queues, &row->weak));
    }
    HB_TRY(record(m, rig, count, row));
    model(m, rig, count, row);
    return hb_limb_bytes(&row->traffic) > 0 ? time_calls(m, rig, repeats_of, count, 1, &row->exchange) : HB_OK;
}

/* Measures the share of one member by itself. */
static hb_status measure_apart(const measurement *m, hb_limbs_rig *rig, hb_limbs_row *row)
{
    const size_t count = m->results->count;
    HB_TRY(time_calls(m, rig, calls_of, count, rig->shape.queues, &row->compute));
    HB_TRY(time_calls(m, rig, calls_of, 1, 1, &row->compute_alone));
    if (!m->results->exchanged) {
        HB_TRY(record(m, rig, count, row));
        model(m, rig, count, row);
    }
    return HB_OK;
}

hb_status hb_limbs_measure(hb_group *group, hb_limbs_rig *rig, bool brief, hb_limbs_results_k *results)
{
    const measurement m = {.group = group, .options = rig->options, .results = results, .brief = brief};
    const bool apart = rig->shape.k > 1 && !rig->shape.exchange;
    for (int i = 0; i < HB_LIMB_OPERATIONS; i++) {
        rig->operation = (hb_limb_operation)i;
        /* Conversions are measured by shapes of their own, both ways. */
        const bool divided_conversion =
            i == HB_LIMB_CONVERT && rig->shape.division == HB_DIVIDE_BY_COST && rig->shape.k > 1;
        if (!wanted(&m, rig->operation) || divided_conversion || (!rig->shape.keys && i != HB_LIMB_CONVERT)) {
            continue;
        }
        /* The row behind all others is that of conversions by slices. */
        hb_limbs_row *row = &results->rows[i + (rig->shape.division == HB_DIVIDE_BY_SLICES)];
        if (apart) {
            HB_TRY(measure_apart(&m, rig, row));
        } else {
            HB_TRY(measure_together(&m, rig, row));
        }
    }
    if (rig->shape.k == 1) {
        results->rows[HB_LIMB_CONVERT + 1] = results->rows[HB_LIMB_CONVERT]; /* one way only */
    }
    return HB_OK;
}
