#include "limb_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"
#include "level.h"
#include "limb_model.h"
#include "machine/machine.h"

/* --- the speed of the slowest rank */

static hb_status own_speed(const hb_group *group, const hb_device *device, const hb_params *params, hb_speed *speed)
{
    *speed = device->core;
    if (speed->core <= 0) { /* the work was not known when the device was chosen */
        const hb_speed_share share = {device->queues, device->files, (uint32_t)group->node_size};
        HB_TRY(hb_speed_of_core(params, share, speed));
    }
    if (device->gpu) {
        hb_speed_of_gpu(params, &device->card, false, speed);
    }
    speed->files = device->files > 0 ? device->files : 1;
    speed->driver = 0;
    return HB_OK;
}

hb_status hb_limb_speed(hb_group *group, const hb_device *device, const hb_params *params, hb_speed *speed)
{
    HB_TRY(hb_agree(group, own_speed(group, device, params, speed)));
    HB_TRY(hb_level_largest(group, speed->each.of, HB_COST_KINDS));
    return hb_level_largest(group, &speed->core, 1);
}

/* Sums of integers, which are most of what the ways to switch keys differ in, come in slices. */
hb_status hb_limb_divide(hb_params *params, uint32_t k, const hb_speed *speed, const hb_exchange_cost *cost)
{
    const double limb = (double)(params->ring.n * sizeof(uint64_t));
    const double travel = cost->visible * limb * cost->byte[HB_ALL_TO_ALL] / speed->each.of[HB_COST_TRANSFORMS];
    return hb_params_divide_as(params, &(hb_params_division){k, travel, HB_LIMB_ORDERS});
}

/* --- trials */

static uint64_t share_of_memory(const hb_group *group, const hb_device *device)
{
    return device->gpu ? device->memory : hb_machine_memory_left((uint32_t)group->node_size);
}

/* Lists the numbers: groups are of equal size, and every member needs a limb. */
static void list_all(hb_limb_trials *trials, const hb_group *group, const hb_params *params, hb_exchange_cost cost)
{
    for (uint32_t k = 1; k <= params->data_limbs && k <= HB_MOST_MEMBERS; k++) {
        if ((uint32_t)group->size % k == 0) {
            trials->trial[trials->count++] = (hb_limb_trial){.k = k, .fits = true, .cost = cost};
        }
    }
}

/* Finds the needs of each number on this rank. */
static hb_status find_needs(hb_limb_trials *trials, const hb_limb_requirements *requirements, hb_params *params)
{
    for (uint32_t i = 0; i < trials->count; i++) {
        hb_limb_trial *t = &trials->trial[i];
        /* The needed memory depends on how many limbs of each kind the fullest member has. */
        HB_TRY(hb_limb_divide(params, t->k, &trials->speed, &t->cost));
        t->bytes = requirements->rank_bytes(requirements->context, params);
    }
    return HB_OK;
}

/* Compares the needs of all ranks with what each has: they may have different devices, or shares of them. */
static hb_status level_needs(hb_limb_trials *trials, hb_group *group, uint64_t share)
{
    uint64_t short_of[HB_MOST_MEMBERS], bytes[HB_MOST_MEMBERS];
    for (uint32_t i = 0; i < trials->count; i++) {
        bytes[i] = trials->trial[i].bytes;
        short_of[i] = bytes[i] > share;
    }
    HB_TRY(hb_agree(group, hb_group_max(group, short_of, trials->count)));
    HB_TRY(hb_agree(group, hb_group_max(group, bytes, trials->count)));
    for (uint32_t i = 0; i < trials->count; i++) {
        trials->trial[i].bytes = bytes[i];
        trials->trial[i].fits = short_of[i] == 0;
    }
    return HB_OK;
}

/* Predicts the whole job on groups of t->k ranks at that cost of their exchanges. */
static hb_status predict(const hb_limb_trials *trials, const hb_limb_trial *t, const hb_exchange_cost *cost, int ranks,
                         const hb_limb_requirements *requirements, hb_params *params, double *seconds)
{
    hb_speed speed = trials->speed;
    HB_TRY(hb_limb_divide(params, t->k, &speed, cost));
    const hb_work work = requirements->work(requirements->context, (uint32_t)ranks / t->k);
    hb_speed_divide(params, cost, trials->one_thread, &speed);
    speed.opening = t->k == trials->open ? 0 : speed.opening;
    const hb_prediction prediction = hb_predict(&work, &speed, (hb_spent){0});
    *seconds = hb_prediction_total(&prediction);
    return HB_OK;
}

/* Predicts all that fit, at the cost of each, or where `free` at none. */
static hb_status predict_all(const hb_limb_trials *trials, bool free, int ranks,
                             const hb_limb_requirements *requirements, hb_params *params, double *seconds)
{
    static const hb_exchange_cost none = {.start = {0}};
    for (uint32_t i = 0; i < trials->count; i++) {
        const hb_limb_trial *t = &trials->trial[i];
        seconds[i] = 0;
        HB_TRY(t->fits ? predict(trials, t, free ? &none : &t->cost, ranks, requirements, params, &seconds[i]) : HB_OK);
    }
    return hb_params_divide(params, 1);
}

