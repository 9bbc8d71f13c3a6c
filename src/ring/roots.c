#include "roots.h"

#include <stdlib.h>

/* Fixed-point numbers in [0, 2) are 128-bit integers in units of 2^-126. */
typedef hb_u128 fixed;

#define ONE ((fixed)1 << 126)
#define QUARTER_PI ((fixed)0x3243f6a8885a308d << 64 | 0x313198a2e0370734) /* floor(2^126 pi / 4) */

/* Returns floor(a b 2^-126): the high half of 2a times 2b, from the four products of their words; a, b <= 1. */
static fixed multiply(fixed a, fixed b)
{
    const uint64_t a0 = (uint64_t)(a << 1), a1 = (uint64_t)(a >> 63), b0 = (uint64_t)(b << 1), b1 = (uint64_t)(b >> 63);
    const fixed cross = (fixed)a0 * b1, other = (fixed)a1 * b0;
    const fixed carry = (fixed)(uint64_t)cross + (uint64_t)other + (uint64_t)((fixed)a0 * b0 >> 64);
    return (fixed)a1 * b1 + (cross >> 64) + (other >> 64) + (carry >> 64);
}

/* A point of the first octant. */
typedef struct point {
    fixed cosine, sine;
} point;

/* Returns the point at the angle (pi / 4) k / 2^log_steps, k <= 2^log_steps, by Taylor's series in Horner's form. The
 * angle is off by 2 units at most, its square t <= 0.617 by 5, and each step adds one unit and divides what there was
 * by 2i (2i -+ 1) / t > 3: both results are within 6 units. 17 terms leave less than t^18 / 35! < 2^-144. */
static point octant_point(uint32_t k, uint32_t log_steps)
{
    enum { TERMS = 17 };
    const fixed angle = multiply(QUARTER_PI, (fixed)k << (126 - log_steps)), t = multiply(angle, angle);
    point p = {ONE, ONE};
    for (uint32_t i = TERMS; i > 0; i--) {
        p.cosine = ONE - multiply(t, p.cosine) / ((2 * i - 1) * 2 * i);
        p.sine = ONE - multiply(t, p.sine) / (2 * i * (2 * i + 1));
    }
    p.sine = multiply(angle, p.sine);
    return p;
}

/* Returns the point at the sum of two angles: within 32 units, with 6 of each of four factors below 1. */
static point sum_of_angles(point a, point b)
{
    return (point){multiply(a.cosine, b.cosine) - multiply(a.sine, b.sine),
                   multiply(a.sine, b.cosine) + multiply(a.cosine, b.sine)};
}

#define ERROR 64 /* units; twice what the arguments above add up to */

/* Returns the double nearest to a number that x is within ERROR of: both ends of the interval have the same. No root of
 * a ring has a border between doubles in its interval, which is of 2^-119: tests go through all. */
static double nearest(fixed x)
{
    const fixed least = x - ERROR, most = x + ERROR;
    const double a = hb_real_nearest(0, (uint64_t)(least >> 64), (uint64_t)least);
    HB_ASSERT(a == hb_real_nearest(0, (uint64_t)(most >> 64), (uint64_t)most));
    return a * 0x1p-126;
}

/* Fills the octant: angle k is the sum of a coarse and a fine one, so that few need the series. `points` has room for
 * both kinds. */
static void fill_octant(hb_roots *roots, uint32_t log_steps, point *points)
{
    const uint32_t log_fine = log_steps / 2, fine = 1U << log_fine, coarse = 1U << (log_steps - log_fine);
    for (uint32_t k = 0; k < fine; k++) {
        points[k] = octant_point(k, log_steps);
    }
    for (uint32_t k = 0; k <= coarse; k++) {
        points[fine + k] = octant_point(k, log_steps - log_fine);
    }
    /* Angle 0 is exact, and its sine has no interval above 0. */
    roots->cosines[0] = 1;
    roots->sines[0] = 0;
    for (uint32_t k = 1; k <= 1U << log_steps; k++) {
        const point p = sum_of_angles(points[fine + (k >> log_fine)], points[k & (fine - 1)]);
        roots->cosines[k] = nearest(p.cosine);
        roots->sines[k] = nearest(p.sine);
    }
}

hb_status hb_roots_init(hb_roots *roots, uint32_t log_m)
{
    HB_ASSERT(log_m >= 2 && log_m <= HB_ROOTS_MAX_LOG);
    *roots = (hb_roots){0};
    /* Fourth roots are made as eighth ones are: an octant has its two ends. */
    const uint32_t log_steps = log_m > 3 ? log_m - 3 : 0;
    const size_t entries = ((size_t)1 << log_steps) + 1;
    double *octant = malloc(2 * entries * sizeof *octant);
    point *points = malloc(2 * entries * sizeof *points); /* 2^(s/2) + 2^(s - s/2) + 1 <= 2 (2^s + 1) */
    if (octant == NULL || points == NULL) {
        free(octant);
        free(points);
        return HB_FAIL(HB_ENOMEM, "no memory for %zu roots of unity", entries);
    }
    *roots = (hb_roots){log_m, octant, octant + entries};
    fill_octant(roots, log_steps, points);
    free(points);
    return HB_OK;
}

