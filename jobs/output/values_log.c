#include "values_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/dataset/dataset.h"
#include "io/files/durable.h"

#define PARTIAL ".partial"

static const size_t most_bytes = (size_t)1 << 30; /* of a log: of 14 million units */

/* Without padding, as it stands in the file, in the host's byte order. */
typedef struct hb_values_record {
    uint64_t unit;
    uint8_t sum[HB_DIGEST_BYTES], digest[HB_DIGEST_BYTES];
} record;
_Static_assert(sizeof(record) == sizeof(uint64_t) + 2 * HB_DIGEST_BYTES, "a record has no padding");

/* --- the records */

static int by_unit(const void *a, const void *b)
{
    const uint64_t u = ((const record *)a)->unit, v = ((const record *)b)->unit;
    return (u > v) - (u < v);
}

/* Takes the records of a file behind the records that are there. A record that a killed job did not end is none. */
static hb_status take_records(hb_values_log *log, const char *folder, const char *entry)
{
    char *path = NULL, name[NAME_MAX + 2];
    uint8_t *data = NULL;
    size_t bytes = 0;
    mode_t mode;
    hb_status st;
    snprintf(name, sizeof name, "/%s", entry);
    HB_GOTO(hb_path_with(folder, name, &path));
    HB_GOTO(hb_read_file(path, most_bytes, &data, &bytes, &mode));
    const size_t more = bytes / sizeof(record);
    record *longer = realloc(log->records, (log->count + more + 1) * sizeof *longer);
    if (longer == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for %zu bytes", path, bytes));
    }
    memcpy(longer + log->count, data, more * sizeof *longer);
    log->records = longer;
    log->count += more;
done:
    free(data);
    free(path);
    return st;
}

static bool is_log(const char *entry)
{
    const size_t length = strlen(HB_VALUES_NAME);
    return strncmp(entry, HB_VALUES_NAME, length) == 0 && entry[length] != '\0' &&
           strspn(entry + length, "0123456789") == strlen(entry + length);
}

static hb_status read_log(void *context, int folder, const char *path, const char *entry)
{
    (void)folder;
    return is_log(entry) ? take_records(context, path, entry) : HB_OK;
}

static hb_status remove_log(void *context, int folder, const char *path, const char *entry)
{
    (void)context;
    return is_log(entry) && unlinkat(folder, entry, 0) < 0 && errno != ENOENT
               ? HB_FAIL(HB_ECREATE, "%s/%s: cannot be removed: %s", path, entry, strerror(errno))
               : HB_OK;
}

/* --- the log */

/* On rank 0, which holds NAME.partial. Records under a lost key are useless, and must go: under the new key its digests
 * would be of other values. */
static hb_status make_key(hb_held_key *held, const char *path, const char *folder, bool resumed)
{
    hb_seed key;
    bool whole = false;
    hb_lock_short(&key, sizeof key);
    hb_status st = resumed ? hb_held_key_take(held, path, &key, &whole) : HB_OK;
    if (st == HB_OK && !whole) {
        hb_seed_random(&key);
        st = hb_folder_each(folder, remove_log, NULL);
        st = st == HB_OK ? hb_held_key_make(held, path, &key) : st;
    }
    hb_wipe(&key, sizeof key);
    return st;
}

/* Opens the file of this rank's records, to write behind the whole ones: a record that a killed job did not end would
 * move all that follow. */
static hb_status open_own_file(hb_values_log *log, const char *path)
{
    struct stat info;
    log->file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (log->file < 0 || fstat(log->file, &info) < 0) {
        return HB_FAIL(HB_ECREATE, "%s: cannot be opened: %s", path, strerror(errno));
    }
    atomic_store(&log->next, (uint64_t)info.st_size / sizeof(record));
    return HB_OK;
}

