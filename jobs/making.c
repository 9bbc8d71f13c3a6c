#include "making.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "slots.h"
#include "unit_rows.h"

static void unlock(hb_making *making)
{
    if (making->lock >= 0) {
        close(making->lock);
        making->lock = -1;
    }
}

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
                          .lock = -1};
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
    if (making->resumed) {
        HB_TRY(hb_resume_lock(output, &making->lock));
        HB_TRY(hb_dataset_continue(output, making->force));
        making->begun = making->unfinished = true;
        return HB_OK;
    }
    HB_TRY(hb_resume_begin(output, making->force, making->resume));
    making->begun = making->unfinished = true;
    const hb_status st = hb_resume_write(&making->described, output);
    making->worthless = st != HB_OK;
    return st == HB_OK ? hb_resume_lock(output, &making->lock) : st;
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
    HB_TRY(hb_agree(making->group, begin(making)));
    HB_TRY(hb_agree(making->group, ensure_shards(making)));
    return hb_unit_map_unite(making->group, &making->stored);
}

hb_status hb_making_expect(hb_making *making, const hb_units *units)
{
    return hb_shards_open(&making->shards, units);
}

/* What checking the stored units takes, for as long as it lasts. */
typedef struct check {
    hb_making *making;
    bool notes; /* of ranks that check a unit together one does */
    hb_units units;
    hb_slots slots;
    hb_unit_rows rows[HB_PIPELINE_MOST_WORKERS];
} check;

static hb_status read_stored(void *context, uint32_t slot, uint64_t u)
{
    check *c = context;
    hb_slot *to = &c->slots.slot[slot];
    hb_shard_writer *shard;
    HB_TRY(hb_shards_turn(&c->making->shards, u, &shard));
    memcpy(to->sum, hb_shard_sum(shard, u), sizeof to->sum);
    return hb_shard_read(shard, u, &to->rows);
}

static hb_status check_stored(void *context, uint32_t slot, uint32_t worker, uint64_t u)
{
    check *c = context;
    hb_slot *of = &c->slots.slot[slot];
    uint8_t sum[HB_DIGEST_BYTES];
    HB_TRY(hb_unit_rows_upload(&c->rows[worker], &of->rows));
    HB_TRY(hb_unit_rows_sum(&c->rows[worker], u, &of->rows, sum));
    of->whole = memcmp(sum, of->sum, sizeof sum) == 0;
    return HB_OK;
}

static hb_status note_whole(void *context, uint32_t slot, uint64_t u)
{
    check *c = context;
    if (c->slots.slot[slot].whole && c->notes) {
        hb_unit_map_add(&c->making->finished, u);
    }
    return HB_OK;
}

static hb_status check_begin(check *c, const hb_session *session, uint32_t lanes)
{
    hb_making *making = c->making;
    HB_TRY(hb_unit_map_divide(&making->stored, true, session->grid.peers, making->header, &c->units));
    HB_TRY(hb_making_expect(making, &c->units));
    if (c->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_slots_init(&c->slots, session->engine, making->header, lanes, false, false));
    for (uint32_t i = 0; i < lanes; i++) {
        HB_TRY(hb_unit_rows_init(&c->rows[i], session->queue[i], session->params, making->header));
    }
    return HB_OK;
}

static void check_end(check *c)
{
    for (uint32_t i = 0; i < HB_PIPELINE_MOST_WORKERS; i++) {
        hb_unit_rows_clear(&c->rows[i]);
    }
    hb_slots_clear(&c->slots);
    hb_units_clear(&c->units);
}

/* What an earlier job stored counts only if it is whole: existence is not integrity. */
static hb_status check_all(check *c, const hb_session *session, uint32_t lanes)
{
    static const hb_pipeline_stages stages = {.read = read_stored, .compute = check_stored, .write = note_whole};
    hb_making *making = c->making;
    hb_pipeline_times times;
    HB_TRY(hb_agree(making->group, check_begin(c, session, lanes)));
    HB_TRY(hb_ranks_run(session, making->common, making->header, &c->units, &stages, c, lanes,
                        hb_tally_ciphertexts("checked", making->header), &times));
    HB_TRY(hb_agree(making->group, hb_shards_sync(&making->shards)));
    return hb_unit_map_unite(making->group, &making->finished);
}

hb_status hb_making_check(hb_making *making, const hb_session *session, uint32_t lanes)
{
    hb_status st = HB_OK;
    if (hb_unit_map_count(&making->stored) > 0) {
        check c = {.making = making, .notes = hb_session_leads(session)};
        st = check_all(&c, session, lanes);
        check_end(&c);
    }
    if (st == HB_OK && making->resumed) {
        hb_console_log(making->group, making->common, "continued    %" PRIu64 " of %" PRIu64 " units are there",
                       hb_unit_map_count(&making->finished), making->finished.units);
    }
    return st;
}

hb_status hb_making_write(hb_making *making, uint64_t u, const hb_rows *rows, const uint8_t sum[HB_DIGEST_BYTES])
{
    hb_shard_writer *shard;
    HB_TRY(hb_shards_turn(&making->shards, u, &shard));
    return hb_shard_write(shard, u, rows, sum);
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
    unlock(making);
}

void hb_making_close(hb_making *making)
{
    if (making->group != NULL) {
        unlock(making);
    }
    hb_unit_map_clear(&making->stored);
    hb_unit_map_clear(&making->finished);
    hb_shards_clear(&making->shards);
    hb_resume_clear(&making->described);
    memset(making, 0, sizeof *making);
}
