/* Opening the exchange of a group's members (src/divided/exchange.h) over MPI or NCCL. */
#ifndef HB_MPI_EXCHANGE_OPEN_H
#define HB_MPI_EXCHANGE_OPEN_H

#include "divided/exchange.h"
#include "mpi/group/grid.h"

/* Collective among grid->members, which agree on the outcome; the grid and its groups are borrowed, deadline: seconds
 * that a transfer may take to arrive. All calls of MPI are made by the thread that opened it; while that one waits it
 * looks for other ranks of grid->all that stop (hb_group_stopping). */

/* Memory of any engine, by way of host memory of the exchange: MPI never has an engine's, on the host or on a device.
 * Start waits for the queue, wait for the members. one_thread is set. HB_ENOMEM, HB_ECOMM. */
hb_status hb_exchange_open_mpi(const hb_grid *grid, double deadline, hb_exchange **out);

/* Device memory of `device`, an engine with a CUDA stream, on a stream of its own. Any thread may call, one at a time.
 * NCCL takes memory of the GPU for itself, some hundred megabytes that no engine accounts for. HB_EUNAVAILABLE when the
 * program was built without NCCL, members share a GPU, which NCCL does not allow, or NCCL cannot work here (the reason
 * is the text); HB_ECOMM when not all members arrive within the deadline. */
hb_status hb_exchange_open_nccl(const hb_grid *grid, hb_engine *device, double deadline, hb_exchange **out);
/* Of the library that is linked, "2.28.3"; NULL: built without. Valid until the next call of this thread. */
const char *hb_exchange_nccl_version(void);

#endif
