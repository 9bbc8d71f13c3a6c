#include "chebyshev.h"

#include <math.h>
#include <stdlib.h>

#include "bits.h"

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

static double power(double x, uint32_t exponent)
{
    double r = 1;
    for (uint32_t i = 0; i < exponent; i++) {
        r *= x;
    }
    return r;
}

void hb_chebyshev_range(const hb_chebyshev *p, double off, double *low, double *high)
{
    const uint32_t degree = hb_chebyshev_degree(p), log_nodes = 3 + hb_bit_length(degree);
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
    /* 1 / cos(pi/16) = 1.01959...: as far from the middle as that; what doubles round is far below 2^-30. */
    const double outside = power(1 + off + sqrt(2 * off + off * off), degree);
    const double middle = (most + least) / 2, half = (most - least) / 2 * 1.0196 * outside;
    const double slack = sum * 0x1p-30 + fabs(middle) * (outside - 1);
    *low = fmax(middle - half - slack, -sum * outside * (1 + 0x1p-40));
    *high = fmin(middle + half + slack, sum * outside * (1 + 0x1p-40));
}

/* --- double-doubles: high + low, |low| at most half a unit of high; T. J. Dekker, Numer. Math. 18, 1971 */

typedef struct wide {
    double high, low;
} wide;

static wide exact_sum(double a, double b)
{
    const double s = a + b, from_b = s - a;
    return (wide){s, (a - (s - from_b)) + (b - from_b)};
}

static wide exact_product(double a, double b)
{
    const double split = 0x1p27 + 1, p = a * b;
    const double ta = split * a, a1 = ta - (ta - a), a0 = a - a1, tb = split * b, b1 = tb - (tb - b), b0 = b - b1;
    return (wide){p, ((a1 * b1 - p) + a1 * b0 + a0 * b1) + a0 * b0};
}

static wide add(wide a, wide b)
{
    wide s = exact_sum(a.high, b.high);
    s.low += a.low + b.low;
    return exact_sum(s.high, s.low);
}

static wide multiply(wide a, wide b)
{
    wide p = exact_product(a.high, b.high);
    p.low += a.high * b.low + a.low * b.high;
    return exact_sum(p.high, p.low);
}

/* Of double-doubles an operation is right to this part of its operands' magnitudes, generously. */
static const double wide_unit = 0x1p-98;

/* q = q x + power, x = middle + half u, of degree k before: u T_j = (T_(j+1) + T_|j-1|) / 2. */
static void step(wide *q, wide *r, uint32_t k, wide middle, wide half, double next)
{
    const wide quarter = {half.high / 2, half.low / 2};
    for (uint32_t j = 0; j <= k + 1; j++) {
        r[j] = (wide){0, 0};
    }
    for (uint32_t j = 0; j <= k; j++) {
        const wide part = multiply(q[j], quarter);
        const uint32_t below = j > 0 ? j - 1 : 1;
        r[j] = add(r[j], multiply(q[j], middle));
        r[j + 1] = add(r[j + 1], part);
        r[below] = add(r[below], part);
    }
    r[0] = add(r[0], (wide){next, 0});
    for (uint32_t j = 0; j <= k + 1; j++) {
        q[j] = r[j];
    }
}

static double size_of(const wide *q, uint32_t degree)
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
    wide *q = calloc(2 * ((size_t)degree + 2), sizeof *q), *r = q + degree + 2;
    double *c = calloc((size_t)degree + 1, sizeof *c);
    *out = (hb_chebyshev_conversion){{degree, NULL}, HUGE_VAL};
    HB_ASSERT(low < high);
    if (q == NULL || c == NULL) {
        free(q);
        free(c);
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", degree);
    }
    wide middle = exact_sum(low / 2, high / 2), half = exact_sum(high / 2, -low / 2);
    const double reach = fabs(middle.high) + half.high;
    double error = 0;
    q[0] = (wide){powers[degree], 0};
    for (uint32_t k = 0; k < degree; k++) {
        const double next = powers[degree - 1 - k];
        error = error * reach + 8 * wide_unit * (size_of(q, k) * reach + fabs(next));
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
