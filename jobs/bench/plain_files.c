#include "plain_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/partition.h"
#include "base/seed.h"
#include "cli/stop.h"
#include "io/files/durable.h"
#include "machine/background.h"

enum { PIECE = 8 << 20, MOST_THREADS = 4 };
const uint32_t hb_bench_threads[HB_BENCH_THREADS] = {1, 2, MOST_THREADS};

/* A plain file, and the thread that goes through it. */
typedef struct raw {
    char path[3200];
    uint8_t *piece;
    uint64_t bytes;
    int fd; /* -1: none */
    bool writes;
    hb_background thread;
} raw;

/* Writes or reads one file from its beginning to its end, in a thread of its own. */
static hb_status go_through(void *context)
{
    const raw *r = context;
    for (uint64_t at = 0; at < r->bytes; at += PIECE) {
        const size_t some = (size_t)(r->bytes - at < PIECE ? r->bytes - at : PIECE);
        /* Between pieces, so that a large file does not hold up a request to stop. */
        HB_TRY(hb_stop_check());
        if (r->writes) {
            HB_TRY(hb_write_at(r->fd, r->piece, some, at, r->path));
        } else {
            HB_TRY(hb_read_at(r->fd, r->piece, some, at, r->path));
        }
    }
    return r->writes ? hb_sync(r->fd, r->path) : HB_OK;
}

/* Goes through all files of this rank at once, and waits for every thread, also after a failure. */
static hb_status go_through_all(raw *files, uint32_t count)
{
    hb_background *failed = NULL;
    for (uint32_t i = 0; i < count; i++) {
        hb_background_begin(&files[i].thread, go_through, &files[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        hb_background *b = &files[i].thread;
        failed = hb_background_end(b) != HB_OK && failed == NULL ? b : failed;
    }
    return failed == NULL ? HB_OK : hb_background_end(failed);
}

/* Returns the bytes a second until the last rank is done, of `bytes` that all files have together. Collective. */
static hb_status time_all(hb_group *group, raw *files, uint32_t count, uint64_t bytes, double *rate)
{
    const double begin = hb_now(); /* all ranks have just agreed */
    HB_TRY(hb_agree(group, go_through_all(files, count)));
    uint64_t nanoseconds = (uint64_t)((hb_now() - begin) * 1e9) + 1;
    HB_TRY(hb_agree(group, hb_group_max(group, &nanoseconds, 1)));
    *rate = (double)bytes * 1e9 / (double)nanoseconds;
    return HB_OK;
}

/* Makes files first .. first + count - 1 of this rank, empty ones to write, over which its `bytes` bytes are divided.
 */
static hb_status prepare(raw *files, uint32_t first, uint32_t count, const char *folder, int rank, uint64_t bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        raw *r = &files[first + i];
        const hb_seed seed = {{(uint8_t)(first + i + 1)}};
        r->bytes = hb_partition(bytes, i, count).count;
        r->writes = true;
        r->piece = malloc(PIECE);
        if (r->piece == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a plain file");
        }
        hb_keystream(r->piece, PIECE, (hb_draw){&seed, HB_DRAW_UNIFORM, 0}, 0); /* nothing that can be compressed */
        snprintf(r->path, sizeof r->path, "%s/raw-%05d-%u", folder, rank, (unsigned)(first + i));
        HB_TRY(hb_create_file(r->path, 0600, false, &r->fd));
    }
    return HB_OK;
}

/* They are read from here on, from where they are stored and not from memory. Collective: all ranks have let go of them
 * before any begins, and their clocks begin together. */
static hb_status turn_to_reading(hb_group *group, raw *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        files[i].writes = false;
        (void)!posix_fadvise(files[i].fd, 0, 0, POSIX_FADV_DONTNEED);
    }
    return hb_agree(group, HB_OK);
}

/* Removes the files, however far prepare came; NULL: there was no memory for them. */
static void discard(raw *files, uint32_t count)
{
    for (uint32_t i = 0; files != NULL && i < count; i++) {
        if (files[i].fd >= 0) {
            close(files[i].fd);
            unlink(files[i].path);
        }
        free(files[i].piece);
    }
    free(files);
}

/* With the k-th number of threads a rank: files are written, read, and read again while as many others are written.
 * Collective. */
static hb_status with_threads(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, int k,
                              hb_bench_files *rates)
{
    const uint32_t threads = hb_bench_threads[k];
    const uint64_t own = hb_partition(bytes, (uint32_t)group->rank, (uint32_t)group->size).count;
    raw *files = malloc(2 * MOST_THREADS * sizeof *files);
    for (int i = 0; files != NULL && i < 2 * MOST_THREADS; i++) {
        files[i] = (raw){.fd = -1};
    }
    hb_status st = files != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for plain files");
    HB_GOTO(hb_agree(group, st));
    HB_GOTO(hb_agree(group, prepare(files, 0, threads, scratch->folder, group->rank, own)));
    HB_GOTO(time_all(group, files, threads, bytes, &rates->write[k]));
    HB_GOTO(turn_to_reading(group, files, threads));
    HB_GOTO(time_all(group, files, threads, bytes, &rates->read[k]));
    HB_GOTO(hb_agree(group, prepare(files, threads, threads, scratch->folder, group->rank, own)));
    HB_GOTO(turn_to_reading(group, files, threads));
    st = time_all(group, files, 2 * threads, 2 * bytes, &rates->both[k]);
done:
    discard(files, 2 * threads);
    return st;
}

hb_status hb_bench_plain_files(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, hb_bench_files *rates)
{
    for (int k = 0; k < HB_BENCH_THREADS; k++) {
        HB_TRY(with_threads(scratch, group, bytes, k, rates));
    }
    return HB_OK;
}
