/* What x times a composition of sign makes of the corner of |x|. Private to the room. */
#ifndef HB_APPROX_CORNER_H
#define HB_APPROX_CORNER_H

#include "approx.h"

/* Sets *bound to an upper bound of |x| |s(x + e) - sign(x)|, s the composition, whose interval, gap, stages and margins
 * are there: over all |x| at most the gap and a share HB_APPROXIMATION_CORNER_OFF more, and |e| up to that share; with
 * the results of stages off by up to their margins. HB_ENOMEM. */
hb_status hb_corner_bound(double *bound, const hb_approximation *sign);

#endif
