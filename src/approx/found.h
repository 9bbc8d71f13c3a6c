/* Approximations that were found, for callers that ask for the same ones often: a search for parameters compiles one
 * expression under many. */
#ifndef HB_APPROX_FOUND_H
#define HB_APPROX_FOUND_H

#include "approx.h"
#include "drift.h"

/* An object that keeps them; one thread's at a time. */
typedef struct hb_approximations hb_approximations;

/* Opens one that is empty. HB_ENOMEM. The caller closes it; NULL is allowed. */
hb_status hb_approximations_open(hb_approximations **out);
void hb_approximations_close(hb_approximations *found);

/* Gives the result of hb_approximate_within, or of hb_approximate where most_degree is 0; out of `found` if that was
 * asked for the same before. Errors are those of these functions. found: NULL keeps nothing. The caller owns *out. */
hb_status hb_approximations_find(hb_approximations *found, hb_approximation *out,
                                 const hb_approximation_request *request, uint32_t most_degree);
/* Returns the result of hb_drift_of, out of `found` if it is among the last 256 results. */
hb_drift hb_approximations_drift(hb_approximations *found, const hb_drift_stage *stages, uint32_t count, double from);

#endif
