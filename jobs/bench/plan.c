#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "base/seed.h"
#include "cuda/engine/engine.h"

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

static hb_status measure_all(rig *r, hb_ring *ring)
{
    uint32_t log_n = 0; /* of the rig */
    for (uint32_t row = 0; row < HB_NTT_PLAN_ROWS; row++) {
        const hb_ntt_kind kind = hb_ntt_kind_of(row);
        if (!is_a_choice(r->device, kind)) {
            continue;
        }
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
