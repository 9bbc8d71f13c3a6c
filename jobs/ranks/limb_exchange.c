#include "limb_exchange.h"

#include <string.h>

/* What members must have alike: all cut their work into the same batches, and take as many lanes. */
static hb_status level(hb_group *all, hb_device *device, hb_engine *engine)
{
    uint64_t gpus = device->gpu,
             most[] = {UINT64_MAX - device->memory, UINT64_MAX - engine->batch_bytes, device->queues};
    hb_status st = hb_group_sum(all, &gpus, 1);
    st = st == HB_OK ? hb_group_max(all, most, sizeof most / sizeof most[0]) : st;
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

/* All ranks of the job use NCCL, or none does: then *out is NULL, and *why_not has the reason where there is one. */
static hb_status open_nccl(const hb_grid *grid, const hb_device *device, hb_engine *engine, double timeout,
                           hb_exchange **out, hb_error *why_not)
{
    hb_status st = device->gpu ? hb_exchange_open_nccl(grid, engine, timeout, out)
                               : HB_FAIL(HB_EUNAVAILABLE, "NCCL moves memory of GPUs, and this job computes on CPUs");
    uint64_t unavailable = st == HB_EUNAVAILABLE;
    if (unavailable != 0) {
        *why_not = *hb_last_error();
    }
    HB_TRY(hb_agree(grid->all, unavailable != 0 ? HB_OK : st));
    HB_TRY(hb_agree(grid->all, hb_group_max(grid->all, &unavailable, 1)));
    if (unavailable != 0) {
        hb_exchange_close(*out);
        *out = NULL;
    }
    return HB_OK;
}

/* The reason comes from a rank that has one: elsewhere NCCL may have been there. */
static hb_status refuse_nccl(const hb_grid *grid, const hb_error *why_not)
{
    const char *reason = why_not->text;
    return hb_agree(grid->all, reason[0] != '\0' ? HB_FAIL(HB_EUNAVAILABLE, "--exchange nccl: %s", reason) : HB_OK);
}

static hb_status open_either(const hb_grid *grid, const hb_device *device, hb_engine *engine,
                             const hb_limb_choice *choice, hb_exchange **out, hb_error *why_not)
{
    const bool insists = strcmp(choice->exchange, "nccl") == 0;
    if (insists || (device->gpu && strcmp(choice->exchange, "mpi") != 0)) {
        HB_TRY(open_nccl(grid, device, engine, choice->timeout, out, why_not));
        if (*out != NULL) {
            return HB_OK;
        }
        HB_TRY(insists ? refuse_nccl(grid, why_not) : HB_OK);
        if (why_not->text[0] == '\0') {
            *why_not = (hb_error){.text = "other ranks have none"};
        }
    }
    return hb_agree(grid->all, hb_exchange_open_mpi(grid, choice->timeout, out));
}

/* The costs become the largest of all groups, so that all of them divide base conversions the same way. */
static hb_status level_costs(hb_group *all, hb_exchange_cost *cost)
{
    uint64_t bits[sizeof *cost / sizeof(uint64_t)]; /* of doubles that are not negative: they compare as these do */
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
