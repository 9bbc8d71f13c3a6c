/* The largest magnitude of a polynomial on [-1, 1], proven. Private to the room. */
#ifndef HB_APPROX_BOUND_H
#define HB_APPROX_BOUND_H

#include "base/status.h"
#include "numbers.h"

/* Sets out[i] to sum c_k T_k at count cosines, k from first to last: by Clenshaw's recurrence. Off by at most (last
 * + 1)^2 2^-49 sum |c_k|. */
void hb_chebyshev_values(double *out, const double *c, uint32_t first, uint32_t last, uint32_t count,
                         const hb_angle *at);
/* The least points of the grid for each degree. */
#define HB_BOUND_LEAST_OVERSAMPLE 16
/* Sets *bound to an upper bound of max |sum c_k T_k| on [-1, 1], k <= degree: above that maximum by less than 1.26 /
 * oversample^2 of it plus (degree + 1)^2 2^-48 sum |c_k|. oversample is at least HB_BOUND_LEAST_OVERSAMPLE.
 * HB_ENOMEM. */
hb_status hb_chebyshev_bound(double *bound, const double *c, uint32_t degree, uint32_t oversample);

#endif