/* On every rank, once there is a key. */
static hb_status open_own(hb_values_log *log, const char *key, const char *folder, int rank, bool resumed)
{
    char *own, name[sizeof HB_VALUES_NAME + 24];
    bool whole = false;
    HB_TRY(hb_held_key_find(key, &log->key, &whole));
    if (!whole) {
        return HB_FAIL(HB_EIO, "%s: is gone, or no key", key);
    }
    if (resumed) {
        HB_TRY(hb_folder_each(folder, read_log, log));
    }
    if (log->count > 0) {
        qsort(log->records, log->count, sizeof *log->records, by_unit);
    }
    snprintf(name, sizeof name, "/" HB_VALUES_NAME "%d", rank);
    HB_TRY(hb_path_with(folder, name, &own));
    const hb_status st = open_own_file(log, own);
    free(own);
    return st;
}

hb_status hb_values_log_open(hb_values_log *log, hb_group *group, const char *output, bool resumed)
{
    char *key = NULL, *folder = NULL;
    *log = (hb_values_log){.file = -1};
    hb_lock(&log->key, sizeof log->key);
    hb_status st = hb_path_with(output, HB_HELD_KEY, &key);
    st = st == HB_OK ? hb_path_with(output, PARTIAL, &folder) : st;
    st = st == HB_OK && group->rank == 0 ? make_key(&log->held, key, folder, resumed) : st;
    st = hb_agree(group, st);
    st = st == HB_OK ? hb_agree(group, open_own(log, key, folder, group->rank, resumed)) : st;
    free(key);
    free(folder);
    return st;
}

hb_status hb_values_log_add(hb_values_log *log, uint64_t u, const uint8_t sum[HB_DIGEST_BYTES],
                            const uint8_t digest[HB_DIGEST_BYTES])
{
    record made = {.unit = u};
    ssize_t done;
    memcpy(made.sum, sum, sizeof made.sum);
    memcpy(made.digest, digest, sizeof made.digest);
    /* Each record has a place of its own, so one that is not written to its end moves none of other threads. Nobody
     * finds it: its unit gets no sum. */
    const off_t place = (off_t)(atomic_fetch_add(&log->next, 1) * sizeof made);
    do {
        done = pwrite(log->file, &made, sizeof made, place);
    } while (done < 0 && errno == EINTR);
    return done == (ssize_t)sizeof made ? HB_OK
                                        : HB_FAIL(HB_EIO, "cannot record what unit %" PRIu64 " was made of: %s", u,
                                                  done < 0 ? strerror(errno) : "the disk is full");
}

hb_values_known hb_values_log_find(const hb_values_log *log, uint64_t u, const uint8_t sum[HB_DIGEST_BYTES],
                                   const uint8_t digest[HB_DIGEST_BYTES])
{
    const record *records = log->records, asked = {.unit = u};
    const record *at = log->count > 0 ? bsearch(&asked, records, log->count, sizeof asked, by_unit) : NULL;
    while (at != NULL && at > records && at[-1].unit == u) {
        at--;
    }
    hb_values_known known = HB_VALUES_UNKNOWN;
    for (; at != NULL && at < records + log->count && at->unit == u; at++) {
        if (memcmp(at->sum, sum, sizeof at->sum) == 0) {
            const bool same = memcmp(at->digest, digest, sizeof at->digest) == 0;
            known = same ? HB_VALUES_SAME : HB_VALUES_OTHER;
        }
    }
    return known;
}

/* The folder has its name by now, or is gone. A log that stays is only bytes: without the key it says nothing. */
static void remove_all(hb_values_log *log, const char *output)
{
    char *key;
    if (hb_path_with(output, HB_HELD_KEY, &key) == HB_OK) {
        hb_held_key_remove(&log->held, key);
        (void)hb_folder_each(output, remove_log, NULL);
        free(key);
    }
}

void hb_values_log_close(hb_values_log *log, const char *output, bool over)
{
    const hb_error before = *hb_last_error();
    if (log->file >= 0 && !over) {
        (void)hb_sync(log->file, output);
    }
    if (log->file >= 0) {
        close(log->file);
    }
    if (log->file >= 0 && over) {
        remove_all(log, output);
    }
    hb_held_key_release(&log->held);
    free(log->records);
    hb_wipe(log, sizeof *log);
    log->file = -1;
    hb_set_error(&before);
}
