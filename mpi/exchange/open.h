/* Opens the exchange of a group's members (divided/exchange.h) over MPI or NCCL. */
#ifndef HB_MPI_EXCHANGE_OPEN_H
#define HB_MPI_EXCHANGE_OPEN_H

#include "divided/exchange.h"
#include "mpi/group/grid.h"

/* Both are collective among grid->members, which agree on the outcome. The groups of the grid are borrowed and outlive
 * the exchange. `deadline` is the seconds that a transfer may take to arrive. The thread that opened an exchange makes
 * all calls of MPI; while it waits it looks for other ranks of grid->all that stop (hb_group_stopping). The caller
 * closes the exchange with hb_exchange_close. With one member it is hb_exchange_open_alone's. */

/* Opens an exchange for memory of any engine, by way of host memory of its own: MPI never has an engine's memory, on
 * the host or on a device. Starting a transfer waits for the queue, waiting for it waits for the members. It sets
 * one_thread. HB_ENOMEM, HB_ECOMM. */
hb_status hb_exchange_open_mpi(const hb_grid *grid, double deadline, hb_exchange **out);

/* Opens an exchange for memory of `device`, an engine with a CUDA stream; transfers run on streams of their own. Any
 * thread may call it, one at a time. Blocks in windows go directly, from GPU to GPU within a host, where why_not_direct
 * is not NULL and all members can: then its name is "direct". *why_not_direct has a reason where they cannot. NCCL
 * takes some hundred megabytes of the GPU for itself, which no engine accounts for. HB_EUNAVAILABLE when the program
 * was built without NCCL, when members share a GPU, which NCCL does not allow, or when NCCL cannot work here (the text
 * says why); HB_ECOMM when not all members arrive within the deadline. */
hb_status hb_exchange_open_nccl(const hb_grid *grid, hb_engine *device, double deadline, hb_error *why_not_direct,
                                hb_exchange **out);
/* Returns the version of the library that is linked, such as "2.28.3"; NULL if the program was built without NCCL. The
 * text is valid until this thread's next call. */
const char *hb_exchange_nccl_version(void);

#endif
