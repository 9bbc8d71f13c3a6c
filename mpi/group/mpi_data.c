/* Collective calls on host data of any size, in pieces that MPI's int counts can name; and memory that MPI still
 * has. */
#include <stdlib.h>

#include "base/seed.h"
#include "mpi_private.h"

hb_status hb_mpi_all(hb_mpi_group *g, hb_status mine)
{
    int failed = mine != HB_OK;
    /* A broken group tells the reason that broke it rather than that it is broken. */
    if (g->whole->base.broken && mine != HB_OK) {
        return mine;
    }
    HB_TRY(hb_mpi_whole(g));
    HB_TRY(HB_MPI_OF(g, MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, g->comm)));
    return mine == HB_OK && failed ? HB_FAIL(HB_ENOMEM, "another rank has no memory for its part of the group") : mine;
}

/* Returns the size of the next piece, which an int can hold. */
static int piece(size_t left, size_t most)
{
    return (int)(left < most ? left : most);
}

hb_status hb_mpi_broadcast(hb_group *group, void *data, size_t bytes, int root)
{
    hb_mpi_group *g = (hb_mpi_group *)group;
    HB_TRY(hb_mpi_meet(g));
    for (size_t at = 0; at < bytes; at += g->most) {
        HB_TRY(HB_MPI_OF(g, MPI_Bcast((char *)data + at, piece(bytes - at, g->most), MPI_BYTE, root, g->comm)));
    }
    return HB_OK;
}

/* Reduces in pieces of whole words; all ranks have the same sizes, so the same number of calls. */
static hb_status reduce(hb_group *group, uint64_t *values, size_t count, MPI_Datatype type, MPI_Op op)
{
    hb_mpi_group *g = (hb_mpi_group *)group;
    /* g->most is smaller than a word in tests only. */
    const size_t most = g->most < sizeof *values ? 1 : g->most / sizeof *values;
    HB_TRY(hb_mpi_meet(g));
    for (size_t at = 0; at < count; at += most) {
        const int part = piece(count - at, most);
        HB_TRY(HB_MPI_OF(g, MPI_Allreduce(MPI_IN_PLACE, values + at, part, type, op, g->comm)));
    }
    return HB_OK;
}

hb_status hb_mpi_sum(hb_group *group, uint64_t *values, size_t count)
{
    return reduce(group, values, count, MPI_UINT64_T, MPI_SUM);
}

/* Makes words to signed words in the same order, and back. */
static void flip_signs(uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] ^= (uint64_t)1 << 63;
    }
}

/* MPICH 4.0 compares words of every unsigned type as if they had a sign: so they get one. */
hb_status hb_mpi_max(hb_group *group, uint64_t *values, size_t count)
{
    flip_signs(values, count);
    const hb_status st = reduce(group, values, count, MPI_INT64_T, MPI_MAX);
    flip_signs(values, count);
    return st;
}

/* An entry of the list of kept memory. */
typedef struct hb_mpi_memory {
    struct hb_mpi_memory *next;
    void *memory;
    size_t bytes;
} hb_mpi_memory;

void hb_mpi_keep(hb_mpi_group *g, void *memory, size_t bytes)
{
    hb_mpi_memory *kept = malloc(sizeof *kept);
    if (kept == NULL) {
        return; /* lost until the process ends, and still valid */
    }
    *kept = (hb_mpi_memory){g->whole->kept, memory, bytes};
    g->whole->kept = kept;
}

void hb_mpi_release(hb_mpi_group *whole)
{
    while (whole->kept != NULL) {
        hb_mpi_memory *kept = whole->kept;
        whole->kept = kept->next;
        /* Words of ciphertexts and, in decryption, of plaintexts. */
        hb_wipe(kept->memory, kept->bytes);
        free(kept->memory);
        free(kept);
    }
}
