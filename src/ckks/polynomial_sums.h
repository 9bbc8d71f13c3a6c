/* Steps of a plan that one sum of products and multiples takes the place of (polynomial_plan.h). Host only. */
#ifndef HB_CKKS_POLYNOMIAL_SUMS_H
#define HB_CKKS_POLYNOMIAL_SUMS_H

#include "polynomial_plan.h"

/* Finds the sums: of each value that is brought down, if all that makes it can wait until then. Its steps are absorbed;
 * what they read stays until then, and what they make besides needs no place. Comes before places are found.
 * HB_ENOMEM. */
hb_status hb_polynomial_find_sums(hb_polynomial_plan *plan);

#endif
