#include "sign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "approx.h"
#include "base/bits.h"
#include "base/outward.h"
#include "bound.h"
#include "numbers.h"
#include "odd.h"

/* --- a bound of x times a composition at the corner of |x|
 *
 * The interval of x is divided into cells, and each goes through the stages as an interval: by Taylor's theorem
 *     |p(m + d) - p(m)| <= |p'(m)| r + M r^2 / 2,    |d| <= r, |p''| <= M on [-1, 1].
 * p is odd, so x >= 0 is enough. */

enum { CELLS = 256, COEFFICIENTS = HB_ODD_MOST_DEGREE + 1 };

/* Bounds of the derivatives of a stage p. */
typedef struct slopes {
    hb_chebyshev first; /* p' */
    double coefficients[COEFFICIENTS];
    double curvature;                      /* bounds |p''| */
    double value_rounding, first_rounding; /* of values of both as they are computed, at most */
} slopes;

/* p' = sum d_k T_k: d_(k-1) = d_(k+1) + 2 k c_k, and d_0 is half of that. */
static void derive(double *d, const double *c, uint32_t degree)
{
    for (uint32_t k = degree; k > 0; k--) {
        d[k - 1] = 2 * k * c[k] + (k + 1 < degree ? d[k + 1] : 0);
    }
    d[0] /= 2;
}

/* Clenshaw's recurrence is off by (degree + 1)^2 2^-49 sum |c_k| at most (bound.h), and coefficients of derivatives,
 * sums of as many products, by less. */
static double rounding_of(const double *c, uint32_t degree)
{
    double sum = 0;
    for (uint32_t k = 0; k <= degree; k++) {
        sum += fabs(c[k]);
    }
    return (degree + 2) * (degree + 2) * 0x1p-48 * sum;
}

static hb_status slopes_of(slopes *out, const hb_chebyshev *p)
{
    HB_ASSERT(p->degree >= 2 && p->degree <= HB_ODD_MOST_DEGREE);
    double second[COEFFICIENTS] = {0};
    derive(out->coefficients, p->coefficients, p->degree);
    derive(second, out->coefficients, p->degree - 1);
    out->first = (hb_chebyshev){p->degree - 1, out->coefficients};
    HB_TRY(hb_chebyshev_bound(&out->curvature, second, p->degree - 2, HB_BOUND_LEAST_OVERSAMPLE));
    out->curvature += rounding_of(second, p->degree - 2);
    out->value_rounding = rounding_of(p->coefficients, p->degree);
    out->first_rounding = rounding_of(out->coefficients, p->degree - 1);
    return HB_OK;
}

/* Values from middle - radius to middle + radius. */
typedef struct cell {
    double middle, radius;
} cell;

/* Returns the part of a cell in [-1, 1], where stages take values. */
static cell cut(cell x)
{
    const double low = fmax(x.middle - x.radius, -1), high = fmin(x.middle + x.radius, 1);
    return (cell){(low + high) / 2, (high - low) / 2 + 0x1p-52};
}

/* So many pieces that the curvature within a piece adds little to the cell's image by the slope. */
static uint32_t pieces_of(const hb_chebyshev *first, double curvature, cell x)
{
    enum { MOST_PIECES = 64 };
    const double slope = fabs(hb_chebyshev_value(first, x.middle)), bend = curvature * x.radius * x.radius / 2;
    return (uint32_t)fmin(ceil(sqrt(bend / (slope * x.radius / 16 + 0x1p-10))) + 1, MOST_PIECES);
}

static cell through(const hb_chebyshev *p, const slopes *s, double margin, cell x)
{
    const uint32_t pieces = pieces_of(&s->first, s->curvature, x);
    const double r = x.radius / pieces * (1 + 0x1p-40);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (uint32_t i = 0; i < pieces; i++) {
        const double at = x.middle + x.radius * ((2 * i + 1) / (double)pieces - 1), value = hb_chebyshev_value(p, at);
        const double slope = fabs(hb_chebyshev_value(&s->first, at)) + s->first_rounding;
        const double radius = (slope + s->curvature * r / 2) * r;
        low = fmin(low, value - radius);
        high = fmax(high, value + radius);
    }
    return (cell){(low + high) / 2, ((high - low) / 2 + s->value_rounding + margin) * (1 + 0x1p-40)};
}

