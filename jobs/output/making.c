#include "making.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/stop.h"

/* Rank 0 looks, so that all see the same. */
static hb_status find_partial(hb_making *making, bool resume)
{
    hb_group *group = making->group;
    HB_TRY(hb_agree(group, resume && group->rank == 0
                               ? hb_resume_find(&making->described, making->output, making->force, &making->resumed)
                               : HB_OK));
    uint64_t found[2] = {making->resumed, making->described.ranks};
    HB_TRY(hb_agree(group, hb_group_broadcast(group, found, sizeof found, 0)));
    making->resumed = found[0] != 0;
    making->described.ranks = (uint32_t)found[1];
    return HB_OK;
}

hb_status hb_making_open(hb_making *making, hb_group *group, const hb_common *common, const char *output,
                         const hb_header *header, hb_resume *described, bool resume, bool force)
{
    *making = (hb_making){.group = group,
                          .common = common,
                          .output = output,
                          .header = header,
                          .force = force,
                          .resume = resume,
                          .described = *described,
                          .hold = HB_HOLD_NONE};
    *described = (hb_resume){0};
    HB_TRY(find_partial(making, resume));
    return hb_agree(group, hb_shards_init(&making->shards, output, header, making->described.ranks));
}

uint64_t hb_making_left(const hb_making *making, uint64_t bytes)
{
    const uint64_t there = making->resumed ? hb_dataset_partial_bytes(making->output, making->shards.count) : 0;
    return bytes > there ? bytes - there : 0;
}

/* A NAME.partial that a running job writes is neither continued nor removed. */
static hb_status begin(hb_making *making)
{
    const char *output = making->output;
    if (making->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(making->resumed ? hb_resume_take(&making->described, output, making->force, &making->hold)
                           : hb_resume_begin(&making->described, output, making->force, making->resume, &making->hold));
    making->begun = making->unfinished = true;
    return HB_OK;
}

static hb_share parts_of(const hb_making *making)
{
    return hb_partition(making->shards.count, (uint32_t)making->group->rank, (uint32_t)making->group->size);
}

static hb_status ensure_shards(hb_making *making)
{
    const uint64_t units = hb_header_units(making->header);
    HB_TRY(hb_unit_map_init(&making->stored, units));
    HB_TRY(hb_unit_map_init(&making->finished, units));
    return hb_shards_ensure(&making->shards, parts_of(making), &making->stored);
}

hb_status hb_making_begin(hb_making *making)
{
    char advice[1024];
    HB_TRY(hb_agree(making->group, begin(making)));
    snprintf(advice, sizeof advice,
             "%.512s.partial keeps what is finished: the same command with --resume continues it", making->output);
    hb_stop_advise(advice);
    HB_TRY(hb_agree(making->group, making->group->rank == 0 ? HB_OK : hb_dataset_join(making->output, &making->hold)));
    HB_TRY(hb_agree(making->group, ensure_shards(making)));
    hb_shards_reserve_begin(&making->shards, parts_of(making));
    return hb_unit_map_unite(making->group, &making->stored);
}

hb_status hb_making_expect(hb_making *making, const hb_units *units)
{
    return hb_shards_open(&making->shards, units, &making->finished);
}

hb_status hb_making_spread(const hb_making *making, hb_units *units, uint32_t abreast)
{
    return hb_shards_spread(&making->shards, units, abreast);
}

hb_status hb_making_write(hb_making *making, uint64_t u, const hb_rows *rows, const uint8_t sum[HB_DIGEST_BYTES])
{
    hb_shards *shards = &making->shards;
    hb_shard_writer *shard;
    HB_TRY(hb_shards_use(shards, u, &shard));
    HB_TRY(hb_shard_write(shard, u, rows, sum));
    return hb_shards_leave(shards, u);
}

hb_status hb_making_sync(hb_making *making)
{
    return hb_agree(making->group, hb_shards_sync(&making->shards));
}

static hb_status commit(hb_making *making)
{
    if (making->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(hb_dataset_commit(making->output, making->header, making->shards.count, making->force));
    making->unfinished = false;
    hb_dataset *dataset;
    HB_TRY(hb_dataset_open(making->output, &dataset));
    hb_dataset_sum(dataset, making->sum);
    hb_dataset_close(dataset);
    making->committed = true;
    hb_dataset_release(&making->hold); /* a job that replaces it waits for that */
    return HB_OK;
}

hb_status hb_making_commit(hb_making *making)
{
    HB_TRY(hb_agree(making->group, hb_shards_finish(&making->shards, parts_of(making))));
    return hb_agree(making->group, commit(making));
}

void hb_making_end(hb_making *making)
{
    if (making->unfinished && making->worthless) {
        hb_dataset_abandon(making->output);
    } else if (making->unfinished) {
        hb_console_log(making->group, making->common,
                       "%s.partial keeps what is finished: the same command with --resume continues it",
                       making->output);
    }
    making->unfinished = false;
    hb_dataset_release(&making->hold);
}

void hb_making_close(hb_making *making)
{
    if (making->group != NULL) {
        hb_dataset_release(&making->hold);
    }
    hb_unit_map_clear(&making->stored);
    hb_unit_map_clear(&making->finished);
    hb_shards_clear(&making->shards);
    hb_resume_clear(&making->described);
    memset(making, 0, sizeof *making);
}
