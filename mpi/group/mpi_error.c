/* Failures of MPI as statuses. */
#include <string.h>

#include "mpi_private.h"

hb_status hb_mpi_check(int result, const char *call, const char *file, int line)
{
    if (result == MPI_SUCCESS) {
        return HB_OK;
    }
    char text[MPI_MAX_ERROR_STRING + 1] = "MPI failed";
    int length = 0, begun = 0, ended = 0;
    /* Outside of its life MPI has no words: asked for them it would end the process. */
    if (MPI_Initialized(&begun) == MPI_SUCCESS && MPI_Finalized(&ended) == MPI_SUCCESS && begun && !ended) {
        MPI_Error_string(result, text, &length);
    }
    return hb_fail(HB_ECOMM, file, line, "the ranks cannot talk: %s in %.*s", text, (int)strcspn(call, "("), call);
}

hb_status hb_mpi_whole(const hb_mpi_group *g)
{
    return g->whole->base.broken ? HB_FAIL(HB_ECOMM, "the ranks cannot talk since an earlier call failed") : HB_OK;
}
