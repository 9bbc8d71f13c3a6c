/* Parts of the ranks of a launcher: agreement and data among them. Notices stay with the whole, whose agreement ends
 * what they began. */
#include <stdlib.h>

#include "mpi_private.h"

static hb_mpi_group *mpi_of(hb_group *group)
{
    return (hb_mpi_group *)group;
}

static hb_status part_close(hb_group *group)
{
    hb_mpi_group *g = mpi_of(group);
    if (g->whole->base.broken) {
        return HB_ECOMM; /* calls of MPI may still be under way; closing the whole ends all ranks */
    }
    if (g->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&g->comm);
    }
    free(g);
    return HB_OK;
}

/* A rank that ends takes the whole job with it, not its part alone. */
static void part_abort(hb_group *group, hb_status code)
{
    hb_group_abort(&mpi_of(group)->whole->base, code);
}

static hb_status part_agree(hb_group *group, hb_status mine)
{
    return hb_mpi_agree(mpi_of(group), mine);
}

/* Notices and progress of a part reach nobody. */
static void part_stop_others(hb_group *group)
{
    (void)group;
}

static bool part_stopping(hb_group *group)
{
    (void)group;
    return false;
}

static void part_post_progress(hb_group *group, uint64_t done)
{
    (void)group;
    (void)done;
}

static hb_group_news part_progress(hb_group *group)
{
    (void)group;
    return (hb_group_news){0};
}

static const hb_group_ops part_ops = {.close = part_close,
                                      .abort = part_abort,
                                      .split = hb_mpi_split,
                                      .agree = part_agree,
                                      .stop_others = part_stop_others,
                                      .stopping = part_stopping,
                                      .halt_others = part_stop_others,
                                      .halting = part_stopping,
                                      .ask_status = part_stop_others,
                                      .status_asked = part_stopping,
                                      .post_progress = part_post_progress,
                                      .progress = part_progress,
                                      .broadcast = hb_mpi_broadcast,
                                      .sum = hb_mpi_sum,
                                      .max = hb_mpi_max};

hb_status hb_mpi_find_place(hb_mpi_group *g)
{
    MPI_Comm node;
    HB_TRY(HB_MPI_OF(g, MPI_Comm_rank(g->comm, &g->base.rank)));
    HB_TRY(HB_MPI_OF(g, MPI_Comm_size(g->comm, &g->base.size)));
    /* Ranks that can share memory are those of one host. */
    HB_TRY(HB_MPI_OF(g, MPI_Comm_split_type(g->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node)));
    HB_TRY(HB_MPI_OF(g, MPI_Comm_rank(node, &g->base.node_rank)));
    HB_TRY(HB_MPI_OF(g, MPI_Comm_size(node, &g->base.node_size)));
    /* A part asks its whole, which knows all ranks of this host. */
    if (g == g->whole) {
        HB_TRY(hb_mpi_find_peers(g, node));
    }
    return HB_MPI_OF(g, MPI_Comm_free(&node));
}

hb_status hb_mpi_split(hb_group *group, uint32_t color, hb_group **out)
{
    hb_mpi_group *whole = mpi_of(group), *part = calloc(1, sizeof *part);
    hb_status st = part != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a part of the group of ranks");
    /* Without memory on every rank nothing is split: a rank that left here alone would be waited for. */
    st = hb_mpi_all(whole, st);
    if (st != HB_OK) {
        free(part);
        return st;
    }
    *part = (hb_mpi_group){.base.ops = &part_ops, .comm = MPI_COMM_NULL, .most = whole->most, .whole = whole->whole};
    part->base.board = group->board;
    HB_ASSERT(color <= INT32_MAX);
    /* The rank here is the key: parts keep the order of the whole. */
    st = HB_MPI_OF(part, MPI_Comm_split(whole->comm, (int)color, whole->base.rank, &part->comm));
    st = st == HB_OK ? hb_mpi_find_place(part) : st;
    if (st == HB_OK) {
        *out = &part->base;
    }
    return st; /* a part that is broken is not freed: calls of MPI may still be under way */
}
