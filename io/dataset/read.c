/* Rows of a dataset, by any number of threads. */
#include <inttypes.h>
#include <unistd.h>

#include "dataset_private.h"
#include "io/files/durable.h"

void hb_shard_files_init(hb_shard_files *files)
{
    *files = (hb_shard_files){.turn = 0};
    for (int i = 0; i < HB_SHARD_FILES; i++) {
        files->file[i].fd = -1;
    }
    pthread_mutex_init(&files->lock, NULL); /* on Linux it cannot fail */
}

void hb_shard_files_clear(hb_shard_files *files)
{
    for (int i = 0; i < HB_SHARD_FILES; i++) {
        if (files->file[i].fd >= 0) {
            close(files->file[i].fd);
        }
    }
    pthread_mutex_destroy(&files->lock);
}

/* With the lock: where shard p is open, else a place that no thread reads, which is closed. */
static hb_shard_file *place_for(hb_shard_files *files, uint64_t p)
{
    for (int i = 0; i < HB_SHARD_FILES; i++) {
        if (files->file[i].fd >= 0 && files->file[i].shard == p) {
            return &files->file[i];
        }
    }
    for (int i = 0; i < HB_SHARD_FILES; i++) {
        hb_shard_file *file = &files->file[files->turn++ % HB_SHARD_FILES];
        if (file->readers == 0) {
            if (file->fd >= 0) {
                close(file->fd);
                file->fd = -1;
            }
            return file;
        }
    }
    return NULL;
}

/* Opens the file for rows: it may be another rank that has looked at it, on another host. */
static hb_status open_shard(const hb_shard *shard, int *out)
{
    int fd;
    uint64_t bytes;
    mode_t mode;
    HB_TRY(hb_open_file(shard->path, true, &fd, &bytes, &mode));
    if (bytes != shard->places.file_bytes) {
        close(fd);
        return HB_FAIL(HB_EDATA, "%s: has %" PRIu64 " bytes instead of %" PRIu64 ": it is damaged or cut short",
                       shard->path, bytes, shard->places.file_bytes);
    }
    *out = fd;
    return HB_OK;
}

/* With the lock. */
static hb_status open_place(hb_shard_files *files, const hb_shard *shard, uint64_t p, hb_shard_file **out)
{
    hb_shard_file *file = place_for(files, p);
    if (file == NULL) {
        return HB_FAIL(HB_EINTERNAL, "%s: more than %d threads read the dataset", shard->path, HB_SHARD_FILES);
    }
    if (file->fd < 0) {
        HB_TRY(open_shard(shard, &file->fd));
        file->shard = p;
    }
    file->readers++;
    *out = file;
    return HB_OK;
}

static hb_status take_file(hb_shard_files *files, const hb_shard *shard, uint64_t p, hb_shard_file **out)
{
    pthread_mutex_lock(&files->lock);
    const hb_status st = open_place(files, shard, p, out);
    pthread_mutex_unlock(&files->lock);
    return st;
}

static void leave_file(hb_shard_files *files, hb_shard_file *file)
{
    pthread_mutex_lock(&files->lock);
    file->readers--;
    pthread_mutex_unlock(&files->lock);
}

uint64_t hb_dataset_shard_of(const hb_dataset *dataset, uint64_t u)
{
    uint64_t low = 0, high = dataset->parts;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(dataset->shards[middle].first_unit <= u ? &low : &high) = middle;
    }
    while (u - dataset->shards[low].first_unit >= dataset->shards[low].units) {
        HB_ASSERT(low > 0);
        low--; /* an empty one */
    }
    return low;
}

hb_status hb_dataset_read(hb_dataset *dataset, uint64_t u, hb_rows *rows)
{
    HB_ASSERT(u >= dataset->first_unit && u - dataset->first_unit < dataset->units);
    const uint64_t p = hb_dataset_shard_of(dataset, u);
    const hb_shard *shard = &dataset->shards[p];
    HB_ASSERT(shard->located);
    hb_shard_file *file = NULL;
    HB_TRY(take_file(&dataset->files, shard, p, &file));
    const hb_status st = hb_shard_read_rows(file->fd, &dataset->header, shard, u, rows);
    leave_file(&dataset->files, file);
    return st;
}

hb_status hb_dataset_out_of_range(const hb_dataset *dataset, uint64_t u, size_t residues)
{
    uint64_t first, count;
    hb_header_unit_range(&dataset->header, u, &first, &count);
    return HB_FAIL(HB_EDATA,
                   "%s: ciphertexts %" PRIu64 " to %" PRIu64 " (unit %" PRIu64
                   ") have residues that are not below their prime (%zu seen), though their checksum holds: what wrote "
                   "them is wrong, they are no ciphertexts",
                   dataset->shards[hb_dataset_shard_of(dataset, u)].path, first, first + count - 1, u, residues);
}

hb_status hb_dataset_mismatch(const hb_dataset *dataset, uint64_t u)
{
    uint64_t first, count;
    hb_header_unit_range(&dataset->header, u, &first, &count);
    return HB_FAIL(HB_EDATA,
                   "%s: ciphertexts %" PRIu64 " to %" PRIu64 " (unit %" PRIu64
                   ") do not match their checksum: the file is damaged",
                   dataset->shards[hb_dataset_shard_of(dataset, u)].path, first, first + count - 1, u);
}
