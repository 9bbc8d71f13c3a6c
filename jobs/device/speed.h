/* How fast this machine is: a core, which is measured in milliseconds, and a GPU, from what its driver says of it.
 * Rank-local. */
#ifndef HB_DEVICE_SPEED_H
#define HB_DEVICE_SPEED_H

#include "cuda/device/device.h"
#include "divided/exchange.h"
#include "lang/cost/kinds.h"
#include "rlwe/params.h"

/* Seconds of one rank on one device. Zeroed members take no time. */
typedef struct hb_speed {
    bool gpu;
    hb_cost each; /* of one amount of each kind of work, for some parameters */
    double core;  /* how many times as long a core takes as the one on which the rates of files were measured */
    double driver, tables, check; /* to open a GPU, and its context; tables; to check a GPU */
    size_t batch_bytes;           /* of a batch that suits the engine, all limbs of one component; 0: a whole unit */
    uint32_t workers, files, processors, key_threads;
    /* Where ranks share limbs: the share of the rank with most of them, 0: none do; the seconds in which their exchange
     * is opened and measured; and the share of transfers that shows beside computing (hb_exchange_cost). */
    double share, opening, visible;
} hb_speed;

/* The part of a rank in the machine: as was chosen, or suits it. */
typedef struct hb_speed_share {
    uint64_t workers; /* 0: 1 */
    uint32_t files;   /* 0: 1 */
    uint32_t ranks;   /* of this host; 0: 1 */
} hb_speed_share;

/* Measures one transform and one digest here, and derives everything from them. HB_ENOMEM. */
hb_status hb_speed_of_core(const hb_params *params, hb_speed_share share, hb_speed *speed);
/* Makes *speed that of a GPU beside such a core. checks: its operations are going to be compared with the CPU's. What
 * is 0 in *card is not known, and counts as that of an H100. speed->driver stays. */
void hb_speed_of_gpu(const hb_params *params, const hb_cuda_device *card, bool checks, hb_speed *speed);
/* Makes *speed that of a rank which shares limbs with others, as the parameters are divided, at this cost of exchanges;
 * nothing changes where they are not divided. one_thread: they are of the kind that one thread makes, over MPI, with
 * one queue that computes (hb_exchange); else over NCCL. */
void hb_speed_divide(const hb_params *params, const hb_exchange_cost *cost, bool one_thread, hb_speed *speed);

/* Returns the seconds of computing and of an exchange beside it: the longer of the two, and the share of the shorter
 * one that the other does not hide (hb_exchange_cost). */
static inline double hb_speed_beside(double compute, double exchange, double visible)
{
    return compute > exchange ? compute + visible * exchange : exchange + visible * compute;
}

#endif
