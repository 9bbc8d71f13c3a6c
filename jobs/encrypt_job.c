#include "encrypt_job.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "stop.h"

static void unlock(hb_encrypt_job *job)
{
    if (job->lock >= 0) {
        close(job->lock);
        job->lock = -1;
    }
}

/* A NAME.partial that a running job writes is neither continued nor removed. */
static hb_status begin(hb_encrypt_job *job)
{
    const char *output = job->options.output;
    if (job->group->rank != 0) {
        return HB_OK;
    }
    hb_status st = job->resumed || job->options.force ? hb_resume_lock(output, &job->lock) : HB_OK;
    if (job->resumed) {
        HB_TRY(st);
        HB_TRY(hb_dataset_continue(output, job->options.force));
        job->begun = job->unfinished = true;
        return HB_OK;
    }
    if (st != HB_OK && st != HB_ENOINPUT) {
        return st;
    }
    HB_TRY(hb_dataset_begin(output, job->options.force));
    unlock(job);
    job->begun = job->unfinished = true;
    st = hb_resume_write(&job->described, output);
    job->worthless = st != HB_OK;
    return st == HB_OK ? hb_resume_lock(output, &job->lock) : st;
}

static hb_share parts_of(const hb_encrypt_job *job)
{
    return hb_partition(job->shards.count, (uint32_t)job->group->rank, (uint32_t)job->group->size);
}

static hb_status make_ready(hb_encrypt_job *job)
{
    HB_TRY(hb_unit_map_init(&job->stored, job->plan.units));
    HB_TRY(hb_unit_map_init(&job->finished, job->plan.units));
    HB_TRY(hb_shards_ensure(&job->shards, parts_of(job), &job->stored));
    if ((uint64_t)job->group->rank >= job->plan.units) {
        return HB_OK; /* no share of any list of units */
    }
    HB_TRY(hb_cells_init(&job->cells, &job->header, (size_t)job->header.unit));
    const hb_lanes *lanes = &job->plan.lanes;
    HB_TRY(hb_slots_init(&job->slots, job->session.engine, &job->header, lanes->count, true, false));
    HB_TRY(hb_session_fork(&job->session, lanes->count));
    for (uint32_t i = 0; i < lanes->count; i++) {
        HB_TRY(hb_unit_encryptor_init(&job->encryptor[i], &job->session, job->session.queue[i], &job->header,
                                      lanes->batch, job->options.errors));
    }
    return HB_OK;
}

/* This rank's share of the units that are (or are not) in the map, with the shards opened. */
static hb_status share_out(hb_encrypt_job *job, const hb_unit_map *map, bool in, hb_units *units)
{
    HB_TRY(hb_unit_map_divide(map, in, job->group, &job->header, units));
    return hb_shards_open(&job->shards, units);
}

static hb_status read_stored(void *context, uint32_t slot, uint64_t u)
{
    hb_encrypt_job *job = context;
    hb_slot *to = &job->slots.slot[slot];
    hb_shard_writer *shard;
    HB_TRY(hb_shards_turn(&job->shards, u, &shard));
    memcpy(to->sum, hb_shard_sum(shard, u), sizeof to->sum);
    return hb_shard_read(shard, u, &to->rows);
}

static hb_status check_stored(void *context, uint32_t slot, uint32_t worker, uint64_t u)
{
    hb_encrypt_job *job = context;
    hb_slot *of = &job->slots.slot[slot];
    hb_unit_rows *rows = &job->encryptor[worker].rows;
    uint8_t sum[HB_DIGEST_BYTES];
    HB_TRY(hb_unit_rows_upload(rows, &of->rows));
    HB_TRY(hb_unit_rows_sum(rows, u, &of->rows, sum));
    of->whole = memcmp(sum, of->sum, sizeof sum) == 0;
    return HB_OK;
}

static hb_status note_whole(void *context, uint32_t slot, uint64_t u)
{
    hb_encrypt_job *job = context;
    if (job->slots.slot[slot].whole) {
        hb_unit_map_add(&job->finished, u);
    }
    return HB_OK;
}

/* What an earlier job stored counts only if it is whole: existence is not integrity. */
static hb_status find_finished(hb_encrypt_job *job)
{
    static const hb_pipeline_stages stages = {read_stored, check_stored, note_whole, NULL};
    hb_group *group = job->group;
    HB_TRY(hb_unit_map_unite(group, &job->stored));
    hb_units checks = {0};
    hb_status st = HB_OK;
    if (hb_unit_map_count(&job->stored) > 0) {
        HB_GOTO(hb_agree(group, share_out(job, &job->stored, true, &checks)));
        HB_GOTO(hb_ranks_run(group, job->common, &job->header, &checks, &stages, job, job->plan.lanes.count, "checked",
                             &job->times));
        HB_GOTO(hb_agree(group, hb_shards_sync(&job->shards)));
        HB_GOTO(hb_unit_map_unite(group, &job->finished));
    }
    if (job->resumed) {
        hb_console_log(group, job->common, "continued    %" PRIu64 " of %" PRIu64 " units are there",
                       hb_unit_map_count(&job->finished), job->plan.units);
    }
    st = hb_agree(group, share_out(job, &job->finished, false, &job->todo));
done:
    hb_units_clear(&checks);
    return st;
}

