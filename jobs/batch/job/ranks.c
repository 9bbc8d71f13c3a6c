#include "ranks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/stop.h"
#include "cli/trace.h"
#include "divided/engine.h"
#include "machine/machine.h"

hb_units hb_ranks_divide(const hb_group *peers, const hb_header *header, uint64_t first, uint64_t count)
{
    hb_share share = hb_partition(count, (uint32_t)peers->rank, (uint32_t)peers->size);
    share.first += first;
    uint64_t begin, ciphertexts;
    hb_header_units_range(header, first, count, &begin, &ciphertexts);
    return (hb_units){.mine = share, .count = count, .ciphertexts = ciphertexts};
}

void hb_units_clear(hb_units *units)
{
    free(units->list);
    *units = (hb_units){0};
}

/* One run of this rank. The atomics are for the pipeline's threads; the rest is for the thread that owns the group. */
typedef struct rank_run {
    const hb_ranks_work *work;
    hb_progress progress;
    double begun, shown;
    atomic_uint_fast64_t computed, ciphertexts; /* computed units; ciphertexts in finished ones */
    atomic_uint_fast64_t worked;                /* work, also in units that are not finished */
    atomic_uint_fast64_t compute, write;        /* nanoseconds of the longest unit */
    atomic_bool halts;                          /* no unit is to be begun; members vote on it */
    double looked[HB_MOST_WORKERS];             /* when a worker began its unit, or looked last */
    bool asked;                                 /* this rank has told the others to halt */
    hb_error reason;                            /* why it did; empty: for a pause */
} rank_run;

static const double billion = 1e9;

/* The pipeline counts places; stages are given units. Called first in each stage. */
static uint64_t unit_of(const rank_run *run, uint64_t place)
{
    const hb_units *units = run->work->units;
    const uint64_t unit = units->list != NULL ? units->list[place] : place;
    hb_trace_unit(unit);
    return unit;
}

/* Keeps the longest time of any unit, from any thread, for the deadline. */
static void note_longest(atomic_uint_fast64_t *longest, double since)
{
    const uint_fast64_t now = (uint_fast64_t)(billion * (hb_now() - since));
    uint_fast64_t before = atomic_load(longest);
    /* A failed exchange loads another thread's value into `before`. */
    while (now > before && !atomic_compare_exchange_weak(longest, &before, now)) {
    }
}

static void note_through(rank_run *run, uint64_t unit)
{
    uint64_t first, count;
    hb_header_unit_range(run->work->header, unit, &first, &count);
    atomic_fetch_add(&run->ciphertexts, count);
}

static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t place)
{
    const rank_run *run = context;
    return run->work->stages->read(run->work->context, buffer, thread, unit_of(run, place));
}

/* Asks all members that compute this unit whether one of them halts: a member that stopped before another would leave
 * that one waiting in an exchange. Exchanges, in the worker's thread. The first unit is always computed, by all. */
static hb_status vote(rank_run *run, uint32_t worker, uint64_t place)
{
    bool halts;
    if (place == run->work->units->mine.first) {
        return HB_OK;
    }
    HB_TRY(hb_divided_any(run->work->session->queue[worker], atomic_load(&run->halts), &halts));
    return halts ? HB_FAIL(HB_ESTOPPED, "stopped with those who share its limbs") : HB_OK;
}

/* In a worker's thread, so nothing here touches the group. */
static hb_status compute_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t place)
{
    rank_run *run = context;
    const hb_ranks_work *work = run->work;
    const uint64_t unit = unit_of(run, place);
    /* Before anything of the unit is done: HB_ESTOPPED must leave it untouched. */
    HB_TRY(vote(run, worker, place));
    run->looked[worker] = hb_now();
    HB_TRY(work->stages->compute(work->context, buffer, worker, unit));
    note_longest(&run->compute, run->looked[worker]);
    atomic_fetch_add(&run->computed, 1);
    /* A rank that writes nothing is through with a unit when it is computed. */
    if (work->stages->write == NULL) {
        note_through(run, unit);
    }
    return HB_OK;
}

/* In a writer's thread: a unit that is written is through. */
static hb_status write_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t place)
{
    rank_run *run = context;
    const uint64_t unit = unit_of(run, place);
    const double begun = hb_now();
    HB_TRY(run->work->stages->write(run->work->context, buffer, thread, unit));
    note_longest(&run->write, begun);
    note_through(run, unit);
    return HB_OK;
}

