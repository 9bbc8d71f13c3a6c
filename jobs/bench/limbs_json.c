/* Results of `bench limbs` as JSON. */
#include "limbs_print.h"

static const char *const patterns[HB_PATTERNS] = {"all_gather", "all_to_all", "broadcast"};

static json_t *three(const double values[HB_PATTERNS])
{
    json_t *members = json_object();
    for (int p = 0; p < HB_PATTERNS; p++) {
        if (json_object_set_new(members, patterns[p], json_real(values[p])) != 0) {
            json_decref(members);
            return NULL;
        }
    }
    return members;
}

/* Seconds of a ciphertext; bytes that it makes a rank receive, transfers of a call. */
static json_t *row_json(const hb_limbs_results *results, size_t i, int row)
{
    const hb_limbs_row *m = &results->k[i].rows[row];
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o}", "operation",
                     hb_limbs_row_name(row), "seconds", m->batch, "weak_seconds", m->weak, "compute_seconds",
                     m->compute, "exchange_seconds", m->exchange, "hidden", hb_limbs_hidden(m), "alone_seconds",
                     m->alone, "alone_compute_seconds", m->compute_alone, "link_seconds",
                     hb_limbs_link_seconds(&results->k[i], row), "speed_up", hb_limbs_speed_up(results, i, row),
                     "received_bytes", three(m->traffic.bytes), "transfers", three(m->traffic.transfers),
                     "modelled_bytes", three(m->model.bytes), "modelled_transfers", three(m->model.transfers));
}

/* Appends; takes `item` over, NULL: out of memory, as then is the list. */
static void append(json_t **list, json_t *item)
{
    if (*list == NULL || item == NULL || json_array_append(*list, item) != 0) {
        json_decref(*list);
        *list = NULL;
    }
    json_decref(item);
}

static json_t *predictions_json(const hb_params *params, const hb_limbs_results *results, size_t i)
{
    const hb_limbs_results_k *r = &results->k[i];
    const int rows[] = {HB_LIMB_PRODUCT, HB_LIMB_ROTATE};
    json_t *list = json_array();
    for (size_t o = 0; r->k > 1 && o < sizeof rows / sizeof rows[0]; o++) {
        hb_exchange_cost cost;
        const char *name;
        if (r->rows[rows[o]].compute <= 0) {
            continue;
        }
        if (r->exchanged) {
            append(&list, json_pack("{s:s, s:s, s:f}", "operation", hb_limbs_row_name(rows[o]), "network",
                                    "as measured", "seconds", hb_limbs_predicted(params, r, rows[o], &r->cost)));
        }
        for (size_t n = 0; (name = hb_limb_network(n, &cost)) != NULL; n++) {
            append(&list, json_pack("{s:s, s:s, s:f}", "operation", hb_limbs_row_name(rows[o]), "network", name,
                                    "seconds", hb_limbs_predicted(params, r, rows[o], &cost)));
        }
    }
    return list;
}

static json_t *k_json(const hb_params *params, const hb_limbs_results *results, size_t i)
{
    const hb_limbs_results_k *r = &results->k[i];
    json_t *rows = json_array();
    for (int row = 0; row < HB_LIMBS_ROWS; row++) {
        if (r->rows[row].compute > 0) {
            append(&rows, row_json(results, i, row));
        }
    }
    return json_pack("{s:i, s:i, s:b, s:I, s:b, s:s, s:o, s:o, s:i, s:I, s:o, s:o}", "ranks", (int)r->k, "groups",
                     (int)r->groups, "fits", (int)r->fits, "needed_bytes", (json_int_t)r->needed, "exchanged",
                     (int)r->exchanged, "exchange", r->exchanged ? r->exchange : "none", "start_seconds",
                     three(r->cost.start), "byte_seconds", three(r->cost.byte), "queues", (int)r->queues, "count",
                     (json_int_t)r->count, "operations", rows, "predicted", predictions_json(params, results, i));
}

json_t *hb_bench_limbs_json(const hb_bench_limbs_options *options, const hb_limbs_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->count; i++) {
        append(&list, k_json(options->params, results, i));
    }
    return list;
}
