/* What `bench limbs` measures of one rig: each operation together, apart, and its transfers alone. */
#include "limbs_private.h"

/* What the functions below have in common. */
typedef struct measurement {
    hb_group *group;
    const hb_bench_limbs_options *options;
    hb_limbs_results_k *results;
    bool brief; /* only what predictions need */
} measurement;

/* What tables by k show. */
static bool scales(hb_limb_operation operation)
{
    return operation == HB_LIMB_PRODUCT || operation == HB_LIMB_ROTATE;
}

static bool wanted(const measurement *m, hb_limb_operation operation)
{
    return hb_limbs_possible(m->options->params, operation) && (!m->brief || scales(operation));
}

/* Seconds a ciphertext of `count` in each of so many queues. */
static hb_status time_calls(const measurement *m, hb_limbs_rig *rig, hb_limbs_calls calls, size_t count,
                            uint32_t queues, double *seconds)
{
    rig->count = count;
    rig->queues = queues;
    rig->wait = count == 1 && queues == 1;
    HB_TRY(hb_limbs_time(m->group, m->options, calls, rig, queues, seconds));
    *seconds /= (double)count * queues;
    return HB_OK;
}

/* Notes the transfers of one call, and what they are of the member that receives most. Collective. */
static hb_status record(const measurement *m, hb_limbs_rig *rig, size_t count, hb_limbs_row *row)
{
    rig->count = count;
    hb_recorder_begin(rig->recorder);
    const hb_status st = hb_limbs_issue(rig, &rig->lane[0]);
    const hb_status ended = hb_recorder_end(rig->recorder);
    HB_TRY(hb_agree(m->group, st == HB_OK ? ended : st));
    HB_TRY(hb_agree(m->group, hb_finish(rig->lane[0].queue)));
    const hb_limb_traffic own = hb_recorder_traffic(rig->recorder);
    uint64_t most[2 * HB_PATTERNS];
    for (int i = 0; i < HB_PATTERNS; i++) {
        most[i] = (uint64_t)own.bytes[i];
        most[HB_PATTERNS + i] = (uint64_t)own.transfers[i];
    }
    HB_TRY(hb_agree(m->group, hb_group_max(m->group, most, 2 * HB_PATTERNS)));
    for (int i = 0; i < HB_PATTERNS; i++) {
        row->traffic.bytes[i] = (double)most[i] / (double)count;
        row->traffic.transfers[i] = (double)most[HB_PATTERNS + i];
    }
    return HB_OK;
}

static void model(const measurement *m, const hb_limbs_rig *rig, size_t count, hb_limbs_row *row)
{
    row->model = hb_limb_traffic_most(m->options->params, rig->shape.k, rig->operation, count, rig->shape.division,
                                      &m->results->cost);
    for (int i = 0; i < HB_PATTERNS; i++) {
        row->model.bytes[i] /= (double)count;
    }
}

/* With the other members, or on all limbs. */
static hb_status measure_together(const measurement *m, hb_limbs_rig *rig, hb_limbs_row *row)
{
    const size_t count = m->results->count, k = rig->shape.k;
    const uint32_t queues = rig->shape.queues;
    HB_TRY(time_calls(m, rig, hb_limbs_calls_of, count, queues, &row->batch));
    HB_TRY(time_calls(m, rig, hb_limbs_calls_of, 1, 1, &row->alone));
    if (k == 1) {
        row->compute = row->weak = row->batch;
        row->compute_alone = row->alone;
        return HB_OK;
    }
    if (scales(rig->operation) && rig->shape.count == count * k) {
        HB_TRY(time_calls(m, rig, hb_limbs_calls_of, count * k, queues, &row->weak));
    }
    HB_TRY(record(m, rig, count, row));
    model(m, rig, count, row);
    return hb_limb_bytes(&row->traffic) > 0 ? time_calls(m, rig, hb_limbs_repeats_of, count, 1, &row->exchange) : HB_OK;
}

/* The share of one member. */
static hb_status measure_apart(const measurement *m, hb_limbs_rig *rig, hb_limbs_row *row)
{
    const size_t count = m->results->count;
    HB_TRY(time_calls(m, rig, hb_limbs_calls_of, count, rig->shape.queues, &row->compute));
    HB_TRY(time_calls(m, rig, hb_limbs_calls_of, 1, 1, &row->compute_alone));
    if (!m->results->exchanged) {
        HB_TRY(record(m, rig, count, row));
        model(m, rig, count, row);
    }
    return HB_OK;
}

hb_status hb_limbs_measure(hb_group *group, hb_limbs_rig *rig, bool brief, hb_limbs_results_k *results)
{
    const measurement m = {.group = group, .options = rig->options, .results = results, .brief = brief};
    const bool apart = rig->shape.k > 1 && !rig->shape.exchange;
    for (int i = 0; i < HB_LIMB_OPERATIONS; i++) {
        rig->operation = (hb_limb_operation)i;
        const bool divided_conversion =
            i == HB_LIMB_CONVERT && rig->shape.division == HB_DIVIDE_BY_COST && rig->shape.k > 1;
        if (!wanted(&m, rig->operation) || divided_conversion || (!rig->shape.keys && i != HB_LIMB_CONVERT)) {
            continue;
        }
        hb_limbs_row *row = &results->rows[i + (rig->shape.division == HB_DIVIDE_BY_SLICES)];
        HB_TRY(apart ? measure_apart(&m, rig, row) : measure_together(&m, rig, row));
    }
    if (rig->shape.k == 1) {
        results->rows[HB_LIMB_CONVERT + 1] = results->rows[HB_LIMB_CONVERT]; /* one way only */
    }
    return HB_OK;
}
