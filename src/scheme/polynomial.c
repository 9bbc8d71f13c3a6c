#include "polynomial.h"

#include "scheme_ops.h"

hb_status hb_polynomial_open(const hb_params *params, uint32_t limbs, const hb_chebyshev *polynomial,
                             hb_polynomial **out)
{
    const hb_scheme_ops *ops = hb_scheme_ops_for(params);
    *out = NULL;
    if (ops->evaluator.polynomial_open == NULL) {
        return HB_FAIL(HB_ECONFIG, "%s has no polynomials of reals", ops->name);
    }
    return ops->evaluator.polynomial_open(params, limbs, polynomial, out);
}

void hb_polynomial_close(hb_polynomial *polynomial)
{
    if (polynomial != NULL) {
        hb_scheme_ops_for(polynomial->params)->evaluator.polynomial_close(polynomial);
    }
}

hb_status hb_evaluator_polynomial(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_polynomial *polynomial,
                                  const hb_switch_key *key, hb_workspace work)
{
    return hb_scheme_ops_for(polynomial->params)->evaluator.polynomial(ev, r, a, polynomial, key, work);
}
