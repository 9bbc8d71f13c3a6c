/* The other ranks of this host: their processes, and the memory of their board. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "mpi_private.h"

/* Returns the number of a process if this one can see it, else 0. For a rank with another view of processes (a
 * container) nothing can be told. Signal 0 tests only; EPERM says that the process is there. */
static pid_t if_visible(int64_t process)
{
    const pid_t pid = (pid_t)process;
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) ? pid : 0;
}

/* Maps memory that is in a shared object, NULL: it cannot be. The first rank of a host has made the object, others find
 * it there, unless theirs is another view of the host's memory. */
static void *map_shared(int fd, size_t bytes)
{
    struct stat info;
    void *page = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid() && (size_t)info.st_size == bytes) {
        page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    return page != MAP_FAILED ? page : NULL;
}

static void *map_own(size_t bytes)
{
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page != MAP_FAILED ? page : NULL;
}

/* Whether the file system of shared memory has room for it: containers often have 64 MiB. */
static bool has_room(int fd, size_t bytes)
{
    struct statvfs info;
    return fstatvfs(fd, &info) == 0 && (uint64_t)info.f_bavail * info.f_frsize >= bytes;
}

/* Gives shared memory back. */
static void drop_shared(hb_shared *shared)
{
    if (shared->memory != NULL) {
        munmap(shared->memory, shared->bytes);
    }
    if (shared->fd >= 0) {
        close(shared->fd);
    }
    *shared = (hb_shared){.bytes = shared->bytes, .fd = -1};
}

hb_status hb_mpi_map_shared(hb_mpi_group *g, MPI_Comm node, const char *what, hb_shared *shared)
{
    const bool first = g->base.node_rank == 0;
    char name[64];
    *shared = (hb_shared){.bytes = shared->bytes, .fd = -1};
    snprintf(name, sizeof name, "/hebatch-%s-%ld", what, (long)getpid());
    HB_TRY(HB_MPI_OF(g, MPI_Bcast(name, (int)sizeof name, MPI_CHAR, 0, node)));
    shared->fd = first ? shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    const bool made = shared->fd >= 0;
    if (made && has_room(shared->fd, shared->bytes) && ftruncate(shared->fd, (off_t)shared->bytes) == 0) {
        shared->memory = map_shared(shared->fd, shared->bytes);
    }
    hb_status st = HB_MPI_OF(g, MPI_Barrier(node));
    if (st == HB_OK && !first) {
        shared->fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);
        shared->memory = map_shared(shared->fd, shared->bytes);
    }
    int all = shared->memory != NULL;
    st = st == HB_OK ? HB_MPI_OF(g, MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, node)) : st;
    if (made) {
        shm_unlink(name);
    }
    if (st != HB_OK || all == 0) {
        drop_shared(shared);
    }
    return st;
}

/* Maps the page of the board. Where it cannot be shared, each rank has its own: then waits are not seen, and no job
 * fails for it. Collective among the ranks of `node`. */
static hb_status map_page(hb_mpi_group *g, MPI_Comm node, bool *is_shared)
{
    hb_shared shared = {.bytes = hb_board_page_bytes(g->base.node_size)};
    HB_TRY(hb_mpi_map_shared(g, node, "board", &shared));
    *is_shared = shared.memory != NULL;
    g->page = *is_shared ? shared.memory : map_own(shared.bytes);
    shared.memory = NULL;
    drop_shared(&shared);
    return HB_OK;
}

hb_status hb_mpi_find_peers(hb_mpi_group *g, MPI_Comm node)
{
    const size_t size = (size_t)g->base.node_size;
    /* Collective calls come first, also after a failure here: a rank without memory agrees on that before it leaves. */
    int64_t own[2] = {g->base.rank, getpid()}, (*all)[2] = calloc(size, sizeof *all);
    bool shared = false;
    g->peers = calloc(size, sizeof *g->peers);
    hb_status st = all != NULL && g->peers != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %zu ranks", size);
    st = hb_mpi_all(g, st);
    st = st == HB_OK ? HB_MPI_OF(g, MPI_Allgather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, node)) : st;
    for (size_t i = 0; i < size && st == HB_OK; i++) {
        g->peers[i] = (hb_peer){(int)all[i][0], if_visible(all[i][1])};
    }
    st = st == HB_OK ? map_page(g, node, &shared) : st;
    if (st == HB_OK) {
        st = g->page != NULL
                 ? hb_board_open(g->page, shared, g->peers, g->base.node_rank, g->base.node_size, &g->base.board)
                 : HB_FAIL(HB_ENOMEM, "no memory for the board of %zu ranks", size);
    }
    /* Nobody ends before all have looked, or a rank would take a peer that is done for one that it cannot see. */
    st = hb_mpi_all(g, st);
    free(all);
    return st;
}

void hb_mpi_forget_peers(hb_mpi_group *g)
{
    hb_board_close(g->base.board);
    if (g->page != NULL) {
        munmap(g->page, hb_board_page_bytes(g->base.node_size));
    }
    free(g->peers);
}
