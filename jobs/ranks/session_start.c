/* The part of a session that all ranks of the job open together. */
#include "divided/engine.h"
#include "limb_exchange.h"
#include "session.h"

/* The device's engine has all limbs, and is checked with all of them as it opens. */
static hb_status open_device(hb_session *session, hb_device *device, uint32_t k)
{
    HB_TRY(hb_params_divide(session->params, 1));
    HB_TRY(hb_device_open(device, session->params, &session->engine));
    return hb_params_divide(session->params, k);
}

/* It becomes one of limbs that are divided. */
static hb_status divide(hb_session *session, hb_device *device, const hb_limb_choice *choice)
{
    hb_group *all = session->grid.all;
    HB_TRY(
        hb_limb_exchange_open(&session->grid, device, session->engine, choice, &session->exchange, &session->why_not));
    hb_engine *engine = session->engine;
    session->engine = NULL; /* the divided one takes it over, also on failure */
    const hb_status st = hb_divided_engine_open(engine, &session->params->map, session->exchange, HB_DIVIDE_BY_COST,
                                                device->memory, &session->engine);
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
    HB_TRY(hb_agree(group, open_device(session, device, k)));
    if (k > 1) {
        HB_TRY(divide(session, device, limbs));
    }
    session->queue[0] = session->engine;
    HB_TRY(hb_agree(group, load_key(session)));
    hb_keyfile_clear(&session->file);
    return HB_OK;
}
