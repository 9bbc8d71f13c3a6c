/* Times each kernel of a transform; prints the fastest, its gain over the rules, and the place of the plan's file. */
#include "plan.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "base/seed.h"
#include "cli/report.h"
#include "cuda/engine/engine.h"
#include "device/ntt_plan_file.h"

enum { LIMBS = 4 /* of a polynomial, each with a modulus and tables of its own, where there are as many jobs */ };

/* The widest primes of each arithmetic. */
static const uint32_t widths[HB_NTT_ARITHMETICS] = {
    [HB_NTT_F64_49] = 49, [HB_NTT_F64_50] = 50, [HB_NTT_U64_59] = 59, [HB_NTT_U64_61] = 61};

/* An engine for one N, and memory for its batches. */
typedef struct rig {
    const hb_device *device;
    hb_engine *engine;
    uint64_t bytes; /* of memory */
    void *memory;
    hb_seed *seeds;
    uint16_t ids[HB_NTT_ARITHMETICS][LIMBS];
    hb_plan_results *results;
} rig;

/* Opens a ring of this N with primes of each arithmetic, and memory for the largest batch. */
static hb_status rig_open(rig *r, hb_ring *ring, uint32_t log_n)
{
    HB_TRY(hb_ring_init(ring, log_n));
    for (int a = 0; a < HB_NTT_ARITHMETICS; a++) {
        uint64_t primes[LIMBS];
        HB_TRY(hb_find_primes(2 * ring->n, widths[a], LIMBS, primes));
        for (int i = 0; i < LIMBS; i++) {
            HB_TRY(hb_ring_add_modulus(ring, primes[i], &r->ids[a][i]));
        }
    }
    HB_TRY(hb_device_open_ring(r->device, ring, &r->engine));
    return hb_alloc(r->engine, r->bytes, &r->memory);
}

static void rig_close(rig *r)
{
    if (r->engine != NULL) {
        hb_free(r->engine, r->memory);
    }
    hb_engine_close(r->engine);
    r->memory = NULL;
    r->engine = NULL;
}

/* Times a job by every kernel that works: the least of some rounds, as the clock of the GPU may change. */
static hb_status time_all(const rig *r, hb_plan_line *line)
{
    enum { ROUNDS = 2 };
    const uint32_t limbs = line->jobs < LIMBS ? (uint32_t)line->jobs : LIMBS;
    const hb_batch x = hb_batch_on(r->engine, r->memory, line->jobs / limbs, limbs, r->ids[line->kind.arithmetic]);
    HB_TRY(hb_sample_uniform(r->engine, x, r->seeds));
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t k = 0; k < HB_NTT_CANDIDATES; k++) {
            hb_cuda_ntt_plan only;
            double seconds;
            if (!hb_ntt_possible(k, &r->device->card, line->kind.log_n)) {
                continue;
            }
            /* A plan that takes this kernel for everything. */
            hb_ntt_plan_of(&only, k);
            hb_cuda_ntt_use(r->engine, &only);
            HB_TRY(hb_cuda_ntt_time(r->engine, x, line->kind.forward, &seconds));
            seconds /= (double)line->jobs;
            line->seconds[k] = round == 0 || seconds < line->seconds[k] ? seconds : line->seconds[k];
        }
    }
    return HB_OK;
}

/* Returns the fastest kernel; the rule's where another is faster by no more than times differ from run to run. */
static uint32_t choice_of(const hb_plan_line *line)
{
    static const double noise = 0.02;
    uint32_t best = line->rule;
    for (uint32_t k = 0; k < HB_NTT_CANDIDATES; k++) {
        if (line->seconds[k] > 0 && line->seconds[k] < line->seconds[best]) {
            best = k;
        }
    }
    return line->seconds[best] < (1 - noise) * line->seconds[line->rule] ? best : line->rule;
}

