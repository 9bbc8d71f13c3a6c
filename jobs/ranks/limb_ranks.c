#include "limb_ranks.h"

#include <inttypes.h>
#include <string.h>

#include "cli/console.h"
#include "cli/parse.h"
#include "limb_model.h"
#include "machine/machine.h"
#include "mpi/group/group.h"

void hb_limb_options(hb_option *rows, hb_limb_choice *choice)
{
    static const double timeout = 180; /* seconds: a rank may be that much later than the others, reading its input */
    *choice = (hb_limb_choice){.ranks = "1", .exchange = "auto", .timeout = timeout};
    const hb_option values[] = {
        {"limb-ranks", 0, HB_OPTION_TEXT, &choice->ranks, "COUNT",
         "ranks that share the limbs of each ciphertext, 1 (default) or more;\nauto: as few as memory allows, more "
         "where ranks would be idle"},
        {"exchange", 0, HB_OPTION_TEXT, &choice->exchange, "KIND",
         "how these talk: direct (GPUs of a host copy from one another, NCCL\nbeside it), nccl, mpi; auto (default): "
         "the first of them "
         "that can be had"},
        {"comm-timeout", 0, HB_OPTION_DURATION, &choice->timeout, "TIME",
         "longest that an exchange between them may take (default 180s), 0.1s or\nmore; a job that fails for it ends "
         "within 30s more"}};
    _Static_assert(sizeof values / sizeof *values == HB_LIMB_OPTIONS, "every row is there");
    memcpy(rows, values, sizeof values);
}

hb_status hb_limb_choice_check(const hb_limb_choice *choice)
{
    static const char *const kinds[] = {"auto", "direct", "nccl", "mpi"};
    bool known = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        known |= strcmp(choice->exchange, kinds[i]) == 0;
    }
    if (!known) {
        return HB_FAIL(HB_EUSAGE, "--exchange %s: it is auto, direct, nccl or mpi", choice->exchange);
    }
    static const double least = 0.1;
    /* Ranks are never at one place at the same moment, so a time near 0 would fail every job. */
    if (choice->timeout < least) {
        return HB_FAIL(HB_EUSAGE, "--comm-timeout: ranks are never at one place at the same moment: give %gs or more",
                       least);
    }
    return HB_OK;
}

/* Collective. Ranks that made different choices would wait in different places for one another. */
static hb_status check_same(const hb_limb_choice *choice, hb_group *group)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch limbs");
    hb_digest_add(&state, choice->ranks, strlen(choice->ranks) + 1);
    hb_digest_add(&state, choice->exchange, strlen(choice->exchange) + 1);
    hb_digest_add(&state, &choice->timeout, sizeof choice->timeout);
    hb_digest_end(&state, digest);
    return hb_group_same(group, digest, "--limb-ranks, --exchange or --comm-timeout");
}

/* Takes a number as the user gave it; rank-local, and the same on all ranks. */
static hb_status take_number(const char *word, uint64_t ranks, hb_params *params, uint32_t *k)
{
    uint64_t number;
    const bool decimal = strspn(word, "0123456789") == strlen(word);
    if (!decimal || hb_parse_number(word, &number) != HB_OK || number == 0) {
        return HB_FAIL(HB_EUSAGE, "--limb-ranks '%s': it is a number of ranks from 1 on, or auto", word);
    }
    if (ranks % number != 0) {
        return HB_FAIL(HB_EUSAGE, "--limb-ranks %" PRIu64 ": a job of %s cannot be divided into groups of that many",
                       number, hb_human_things(ranks, "rank").text);
    }
    *k = (uint32_t)number; /* it divides an int */
    return hb_params_divide(params, *k);
}

enum { MOST = HB_MOST_MEMBERS + 1 };

/* The needs of each number of ranks, by that number. Filled by each rank for itself, then made the maximum over all. */
typedef struct trial {
    uint64_t bytes[MOST];    /* of this rank; later of the rank with most */
    uint64_t short_of[MOST]; /* not 0: the share of its device that a rank has does not hold it */
    uint32_t most;           /* ranks that there are limbs for */
} trial;

static uint64_t share_of_memory(const hb_group *group, const hb_device *device)
{
    return device->gpu ? device->memory : hb_machine_memory_each((uint32_t)group->node_size);
}

/* Groups are of equal size, and every member needs a limb. */
static bool candidate(const hb_group *group, const trial *t, uint32_t k)
{
    return k <= t->most && (uint32_t)group->size % k == 0;
}

/* Finds the needs of each number of ranks on this rank. */
static hb_status try_all(trial *t, const hb_group *group, const hb_device *device,
                         const hb_limb_requirements *requirements, hb_params *params)
{
    *t = (trial){.most = params->data_limbs};
    for (uint32_t k = 1; k <= t->most; k++) {
        if (candidate(group, t, k)) {
            /* The needed memory depends on how many limbs of each kind the fullest member has. */
            HB_TRY(hb_params_divide(params, k));
            t->bytes[k] = requirements->least_bytes(requirements->context, params);
            t->short_of[k] = t->bytes[k] > share_of_memory(group, device);
        }
    }
    return HB_OK;
}

