#include "polynomial_range.h"

#include <math.h>
#include <stdbool.h>

#include "status.h"

enum {
    MOST = HB_POLYNOMIAL_RANGE_DEGREE + 1,
    HALVINGS = 48, /* deep: far below a double's rounding */
    PIECES = 1024  /* that are looked at; a polynomial has few places where it is nearly largest */
};

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
            b[j] = hb_bounds_add(
                b[j], hb_bounds_divide(hb_bounds_multiply(c[i], (hb_bounds){times, times}), binomial(degree, i)));
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
