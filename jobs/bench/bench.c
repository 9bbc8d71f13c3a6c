/* Measures every line, one kind after another; the table and its JSON. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>

#include "bench_private.h"
#include "scheme/params.h"

static hb_status measure_bfv(hb_bench *bench)
{
    HB_TRY(hb_bench_bfv_pieces(bench));
    return hb_bench_bfv_evaluate(bench);
}

hb_status hb_bench_run(const hb_bench_options *options, hb_bench_results *results)
{
    hb_bench bench = {options, results};
    results->count = results->left_out_count = 0;
    HB_TRY(hb_bench_ceilings(options->device, options->seconds, options->processor, &results->ceilings));
    if (hb_bench_selects(&bench, "ntt")) {
        HB_TRY(hb_bench_ntt(&bench));
    }
    if (options->all_sizes) {
        return HB_OK;
    }
    if (hb_bench_selects(&bench, "switch")) {
        HB_TRY(hb_bench_switch(&bench));
    }
    static hb_status (*const schemes[])(hb_bench * bench) = {[HB_BFV] = measure_bfv, [HB_CKKS] = hb_bench_ckks};
    HB_ROW_PER_SCHEME(schemes);
    HB_TRY(schemes[options->params->spec.scheme](&bench));
    if (results->count == 0 && results->left_out_count == 0) {
        return HB_FAIL(HB_ECONFIG,
                       "%s, parameters of %s, have nothing of what is to be measured; without a name of it "
                       "all that they have is measured",
                       options->params->name, hb_scheme_name(options->params->spec.scheme));
    }
    return HB_OK;
}

hb_human hb_bench_duration(double seconds)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s "}};
    size_t unit = 0;
    while (unit < 3 && seconds >= 999.5 * units[unit].seconds) {
        unit++;
    }
    const double value = seconds / units[unit].seconds;
    hb_human t;
    snprintf(t.text, sizeof t.text, "%.*f %s", hb_human_digits(value), value, units[unit].name);
    return t;
}

static void print_ceilings(const hb_group *group, const hb_common *common, const hb_rates *ceilings)
{
    static const char *const units[HB_CEILINGS] = {
        "bytes/s, read and written", "butterflies/s", "butterflies/s", "blocks of ChaCha20/s",
        "blocks of BLAKE2b/s",       "bytes/s",       "bytes/s",       "bytes/s each"};
    hb_console_result(group, common, "ceilings");
    for (int i = 0; i < HB_CEILINGS; i++) {
        if (ceilings->of[i] > 0) {
            hb_console_result(group, common, "  %-10s %9s %s", hb_ceiling_names[i],
                              hb_human_count(ceilings->of[i]).text, units[i]);
        }
    }
}

void hb_bench_print(const hb_group *group, const hb_common *common, const hb_bench_results *results)
{
    print_ceilings(group, common, &results->ceilings);
    hb_console_result(group, common, "%-36s %7s %10s %10s %7s  %-9s %10s", "an item", "a call", "time", "floor",
                      "ratio", "bound by", "a second");
    for (size_t i = 0; i < results->count; i++) {
        const hb_measure *m = &results->measures[i];
        /* The ratio says how far from its ceiling a line is. */
        char launches[32] = "";
        if (m->launches > 0) {
            snprintf(launches, sizeof launches, ", %zu launches", m->launches);
        }
        hb_console_result(group, common, "%-36s %7zu %10s %10s %7.2f  %-9s %10s%s", m->name, m->items,
                          hb_bench_duration(m->median).text, hb_bench_duration(m->floor).text, m->median / m->floor,
                          hb_ceiling_names[m->bound], hb_human_count(1 / m->median).text, launches);
    }
    for (size_t i = 0; i < results->left_out_count; i++) {
        hb_console_result(group, common, "not measured: %s", results->left_out[i]);
    }
}

static json_t *rates_json(const hb_rates *rates)
{
    json_t *members = json_object();
    for (int i = 0; i < HB_CEILINGS; i++) {
        /* A device has only some of them. */
        if (rates->of[i] > 0 && json_object_set_new(members, hb_ceiling_names[i], json_real(rates->of[i])) != 0) {
            json_decref(members);
            return NULL;
        }
    }
    return members;
}

static json_t *measure_json(const hb_measure *m)
{
    const double us = 1e6;
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:s, s:o}", "kind", m->kind, "name", m->name,
                     "items", (json_int_t)m->items, "launches", (json_int_t)m->launches, "samples",
                     (json_int_t)m->samples, "median_us", us * m->median, "least_us", us * m->least, "floor_us",
                     us * m->floor, "ratio", m->median / m->floor, "bound_by", hb_ceiling_names[m->bound], "cost",
                     rates_json(&m->cost));
}

json_t *hb_bench_json(const hb_bench_results *results)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < results->count; i++) {
        if (json_array_append_new(rows, measure_json(&results->measures[i])) != 0) {
            json_decref(rows);
            rows = NULL; /* json_pack has failed, and has freed its arguments all the same */
            break;
        }
    }
    json_t *left_out = json_array();
    for (size_t i = 0; left_out != NULL && i < results->left_out_count; i++) {
        if (json_array_append_new(left_out, json_string(results->left_out[i])) != 0) {
            json_decref(left_out);
            left_out = NULL;
        }
    }
    return json_pack("{s:o, s:o, s:o}", "ceilings", rates_json(&results->ceilings), "measures", rows, "left_out",
                     left_out);
}
