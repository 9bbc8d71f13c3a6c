/* `bench limbs`: a table for each number of ranks that share a ciphertext, and their links. */
#include "limbs_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "print.h"

#define ROW "%-22s %10s %9s %10s %7s %11s %11s %8s %7s %9s %9s %8s"

static const hb_human nothing = {"-"};

hb_human hb_cell_number(double value, int digits, const char *unit)
{
    hb_human cell = nothing;
    if (value > 0) {
        snprintf(cell.text, sizeof cell.text, "%.*f%s", digits, value, unit);
    }
    return cell;
}

hb_human hb_cell_seconds(double value)
{
    return value > 0 ? hb_bench_duration(value) : nothing;
}

static hb_human cell_size(double bytes)
{
    return bytes > 0 ? hb_human_bytes(bytes) : nothing;
}

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

/* Predicted where there is no exchange to measure: behind a tilde. */
static hb_human predicted(hb_human cell)
{
    hb_human marked;
    snprintf(marked.text, sizeof marked.text, "~%.62s", cell.text);
    return marked;
}

/* What the ranks did together; bytes a second while they moved, and as a share of what the links gave at the measuring
 * sizes. */
static void print_row(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                      const hb_limbs_results *results, size_t i, int row)
{
    const hb_limbs_results_k *r = &results->k[i];
    const hb_limbs_row *m = &r->rows[row];
    const double bytes = r->exchanged ? hb_limb_bytes(&m->traffic) : 0, modelled = hb_limb_bytes(&m->model);
    const bool moved = m->exchange > 0, apart = r->k > 1 && !r->exchanged;
    hb_human time = hb_cell_seconds(m->batch), exchange = hb_cell_seconds(m->exchange);
    hb_human faster = hb_cell_number(hb_limbs_speed_up(results, i, row), 2, "");
    if (apart) {
        const hb_limbs_results_k *one = hb_limbs_undivided(results);
        const double seconds = hb_limbs_predicted(options->params, r, row, &r->cost);
        time = predicted(hb_cell_seconds(seconds));
        exchange = modelled == 0
                       ? nothing
                       : predicted(hb_cell_seconds(hb_limbs_exchange_predicted(options->params, r, row, &r->cost)));
        faster = one == NULL ? nothing : predicted(hb_cell_number(one->rows[row].batch / seconds, 2, ""));
    }
    hb_console_result(group, common, ROW, hb_limbs_row_name(row), time.text, hb_cell_seconds(m->compute).text,
                      exchange.text, moved ? hb_cell_number(fmax(100 * hb_limbs_hidden(m), 1e-9), 0, " %").text : "-",
                      cell_size(bytes).text, cell_size(modelled).text,
                      hb_cell_number(moved ? bytes / m->exchange / 1e9 : 0, 2, "").text,
                      hb_cell_number(moved ? 100 * hb_limbs_link_seconds(r, row) / m->exchange : 0, 0, " %").text,
                      hb_cell_seconds(m->alone).text, hb_cell_seconds(m->compute_alone).text, faster.text);
}

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
        hb_limbs_print_strong(group, common, options, results);
        hb_limbs_print_weak(group, common, results);
    }
    hb_limbs_print_predictions(group, common, options, results);
}
