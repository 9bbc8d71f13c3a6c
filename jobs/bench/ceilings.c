/* Measures the machine's peak rates of the operations that items consist of (floor.c). */
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/digest.h"
#include "base/modarith.h"
#include "base/seed.h"
#include "bench_private.h"
#include "cpu/kernels.h"
#include "cuda/ceilings/ceilings.h"

enum {
    COPIED = 128 << 20, /* bytes, beyond any cache */
    CACHED = 1 << 16,
    WORDS = 1024 /* of each operand of the butterflies: both in a first-level cache */
};

/* The operands of the loops on a core. */
typedef struct work {
    uint8_t *from, *to;
    hb_seed seed;
    uint64_t x[WORDS], y[WORDS];
    double fx[WORDS], fy[WORDS];
} work;

/* Computes butterflies in a first-level cache. Numbers may leave the range in which they are exact, but not that in
 * which they take their usual time: the twiddle is small. */
HB_CLONES static void f64_butterflies(double *x, double *y, double w, double m, double inverse)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < WORDS; j++) {
        const double product = hb_f64_mul(y[j], w, m, inverse), a = x[j];
        x[j] = a + product;
        y[j] = a - product;
    }
}

static hb_status copy(void *argument)
{
    work *w = argument;
    memcpy(w->to, w->from, COPIED);
    __asm__ volatile("" : : "r"(w->to) : "memory"); /* or the compiler may see that it is never read */
    return HB_OK;
}

static hb_status f64(void *argument)
{
    work *w = argument;
    const double m = 0x1ffffffe48001; /* any prime of 49 bits */
    f64_butterflies(w->fx, w->fy, 3, m, 1 / m);
    return HB_OK;
}

static hb_status u64(void *argument)
{
    work *w = argument;
    hb_modulus m;
    HB_TRY(hb_modulus_init(&m, 0x7fffffffe90001)); /* any prime of 55 bits */
    hb_cpu_kernels_at(0)->butterflies(w->x, w->y, 3, WORDS, &m);
    return HB_OK;
}

static hb_status keystream(void *argument)
{
    work *w = argument;
    /* In a cache, so that writing it costs little. */
    hb_keystream(w->to, CACHED, (hb_draw){&w->seed, HB_DRAW_UNIFORM, 0}, 0);
    return HB_OK;
}

static hb_status digest(void *argument)
{
    work *w = argument;
    uint8_t sum[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch bench");
    hb_digest_add(&state, w->from, CACHED);
    hb_digest_end(&state, sum);
    return HB_OK;
}

/* Measures the ceilings of one core, a loop for each. */
static hb_status measure_core(hb_bench_pace pace, hb_rates *ceilings)
{
    static const struct {
        hb_bench_body body;
        double amount; /* of one call */
    } loops[] = {[HB_CEILING_MEMORY] = {copy, 2.0 * COPIED},
                 [HB_CEILING_F64] = {f64, WORDS},
                 [HB_CEILING_U64] = {u64, WORDS},
                 [HB_CEILING_KEYSTREAM] = {keystream, CACHED / 64.0},
                 [HB_CEILING_DIGEST] = {digest, CACHED / 128.0}};
    work *w = calloc(1, sizeof *w);
    hb_status st = HB_OK;
    if (w == NULL || (w->from = malloc(COPIED)) == NULL || (w->to = malloc(COPIED)) == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the ceilings"));
    }
    /* Touched once, so that the loops do not measure how the system gives memory out. */
    memset(w->from, 1, COPIED);
    memset(w->to, 2, COPIED);
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        hb_timing timing;
        HB_GOTO(hb_bench_time(pace, NULL, loops[i].body, w, &timing));
        ceilings->of[i] = loops[i].amount / timing.median;
    }
done:
    if (w != NULL) {
        free(w->from);
        free(w->to);
    }
    free(w);
    return st;
}

hb_status hb_bench_link(const hb_device *device, hb_rates *ceilings)
{
    hb_cuda_link link = {0};
    if (device->gpu) {
        HB_TRY(hb_cuda_link_measure(&device->card, device->memory, &link));
    }
    ceilings->of[HB_CEILING_UPLOAD] = link.upload;
    ceilings->of[HB_CEILING_DOWNLOAD] = link.download;
    ceilings->of[HB_CEILING_BOTH] = link.both;
    return HB_OK;
}

hb_status hb_bench_ceilings(const hb_device *device, double seconds, bool processor, hb_rates *ceilings)
{
    *ceilings = (hb_rates){0};
    if (!device->gpu) {
        return measure_core((hb_bench_pace){.seconds = seconds, .processor = processor}, ceilings);
    }
    hb_cuda_ceilings found;
    HB_TRY(hb_cuda_ceilings_measure(&device->card, device->memory, &found));
    ceilings->of[HB_CEILING_MEMORY] = found.copy;
    ceilings->of[HB_CEILING_F64] = found.f64_butterflies;
    ceilings->of[HB_CEILING_U64] = found.u64_butterflies;
    ceilings->of[HB_CEILING_KEYSTREAM] = found.chacha_blocks;
    ceilings->of[HB_CEILING_DIGEST] = found.blake2b_blocks;
    return hb_bench_link(device, ceilings);
}
