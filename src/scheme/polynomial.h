/* Polynomials of ciphertexts in the Chebyshev basis, in schemes that support them: the scheme of reals. */
#ifndef HB_SCHEME_POLYNOMIAL_H
#define HB_SCHEME_POLYNOMIAL_H

#include "rlwe/evaluator_build.h"
#include "rlwe/polynomial.h"

/* Plans a polynomial of ciphertexts of `limbs` limbs, at rest, whose values are in [-1, 1]. The coefficients are not
 * needed afterwards, params are borrowed. The plan depends on these alone, so results are the same everywhere.
 * HB_EUSAGE where the polynomial is a constant, or too long; HB_EDATA where there are fewer levels than
 * ceil(log2(degree + 1)), or a coefficient does not fit; HB_ECONFIG where the scheme or these parameters have no
 * polynomials; HB_ENOMEM. Closing takes NULL. */
hb_status hb_polynomial_open(const hb_params *params, uint32_t limbs, const hb_chebyshev *polynomial,
                             hb_polynomial **out);
void hb_polynomial_close(hb_polynomial *polynomial);

/* Computes r = p(a), at rest at the level of the plan's results. a and r have 2 components, and do not overlap. work:
 * memory of the evaluator's engine; as many ciphertexts are computed at a time as it has room for, at least one. key:
 * of HB_RELINEARIZATION. */
hb_status hb_evaluator_polynomial(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_polynomial *polynomial,
                                  const hb_switch_key *key, hb_workspace work);

#endif
