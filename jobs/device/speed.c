#include "speed.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/digest.h"
#include "cpu/engine.h"
#include "machine/machine.h"
#include "work.h"

/* The rates of each kind of work, in columns: nanoseconds a word on the core of reference, and whether another core is
 * compared with it by its vectors; bytes a word in a GPU's memory; and cycles a word of one of its multiprocessors,
 * where transforms are in FP64 and where they are in integers. A transform is measured on a core, and its cycles are
 * for each of its levels. Fitted to `hebatch bench` of bfv-8192, bfv-32768, ckks-14 and ckks-16 on an Intel Xeon with
 * AVX-512, and of bfv-8192, bfv-32768 and ckks-16 on an H200. */
static const struct {
    double core;
    bool vectors;
    double bytes, f64, u64;
} rates[HB_COST_KINDS] = {
    [HB_COST_CORE] = {0, false, 0, 0, 0},          [HB_COST_TRANSFORMS] = {0, false, 16, 0.039, 0.115},
    [HB_COST_WORDS] = {0.6, false, 8, 0, 0},       [HB_COST_CONVERSIONS] = {0.6, true, 0, 0.26, 0.26},
    [HB_COST_DIGESTS] = {7.5, false, 8, 2.1, 2.1}, [HB_COST_DRAWS] = {25, false, 8, 5.7, 5.7},
    [HB_COST_ONCE] = {0.6, false, 8, 0, 0},        [HB_COST_LAUNCHES] = {0, false, 0, 0, 0},
    [HB_COST_GATHERED] = {0, false, 0, 0, 0},      [HB_COST_SLICED] = {0, false, 0, 0, 0},
    [HB_COST_TRANSFERS] = {0, false, 0, 0, 0}};
/* A kernel that follows another, with what the host does for it. */
static const double launch_seconds = 4e-6;
/* The core of reference: nanoseconds of a butterfly in FP64, by which vectors are compared, and of a byte that is
 * digested, by which all else is. */
static const double reference_butterfly = 0.37, reference_digest = 1.2;
/* Tables of a coefficient of a modulus. */
static const double core_table_seconds = 60e-9, gpu_table_seconds = 4e-9;
/* Opening an exchange: communicators of NCCL, which find one another; and its measurement. */
static const double nccl_opening = 0.9, mpi_opening = 0.05;
/* Transforms of one limb on a core that the check of all operations of a GPU comes to. */
static const double checking = 9000;

/* Stands for what is not known of a GPU. */
static const hb_cuda_device h100 = {.multiprocessors = 132, .clock = 1.98e9, .bandwidth = 2.9e12};

enum { TIMES = 4, SAMPLE = 1 << 16, MOST_KEY_THREADS = 16 };

/* Returns the seconds of one transform of a limb of the first prime, the fastest of some: the first meets cold caches
 * and a processor that has not sped up yet. */
static hb_status time_transform(const hb_params *params, double *seconds)
{
    hb_ring *ring = malloc(sizeof *ring);
    hb_engine *engine = NULL;
    hb_batch x = {0};
    uint16_t id;
    hb_status st = HB_OK;
    if (ring == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a transform");
    }
    /* A ring of one prime: the tables of all of them would take longer than the measuring. */
    HB_GOTO(hb_ring_init(ring, params->ring.log_n));
    HB_GOTO(hb_ring_add_modulus(ring, params->spec.primes[0], &id));
    HB_GOTO(hb_cpu_engine_open(ring, &engine));
    HB_GOTO(hb_batch_alloc(engine, &x, 1, 1, &id));
    /* Zeros take as long as anything else: transforms do not depend on their values. */
    HB_GOTO(hb_clear(engine, x));
    for (int i = 0; i < TIMES; i++) {
        const double begun = hb_now();
        HB_GOTO(hb_ntt(engine, x));
        HB_GOTO(hb_finish(engine));
        const double taken = hb_now() - begun;
        *seconds = i == 0 || taken < *seconds ? taken : *seconds;
    }
done:
    hb_batch_free(engine, &x);
    hb_engine_close(engine);
    free(ring);
    return st;
}