/* Sets *bound to an upper bound of |x| |s(x + e) - sign(x)|, s the composition, whose interval, gap, stages and margins
 * are there: over all |x| at most the gap and a share HB_APPROXIMATION_CORNER_OFF more, and |e| up to that share; with
 * the results of stages off by up to their margins. HB_ENOMEM. */
static hb_status corner_bound(double *bound, const hb_approximation *sign)
{
    enum { MOST = 32 };
    HB_ASSERT(sign->stages <= MOST);
    slopes of[MOST];
    for (uint32_t i = 0; i < sign->stages; i++) {
        HB_TRY(slopes_of(&of[i], &sign->stage[i]));
    }
    const double off = sign->gap * HB_APPROXIMATION_CORNER_OFF,
                 most = fmin(sign->gap + off, sign->high) * (1 + 0x1p-40), end = sign->high;
    *bound = 0;
    for (uint32_t i = 0; i < CELLS; i++) {
        cell x = {most * ((i + 0.5) / CELLS) / end, (most / CELLS / 2 + off) / end * (1 + 0x1p-40)};
        for (uint32_t k = 0; k < sign->stages; k++) {
            x = through(&sign->stage[k], &of[k], sign->margin[k], cut(x));
        }
        const double largest = most * ((i + 1.0) / CELLS);
        *bound = fmax(*bound, largest * (fabs(x.middle - 1) + x.radius) * (1 + 0x1p-40));
    }
    return HB_OK;
}

/* Degrees of stages, and the products of ciphertexts that one takes, its powers and steps together, in the Chebyshev
 * basis with coefficients at odd powers alone: the largest degree for each number of products. */
static const struct {
    uint32_t degree, products;
} kinds[] = {{3, 2}, {7, 4}, {11, 6}, {15, 7}, {23, 9}, {31, 10}, {47, 13}, {63, 15}};

enum {
    KINDS = sizeof kinds / sizeof *kinds,
    MOST_DEPTH = 48,
    MOST_PRODUCTS = 112,
    MOST_STAGES = MOST_DEPTH / 2,
    MOST_TRIES = 4
};

/* The best image of the interval for so many levels and products: its lower end, 0 where they cannot be spent so or
 * where fewer give the same; and the index of the last stage. */
typedef struct state {
    double from;
    uint32_t kind;
} state;

typedef struct plan {
    state of[MOST_DEPTH + 1][MOST_PRODUCTS + 1];
    uint32_t most_degree; /* of a stage */
    uint32_t stages;
    uint32_t kind[MOST_STAGES]; /* first to last */
} plan;

/* Whether no more levels and products make as much. */
static bool dominated(const plan *p, uint32_t depth, uint32_t products)
{
    for (uint32_t d = 0; d <= depth; d++) {
        for (uint32_t m = 0; m <= products; m++) {
            if ((d != depth || m != products) && p->of[d][m].from >= p->of[depth][products].from) {
                return true;
            }
        }
    }
    return false;
}

/* Fills a state from the states with one stage less; sets *done to the kind of a last stage with an error of at most
 * `enough`, if there is one. */
static hb_status fill(plan *p, uint32_t depth, uint32_t products, double enough, uint32_t *done)
{
    state *to = &p->of[depth][products];
    for (uint32_t k = 0; k < KINDS && kinds[k].degree <= p->most_degree; k++) {
        const uint32_t levels = hb_bit_length(kinds[k].degree);
        if (levels > depth || kinds[k].products > products) {
            continue;
        }
        const double from = p->of[depth - levels][products - kinds[k].products].from;
        if (from == 0) {
            continue;
        }
        hb_odd_image image;
        HB_TRY(hb_odd_estimate(&image, from, kinds[k].degree));
        *done = image.error <= enough ? k : *done;
        if (image.from > to->from) {
            *to = (state){.from = fmin(image.from, HB_ODD_MOST_FROM), .kind = k};
        }
    }
    if (to->from > 0 && dominated(p, depth, products)) {
        to->from = 0;
    }
    return HB_OK;
}

/* Notes the stages that lead to a state, and the last one. */
static void trace(plan *p, uint32_t depth, uint32_t products, uint32_t last)
{
    uint32_t backwards[MOST_STAGES], kind = last;
    p->stages = 0;
    for (;;) {
        backwards[p->stages++] = kind;
        depth -= hb_bit_length(kinds[kind].degree);
        products -= kinds[kind].products;
        if (depth == 0) {
            break;
        }
        kind = p->of[depth][products].kind;
    }
    for (uint32_t i = 0; i < p->stages; i++) {
        p->kind[i] = backwards[p->stages - 1 - i];
    }
}

