#include "bench_print.h"

#include <inttypes.h>
#include <stdio.h>

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
    snprintf(t.text, sizeof t.text, "%.*f %s", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, units[unit].name);
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
        hb_console_result(group, common, "%-36s %7zu %10s %10s %7.2f  %-9s %10s", m->name, m->items,
                          hb_bench_duration(m->median).text, hb_bench_duration(m->floor).text, m->median / m->floor,
                          hb_ceiling_names[m->bound], hb_human_count(1 / m->median).text);
    }
}

static json_t *rates_json(const hb_rates *rates)
{
    json_t *members = json_object();
    for (int i = 0; i < HB_CEILINGS; i++) {
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
    return json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:s, s:o}", "kind", m->kind, "name", m->name, "items",
                     (json_int_t)m->items, "samples", (json_int_t)m->samples, "median_us", us * m->median, "least_us",
                     us * m->least, "floor_us", us * m->floor, "ratio", m->median / m->floor, "bound_by",
                     hb_ceiling_names[m->bound], "cost", rates_json(&m->cost));
}

json_t *hb_bench_json(const hb_bench_results *results)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < results->count; i++) {
        if (json_array_append_new(rows, measure_json(&results->measures[i])) != 0) {
            json_decref(rows);
            rows = NULL; /* json_pack fails, and takes over what it is given all the same */
            break;
        }
    }
    return json_pack("{s:o, s:o}", "ceilings", rates_json(&results->ceilings), "measures", rows);
}

static void print_rate(const hb_group *group, const hb_common *common, const char *name, double encrypt, double decrypt,
                       double bytes)
{
    hb_console_result(group, common, "%-22s %12s %14s/s %12s %14s/s", name, hb_human_count(encrypt).text,
                      hb_human_bytes(encrypt * bytes).text, hb_human_count(decrypt).text,
                      hb_human_bytes(decrypt * bytes).text);
}

static void print_seconds(const hb_group *group, const hb_common *common, const char *name, double encrypt,
                          double decrypt)
{
    hb_console_result(group, common, "%-22s %12s %16s %12s", name, hb_bench_duration(encrypt).text, "",
                      hb_bench_duration(decrypt).text);
}

static void print_memory(const hb_group *group, const hb_common *common, const char *name, const uint64_t encrypt[3],
                         const uint64_t decrypt[3])
{
    static const char *const moments[] = {"before", "half-way", "at the end"};
    for (int i = 0; i < 3; i++) {
        hb_console_result(group, common, "%s, %-16s %12s %16s %12s", name, moments[i],
                          hb_human_bytes((double)encrypt[i]).text, "", hb_human_bytes((double)decrypt[i]).text);
    }
}

void hb_bench_print_job(const hb_group *group, const hb_common *common, const hb_bench_job_options *options,
                        const hb_bench_job_results *results)
{
    const hb_bench_run_times *e = &results->encrypt, *d = &results->decrypt;
    const double bytes = (double)results->ciphertext_bytes;
    hb_console_result(group, common, "%" PRIu64 " rows x %d columns, %" PRIu64 " ciphertexts of %" PRIu64 " bytes",
                      options->rows, HB_BENCH_COLUMNS, results->ciphertexts, results->ciphertext_bytes);
    if (results->limb_ranks > 1) {
        hb_console_result(group, common, "%" PRIu32 " ranks share the limbs of each", results->limb_ranks);
    }
    hb_console_result(group, common, "%-22s %12s %16s %12s", "", "encrypt", "", "decrypt");
    print_rate(group, common, "ciphertexts a second", e->rate, d->rate, bytes);
    if (e->link > 0) {
        print_rate(group, common, "  the link", e->link, d->link, bytes);
    }
    print_rate(group, common, "  plain files", e->files, d->files, bytes);
    hb_console_result(group, common, "%-22s %11.1f%% %16s %11.1f%%", "share of the lower", 100 * hb_bench_share(e), "",
                      100 * hb_bench_share(d));
    print_seconds(group, common, "seconds", e->seconds, d->seconds);
    print_seconds(group, common, "  pipeline", e->times.wall, d->times.wall);
    print_seconds(group, common, "  reading", e->times.read, d->times.read);
    print_seconds(group, common, "  computing", e->times.compute, d->times.compute);
    print_seconds(group, common, "  writing", e->times.write, d->times.write);
    print_memory(group, common, "host", e->memory.host, d->memory.host);
    if (e->memory.gpu[1] > 0) {
        print_memory(group, common, "GPU ", e->memory.gpu, d->memory.gpu);
    }
}

static json_t *three(const uint64_t bytes[3])
{
    return json_pack("[I, I, I]", (json_int_t)bytes[0], (json_int_t)bytes[1], (json_int_t)bytes[2]);
}

static json_t *run_json(const hb_bench_run_times *run, double bytes)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "ciphertexts_per_second",
                     run->rate, "bytes_per_second", run->rate * bytes, "link_ciphertexts_per_second", run->link,
                     "files_ciphertexts_per_second", run->files, "share", hb_bench_share(run), "seconds", run->seconds,
                     "pipeline", run->times.wall, "read", run->times.read, "compute", run->times.compute, "write",
                     run->times.write, "host_bytes", three(run->memory.host), "gpu_bytes", three(run->memory.gpu));
}

json_t *hb_bench_job_json(const hb_bench_job_options *options, const hb_bench_job_results *results)
{
    const double bytes = (double)results->ciphertext_bytes;
    return json_pack("{s:I, s:i, s:I, s:I, s:I, s:o, s:o}", "rows", (json_int_t)options->rows, "columns",
                     HB_BENCH_COLUMNS, "ciphertexts", (json_int_t)results->ciphertexts, "ciphertext_bytes",
                     (json_int_t)results->ciphertext_bytes, "limb_ranks", (json_int_t)results->limb_ranks, "encrypt",
                     run_json(&results->encrypt, bytes), "decrypt", run_json(&results->decrypt, bytes));
}
