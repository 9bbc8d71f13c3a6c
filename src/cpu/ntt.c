#include "ntt.h"

#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"

/* --- the transform one word at a time
 *
 * By Harvey's lazy butterflies, for rows too short for vectors. Words stay in [0, 4m) forward and in [0, 2m) inverse,
 * which m < 2^61 leaves room for. */

static void forward(const hb_cpu_ntt *t, uint64_t *x, const hb_cpu_source *from)
{
    memmove(x, from->words, t->n * sizeof *x);
    const uint64_t m = t->modulus.value;
    /* From one group of N / 2 pairs to N / 2 groups of one. */
    for (size_t groups = 1; groups < t->n; groups *= 2) {
        const size_t gap = t->n / 2 / groups;
        for (size_t g = 0; g < groups; g++) {
            const uint64_t w = t->w[groups + g], quotient = t->w[t->groups + groups + g];
            for (size_t j = 2 * gap * g; j < 2 * gap * g + gap; j++) {
                /* a < 2m and b < 2m: the sum is below 4m, and a + 2m - b is in (0, 4m). */
                const uint64_t a = hb_correct(x[j], 2 * m), b = hb_mul_shoup_lazy(x[j + gap], w, quotient, m);
                x[j] = a + b;
                x[j + gap] = a + 2 * m - b;
            }
        }
    }
    for (size_t j = 0; j < t->n; j++) {
        x[j] = hb_correct(hb_correct(x[j], 2 * m), m);
    }
}

static void inverse(const hb_cpu_ntt *t, uint64_t *x, const uint64_t *last)
{
    const uint64_t m = t->modulus.value;
    /* The mirror image, except the last stage. */
    for (size_t groups = t->n / 2; groups >= 2; groups /= 2) {
        const size_t gap = t->n / 2 / groups;
        for (size_t g = 0; g < groups; g++) {
            const uint64_t w = t->iw[groups + g], quotient = t->iw[t->groups + groups + g];
            for (size_t j = 2 * gap * g; j < 2 * gap * g + gap; j++) {
                /* Both are below 2m; a product takes any word. */
                const uint64_t a = x[j], b = x[j + gap];
                x[j] = hb_correct(a + b, 2 * m);
                x[j + gap] = hb_mul_shoup_lazy(a + 2 * m - b, w, quotient, m);
            }
        }
    }
    /* The last stage multiplies sums and differences by 1/N as well. */
    for (size_t j = 0; j < t->n / 2; j++) {
        const uint64_t a = x[j], b = x[j + t->n / 2];
        x[j] = hb_mul_shoup(a + b, last[0], last[2], m);
        x[j + t->n / 2] = hb_mul_shoup(a + 2 * m - b, last[1], last[3], m);
    }
}

/* The transform one word at a time, for any N. */
static const hb_cpu_transform word_by_word = {.planes = 2, .forward = forward, .inverse = inverse};

/* --- tables */

/* Plans which stages of a transform reduce. Bounds are multiples of the modulus. */

/* Returns the stages of the pass that begins at stage s. A pass of stage 0 alone never reduces, against the plan:
 * forward it need not, and inverse its sums go into a product. */
static uint32_t stages_of(const hb_cpu_ntt *t, uint32_t s)
{
    return s >= t->outer || (s == 0 && t->outer % 2 == 1) ? 1 : 2;
}

/* Plans a transform in integers. Words that no stage reduces grow by 4 m a stage, and are below 2 m before
 * (ntt_u64.c). */
static void plan_integer(hb_cpu_ntt *t)
{
    const bool lazy = 4 * (uint64_t)t->log_n + 2 <= UINT64_MAX / t->modulus.value;
    for (uint32_t s = t->outer % 2; s < t->log_n; s += stages_of(t, s)) {
        t->reductions[s] = lazy ? 0 : (uint8_t)stages_of(t, s);
        t->inverse_reductions[s] = (uint8_t)stages_of(t, s);
    }
}

