/* EvalMod's constants. EvalMod reduces the values modulo q_0 after the modulus was raised (semantics.md 9).
 *
 * A ciphertext modulo q_0 whose values z, |z| <= 1, have the scale q_0 / ratio holds, read modulo more primes, t = I +
 * z / ratio at the scale q_0, I an integer, |I| <= bound. With x = t / (bound + 1/2) in every slot and u = t - 1/4, an
 * odd polynomial in u / (bound + 1/2) is amplitude sin(2 pi u / 2^doublings), amplitude = (1 / 2 pi)^(1 / 2^doublings);
 * `doublings` times y <- 2 y^2 - c, c <- c^2 from c = amplitude^2 on, make it sin(2 pi t) / (2 pi). Ratio times that is
 * z plus terms of its third and higher powers. A cubic, z (linear + third z^2), or a longer odd polynomial undoes the
 * sine. A smaller ratio multiplies errors less, but leaves a larger distortion by the sine to undo. */
#ifndef HB_BOOTSTRAPPING_EVAL_MOD_H
#define HB_BOOTSTRAPPING_EVAL_MOD_H

#include "rlwe/params.h"

#define HB_EVAL_MOD_MOST_UNDOING 7

/* For one form; const data. */
typedef struct hb_eval_mod_form {
    double ratio_bits;          /* log2 of ratio */
    double ratio;               /* of q_0 to the scale of values modulo q_0: the nearest double */
    uint32_t bound;             /* of |I|; beyond it values are lost */
    uint32_t degree;            /* of the polynomial, which is odd */
    uint32_t doublings;         /* of the angle */
    uint32_t baby;              /* degrees of the polynomial below it are sums of multiples (polynomial.h) */
    double amplitude;           /* of the polynomial */
    const double *coefficients; /* [degree + 1] in the Chebyshev basis; the even ones are 0 */
    bool cubic;                 /* whether that undoes the sine, on two levels more */
    double linear, third;       /* its coefficients */
    const double *undo;         /* [undo_degree + 1] the longer polynomial in the Chebyshev basis, or NULL: the cubic
                                 * serves */
    uint32_t undo_degree;       /* 0: nothing else does; .. HB_EVAL_MOD_MOST_UNDOING */
    double distortion;          /* the most by which results for |z| <= 1 differ from z, without errors of encryption */
    /* log2 of the largest distance between ratio times the doubled polynomial and ratio times the sine, |I| <= bound,
     * |z| <= 1; and log2 of the probability that |I| > bound in one of 2^16 coefficients, for a ciphertext that no
     * attacker made and a sparse secret of weight 32. -infinity: impossible. */
    double fit_bits, failure_bits;
    /* Where the error of a bootstrap is bootstrapped itself, 2^error_bits times it is: three bits fewer than the form
     * is expected to have in the worst slot at N = 2^16. */
    uint32_t error_bits;
    /* The bits to which noise of integers (refresh/refresh.h) is read with a ratio of 1 at N = 1024, as a root mean
     * square: log2 of ratio, and of N / 1024, fewer; measured. */
    double read_bits;
} hb_eval_mod_form;

/* Returns the numbers of a form, which is not HB_EVAL_MOD_NONE. */
const hb_eval_mod_form *hb_eval_mod_form_of(hb_eval_mod eval_mod);

/* Returns the levels that a form takes below the one at which it begins, to where its sine is: those of the polynomial
 * and one for each doubling; and the levels that undoing the sine takes. */
uint32_t hb_eval_mod_levels(const hb_eval_mod_form *form);
uint32_t hb_eval_mod_correction_levels(const hb_eval_mod_form *form);

#endif