/* Returns the smallest number of ranks that fits everywhere, as exchanging costs time; 0 if none does. */
static uint32_t smallest_that_fits(const hb_group *group, const trial *t)
{
    uint32_t k = 1;
    while (k <= t->most && (!candidate(group, t, k) || t->short_of[k] != 0)) {
        k++;
    }
    return k <= t->most ? k : 0;
}

/* Returns the predicted time of the job on groups of k, in units of one rank's time for a unit by itself. */
static double relative_seconds(const hb_group *group, const hb_device *device, const hb_params *params, uint64_t units,
                               uint32_t k)
{
    const uint64_t groups = (uint64_t)group->size / k, rounds = (units + groups - 1) / groups;
    return (double)rounds * (k > 1 ? hb_limb_relative_seconds(params, k, device->gpu) : 1);
}

/* Returns the number of ranks, from `least` on, with which the job is predicted to end soonest. Only with fewer units
 * than groups is it worth asking: some ranks have then nothing to do, and may help the others instead. */
static uint32_t soonest(const hb_group *group, const hb_device *device, const hb_params *params, uint64_t units,
                        const trial *t, uint32_t least)
{
    uint32_t best = least;
    if (units == 0 || units >= (uint64_t)group->size / least) {
        return best;
    }
    /* `params` are divided by 1 here, with which the model compares. */
    double seconds = relative_seconds(group, device, params, units, least);
    for (uint32_t k = least + 1; k <= t->most; k++) {
        if (candidate(group, t, k) && t->short_of[k] == 0) {
            const double own = relative_seconds(group, device, params, units, k);
            best = own < seconds ? k : best;
            seconds = own < seconds ? own : seconds;
        }
    }
    return best;
}

/* Chooses by the needs of all ranks: the same on all of them. Rank-local. */
static hb_status choose(const trial *t, const hb_group *group, const hb_device *device,
                        const hb_limb_requirements *requirements, hb_params *params, uint32_t *k)
{
    /* As few as memory allows: each more costs exchanges. */
    const uint32_t least = smallest_that_fits(group, t);
    if (least == 0) {
        uint32_t most = t->most;
        while (!candidate(group, t, most)) {
            most--;
        }
        return HB_FAIL(HB_ENOMEM,
                       "--limb-ranks auto: even on %" PRIu32 " ranks each a ciphertext needs %s of a rank, and not all "
                       "have that: start more ranks, on more devices",
                       most, hb_human_bytes((double)t->bytes[most]).text);
    }
    /* The model compares with a product on one rank. */
    HB_TRY(hb_params_divide(params, 1));
    *k = soonest(group, device, params, requirements->units, t, least);
    return hb_params_divide(params, *k);
}

/* Chooses for `auto`. Collective: ranks may have different devices, or different shares of them, so the needs of all
 * are compared before any rank decides. */
static hb_status choose_itself(hb_group *group, const hb_device *device, const hb_limb_requirements *requirements,
                               hb_params *params, uint32_t *k)
{
    trial t;
    HB_TRY(hb_agree(group, try_all(&t, group, device, requirements, params)));
    hb_status st = hb_group_max(group, t.short_of, MOST);
    HB_TRY(hb_agree(group, st == HB_OK ? hb_group_max(group, t.bytes, MOST) : st));
    return hb_agree(group, choose(&t, group, device, requirements, params, k));
}

hb_status hb_limb_ranks_choose(const hb_limb_choice *choice, hb_group *group, const hb_device *device,
                               const hb_limb_requirements *requirements, hb_params *params, uint32_t *k)
{
    HB_TRY(hb_agree(group, hb_limb_choice_check(choice)));
    HB_TRY(check_same(choice, group));
    if (strcmp(choice->ranks, "auto") == 0) {
        return choose_itself(group, device, requirements, params, k);
    }
    return hb_agree(group, take_number(choice->ranks, (uint64_t)group->size, params, k));
}

/* Makes limits equal on all members: all cut their work into the same batches, and take as many workers. Collective. */
static hb_status level(hb_group *all, hb_device *device, hb_engine *engine)
{
    /* Minima are found as maxima of the distance to 2^64 - 1: the group has no minimum. */
    uint64_t gpus = device->gpu,
             most[] = {UINT64_MAX - device->memory, UINT64_MAX - engine->batch_bytes, device->queues};
    hb_status st = hb_group_sum(all, &gpus, 1);
    st = st == HB_OK ? hb_group_max(all, most, sizeof most / sizeof most[0]) : st;
    /* Members of one group would wait for the slower kind of device in every exchange. */
    if (st == HB_OK && gpus != 0 && gpus != (uint64_t)all->size) {
        st = HB_FAIL(HB_ECONFIG, "%s, but another rank of the job has %s: ranks that share limbs compute alike",
                     device->gpu ? "a GPU here" : "no GPU here", device->gpu ? "none" : "one");
    }
    HB_TRY(hb_agree(all, st));
    device->memory = UINT64_MAX - most[0];
    engine->batch_bytes = (size_t)(UINT64_MAX - most[1]);
    device->queues = most[2];
    return HB_OK;
}

