/* A smooth function as one polynomial of least degree. Private to the room. */
#ifndef HB_APPROX_SINGLE_H
#define HB_APPROX_SINGLE_H

#include "approx.h"

/* Sets *p, whose coefficients it allocates, to the polynomial of hb_approximate for a function other than sign, and
 * *error to its proven bound. The request has been checked. HB_ECONFIG, HB_ENOMEM; *p is unchanged then. */
hb_status hb_approximate_single(hb_chebyshev *p, double *error, const hb_approximation_request *request);

#endif
