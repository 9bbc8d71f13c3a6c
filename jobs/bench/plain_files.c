#include "plain_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/seed.h"
#include "cli/stop.h"
#include "io/base/durable.h"
#include "machine/background.h"
#include "mpi/group/partition.h"

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

/* Goes through all files of this rank at once, and waits for every thread, whatever fails. */
static hb_status go_through_all(raw *files, uint32_t threads, bool writes)
{
    hb_background *failed = NULL;
    for (uint32_t i = 0; i < threads; i++) {
        files[i].writes = writes;
        hb_background_begin(&files[i].thread, go_through, &files[i]);
    }
    for (uint32_t i = 0; i < threads; i++) {
        hb_background *b = &files[i].thread;
        failed = hb_background_end(b) != HB_OK && failed == NULL ? b : failed;
    }
    return failed == NULL ? HB_OK : hb_background_end(failed);
}

/* Returns the bytes a second until the last rank is done. Collective. */
static hb_status time_all(hb_group *group, raw *files, uint32_t threads, bool writes, uint64_t bytes, double *rate)
{
    const double begin = hb_now(); /* all ranks have just agreed */
    HB_TRY(hb_agree(group, go_through_all(files, threads, writes)));
    uint64_t nanoseconds = (uint64_t)((hb_now() - begin) * 1e9) + 1;
    HB_TRY(hb_agree(group, hb_group_max(group, &nanoseconds, 1)));
    *rate = (double)bytes * 1e9 / (double)nanoseconds;
    return HB_OK;
}

/* Makes the files of this rank, over which its `bytes` bytes are divided. */
static hb_status prepare(raw *files, uint32_t threads, const char *folder, int rank, uint64_t bytes)
{
    for (uint32_t i = 0; i < threads; i++) {
        raw *r = &files[i];
        const hb_seed seed = {{(uint8_t)(i + 1)}};
        r->bytes = hb_partition(bytes, i, threads).count;
        r->piece = malloc(PIECE);
        if (r->piece == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a plain file");
        }
        hb_keystream(r->piece, PIECE, (hb_draw){&seed, HB_DRAW_UNIFORM, 0}, 0); /* nothing that can be compressed */
        snprintf(r->path, sizeof r->path, "%s/raw-%05d-%u", folder, rank, (unsigned)i);
        HB_TRY(hb_create_file(r->path, 0600, false, &r->fd));
    }
    return HB_OK;
}

static void forget(const raw *files, uint32_t threads)
{
    for (uint32_t i = 0; i < threads; i++) {
        (void)!posix_fadvise(files[i].fd, 0, 0,
                             POSIX_FADV_DONTNEED); /* what stays in memory is not read from the disk */
    }
}

/* Removes the files, however far prepare came. */
static void discard(raw *files, uint32_t threads)
{
    for (uint32_t i = 0; i < threads; i++) {
        if (files[i].fd >= 0) {
            close(files[i].fd);
            unlink(files[i].path);
        }
        free(files[i].piece);
    }
}

/* Writes, forgets and reads files of so many threads a rank. Collective. */
static hb_status with_threads(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, uint32_t threads,
                              double *write_rate, double *read_rate)
{
    raw files[MOST_THREADS] = {{.fd = -1}, {.fd = -1}, {.fd = -1}, {.fd = -1}};
    const uint64_t own = hb_partition(bytes, (uint32_t)group->rank, (uint32_t)group->size).count;
    hb_status st;
    HB_GOTO(hb_agree(group, prepare(files, threads, scratch->folder, group->rank, own)));
    HB_GOTO(time_all(group, files, threads, true, bytes, write_rate));
    forget(files, threads);
    /* All ranks have forgotten before any begins to read, and the clocks begin together. */
    HB_GOTO(hb_agree(group, HB_OK));
    st = time_all(group, files, threads, false, bytes, read_rate);
done:
    discard(files, threads);
    return st;
}

hb_status hb_bench_plain_files(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, hb_bench_files *rates)
{
    for (int i = 0; i < HB_BENCH_THREADS; i++) {
        HB_TRY(with_threads(scratch, group, bytes, hb_bench_threads[i], &rates->write[i], &rates->read[i]));
    }
    return HB_OK;
}
