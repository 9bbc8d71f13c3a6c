/* How many ranks share the limbs of a ciphertext where that is left to hebatch: the number with which the whole job is
 * predicted to end soonest, of those that divide the ranks and whose needs fit into memory. */
#ifndef HB_RANKS_LIMB_CHOICE_H
#define HB_RANKS_LIMB_CHOICE_H

#include "device/prediction.h"
#include "limb_ranks.h"

/* The needs of a job, for `auto`. Borrowed. */
typedef struct hb_limb_requirements {
    /* Returns the bytes of the engine's memory that a rank needs, for parameters as they are divided; tables, key pair
     * and queues (device/device.h) included, and on a CPU all of the host's that is planned. Where a number of ranks is
     * chosen they are the least: of one worker with one ciphertext at a time. Advice on a plan that memory does not
     * hold may be by the workers of that plan. */
    uint64_t (*rank_bytes)(const void *context, const hb_params *params);
    /* Returns the work of the rank with most, where `groups` groups of ranks have different ciphertexts, for the job's
     * parameters as they are divided. */
    hb_work (*work)(const void *context, uint32_t groups);
    const void *context;
} hb_limb_requirements;

/* The way out for a job that a rank has too little memory for: "divide limbs over 2 ranks with --limb-ranks 2, of which
 * each needs 4.1 GiB"; "": even with all limbs on ranks of their own they would need more. */
typedef struct hb_limb_advice {
    char text[160];
} hb_limb_advice;
/* Returns it for the fewest ranks, more than share limbs now, of which none needs more than `memory` bytes; a number
 * that divides `ranks`, or, with 0, any. Divides `params` meanwhile. Rank-local. */
hb_limb_advice hb_limb_advise(hb_params *params, const hb_limb_requirements *requirements, uint64_t memory,
                              uint32_t ranks);

/* A number of ranks that share a ciphertext. */
typedef struct hb_limb_trial {
    uint32_t k;
    bool fits;             /* into the memory of every rank */
    bool measured;         /* `cost` is of these ranks */
    uint64_t bytes;        /* that it needs of the rank with most */
    double seconds;        /* of all of the job from the choice on, predicted; of the slowest rank */
    hb_exchange_cost cost; /* with which it was predicted */
} hb_limb_trial;

/* All of them, in ascending order. Zeroed: a number was given, and nothing was predicted. */
typedef struct hb_limb_trials {
    hb_limb_trial trial[HB_MOST_MEMBERS];
    uint32_t count, chosen; /* chosen: its place */
    uint32_t open;          /* the number of ranks whose exchange is open, so nobody waits for that again; 0: none */
    bool one_thread;        /* exchanges are, or are going to be, of that kind (hb_exchange): over MPI */
    hb_speed speed;         /* of the slowest rank, of all limbs */
} hb_limb_trials;

/* Choose the number of ranks with which the job is predicted to end soonest from now on, of several the smallest; its
 * place is trials->chosen. Collective, the same on all ranks. The parameters are divided by 1 in the end. HB_ENOMEM
 * when none fits.
 *
 * The first chooses without a measurement, at the usual cost of exchanges: over NCCL, between GPUs of a host, or over
 * MPI, by way of memory that ranks share. Where one rank is soonest then, but would not be if exchanges cost nothing,
 * it chooses the number that would be: its exchange is to be measured.
 *
 * The second chooses at the cost that the exchange of the chosen number has, which is open and measured. That cost
 * counts for all numbers that were not measured themselves: the choice stays, or is another number whose exchange is to
 * be opened next. */
hb_status hb_limb_trials_begin(hb_limb_trials *trials, hb_group *group, const hb_device *device, bool nccl,
                               const hb_limb_requirements *requirements, hb_params *params);
hb_status hb_limb_trials_measured(hb_limb_trials *trials, hb_group *group, const hb_device *device,
                                  const hb_exchange *exchange, const hb_limb_requirements *requirements,
                                  hb_params *params);

/* Sets *speed to that of this rank on the device, made the slowest of all ranks in everything by which parameters are
 * divided and jobs are predicted; opening a device is no part of it. Collective. */
hb_status hb_limb_speed(hb_group *group, const hb_device *device, const hb_params *params, hb_speed *speed);
/* Divides the parameters by k, at the price of an exchange at that cost. HB_ECONFIG, HB_ENOMEM. */
hb_status hb_limb_divide(hb_params *params, uint32_t k, const hb_speed *speed, const hb_exchange_cost *cost);

#endif
