#include "output_dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "appended_rows.h"
#include "batch/job/shared_dataset.h"
#include "cli/stop.h"

/* For several residues, which jobs of one command make one after another in one NAME.partial, the first begins and the
 * last one ends. */
static uint32_t residue_of(const hb_output_dataset *out)
{
    return hb_spec_residue(&out->request.header->spec);
}

static bool is_last(const hb_output_dataset *out)
{
    return residue_of(out) + 1 == hb_spec_residues(&out->request.header->spec);
}

static hb_status probe_growing(const hb_output_request *request)
{
    if (!request->dry_run) {
        HB_TRY(hb_resume_sweep_done(request->path, hb_dataset_header(request->old)));
    }
    return hb_dataset_probe_partial(request->path, request->force || request->resume || request->dry_run);
}

hb_status hb_output_probe(const hb_group *group, const hb_common *common, const hb_output_request *request)
{
    if (request->old != NULL) {
        return probe_growing(request);
    }
    const hb_status st = hb_dataset_probe(request->path, request->force, request->resume);
    if (st != HB_ECREATE || !request->dry_run) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    HB_TRY(hb_dataset_probe(request->path, true, request->resume));
    hb_clear_error();
    hb_console_result(group, common, "output       %s", cause.text);
    return HB_OK;
}

/* Rank 0 alone looks, so that all ranks see the same however the file system delays changes. */
static hb_status find_partial(hb_output_dataset *out)
{
    hb_group *group = out->group;
    const hb_output_request *request = &out->request;
    hb_status st = HB_OK;
    /* Without --resume there is no search: beginning the output finds existing files. */
    if ((residue_of(out) == 0 ? request->resume : !request->dry_run) && group->rank == 0) {
        st = hb_resume_find(&out->described, request->path, request->force, &out->resumed);
    }
    if (st == HB_OK && residue_of(out) > 0 && group->rank == 0 && !out->resumed && !request->dry_run) {
        st = HB_FAIL(HB_ECREATE, "%s.partial: is gone, and with it the residues that were made", request->path);
    }
    HB_TRY(hb_agree(group, st));
    /* The layout of shards follows from the number of ranks that began: all ranks must use that number. */
    const bool made = out->resumed && !is_last(out) && hb_dataset_has_residue(request->path, residue_of(out));
    uint64_t found[3] = {out->resumed, out->described.ranks, made};
    HB_TRY(hb_agree(group, hb_group_broadcast(group, found, sizeof found, 0)));
    out->resumed = found[0] != 0;
    out->described.ranks = (uint32_t)found[1];
    out->made = found[2] != 0;
    return HB_OK;
}

hb_status hb_output_dataset_open(hb_output_dataset *out, hb_group *group, const hb_common *common,
                                 const hb_output_request *request, hb_resume *described)
{
    *out = (hb_output_dataset){
        .group = group, .common = common, .request = *request, .described = *described, .hold = HB_HOLD_NONE};
    /* Taken over before anything can fail, so that only close clears it. */
    *described = (hb_resume){0};
    if (request->old != NULL) {
        out->growth = hb_dataset_growth(request->old);
        out->described.grows = true;
    }
    HB_TRY(find_partial(out));
    if (request->found != NULL && residue_of(out) == 0) {
        request->found->resumed = out->resumed;
    }
    return hb_agree(group, hb_shards_init(&out->shards, request->path, request->header,
                                          request->old != NULL ? &out->growth : NULL, out->described.ranks));
}

bool hb_output_dataset_continues(const hb_output_dataset *out)
{
    return out->request.found != NULL ? out->request.found->resumed : out->resumed;
}

uint64_t hb_output_dataset_there(const hb_output_dataset *out)
{
    const uint64_t own = out->finished.words != NULL ? hb_unit_map_count(&out->finished) : 0;
    return out->request.found != NULL ? out->request.found->there : own;
}

uint64_t hb_output_dataset_left(const hb_output_dataset *out, uint64_t bytes)
{
    const uint64_t there = out->resumed ? hb_dataset_partial_bytes(out->request.path, residue_of(out),
                                                                   out->growth.first_part, out->shards.count)
                                        : 0;
    /* The residues behind this one are as large. */
    const uint64_t others = hb_spec_residues(&out->request.header->spec) - residue_of(out) - 1;
    return (bytes > there ? bytes - there : 0) + others * bytes;
}

/* Between the opening of the dataset and the hold on NAME.partial another job may have appended to it: a layout behind
 * its old rows is then useless. */
static hb_status require_current(hb_output_dataset *out)
{
    const hb_status st = hb_dataset_require_current(out->request.path, out->request.old);
    if (st != HB_OK && !out->resumed) {
        hb_dataset_abandon(out->request.path);
        out->unfinished = false;
    }
    return st;
}

/* Begins on rank 0. A NAME.partial that a running job writes is neither continued nor removed. */
static hb_status begin(hb_output_dataset *out)
{
    const hb_output_request *request = &out->request;
    if (out->group->rank != 0) {
        return HB_OK;
    }
    if (out->resumed) {
        HB_TRY(hb_resume_take(&out->described, request->path, request->force, &out->hold));
    } else {
        HB_TRY(hb_resume_begin(&out->described, request->path, request->force, request->resume, &out->hold));
    }
    out->unfinished = true;
    out->begun = true;
    return request->old != NULL ? require_current(out) : HB_OK;
}

/* Shares rank 0's hold on the other ranks, once rank 0 has begun. */
static hb_status join(hb_output_dataset *out)
{
    return out->group->rank == 0 ? HB_OK : hb_dataset_join(out->request.path, &out->hold);
}

