/* sqrt on [0, high], which is analytic in no ellipse, and yet well known. Private to the room.
 *
 * u = 2 x / high - 1 = 2 s^2 - 1 with s = sqrt(x / high), and T_k(u) = T_2k(s): sought is a polynomial in s, of even
 * powers, that is near s on [0, 1]: S. Bernstein's problem, whose least errors are near 0.14 / d. */
#ifndef HB_APPROX_ROOT_H
#define HB_APPROX_ROOT_H

#include "approx.h"

/* Approximates sqrt on [0, high], and so on [low, high], low >= 0, as hb_approximate_single does. Sets p->degree to 0
 * where no polynomial does. */
hb_status hb_approximate_root(hb_chebyshev *p, double *error, const hb_approximation_request *request);

#endif
