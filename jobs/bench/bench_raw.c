/* Plain files of the same size as a dataset: what the file system does with them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_scratch.h"
#include "durable.h"
#include "machine.h"
#include "partition.h"
#include "seed.h"
#include "stop.h"

enum { PIECE = 8 << 20 };

typedef struct raw {
    char path[3200];
    uint8_t *piece;
    uint64_t bytes; /* of this rank */
    int fd;
} raw;

typedef hb_status (*transfer)(const raw *r, size_t bytes, uint64_t at);

static hb_status write_piece(const raw *r, size_t bytes, uint64_t at)
{
    return hb_write_at(r->fd, r->piece, bytes, at, r->path);
}

static hb_status read_piece(const raw *r, size_t bytes, uint64_t at)
{
    return hb_read_at(r->fd, r->piece, bytes, at, r->path);
}

static hb_status go_through(const raw *r, transfer each)
{
    for (uint64_t at = 0; at < r->bytes; at += PIECE) {
        HB_TRY(hb_stop_check());
        HB_TRY(each(r, (size_t)(r->bytes - at < PIECE ? r->bytes - at : PIECE), at));
    }
    return each == write_piece ? hb_sync(r->fd, r->path) : HB_OK;
}

/* Collective. */
static hb_status time_all(hb_group *group, const raw *r, transfer each, double *seconds)
{
    const double begin = hb_now(); /* all ranks have just agreed */
    HB_TRY(hb_agree(group, go_through(r, each)));
    *seconds = hb_now() - begin;
    return HB_OK;
}

static hb_status prepare(raw *r)
{
    const hb_seed seed = {{1}};
    r->piece = malloc(PIECE);
    if (r->piece == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a plain file");
    }
    hb_keystream(r->piece, PIECE, (hb_draw){&seed, HB_DRAW_UNIFORM, 0}, 0); /* nothing that can be compressed */
    return hb_create_file(r->path, 0600, false, &r->fd);
}

hb_status hb_bench_raw(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, double *write_seconds,
                       double *read_seconds)
{
    raw r = {.fd = -1, .bytes = hb_partition(bytes, (uint32_t)group->rank, (uint32_t)group->size).count};
    snprintf(r.path, sizeof r.path, "%s/raw-%05d", scratch->folder, group->rank);
    hb_status st;
    HB_GOTO(hb_agree(group, prepare(&r)));
    HB_GOTO(time_all(group, &r, write_piece, write_seconds));
    (void)!posix_fadvise(r.fd, 0, 0, POSIX_FADV_DONTNEED); /* what stays in memory is not read from the disk */
    HB_GOTO(hb_agree(group, HB_OK));
    HB_GOTO(time_all(group, &r, read_piece, read_seconds));
    st = HB_OK;
done:
    if (r.fd >= 0) {
        close(r.fd);
        unlink(r.path);
    }
    free(r.piece);
    return st;
}
