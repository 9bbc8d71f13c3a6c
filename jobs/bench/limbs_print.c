/* Results of `bench limbs`: a table for each number of ranks that share a ciphertext, their links, the gain by more
 * ranks, measured and predicted; and all of it as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "limbs.h"

static const char *name_of_row(int row)
{
    static const char *const names[HB_LIMBS_ROWS] = {"add",
                                                     "encrypt, secret key",
                                                     "encrypt, public key",
                                                     "decrypt",
                                                     "multiply",
                                                     "relinearize",
                                                     "multiply, relinearize",
                                                     "rotate",
                                                     "switch to fewer limbs",
                                                     "convert by gathering",
                                                     "convert by slices"};
    return names[row];
}

/* Returns the results of k = 1; NULL if there are none. */
static const hb_limbs_results_k *undivided_of(const hb_limbs_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        if (results->k[i].k == 1 && results->k[i].fits) {
            return &results->k[i];
        }
    }
    return NULL;
}

/* Returns how much faster one group goes through a batch than one rank; 0 where that is not known. */
static double speed_up_of(const hb_limbs_results *results, size_t i, int row)
{
    const hb_limbs_results_k *one = undivided_of(results);
    const double seconds = results->k[i].rows[row].batch;
    return one != NULL && seconds > 0 ? one->rows[row].batch / seconds : 0;
}

/* Returns how much of the exchange ran beside computing, 0 to 1. Measurements differ, so the difference may fall
 * outside. */
static double hidden_of(const hb_limbs_row *row)
{
    if (row->exchange <= 0) {
        return 0;
    }
    const double hidden = (row->compute + row->exchange - row->batch) / row->exchange;
    if (hidden < 0) {
        return 0;
    }
    if (hidden > 1) {
        return 1;
    }
    return hidden;
}

/* Returns the speed-up that this version set out with, of products at N = 2^16 and 30 limbs; 0 if there is none. */
static double target_of(const hb_params *params, int row, uint32_t k)
{
    if (params->spec.n != (size_t)1 << 16 || params->fresh_limbs != 30 || row != HB_LIMB_PRODUCT) {
        return 0;
    }
    if (k == 2) {
        return 1.8;
    }
    if (k == 4) {
        return 3.2;
    }
    if (k == 8) {
        return 5;
    }
    return 0;
}

static double transfers_of(const hb_limb_traffic *t)
{
    double sum = 0;
    for (int p = 0; p < HB_PATTERNS; p++) {
        sum += t->transfers[p];
    }
    return sum;
}

/* Returns how the conversions of a row were divided. */
static hb_division division_of(int row)
{
    if (row < HB_LIMB_CONVERT) {
        return HB_DIVIDE_BY_COST;
    }
    return row == HB_LIMB_CONVERT ? HB_DIVIDE_BY_GATHERING : HB_DIVIDE_BY_SLICES;
}

/* Returns the traffic of a call on as many ciphertexts as a batch has, by the model, on a network of that cost. Limbs
 * are divided as they were measured. */
static hb_limb_traffic traffic_predicted(const hb_params *params, const hb_limbs_results_k *r, int row,
                                         const hb_exchange_cost *cost)
{
    const hb_limbs_row *m = &r->rows[row];
    const hb_limb_operation operation = row >= HB_LIMB_CONVERT ? HB_LIMB_CONVERT : (hb_limb_operation)row;
    hb_limb_case c = hb_limbs_case(params, r);
    c.conversions = division_of(row);
    c.cost = *cost;
    hb_limb_traffic t = hb_limb_traffic_most(&c, operation, r->count);
    const double modelled = transfers_of(&m->model), pieces = modelled > 0 ? transfers_of(&m->traffic) / modelled : 1;
    for (int p = 0; p < HB_PATTERNS; p++) {
        t.transfers[p] *= pieces; /* as the engine cut this batch */
    }
    return t;
}

/* Returns the seconds that a ciphertext's exchange takes on a network with nothing beside it, by the model. */
static double exchange_predicted(const hb_params *params, const hb_limbs_results_k *r, int row,
                                 const hb_exchange_cost *cost)
{
    const hb_limb_traffic t = traffic_predicted(params, r, row, cost);
    return hb_limb_exchange_seconds(&t, cost) / (double)r->count;
}

