/* Chooses the composition of polynomials that replaces sign: the shortest one that is proven at the limbs where it is
 * computed. Stages of a high degree take the fewest levels. But their errors of evaluation may exceed the margin for
 * which the next stage is proven (hb_approximation.margin); several short stages have smaller errors. */
#ifndef HB_LANG_FUNCTIONS_COMPOSITION_H
#define HB_LANG_FUNCTIONS_COMPOSITION_H

#include "approx/found.h"
#include "lang/analysis/stage.h"

/* The result of a composition. */
typedef struct hb_composition_outlook {
    bool fits;       /* there are so many levels */
    bool kept;       /* by proven bounds, stages are off by less than the margins of those after them */
    double expected; /* error of the result in units of values, with that of the approximation */
} hb_composition_outlook;

/* Returns the outcome of the stages, one after another, on values in [-1, 1] with hardly an error, from `limbs` limbs
 * on. `found` as in hb_approximations_drift. */
hb_composition_outlook hb_composition_look(const hb_params *params, uint32_t limbs, hb_approximations *found,
                                           const hb_approximation *f);

/* Finds the approximation of sign for values with so many limbs. Candidates are those of hb_approximate with stages of
 * at most degree 63, 31, 15 and 7, from the fewest levels on. It takes the first that fits and keeps its margins;
 * without one, the fitting one with the smallest expected error; without a fitting one, the first. *longer: it takes
 * more levels than the first. `found` as in hb_approximations_find. As hb_approximate otherwise. */
hb_status hb_composition_choose(const hb_params *params, uint32_t limbs, hb_approximations *found,
                                const hb_approximation_request *request, hb_approximation *out, bool *longer);

#endif
