#include "chebyshev.h"

#include <math.h>
#include <stdlib.h>

#include "bits.h"
#include "double_double.h"
#include "polynomial_range.h"

uint32_t hb_chebyshev_degree(const hb_chebyshev *p)
{
    uint32_t degree = p->degree;
    while (degree > 0 && p->coefficients[degree] == 0) {
        degree--;
    }
    return degree;
}

uint32_t hb_chebyshev_levels(const hb_chebyshev *p)
{
    return hb_bit_length(hb_chebyshev_degree(p));
}

double hb_chebyshev_term(uint32_t k, double x)
{
    double t = 1, next = x;
    for (uint32_t i = 0; i < k; i++) {
        const double after = 2 * x * next - t;
        t = next;
        next = after;
    }
    return t;
}

double hb_chebyshev_value(const hb_chebyshev *p, double x)
{
    double last = 0, before = 0;
    for (uint32_t k = p->degree; k > 0; k--) {
        const double next = 2 * x * last - before + p->coefficients[k];
        before = last;
        last = next;
    }
    return x * last - before + p->coefficients[0];
}

/* T_k' = k U_(k-1). */
double hb_chebyshev_value_and_slope(const hb_chebyshev *p, double x, double *slope)
{
    double t = 1, next = x, u = 0, after = 1, sum = 0;
    *slope = 0;
    for (uint32_t k = 0; k <= p->degree; k++) { /* t = T_k, u = U_(k-1) */
        sum += p->coefficients[k] * t;
        *slope += p->coefficients[k] * k * u;
        const double more = 2 * x * next - t, further = 2 * x * after - u;
        t = next;
        next = more;
        u = after;
        after = further;
    }
    return sum;
}

double hb_chebyshev_slope(const hb_chebyshev *p)
{
    double slope = 0;
    for (uint32_t k = 1; k <= p->degree; k++) {
        slope += (double)k * (double)k * fabs(p->coefficients[k]);
    }
    return slope;
}

static double power(double x, uint32_t exponent)
{
    double r = 1;
    for (uint32_t i = 0; i < exponent; i++) {
        r *= x;
    }
    return r;
}

/* The half axes are sqrt(1 + u) and sqrt(u), and x^2 / (1 + u) + y^2 / u = 1. */
double hb_chebyshev_growth(double x, double y, uint32_t degree)
{
    const double p = (1 - x) * (1 + x) - y * y, root = sqrt(p * p + 4 * y * y);
    const double u = p > 0 ? 2 * y * y / (p + root) : (root - p) / 2;
    return power((sqrt(u) + sqrt(1 + u)) * (1 + 0x1p-50), degree);
}

/* The same polynomial in powers; coefficients of T_k are whole numbers, which doubles hold up to that degree. */
static void to_powers(hb_bounds *c, const hb_chebyshev *p, uint32_t degree)
{
    double t[HB_POLYNOMIAL_RANGE_DEGREE + 1] = {1}, before[HB_POLYNOMIAL_RANGE_DEGREE + 1] = {0, 1}; /* T_0, T_-1 */
    for (uint32_t j = 0; j <= degree; j++) {
        c[j] = (hb_bounds){0, 0};
    }
    for (uint32_t k = 0; k <= degree; k++) {
        const hb_bounds times = {p->coefficients[k], p->coefficients[k]};
        for (uint32_t j = 0; j <= k; j++) {
            c[j] = hb_bounds_add(c[j], hb_bounds_multiply(times, (hb_bounds){t[j], t[j]}));
        }
        for (uint32_t j = degree + 1; j-- > 0;) {
            const double next = (j > 0 ? 2 * t[j - 1] : 0) - before[j];
            before[j] = t[j];
            t[j] = next;
        }
    }
}