static double seconds_predicted(const hb_params *params, const hb_limbs_results_k *r, int row,
                                const hb_exchange_cost *cost)
{
    const hb_limb_traffic t = traffic_predicted(params, r, row, cost);
    const double count = (double)r->count;
    return hb_limb_seconds(r->rows[row].compute * count, &t, cost) / count;
}

/* Returns the cost of exchanges as the transfers of the row itself were measured, by the largest number of ranks that
 * exchanged: these move words that computing has just made, which takes longer than the same blocks again and again. */
static hb_exchange_cost cost_measured(const hb_params *params, const hb_limbs_results *results, size_t i, int row)
{
    hb_exchange_cost cost = results->k[i].cost;
    double longer = 1;
    for (size_t j = 0; j < results->count; j++) {
        const hb_limbs_results_k *r = &results->k[j];
        const bool own = j == i || !results->k[i].exchanged;
        const double line = r->exchanged && own ? exchange_predicted(params, r, row, &r->cost) : 0;
        longer = line > 0 && r->rows[row].exchange > 0 ? r->rows[row].exchange / line : longer;
    }
    for (int p = 0; p < HB_PATTERNS; p++) {
        cost.start[p] *= longer;
        cost.byte[p] *= longer;
    }
    return cost;
}

/* Returns the seconds of the links for the bytes of the row, without starts. */
static double link_seconds(const hb_limbs_results_k *r, int row)
{
    double seconds = 0;
    for (int p = 0; p < HB_PATTERNS; p++) {
        seconds += r->rows[row].traffic.bytes[p] * r->cost.byte[p];
    }
    return seconds;
}

static const hb_human nothing = {"-"};

/* Cells of a table; "-" for 0: not measured. */
static hb_human cell_number(double value, int digits, const char *unit)
{
    hb_human cell = nothing;
    if (value > 0) {
        snprintf(cell.text, sizeof cell.text, "%.*f%s", digits, value, unit);
    }
    return cell;
}

static hb_human cell_seconds(double value)
{
    return value > 0 ? hb_bench_duration(value) : nothing;
}

/* The same ciphertexts on more ranks: how much faster they are. */
static void print_strong(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                         const hb_limbs_results *results)
{
    hb_console_result(group, common,
                      "strong scaling: the same ciphertexts on more ranks, one group; times as fast as on one");
    hb_console_result(group, common, "%-22s %6s %10s %9s %10s %8s", "", "ranks", "time", "speed-up", "of ideal",
                      "target");
    for (int row = 0; row < HB_LIMBS_ROWS; row++) {
        for (size_t i = 0; i < results->count; i++) {
            const hb_limbs_results_k *r = &results->k[i];
            const double faster = speed_up_of(results, i, row);
            /* Only measurements with all members. */
            if (r->rows[row].batch > 0) {
                hb_console_result(group, common, "%-22s %6" PRIu32 " %10s %9s %10s %8s", name_of_row(row), r->k,
                                  cell_seconds(r->rows[row].batch).text, cell_number(faster, 2, "").text,
                                  cell_number(100 * faster / r->k, 0, " %").text,
                                  cell_number(target_of(options->params, row, r->k), 1, "").text);
            }
        }
    }
}

/* As many ciphertexts for each rank: how little slower they are. */
static void print_weak(const hb_group *group, const hb_common *common, const hb_limbs_results *results)
{
    const hb_limbs_results_k *one = undivided_of(results);
    hb_console_result(group, common, "weak scaling: as many ciphertexts for each rank; all groups together");
    hb_console_result(group, common, "%-22s %8s %8s %12s %10s %12s %9s", "", "a group", "groups", "ciphertexts", "time",
                      "a second", "of ideal");
    for (int row = 0; row < HB_LIMBS_ROWS; row++) {
        for (size_t i = 0; i < results->count; i++) {
            const hb_limbs_results_k *r = &results->k[i];
            const double each = r->rows[row].weak, count = (double)r->count * r->queues * r->k;
            if ((row == HB_LIMB_PRODUCT || row == HB_LIMB_ROTATE) && each > 0) {
                /* Perfect scaling would take as long for k times as many on k ranks. */
                const double ideal = one != NULL ? one->rows[row].weak / r->k : 0;
                hb_console_result(group, common, "%-22s %8" PRIu32 " %8" PRIu32 " %12.0f %10s %12s %9s",
                                  name_of_row(row), r->k, r->groups, count * r->groups, cell_seconds(each * count).text,
                                  hb_human_count(r->groups / each).text, cell_number(100 * ideal / each, 0, " %").text);
            }
        }
    }
}

