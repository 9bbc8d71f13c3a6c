#include <stdlib.h>

#include "cpu_ntt_f64.h"
#include "modarith.h"

/* Stages from the first to the last, as they run; B as in cpu_ntt_f64.h. */
static void plan_reductions(hb_cpu_ntt *t)
{
    const double p = t->modulus.f64_value;
    const double limit = HB_F64_TWO52;
    double bound = 1;
    for (uint32_t s = 0; s < t->log_n; s++) {
        double product = 0.5 + bound * p / (2 * limit);
        t->f64_reduce[s] = (bound + product) * p >= limit;
        bound = product + (t->f64_reduce[s] ? 0.5 + 1 / p : bound);
        HB_ASSERT(bound * p < limit);
    }
    bound = 1;
    for (uint32_t s = t->log_n; s-- > 0;) {
        double product = 0.5 + 2 * bound * p / (2 * limit);
        t->f64_ireduce[s] = 4 * bound * p >= limit;
        double sum = t->f64_ireduce[s] ? 0.5 + 1 / p : 2 * bound;
        bound = sum > product ? sum : product;
        HB_ASSERT(2 * bound * p < limit);
    }
}

/* Twiddle i of stage k (1 << k groups a block) of block b: w[(N / TILE + b) << k | i], stored [b / LANES][15][b %
 * LANES]. */
static void fill_tile(const hb_cpu_ntt *t, const double *w, double *tile_w)
{
    const size_t blocks = t->n / TILE;
    for (size_t b = 0; b < blocks; b++) {
        double *lane = tile_w + b / LANES * TILE_TWIDDLES * LANES + b % LANES;
        for (size_t k = 0; k < TILE_STAGES; k++) {
            for (size_t i = 0; i < (size_t)1 << k; i++) {
                lane[(((size_t)1 << k) - 1 + i) * LANES] = w[((blocks + b) << k) + i];
            }
        }
    }
}

hb_status hb_cpu_ntt_f64_init(hb_cpu_ntt *t)
{
    const uint64_t p = t->modulus.value;
    void *memory = NULL;
    if (posix_memalign(&memory, 64, 4 * t->n * sizeof(double)) != 0) {
        return HB_FAIL(HB_ENOMEM, "no memory for the transform tables of %zu doubles", 4 * t->n);
    }
    t->f64_w = memory;
    t->f64_iw = t->f64_w + t->n;
    t->f64_tile_w = t->f64_w + 2 * t->n;
    t->f64_tile_iw = t->f64_w + 3 * t->n;
    for (size_t i = 0; i < t->n; i++) {
        t->f64_w[i] = hb_f64_balanced(t->w[i], p);
        t->f64_iw[i] = hb_f64_balanced(t->iw[i], p);
    }
    t->f64_inverse_n = hb_f64_balanced(t->inverse_n, p);
    /* The last inverse stage has a single twiddle: 1/N goes into it, and into its sum. */
    t->f64_iw[1] = hb_f64_balanced(hb_mod_mul(t->iw[1], t->inverse_n, &t->modulus), p);
    if (hb_has_tiles(t)) {
        fill_tile(t, t->f64_w, t->f64_tile_w);
        fill_tile(t, t->f64_iw, t->f64_tile_iw);
    }
    plan_reductions(t);
    return HB_OK;
}
