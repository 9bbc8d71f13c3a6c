#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset_private.h"
#include "io/files/durable.h"

uint64_t hb_dataset_partial_bytes(const char *name, uint32_t residue, uint64_t first, uint32_t parts)
{
    char *partial, *path;
    uint64_t bytes = 0;
    if (hb_path_with(name, ".partial", &partial) != HB_OK) {
        return 0;
    }
    for (uint32_t p = 0; p < parts && hb_shard_path(partial, residue, first + p, &path) == HB_OK; p++) {
        struct stat info;
        if (lstat(path, &info) == 0) {
            bytes += (uint64_t)info.st_blocks * 512; /* POSIX: the unit of st_blocks on Linux */
        }
        free(path);
    }
    free(partial);
    return bytes;
}

bool hb_dataset_has_residue(const char *name, uint32_t residue)
{
    char *partial, *path;
    bool there = false;
    if (hb_path_with(name, ".partial", &partial) != HB_OK) {
        return false;
    }
    if (hb_index_path(partial, residue, &path) == HB_OK) {
        struct stat info;
        there = lstat(path, &info) == 0;
        free(path);
    }
    free(partial);
    return there;
}

hb_status hb_index_take(hb_index *index, const char *folder, uint64_t p, uint64_t number, uint64_t first_unit)
{
    char *path;
    HB_TRY(hb_shard_path(folder, hb_spec_residue(&index->header.spec), number, &path));
    hb_header header;
    hb_shard shard;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_status st = HB_OK;
    HB_GOTO(hb_shard_open(path, &header, digest, &shard));
    if (memcmp(digest, index->digest, sizeof digest) != 0) {
        HB_GOTO(HB_FAIL(HB_EINTERNAL, "%s: was written for another dataset", path));
    }
    if (shard.first_unit != first_unit) {
        HB_GOTO(HB_FAIL(HB_EINTERNAL, "%s: begins at unit %" PRIu64 " instead of %" PRIu64, path, shard.first_unit,
                        first_unit));
    }
    index->first_unit[p] = shard.first_unit;
    index->units[p] = shard.units;
    memcpy(index->sums + shard.first_unit, shard.sums, (size_t)shard.units * HB_DIGEST_BYTES);
    if (index->number != NULL) {
        index->number[p] = number;
        index->held[p] = shard.count;
        memcpy(index->headers[p], digest, sizeof digest);
    }
done:
    hb_header_clear(&header);
    hb_shard_clear(&shard);
    free(path);
    return st;
}

static hb_status collect_parts(const char *folder, hb_index *index)
{
    uint64_t next = 0, units = hb_header_units(&index->header);
    index->first_unit = calloc((size_t)index->parts + 1, sizeof *index->first_unit);
    index->units = calloc((size_t)index->parts + 1, sizeof *index->units);
    index->sums = calloc((size_t)units + 1, sizeof *index->sums);
    if (!index->first_unit || !index->units || !index->sums) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the sums of %" PRIu64 " units", folder, units);
    }
    for (uint64_t p = 0; p < index->parts; p++) {
        HB_TRY(hb_index_take(index, folder, p, p, next));
        next += index->units[p];
    }
    return next == units
               ? HB_OK
               : HB_FAIL(HB_EINTERNAL, "%s: its shards hold %" PRIu64 " of %" PRIu64 " units", folder, next, units);
}

/* Collects the sums of all residues for the index of the last one. */
static hb_status collect_residues(const char *folder, hb_index *index)
{
    const uint32_t last = hb_spec_residue(&index->header.spec);
    if (!hb_index_is_last(&index->header)) {
        return HB_OK;
    }
    for (uint32_t r = 0; r < last; r++) {
        char *path;
        hb_index other;
        HB_TRY(hb_index_path(folder, r, &path));
        const hb_status st = hb_index_read(path, &other);
        if (st == HB_OK) {
            hb_data_digest(index->residue_sums[r], other.digest, other.sums[0], hb_header_units(&other.header));
        }
        hb_index_clear(&other);
        free(path);
        HB_TRY(st);
    }
    hb_data_digest(index->residue_sums[last], index->digest, index->sums[0], hb_header_units(&index->header));
    return HB_OK;
}

hb_status hb_dataset_commit(const char *name, const hb_header *header, uint32_t parts, bool force)
{
    return hb_dataset_commit_sum(name, header, parts, (hb_summands){.count = 0}, force);
}

hb_status hb_dataset_commit_sum(const char *name, const hb_header *header, uint32_t parts, hb_summands summands,
                                bool force)
{
    char *target = NULL, *partial = NULL, *path = NULL, *job = NULL;
    hb_status st = HB_OK;
    hb_index index = {.header = *header, .parts = parts, .summands = summands};
    HB_GOTO(hb_path_with(name, "", &target));
    HB_GOTO(hb_path_with(name, ".partial", &partial));
    HB_GOTO(hb_index_path(partial, hb_spec_residue(&header->spec), &path));
    hb_header_digest(index.digest, header);
    HB_GOTO(collect_parts(partial, &index));
    HB_GOTO(collect_residues(partial, &index));
    HB_GOTO(hb_index_write(path, &index));
    if (!hb_spec_last_residue(&header->spec)) {
        goto done; /* the last one gives all of them their name */
    }
    HB_GOTO(hb_dataset_check_target(target, force));
    HB_GOTO(hb_rename(partial, target, force));
    HB_GOTO(hb_path_with(target, "/" HB_JOB_NAME, &job));
    (void)unlink(
        job); /* last: as long as the dataset has not its name, it can be continued; left over, it does no harm */
done:
    free(job);
    memset(&index.header, 0, sizeof index.header); /* its columns are the caller's, and so are the summands */
    index.summands = (hb_summands){.count = 0};
    hb_index_clear(&index);
    free(target);
    free(partial);
    free(path);
    return st;
}