static void print_prediction(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                             const hb_limbs_results *results, int row, const char *name,
                             const hb_exchange_cost *network)
{
    const hb_limbs_results_k *one = undivided_of(results);
    for (size_t i = 0; i < results->count; i++) {
        const hb_limbs_results_k *r = &results->k[i];
        const hb_exchange_cost here = cost_measured(options->params, results, i, row),
                               *cost = network != NULL ? network : &here;
        /* On one rank nothing is exchanged. */
        if (r->k == 1 || r->rows[row].compute <= 0 || (network == NULL && !r->exchanged && !r->as_here)) {
            continue;
        }
        const double each = seconds_predicted(options->params, r, row, cost),
                     measured = network == NULL ? r->rows[row].batch : 0;
        hb_console_result(group, common, "%-22s %-14s %6" PRIu32 " %10s %10s %7s %9s", name_of_row(row), name, r->k,
                          cell_seconds(each).text, cell_seconds(measured).text,
                          cell_number(measured / each, 2, "").text,
                          cell_number(one != NULL ? one->rows[row].batch / each : 0, 2, "").text);
    }
}

/* The computing is measured, the exchange is the model's. */
static void print_predictions(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                              const hb_limbs_results *results)
{
    hb_console_result(group, common,
                      "predicted: computing as measured, exchange by the model; a ciphertext of a batch");
    hb_console_result(group, common, "%-22s %-14s %6s %10s %10s %7s %9s", "", "network", "ranks", "predicted",
                      "measured", "ratio", "speed-up");
    const int rows[] = {HB_LIMB_PRODUCT, HB_LIMB_ROTATE};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hb_exchange_cost cost;
        const char *name;
        print_prediction(group, common, options, results, rows[i], "as measured", NULL);
        for (size_t n = 0; (name = hb_limb_network(n, &cost)) != NULL; n++) {
            print_prediction(group, common, options, results, rows[i], name, &cost);
        }
    }
}

/* The columns of the table of one k. */
#define ROW "%-22s %10s %9s %10s %7s %11s %11s %8s %7s %9s %9s %8s"

static hb_human cell_size(double bytes)
{
    return bytes > 0 ? hb_human_bytes(bytes) : nothing;
}

/* Prints the rates of the exchange while it was measured. */
static void print_links(const hb_group *group, const hb_common *common, const hb_limbs_results *results)
{
    static const char *const patterns[HB_PATTERNS] = {"all-gather", "all-to-all", "broadcast"};
    hb_console_result(group, common, "%-34s %8s %12s %14s", "exchange", "ranks", "start", "received");
    for (size_t i = 0; i < results->count; i++) {
        const hb_limbs_results_k *r = &results->k[i];
        for (int p = 0; r->exchanged && r->fits && p < HB_PATTERNS; p++) {
            hb_console_result(group, common, "%-24s %-9s %8" PRIu32 " %12s %12s/s", patterns[p], r->exchange, r->k,
                              hb_bench_duration(r->cost.start[p]).text,
                              cell_size(r->cost.byte[p] > 0 ? 1 / r->cost.byte[p] : 0).text);
        }
    }
}

/* Marks predictions, where there is no exchange to measure, by a tilde. */
static hb_human predicted(hb_human cell)
{
    hb_human marked;
    snprintf(marked.text, sizeof marked.text, "~%.62s", cell.text);
    return marked;
}

/* Prints the rate of all ranks together, and bytes a second of transfers, also as a share of the links' rate at the
 * measured sizes. */
