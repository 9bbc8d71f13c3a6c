/* The error of one polynomial on [-1, 1], as one of the stages of an approximation. */
#ifndef HB_LANG_ANALYSIS_STAGE_H
#define HB_LANG_ANALYSIS_STAGE_H

#include <math.h>

#include "base/chebyshev.h"
#include "rlwe/params.h"
#include "scheme/quality.h"

/* A polynomial of values in [-1, 1] with so many limbs, at rest. */
typedef struct hb_stage {
    const hb_params *params; /* borrowed, as is the polynomial */
    uint32_t limbs;
    hb_magnitude values;
    const hb_chebyshev *polynomial;
    double error;  /* how far it is from the exact stage */
    double margin; /* its `error` holds for errors of the operand up to this; 0: it has no such margin */
    double drift;  /* by so much more it is off for imaginary parts (approx/drift.h); infinite: nothing is proven */
    double growth; /* hb_chebyshev_growth at operands that are off; 0, 1: they are real */
} hb_stage;

/* Returns the bounds of a polynomial whose operand has such ones; infinite where it cannot be planned (check_plan of
 * chebyshev.c refuses those). */
hb_quality hb_stage_quality(const hb_stage *stage, hb_quality operand);

/* Returns an error of this bound at so many limbs in units of values. */
static inline double hb_error_value_at(const hb_params *params, uint32_t limbs, double bound)
{
    return exp2(-hb_quality_bits(params, limbs, bound));
}

#endif
