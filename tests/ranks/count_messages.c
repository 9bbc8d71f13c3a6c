/* Preloaded into the ranks of a job: counts their calls of MPI and the bytes that each rank gives to them, and adds a
 * line RANK KIND CALLS BYTES for each kind to the file MESSAGES_TO when MPI ends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REDUCTIONS, BROADCASTS, GATHERS, NEIGHBOURS, ALL_TO_ALL, SENDS, KINDS };
static const char *const names[KINDS] = {"reductions", "broadcasts", "gathers", "neighbours", "all-to-all", "sends"};
static unsigned long long calls[KINDS], bytes[KINDS];

static void count(int kind, int items, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    calls[kind]++;
    bytes[kind] += (unsigned long long)items * (unsigned long long)size;
}

int MPI_Finalize(void)
{
    const char *to = getenv("MESSAGES_TO");
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *file = to != NULL ? fopen(to, "a") : NULL;
    for (int i = 0; file != NULL && i < KINDS; i++) {
        fprintf(file, "%d %s %llu %llu\n", rank, names[i], calls[i], bytes[i]);
    }
    if (file != NULL) {
        fclose(file);
    }
    return PMPI_Finalize();
}

int MPI_Allreduce(const void *out, void *in, int items, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    count(REDUCTIONS, items, type);
    return PMPI_Allreduce(out, in, items, type, op, comm);
}

int MPI_Iallreduce(const void *out, void *in, int items, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
    count(REDUCTIONS, items, type);
    return PMPI_Iallreduce(out, in, items, type, op, comm, request);
}

int MPI_Ireduce(const void *out, void *in, int items, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request)
{
    count(NEIGHBOURS, items, type); /* of the same drain */
    return PMPI_Ireduce(out, in, items, type, op, root, comm, request);
}

int MPI_Bcast(void *data, int items, MPI_Datatype type, int root, MPI_Comm comm)
{
    count(BROADCASTS, items, type);
    return PMPI_Bcast(data, items, type, root, comm);
}

int MPI_Allgather(const void *out, int outs, MPI_Datatype type, void *in, int ins, MPI_Datatype as, MPI_Comm comm)
{
    count(GATHERS, outs, type);
    return PMPI_Allgather(out, outs, type, in, ins, as, comm);
}

int MPI_Ineighbor_alltoall(const void *out, int outs, MPI_Datatype type, void *in, int ins, MPI_Datatype as,
                           MPI_Comm comm, MPI_Request *request)
{
    count(NEIGHBOURS, outs, type);
    return PMPI_Ineighbor_alltoall(out, outs, type, in, ins, as, comm, request);
}

int MPI_Alltoall(const void *out, int outs, MPI_Datatype type, void *in, int ins, MPI_Datatype as, MPI_Comm comm)
{
    count(ALL_TO_ALL, outs, type);
    return PMPI_Alltoall(out, outs, type, in, ins, as, comm);
}

int MPI_Ialltoall(const void *out, int outs, MPI_Datatype type, void *in, int ins, MPI_Datatype as, MPI_Comm comm,
                  MPI_Request *request)
{
    count(ALL_TO_ALL, outs, type);
    return PMPI_Ialltoall(out, outs, type, in, ins, as, comm, request);
}

int MPI_Isend(const void *data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count(SENDS, items, type);
    return PMPI_Isend(data, items, type, to, tag, comm, request);
}