static void print_row(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                      const hb_limbs_results *results, size_t i, int row)
{
    const hb_limbs_results_k *r = &results->k[i];
    const hb_limbs_row *m = &r->rows[row];
    const double bytes = r->exchanged ? hb_limb_bytes(&m->traffic) : 0, modelled = hb_limb_bytes(&m->model);
    const bool moved = m->exchange > 0, apart = r->k > 1 && !r->exchanged;
    hb_human time = cell_seconds(m->batch), exchange = cell_seconds(m->exchange);
    hb_human faster = cell_number(speed_up_of(results, i, row), 2, "");
    /* One member computed: time, exchange and speed-up are predicted. */
    if (apart) {
        const hb_limbs_results_k *one = undivided_of(results);
        const hb_exchange_cost here = cost_measured(options->params, results, i, row);
        const double seconds = seconds_predicted(options->params, r, row, &here);
        time = predicted(cell_seconds(seconds));
        exchange =
            modelled == 0 ? nothing : predicted(cell_seconds(exchange_predicted(options->params, r, row, &here)));
        faster = one == NULL ? nothing : predicted(cell_number(one->rows[row].batch / seconds, 2, ""));
    }
    hb_console_result(group, common, ROW, name_of_row(row), time.text, cell_seconds(m->compute).text, exchange.text,
                      moved ? cell_number(fmax(100 * hidden_of(m), 1e-9), 0, " %").text : "-", cell_size(bytes).text,
                      cell_size(modelled).text, cell_number(moved ? bytes / m->exchange / 1e9 : 0, 2, "").text,
                      cell_number(moved ? 100 * link_seconds(r, row) / m->exchange : 0, 0, " %").text,
                      cell_seconds(m->alone).text, cell_seconds(m->compute_alone).text, faster.text);
}

static const char *const order_names[HB_LIMB_ORDERS] = {[HB_LIMBS_IN_TURN] = "in turn",
                                                        [HB_LIMBS_MIRRORED] = "mirrored",
                                                        [HB_LIMBS_IN_RUNS] = "in runs",
                                                        [HB_LIMBS_BY_DIGITS] = "by digits"};

/* Returns the work of the member with most over all levels, as if limbs were dealt in that order. */
static double order_work(const hb_params *params, const hb_limbs_results_k *r, int order)
{
    const hb_limb_map map = hb_params_deal(params, r->k, (hb_limb_order)order);
    return hb_params_dealt_work(params, &map, r->dealt.travel);
}

/* Prints in which order limbs are dealt, and the work of others beside it. */
static void print_orders(const hb_group *group, const hb_common *common, const hb_params *params,
                         const hb_limbs_results_k *r)
{
    char text[160] = "";
    const double chosen = order_work(params, r, (int)r->dealt.order);
    size_t at = 0;
    for (int i = 0; i < HB_LIMB_ORDERS; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %.1f %%", i > 0 ? ", " : "", order_names[i],
                               100 * order_work(params, r, i) / chosen);
    }
    hb_console_result(group, common, "limbs dealt %s; work of the rank with most, over all levels: %s",
                      order_names[r->dealt.order], text);
}

/* Prints the table of one k. */
static void print_k(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                    const hb_limbs_results *results, size_t i)
{
    const hb_limbs_results_k *r = &results->k[i];
    if (!r->fits) {
        hb_console_result(group, common,
                          "%" PRIu32 " rank%s a ciphertext: does not fit: %s of device memory are needed, "
                          "%s allowed",
                          r->k, r->k == 1 ? "" : "s", hb_human_bytes((double)r->needed).text,
                          hb_human_bytes((double)r->allowed).text);
        return;
    }
    char groups[48] = "one rank's share, the rest predicted";
    if (r->exchanged || r->k == 1) {
        snprintf(groups, sizeof groups, "%" PRIu32 " group%s", r->groups, r->groups == 1 ? "" : "s");
    }
    hb_console_result(
        group, common, "%" PRIu32 " rank%s a ciphertext, %s; %zu ciphertext%s in each of %" PRIu32 " queue%s", r->k,
        r->k == 1 ? "" : "s", groups, r->count, r->count == 1 ? "" : "s", r->queues, r->queues == 1 ? "" : "s");
    if (r->k > 1) {
        print_orders(group, common, options->params, r);
    }
    hb_console_result(group, common, ROW, "a ciphertext", "time", "computing", "exchange", "hidden", "received",
                      "modelled", "GB/s", "of link", "alone", "computing", "speed-up");
    for (int row = 0; row < HB_LIMBS_ROWS; row++) {
        if (r->rows[row].compute > 0) {
            print_row(group, common, options, results, i, row);
        }
    }
}

