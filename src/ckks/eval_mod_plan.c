/* EvalMod (eval_mod.h) as a plan. Scales are found from the end: the value that is read as z, by the scale over the
 * ratio, has the scale of its level, and a doubling squares a scale and divides it by a prime. */
#include "bootstrapping/eval_mod.h"

#include <math.h>

#include "bootstrapping/chain.h"
#include "polynomial_planner.h"

/* Returns the prime that the level of so many limbs owns. */
static hb_exact_scale prime(const hb_params *params, uint32_t limbs)
{
    return hb_ckks_divisor(&params->spec, limbs);
}

/* *y <- 2 y^2 - c, and where it is the last one values are read as `factor` times as large. */
static hb_status add_doubling(hb_polynomial_planner *p, uint16_t *y, double c, double factor)
{
    uint16_t square;
    HB_TRY(hb_polynomial_planner_tensor(p, *y, *y, &square));
    HB_TRY(hb_polynomial_planner_add(p, square, square, HB_PLUS));
    HB_TRY(hb_polynomial_planner_add_number(p, square, -c, 1, p->plan->values[square].scale));
    return hb_polynomial_planner_down(p, square, factor, y);
}

/* `factor` times z (linear + third z^2) as z^2 (third z) + linear z: third z is scaled so that the first product has
 * exactly the scale at which the second one is added, and which the division takes to that of the level. */
static hb_status add_cubic(hb_polynomial_planner *p, uint16_t z, const hb_eval_mod_form *form, double factor)
{
    const uint32_t limbs = p->plan->values[z].limbs;
    uint16_t square, w, scaled, v, product, rest, out;
    HB_TRY(hb_polynomial_planner_tensor(p, z, z, &square));
    HB_TRY(hb_polynomial_planner_down(p, square, 1, &w));
    const hb_polynomial_place sum = {
        limbs - 1, hb_exact_scale_multiply(hb_ckks_scale(p->params, limbs - 2), prime(p->params, limbs - 1))};
    const hb_exact_scale wanted = hb_exact_scale_divide(sum.scale, p->plan->values[w].scale);
    HB_TRY(hb_polynomial_planner_multiple(
        p, z, factor * form->third,
        (hb_polynomial_place){limbs, hb_exact_scale_multiply(wanted, prime(p->params, limbs))}, &scaled));
    HB_TRY(hb_polynomial_planner_down(p, scaled, 1, &v));
    HB_TRY(hb_polynomial_planner_tensor(p, w, v, &product));
    HB_TRY(hb_polynomial_planner_multiple(p, z, factor * form->linear, sum, &rest));
    HB_TRY(hb_polynomial_planner_add(p, product, rest, HB_PLUS));
    return hb_polynomial_planner_down(p, product, 1, &out);
}

/* `factor` times the polynomial that undoes the sine, at rest with `below` limbs: tables leave more levels than it
 * takes. */
static hb_status add_undoing(hb_polynomial_planner *p, uint16_t z, const hb_eval_mod_form *form, double factor,
                             uint32_t below)
{
    double c[HB_EVAL_MOD_MOST_UNDOING + 1];
    for (uint32_t k = 0; k <= form->undo_degree; k++) {
        c[k] = factor * form->undo[k];
    }
    const hb_polynomial_part undo = {c, form->undo_degree};
    uint16_t out;
    hb_polynomial_planner_operand(p, z);
    return hb_polynomial_planner_evaluate(p, undo, (hb_polynomial_place){below, hb_ckks_scale(p->params, below)}, &out);
}

hb_status hb_polynomial_plan_init_eval_mod(hb_polynomial_plan *plan, const hb_params *params, uint32_t fewer_bits)
{
    const hb_eval_mod_form *form = hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod);
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    const uint32_t first = levels.eval_mod + 1, join = levels.join + 1; /* limbs; a level owns one */
    const bool undone = hb_eval_mod_correction_levels(form) > 0;
    /* The steps that undo the sine have the factor. Without such steps the result is read times it. */
    const double factor = ldexp(1, -(int)fewer_bits), ratio = undone ? form->ratio : factor * form->ratio;
    hb_polynomial_planner p;
    HB_TRY(
        hb_polynomial_planner_begin(&p, plan, params, (hb_polynomial_place){first, prime(params, first)}, form->baby));
    plan->levels = levels.eval_mod - levels.out;
    /* -1/4 over bound + 1/2 */
    HB_TRY(hb_polynomial_planner_add_number(&p, 0, -1, 4 * form->bound + 2, plan->values[0].scale));
    hb_exact_scale scale = hb_exact_scale_multiply(hb_ckks_scale(params, join), hb_exact_scale_of_double(ratio));
    for (uint32_t k = 0; k < form->doublings; k++) {
        scale = hb_exact_scale_sqrt_product(scale, prime(params, join + 1 + k));
    }
    const hb_polynomial_part sine = {form->coefficients, form->degree};
    uint16_t y;
    HB_TRY(hb_polynomial_planner_evaluate(&p, sine, (hb_polynomial_place){join + form->doublings, scale}, &y));
    double c = form->amplitude;
    for (uint32_t k = 1; k <= form->doublings; k++) {
        c *= c;
        HB_TRY(add_doubling(&p, &y, c, k == form->doublings ? ratio : 1));
    }
    if (form->cubic) {
        HB_TRY(add_cubic(&p, y, form, factor));
    }
    if (form->undo_degree > 0) {
        HB_TRY(add_undoing(&p, y, form, factor, levels.out + 1));
    }
    return hb_polynomial_planner_finish(&p);
}
