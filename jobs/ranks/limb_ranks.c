#include "limb_ranks.h"

#include <inttypes.h>
#include <string.h>

#include "cli/console.h"
#include "cli/parse.h"
#include "level.h"
#include "mpi/group/group.h"

void hb_limb_options(hb_option *rows, hb_limb_choice *choice)
{
    static const double timeout = 180; /* seconds: a rank may be that much later than the others, reading its input */
    *choice = (hb_limb_choice){.ranks = "1", .exchange = "auto", .timeout = timeout};
    const hb_option values[] = {
        {"limb-ranks", 0, HB_OPTION_TEXT, &choice->ranks, "COUNT",
         "ranks that share the limbs of each ciphertext, 1 (default) or more;\nauto: as many as are predicted to end "
         "the job soonest, in the memory there is"},
        {"exchange", 0, HB_OPTION_TEXT, &choice->exchange, "KIND",
         "how ranks that share limbs exchange them: direct (GPU to GPU in a host,\nNCCL beside it), nccl, mpi; auto "
         "(default): the first that can be had"},
        {"comm-timeout", 0, HB_OPTION_DURATION, &choice->timeout, "TIME",
         "longest wait for an exchange, or for a host: 0.1s or more (default 180s)"}};
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

hb_status hb_limb_choice_same(const hb_limb_choice *choice, hb_group *group)
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
        return HB_FAIL(HB_EUSAGE,
                       "--limb-ranks %" PRIu64
                       ": a job of %s cannot be divided into groups of that many; mpirun -n starts ranks",
                       number, hb_human_things(ranks, "rank").text);
    }
    *k = (uint32_t)number; /* it divides an int */
    return hb_params_divide(params, *k);
}

static bool is_auto(const hb_limb_choice *choice)
{
    return strcmp(choice->ranks, "auto") == 0;
}

hb_status hb_limb_ranks_take(const hb_limb_choice *choice, hb_group *group, hb_params *params, uint32_t *k)
{
    HB_TRY(hb_agree(group, hb_limb_choice_check(choice)));
    HB_TRY(hb_limb_choice_same(choice, group));
    /* From here on it holds for every wait, not only for exchanges. */
    hb_board_set_limit(group->board, choice->timeout, false);
    *k = 0;
    return is_auto(choice) ? HB_OK : hb_agree(group, take_number(choice->ranks, (uint64_t)group->size, params, k));
}

static bool insists(const hb_limb_choice *choice)
{
    return strcmp(choice->exchange, "nccl") == 0 || strcmp(choice->exchange, "direct") == 0;
}

bool hb_limb_tries_nccl(const hb_limb_choice *choice, const hb_device *device)
{
    return insists(choice) || (device->gpu && strcmp(choice->exchange, "mpi") != 0);
}

/* Makes limits equal on all members: all cut their work into the same batches, and take as many workers. Collective. */
static hb_status level(hb_group *all, hb_device *device, hb_engine *engine)
{
    uint64_t gpus = device->gpu, queues = device->queues, least[] = {device->memory, engine->batch_bytes};
    hb_status st = hb_group_sum(all, &gpus, 1);
    st = st == HB_OK ? hb_group_max(all, &queues, 1) : st;
    /* Members of one group would wait for the slower kind of device in every exchange. */
    if (st == HB_OK && gpus != 0 && gpus != (uint64_t)all->size) {
        st = HB_FAIL(HB_ECONFIG, "%s, but another rank of the job has %s: ranks that share limbs compute alike",
                     device->gpu ? "a GPU here" : "no GPU here", device->gpu ? "none" : "one");
    }
    HB_TRY(hb_agree(all, st));
    HB_TRY(hb_level_least(all, least, sizeof least / sizeof *least));
    device->memory = least[0];
    engine->batch_bytes = (size_t)least[1];
    device->queues = queues;
    return HB_OK;
}

/* Opens NCCL on all ranks of the job or on none: then *out is NULL, and *why_not has the reason on ranks that have one;
 * also where NCCL is there and direct transfers, which were chosen, are not. Collective. */
static hb_status open_nccl(const hb_grid *grid, const hb_device *device, hb_engine *engine,
                           const hb_limb_choice *choice, hb_exchange **out, hb_error *why_not)
{
    hb_error *direct = strcmp(choice->exchange, "nccl") != 0 ? why_not : NULL;
    hb_status st = device->gpu ? hb_exchange_open_nccl(grid, engine, choice->timeout, direct, out)
                               : HB_FAIL(HB_EUNAVAILABLE, "it moves memory of GPUs, and this job computes on CPUs");
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

/* Fails on all ranks with the reason of one that has it, as on the others the exchange may have been there; where no
 * rank has one it fails all the same. */
static hb_status refuse(const hb_grid *grid, const char *exchange, const hb_error *why_not)
{
    const char *reason = why_not->text;
    HB_TRY(hb_agree(grid->all,
                    reason[0] != '\0' ? HB_FAIL(HB_EUNAVAILABLE, "--exchange %s: %s", exchange, reason) : HB_OK));
    return HB_FAIL(HB_EUNAVAILABLE, "--exchange %s: it cannot be had between these ranks, and no rank knows why",
                   exchange);
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
    if (hb_limb_tries_nccl(choice, device)) {
        /* Tried on all ranks, also where there may be no NCCL: opening is collective. */
        HB_TRY(open_nccl(grid, device, engine, choice, out, why_not));
        if (*out != NULL) {
            return check_direct(grid, choice, *out, why_not);
        }
        if (insists(choice)) {
            return refuse(grid, choice->exchange, why_not);
        }
        if (why_not->text[0] == '\0') {
            *why_not = (hb_error){.text = "other ranks have none"};
        }
    }
    return hb_agree(grid->all, hb_exchange_open_mpi(grid, choice->timeout, out));
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
    /* The largest of all groups, so that all of them divide base conversions the same way. */
    _Static_assert(sizeof(*out)->cost % sizeof(double) == 0, "costs are doubles");
    st = hb_level_largest(grid->all, (double *)&(*out)->cost, sizeof(*out)->cost / sizeof(double));
done:
    if (st != HB_OK) {
        hb_exchange_close(*out);
        *out = NULL;
    }
    return st;
}
