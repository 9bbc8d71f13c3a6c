/* The exchange of ranks that share limbs, as the command line chose it: all ranks of a job open the same kind. */
#ifndef HB_RANKS_LIMB_EXCHANGE_H
#define HB_RANKS_LIMB_EXCHANGE_H

#include "limb_ranks.h"
#include "mpi/exchange/open.h"

/* Collective among grid->all, the same status on all ranks. Before: device->memory and the engine's batch_bytes
 * become the least of all ranks', so that all plan alike. After: what it costs has been measured (hb_exchange.cost,
 * of the slowest group). Over NCCL where all ranks can and choice->exchange does not say mpi, else over MPI;
 * *why_not: why that is not NCCL though it was looked for, else empty. engine: this rank's, on `device`, not divided.
 * The caller closes *out before the grid, which it borrows; NULL after a failure. HB_ECONFIG when some ranks have a
 * GPU and others none; HB_EUNAVAILABLE when NCCL is asked for and cannot be had; HB_ENOMEM, HB_ECOMM. */
hb_status hb_limb_exchange_open(const hb_grid *grid, hb_device *device, hb_engine *engine, const hb_limb_choice *choice,
                                hb_exchange **out, hb_error *why_not);

#endif
