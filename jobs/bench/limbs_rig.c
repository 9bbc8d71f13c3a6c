/* Engines, exchange, keys and queues for one way to divide ciphertexts. */
#include <stdio.h>
#include <string.h>

#include "divided/engine.h"
#include "limbs_private.h"
#include "ranks/limb_exchange.h"
#include "ring/galois.h"

/* The exchange of the shape, behind a recorder; costs as measured, or as given. */
static hb_status open_recorder(hb_limbs_rig *rig, hb_engine *device, hb_exchange_cost *cost)
{
    const hb_limbs_shape *s = &rig->shape;
    hb_exchange *inner = NULL;
    if (s->exchange) {
        hb_device own = *rig->options->device; /* what it may hold is the same everywhere already */
        hb_error why_not;
        HB_TRY(hb_limb_exchange_open(rig->grid, &own, device, &rig->options->limbs, &inner, &why_not));
        *cost = inner->cost;
    } else {
        HB_TRY(hb_exchange_open_alone(s->member, s->k, &inner));
        inner->cost = *cost;
    }
    snprintf(rig->exchange, sizeof rig->exchange, "%s", inner->ops->name);
    return hb_recorder_open(inner, &rig->recorder);
}

static hb_status open_engine(hb_limbs_rig *rig, hb_exchange_cost *cost)
{
    const hb_params *p = rig->options->params;
    hb_engine *device = NULL;
    hb_status st = hb_device_open_ring(rig->options->device, &p->ring, &device);
    HB_GOTO(rig->shape.exchange ? hb_agree(rig->grid->all, st) : st); /* all open the exchange, or none does */
    if (rig->shape.k == 1) {
        rig->engine = device;
        return HB_OK;
    }
    HB_GOTO(open_recorder(rig, device, cost));
    return hb_divided_engine_open(device, &p->map, hb_recorder_exchange(rig->recorder), rig->shape.division,
                                  rig->options->device->memory, &rig->engine);
done:
    hb_engine_close(device);
    return st;
}

static hb_status add_key(hb_limbs_rig *rig, uint32_t element)
{
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_switch_key key = {0};
    hb_status st;
    hb_switch_key_root(&root, &rig->stage.root, element);
    hb_seed_public(seeds, rig->options->params->data_limbs, &root, 0);
    HB_GOTO(hb_switch_key_generate(&key, &rig->stage.secret, element, &root, seeds));
    st = hb_key_ring_add(&rig->ring, &key);
done:
    hb_switch_key_clear(&key);
    return st;
}

/* Nobody's keys: a fixed root makes all members draw the same. */
static hb_status make_keys(hb_limbs_rig *rig)
{
    const hb_params *p = rig->options->params;
    const hb_seed root = {{1}};
    HB_TRY(hb_stage_init(&rig->stage, rig->engine, p, &root, 1));
    if (!hb_params_can_switch(p)) {
        return HB_OK;
    }
    HB_TRY(add_key(rig, HB_RELINEARIZATION));
    return add_key(rig, hb_galois_rotation(p->spec.n, 1));
}

static hb_status open_queues(hb_limbs_rig *rig)
{
    const hb_params *p = rig->options->params;
    HB_TRY(p->auxiliary_limbs > 0 ? hb_behz_init(&rig->behz, p, p->data_limbs) : HB_OK);
    rig->lane[0].queue = rig->engine;
    for (uint32_t i = 1; i < rig->shape.queues; i++) {
        HB_TRY(hb_engine_fork(rig->engine, &rig->lane[i].queue));
    }
    for (uint32_t i = 0; i < rig->shape.queues; i++) {
        HB_TRY(hb_limbs_lane_open(rig, &rig->lane[i]));
    }
    return HB_OK;
}

hb_status hb_limbs_rig_open(hb_limbs_rig *rig, hb_grid *grid, const hb_bench_limbs_options *options,
                            const hb_limbs_shape *shape, hb_exchange_cost *cost)
{
    rig->options = options;
    rig->shape = *shape;
    rig->grid = grid;
    HB_TRY(hb_params_divide(options->params, shape->k));
    HB_TRY(open_engine(rig, cost));
    if (rig->recorder != NULL && hb_recorder_exchange(rig->recorder)->one_thread) {
        rig->shape.queues = 1;
    }
    HB_TRY(shape->keys ? make_keys(rig) : HB_OK);
    return open_queues(rig);
}

void hb_limbs_rig_clear(hb_limbs_rig *rig)
{
    for (uint32_t i = HB_MOST_WORKERS; i-- > 0;) {
        hb_limbs_lane_clear(&rig->lane[i]);
        if (i > 0) {
            hb_engine_close(rig->lane[i].queue);
        }
    }
    hb_behz_clear(&rig->behz);
    hb_key_ring_clear(&rig->ring);
    hb_stage_clear(&rig->stage);
    hb_engine_close(rig->engine);
    if (rig->recorder != NULL) {
        hb_exchange_close(hb_recorder_exchange(rig->recorder));
    }
    memset(rig, 0, sizeof *rig);
}
