#include "ranks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "stop.h"

hb_status hb_ranks_same(hb_group *group, const uint8_t digest[HB_DIGEST_BYTES], const char *what)
{
    uint8_t first[HB_DIGEST_BYTES];
    memcpy(first, digest, sizeof first);
    hb_status st = hb_group_broadcast(group, first, sizeof first, 0);
    if (st == HB_OK && memcmp(first, digest, sizeof first) != 0) {
        st = HB_FAIL(HB_EDATA, "%s is not what rank 0 has", what);
    }
    return hb_agree(group, st);
}

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

typedef struct rank_run {
    const hb_session *session;
    const hb_header *header;
    const hb_units *units;
    const hb_pipeline_stages *stages;
    void *context;
    hb_progress progress;
    atomic_uint_fast64_t computed, ciphertexts; /* units, and what they hold: by any worker */
} rank_run;

static uint64_t unit_of(const rank_run *run, uint64_t place)
{
    return run->units->list != NULL ? run->units->list[place] : place;
}

static hb_status read_unit(void *context, uint32_t slot, uint32_t hand, uint64_t place)
{
    const rank_run *run = context;
    return run->stages->read(run->context, slot, hand, unit_of(run, place));
}

/* In any thread: nothing here touches the group. */
static hb_status compute_unit(void *context, uint32_t slot, uint32_t worker, uint64_t place)
{
    rank_run *run = context;
    const uint64_t unit = unit_of(run, place);
    HB_TRY(run->stages->compute(run->context, slot, worker, unit));
    uint64_t first, count;
    hb_header_unit_range(run->header, unit, &first, &count);
    atomic_fetch_add(&run->ciphertexts, count);
    atomic_fetch_add(&run->computed, 1);
    return HB_OK;
}

static hb_status write_unit(void *context, uint32_t slot, uint32_t hand, uint64_t place)
{
    const rank_run *run = context;
    return run->stages->write(run->context, slot, hand, unit_of(run, place));
}

static void show_progress(rank_run *run)
{
    hb_progress_add(&run->progress, atomic_load(&run->ciphertexts) - run->progress.done);
}

/* In the thread that owns the group: what was computed is told, and whether to go on is asked, as long as there is
 * anything left to compute. */
static hb_status tend(void *context)
{
    rank_run *run = context;
    show_progress(run);
    if (atomic_load(&run->computed) == run->units->mine.count) {
        return HB_OK;
    }
    HB_TRY(hb_stop_check());
    return hb_group_stopping(run->session->grid.all) ? HB_FAIL(HB_EPEER, "another rank stopped") : HB_OK;
}

static void leave(void *context, uint32_t worker)
{
    const rank_run *run = context;
    hb_engine_leave(run->session->queue[worker]);
}

/* All queues have one exchange. */
static void interrupt(void *context)
{
    const rank_run *run = context;
    hb_engine_interrupt(run->session->engine);
}

/* Of the rank that took longest for the whole, the first of them. */
static hb_status slowest(hb_group *group, hb_pipeline_times *times)
{
    const uint64_t wall = (uint64_t)(times->wall * 1e9), from_end = (uint64_t)(group->size - group->rank);
    uint64_t most = wall;
    HB_TRY(hb_agree(group, hb_group_max(group, &most, 1)));
    uint64_t who = wall == most ? from_end : 0;
    HB_TRY(hb_agree(group, hb_group_max(group, &who, 1)));
    return hb_agree(group, hb_group_broadcast(group, times, sizeof *times, group->size - (int)who));
}

hb_tally hb_tally_ciphertexts(const char *verb, const hb_header *header)
{
    return (hb_tally){verb, "ciphertext", hb_header_ciphertext_bytes(header)};
}

hb_status hb_ranks_run(const hb_session *session, const hb_common *common, const hb_header *header,
                       const hb_units *units, const hb_pipeline_stages *stages, void *context, hb_crew crew,
                       hb_tally tally, hb_pipeline_times *times)
{
    hb_group *group = session->grid.all;
    rank_run run = {.session = session, .header = header, .units = units, .stages = stages, .context = context};
    const hb_pipeline_stages wrapped = {.read = read_unit,
                                        .compute = compute_unit,
                                        .write = stages->write != NULL ? write_unit : NULL,
                                        .tend = tend,
                                        .leave = leave,
                                        .interrupt = interrupt};
    hb_progress_begin(&run.progress, group, common, tally, units->ciphertexts);
    run.progress.members = (uint64_t)session->grid.members->size;
    for (uint32_t i = 0; i < crew.workers && units->mine.count > 0; i++) {
        hb_engine_enter(session->queue[i]);
    }
    const hb_status st = hb_pipeline_run(&wrapped, &run, crew, units->mine.first, units->mine.count, times);
    show_progress(&run);
    HB_TRY(hb_agree(group, st)); /* which tells the others first, so that nobody waits for this rank */
    hb_progress_end(&run.progress);
    return slowest(group, times);
}

hb_status hb_ranks_exchanged(const hb_session *session, hb_exchange_stats *all)
{
    hb_group *group = session->grid.all;
    *all = (hb_exchange_stats){0};
    if (session->exchange == NULL) {
        return HB_OK;
    }
    const hb_exchange_stats *mine = &session->exchange->stats;
    uint64_t sums[4][HB_PATTERNS];
    for (int p = 0; p < HB_PATTERNS; p++) {
        sums[0][p] = mine->transfers[p];
        sums[1][p] = mine->sent[p];
        sums[2][p] = mine->received[p];
        sums[3][p] = (uint64_t)(mine->seconds[p] * 1e9);
    }
    HB_TRY(hb_agree(group, hb_group_sum(group, sums[0], sizeof sums / sizeof sums[0][0])));
    for (int p = 0; p < HB_PATTERNS; p++) {
        all->transfers[p] = sums[0][p];
        all->sent[p] = sums[1][p];
        all->received[p] = sums[2][p];
        all->seconds[p] = (double)sums[3][p] / 1e9;
    }
    return HB_OK;
}

hb_status hb_ranks_peak(hb_group *group, uint64_t *bytes)
{
    *bytes = hb_peak_bytes();
    return hb_agree(group, hb_group_max(group, bytes, 1));
}
