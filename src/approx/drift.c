/* With t_j = |p^(j)(m)| / j!,
 *     |p(m + s) - p(m)| <= sum t_j r^j,
 *     |Re p(m + s + iy) - p(m + s)| <= sum t_j ((r + e)^j + (r - e)^j - 2 r^j) / 2,
 *     |Im p(m + s + iy)| <= sum t_j ((r + e)^j - (r - e)^j) / 2,
 * for |s| <= r and |y| <= e, as the terms of (s + iy)^j with an even power of y are real and the others imaginary. */
#include "drift.h"

#include <math.h>

#include "odd.h"

enum {
    ORDERS = 24,        /* of derivatives that are computed at most; higher ones are bounded for all of [-1, 1] */
    MOST_HALVINGS = 40, /* of the interval */
    MOST_CELLS = 1 << 14
};
/* Roundings of sums and products of positive numbers here are less than that share. */
#define ROUNDING 0x1p-40
/* A term of less than that share of the coefficients is not worth the derivative of its order: its bound is enough. */
#define SMALL_TERM 0x1p-45
/* Cells are divided no more where that would take the bounds of drift and growth down by less than these factors. */
#define NEAR 1.5
#define NEAR_GROWTH 1.0625

/* The first orders of a polynomial's series at a point. */
typedef struct series {
    double value;         /* p(m) */
    double t[ORDERS + 1]; /* bounds of |p^(j)(m)| / j!, of j up to ... */
    uint32_t orders;      /* ... this */
    double everywhere;    /* bounds |p^(orders)| / orders! on [-1, 1] */
} series;

/* T_k^(j) is largest at 1, where it is prod (k^2 - i^2) / (2 i + 1), i < j (V. A. Markov). Returns by how much, over
 * (j + 1)!, that of order j + 1 is larger than that of order j, of the largest k. */
static double growth(uint32_t degree, uint32_t j)
{
    return ((double)degree * degree - (double)j * j) / ((2 * j + 1) * (j + 1.0));
}

/* Returns how many derivatives tell more than their bounds about values up to `reach` from a point. */
static uint32_t orders_within(uint32_t degree, double reach)
{
    const uint32_t most = degree < ORDERS ? degree : ORDERS;
    double term = 1;
    uint32_t j = 0;
    for (; j < most && term > SMALL_TERM; j++) {
        term *= growth(degree, j) * reach;
    }
    return j;
}

/* By Clenshaw's recurrence of series in x - m. Its roundings add up to less than as many values of T_k. */
static series expand(const hb_chebyshev *p, double m, uint32_t orders)
{
    series out = {.orders = orders};
    double next[ORDERS + 1] = {0}, after[ORDERS + 1] = {0}, sum = fabs(p->coefficients[0]);
    for (uint32_t k = p->degree; k > 0; k--) {
        double carried = 0; /* next[j - 1] */
        const uint32_t there = p->degree - k; /* orders above that are 0 */
        for (uint32_t j = 0; j <= (there < out.orders ? there : out.orders); j++) {
            const double own = next[j];
            next[j] = 2 * (m * own + carried) - after[j];
            after[j] = own;
            carried = own;
        }
        next[0] += p->coefficients[k];
        sum += fabs(p->coefficients[k]);
    }
    out.value = m * next[0] - after[0] + p->coefficients[0];
    double most = sum;
    for (uint32_t j = 0; j <= out.orders; j++) {
        const double exact = j == 0 ? out.value : m * next[j] + next[j - 1] - after[j];
        out.t[j] = fabs(exact) + most * (p->degree + 1) * ROUNDING;
        out.everywhere = most;
        most *= growth(p->degree, j);
    }
    return out;
}

/* Real parts of the operand of a stage, and how far it is off them. */
typedef struct cell {
    double middle, radius, off;
} cell;

/* The image of a cell under a stage: bend and turn are of the operand's imaginary parts. */
typedef struct image {
    double middle, radius, bend, turn;
} image;

