#include "polynomial_range.h"

#include <math.h>
#include <stdbool.h>

#include "status.h"

enum {
    MOST = HB_POLYNOMIAL_RANGE_DEGREE + 1,
    HALVINGS = 48, /* deep: far below a double's rounding */
    PIECES = 1024  /* that are looked at; a polynomial has few places where it is nearly largest */
};

/* --- ends are rounded outwards where they are not exact: `error` is the exact value less the rounded one */

static double down(double x, double error)
{
    return error < 0 || isnan(error) ? nextafter(x, -HUGE_VAL) : x;
}

static double up(double x, double error)
{
    return error > 0 || isnan(error) ? nextafter(x, HUGE_VAL) : x;
}

/* By Knuth (TAOCP 4.2.2): exact unless something overflows, which makes it a NaN. */
static double error_of_sum(double a, double b, double sum)
{
    const double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

hb_bounds hb_bounds_add(hb_bounds a, hb_bounds b)
{
    const double low = a.low + b.low, high = a.high + b.high;
    return (hb_bounds){down(low, error_of_sum(a.low, b.low, low)), up(high, error_of_sum(a.high, b.high, high))};
}

/* A product may lose bits below the least double, which fma does not see; it is taken for inexact there. */
static hb_bounds product(double a, double b)
{
    const double p = a * b, error = fabs(p) < 0x1p-900 && a != 0 && b != 0 ? (double)NAN : fma(a, b, -p);
    return (hb_bounds){down(p, error), up(p, error)};
}

static hb_bounds joined(hb_bounds a, hb_bounds b)
{
    return (hb_bounds){fmin(a.low, b.low), fmax(a.high, b.high)};
}

hb_bounds hb_bounds_multiply(hb_bounds a, hb_bounds b)
{
    if (a.low == a.high && b.low == b.high) {
        return product(a.low, b.low);
    }
    return joined(joined(product(a.low, b.low), product(a.low, b.high)),
                  joined(product(a.high, b.low), product(a.high, b.high)));
}

/* a divided by a whole number above 0. */
static hb_bounds divided(hb_bounds a, double number)
{
    const double low = a.low / number, high = a.high / number;
    return (hb_bounds){down(low, -fma(low, number, -a.low)), up(high, -fma(high, number, -a.high))};
}

static hb_bounds middle_of(hb_bounds a, hb_bounds b)
{
    const hb_bounds sum = hb_bounds_add(a, b);
    return (hb_bounds){sum.low / 2, sum.high / 2}; /* exact but for numbers near the least double, and those sums are */
}

/* --- bases */

/* Makes c a polynomial in t of x = x.low + t (x.high - x.low). */
static void to_unit(hb_bounds *c, uint32_t degree, hb_bounds x)
{
    const hb_bounds from = {x.low, x.low},
                    width = hb_bounds_add((hb_bounds){x.high, x.high}, (hb_bounds){-x.low, -x.low});
    for (uint32_t i = 0; i < degree; i++) { /* Horner's rule, one coefficient after another: powers of x - from */
        for (uint32_t k = degree; k-- > i;) {
            c[k] = hb_bounds_add(c[k], hb_bounds_multiply(c[k + 1], from));
        }
    }
    hb_bounds power = {1, 1};
    for (uint32_t k = 0; k <= degree; k++) {
        c[k] = hb_bounds_multiply(c[k], power);
        power = hb_bounds_multiply(power, width);
    }
}

static double binomial(uint32_t n, uint32_t k)
{
    double r = 1;
    for (uint32_t i = 0; i < k; i++) {
        r = r * (n - i) / (i + 1); /* whole at every step, and small */
    }
    return r;
}

/* Makes powers of t on [0, 1] Bernstein coefficients: b_j = sum_i C(j, i) / C(n, i) a_i. */
static void to_bernstein(hb_bounds *c, uint32_t degree)
{
    hb_bounds b[MOST];
    for (uint32_t j = 0; j <= degree; j++) {
        b[j] = c[0];
        for (uint32_t i = 1; i <= j; i++) {
            const double times = binomial(j, i);
            b[j] =
                hb_bounds_add(b[j], divided(hb_bounds_multiply(c[i], (hb_bounds){times, times}), binomial(degree, i)));
        }
    }
    for (uint32_t j = 0; j <= degree; j++) {
        c[j] = b[j];
    }
}

/* Halves an interval: `right` has the coefficients, and keeps those of its right half. */
static void halve(hb_bounds *left, hb_bounds *right, uint32_t degree)
{
    for (uint32_t i = 0; i <= degree; i++) {
        left[i] = right[0];
        for (uint32_t j = 0; j + i < degree; j++) {
            right[j] = middle_of(right[j], right[j + 1]);
        }
    }
}

/* --- the largest value */

typedef struct search {
    hb_bounds piece[HALVINGS + 1][MOST]; /* a stack of intervals that are left to look at */
    uint32_t depth[HALVINGS + 1], height, degree;
    double reached; /* it is at least so large somewhere */
    double most;    /* of the pieces that are done */
    double slack;
} search;

/* Returns the largest coefficient, and notes which values are reached at the ends. */
static double bound_of(search *s, const hb_bounds *c)
{
    double most = c[0].high;
    for (uint32_t j = 1; j <= s->degree; j++) {
        most = fmax(most, c[j].high);
    }
    s->reached = fmax(s->reached, fmax(c[0].low, c[s->degree].low));
    return most;
}

/* Returns an upper bound of a polynomial in the Bernstein basis, near to its maximum. */
static double largest(const hb_bounds *c, uint32_t degree)
{
    search s = {.degree = degree, .reached = -HUGE_VAL, .most = -HUGE_VAL, .height = 1};
    double size = 0;
    for (uint32_t j = 0; j <= degree; j++) {
        s.piece[0][j] = c[j];
        size = fmax(size, fmax(fabs(c[j].low), fabs(c[j].high)));
    }
    s.slack = size * 0x1p-41;
    for (uint32_t looked = 0; s.height > 0; looked++) {
        const uint32_t top = s.height - 1;
        hb_bounds *right = s.piece[top];
        const double bound = bound_of(&s, right);
        const bool at_end = bound == right[0].high || bound == right[degree].high;
        if (at_end || bound <= s.reached + s.slack || !(bound > s.most) || s.depth[top] == HALVINGS ||
            looked > PIECES) {
            s.most = fmax(s.most, bound);
            s.height--;
            continue;
        }
        hb_bounds left[MOST];
        halve(left, right, degree);
        s.depth[top + 1] = ++s.depth[top];
        for (uint32_t j = 0; j <= degree; j++) {
            s.piece[top + 1][j] = left[j];
        }
        s.height++;
    }
    return s.most;
}

hb_bounds hb_polynomial_range(const hb_bounds *c, uint32_t degree, hb_bounds x)
{
    hb_bounds b[MOST], negative[MOST];
    HB_ASSERT(degree <= HB_POLYNOMIAL_RANGE_DEGREE && x.low <= x.high);
    bool finite = isfinite(x.low) && isfinite(x.high);
    for (uint32_t k = 0; k <= degree; k++) {
        b[k] = c[k];
    }
    to_unit(b, degree, x);
    to_bernstein(b, degree);
    for (uint32_t k = 0; k <= degree; k++) {
        finite = finite && isfinite(b[k].low) && isfinite(b[k].high);
        negative[k] = (hb_bounds){-b[k].high, -b[k].low};
    }
    return finite ? (hb_bounds){-largest(negative, degree), largest(b, degree)} : (hb_bounds){-HUGE_VAL, HUGE_VAL};
}
