/* The exchange over MPI. Blocks travel through memory of its own on the host, so that MPI never has memory that the
 * caller may free after a failure, while a message to or from a rank that is gone is still under way. */
#ifndef HB_MPI_EXCHANGE_MPI_PRIVATE_H
#define HB_MPI_EXCHANGE_MPI_PRIVATE_H

#include "exchange_private.h"
#include "mpi/group/mpi_private.h"

/* One transfer on its way; its memory serves the next ones. */
typedef struct hb_mpi_transfer {
    hb_transfer blocks;
    hb_engine *queue; /* whose memory they are in; NULL: the host's */
    double began;     /* hb_now */
    uint8_t *staging; /* what is received, member after member, then what is sent */
    size_t staging_bytes;
    MPI_Request *requests; /* [most], null where there is nothing any more */
    int *members;          /* [most] whom each is with; what is received comes first */
    int *finished;         /* [most] */
    int most, count, receives, pending;
} hb_mpi_transfer;

/* Transfers under way at once: more end the oldest first. */
enum { HB_MPI_TRANSFERS = 8, HB_HOST_BYTES = 64 };

typedef struct hb_mpi_exchange {
    hb_exchange_ranks base;
    hb_mpi_group *members;
    int tag;           /* of all its messages */
    size_t most_bytes; /* of a message: larger blocks go in several */
    char (*hosts)[HB_HOST_BYTES];
    hb_mpi_transfer transfers[HB_MPI_TRANSFERS]; /* that of a ticket: at ticket % HB_MPI_TRANSFERS */
    uint64_t begun, ended;
} hb_mpi_exchange;

static inline hb_mpi_exchange *hb_mpi_exchange_of(hb_exchange *x)
{
    return (hb_mpi_exchange *)(void *)x;
}

/* mpi_transfer.c. Begins: t->blocks and t->queue are set. HB_ENOMEM, HB_ECOMM, or what the queue says. */
hb_status hb_mpi_transfer_post(hb_mpi_exchange *x, hb_mpi_transfer *t);
/* Waits, then everything is where it belongs. HB_EPEER, HB_ECOMM. */
hb_status hb_mpi_transfer_end(hb_mpi_exchange *x, hb_mpi_transfer *t);
/* Wherever it is. Never waits. */
void hb_mpi_transfer_clear(hb_mpi_exchange *x, hb_mpi_transfer *t);

#endif
