/* Polynomials in the Chebyshev basis of CKKS ciphertexts whose values are in [-1, 1] (semantics.md 9.11). The result is
 * ceil(log2(degree + 1)) levels below the operand, at rest, for which every constant takes the exact scale that it
 * needs; so it is with parameters like SEAL's as well. */
#ifndef HB_CKKS_POLYNOMIAL_H
#define HB_CKKS_POLYNOMIAL_H

#include "error.h"
#include "rlwe/bootstrap.h"
#include "rlwe/evaluator_build.h"
#include "rlwe/polynomial.h"

/* For which ciphertexts a polynomial is planned. */
typedef struct hb_polynomial_spec {
    uint32_t limbs; /* of the operand */
    uint32_t baby;  /* degrees below it may be sums of multiples; it decides about roundings, so results depend on it.
                       0: the power of two that costs least */
} hb_polynomial_spec;

/* Makes a plan; the coefficients are not needed afterwards, params are borrowed. HB_EUSAGE where the polynomial is a
 * constant; HB_EDATA where the levels of the operand do not suffice, or a coefficient does not fit; HB_ECONFIG where
 * primes of parameters like SEAL's are too far from their scale; HB_ENOMEM. Closing takes NULL. */
hb_status hb_ckks_polynomial_open(const hb_params *params, const hb_polynomial_spec *spec,
                                  const hb_chebyshev *polynomial, hb_polynomial **out);
/* Makes the plan of EvalMod (eval_mod.h), with parameters that can bootstrap: of values x at the level where that
 * begins, at the scale of the prime of that level, to 2^-fewer_bits times values, at rest at the level that
 * bootstrapping leaves. A table, which may be NULL: the plan of that in the place of EvalMod's
 * (hb_polynomial_plan_init_table). HB_ECONFIG where parameters cannot bootstrap, or have no such table; HB_ENOMEM. */
hb_status hb_ckks_eval_mod_open(const hb_params *params, uint32_t fewer_bits, const hb_bootstrap_table *table,
                                hb_polynomial **out);
void hb_ckks_polynomial_close(hb_polynomial *polynomial);

/* Computes r = p(a). a has 2 components in NTT form, the limbs of the plan, and its level's scale, or EvalMod's own. r
 * has the limbs of results. work: memory of the engine, of `words` words; it decides the number of ciphertexts at a
 * time, at least one. key: of HB_RELINEARIZATION; it may be NULL where the plan has no products. The evaluator is one
 * for the operand's level, with switching. No overlap. */
hb_status hb_ckks_polynomial_apply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a,
                                   const hb_polynomial *polynomial, const hb_switch_key *key, hb_workspace work);

/* Finds the error of the result for an operand of that error, of `limbs` limbs, with values in [-1, 1], at the scale of
 * the level where the result is. error: the largest distance of the polynomial's values from the function that it
 * stands for; 0: it stands for itself. Errors are as above. */
hb_status hb_error_polynomial(const hb_params *params, const hb_polynomial_spec *spec, const hb_chebyshev *polynomial,
                              hb_error_factor a, double error, hb_quality *out);

#endif
