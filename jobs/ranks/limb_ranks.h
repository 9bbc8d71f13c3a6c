/* How the ranks of a job divide the limbs of its ciphertexts: the options, the number that they give, and the exchange
 * of the ranks that share limbs. */
#ifndef HB_RANKS_LIMB_RANKS_H
#define HB_RANKS_LIMB_RANKS_H

#include <string.h>

#include "device/device.h"
#include "mpi/exchange/open.h"
#include "mpi/group/grid.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_limb_choice {
    const char *ranks;    /* number of ranks that share each ciphertext, 1 by default, or "auto" */
    const char *exchange; /* "auto" (the first of these that can be had), "direct", "nccl" or "mpi" */
    double timeout;       /* seconds until an exchange must have arrived, 0.1 or more */
} hb_limb_choice;

enum { HB_LIMB_OPTIONS = 3 };
/* Fills rows[0 .. HB_LIMB_OPTIONS) with --limb-ranks, --exchange and --comm-timeout, which write to *choice, and sets
 * *choice to their defaults. */
void hb_limb_options(hb_option *rows, hb_limb_choice *choice);
/* Returns HB_EUSAGE for an unknown exchange, or too short a timeout; `ranks` is checked when it is used. Rank-local. */
hb_status hb_limb_choice_check(const hb_limb_choice *choice);

/* Returns HB_EDATA on all ranks unless all made the same choice: others would wait in different places for one
 * another. Collective. */
hb_status hb_limb_choice_same(const hb_limb_choice *choice, hb_group *group);
/* Returns whether ranks of this group may share limbs, by the choice, which is not 1. Rank-local. */
static inline bool hb_limb_choice_divides(const hb_limb_choice *choice, const hb_group *group)
{
    return group->size > 1 && strcmp(choice->ranks, "1") != 0;
}

/* Returns in *k how many ranks share the limbs of a ciphertext as the user gave it, and divides `params` by it; 0 for
 * auto: limb_choice.h decides. Collective, the same on all ranks.
 *
 * Returns HB_EDATA unless all ranks made the same choice; HB_EUSAGE for a number that does not divide the ranks;
 * HB_ECONFIG for more ranks than limbs (rlwe/params.h). */
hb_status hb_limb_ranks_take(const hb_limb_choice *choice, hb_group *group, hb_params *params, uint32_t *k);
/* Returns whether exchanges are tried over NCCL first. Rank-local. */
bool hb_limb_tries_nccl(const hb_limb_choice *choice, const hb_device *device);

/* Opens the exchange of the ranks that share limbs. Collective among grid->all, the same status on all ranks.
 *
 * `engine` is this rank's, on `device`, not divided. First device->memory and the engine's batch_bytes become the least
 * of all ranks, so that all plan alike. In the end the cost is measured (hb_exchange.cost, of the slowest group). The
 * exchange is over NCCL where all ranks can and choice->exchange is not mpi, with direct copies where all ranks can and
 * it is not nccl; else over MPI. *why_not says why there are no direct copies, or why there is no NCCL, where they were
 * wanted; else it is empty.
 *
 * The caller closes *out before the grid, whose groups it borrows; *out is NULL after a failure. Returns HB_ECONFIG
 * when some ranks have a GPU and others none; HB_EUNAVAILABLE when NCCL or direct copies are insisted on and cannot be
 * had; HB_ENOMEM, HB_ECOMM. */
hb_status hb_limb_exchange_open(const hb_grid *grid, hb_device *device, hb_engine *engine, const hb_limb_choice *choice,
                                hb_exchange **out, hb_error *why_not);

#endif
