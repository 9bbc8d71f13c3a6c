/* The transform with FP64 fused multiply-adds, for primes below 2^50. All loops run over adjacent doubles and
 * vectorise. Ranges: cpu_ntt_f64.h. */
#include "cpu_ntt_f64.h"
#include "clones.h"
#include "modarith.h"

typedef double tile[TILE][LANES];

/* A modulus as the loops want it. */
typedef struct prime {
    double p, inverse;
} prime;

HB_CLONED_INLINE void butterfly(double *x, double *y, double w, prime m, bool reduce)
{
    double a = reduce ? hb_f64_reduce(*x, m.p, m.inverse) : *x;
    double b = hb_f64_mul(*y, w, m.p, m.inverse);
    *x = a + b;
    *y = a - b;
}

HB_CLONED_INLINE void inverse_butterfly(double *x, double *y, double w, prime m, bool reduce)
{
    double sum = *x + *y;
    *y = hb_f64_mul(*x - *y, w, m.p, m.inverse);
    *x = reduce ? hb_f64_reduce(sum, m.p, m.inverse) : sum;
}

HB_CLONED_INLINE void forward_stage(double *restrict x, double *restrict y, size_t gap, double w, prime m, bool reduce)
{
    for (size_t j = 0; j < gap; j++) {
        butterfly(&x[j], &y[j], w, m, reduce);
    }
}

HB_CLONED_INLINE void inverse_stage(double *restrict x, double *restrict y, size_t gap, double w, prime m, bool reduce)
{
    for (size_t j = 0; j < gap; j++) {
        inverse_butterfly(&x[j], &y[j], w, m, reduce);
    }
}

/* Twiddles of two stages of one group: that of the outer stage, pairs 2 q apart, and the two of the inner one. */
typedef struct twiddles {
    double outer, inner[2];
} twiddles;

HB_CLONED_INLINE twiddles group_twiddles(const double *w, size_t group)
{
    return (twiddles){w[group], {w[2 * group], w[2 * group + 1]}};
}

/* Both stages on one group: four quarters of q elements. The flags are constants in each loop, which so has no branch.
 */
HB_CLONED_INLINE void forward_quarters(double *restrict x0, double *restrict x1, double *restrict x2,
                                       double *restrict x3, size_t q, twiddles w, prime m, bool reduce_outer,
                                       bool reduce_inner)
{
    for (size_t j = 0; j < q; j++) {
        double a = x0[j], b = x1[j], c = x2[j], d = x3[j];
        butterfly(&a, &c, w.outer, m, reduce_outer);
        butterfly(&b, &d, w.outer, m, reduce_outer);
        butterfly(&a, &b, w.inner[0], m, reduce_inner);
        butterfly(&c, &d, w.inner[1], m, reduce_inner);
        x0[j] = a;
        x1[j] = b;
        x2[j] = c;
        x3[j] = d;
    }
}

HB_CLONED_INLINE void forward_two_stages(double *x, size_t q, twiddles w, prime m, const bool *reduce)
{
    double *x1 = x + q, *x2 = x + 2 * q, *x3 = x + 3 * q;
    if (reduce[0] && reduce[1]) {
        forward_quarters(x, x1, x2, x3, q, w, m, true, true);
    } else if (reduce[0]) {
        forward_quarters(x, x1, x2, x3, q, w, m, true, false);
    } else if (reduce[1]) {
        forward_quarters(x, x1, x2, x3, q, w, m, false, true);
    } else {
        forward_quarters(x, x1, x2, x3, q, w, m, false, false);
    }
}

HB_CLONED_INLINE void inverse_quarters(double *restrict x0, double *restrict x1, double *restrict x2,
                                       double *restrict x3, size_t q, twiddles w, prime m, bool reduce_outer,
                                       bool reduce_inner)
{
    for (size_t j = 0; j < q; j++) {
        double a = x0[j], b = x1[j], c = x2[j], d = x3[j];
        inverse_butterfly(&a, &b, w.inner[0], m, reduce_inner);
        inverse_butterfly(&c, &d, w.inner[1], m, reduce_inner);
        inverse_butterfly(&a, &c, w.outer, m, reduce_outer);
        inverse_butterfly(&b, &d, w.outer, m, reduce_outer);
        x0[j] = a;
        x1[j] = b;
        x2[j] = c;
        x3[j] = d;
    }
}

HB_CLONED_INLINE void inverse_two_stages(double *x, size_t q, twiddles w, prime m, const bool *reduce)
{
    double *x1 = x + q, *x2 = x + 2 * q, *x3 = x + 3 * q;
    if (reduce[0] && reduce[1]) {
        inverse_quarters(x, x1, x2, x3, q, w, m, true, true);
    } else if (reduce[0]) {
        inverse_quarters(x, x1, x2, x3, q, w, m, true, false);
    } else if (reduce[1]) {
        inverse_quarters(x, x1, x2, x3, q, w, m, false, true);
    } else {
        inverse_quarters(x, x1, x2, x3, q, w, m, false, false);
    }
}

/* --- the four stages inside blocks ---------------------------------------------------------------------------------
 */

HB_CLONED_INLINE void tile_load(tile to, const double *from)
{
    for (size_t v = 0; v < LANES; v++) {
        for (size_t e = 0; e < TILE; e++) {
            to[e][v] = from[v * TILE + e];
        }
    }
}