/* Return the bound of words after one stage that words within `bound` enter (ntt_f64.c). */
static double forward_bound(double bound, double p, bool reduce)
{
    const double product = 0.5 + bound * p / (2 * HB_F64_TWO52);
    return product + (reduce ? 0.5 + 1 / p : bound);
}

static double inverse_bound(double bound, double p, bool reduce)
{
    const double product = 0.5 + 2 * bound * p / (2 * HB_F64_TWO52);
    const double sum = reduce ? 0.5 + 1 / p : 2 * bound;
    return sum > product ? sum : product;
}

/* Returns how few reductions keep a pass of `stages` stages in range, in the stages that run last, and updates
 * *bound. */
static uint8_t plan_pass(double *bound, double p, uint32_t stages, double (*next)(double, double, bool), double room)
{
    for (uint8_t reductions = 0; reductions <= stages; reductions++) {
        double b = *bound;
        bool fits = true;
        for (uint32_t k = 0; k < stages; k++) {
            b = next(b, p, k + reductions >= stages);
            fits = fits && b * p < room;
        }
        if (fits) {
            *bound = b;
            return reductions;
        }
    }
    /* Not reached: for p < 2^50 a stage that reduces leaves words below 2 p, in range for any words that entered in
     * range. */
    HB_ASSERT(false);
    return 0;
}

/* Plans a transform in FP64. Forward the first pass may be one stage, and the tiles' stages are passes of their own;
 * inverse passes run in the opposite order. */
static void plan_f64(hb_cpu_ntt *t)
{
    const double p = t->modulus.f64_value;
    double bound = 1;
    for (uint32_t s = 0; s < t->log_n; s += stages_of(t, s)) {
        t->reductions[s] = plan_pass(&bound, p, stages_of(t, s), forward_bound, HB_F64_TWO52);
    }
    bound = 1;
    for (uint32_t s = t->log_n; s > 0;) {
        const uint32_t stages = s > t->outer || s == 1 ? 1 : 2;
        s -= stages;
        t->inverse_reductions[s] = plan_pass(&bound, p, stages, inverse_bound, HB_F64_TWO52 / 2);
    }
}

/* Plans the reductions of t, the rest of which is complete. The ranges stand in ntt_f64.c and ntt_u64.c. */
static void plan_reductions(hb_cpu_ntt *t)
{
    if (t->transform->planes == 2) {
        plan_integer(t);
    } else {
        plan_f64(t);
    }
}

/* Writes w as the transform's arithmetic multiplies by it; its planes are `apart` words apart. */
static void put_factor(const hb_cpu_ntt *t, uint64_t *to, size_t apart, uint64_t w)
{
    if (t->transform->planes == 2) {
        to[0] = w;
        to[apart] = hb_shoup_quotient(w, t->modulus.value);
    } else {
        const double balanced = hb_f64_balanced(w, t->modulus.value);
        memcpy(to, &balanced, sizeof balanced);
    }
}

/* Fills the twiddles of the stages of tiles. Factor i of stage k of block b is w[2^(outer + k) + (b << k) + i]; lane b
 * % lanes of a vector has block b. */
static void fill_tiles(const hb_cpu_ntt *t, const uint64_t *w, uint64_t *tile_w)
{
    const uint32_t planes = t->transform->planes;
    const size_t factors = (size_t)2 * t->lanes - 1; /* 1 + 2 + .. + lanes */
    for (size_t b = 0; b < t->groups; b++) {
        /* A vector of twiddles has one word for each of `lanes` neighbouring blocks. */
        uint64_t *lane = tile_w + b / t->lanes * factors * planes * t->lanes + b % t->lanes;
        for (uint32_t k = 0; k < HB_TILE_STAGES(t->lanes); k++) {
            for (size_t i = 0; i < (size_t)1 << k; i++, lane += (size_t)planes * t->lanes) {
                put_factor(t, lane, t->lanes, w[((t->groups + b) << k) + i]);
            }
        }
    }
}

