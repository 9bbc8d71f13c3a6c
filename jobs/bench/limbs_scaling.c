/* `bench limbs`: what more ranks bring, as measured and as predicted. */
#include <inttypes.h>

#include "limbs_print.h"

void hb_limbs_print_strong(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                           const hb_limbs_results *results)
{
    hb_console_result(group, common,
                      "strong scaling: the same ciphertexts on more ranks, one group; times as fast as on one");
    hb_console_result(group, common, "%-22s %6s %10s %9s %10s %8s", "", "ranks", "time", "speed-up", "of ideal",
                      "target");
    for (int row = 0; row < HB_LIMBS_ROWS; row++) {
        for (size_t i = 0; i < results->count; i++) {
            const hb_limbs_results_k *r = &results->k[i];
            const double faster = hb_limbs_speed_up(results, i, row);
            if (r->rows[row].batch > 0) {
                hb_console_result(group, common, "%-22s %6" PRIu32 " %10s %9s %10s %8s", hb_limbs_row_name(row), r->k,
                                  hb_cell_seconds(r->rows[row].batch).text, hb_cell_number(faster, 2, "").text,
                                  hb_cell_number(100 * faster / r->k, 0, " %").text,
                                  hb_cell_number(hb_limbs_target(options->params, row, r->k), 1, "").text);
            }
        }
    }
}

void hb_limbs_print_weak(const hb_group *group, const hb_common *common, const hb_limbs_results *results)
{
    const hb_limbs_results_k *one = hb_limbs_undivided(results);
    hb_console_result(group, common, "weak scaling: as many ciphertexts for each rank; all groups together");
    hb_console_result(group, common, "%-22s %8s %8s %12s %10s %12s %9s", "", "a group", "groups", "ciphertexts", "time",
                      "a second", "of ideal");
    for (int row = 0; row < HB_LIMBS_ROWS; row++) {
        for (size_t i = 0; i < results->count; i++) {
            const hb_limbs_results_k *r = &results->k[i];
            const double each = r->rows[row].weak, count = (double)r->count * r->queues * r->k;
            if ((row == HB_LIMB_PRODUCT || row == HB_LIMB_ROTATE) && each > 0) {
                const double ideal = one != NULL ? one->rows[row].weak / r->k : 0;
                hb_console_result(group, common, "%-22s %8" PRIu32 " %8" PRIu32 " %12.0f %10s %12s %9s",
                                  hb_limbs_row_name(row), r->k, r->groups, count * r->groups,
                                  hb_cell_seconds(each * count).text, hb_human_count(r->groups / each).text,
                                  hb_cell_number(100 * ideal / each, 0, " %").text);
            }
        }
    }
}

static void print_prediction(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                             const hb_limbs_results *results, int row, const char *name,
                             const hb_exchange_cost *network)
{
    const hb_limbs_results_k *one = hb_limbs_undivided(results);
    for (size_t i = 0; i < results->count; i++) {
        const hb_limbs_results_k *r = &results->k[i];
        const hb_exchange_cost *cost = network != NULL ? network : &r->cost;
        if (r->k == 1 || r->rows[row].compute <= 0 || (network == NULL && !r->exchanged)) {
            continue;
        }
        const double each = hb_limbs_predicted(options->params, r, row, cost),
                     measured = network == NULL ? r->rows[row].batch : 0;
        hb_console_result(group, common, "%-22s %-14s %6" PRIu32 " %10s %10s %9s", hb_limbs_row_name(row), name, r->k,
                          hb_cell_seconds(each).text, hb_cell_seconds(measured).text,
                          hb_cell_number(one != NULL ? one->rows[row].batch / each : 0, 2, "").text);
    }
}

/* The computing is measured, the exchange is the model's. */
void hb_limbs_print_predictions(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                                const hb_limbs_results *results)
{
    hb_console_result(group, common,
                      "predicted: computing as measured, exchange by the model; a ciphertext of a batch");
    hb_console_result(group, common, "%-22s %-14s %6s %10s %10s %9s", "", "network", "ranks", "predicted", "measured",
                      "speed-up");
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
