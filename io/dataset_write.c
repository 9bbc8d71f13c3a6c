#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset_private.h"
#include "durable.h"

/* index.h5, part-DIGITS.h5, and what a job left there about itself. */
static bool is_dataset_file(const char *entry)
{
    static const char *const names[] = {HB_INDEX_NAME, HB_JOB_NAME, HB_JOB_NAME ".partial"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(entry, names[i]) == 0) {
            return true;
        }
    }
    if (strncmp(entry, "part-", 5) != 0 || !isdigit((unsigned char)entry[5])) {
        return false;
    }
    entry += 5;
    while (isdigit((unsigned char)*entry)) {
        entry++;
    }
    return strcmp(entry, ".h5") == 0;
}

static hb_status check_entry(int folder, const char *path, const char *entry)
{
    struct stat info;
    if (is_dataset_file(entry) && fstatat(folder, entry, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode)) {
        return HB_OK;
    }
    return HB_FAIL(HB_ECREATE, "%s: will not be removed: it holds '%s', which no dataset has", path, entry);
}

/* Removes a folder only if all it holds are files of a dataset: a wrong name must not cost someone else's files. */
static hb_status remove_dataset(const char *path)
{
    HB_TRY(hb_folder_each(path, check_entry));
    return hb_remove_folder(path);
}

static hb_status clear_partial(const char *partial, bool force)
{
    struct stat info;
    if (lstat(partial, &info) < 0) {
        return HB_OK;
    }
    if (!force) {
        return HB_FAIL(HB_ECREATE, "%s: left by an unfinished job; --resume continues it, --force starts again",
                       partial);
    }
    return remove_dataset(partial);
}

static hb_status check_target(const char *path, bool force)
{
    struct stat info;
    if (lstat(path, &info) < 0) {
        return HB_OK;
    }
    return force ? hb_folder_each(path, check_entry)
                 : HB_FAIL(HB_ECREATE, "%s: exists already; use --force to replace it", path);
}

hb_status hb_dataset_begin(const char *name, bool force)
{
    char *target = NULL, *partial = NULL;
    hb_status st = HB_OK;
    HB_GOTO(hb_path_with(name, "", &target));
    HB_GOTO(hb_path_with(name, ".partial", &partial));
    HB_GOTO(check_target(target, force));
    HB_GOTO(clear_partial(partial, force));
    if (mkdir(partial, 0777) < 0) {
        HB_GOTO(HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", partial, strerror(errno)));
    }
    st = hb_sync_folder_of(partial);
done:
    free(target);
    free(partial);
    return st;
}

hb_status hb_dataset_continue(const char *name, bool force)
{
    char *target;
    HB_TRY(hb_path_with(name, "", &target));
    hb_status st = check_target(target, force);
    free(target);
    return st;
}

uint64_t hb_dataset_partial_bytes(const char *name, uint32_t parts)
{
    char *partial, *path;
    uint64_t bytes = 0;
    if (hb_path_with(name, ".partial", &partial) != HB_OK) {
        return 0;
    }
    for (uint32_t p = 0; p < parts && hb_shard_path(partial, p, &path) == HB_OK; p++) {
        struct stat info;
        if (lstat(path, &info) == 0) {
            bytes += (uint64_t)info.st_blocks * 512; /* POSIX: the unit of st_blocks on Linux */
        }
        free(path);
    }
    free(partial);
    return bytes;
}

void hb_dataset_abandon(const char *name)
{
    char *partial;
    hb_error first = *hb_last_error(); /* what went wrong before must stay the cause */
    if (hb_path_with(name, ".partial", &partial) == HB_OK) {
        (void)remove_dataset(partial);
        free(partial);
    }
    hb_set_error(&first);
}

/* Takes the place and the sums of shard p into the index. */
static hb_status collect_part(const char *folder, uint64_t p, uint64_t next_unit, hb_index *index)
{
    char *path;
    HB_TRY(hb_shard_path(folder, p, &path));
    hb_header header;
    hb_shard shard;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_status st = HB_OK;
    HB_GOTO(hb_shard_open(path, &header, digest, &shard));
    if (memcmp(digest, index->digest, sizeof digest) != 0) {
        HB_GOTO(HB_FAIL(HB_EINTERNAL, "%s: was written for another dataset", path));
    }
    if (shard.first_unit != next_unit) {
        HB_GOTO(HB_FAIL(HB_EINTERNAL, "%s: begins at unit %" PRIu64 " instead of %" PRIu64, path, shard.first_unit,
                        next_unit));
    }
    index->first_unit[p] = shard.first_unit;
    index->units[p] = shard.units;
    memcpy(index->sums + shard.first_unit, shard.sums, (size_t)shard.units * HB_DIGEST_BYTES);
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
        HB_TRY(collect_part(folder, p, next, index));
        next += index->units[p];
    }
    return next == units
               ? HB_OK
               : HB_FAIL(HB_EINTERNAL, "%s: its shards hold %" PRIu64 " of %" PRIu64 " units", folder, next, units);
}

hb_status hb_dataset_commit(const char *name, const hb_header *header, uint32_t parts, bool force)
{
    char *target = NULL, *partial = NULL, *path = NULL, *job = NULL;
    hb_status st = HB_OK;
    hb_index index = {.header = *header, .parts = parts};
    HB_GOTO(hb_path_with(name, "", &target));
    HB_GOTO(hb_path_with(name, ".partial", &partial));
    HB_GOTO(hb_path_with(partial, "/" HB_INDEX_NAME, &path));
    hb_header_digest(index.digest, header);
    HB_GOTO(collect_parts(partial, &index));
    HB_GOTO(hb_index_write(path, &index));
    HB_GOTO(check_target(target, force));
    HB_GOTO(hb_rename(partial, target, force));
    HB_GOTO(hb_path_with(target, "/" HB_JOB_NAME, &job));
    (void)unlink(
        job); /* last: as long as the dataset has not its name, it can be continued; left over, it does no harm */
done:
    free(job);
    memset(&index.header, 0, sizeof index.header); /* its columns are the caller's */
    hb_index_clear(&index);
    free(target);
    free(partial);
    free(path);
    return st;
}
