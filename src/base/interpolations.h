/* Polynomials through values mod a prime that were found, for callers that ask for the same ones often: a search for
 * parameters compiles one expression under many. */
#ifndef HB_BASE_INTERPOLATIONS_H
#define HB_BASE_INTERPOLATIONS_H

#include "interpolation.h"

/* An object that keeps them; one thread's at a time. */
typedef struct hb_interpolations hb_interpolations;

/* Opens an empty cache. HB_ENOMEM. The caller closes it; closing wipes the kept values, which may be private, and takes
 * NULL. */
hb_status hb_interpolations_open(hb_interpolations **out);
void hb_interpolations_close(hb_interpolations *found);

/* Gives the result of hb_interpolate_mod, out of `found` if that was asked for the same lately. found: NULL keeps
 * nothing. values and coefficients may be the same. HB_ENOMEM. Rank-local. */
hb_status hb_interpolations_find(hb_interpolations *found, const hb_modulus *prime, hb_points points,
                                 const uint64_t *values, size_t count, uint64_t *coefficients);

#endif
