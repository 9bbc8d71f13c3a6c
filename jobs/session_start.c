/* The part of a session that all ranks of the job open together. */
#include <string.h>

#include "divided_engine.h"
#include "exchange_open.h"
#include "session.h"

/* What members that divide limbs must have alike: all cut their work into the same batches, and take as many lanes. */
static hb_status level(hb_session *session, hb_group *group, hb_device *device)
{
    uint64_t gpus = device->gpu,
             most[] = {device->gpu, UINT64_MAX - device->memory, UINT64_MAX - session->engine->batch_bytes};
    hb_status st = hb_group_sum(group, &gpus, 1);
    st = st == HB_OK ? hb_group_max(group, most, sizeof most / sizeof most[0]) : st;
    if (st == HB_OK && gpus != 0 && gpus != (uint64_t)group->size) {
        st = HB_FAIL(HB_ECONFIG, "%s, but another rank of the job has %s: ranks that share limbs compute alike",
                     device->gpu ? "a GPU here" : "no GPU here", device->gpu ? "none" : "one");
    }
    HB_TRY(hb_agree(group, st));
    device->memory = UINT64_MAX - most[1];
    session->engine->batch_bytes = (size_t)(UINT64_MAX - most[2]);
    return HB_OK;
}

/* All ranks of the job use NCCL, or none does. */
static hb_status open_nccl(hb_session *session, const hb_device *device, double timeout, bool *opened)
{
    hb_group *all = session->grid.all;
    hb_status st = device->gpu ? hb_exchange_open_nccl(&session->grid, session->engine, timeout, &session->exchange)
                               : HB_FAIL(HB_EUNAVAILABLE, "NCCL moves memory of GPUs, and this job computes on CPUs");
    uint64_t unavailable = st == HB_EUNAVAILABLE;
    if (unavailable != 0) {
        session->why_not = *hb_last_error();
    }
    HB_TRY(hb_agree(all, unavailable != 0 ? HB_OK : st));
    HB_TRY(hb_agree(all, hb_group_max(all, &unavailable, 1)));
    *opened = unavailable == 0;
    if (!*opened) {
        hb_exchange_close(session->exchange);
        session->exchange = NULL;
    }
    return HB_OK;
}

/* The reason comes from a rank that has one: elsewhere NCCL may have been there. */
static hb_status refuse_nccl(hb_session *session)
{
    const char *reason = session->why_not.text;
    return hb_agree(session->grid.all,
                    reason[0] != '\0' ? HB_FAIL(HB_EUNAVAILABLE, "--exchange nccl: %s", reason) : HB_OK);
}

static hb_status open_exchange(hb_session *session, const hb_device *device, const hb_limb_choice *choice)
{
    const bool insists = strcmp(choice->exchange, "nccl") == 0;
    bool opened = false;
    if (insists || (device->gpu && strcmp(choice->exchange, "mpi") != 0)) {
        HB_TRY(open_nccl(session, device, choice->timeout, &opened));
        HB_TRY(!opened && insists ? refuse_nccl(session) : HB_OK);
        if (opened) {
            return HB_OK;
        }
        if (session->why_not.text[0] == '\0') {
            session->why_not = (hb_error){.text = "other ranks have none"};
        }
    }
    return hb_agree(session->grid.all, hb_exchange_open_mpi(&session->grid, choice->timeout, &session->exchange));
}

/* The device's engine becomes one of limbs that are divided. */
static hb_status divide(hb_session *session, hb_device *device, const hb_limb_choice *choice)
{
    hb_group *all = session->grid.all;
    HB_TRY(level(session, all, device));
    HB_TRY(open_exchange(session, device, choice));
    HB_TRY(hb_agree(all, hb_exchange_measure(session->exchange, session->engine)));
    hb_engine *engine = session->engine;
    session->engine = NULL; /* the divided one takes it over, also on failure */
    const hb_status st =
        hb_divided_engine_open(engine, session->params, session->exchange, HB_DIVIDE_BY_COST, &session->engine);
    return hb_agree(all, st);
}

static hb_status load_key(hb_session *session)
{
    const hb_keyfile *file = &session->file;
    if (file->ternary != NULL) {
        return hb_secret_key_load(&session->secret, session->engine, session->params, file->ternary);
    }
    return file->packed_b != NULL ? hb_public_key_load(&session->public_key, session->engine, session->params,
                                                       file->packed_b, file->packed_a, &file->public_seed)
                                  : HB_OK;
}

hb_status hb_session_start(hb_session *session, hb_group *group, hb_device *device, const hb_limb_choice *limbs,
                           const hb_limb_needs *needs)
{
    uint32_t k = 1;
    if (limbs != NULL) {
        HB_TRY(hb_limb_ranks_choose(limbs, group, device, needs, session->params, &k));
    }
    HB_TRY(hb_grid_open(&session->grid, group, k));
    HB_TRY(hb_agree(group, hb_device_open(device, session->params, &session->engine)));
    if (k > 1) {
        HB_TRY(divide(session, device, limbs));
    }
    session->queue[0] = session->engine;
    HB_TRY(hb_agree(group, load_key(session)));
    hb_keyfile_clear(&session->file);
    return HB_OK;
}
