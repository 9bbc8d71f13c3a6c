/* Goes through the numbers of ranks that share a ciphertext, and measures each. */
#include "bench_limbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench_limbs_private.h"
#include "bench_private.h"
#include "machine.h"

/* Measuring one k. */
typedef struct run {
    hb_group *group;
    const hb_common *common;
    const hb_bench_limbs_options *options;
    hb_limbs_results_k *results;
    hb_grid grid; /* zero where members exchange nothing */
    bool brief;   /* only what predictions need */
} run;

/* What tables by k show. */
static bool scales(hb_limb_operation operation)
{
    return operation == HB_LIMB_PRODUCT || operation == HB_LIMB_ROTATE;
}

static bool wanted(const run *r, hb_limb_operation operation)
{
    return hb_limbs_possible(r->options->params, operation) && (!r->brief || scales(operation));
}

/* Seconds a ciphertext of `count` in each of so many queues. */
static hb_status time_calls(const run *r, hb_limbs_rig *rig, hb_limbs_calls calls, size_t count, uint32_t queues,
                            double *seconds)
{
    rig->count = count;
    rig->queues = queues;
    rig->wait = count == 1 && queues == 1;
    HB_TRY(hb_limbs_time(r->group, r->options, calls, rig, queues, seconds));
    *seconds /= (double)count * queues;
    return HB_OK;
}

/* Notes the transfers of one call, and what they are of the member that receives most. Collective. */
static hb_status record(const run *r, hb_limbs_rig *rig, size_t count, hb_limbs_row *row)
{
    rig->count = count;
    hb_recorder_begin(rig->recorder);
    const hb_status st = hb_limbs_issue(rig, &rig->lane[0]);
    const hb_status ended = hb_recorder_end(rig->recorder);
    HB_TRY(hb_agree(r->group, st == HB_OK ? ended : st));
    HB_TRY(hb_agree(r->group, hb_finish(rig->lane[0].queue)));
    const hb_limb_traffic own = hb_recorder_traffic(rig->recorder);
    uint64_t most[2 * HB_PATTERNS];
    for (int i = 0; i < HB_PATTERNS; i++) {
        most[i] = (uint64_t)own.bytes[i];
        most[HB_PATTERNS + i] = (uint64_t)own.transfers[i];
    }
    HB_TRY(hb_agree(r->group, hb_group_max(r->group, most, 2 * HB_PATTERNS)));
    for (int i = 0; i < HB_PATTERNS; i++) {
        row->traffic.bytes[i] = (double)most[i] / (double)count;
        row->traffic.transfers[i] = (double)most[HB_PATTERNS + i];
    }
    return HB_OK;
}

static void model(const run *r, const hb_limbs_rig *rig, size_t count, hb_limbs_row *row)
{
    row->model = hb_limb_traffic_most(r->options->params, rig->shape.k, rig->operation, count, rig->shape.division,
                                      &r->results->cost);
    for (int i = 0; i < HB_PATTERNS; i++) {
        row->model.bytes[i] /= (double)count;
    }
}

/* With the other members, or on all limbs. */
static hb_status measure_together(const run *r, hb_limbs_rig *rig, hb_limbs_row *row)
{
    const size_t count = r->results->count, k = rig->shape.k;
    const uint32_t queues = rig->shape.queues;
    HB_TRY(time_calls(r, rig, hb_limbs_calls_of, count, queues, &row->batch));
    HB_TRY(time_calls(r, rig, hb_limbs_calls_of, 1, 1, &row->alone));
    if (k == 1) {
        row->compute = row->weak = row->batch;
        row->compute_alone = row->alone;
        return HB_OK;
    }
    if (scales(rig->operation) && rig->shape.count == count * k) {
        HB_TRY(time_calls(r, rig, hb_limbs_calls_of, count * k, queues, &row->weak));
    }
    HB_TRY(record(r, rig, count, row));
    model(r, rig, count, row);
    return hb_limb_bytes(&row->traffic) > 0 ? time_calls(r, rig, hb_limbs_repeats_of, count, 1, &row->exchange) : HB_OK;
}

/* The share of one member. */
static hb_status measure_apart(const run *r, hb_limbs_rig *rig, hb_limbs_row *row)
{
    const size_t count = r->results->count;
    HB_TRY(time_calls(r, rig, hb_limbs_calls_of, count, rig->shape.queues, &row->compute));
    HB_TRY(time_calls(r, rig, hb_limbs_calls_of, 1, 1, &row->compute_alone));
    if (!r->results->exchanged) {
        HB_TRY(record(r, rig, count, row));
        model(r, rig, count, row);
    }
    return HB_OK;
}

static hb_status measure_rows(const run *r, hb_limbs_rig *rig)
{
    hb_limbs_results_k *results = r->results;
    const bool apart = rig->shape.k > 1 && !rig->shape.exchange;
    for (int i = 0; i < HB_LIMB_OPERATIONS; i++) {
        rig->operation = (hb_limb_operation)i;
        const bool divided_conversion =
            i == HB_LIMB_CONVERT && rig->shape.division == HB_DIVIDE_BY_COST && rig->shape.k > 1;
        if (!wanted(r, rig->operation) || divided_conversion || (!rig->shape.keys && i != HB_LIMB_CONVERT)) {
            continue;
        }
        hb_limbs_row *row = &results->rows[i + (rig->shape.division == HB_DIVIDE_BY_SLICES)];
        HB_TRY(apart ? measure_apart(r, rig, row) : measure_together(r, rig, row));
    }
    if (rig->shape.k == 1) {
        results->rows[HB_LIMB_CONVERT + 1] = results->rows[HB_LIMB_CONVERT]; /* one way only */
    }
    return HB_OK;
}

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
        st = measure_rows(r, &rig);
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