/* Opens NCCL on all ranks of the job or on none: then *out is NULL, and *why_not has the reason on ranks that have one;
 * also where NCCL is there and direct transfers, which were chosen, are not. Collective. */
static hb_status open_nccl(const hb_grid *grid, const hb_device *device, hb_engine *engine,
                           const hb_limb_choice *choice, hb_exchange **out, hb_error *why_not)
{
    hb_error *direct = strcmp(choice->exchange, "nccl") != 0 ? why_not : NULL;
    hb_status st = device->gpu ? hb_exchange_open_nccl(grid, engine, choice->timeout, direct, out)
                               : HB_FAIL(HB_EUNAVAILABLE, "NCCL moves memory of GPUs, and this job computes on CPUs");
    /* One rank without NCCL is enough for MPI on all: groups of a job exchange the same way. */
    uint64_t unavailable = st == HB_EUNAVAILABLE;
    if (unavailable != 0) {
        *why_not = *hb_last_error();
    }
    /* That NCCL is not to be had on some rank is no failure yet; anything else is. */
    HB_TRY(hb_agree(grid->all, unavailable != 0 ? HB_OK : st));
    HB_TRY(hb_agree(grid->all, hb_group_max(grid->all, &unavailable, 1)));
    if (unavailable != 0) {
        hb_exchange_close(*out);
        *out = NULL;
    }
    return HB_OK;
}

/* Fails on all ranks with the reason of one that has it: on the others the exchange may have been there. */
static hb_status refuse(const hb_grid *grid, const char *exchange, const hb_error *why_not)
{
    const char *reason = why_not->text;
    return hb_agree(grid->all,
                    reason[0] != '\0' ? HB_FAIL(HB_EUNAVAILABLE, "--exchange %s: %s", exchange, reason) : HB_OK);
}

/* Returns the status of an exchange over NCCL that is open: it is refused where it was to be direct and is not, on any
 * rank. Collective. */
static hb_status check_direct(const hb_grid *grid, const hb_limb_choice *choice, hb_exchange *x,
                              const hb_error *why_not)
{
    uint64_t lacking = strcmp(choice->exchange, "direct") == 0 && strcmp(x->ops->name, "direct") != 0;
    HB_TRY(hb_agree(grid->all, hb_group_max(grid->all, &lacking, 1)));
    return lacking != 0 ? refuse(grid, choice->exchange, why_not) : HB_OK;
}

/* All ranks branch alike here, on the same data: the options, and *out after the agreement in open_nccl. */
static hb_status open_either(const hb_grid *grid, const hb_device *device, hb_engine *engine,
                             const hb_limb_choice *choice, hb_exchange **out, hb_error *why_not)
{
    const bool insists = strcmp(choice->exchange, "nccl") == 0 || strcmp(choice->exchange, "direct") == 0;
    if (insists || (device->gpu && strcmp(choice->exchange, "mpi") != 0)) {
        /* Tried on all ranks, also where there may be no NCCL: opening is collective. */
        HB_TRY(open_nccl(grid, device, engine, choice, out, why_not));
        if (*out != NULL) {
            return check_direct(grid, choice, *out, why_not);
        }
        if (insists) {
            HB_TRY(refuse(grid, choice->exchange, why_not));
        }
        if (why_not->text[0] == '\0') {
            *why_not = (hb_error){.text = "other ranks have none"};
        }
    }
    return hb_agree(grid->all, hb_exchange_open_mpi(grid, choice->timeout, out));
}

/* Makes the costs the largest of all groups, so that all of them divide base conversions the same way. Collective. */
static hb_status level_costs(hb_group *all, hb_exchange_cost *cost)
{
    uint64_t bits[sizeof *cost / sizeof(uint64_t)]; /* of doubles >= 0, which compare as their bits do */
    _Static_assert(sizeof bits == sizeof *cost, "costs are doubles");
    memcpy(bits, cost, sizeof bits);
    HB_TRY(hb_agree(all, hb_group_max(all, bits, sizeof bits / sizeof bits[0])));
    memcpy(cost, bits, sizeof bits);
    return HB_OK;
}

hb_status hb_limb_exchange_open(const hb_grid *grid, hb_device *device, hb_engine *engine, const hb_limb_choice *choice,
                                hb_exchange **out, hb_error *why_not)
{
    *out = NULL;
    *why_not = (hb_error){.text = ""};
    hb_status st;
    /* First, as ranks that compute differently cannot open an exchange together. */
    HB_GOTO(level(grid->all, device, engine));
    HB_GOTO(open_either(grid, device, engine, choice, out, why_not));
    HB_GOTO(hb_agree(grid->all, hb_exchange_measure(*out, engine)));
    st = level_costs(grid->all, &(*out)->cost);
done:
    if (st != HB_OK) {
        hb_exchange_close(*out);
        *out = NULL;
    }
    return st;
}