static image through(const hb_chebyshev *p, cell x)
{
    const series of = expand(p, x.middle, orders_within(p->degree, x.radius + x.off));
    double power = 1, even = 0, odd = 0; /* r^j, and the even and odd rest of (r + e)^j */
    double most = of.everywhere;
    image out = {.middle = of.value, .radius = of.t[0] - fabs(of.value)};
    for (uint32_t j = 1; j <= p->degree; j++) {
        const double turned = odd;
        odd = x.radius * odd + x.off * (power + even);
        even = x.radius * even + x.off * turned;
        power *= x.radius;
        most *= j > of.orders ? growth(p->degree, j - 1) : 1;
        const double t = j <= of.orders ? of.t[j] : most;
        out.radius += t * power;
        out.bend += t * even;
        out.turn += t * odd;
    }
    out.radius *= 1 + ROUNDING;
    out.bend *= 1 + ROUNDING;
    out.turn *= 1 + ROUNDING;
    return out;
}

/* Within [-1, 1], where stages have their values. */
static cell cut(double middle, double radius, double off)
{
    const double low = fmax(middle - radius, -1), high = fmin(middle + radius, 1);
    return (cell){(low + high) / 2, (high - low) / 2 + 0x1p-52, off};
}

typedef struct search {
    const hb_drift_stage *stages;
    uint32_t count, cells;
} search;

/* The drift of values in a cell, or in all, and the growth at operands of the last stage. */
typedef struct extent {
    double drift, growth;
} extent;

/* Brings a cell to the operand of the last stage. Returns whether margins are kept. */
static bool reach_last(const search *s, cell *x)
{
    for (uint32_t i = 0; i + 1 < s->count; i++) {
        const image made = through(s->stages[i].polynomial, *x);
        const hb_drift_stage *next = &s->stages[i + 1];
        const double along = (made.bend + next->off) * (1 + ROUNDING);
        if (!(along <= next->margin)) {
            return false;
        }
        *x = cut(made.middle, (made.radius + along) * (1 + ROUNDING), (made.turn + next->off) * (1 + ROUNDING));
    }
    return true;
}

/* Returns the extent of values in a cell; infinite where margins are not kept. */
static extent extent_of(const search *s, double middle, double radius)
{
    const hb_chebyshev *last = s->stages[s->count - 1].polynomial;
    cell x = cut(middle, radius, s->stages[0].off);
    if (!reach_last(s, &x)) {
        return (extent){HUGE_VAL, HUGE_VAL};
    }
    const image made = through(last, x);
    return (extent){(made.bend + made.turn) * (1 + ROUNDING),
                    hb_chebyshev_growth(fmin(fabs(x.middle) + x.radius + 0x1p-52, 1), x.off, last->degree)};
}

static bool is_near(extent x, extent least)
{
    return x.drift <= NEAR * least.drift && x.growth <= NEAR_GROWTH * least.growth;
}

static extent larger(extent x, extent y)
{
    return (extent){fmax(x.drift, y.drift), fmax(x.growth, y.growth)};
}

/* Raises *bound to the extent of values from low to high; *least is that of some of them. Returns whether margins are
 * kept. */
static bool raise(search *s, double low, double high, uint32_t halvings, extent *bound, extent *least)
{
    const double middle = low + (high - low) / 2;
    const extent here = extent_of(s, middle, (high - low) / 2 * (1 + ROUNDING));
    if (!is_near(here, *least)) {
        *least = larger(*least, extent_of(s, middle, 0));
    }
    if (!isfinite(least->drift)) {
        return false;
    }
    const bool enough = s->cells >= MOST_CELLS || halvings == MOST_HALVINGS;
    if (is_near(here, *least) || (enough && isfinite(here.drift))) {
        *bound = larger(*bound, here);
        return true;
    }
    s->cells++;
    return !enough && raise(s, low, middle, halvings + 1, bound, least) &&
           raise(s, middle, high, halvings + 1, bound, least);
}

hb_drift hb_drift_of(const hb_drift_stage *stages, uint32_t count, double from)
{
    HB_ASSERT(count >= 1 && count <= HB_DRIFT_MOST_STAGES);
    for (uint32_t i = 0; i < count; i++) {
        HB_ASSERT(stages[i].polynomial->degree <= HB_ODD_MOST_DEGREE);
    }
    search s = {stages, count, 0};
    extent beside = {0, 1}, within = {0, 1}, least_beside = beside, least_within = within;
    bool kept = raise(&s, from, 1, 0, &beside, &least_beside);
    s.cells = 0;
    kept = kept && raise(&s, 0, from, 0, &within, &least_within);
    return (hb_drift){kept, beside.drift, within.drift, fmax(beside.growth, within.growth)};
}
