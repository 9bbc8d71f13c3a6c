/* How the ranks of a job divide the limbs of its ciphertexts: what the command line says, the number that `auto` takes,
 * and the exchange of those that share limbs. */
#ifndef HB_RANKS_LIMB_RANKS_H
#define HB_RANKS_LIMB_RANKS_H

#include "device/device.h"
#include "mpi/exchange/open.h"
#include "mpi/group/grid.h"

/* What the command line says. */
typedef struct hb_limb_choice {
    const char *ranks;    /* that share each ciphertext: a number, 1 at first, or "auto" */
    const char *exchange; /* "auto" (NCCL between GPUs where it can, else MPI), "nccl" or "mpi" */
    double timeout;       /* seconds that an exchange may take to arrive, 0.1 or more */
} hb_limb_choice;

enum { HB_LIMB_OPTIONS = 3 };
/* Fills rows[0 .. HB_LIMB_OPTIONS) with --limb-ranks, --exchange, --comm-timeout, which write to *choice, set to their
 * defaults. */
void hb_limb_options(hb_option *rows, hb_limb_choice *choice);
/* HB_EUSAGE for another exchange than these, or too little time; of `ranks` nothing is said. */
hb_status hb_limb_choice_check(const hb_limb_choice *choice);

/* What a job will take, for `auto`. */
typedef struct hb_limb_requirements {
    uint64_t units; /* that all ranks together will compute */
    /* Bytes of the engine's memory on a rank with the least that it can do with (one worker, one ciphertext at a time),
     * of parameters as hb_params_divide left them; with tables, key pair and queue (device/device.h). */
    uint64_t (*least_bytes)(const void *context, const hb_params *params);
    const void *context;
} hb_limb_requirements;

/* Collective, the same on all ranks: HB_EDATA unless all made the same choice; HB_EUSAGE; HB_ECONFIG (bfv/params.h:
 * more ranks than limbs); HB_ENOMEM when `auto` finds none that fits. auto: of the divisors of the number of ranks the
 * smallest whose needs fit into every rank's share of its device; where that leaves groups without a unit, a larger one
 * if it is predicted to end sooner (limb_model.h). Divides params by it. */
hb_status hb_limb_ranks_choose(const hb_limb_choice *choice, hb_group *group, const hb_device *device,
                               const hb_limb_requirements *requirements, hb_params *params, uint32_t *k);

/* Collective among grid->all, the same status on all ranks. Before: device->memory and the engine's batch_bytes
 * become the least of all ranks', so that all plan alike. After: what it costs has been measured (hb_exchange.cost,
 * of the slowest group). Over NCCL where all ranks can and choice->exchange does not say mpi, else over MPI;
 * *why_not: why that is not NCCL though it was looked for, else empty. engine: this rank's, on `device`, not divided.
 * The caller closes *out before the grid, which it borrows; NULL after a failure. HB_ECONFIG when some ranks have a
 * GPU and others none; HB_EUNAVAILABLE when NCCL is asked for and cannot be had; HB_ENOMEM, HB_ECOMM. */
hb_status hb_limb_exchange_open(const hb_grid *grid, hb_device *device, hb_engine *engine, const hb_limb_choice *choice,
                                hb_exchange **out, hb_error *why_not);

#endif
