/* Slots to coefficients and back, coefficients to residues and back, where coefficients are double-doubles
 * (base/double_double.h and ring/real_arith.h have the arithmetic of one number). */
#include "base/bits.h"
#include "cpu_private.h"
#include "ring/real_ops.h"

/* A double in memory of words. */
typedef double __attribute__((may_alias)) real;

/* Some of N/2 complex numbers: each part is a sum of two doubles, in rows of their own. */
typedef struct wide {
    real *re, *im, *re_low, *im_low;
} wide;

/* The same of roots of unity. */
typedef struct roots {
    const double *re, *im, *re_low, *im_low;
} roots;

static real *reals_of(const hb_engine *e, hb_batch a, size_t c)
{
    return (real *)(void *)hb_cpu_row(e, a, c, 0);
}

/* Number c of a wide batch: two rows. */
static wide wide_of(const hb_engine *e, hb_batch a, size_t c)
{
    real *high = reals_of(e, a, 2 * c), *low = reals_of(e, a, 2 * c + 1);
    const size_t n = e->ring->n / 2;
    return (wide){high, high + n, low, low + n};
}

static wide from_number(wide x, size_t first)
{
    return (wide){x.re + first, x.im + first, x.re_low + first, x.im_low + first};
}

static roots roots_of(const hb_slot_tables *tables, size_t n, size_t first)
{
    const double *t = tables->twiddles + first;
    return (roots){t, t + n, t + 2 * n, t + 3 * n};
}

HB_CLONED_INLINE hb_dd_complex load(wide x, size_t j)
{
    return (hb_dd_complex){{x.re[j], x.re_low[j]}, {x.im[j], x.im_low[j]}};
}

HB_CLONED_INLINE void store(wide x, size_t j, hb_dd_complex z)
{
    x.re[j] = z.re.high;
    x.re_low[j] = z.re.low;
    x.im[j] = z.im.high;
    x.im_low[j] = z.im.low;
}

/* The butterflies of one block of 2h numbers, of one stage. */
HB_CLONES static void join_to_coefficients(wide x, size_t h, roots w)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < h; j++) {
        hb_dd_complex a = load(x, j), b = load(x, j + h);
        hb_dd_butterfly_to_coefficients(&a, &b, (hb_dd_complex){{w.re[j], w.re_low[j]}, {w.im[j], w.im_low[j]}});
        store(x, j, a);
        store(x, j + h, b);
    }
}

HB_CLONES static void join_to_slots(wide x, size_t h, roots w)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < h; j++) {
        hb_dd_complex a = load(x, j), b = load(x, j + h);
        hb_dd_butterfly_to_slots(&a, &b, (hb_dd_complex){{w.re[j], w.re_low[j]}, {w.im[j], w.im_low[j]}});
        store(x, j, a);
        store(x, j + h, b);
    }
}

/* Exchanges numbers i and brev(i), and multiplies all by a power of two. */
static void reverse(wide x, size_t n, uint32_t log_n, double factor)
{
    for (size_t i = 0; i < n; i++) {
        const size_t k = hb_bit_reverse((uint32_t)i, log_n);
        if (k < i) {
            continue;
        }
        const hb_dd_complex a = load(x, i), b = load(x, k);
        store(x, k, (hb_dd_complex){hb_dd_shift(a.re, factor), hb_dd_shift(a.im, factor)});
        store(x, i, (hb_dd_complex){hb_dd_shift(b.re, factor), hb_dd_shift(b.im, factor)});
    }
}

/* Takes the slots to their numbers in the transform, and back. */
static void gather(wide x, const real *slots, size_t n, const uint32_t *order)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = order != NULL ? order[i] : 2 * (uint32_t)i, j = place / 2;
        const double im = slots[n + j];
        store(x, i, (hb_dd_complex){{slots[j], 0}, {place % 2 != 0 ? -im : im, 0}});
    }
}

static void scatter(real *slots, wide x, size_t n, const uint32_t *order)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = order != NULL ? order[i] : 2 * (uint32_t)i, j = place / 2;
        slots[j] = x.re[i];
        slots[n + j] = place % 2 != 0 ? -x.im[i] : x.im[i];
    }
}

hb_status hb_cpu_wide_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    const size_t n = e->ring->n / 2;
    for (size_t c = 0; c < a.count; c++) {
        const wide x = wide_of(e, r, c);
        gather(x, reals_of(e, a, c), n, tables->order);
        for (size_t h = n / 2; h > 0; h /= 2) {
            for (size_t first = 0; first < n; first += 2 * h) {
                join_to_coefficients(from_number(x, first), h, roots_of(tables, n, h));
            }
        }
        reverse(x, n, e->ring->log_n - 1, 1 / (double)n);
    }
    return HB_OK;
}

hb_status hb_cpu_wide_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    const size_t n = e->ring->n / 2;
    for (size_t c = 0; c < r.count; c++) {
        const wide x = wide_of(e, a, c);
        reverse(x, n, e->ring->log_n - 1, 1);
        for (size_t h = 1; h < n; h *= 2) {
            for (size_t first = 0; first < n; first += 2 * h) {
                join_to_slots(from_number(x, first), h, roots_of(tables, n, h));
            }
        }
        scatter(reals_of(e, r, c), x, n, tables->order);
    }
    return HB_OK;
}

/* Lowers *first to a place, unless the value there is held: all ones, or 0. Without a branch. */
static void note_refused(uint64_t *first, uint64_t place, uint64_t held)
{
    const uint64_t candidate = place | held, lower = 0 - (uint64_t)(candidate < *first);
    *first ^= (*first ^ candidate) & lower;
}

/* Makes integers of coefficients, [n], double-doubles; `place` is that of the first. In clones, as processors that
 * round by themselves do it without a branch. */
HB_CLONES static void round_wide(hb_wide_integer *x, const real *high, const real *low, size_t n, hb_dd scale,
                                 uint64_t place, uint64_t *refused)
{
    for (size_t j = 0; j < n; j++) {
        const uint64_t held = hb_dd_round(hb_dd_multiply((hb_dd){high[j], low[j]}, scale), &x[j]);
        note_refused(refused, place + j, held);
    }
}

hb_status hb_cpu_wide_round(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding)
{
    enum { MOST = 64 }; /* coefficients at a time */
    const size_t n = e->ring->n, some = n < MOST ? n : MOST;
    hb_wide_integer x[MOST];
    for (size_t c = 0; c < r.count; c++) {
        const real *high = reals_of(e, a, 2 * c), *low = reals_of(e, a, 2 * c + 1);
        for (size_t first = 0; first < n; first += some) {
            round_wide(x, high + first, low + first, some, rounding->scale.value, (rounding->first + c) * n + first,
                       rounding->refused);
            for (uint32_t l = 0; l < r.limbs; l++) {
                const hb_modulus *m = hb_cpu_modulus(e, r, l);
                uint64_t *to = hb_cpu_row(e, r, c, l) + first;
                for (size_t j = 0; j < some; j++) {
                    to[j] = hb_wide_residue(x[j], m);
                }
            }
        }
    }
    return HB_OK;
}