/* Measures one kind of transform, in batches of all sizes. */
static hb_status measure_row(rig *r, uint32_t row)
{
    const hb_ntt_kind kind = hb_ntt_kind_of(row);
    uint8_t *choice = r->results->plan.choice[row];
    for (uint32_t c = 0; c < HB_NTT_PLAN_CLASSES; c++) {
        const size_t jobs = (size_t)1 << c;
        if (c > 0 && jobs << kind.log_n > r->bytes / sizeof(uint64_t)) {
            /* Too large for the memory: the largest batch that fits speaks for it. */
            choice[c] = choice[c - 1];
            continue;
        }
        hb_plan_line *line = &r->results->lines[r->results->count++];
        *line = (hb_plan_line){.kind = kind, .jobs = jobs, .rule = hb_ntt_rule(&r->device->card, kind.log_n, jobs)};
        HB_TRY(time_all(r, line));
        line->choice = choice_of(line);
        choice[c] = (uint8_t)line->choice;
    }
    return HB_OK;
}

/* GPUs without fast FP64 take 64-bit integers for every prime. */
static bool is_a_choice(const hb_device *device, hb_ntt_kind kind)
{
    uint32_t possible = 0;
    for (uint32_t k = 0; k < HB_NTT_CANDIDATES; k++) {
        possible += hb_ntt_possible(k, &device->card, kind.log_n);
    }
    const bool used = device->card.fast_f64 || kind.arithmetic == HB_NTT_U64_59 || kind.arithmetic == HB_NTT_U64_61;
    return used && possible > 1;
}

/* Measures every row in which there is a choice. */
static hb_status measure_all(rig *r, hb_ring *ring)
{
    uint32_t log_n = 0; /* of the rig */
    for (uint32_t row = 0; row < HB_NTT_PLAN_ROWS; row++) {
        const hb_ntt_kind kind = hb_ntt_kind_of(row);
        if (!is_a_choice(r->device, kind)) {
            continue;
        }
        /* Rows go by N, so each ring is opened once. */
        if (kind.log_n != log_n) {
            rig_close(r);
            HB_TRY(rig_open(r, ring, kind.log_n));
            log_n = kind.log_n;
        }
        HB_TRY(measure_row(r, row));
    }
    return HB_OK;
}

hb_status hb_bench_plan(const hb_device *device, uint64_t bytes, hb_plan_results *results)
{
    const size_t most = ((size_t)1 << (HB_NTT_PLAN_CLASSES - 1)) / LIMBS; /* polynomials */
    const uint64_t least = sizeof(uint64_t) << HB_RING_MAX_LOG_N;
    const hb_seed root = {{1}};
    /* At least one limb of the largest N. */
    rig r = {.device = device, .bytes = bytes > least ? bytes : least, .results = results};
    memset(results, 0, sizeof *results);
    if (!device->gpu) {
        return HB_FAIL(HB_EUNAVAILABLE, "the plan is one of a GPU's kernels, and this is a CPU");
    }
    hb_ring *ring = malloc(sizeof *ring);
    r.seeds = malloc(most * sizeof *r.seeds);
    hb_status st = HB_OK;
    if (ring == NULL || r.seeds == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for a ring"));
    }
    hb_seed_public(r.seeds, most, &root, 0);
    st = measure_all(&r, ring);
done:
    rig_close(&r);
    free(r.seeds);
    free(ring);
    return st;
}

/* Returns how much faster the choice is than the rule's kernel: 0.1 is 10 %. */
static double gain_of(const hb_plan_line *line)
{
    return line->seconds[line->rule] / line->seconds[line->choice] - 1;
}

/* Tells whether two batches can share a line of the table. */
static bool alike(const hb_plan_line *a, const hb_plan_line *b)
{
    return hb_ntt_row_of(a->kind) == hb_ntt_row_of(b->kind) && a->rule == b->rule && a->choice == b->choice;
}

/* Prints a line for batches first .. last, which are alike. */
static void print_range(const hb_group *group, const hb_common *common, const hb_plan_line *first,
                        const hb_plan_line *last)
{
    char limbs[48];
    double least = gain_of(first), most = least;
    for (const hb_plan_line *line = first; line <= last; line++) {
        const double gain = gain_of(line);
        least = gain < least ? gain : least;
        most = gain > most ? gain : most;
    }
    snprintf(limbs, sizeof limbs, "%zu to %zu", first->jobs, last->jobs);
    hb_console_result(group, common, "%7zu  %-10s  %-9s  %-14s  %-12s  %-12s  %.1f to %.1f%%",
                      (size_t)1 << first->kind.log_n, hb_ntt_arithmetic_name(first->kind.arithmetic),
                      hb_ntt_direction_name(first->kind.forward), limbs, hb_ntt_candidate_of(first->choice)->name,
                      hb_ntt_candidate_of(first->rule)->name, 100 * least, 100 * most);
}