/* Returns the seconds of digesting a byte. */
static hb_status time_digest(double *seconds)
{
    uint8_t *bytes = calloc(1, SAMPLE), sum[HB_DIGEST_BYTES];
    if (bytes == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a digest");
    }
    for (int i = 0; i < TIMES; i++) {
        hb_digest_state state;
        const double begun = hb_now();
        hb_digest_begin(&state, "hebatch speed");
        hb_digest_add(&state, bytes, SAMPLE);
        hb_digest_end(&state, sum);
        const double taken = (hb_now() - begun) / SAMPLE;
        *seconds = i == 0 || taken < *seconds ? taken : *seconds;
    }
    free(bytes);
    return HB_OK;
}

static double words_of(const hb_params *params)
{
    return (double)params->ring.n;
}

hb_status hb_speed_of_core(const hb_params *params, hb_speed_share share, hb_speed *speed)
{
    double transform = 0, digest = 0;
    HB_TRY(time_transform(params, &transform));
    HB_TRY(time_digest(&digest));
    *speed = (hb_speed){.core = digest * 1e9 / reference_digest,
                        .tables = core_table_seconds * params->ring.count * words_of(params),
                        .batch_bytes = HB_CPU_BATCH_BYTES,
                        .workers = share.workers > 0 ? (uint32_t)share.workers : 1,
                        .files = share.files > 0 ? share.files : 1,
                        .processors = hb_machine_processors_each(share.ranks > 0 ? share.ranks : 1)};
    speed->key_threads = speed->processors < MOST_KEY_THREADS ? speed->processors : MOST_KEY_THREADS;
    speed->key_threads = speed->key_threads > 2 ? speed->key_threads : 2;
    const double butterflies = words_of(params) * params->ring.log_n / 2;
    const double vectors = transform * 1e9 / butterflies / reference_butterfly;
    for (int k = 0; k < HB_COST_KINDS; k++) {
        speed->each.of[k] = rates[k].core * 1e-9 * words_of(params) * (rates[k].vectors ? vectors : speed->core);
    }
    speed->each.of[HB_COST_TRANSFORMS] = transform;
    speed->tables *= speed->core;
    return HB_OK;
}

void hb_speed_of_gpu(const hb_params *params, const hb_cuda_device *card, bool checks, hb_speed *speed)
{
    const bool known = card->multiprocessors > 0;
    const bool f64 = (card->fast_f64 || !known) && params->ring.moduli[0].f64 != 0;
    /* GPUs before compute capability 9.0 have half as many units of FP64. */
    const double slower = f64 && known && card->major < 9 ? 2 : 1;
    const double clock = card->clock > 0 ? card->clock : h100.clock, words = words_of(params);
    const double bandwidth = card->bandwidth > 0 ? card->bandwidth : h100.bandwidth;
    const double cycles = (known ? card->multiprocessors : h100.multiprocessors) * clock;
    const double checked = checks ? checking * speed->each.of[HB_COST_TRANSFORMS] : 0;
    enum { WORKERS = 3 };
    speed->gpu = true;
    speed->check = checked;
    speed->tables = gpu_table_seconds * params->ring.count * words;
    speed->batch_bytes = 0;
    speed->workers = speed->workers > 1 ? speed->workers : WORKERS;
    for (int k = 0; k < HB_COST_KINDS; k++) {
        const double each = f64 ? rates[k].f64 * (k == HB_COST_TRANSFORMS ? slower : 1) : rates[k].u64;
        const double levels = k == HB_COST_TRANSFORMS ? params->ring.log_n : 1;
        speed->each.of[k] = words * (rates[k].bytes / bandwidth + each * levels / cycles);
    }
    speed->each.of[HB_COST_LAUNCHES] = launch_seconds;
}

void hb_speed_divide(const hb_params *params, const hb_exchange_cost *cost, bool one_thread, hb_speed *speed)
{
    const double limb = words_of(params) * sizeof(uint64_t);
    if (params->map.members <= 1) {
        return;
    }
    speed->share = hb_work_limb_share(params);
    speed->opening = one_thread ? mpi_opening : nccl_opening;
    speed->visible = cost->visible;
    speed->workers = one_thread ? 1 : speed->workers;
    speed->each.of[HB_COST_GATHERED] = limb * cost->byte[HB_ALL_GATHER];
    speed->each.of[HB_COST_SLICED] = limb * cost->byte[HB_ALL_TO_ALL];
    speed->each.of[HB_COST_TRANSFERS] = (cost->start[HB_ALL_GATHER] + cost->start[HB_ALL_TO_ALL]) / 2;
}
