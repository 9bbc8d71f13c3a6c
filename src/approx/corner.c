/* The interval of x is divided into cells, and each goes through the stages as an interval: by Taylor's theorem
 *     |p(m + d) - p(m)| <= |p'(m)| r + M r^2 / 2,    |d| <= r, |p''| <= M on [-1, 1].
 * p is odd, so x >= 0 is enough. */
#include "corner.h"

#include <math.h>

#include "bound.h"
#include "odd.h"

enum { CELLS = 256, COEFFICIENTS = HB_ODD_MOST_DEGREE + 1 };

/* What is known of the derivatives of a stage p. */
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

/* In so many pieces that what is left of the curvature adds little to what the slope makes of the cell. */
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

hb_status hb_corner_bound(double *bound, const hb_approximation *sign)
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