static hb_status read_unit(void *context, uint32_t slot, uint64_t u)
{
    hb_encrypt_job *job = context;
    uint64_t first, count, *values = job->slots.slot[slot].values;
    hb_header_unit_range(&job->header, u, &first, &count);
    HB_TRY(hb_cells_read(&job->cells, job->table, first, (size_t)count, values));
    return hb_cells_to_residues(&job->cells, first, (size_t)count, values);
}

static hb_status encrypt_unit(void *context, uint32_t slot, uint32_t worker, uint64_t u)
{
    hb_encrypt_job *job = context;
    return hb_unit_encrypt(&job->encryptor[worker], &job->slots.slot[slot], u, &job->options.root);
}

static hb_status write_unit(void *context, uint32_t slot, uint64_t u)
{
    hb_encrypt_job *job = context;
    const hb_slot *done = &job->slots.slot[slot];
    hb_shard_writer *shard;
    HB_TRY(hb_shards_turn(&job->shards, u, &shard));
    return hb_shard_write(shard, u, &done->rows, done->sum);
}

static hb_status encrypt_todo(hb_encrypt_job *job)
{
    static const hb_pipeline_stages stages = {read_unit, encrypt_unit, write_unit, NULL};
    hb_status st = hb_ranks_run(job->group, job->common, &job->header, &job->todo, &stages, job, job->plan.lanes.count,
                                "encrypted", &job->times);
    job->worthless = st == HB_EDATA; /* the table or its values must change first */
    HB_TRY(st);
    return hb_agree(job->group, hb_shards_sync(&job->shards));
}

static hb_status commit(hb_encrypt_job *job)
{
    if (job->group->rank != 0) {
        return HB_OK;
    }
    const char *output = job->options.output;
    HB_TRY(hb_dataset_commit(output, &job->header, (uint32_t)job->plan.parts, job->options.force));
    job->unfinished = false;
    hb_dataset *dataset;
    HB_TRY(hb_dataset_open(output, &dataset));
    hb_dataset_sum(dataset, job->sum);
    hb_dataset_close(dataset);
    return HB_OK;
}

/* After an agreement: no rank writes there any more. */
static void keep_or_remove(hb_encrypt_job *job)
{
    if (job->worthless) {
        hb_dataset_abandon(job->options.output);
    } else {
        hb_console_log(job->group, job->common,
                       "%s.partial keeps what is finished: the same command with --resume "
                       "continues it",
                       job->options.output);
    }
}

hb_status hb_encrypt_job_run(hb_encrypt_job *job)
{
    hb_group *group = job->group;
    hb_stop_catch();
    /* Each rank and each run draws its own: no secret crosses the network, and a unit that an earlier run began is made
     * again with other randomness, never half of the one with half of the other. A ciphertext keeps what it takes to
     * read it, so which root made it does not matter later. */
    if (!job->options.test_seed) {
        hb_seed_random(&job->options.root);
    }
    hb_status st;
    HB_GOTO(hb_agree(group, begin(job)));
    HB_GOTO(hb_agree(group, make_ready(job)));
    HB_GOTO(find_finished(job));
    HB_GOTO(encrypt_todo(job));
    HB_GOTO(hb_agree(group, hb_shards_finish(&job->shards, parts_of(job))));
    st = hb_agree(group, commit(job));
done:
    if (job->unfinished) {
        keep_or_remove(job);
    }
    unlock(job);
    return st;
}

void hb_encrypt_job_close(hb_encrypt_job *job)
{
    unlock(job);
    hb_units_clear(&job->todo);
    hb_unit_map_clear(&job->stored);
    hb_unit_map_clear(&job->finished);
    hb_shards_clear(&job->shards);
    for (uint32_t i = 0; i < HB_PIPELINE_MOST_WORKERS; i++) {
        hb_unit_encryptor_clear(&job->encryptor[i]);
    }
    hb_slots_clear(&job->slots);
    hb_cells_clear(&job->cells);
    hb_table_close(job->table);
    hb_header_clear(&job->header);
    hb_session_close(&job->session);
    hb_wipe(&job->options.root, sizeof job->options.root);
    memset(job, 0, sizeof *job);
}