void hb_bench_print_limbs(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                          const hb_limbs_results *results)
{
    bool exchanged = false;
    for (size_t i = 0; i < results->count; i++) {
        exchanged = exchanged || (results->k[i].exchanged && results->k[i].fits);
        print_k(group, common, options, results, i);
    }
    if (exchanged) {
        print_links(group, common, results);
        print_strong(group, common, options, results);
        print_weak(group, common, results);
    }
    print_predictions(group, common, options, results);
}

static const char *const pattern_keys[HB_PATTERNS] = {"all_gather", "all_to_all", "broadcast"};

static json_t *three(const double values[HB_PATTERNS])
{
    json_t *members = json_object();
    for (int p = 0; p < HB_PATTERNS; p++) {
        if (json_object_set_new(members, pattern_keys[p], json_real(values[p])) != 0) {
            json_decref(members);
            return NULL;
        }
    }
    return members;
}

/* Returns a row: seconds of a ciphertext, bytes that it makes a rank receive, transfers of a call. */
static json_t *row_json(const hb_limbs_results *results, size_t i, int row)
{
    const hb_limbs_row *m = &results->k[i].rows[row];
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o}", "operation",
                     name_of_row(row), "seconds", m->batch, "weak_seconds", m->weak, "compute_seconds", m->compute,
                     "exchange_seconds", m->exchange, "hidden", hidden_of(m), "alone_seconds", m->alone,
                     "alone_compute_seconds", m->compute_alone, "link_seconds", link_seconds(&results->k[i], row),
                     "speed_up", speed_up_of(results, i, row), "received_bytes", three(m->traffic.bytes), "transfers",
                     three(m->traffic.transfers), "modelled_bytes", three(m->model.bytes), "modelled_transfers",
                     three(m->model.transfers));
}

/* Appends `item`, which it takes over; NULL: out of memory, and then the list becomes NULL, too. */
static void append(json_t **list, json_t *item)
{
    if (*list == NULL || item == NULL || json_array_append(*list, item) != 0) {
        json_decref(*list);
        *list = NULL;
    }
    /* The list holds a reference of its own by now. */
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
        /* The parameters have no such operation, or it did not fit. */
        if (r->rows[rows[o]].compute <= 0) {
            continue;
        }
        if (r->exchanged || r->as_here) {
            const hb_exchange_cost here = cost_measured(params, results, i, rows[o]);
            append(&list, json_pack("{s:s, s:s, s:f, s:f}", "operation", name_of_row(rows[o]), "network", "as measured",
                                    "seconds", seconds_predicted(params, r, rows[o], &here), "measured_seconds",
                                    r->exchanged ? r->rows[rows[o]].batch : 0));
        }
        for (size_t n = 0; (name = hb_limb_network(n, &cost)) != NULL; n++) {
            append(&list, json_pack("{s:s, s:s, s:f}", "operation", name_of_row(rows[o]), "network", name, "seconds",
                                    seconds_predicted(params, r, rows[o], &cost)));
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
    return json_pack("{s:i, s:i, s:s, s:b, s:I, s:b, s:s, s:o, s:o, s:i, s:I, s:o, s:o}", "ranks", (int)r->k, "groups",
                     (int)r->groups, "limbs_dealt", order_names[r->dealt.order], "fits", (int)r->fits, "needed_bytes",
                     (json_int_t)r->needed, "exchanged", (int)r->exchanged, "exchange",
                     r->exchanged ? r->exchange : "none", "start_seconds", three(r->cost.start), "byte_seconds",
                     three(r->cost.byte), "queues", (int)r->queues, "count", (json_int_t)r->count, "operations", rows,
                     "predicted", predictions_json(params, results, i));
}

json_t *hb_bench_limbs_json(const hb_bench_limbs_options *options, const hb_limbs_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->count; i++) {
        append(&list, k_json(options->params, results, i));
    }
    return list;
}
