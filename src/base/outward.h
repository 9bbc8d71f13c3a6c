/* Intervals of reals, whose ends are rounded outwards where doubles are not exact. */
#ifndef HB_BASE_OUTWARD_H
#define HB_BASE_OUTWARD_H

/* What lies between two numbers, low <= high; an infinite one says that there is no bound. */
typedef struct hb_bounds {
    double low, high;
} hb_bounds;

/* Return a + b and a b of any numbers within such bounds, and a divided by a finite number above 0. 0 times what has no
 * bound is 0. Exact sums are found by D. E. Knuth (TAOCP 4.2.2), exact products by fma. */
hb_bounds hb_bounds_add(hb_bounds a, hb_bounds b);
hb_bounds hb_bounds_multiply(hb_bounds a, hb_bounds b);
hb_bounds hb_bounds_divide(hb_bounds a, double number);

#endif
