/* Double-doubles, numbers of about 106 bits: unevaluated sums high + low of two doubles, high being the double nearest
 * to the sum. Transforms of slots compute in them where scales are longer than doubles hold (semantics.md 9.7). Sums
 * and products are made of double operations that are rounded one by one, without fused ones, so that every machine has
 * the same bits (T. J. Dekker, "A Floating-Point Technique for Extending the Available Precision", Numer. Math. 18,
 * 1971).
 *
 * With u = 2^-53: a sum errs by 3 u^2 (|a| + |b|) at most, a product by 9 u^2 |a b|, where nothing overflows or is
 * below the normal doubles; numbers above 2^996 give NaN. */
#ifndef HB_BASE_DOUBLE_DOUBLE_H
#define HB_BASE_DOUBLE_DOUBLE_H

#include "hostdevice.h"

typedef struct hb_dd {
    double high, low;
} hb_dd;

/* A complex number in double-doubles. */
typedef struct hb_dd_complex {
    hb_dd re, im;
} hb_dd_complex;

/* Returns a + b exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2). */
HB_FN hb_dd hb_dd_exact_sum(double a, double b)
{
    const double sum = a + b, b_part = sum - a, a_part = sum - b_part;
    return (hb_dd){sum, (a - a_part) + (b - b_part)};
}

/* Returns a + b exactly, where a is a multiple of the last bit of b or 0: so |a| >= |b| is enough. */
HB_FN hb_dd hb_dd_ordered_sum(double a, double b)
{
    const double sum = a + b;
    return (hb_dd){sum, b - (sum - a)};
}

/* Returns a b exactly, from products of halves of 26 bits. */
HB_FN hb_dd hb_dd_exact_product(double a, double b)
{
    const double splitter = 134217729.0; /* 2^27 + 1 */
    const double product = a * b, a_times = splitter * a, b_times = splitter * b;
    const double a1 = a_times - (a_times - a), a0 = a - a1, b1 = b_times - (b_times - b), b0 = b - b1;
    return (hb_dd){product, ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0};
}

/* The sum of the high parts is exact; the low parts are added to it once. That exact sum is a multiple of the last bits
 * of the low parts, also where much of it cancels. */
HB_FN hb_dd hb_dd_add(hb_dd a, hb_dd b)
{
    const hb_dd sum = hb_dd_exact_sum(a.high, b.high);
    return hb_dd_ordered_sum(sum.high, sum.low + (a.low + b.low));
}

HB_FN hb_dd hb_dd_negate(hb_dd a)
{
    return (hb_dd){-a.high, -a.low};
}

HB_FN hb_dd hb_dd_subtract(hb_dd a, hb_dd b)
{
    return hb_dd_add(a, hb_dd_negate(b));
}

HB_FN hb_dd hb_dd_multiply(hb_dd a, hb_dd b)
{
    const hb_dd product = hb_dd_exact_product(a.high, b.high);
    return hb_dd_ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/* Returns a times a power of two, exactly but below the normal doubles. */
HB_FN hb_dd hb_dd_shift(hb_dd a, double power)
{
    return (hb_dd){a.high * power, a.low * power};
}

/* Replaces a, b by a + b, (a - b) conj(w): a butterfly from slots to coefficients. */
HB_FN void hb_dd_butterfly_to_coefficients(hb_dd_complex *a, hb_dd_complex *b, hb_dd_complex w)
{
    const hb_dd_complex d = {hb_dd_subtract(a->re, b->re), hb_dd_subtract(a->im, b->im)};
    *a = (hb_dd_complex){hb_dd_add(a->re, b->re), hb_dd_add(a->im, b->im)};
    *b = (hb_dd_complex){hb_dd_add(hb_dd_multiply(d.re, w.re), hb_dd_multiply(d.im, w.im)),
                         hb_dd_subtract(hb_dd_multiply(d.im, w.re), hb_dd_multiply(d.re, w.im))};
}

/* Replaces a, b by a + b w, a - b w: a butterfly from coefficients to slots. */
HB_FN void hb_dd_butterfly_to_slots(hb_dd_complex *a, hb_dd_complex *b, hb_dd_complex w)
{
    const hb_dd_complex v = {hb_dd_subtract(hb_dd_multiply(b->re, w.re), hb_dd_multiply(b->im, w.im)),
                             hb_dd_add(hb_dd_multiply(b->re, w.im), hb_dd_multiply(b->im, w.re))};
    const hb_dd_complex u = *a;
    *a = (hb_dd_complex){hb_dd_add(u.re, v.re), hb_dd_add(u.im, v.im)};
    *b = (hb_dd_complex){hb_dd_subtract(u.re, v.re), hb_dd_subtract(u.im, v.im)};
}

#endif