/* The shards that this rank makes, takes space for and completes; units of them may be written by other ranks. */
static hb_share parts_of(const hb_output_dataset *out)
{
    return hb_partition(out->shards.count, (uint32_t)out->group->rank, (uint32_t)out->group->size);
}

/* Makes or opens the shards of this rank's share, and notes which units have a sum. */
static hb_status ensure_shards(hb_output_dataset *out)
{
    const uint64_t units = hb_header_units(out->request.header);
    HB_TRY(hb_unit_map_init(&out->stored, units));
    HB_TRY(hb_unit_map_init(&out->finished, units));
    return hb_shards_ensure(&out->shards, parts_of(out), &out->stored);
}

hb_status hb_output_dataset_begin(hb_output_dataset *out)
{
    char advice[1024];
    /* The other ranks wait for this agreement before they look into the folder, as it may not be there yet. */
    HB_TRY(hb_agree(out->group, begin(out)));
    out->begun = true;
    snprintf(advice, sizeof advice,
             "%.512s.partial keeps the finished part: the same command with --resume continues it", out->request.path);
    /* From here on a job that dies leaves something behind that can be continued. */
    hb_stop_advise(advice);
    HB_TRY(hb_agree(out->group, join(out)));
    /* After this every shard is there, and any rank may open any of them. */
    HB_TRY(hb_agree(out->group, ensure_shards(out)));
    hb_shards_reserve_begin(&out->shards, parts_of(out));
    /* Each rank has looked only into its own shards. */
    return hb_unit_map_unite(out->group, &out->stored);
}

hb_status hb_output_dataset_expect(hb_output_dataset *out, const hb_units *units)
{
    return hb_shards_open(&out->shards, units, &out->finished);
}

hb_status hb_output_dataset_write(hb_output_dataset *out, uint64_t u, const hb_rows *rows,
                                  const uint8_t sum[HB_DIGEST_BYTES])
{
    hb_shards *shards = &out->shards;
    hb_shard_writer *shard;
    HB_TRY(hb_shards_use(shards, u, &shard));
    HB_TRY(hb_shard_write(shard, u, rows, sum));
    return hb_shards_leave(shards, u);
}

hb_status hb_output_dataset_sync(hb_output_dataset *out)
{
    return hb_agree(out->group, hb_shards_sync(&out->shards));
}

static hb_status give_name(const hb_output_dataset *out, const hb_made_shards *made)
{
    const hb_output_request *request = &out->request;
    if (request->old != NULL) {
        hb_growing growing = {request->old, out->growth, out->shards.count, {0}, made};
        memcpy(growing.table, request->rows->stands, sizeof growing.table);
        HB_TRY(hb_appended_rows_keep_key(request->path, request->rows));
        return hb_dataset_append(request->path, request->header, &growing);
    }
    /* Checks that the shards tile the units, writes the index and renames; a crash before the renaming leaves
     * NAME.partial, in which a later job finds all units finished. */
    return hb_dataset_commit_as(
        request->path, request->header,
        &(hb_committing){out->shards.count, request->force, request->summands, made, request->signer});
}

static hb_status open_made(const hb_output_dataset *out, hb_dataset **dataset)
{
    const hb_dataset_ranks none = {.count = 0};
    return out->request.header->part != NULL ? hb_dataset_open_part(out->request.path, 0, none, dataset)
                                             : hb_dataset_open_among(out->request.path, 0, none, dataset);
}

/* Names the dataset on rank 0, and reads back its sum, which the report tells. */
static hb_status commit(hb_output_dataset *out, const hb_made_shards *made)
{
    if (out->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(give_name(out, made));
    out->unfinished = false;
    if (!is_last(out)) {
        return HB_OK;
    }
    hb_dataset *dataset;
    HB_TRY(open_made(out, &dataset));
    hb_dataset_sum(dataset, out->sum);
    hb_dataset_close(dataset);
    out->committed = true;
    hb_dataset_release(&out->hold); /* a job that is to replace the dataset waits for this */
    return HB_OK;
}

hb_status hb_output_dataset_commit(hb_output_dataset *out)
{
    /* Only a shard whose every writer has synced may be marked complete, so the caller has synced on all ranks
     * before. */
    HB_TRY(hb_agree(out->group, hb_shards_finish(&out->shards, parts_of(out))));
    hb_made_shards made = {
        .first_number = out->growth.first_part, .parts = out->shards.count, .first_unit = out->growth.first_unit};
    hb_status st = hb_agree(out->group, hb_made_shards_look(&made, out->request.path, out->request.header,
                                                            hb_shared_dataset_ranks(out->group)));
    st = st == HB_OK ? hb_agree(out->group, commit(out, &made)) : st;
    free(made.words);
    return st;
}

void hb_output_dataset_end(hb_output_dataset *out)
{
    if (out->unfinished && out->discard) {
        hb_dataset_abandon(out->request.path);
    } else if (out->unfinished) {
        hb_console_log(out->group, out->common,
                       "%s.partial keeps the finished part: the same command with --resume continues it",
                       out->request.path);
    }
    out->unfinished = false;
    hb_dataset_release(&out->hold);
}

void hb_output_dataset_close(hb_output_dataset *out)
{
    /* A zeroed struct holds descriptor 0 in name only. */
    if (out->group != NULL) {
        hb_dataset_release(&out->hold);
    }
    hb_unit_map_clear(&out->stored);
    hb_unit_map_clear(&out->finished);
    hb_shards_clear(&out->shards);
    hb_resume_clear(&out->described);
    memset(out, 0, sizeof *out);
}