void hb_chebyshev_range(const hb_chebyshev *p, double off, double *low, double *high)
{
    const uint32_t degree = hb_chebyshev_degree(p), log_nodes = 3 + hb_bit_length(degree);
    if (degree <= HB_POLYNOMIAL_RANGE_DEGREE) {
        hb_bounds c[HB_POLYNOMIAL_RANGE_DEGREE + 1];
        to_powers(c, p, degree);
        const hb_bounds end = hb_bounds_add((hb_bounds){1, 1}, (hb_bounds){off, off}),
                        range = hb_polynomial_range(c, degree, (hb_bounds){-end.high, end.high});
        *low = range.low;
        *high = range.high;
        return;
    }
    double sum = 0, node = 0, most = -HUGE_VAL, least = HUGE_VAL;
    for (uint32_t k = 0; k <= degree; k++) {
        sum += fabs(p->coefficients[k]);
    }
    /* Half of an angle at a time, from cos(pi/2): the node nearest to 1. */
    for (uint32_t i = 0; i < log_nodes; i++) {
        node = sqrt((1 + node) / 2);
    }
    /* cos((2j + 1) t) = 2 cos(2t) cos((2j - 1) t) - cos((2j - 3) t). */
    const double twice = 2 * node * node - 1;
    double before = node;
    for (uint32_t j = 0; j < (uint32_t)1 << log_nodes; j++) {
        const double value = hb_chebyshev_value(p, fmin(fmax(node, -1), 1));
        most = fmax(most, value);
        least = fmin(least, value);
        const double next = 2 * twice * node - before;
        before = node;
        node = next;
    }
    /* 1 / cos(pi/16) = 1.01959...: as far from the middle as that; rounding of doubles is far below 2^-30. */
    const double outside = power(1 + off + sqrt(2 * off + off * off), degree);
    const double middle = (most + least) / 2, half = (most - least) / 2 * 1.0196 * outside;
    const double slack = sum * 0x1p-30 + fabs(middle) * (outside - 1);
    *low = fmax(middle - half - slack, -sum * outside * (1 + 0x1p-40));
    *high = fmin(middle + half + slack, sum * outside * (1 + 0x1p-40));
}

/* --- from powers, in double-doubles */

/* For double-doubles an operation is right to this part of its operands' magnitudes, generously. */
static const double dd_unit = 0x1p-98;

/* q = q x + power, x = middle + half u, of degree k before: u T_j = (T_(j+1) + T_|j-1|) / 2. */
static void step(hb_dd *q, hb_dd *r, uint32_t k, hb_dd middle, hb_dd half, double next)
{
    const hb_dd quarter = hb_dd_shift(half, 0.5);
    for (uint32_t j = 0; j <= k + 1; j++) {
        r[j] = (hb_dd){0, 0};
    }
    for (uint32_t j = 0; j <= k; j++) {
        const hb_dd part = hb_dd_multiply(q[j], quarter);
        const uint32_t below = j > 0 ? j - 1 : 1;
        r[j] = hb_dd_add(r[j], hb_dd_multiply(q[j], middle));
        r[j + 1] = hb_dd_add(r[j + 1], part);
        r[below] = hb_dd_add(r[below], part);
    }
    r[0] = hb_dd_add(r[0], (hb_dd){next, 0});
    for (uint32_t j = 0; j <= k + 1; j++) {
        q[j] = r[j];
    }
}

static double size_of(const hb_dd *q, uint32_t degree)
{
    double sum = 0;
    for (uint32_t j = 0; j <= degree; j++) {
        sum += fabs(q[j].high);
    }
    return sum;
}

/* A product by x is at most |x| times as large, in the sum of magnitudes of coefficients, and so is its error. */
hb_status hb_chebyshev_from_powers(hb_chebyshev_conversion *out, const double *powers, uint32_t degree, double low,
                                   double high)
{
    hb_dd *q = calloc(2 * ((size_t)degree + 2), sizeof *q), *r = q + degree + 2;
    double *c = calloc((size_t)degree + 1, sizeof *c);
    *out = (hb_chebyshev_conversion){{degree, NULL}, HUGE_VAL};
    HB_ASSERT(low < high);
    if (q == NULL || c == NULL) {
        free(q);
        free(c);
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", degree);
    }
    hb_dd middle = hb_dd_exact_sum(low / 2, high / 2), half = hb_dd_exact_sum(high / 2, -low / 2);
    const double reach = fabs(middle.high) + half.high;
    double error = 0;
    q[0] = (hb_dd){powers[degree], 0};
    for (uint32_t k = 0; k < degree; k++) {
        const double next = powers[degree - 1 - k];
        error = error * reach + 8 * dd_unit * (size_of(q, k) * reach + fabs(next));
        step(q, r, k, middle, half, next);
    }
    error += 0x1p-53 * size_of(q, degree);
    for (uint32_t j = 0; j <= degree; j++) {
        c[j] = q[j].high;
        error = isfinite(c[j]) ? error : HUGE_VAL;
    }
    out->polynomial.coefficients = c;
    out->error = isfinite(error) ? error * (1 + 0x1p-20) : HUGE_VAL;
    free(q);
    return HB_OK;
}
