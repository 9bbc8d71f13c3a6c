/* The exchange over MPI. Blocks travel through memory of its own on the host: so MPI never has memory that the caller
 * may free after a failure, while a message to or from a rank that is gone is still under way. */
#ifndef HB_MPI_EXCHANGE_MPI_PRIVATE_H
#define HB_MPI_EXCHANGE_MPI_PRIVATE_H

#include "exchange_private.h"
#include "mpi/group/mpi_private.h"

/* One transfer on its way. Its memory serves later transfers in the same place. */
typedef struct hb_mpi_transfer {
    hb_transfer blocks;
    hb_engine *queue; /* the queue whose memory the blocks are in; NULL: the host's */
    double began;     /* the time when it began (hb_now) */
    uint8_t *staging; /* blocks received, member after member, then those sent */
    size_t staging_bytes;
    MPI_Request *requests; /* [most]; MPI_REQUEST_NULL for messages that have ended */
    int *members;          /* [most] the member that each message is with; receives come first */
    int *finished;         /* [most] for MPI_Testsome */
    /* messages there is memory for; those of this transfer; how many of them are receives; how many have not ended */
    int most, count, receives, pending;
} hb_mpi_transfer;

/* The most transfers under way at once: before another one begins, the oldest is ended. */
enum { HB_MPI_TRANSFERS = 8, HB_HOST_BYTES = 64 };

/* An exchange over MPI. */
typedef struct hb_mpi_exchange {
    hb_exchange_ranks base;
    hb_mpi_group *members;
    int tag;           /* the tag of all its messages */
    size_t most_bytes; /* the most bytes of a message: larger blocks go in several */
    char (*hosts)[HB_HOST_BYTES];
    hb_mpi_transfer transfers[HB_MPI_TRANSFERS];
} hb_mpi_exchange;

/* Returns the whole of an exchange of this kind. */
static inline hb_mpi_exchange *hb_mpi_exchange_of(hb_exchange *x)
{
    return (hb_mpi_exchange *)(void *)x;
}

#endif