/* In the thread that owns the group: the counts of the other threads are read and passed on. */
static void show_progress(rank_run *run)
{
    hb_progress_set(&run->progress, atomic_load(&run->ciphertexts), atomic_load(&run->worked));
}

/* While rank 0 waits for others at the end. */
static void show_others(void *context)
{
    show_progress(context);
}

/* The deadline is near once the units begun would barely be computed and written in the remaining time. */
static bool is_near(const rank_run *run)
{
    const hb_ranks_work *work = run->work;
    const double compute = (double)atomic_load(&run->compute), write = (double)atomic_load(&run->write);
    /* All buffers may be full, and each writer writes its part of them one after another. */
    const uint32_t buffers = hb_pipeline_buffers(work->threads, work->units->mine.count);
    const uint32_t writers = work->threads.writers, turns = writers > 0 ? (buffers + writers - 1) / writers : 0;
    return work->deadline != NULL &&
           hb_deadline_near(work->deadline, hb_now(), compute / billion, turns * write / billion);
}

/* Rank 0's clock decides for all. */
static bool is_pause(const rank_run *run)
{
    const hb_ranks_work *work = run->work;
    return work->pause > 0 && work->session->grid.all->rank == 0 && hb_now() - run->begun > work->pause;
}

/* Looks whether this rank has a reason of its own that all end here, and tells the others. A rank without one goes on
 * until it hears of another's. */
static void look_for_reason(rank_run *run)
{
    hb_status st = hb_stop_check();
    st = st == HB_OK && is_near(run) ? hb_deadline_stop(run->work->deadline) : st;
    if (st == HB_OK && !is_pause(run)) {
        return;
    }
    run->asked = true;
    if (st != HB_OK) {
        run->reason = *hb_last_error();
    }
    hb_group_halt_others(run->work->session->grid.all);
}

/* In the thread that owns the group: reports finished units, and asks whether to go on, while units are left to
 * compute. */
static hb_status tend(void *context)
{
    rank_run *run = context;
    hb_group *group = run->work->session->grid.all;
    show_progress(run);
    hb_trace_tend();
    if (atomic_load(&run->computed) == run->work->units->mine.count) {
        return HB_OK;
    }
    HB_TRY(hb_group_check_gone(group, hb_group_lost(group)));
    /* Another rank has failed: this one's results would be lost. */
    if (hb_group_stopping(group)) {
        return HB_FAIL(HB_EPEER, "another rank stopped");
    }
    /* A pause may still become an end. */
    if (!run->asked || run->reason.text[0] == '\0') {
        look_for_reason(run);
    }
    if (!run->asked && !hb_group_halting(group)) {
        return HB_OK;
    }
    atomic_store(&run->halts, true);
    /* Where limbs are shared, members must stop before the same unit: their workers vote. */
    return run->work->session->grid.members->size > 1 ? HB_OK : HB_FAIL(HB_ESTOPPED, "stopped in good order");
}

hb_status hb_ranks_look(const hb_ranks_pulse *pulse, uint32_t worker, bool *halts)
{
    rank_run *run = pulse->run;
    note_longest(&run->compute, run->looked[worker]);
    run->looked[worker] = hb_now();
    /* A single worker runs in the thread that would tend. */
    if (run->work->threads.workers == 1) {
        const hb_status st = tend(run);
        if (st != HB_OK && st != HB_ESTOPPED) {
            return st;
        }
        hb_clear_error();
    }
    *halts = atomic_load(&run->halts);
    return HB_OK;
}

void hb_ranks_worked(const hb_ranks_pulse *pulse, uint64_t work)
{
    static const double often = 0.05; /* seconds */
    rank_run *run = pulse->run;
    atomic_fetch_add(&run->worked, work);
    /* A single worker runs in the thread that would show it. */
    if (run->work->threads.workers == 1 && hb_now() - run->shown > often) {
        show_progress(run);
        run->shown = hb_now();
    }
}

/* In the worker's thread: its queue takes part in no exchange any more. */
static void leave(void *context, uint32_t worker)
{
    const rank_run *run = context;
    hb_engine_leave(run->work->session->queue[worker]);
}

