/* Signs of life (signs.h) among the hosts of a group: each first rank of a host tells the others where it listens. */
#include <stdlib.h>
#include <string.h>

#include "mpi_private.h"
#include "signs.h"

/* Gathers the addresses of all hosts, in the order of their first ranks, in *all, which the caller frees; NULL: a host
 * has no memory for them. Collective among those ranks. HB_ECOMM. */
static hb_status gather(hb_mpi_group *g, MPI_Comm firsts, const hb_life_address *mine, hb_life_address **all,
                        int *count)
{
    HB_TRY(HB_MPI_OF(g, MPI_Comm_size(firsts, count)));
    *all = calloc((size_t)*count, sizeof **all);
    int failed = *all == NULL;
    const hb_status st = HB_MPI_OF(g, MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, firsts));
    if (st != HB_OK || failed) {
        free(*all);
        *all = NULL;
        return st;
    }
    return HB_MPI_OF(g, MPI_Allgather(mine, (int)sizeof *mine, MPI_BYTE, *all, (int)sizeof *mine, MPI_BYTE, firsts));
}

/* Begins the signs of this host. Without them a job is as good, but for a loss of the network: a host that lacks
 * memory, a thread or TCP for them goes on, and others know nothing of it. Collective among the first ranks.
 * HB_ECOMM. */
static hb_status begin(hb_mpi_group *g, MPI_Comm firsts)
{
    hb_life_address mine, *all = NULL;
    int count = 0, own = 0;
    const hb_signs_user user = {hb_board_own_sign, hb_board_others_sign, g->base.board};
    const hb_life unknown = {.state = HB_LIFE_UNKNOWN};
    hb_board_others_sign(g->base.board, &unknown);
    hb_status here = hb_signs_listen((uint32_t)g->base.rank, &g->signs, &mine);
    hb_status st = HB_MPI_OF(g, MPI_Comm_rank(firsts, &own));
    st = st == HB_OK ? gather(g, firsts, &mine, &all, &count) : st;
    if (all != NULL && st == HB_OK && here == HB_OK) {
        here = hb_signs_begin(g->signs, all, (uint32_t)count, (uint32_t)own, &user);
    }
    if (st == HB_OK && (all == NULL || here != HB_OK)) {
        hb_clear_error();
        hb_signs_close(g->signs); /* nobody is to find it listening */
        g->signs = NULL;
    }
    free(all);
    return st;
}

hb_status hb_mpi_begin_signs(hb_mpi_group *g)
{
    MPI_Comm firsts;
    if (g->base.node_size == g->base.size) {
        return HB_OK; /* all are on one host, and all see it */
    }
    const int color = g->base.node_rank == 0 ? 0 : MPI_UNDEFINED;
    HB_TRY(HB_MPI_OF(g, MPI_Comm_split(g->comm, color, g->base.rank, &firsts)));
    const hb_status st = firsts != MPI_COMM_NULL ? begin(g, firsts) : HB_OK;
    if (firsts != MPI_COMM_NULL) {
        MPI_Comm_free(&firsts);
    }
    return g->base.broken ? st : hb_mpi_all(g, st);
}
