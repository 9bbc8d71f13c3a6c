/* The functions of src/approx by other formulas than there, and polynomials in the Chebyshev basis, at 256 bits. */
#ifndef HB_TESTS_MPFR_FUNCTIONS_H
#define HB_TESTS_MPFR_FUNCTIONS_H

#include <mpfr.h>

#include "approx/approx.h"

#define MPFR_TEST_BITS 256

/* y = (1 + tanh(x / 2)) / 2 */
static inline void mpfr_test_sigmoid(mpfr_t y, const mpfr_t x)
{
    mpfr_div_2ui(y, x, 1, MPFR_RNDN);
    mpfr_tanh(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_div_2ui(y, y, 1, MPFR_RNDN);
}

/* y = (e^2x - 1) / (e^2x + 1) */
static inline void mpfr_test_tanh(mpfr_t y, const mpfr_t x)
{
    mpfr_t above;
    mpfr_init2(above, MPFR_TEST_BITS);
    mpfr_mul_2ui(above, x, 1, MPFR_RNDN);
    mpfr_expm1(above, above, MPFR_RNDN);
    mpfr_add_ui(y, above, 2, MPFR_RNDN);
    mpfr_div(y, above, y, MPFR_RNDN);
    mpfr_clear(above);
}

/* y = x (1 + erf(x sqrt(1/2))) / 2 */
static inline void mpfr_test_gelu(mpfr_t y, const mpfr_t x)
{
    mpfr_set_d(y, 0.5, MPFR_RNDN);
    mpfr_sqrt(y, y, MPFR_RNDN);
    mpfr_mul(y, y, x, MPFR_RNDN);
    mpfr_erf(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_mul(y, y, x, MPFR_RNDN);
    mpfr_div_2ui(y, y, 1, MPFR_RNDN);
}

static inline void mpfr_test_value(hb_function f, mpfr_t y, const mpfr_t x)
{
    switch (f) {
    case HB_SIGMOID:
        mpfr_test_sigmoid(y, x);
        break;
    case HB_TANH:
        mpfr_test_tanh(y, x);
        break;
    case HB_EXP:
        mpfr_const_log2(y, MPFR_RNDN);
        mpfr_div(y, x, y, MPFR_RNDN);
        mpfr_exp2(y, y, MPFR_RNDN);
        break;
    case HB_LOG:
        mpfr_sub_ui(y, x, 1, MPFR_RNDN);
        mpfr_log1p(y, y, MPFR_RNDN);
        break;
    case HB_INV:
        mpfr_pow_si(y, x, -1, MPFR_RNDN);
        break;
    case HB_SQRT:
        mpfr_set_d(y, 0.5, MPFR_RNDN);
        mpfr_pow(y, x, y, MPFR_RNDN);
        break;
    case HB_RSQRT:
        mpfr_set_d(y, -0.5, MPFR_RNDN);
        mpfr_pow(y, x, y, MPFR_RNDN);
        break;
    case HB_ERF:
        mpfr_erfc(y, x, MPFR_RNDN);
        mpfr_ui_sub(y, 1, y, MPFR_RNDN);
        break;
    case HB_GELU:
        mpfr_test_gelu(y, x);
        break;
    case HB_SILU:
        mpfr_test_sigmoid(y, x);
        mpfr_mul(y, y, x, MPFR_RNDN);
        break;
    default:
        mpfr_set_si(y, mpfr_sgn(x), MPFR_RNDN);
    }
}

/* y = p(u), y not u. */
static inline void mpfr_test_chebyshev(mpfr_t y, const hb_chebyshev *p, const mpfr_t u)
{
    mpfr_t before, here, next;
    mpfr_inits2(MPFR_TEST_BITS, before, here, next, (mpfr_ptr)NULL);
    mpfr_set_ui(before, 1, MPFR_RNDN); /* T_0 */
    mpfr_set(here, u, MPFR_RNDN);
    mpfr_set_d(y, p->coefficients[0], MPFR_RNDN);
    for (uint32_t k = 1; k <= p->degree; k++) {
        mpfr_mul_d(next, here, p->coefficients[k], MPFR_RNDN);
        mpfr_add(y, y, next, MPFR_RNDN);
        mpfr_mul(next, here, u, MPFR_RNDN);
        mpfr_mul_2ui(next, next, 1, MPFR_RNDN);
        mpfr_sub(next, next, before, MPFR_RNDN);
        mpfr_swap(before, here);
        mpfr_swap(here, next);
    }
    mpfr_clears(before, here, next, (mpfr_ptr)NULL);
}

#endif
