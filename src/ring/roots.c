#include "roots.h"

#include <stdlib.h>
#include <string.h>

/* Fixed-point numbers in [0, 2) are integers of three words, in units of 2^-190. */
typedef struct fixed {
    uint64_t word[3]; /* low, middle, high */
} fixed;

static const fixed one = {{0, 0, (uint64_t)1 << 62}};
/* floor(2^190 pi / 4) */
static const fixed quarter_pi = {{0x4a4093822299f31d, 0x313198a2e0370734, 0x3243f6a8885a308d}};

static fixed add(fixed a, fixed b)
{
    fixed sum;
    uint64_t carry = 0;
    for (int i = 0; i < 3; i++) {
        const hb_u128 word = (hb_u128)a.word[i] + b.word[i] + carry;
        sum.word[i] = (uint64_t)word;
        carry = (uint64_t)(word >> 64);
    }
    return sum;
}

/* a >= b. */
static fixed subtract(fixed a, fixed b)
{
    fixed difference;
    const uint64_t borrow = hb_real_subtract(difference.word, a.word, b.word);
    HB_ASSERT(borrow == 0);
    return difference;
}

/* Returns floor(a b 2^-190): the product of six words without its lowest 190 bits; a, b <= 1. */
static fixed multiply(fixed a, fixed b)
{
    uint64_t product[6] = {0};
    for (int i = 0; i < 3; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 3; j++) {
            const hb_u128 term = (hb_u128)a.word[i] * b.word[j] + product[i + j] + carry;
            product[i + j] = (uint64_t)term;
            carry = (uint64_t)(term >> 64);
        }
        product[i + 3] = carry;
    }
    fixed r;
    for (int i = 0; i < 3; i++) {
        r.word[i] = product[i + 3] << 2 | product[i + 2] >> 62;
    }
    return r;
}

/* Returns floor(a / divisor). */
static fixed divide(fixed a, uint32_t divisor)
{
    uint64_t remainder = 0;
    for (int i = 2; i >= 0; i--) {
        const hb_u128 part = (hb_u128)remainder << 64 | a.word[i];
        a.word[i] = (uint64_t)(part / divisor);
        remainder = (uint64_t)(part % divisor);
    }
    return a;
}

/* Returns k 2^-down, k <= 2^down, down <= 62. */
static fixed fraction(uint32_t k, uint32_t down)
{
    return (fixed){{0, 0, (uint64_t)k << (62 - down)}};
}

/* A point of the first octant. */
typedef struct point {
    fixed cosine, sine;
} point;

/* Returns the point at the angle (pi / 4) k / 2^log_steps, k <= 2^log_steps, by Taylor's series in Horner's form. The
 * angle is off by 2 units at most, its square t <= 0.617 by 5, and each step adds one unit and divides the error so far
 * by 2i (2i -+ 1) / t > 3: both results are within 6 units. 23 terms leave less than t^24 / 47! < 2^-213. */
static point octant_point(uint32_t k, uint32_t log_steps)
{
    enum { TERMS = 23 };
    const fixed angle = multiply(quarter_pi, fraction(k, log_steps)), t = multiply(angle, angle);
    point p = {one, one};
    for (uint32_t i = TERMS; i > 0; i--) {
        p.cosine = subtract(one, divide(multiply(t, p.cosine), (2 * i - 1) * 2 * i));
        p.sine = subtract(one, divide(multiply(t, p.sine), 2 * i * (2 * i + 1)));
    }
    p.sine = multiply(angle, p.sine);
    return p;
}

/* Returns the point at the sum of two angles: within 32 units, with 6 of each of four factors below 1. */
static point sum_of_angles(point a, point b)
{
    return (point){subtract(multiply(a.cosine, b.cosine), multiply(a.sine, b.sine)),
                   add(multiply(a.sine, b.cosine), multiply(a.cosine, b.sine))};
}

/* Units; twice the sum of the errors above. */
static const fixed error = {{64, 0, 0}};

/* Returns the double-double of a number that x is within `error` of: both ends of the interval have the same. No root
 * of a ring has a border between double-doubles in its interval, which is of 2^-183: tests go through all. */
static hb_dd nearest(fixed x)
{
    const fixed least = subtract(x, error), most = add(x, error);
    const hb_dd a = hb_dd_nearest(least.word), b = hb_dd_nearest(most.word);
    HB_ASSERT(a.high == b.high && a.low == b.low);
    return hb_dd_shift(a, 0x1p-190);
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
    roots->cosines[0] = (hb_dd){1, 0};
    roots->sines[0] = (hb_dd){0, 0};
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
    hb_dd *octant = malloc(2 * entries * sizeof *octant);
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

hb_dd_complex hb_wide_root(const hb_roots *roots, uint32_t k)
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
    const hb_dd c = steep ? roots->sines[k] : roots->cosines[k], s = steep ? roots->cosines[k] : roots->sines[k];
    return (hb_dd_complex){left ? hb_dd_negate(c) : c, below ? hb_dd_negate(s) : s};
}

hb_complex hb_root(const hb_roots *roots, uint32_t k)
{
    const hb_dd_complex w = hb_wide_root(roots, k);
    return (hb_complex){w.re.high, w.im.high};
}

/* Fills the twiddles of a transform, [m / 4] of either part, high and, of wide ones, low. */
static void fill_twiddles(double *twiddles, bool wide, const hb_roots *roots)
{
    const uint32_t m = 1U << roots->log_m, n = m / 4;
    memset(twiddles, 0, (wide ? 4 : 2) * n * sizeof *twiddles);
    twiddles[0] = 1;
    for (uint32_t h = 1; h < n; h *= 2) {
        uint32_t power = 1; /* 5^j mod 8h */
        for (uint32_t j = 0; j < h; j++) {
            const hb_dd_complex w = hb_wide_root(roots, power * (m / (8 * h)));
            const double parts[] = {w.re.high, w.im.high, w.re.low, w.im.low};
            for (uint32_t part = 0; part < (wide ? 4U : 2U); part++) {
                twiddles[part * n + h + j] = parts[part];
            }
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

hb_status hb_slot_tables_init(hb_slot_tables *tables, hb_engine *engine, uint32_t generator, bool wide)
{
    const size_t n = engine->ring->n, words = wide ? 2 * n : n;
    const uint32_t log_m = engine->ring->log_n + 1;
    hb_roots roots = {0};
    void *there = NULL;
    hb_status st;
    HB_ASSERT(generator == 5 || generator == 3);
    *tables = (hb_slot_tables){.wide = wide};
    double *twiddles = malloc(words * sizeof *twiddles);
    uint32_t *order = malloc(n * sizeof *order); /* and as many words to make it */
    if (twiddles == NULL || order == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the tables of %zu slots", n / 2));
    }
    HB_GOTO(hb_roots_init(&roots, log_m));
    fill_twiddles(twiddles, wide, &roots);
    HB_GOTO(upload_table(engine, twiddles, words * sizeof *twiddles, &there));
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
