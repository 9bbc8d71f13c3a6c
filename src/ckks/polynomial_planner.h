/* How plans of polynomials are made (polynomial_plan.h): values and steps, powers of x in the Chebyshev basis, parts of
 * polynomials at a level and scale. Host only. */
#ifndef HB_CKKS_POLYNOMIAL_PLANNER_H
#define HB_CKKS_POLYNOMIAL_PLANNER_H

#include "polynomial_plan.h"

#define HB_NO_VALUE UINT16_MAX

/* The state of planning. */
typedef struct hb_polynomial_planner {
    hb_polynomial_plan *plan;
    const hb_params *params;
    uint32_t own;                                 /* limbs of one level */
    uint16_t power[HB_CHEBYSHEV_MOST_DEGREE + 1]; /* values of T_k; HB_NO_VALUE: not there yet */
} hb_polynomial_planner;

/* Coefficients of a part of a polynomial in the Chebyshev basis: [degree + 1]. */
typedef struct hb_polynomial_part {
    const double *c;
    uint32_t degree;
} hb_polynomial_part;

/* Where a value stands: at the level of so many limbs, with that scale. */
typedef struct hb_polynomial_place {
    uint32_t limbs;
    hb_exact_scale scale;
} hb_polynomial_place;

/* Begins a plan with value 0, x, at that place. The caller clears the plan, also after a failure. */
hb_status hb_polynomial_planner_begin(hb_polynomial_planner *p, hb_polynomial_plan *plan, const hb_params *params,
                                      hb_polynomial_place x, uint32_t baby);

/* Makes value x the operand of the polynomials that are planned from now on. */
void hb_polynomial_planner_operand(hb_polynomial_planner *p, uint16_t x);

/* Return as new values the product of a and b, and a, relinearized where that has 3 components, divided by the primes
 * that its level owns, its values read as `factor` times as large. */
hb_status hb_polynomial_planner_tensor(hb_polynomial_planner *p, uint16_t a, uint16_t b, uint16_t *out);
hb_status hb_polynomial_planner_down(hb_polynomial_planner *p, uint16_t a, double factor, uint16_t *out);
/* Computes to = to + a or to - a, and to = to + numerator / denominator, to be added at that scale, which is that of
 * `to`. */
hb_status hb_polynomial_planner_add(hb_polynomial_planner *p, uint16_t to, uint16_t a, hb_sign sign);
hb_status hb_polynomial_planner_add_number(hb_polynomial_planner *p, uint16_t to, double numerator,
                                           uint32_t denominator, hb_exact_scale scale);
/* Makes `to` i times itself. */
hb_status hb_polynomial_planner_turn(hb_polynomial_planner *p, uint16_t to);
/* Returns a new value of 2 components, a times the number, at that place, above which a does not stand. */
hb_status hb_polynomial_planner_multiple(hb_polynomial_planner *p, uint16_t a, double number, hb_polynomial_place at,
                                         uint16_t *out);

/* Returns the value of a part at that level and scale, made one level above and brought down. */
hb_status hb_polynomial_planner_evaluate(hb_polynomial_planner *p, hb_polynomial_part part, hb_polynomial_place at,
                                         uint16_t *out);

/* Finds places for the values, and makes the residues of numbers: nothing is added to the plan then. */
hb_status hb_polynomial_planner_finish(hb_polynomial_planner *p);

#endif
