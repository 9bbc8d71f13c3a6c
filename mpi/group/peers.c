/* Which other ranks of this host are still there: a process that has ended is no longer found by its number. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi_private.h"

/* Returns the number of a process if this one can see it, else 0. Of a rank with another view of processes (a
 * container) nothing can be told. Signal 0 tests only; EPERM says that the process is there. */
static pid_t if_visible(int64_t process)
{
    const pid_t pid = (pid_t)process;
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) ? pid : 0;
}

hb_status hb_mpi_find_peers(hb_mpi_group *g, MPI_Comm node)
{
    const size_t size = (size_t)g->base.node_size;
    /* Collective calls come first, whatever failed here: a rank without memory agrees on that before it leaves. */
    int64_t own[2] = {g->base.rank, getpid()}, (*all)[2] = calloc(size, sizeof *all);
    g->peers = calloc(size, sizeof *g->peers);
    hb_status st = all != NULL && g->peers != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %zu ranks", size);
    st = hb_mpi_all(g, st);
    st = st == HB_OK ? HB_MPI_OF(g, MPI_Allgather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, node)) : st;
    for (size_t i = 0; i < size && st == HB_OK; i++) {
        g->peers[i] = (hb_mpi_peer){(int)all[i][0], if_visible(all[i][1])};
    }
    /* Nobody ends before all have looked, or a rank would take a peer that is done for one that it cannot see. */
    st = hb_mpi_all(g, st);
    free(all);
    return st;
}

static bool is_gone(const hb_mpi_peer *peer)
{
    return peer->process > 0 && kill(peer->process, 0) < 0 && errno == ESRCH;
}

int hb_mpi_gone(const hb_group *group, bool *first)
{
    const hb_mpi_group *g = (const hb_mpi_group *)(const void *)group;
    /* A signal handler leaves errno as it found it. */
    const int error = errno;
    int gone = -1;
    *first = true;
    for (int i = 0; i < group->node_size && g->peers != NULL; i++) {
        /* Of those gone the first is named; this rank is the first one left if all before it are gone. */
        if (is_gone(&g->peers[i])) {
            gone = gone < 0 ? g->peers[i].rank : gone;
        } else if (i < group->node_rank) {
            *first = false;
        }
    }
    errno = error;
    return gone;
}

hb_status hb_mpi_all_there(const hb_mpi_group *g)
{
    bool first;
    const int gone = hb_mpi_gone(&g->whole->base, &first);
    return gone < 0 ? HB_OK
                    : HB_FAIL(HB_ECOMM, "rank %d, a process of this host, is gone: it was killed or has crashed", gone);
}