HB_CLONED_INLINE void tile_store(double *to, tile from)
{
    for (size_t v = 0; v < LANES; v++) {
        for (size_t e = 0; e < TILE; e++) {
            to[v * TILE + e] = from[e][v];
        }
    }
}

HB_CLONED_INLINE void tile_forward(tile x, const double *w, prime m, const bool *reduce)
{
    for (size_t k = 0; k < TILE_STAGES; k++) {
        const size_t gap = TILE >> (k + 1);
        for (size_t i = 0; i < (size_t)1 << k; i++, w += LANES) {
            for (size_t e = 2 * gap * i; e < 2 * gap * i + gap; e++) {
                for (size_t v = 0; v < LANES; v++) {
                    butterfly(&x[e][v], &x[e + gap][v], w[v], m, reduce[k]);
                }
            }
        }
    }
}

HB_CLONED_INLINE void tile_inverse(tile x, const double *w, prime m, const bool *reduce)
{
    for (size_t k = TILE_STAGES; k-- > 0;) {
        const size_t gap = TILE >> (k + 1);
        const double *stage = w + (((size_t)1 << k) - 1) * LANES;
        for (size_t i = 0; i < (size_t)1 << k; i++, stage += LANES) {
            for (size_t e = 2 * gap * i; e < 2 * gap * i + gap; e++) {
                for (size_t v = 0; v < LANES; v++) {
                    inverse_butterfly(&x[e][v], &x[e + gap][v], stage[v], m, reduce[k]);
                }
            }
        }
    }
}

/* --- whole transforms ----------------------------------------------------------------------------------------------
 */

HB_CLONES static void from_words(double *restrict to, const uint64_t *restrict from, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        to[j] = hb_f64_from_word(from[j]);
    }
}

HB_CLONES static void to_words(uint64_t *restrict to, const double *restrict from, size_t n, const hb_modulus *m)
{
    const double p = m->f64_value, inverse = m->f64_inverse;
    const uint64_t value = m->value;
    for (size_t j = 0; j < n; j++) {
        to[j] = hb_f64_residue(hb_f64_reduce(from[j], p, inverse), value);
    }
}

HB_CLONES static void forward(const hb_cpu_ntt *t, double *x)
{
    const prime m = {t->modulus.f64_value, t->modulus.f64_inverse};
    const double *w = t->f64_w;
    const uint32_t outer = hb_has_tiles(t) ? t->log_n - TILE_STAGES : t->log_n;
    uint32_t s = 0;
    if (outer % 2 == 1) {
        forward_stage(x, x + t->n / 2, t->n / 2, w[1], m, t->f64_reduce[0]);
        s = 1;
    }
    for (; s < outer; s += 2) {
        const size_t groups = (size_t)1 << s, q = t->n >> (s + 2);
        for (size_t g = 0; g < groups; g++) {
            forward_two_stages(x + 4 * q * g, q, group_twiddles(w, groups + g), m, t->f64_reduce + s);
        }
    }
    for (size_t b = 0; outer < t->log_n && b < t->n / TILE; b += LANES) {
        tile x_tile;
        tile_load(x_tile, x + b * TILE);
        tile_forward(x_tile, t->f64_tile_w + b * TILE_TWIDDLES, m, t->f64_reduce + outer);
        tile_store(x + b * TILE, x_tile);
    }
}

HB_CLONES static void inverse(const hb_cpu_ntt *t, double *x)
{
    const prime m = {t->modulus.f64_value, t->modulus.f64_inverse};
    const double *w = t->f64_iw;
    const uint32_t outer = hb_has_tiles(t) ? t->log_n - TILE_STAGES : t->log_n;
    for (size_t b = 0; outer < t->log_n && b < t->n / TILE; b += LANES) {
        tile x_tile;
        tile_load(x_tile, x + b * TILE);
        tile_inverse(x_tile, t->f64_tile_iw + b * TILE_TWIDDLES, m, t->f64_ireduce + outer);
        tile_store(x + b * TILE, x_tile);
    }
    /* All but stage 0, in pairs from the last; an odd one out comes alone. */
    uint32_t s = outer;
    for (; s >= 3; s -= 2) {
        const size_t groups = (size_t)1 << (s - 2), q = t->n >> s;
        for (size_t g = 0; g < groups; g++) {
            inverse_two_stages(x + 4 * q * g, q, group_twiddles(w, groups + g), m, t->f64_ireduce + s - 2);
        }
    }
    if (s == 2) {
        inverse_stage(x, x + t->n / 4, t->n / 4, w[2], m, t->f64_ireduce[1]);
        inverse_stage(x + t->n / 2, x + 3 * t->n / 4, t->n / 4, w[3], m, t->f64_ireduce[1]);
    }
    for (size_t j = 0; j < t->n / 2; j++) {
        double a = x[j], b = x[j + t->n / 2];
        x[j] = hb_f64_mul(a + b, t->f64_inverse_n, m.p, m.inverse);
        x[j + t->n / 2] = hb_f64_mul(a - b, w[1], m.p, m.inverse);
    }
}

void hb_cpu_ntt_f64_forward(const hb_cpu_ntt *t, uint64_t *x, double *work)
{
    from_words(work, x, t->n);
    forward(t, work);
    to_words(x, work, t->n, &t->modulus);
}

void hb_cpu_ntt_f64_inverse(const hb_cpu_ntt *t, uint64_t *x, double *work)
{
    from_words(work, x, t->n);
    inverse(t, work);
    to_words(x, work, t->n, &t->modulus);
}
