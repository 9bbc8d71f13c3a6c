/* Goes through the numbers of ranks that share a ciphertext, and measures each. */
#include "limbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench_private.h"
#include "limbs_private.h"
#include "machine/machine.h"

/* Measuring one k. */
typedef struct run {
    hb_group *group;
    const hb_common *common;
    const hb_bench_limbs_options *options;
    hb_limbs_results_k *results;
    hb_grid grid; /* zero where members exchange nothing */
    bool brief;   /* only what predictions need */
} run;

/* Collective: everything of one shape. */
static hb_status measure_shape(run *r, hb_limbs_shape shape)
{
    hb_limbs_rig rig = {0};
    hb_grid *const grid = r->grid.all != NULL ? &r->grid : NULL;
    hb_exchange_cost cost = r->results->cost;
    hb_status st = hb_agree(r->group, hb_limbs_rig_open(&rig, grid, r->options, &shape, &cost));
    if (st == HB_OK) {
        if (shape.exchange && shape.keys) { /* the first of this k, by which the others are judged */
            r->results->cost = cost;
            snprintf(r->results->exchange, sizeof r->results->exchange, "%s", rig.exchange);
        }
        r->results->queues = rig.shape.queues;
        st = hb_limbs_measure(r->group, &rig, r->brief, r->results);
    }
    hb_limbs_rig_clear(&rig);
    return st;
}

/* As many ciphertexts as fit. */
static void plan(const run *r, hb_limbs_shape *shape)
{
    hb_limbs_results_k *results = r->results;
    results->needed = hb_limbs_bytes(r->options, shape);
    while (shape->count > 1 && results->needed > results->allowed) {
        shape->count /= 2;
        results->needed = hb_limbs_bytes(r->options, shape);
    }
    results->count = shape->count;
    results->fits = results->needed <= results->allowed;
    hb_limbs_shape larger = *shape;
    larger.count *= results->k;
    if (hb_limbs_bytes(r->options, &larger) <= results->allowed && !r->brief) {
        *shape = larger; /* for the weak scaling */
    }
}

/* Collective. */
static hb_status measure_k(run *r, hb_limbs_shape shape)
{
    hb_limbs_results_k *results = r->results;
    HB_TRY(hb_params_divide(r->options->params, shape.k));
    plan(r, &shape);
    if (!results->fits) {
        return HB_OK;
    }
    hb_console_log(r->group, r->common, "%" PRIu32 " rank%s a ciphertext", shape.k, shape.k == 1 ? "" : "s");
    shape.exchange = shape.k > 1 && results->exchanged;
    if (shape.k == 1 || shape.exchange) {
        HB_TRY(measure_shape(r, shape));
    }
    if (shape.k == 1) {
        return HB_OK;
    }
    const bool exchanges[] = {false, true};
    shape.queues = results->queues > 0 ? results->queues : shape.queues;
    shape.count = results->count;
    shape.exchange = false;
    HB_TRY(measure_shape(r, shape));
    shape.keys = false;
    for (size_t i = 0; !r->brief && i < (results->exchanged ? 2 : 1); i++) {
        shape.exchange = exchanges[i];
        shape.division = HB_DIVIDE_BY_GATHERING;
        HB_TRY(measure_shape(r, shape));
        shape.division = HB_DIVIDE_BY_SLICES;
        HB_TRY(measure_shape(r, shape));
    }
    return HB_OK;
}

/* What all k have in common: queues and ciphertexts at first, the least that a rank may take. */
static hb_status begin(hb_group *group, const hb_bench_limbs_options *options, hb_limbs_shape *shape, uint64_t *allowed)
{
    const hb_device *device = options->device;
    const hb_params *p = options->params;
    const uint32_t operands = 16;
    const hb_bench_options usual = {.device = device, .batch = options->batch};
    const uint64_t host = hb_machine_memory(), share = host > 0 ? host / (uint64_t)group->node_size : UINT64_MAX;
    uint64_t numbers[] = {UINT64_MAX - (device->gpu ? device->memory : share),
                          UINT64_MAX - hb_bench_batch(&usual, &p->ring, p->data_limbs, operands)};
    HB_TRY(hb_agree(group, hb_group_max(group, numbers, 2)));
    const uint64_t queues = device->queues > 0 ? device->queues : device->gpu ? 3 : 1, batch = UINT64_MAX - numbers[1];
    *allowed = UINT64_MAX - numbers[0];
    *shape = (hb_limbs_shape){.queues = (uint32_t)(queues < batch ? queues : batch), .keys = true};
    shape->count = (size_t)(batch / shape->queues);
    return HB_OK;
}

static hb_status measure_one(run *r, uint32_t k, hb_limbs_shape shape, uint64_t allowed)
{
    const uint32_t size = (uint32_t)r->group->size;
    hb_limbs_results_k *results = r->results;
    *results = (hb_limbs_results_k){.k = k, .groups = size / k, .allowed = allowed};
    results->exchanged = k > 1 && size % k == 0 && !r->brief;
    results->cost = hb_limb_usual_cost(r->options->device->gpu);
    shape.k = k;
    hb_status st = HB_OK;
    if (results->exchanged || k == 1) {
        HB_GOTO(hb_grid_open(&r->grid, r->group, k));
        shape.member = (uint32_t)r->grid.members->rank;
    }
    st = measure_k(r, shape);
done:
    hb_grid_close(&r->grid);
    return st;
}

hb_status hb_bench_limbs(hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                         hb_limbs_results *results)
{
    hb_limbs_ranks ranks;
    hb_limbs_shape shape;
    uint64_t allowed;
    memset(results, 0, sizeof *results);
    HB_TRY(hb_agree(group, hb_limbs_choose_ranks(group, options, &ranks)));
    HB_TRY(begin(group, options, &shape, &allowed));
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < ranks.count; i++) {
        run r = {.group = group,
                 .common = common,
                 .options = options,
                 .results = &results->k[results->count++],
                 .brief = ranks.brief[i]};
        HB_GOTO(measure_one(&r, ranks.k[i], shape, allowed));
    }
    st = hb_params_divide(options->params, 1);
done:
    return st;
}