/* Sets the plan to the stages of least depth, then of fewest products, that take [from, 1] to within `enough` of 1. */
static hb_status make_plan(plan *p, const hb_approximation_request *r, uint32_t most_degree, double from, double enough)
{
    memset(p, 0, sizeof *p);
    p->of[0][0].from = from;
    p->most_degree = most_degree;
    for (uint32_t depth = 2; depth <= MOST_DEPTH; depth++) {
        for (uint32_t products = 2; products <= MOST_PRODUCTS; products++) {
            uint32_t done = KINDS;
            HB_TRY(fill(p, depth, products, enough, &done));
            if (done != KINDS) {
                trace(p, depth, products, done);
                return HB_OK;
            }
        }
    }
    return HB_FAIL(HB_ECONFIG, "sign to %g bits with a gap of %g in -%g .. %g: no %d levels do it; widen the gap",
                   r->bits, r->gap, fmax(fabs(r->low), fabs(r->high)), fmax(fabs(r->low), fabs(r->high)), MOST_DEPTH);
}

static void drop_stages(hb_approximation *out)
{
    for (uint32_t i = 0; i < out->stages; i++) {
        free(out->stage[i].coefficients);
    }
    out->stages = 0;
}

/* Makes the stages of a plan, and proves their error. */
static hb_status make_stages(hb_approximation *out, const plan *p, double from)
{
    drop_stages(out);
    for (uint32_t i = 0; i < p->stages; i++) {
        hb_odd_image image;
        HB_TRY(hb_odd_make(&out->stage[i], &image, from, kinds[p->kind[i]].degree, i + 1 == p->stages));
        out->stages++;
        out->margin[i] = image.margin;
        out->error = image.error;
        from = fmin(image.from, HB_ODD_MOST_FROM);
    }
    return HB_OK;
}

static hb_status check_gap(const hb_approximation_request *r, double end)
{
    if (!(r->gap > 0 && r->gap < end)) {
        return HB_FAIL(HB_EUSAGE, "sign with a gap of %g: it must be above 0, and below %g, the end of the interval",
                       r->gap, end);
    }
    if (r->gap < end * HB_APPROXIMATION_LEAST_GAP) {
        return HB_FAIL(HB_ECONFIG, "sign on -%g .. %g with a gap of %g: %g is the least that can be had", end, end,
                       r->gap, end * HB_APPROXIMATION_LEAST_GAP);
    }
    return HB_OK;
}

hb_status hb_approximate_sign(hb_approximation *out, const hb_approximation_request *r, uint32_t most_degree)
{
    const double end = fmax(fabs(r->low), fabs(r->high));
    HB_TRY(check_gap(r, end));
    if (most_degree < kinds[0].degree) {
        return HB_FAIL(HB_EUSAGE, "sign of stages up to degree %u: the shortest has degree %u", most_degree,
                       kinds[0].degree);
    }
    out->low = -end;
    out->high = end;
    out->stage = calloc(MOST_STAGES, sizeof *out->stage);
    out->margin = calloc(MOST_STAGES, sizeof *out->margin);
    plan *p = malloc(sizeof *p);
    hb_status st = HB_OK;
    if (out->stage == NULL || out->margin == NULL || p == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for an approximation");
        goto done;
    }
    const double from = fmin(r->gap / end * (1 - 0x1p-52), HB_ODD_MOST_FROM), wanted = hb_power_of_two(-r->bits);
    /* Stages are planned by estimates; should the proof fall short, for a little less. */
    double enough = wanted;
    for (int tries = 0; tries == 0 || (out->error > wanted && tries < MOST_TRIES); tries++, enough /= 2) {
        HB_GOTO(make_plan(p, r, most_degree, from, enough));
        HB_GOTO(make_stages(out, p, from));
    }
    if (out->error > wanted) {
        st = HB_FAIL(HB_ECONFIG, "sign to %g bits with a gap of %g: coefficients are doubles, with which %g is reached",
                     r->bits, r->gap, hb_significant_up(out->error, 6));
        goto done;
    }
    st = corner_bound(&out->corner, out);
done:
    free(p);
    return st;
}
