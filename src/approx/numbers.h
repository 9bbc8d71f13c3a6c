/* Arrays of MPFR's numbers, and angles in doubles. Private to the room. */
#ifndef HB_APPROX_NUMBERS_H
#define HB_APPROX_NUMBERS_H

#include <stdint.h>

#include <mpfr.h>

#include "base/status.h"

/* Makes count numbers of HB_APPROX_PRECISION bits, all 0. HB_ENOMEM. */
hb_status hb_numbers_open(mpfr_t **out, uint32_t count);
/* Frees them; NULL is allowed. */
void hb_numbers_close(mpfr_t *numbers, uint32_t count);

/* Returns 2^exponent, rounded down to a double. */
double hb_power_of_two(double exponent);

/* A point of the unit circle's upper half: its cosine is the point of [-1, 1] that is meant; with the sine, angles are
 * halved by square roots alone. */
typedef struct hb_angle {
    double cosine, sine;
} hb_angle;

/* Sets out[j] to the angle pi j / count, 0 <= j <= count, to within 2^-51. Symmetric: out[count - j] has the
 * cosine's negative. */
void hb_angles(hb_angle *out, uint32_t count);
/* Sets c[k], k <= d <= n, to the first Chebyshev coefficients of the polynomial of degree n, at least 1, with
 * value[j] at angle j of hb_angles(at, n). */
void hb_interpolate(double *c, uint32_t d, const double *value, const hb_angle *at, uint32_t n);
/* Returns the angle half way between two that are no half turn apart. */
hb_angle hb_angle_between(hb_angle a, hb_angle b);

#endif
