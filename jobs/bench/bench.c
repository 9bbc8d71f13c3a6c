/* The loop that measures; lines of its table, of a batch and of one ciphertext alone; the table and its JSON. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench_private.h"

bool hb_bench_selects(const hb_bench *bench, const char *kind)
{
    const char *const *kinds = bench->options->kinds;
    /* None named means all. */
    if (kinds[0] == NULL) {
        return true;
    }
    for (const char *const *k = kinds; *k != NULL; k++) {
        if (strcmp(*k, kind) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the time by the pace's clock. That of the process says nothing where threads wait in the place of others, as
 * they do for a GPU. */
static double clock_of(const hb_bench_pace *pace)
{
    struct timespec used;
    if (!pace->processor || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) {
        return hb_now();
    }
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* Times `count` calls and the wait behind them: calls may only issue their work. */
static hb_status calls(const hb_bench_pace *pace, hb_engine *engine, hb_bench_body body, void *argument, size_t count,
                       double *seconds)
{
    const double begin = clock_of(pace);
    for (size_t i = 0; i < count; i++) {
        HB_TRY(body(argument));
    }
    if (engine != NULL) {
        HB_TRY(hb_finish(engine));
    }
    *seconds = clock_of(pace) - begin;
    return HB_OK;
}

/* Finds how many calls take `sample` seconds together, to half or twice as long; also warms up. */
static hb_status calibrate(const hb_bench_pace *pace, double sample, hb_engine *engine, hb_bench_body body,
                           void *argument, size_t *count)
{
    enum { MOST = 1 << 20 };
    double seconds;
    *count = 1;
    HB_TRY(calls(pace, engine, body, argument, 1, &seconds)); /* the first call of anything is slow */
    HB_TRY(calls(pace, engine, body, argument, 1, &seconds));
    while (seconds < sample / 2 && *count < MOST) {
        *count *= 2;
        HB_TRY(calls(pace, engine, body, argument, *count, &seconds));
    }
    return HB_OK;
}

static void rest(double seconds)
{
    const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL); /* a signal may shorten it */
}

hb_bench_pace hb_bench_pace_of(const hb_bench_options *options)
{
    return (hb_bench_pace){.seconds = options->seconds,
                           .pause = options->device->gpu && !options->sustained ? 3 : 0,
                           .processor = options->processor};
}

hb_status hb_bench_time(hb_bench_pace pace, hb_engine *engine, hb_bench_body body, void *argument, hb_timing *timing)
{
    enum { FEWEST = 9, MOST = 1024 }; /* samples; a median of fewer says little */
    static const double longest = 0.02, warm_up = 0.2;
    const double seconds = pace.seconds, pause = pace.pause;
    double samples[MOST];
    size_t each, count = 0;
    /* So that the fewest samples with their pauses fit into the time. */
    const double most = longest / (1 + pause), share = seconds / FEWEST / (1 + pause);
    HB_TRY(calibrate(&pace, share < most ? share : most, engine, body, argument, &each));
    for (double start = hb_now(); hb_now() - start < warm_up * seconds;) { /* an idle GPU takes its time to speed up */
        HB_TRY(calls(&pace, engine, body, argument, each, &samples[0]));
    }
    for (double start = hb_now(); count < MOST && (count < FEWEST || hb_now() - start < seconds); count++) {
        HB_TRY(calls(&pace, engine, body, argument, each, &samples[count]));
        rest(pause * samples[count]);
        samples[count] /= (double)each;
    }
    /* The median: a sample that met something else on the machine does not count. */
    qsort(samples, count, sizeof *samples, compare_seconds);
    *timing = (hb_timing){count, (samples[(count - 1) / 2] + samples[count / 2]) / 2, samples[0]};
    return HB_OK;
}

hb_status hb_bench_measure(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument)
{
    hb_bench_results *results = bench->results;
    if (!hb_bench_selects(bench, line->kind)) {
        return HB_OK;
    }
    HB_ASSERT(results->count < HB_BENCH_MOST);
    hb_timing timing;
    HB_TRY(hb_bench_time(hb_bench_pace_of(bench->options), engine, line->body, argument, &timing));
    hb_measure *measure = &results->measures[results->count++];
    *measure = (hb_measure){.kind = line->kind,
                            .items = line->items,
                            .samples = timing.samples,
                            .median = timing.median / (double)line->items,
                            .least = timing.least / (double)line->items,
                            .cost = line->cost};
    measure->floor = hb_floor(&line->cost, &results->ceilings, &measure->bound);
    snprintf(measure->name, sizeof measure->name, "%s", line->name);
    return HB_OK;
}

size_t hb_bench_batch(const hb_bench_options *options, const hb_ring *ring, uint32_t limbs, uint32_t operands)
{
    if (options->batch > 0) {
        return options->batch;
    }
    if (!options->device->gpu) {
        return 4;
    }
    /* 256 MiB are several times a second-level cache; where there is room for more, launches cost less. */
    const uint64_t mib = (uint64_t)1 << 20, enough = operands == 1 ? 1024 * mib : 256 * mib;
    const uint64_t most = options->device->memory / 8 * 5 / operands;
    const size_t each = limbs * ring->n * sizeof(uint64_t), count = (size_t)(enough < most ? enough : most) / each;
    return count > 0 ? count : 1;
}

hb_status hb_bench_run(const hb_bench_options *options, hb_bench_results *results)
{
    hb_bench bench = {options, results};
    results->count = 0;
    HB_TRY(hb_bench_ceilings(options->device, options->seconds, options->processor, &results->ceilings));
    if (hb_bench_selects(&bench, "ntt")) {
        HB_TRY(hb_bench_ntt(&bench));
    }
    if (options->all_sizes) {
        return HB_OK;
    }
    HB_TRY(hb_bench_scheme(&bench));
    return hb_bench_evaluate(&bench);
}

/* One call that is measured alone. */
typedef struct alone {
    hb_engine *engine;
    hb_bench_body body;
    void *argument;
    hb_recording *recording;
} alone;

static hb_status call_and_wait(void *argument)
{
    const alone *x = argument;
    HB_TRY(x->body(x->argument));
    return hb_finish(x->engine);
}

static hb_status replay_and_wait(void *argument)
{
    const alone *x = argument;
    HB_TRY(hb_replay(x->recording));
    return hb_finish(x->engine);
}

/* Measures the line under a longer name, by another body. */
static hb_status measure(hb_bench *bench, alone *x, hb_bench_line line, const char *suffix, hb_bench_body body)
{
    char name[sizeof((hb_measure *)0)->name];
    snprintf(name, sizeof name, "%s%s", line.name, suffix);
    line.name = name;
    line.body = body;
    return hb_bench_measure(bench, x->engine, &line, x);
}

hb_status hb_bench_alone(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument, bool called)
{
    alone x = {.engine = engine, .body = line->body, .argument = argument};
    hb_status st;
    if (!hb_bench_selects(bench, line->kind)) {
        return HB_OK;
    }
    HB_GOTO(call_and_wait(&x)); /* what operations make at their first call */
    HB_GOTO(hb_record(engine, line->body, argument, &x.recording));
    HB_GOTO(measure(bench, &x, *line, ", alone", replay_and_wait));
    if (called) {
        HB_GOTO(measure(bench, &x, *line, ", alone, called", call_and_wait));
    }
done:
    hb_recording_free(x.recording);
    return st;
}

/* Returns how many digits after the point make three digits in all, after rounding, of a value below 1000. */
static int digits_after_point(double value)
{
    if (value >= 99.95) {
        return 0;
    }
    return value >= 9.995 ? 1 : 2;
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
    snprintf(t.text, sizeof t.text, "%.*f %s", digits_after_point(value), value, units[unit].name);
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