void hb_roots_clear(hb_roots *roots)
{
    free(roots->cosines);
    *roots = (hb_roots){0};
}

hb_complex hb_root(const hb_roots *roots, uint32_t k)
{
    const uint32_t m = 1U << roots->log_m, half = m / 2, quarter = m / 4;
    HB_ASSERT(k < m);
    /* Below the axis, left of the other axis, above the diagonal: each is mirrored in turn. */
    const bool below = k > half;
    k = below ? m - k : k;
    const bool left = k > quarter;
    k = left ? half - k : k;
    const bool steep = 2 * k > quarter;
    k = steep ? quarter - k : k;
    const double c = steep ? roots->sines[k] : roots->cosines[k], s = steep ? roots->cosines[k] : roots->sines[k];
    return (hb_complex){left ? -c : c, below ? -s : s};
}

/* Fills the twiddles of a transform, [m / 4] of either part. */
static void fill_twiddles(double *re, double *im, const hb_roots *roots)
{
    const uint32_t m = 1U << roots->log_m;
    re[0] = 1;
    im[0] = 0;
    for (uint32_t h = 1; h < m / 4; h *= 2) {
        uint32_t power = 1; /* 5^j mod 8h */
        for (uint32_t j = 0; j < h; j++) {
            const hb_complex w = hb_root(roots, power * (m / (8 * h)));
            re[h + j] = w.re;
            im[h + j] = w.im;
            power = 5 * power % (8 * h);
        }
    }
}

/* Fills the order of slots in powers of 3 (hb_slot_tables). A power is 1 or 3 mod 4; then it or its negative is a power
 * of 5, by which the transform has its number, and the conjugate has the negative exponent. `number`, of m / 4
 * words, gets the numbers of powers of 5, by (power - 1) / 4. */
static void fill_order(uint32_t *order, uint32_t *number, uint32_t m)
{
    uint32_t power = 1;
    for (uint32_t i = 0; i < m / 4; i++) {
        number[power / 4] = i;
        power = 5 * power % m;
    }
    power = 1;
    for (uint32_t j = 0; j < m / 4; j++) {
        const bool conjugate = power % 4 == 3;
        order[number[(conjugate ? m - power : power) / 4]] = 2 * j + conjugate;
        power = 3 * power % m;
    }
}

/* Copies a table of the host to memory of the engine. */
static hb_status upload_table(hb_engine *engine, const void *host, size_t bytes, void **table)
{
    void *there = NULL;
    HB_TRY(hb_alloc(engine, bytes, &there));
    hb_status st = hb_upload(engine, there, host, bytes);
    /* The host memory is the caller's again when this returns. */
    st = st == HB_OK ? hb_finish(engine) : st;
    if (st != HB_OK) {
        hb_free(engine, there);
        return st;
    }
    *table = there;
    return HB_OK;
}

hb_status hb_slot_tables_init(hb_slot_tables *tables, hb_engine *engine, uint32_t generator)
{
    const size_t n = engine->ring->n;
    const uint32_t log_m = engine->ring->log_n + 1;
    hb_roots roots = {0};
    void *there = NULL;
    hb_status st;
    HB_ASSERT(generator == 5 || generator == 3);
    *tables = (hb_slot_tables){0};
    double *twiddles = malloc(n * sizeof *twiddles);
    uint32_t *order = malloc(n * sizeof *order); /* and as many words to make it */
    if (twiddles == NULL || order == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the tables of %zu slots", n / 2));
    }
    HB_GOTO(hb_roots_init(&roots, log_m));
    fill_twiddles(twiddles, twiddles + n / 2, &roots);
    HB_GOTO(upload_table(engine, twiddles, n * sizeof *twiddles, &there));
    tables->twiddles = there;
    if (generator == 3) {
        fill_order(order, order + n / 2, 1U << log_m);
        HB_GOTO(upload_table(engine, order, n / 2 * sizeof *order, &there));
        tables->order = there;
    }
done:
    if (st != HB_OK) {
        hb_slot_tables_clear(tables, engine);
    }
    hb_roots_clear(&roots);
    free(twiddles);
    free(order);
    return st;
}

void hb_slot_tables_clear(hb_slot_tables *tables, hb_engine *engine)
{
    hb_free(engine, tables->twiddles);
    hb_free(engine, tables->order);
    *tables = (hb_slot_tables){0};
}