/* Fills the twiddles of one direction from the powers of its root. */
static hb_status fill_twiddles(const hb_cpu_ntt *t, uint64_t root, uint64_t *w, uint64_t *tile_w)
{
    uint64_t *powers = malloc(t->n * sizeof *powers);
    if (powers == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the twiddles of %zu words", t->n);
    }
    hb_ring_powers(powers, root, t->log_n, &t->modulus);
    /* Entry 0 has no use: groups start at w[1]. */
    for (size_t g = 1; g < t->groups; g++) {
        put_factor(t, w + g, t->groups, powers[g]);
    }
    fill_tiles(t, powers, tile_w);
    free(powers);
    return HB_OK;
}

/* Allocates one block of memory for all tables: they live and die together. The tiles' tables come first, as they are
 * loaded as whole vectors. */
static hb_status alloc_tables(hb_cpu_ntt *t)
{
    const size_t line = 64; /* bytes */
    const size_t tiles = t->lanes > 1 ? (2 * (size_t)t->lanes - 1) * t->groups : 0;
    const size_t words = 2 * t->transform->planes * (t->groups + tiles);
    void *memory = NULL;
    if (posix_memalign(&memory, line, words * sizeof *t->w) != 0) {
        return HB_FAIL(HB_ENOMEM, "no memory for the transform tables of %zu words", words);
    }
    t->tile_w = memory;
    t->tile_iw = t->tile_w + tiles * t->transform->planes;
    t->w = t->tile_iw + tiles * t->transform->planes;
    t->iw = t->w + t->groups * t->transform->planes;
    return HB_OK;
}

hb_status hb_cpu_ntt_init(hb_cpu_ntt *t, const hb_cpu_kernels *kernels, const hb_modulus *m, uint32_t log_n,
                          uint64_t psi)
{
    memset(t, 0, sizeof *t);
    t->modulus = *m;
    t->log_n = log_n;
    t->n = (size_t)1 << log_n;
    /* psi^N = -1 makes psi a primitive 2N-th root. */
    HB_ASSERT(hb_mod_pow(psi, t->n, m) == m->value - 1);
    const bool small = t->n < (size_t)4 * kernels->lanes * kernels->lanes; /* two tiles */
    t->lanes = small ? 1 : kernels->lanes;
    t->transform = m->f64 ? kernels->ntt_f64 : kernels->ntt_u64;
    if (small) {
        t->transform = &word_by_word;
    }
    t->outer = log_n - HB_TILE_STAGES(t->lanes);
    t->groups = (size_t)1 << t->outer;
    HB_TRY(alloc_tables(t));
    const uint64_t inverse = hb_mod_inverse(psi, m);
    /* 1/N, and 1/N times the inverse twiddle of group 0 of the last stage, psi^-(N/2). */
    t->last[0] = hb_mod_inverse(hb_mod_reduce(t->n, m), m);
    t->last[1] = hb_mod_mul(t->last[0], hb_mod_pow(inverse, t->n / 2, m), m);
    hb_status st = fill_twiddles(t, psi, t->w, t->tile_w);
    if (st == HB_OK) {
        st = fill_twiddles(t, inverse, t->iw, t->tile_iw);
    }
    if (st != HB_OK) {
        hb_cpu_ntt_clear(t);
        return st;
    }
    plan_reductions(t);
    return HB_OK;
}

void hb_cpu_ntt_clear(hb_cpu_ntt *t)
{
    free(t->tile_w);
    memset(t, 0, sizeof *t);
}

void hb_cpu_ntt_forward(const hb_cpu_ntt *t, uint64_t *x)
{
    const hb_cpu_source in_place = {.words = x};
    t->transform->forward(t, x, &in_place);
}

void hb_cpu_ntt_inverse(const hb_cpu_ntt *t, uint64_t *x)
{
    hb_cpu_ntt_inverse_scaled(t, x, 1);
}

void hb_cpu_ntt_inverse_scaled(const hb_cpu_ntt *t, uint64_t *x, uint64_t factor)
{
    /* The factor is multiplied into the constants of the last stage. */
    uint64_t last[2 * 2]; /* planes */
    for (size_t i = 0; i < 2; i++) {
        put_factor(t, last + i, 2, hb_mod_mul(t->last[i], factor, &t->modulus));
    }
    t->transform->inverse(t, x, last);
}
