/* Intervals of reals, whose ends are rounded outwards where doubles are not exact, and bounds as decimals. */
#ifndef HB_BASE_OUTWARD_H
#define HB_BASE_OUTWARD_H

/* An interval, low <= high; an infinite end means that there is no bound on that side. */
typedef struct hb_bounds {
    double low, high;
} hb_bounds;

/* Return bounds of a + b, of a b, and of a divided by a finite number above 0, for all numbers within the operands'
 * bounds. 0 times an infinite end is 0. Exact sums are found by D. E. Knuth (TAOCP 4.2.2), exact products by fma. */
hb_bounds hb_bounds_add(hb_bounds a, hb_bounds b);
hb_bounds hb_bounds_multiply(hb_bounds a, hb_bounds b);
hb_bounds hb_bounds_divide(hb_bounds a, double number);
/* Returns bounds of sum + number a, those that a product and a sum give, in less time. */
hb_bounds hb_bounds_add_product(hb_bounds sum, hb_bounds a, double number);

/* Return the largest decimal up to x, and the least decimal from x on, with so many digits behind the point (0 to 22);
 * infinities and NaN as they are. Bounds that people read go through these, so that the printed number is a bound too:
 * printf would round to the nearest. A decimal is told from x as a double: 16.3 stays 16.3. Never -0. */
double hb_decimal_down(double x, int digits);
double hb_decimal_up(double x, int digits);
/* The same as hb_decimal_up, with so many significant digits: for %.3g and its like. */
double hb_significant_up(double x, int digits);

#endif