/* Returns the place of the soonest; of several that of the fewest ranks. One fits. */
static uint32_t soonest(const hb_limb_trials *trials, const double *seconds)
{
    uint32_t best = trials->count;
    for (uint32_t i = 0; i < trials->count; i++) {
        best = trials->trial[i].fits && (best == trials->count || seconds[i] < seconds[best]) ? i : best;
    }
    return best;
}

/* Predictions of the slowest rank, by which all ranks choose alike. */
static hb_status weigh(hb_limb_trials *trials, hb_group *group, bool free, const hb_limb_requirements *requirements,
                       hb_params *params, uint32_t *place)
{
    double seconds[HB_MOST_MEMBERS];
    HB_TRY(hb_agree(group, predict_all(trials, free, group->size, requirements, params, seconds)));
    HB_TRY(hb_level_largest(group, seconds, trials->count));
    *place = soonest(trials, seconds);
    for (uint32_t i = 0; !free && i < trials->count; i++) {
        trials->trial[i].seconds = seconds[i];
    }
    return HB_OK;
}

static hb_status check_any_fits(const hb_limb_trials *trials)
{
    const hb_limb_trial *last = &trials->trial[trials->count - 1];
    for (uint32_t i = 0; i < trials->count; i++) {
        if (trials->trial[i].fits) {
            return HB_OK;
        }
    }
    return HB_FAIL(HB_ENOMEM,
                   "--limb-ranks auto: even on %" PRIu32 " ranks each a ciphertext needs %s of a rank, and not all "
                   "have that: start more ranks, on more devices",
                   last->k, hb_human_bytes((double)last->bytes).text);
}

hb_limb_advice hb_limb_advise(hb_params *params, const hb_limb_requirements *requirements, uint64_t memory,
                              uint32_t ranks)
{
    const hb_params_division before = params->division;
    const hb_error error = *hb_last_error();
    hb_limb_advice advice = {.text = ""};
    for (uint32_t k = before.members + 1; k <= params->data_limbs && advice.text[0] == '\0'; k++) {
        if ((ranks > 0 && ranks % k != 0) || hb_params_divide(params, k) != HB_OK) {
            continue;
        }
        const uint64_t bytes = requirements->rank_bytes(requirements->context, params);
        if (bytes <= memory) {
            snprintf(advice.text, sizeof advice.text,
                     "divide limbs over %" PRIu32 " ranks with --limb-ranks %" PRIu32 ", of which each needs %s", k, k,
                     hb_human_bytes((double)bytes).text);
        }
    }
    const hb_status ignored = hb_params_divide_as(params, &before); /* as it was, for a job that ends */
    (void)ignored;
    hb_set_error(&error);
    return advice;
}

/* Chooses at the costs in the trials. The needs of ranks follow from them as well, by the order in which limbs are
 * dealt, and by whether keys are integers. */
static hb_status choose(hb_limb_trials *trials, hb_group *group, const hb_device *device,
                        const hb_limb_requirements *requirements, hb_params *params)
{
    HB_TRY(hb_agree(group, find_needs(trials, requirements, params)));
    HB_TRY(level_needs(trials, group, share_of_memory(group, device)));
    HB_TRY(hb_agree(group, check_any_fits(trials)));
    return weigh(trials, group, false, requirements, params, &trials->chosen);
}

hb_status hb_limb_trials_begin(hb_limb_trials *trials, hb_group *group, const hb_device *device, bool nccl,
                               const hb_limb_requirements *requirements, hb_params *params)
{
    uint32_t at_no_cost;
    *trials = (hb_limb_trials){.one_thread = !nccl};
    HB_TRY(hb_limb_speed(group, device, params, &trials->speed));
    list_all(trials, group, params, hb_limb_usual_cost(nccl));
    HB_TRY(choose(trials, group, device, requirements, params));
    /* Exchanges may cost less here than usual: they are measured where that could make a difference. */
    if (trials->trial[trials->chosen].k == 1) {
        HB_TRY(weigh(trials, group, true, requirements, params, &at_no_cost));
        trials->chosen = at_no_cost;
    }
    return HB_OK;
}

hb_status hb_limb_trials_measured(hb_limb_trials *trials, hb_group *group, const hb_device *device,
                                  const hb_exchange *exchange, const hb_limb_requirements *requirements,
                                  hb_params *params)
{
    hb_limb_trial *own = &trials->trial[trials->chosen];
    HB_ASSERT(own->k == exchange->members);
    own->measured = true;
    own->cost = exchange->cost;
    trials->open = own->k;
    trials->one_thread = exchange->one_thread;
    for (uint32_t i = 0; i < trials->count; i++) {
        hb_limb_trial *t = &trials->trial[i];
        t->cost = t->measured ? t->cost : exchange->cost;
    }
    return choose(trials, group, device, requirements, params);
}