/* One engine is enough: all queues have one exchange. */
static void interrupt(void *context)
{
    const rank_run *run = context;
    hb_engine_interrupt(run->work->session->engine);
}

/* Gives all ranks the times of the rank that took longest, the first of them. */
static hb_status slowest(hb_group *group, hb_pipeline_times *times)
{
    const uint64_t wall = (uint64_t)(times->wall * billion), from_end = (uint64_t)(group->size - group->rank);
    uint64_t most = wall;
    HB_TRY(hb_agree(group, hb_group_max(group, &most, 1)));
    /* The largest distance from the end is of the first one; `who` is 1 or more on one rank at least. */
    uint64_t who = wall == most ? from_end : 0;
    HB_TRY(hb_agree(group, hb_group_max(group, &who, 1)));
    return hb_agree(group, hb_group_broadcast(group, times, sizeof *times, group->size - (int)who));
}

hb_tally hb_tally_ciphertexts(const char *verb, const hb_header *header)
{
    return (hb_tally){verb, "ciphertext", hb_header_ciphertext_bytes(header)};
}

/* Completes *end after a run in which nothing failed, stopped or not. */
static hb_status sum_up(const hb_ranks_work *work, hb_ranks_end *end)
{
    hb_group *group = work->session->grid.all;
    end->units = end->times.units;
    /* Over the peers, not all ranks: members of a group were through with the same units. */
    HB_TRY(hb_agree(group, hb_group_sum(work->session->grid.peers, &end->units, 1)));
    end->paused = end->units < work->units->count;
    return slowest(group, &end->times);
}

/* Returns the rank's status for the agreement: a halt because of another rank is no reason of its own. */
static hb_status outcome(const rank_run *run, hb_status ran)
{
    if (ran != HB_OK && ran != HB_ESTOPPED) {
        return ran;
    }
    if (run->asked && run->reason.text[0] != '\0') {
        hb_set_error(&run->reason);
        return HB_ESTOPPED;
    }
    return HB_OK;
}

hb_status hb_ranks_run(const hb_ranks_work *work, hb_ranks_end *end)
{
    const hb_session *session = work->session;
    const hb_units *units = work->units;
    hb_group *group = session->grid.all;
    rank_run run = {.work = work, .begun = hb_now()};
    const hb_pipeline_stages wrapped = {.read = read_unit,
                                        .compute = compute_unit,
                                        .write = work->stages->write != NULL ? write_unit : NULL,
                                        .tend = tend,
                                        .leave = leave,
                                        .interrupt = interrupt,
                                        .orderly = true};
    *end = (hb_ranks_end){.units = 0};
    hb_progress_begin(&run.progress, group, work->common, work->tally, units->ciphertexts);
    run.progress.members = (uint64_t)session->grid.members->size;
    run.progress.work = work->measure;
    run.progress.others = work->others;
    /* Before the workers start, and in the same order on every member: their queues take turns at exchanging. */
    for (uint32_t i = 0; i < work->threads.workers && units->mine.count > 0; i++) {
        hb_engine_enter(session->queue[i]);
    }
    if (work->pulse != NULL) {
        work->pulse->run = &run;
    }
    hb_status st = hb_pipeline_run(&wrapped, &run, work->threads, units->mine.first, units->mine.count, &end->times);
    if (work->pulse != NULL) {
        work->pulse->run = NULL;
    }
    end->own = end->times;
    end->own_bytes = atomic_load(&run.ciphertexts) * work->tally.bytes;
    show_progress(&run);
    hb_group_set_idle(group, show_others, &run);
    /* A failing rank tells the others first, so that no rank waits for this one in an exchange. */
    st = hb_agree(group, outcome(&run, st));
    hb_group_set_idle(group, NULL, NULL);
    /* The same branch on all ranks, as they have agreed on st. */
    if (st != HB_OK && st != HB_ESTOPPED) {
        return st;
    }
    /* Summing up must not replace why the run was stopped. */
    const hb_error reason = *hb_last_error();
    HB_TRY(sum_up(work, end));
    if (st == HB_OK && !end->paused) {
        hb_progress_end(&run.progress);
    }
    hb_set_error(&reason);
    return st;
}

hb_status hb_ranks_peak(hb_group *group, uint64_t *bytes)
{
    *bytes = hb_peak_bytes();
    return hb_agree(group, hb_group_max(group, bytes, 1));
}