/* Prints where the rules do not take the fastest kernel. */
static void print(const hb_group *group, const hb_common *common, const hb_plan_results *results)
{
    const hb_plan_line *const end = results->lines + results->count;
    size_t others = 0;
    hb_console_result(group, common, "%7s  %-10s  %-9s  %-14s  %-12s  %-12s  %s", "N", "arithmetic", "direction",
                      "limbs", "fastest", "by rule", "faster by");
    for (const hb_plan_line *first = results->lines, *next; first < end; first = next) {
        next = first + 1;
        /* Neighbouring batches with the same answer share a line. */
        while (next < end && alike(first, next)) {
            next++;
        }
        if (first->choice != first->rule) {
            print_range(group, common, first, next - 1);
            others += (size_t)(next - first);
        }
    }
    hb_console_result(group, common, "%zu of %zu batches are faster by other kernels than the rules take", others,
                      results->count);
}

static json_t *line_json(const hb_plan_line *line)
{
    json_t *times = json_object();
    for (uint32_t k = 0; k < HB_NTT_CANDIDATES; k++) {
        /* Kernels that do not work here have no time. */
        if (line->seconds[k] > 0 &&
            json_object_set_new(times, hb_ntt_candidate_of(k)->name, json_real(1e6 * line->seconds[k])) != 0) {
            json_decref(times);
            return NULL;
        }
    }
    return json_pack("{s:I, s:s, s:s, s:I, s:s, s:s, s:o}", "n", (json_int_t)1 << line->kind.log_n, "arithmetic",
                     hb_ntt_arithmetic_name(line->kind.arithmetic), "direction",
                     hb_ntt_direction_name(line->kind.forward), "limbs", (json_int_t)line->jobs, "rule",
                     hb_ntt_candidate_of(line->rule)->name, "fastest", hb_ntt_candidate_of(line->choice)->name,
                     "us_a_limb", times);
}

/* Returns everything as JSON; NULL when out of memory. */
static json_t *results_json(const hb_device *device, const hb_plan_results *results, const char *path)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < results->count; i++) {
        if (json_array_append_new(lines, line_json(&results->lines[i])) != 0) {
            json_decref(lines);
            return NULL;
        }
    }
    return json_pack("{s:{s:s, s:s}, s:{s:o, s:o}}", "device", "kind", "gpu", "name", hb_device_name_of(device).text,
                     "plan", "file", hb_report_text(path), "batches", lines);
}

hb_status hb_bench_plan_command(const hb_group *group, const hb_common *common, const hb_device *device)
{
    const uint64_t enough = (uint64_t)1 << 30,
                   most = device->memory / 2; /* times a second-level cache; beside tables */
    hb_plan_results *results = malloc(sizeof *results);
    char *path = NULL;
    hb_status st = HB_OK;
    if (results == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a plan");
    }
    if (device->gpu) {
        hb_console_log(group, common, "times all kernels of transforms, half a minute or so");
    }
    HB_GOTO(hb_bench_plan(device, enough < most ? enough : most, results));
    hb_console_result(group, common, "%s", hb_device_name_of(device).text);
    print(group, common, results);
    /* The results are printed already, so a failure of the file loses nothing. */
    HB_GOTO(hb_ntt_plan_path(&device->card, &path));
    if (path == NULL) {
        HB_GOTO(HB_FAIL(HB_ECREATE, "the plan is not kept: neither XDG_CACHE_HOME nor HOME names a folder for it"));
    }
    HB_GOTO(hb_ntt_plan_write(path, &device->card, &results->plan));
    hb_console_result(group, common, "kept for later runs on such a GPU, with this driver and program: %s", path);
    if (common->json) {
        st = hb_report_results(group, "bench", results_json(device, results, path));
    }
done:
    free(path);
    free(results);
    return st;
}
