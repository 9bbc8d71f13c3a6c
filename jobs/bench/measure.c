/* The loop that measures, and lines of the results: of a batch, and of one ciphertext alone. */
#include <stdarg.h>
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

void hb_bench_leave_out(hb_bench *bench, const char *kind, const char *format, ...)
{
    hb_bench_results *results = bench->results;
    char text[sizeof results->left_out[0]];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    bool said = !hb_bench_selects(bench, kind);
    for (size_t i = 0; !said && i < results->left_out_count; i++) {
        said = strcmp(results->left_out[i], text) == 0;
    }
    if (!said) {
        HB_ASSERT(results->left_out_count < HB_BENCH_MOST_NOTES);
        snprintf(results->left_out[results->left_out_count++], sizeof text, "%s", text);
    }
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

/* Finds how many calls take `sample` seconds together, to half or twice as long, and *seconds; also warms
 * up. */
static hb_status calibrate(const hb_bench_pace *pace, double sample, hb_engine *engine, hb_bench_body body,
                           void *argument, size_t *count, double *seconds)
{
    enum { MOST = 1 << 20 };
    *count = 1;
    HB_TRY(calls(pace, engine, body, argument, 1, seconds)); /* the first call of anything is slow */
    HB_TRY(calls(pace, engine, body, argument, 1, seconds));
    while (*seconds < sample / 2 && *count < MOST) {
        *count *= 2;
        HB_TRY(calls(pace, engine, body, argument, *count, seconds));
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
    enum { FEWEST = 9, FEWEST_LONG = 3, MOST = 1024 }; /* samples; a median of fewer says little */
    static const double longest = 0.02, warm_up = 0.2, patience = 5;
    const double seconds = pace.seconds, pause = pace.pause;
    double samples[MOST], sample;
    size_t each, count = 0;
    /* So that the fewest samples with their pauses fit into the time. */
    const double most = longest / (1 + pause), share = seconds / FEWEST / (1 + pause);
    HB_TRY(calibrate(&pace, share < most ? share : most, engine, body, argument, &each, &sample));
    const size_t fewest = sample > patience ? FEWEST_LONG : FEWEST;        /* minutes of one call */
    for (double start = hb_now(); hb_now() - start < warm_up * seconds;) { /* an idle GPU takes its time to speed up */
        HB_TRY(calls(&pace, engine, body, argument, each, &samples[0]));
    }
    for (double start = hb_now(); count < MOST && (count < fewest || hb_now() - start < seconds); count++) {
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
    /* Ceilings were measured before the first line. */
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
    HB_TRY(hb_bench_measure(bench, x->engine, &line, x));
    if (body == replay_and_wait) {
        bench->results->measures[bench->results->count - 1].launches =
            hb_device_recorded(bench->options->device, x->engine);
    }
    return HB_OK;
}

hb_status hb_bench_alone(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument, bool called)
{
    alone x = {.engine = engine, .body = line->body, .argument = argument};
    hb_status st;
    if (!hb_bench_selects(bench, line->kind)) {
        return HB_OK;
    }
    HB_GOTO(call_and_wait(&x)); /* allocations of first calls */
    /* Recorded, so that a GPU is given the whole call at once; engines that do not record call the body. */
    HB_GOTO(hb_record(engine, line->body, argument, &x.recording));
    HB_GOTO(measure(bench, &x, *line, ", alone", replay_and_wait));
    if (called) {
        HB_GOTO(measure(bench, &x, *line, ", alone, called", call_and_wait));
    }
done:
    hb_recording_free(x.recording);
    return st;
}
