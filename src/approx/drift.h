/* The effect of complex errors on a composition of polynomials of real values, such as sign. Errors of CKKS have
 * imaginary parts. A polynomial takes x + iy to its value at x, off by a real part that grows with y^2, the bend, and
 * an imaginary part that grows with y, the turn. By both the operand of the next one is off. */
#ifndef HB_APPROX_DRIFT_H
#define HB_APPROX_DRIFT_H

#include <stdbool.h>

#include "base/chebyshev.h"

/* A stage of the composition. */
typedef struct hb_drift_stage {
    const hb_chebyshev *polynomial; /* borrowed; odd, but for a constant of the last one */
    double off;    /* the error of its operand, in modulus, without the error that the stage before propagated */
    double margin; /* and may be off by so much along the reals; not read of the first stage */
} hb_drift_stage;

/* Bounds of the modulus by which the last stage, evaluated without an error of its own, is off its value at the real
 * part of its operand. */
typedef struct hb_drift {
    bool kept;     /* operands of all stages are off along the reals by their margins at most; else nothing is said */
    double beside; /* for values of the first operand at least `from` away from 0 */
    double within; /* for the others */
    double growth; /* for all: hb_chebyshev_growth at operands of the last stage, of polynomials of its degree */
} hb_drift;

/* Finds the drift of a composition whose first operand has real parts in [-1, 1], and so has each further one as long
 * as its margin is kept. The interval is divided into cells until more of them would tell little; each goes through the
 * stages as an interval, by Taylor's theorem. 1 <= count <= HB_DRIFT_MOST_STAGES. */
#define HB_DRIFT_MOST_STAGES 32
hb_drift hb_drift_of(const hb_drift_stage *stages, uint32_t count, double from);

#endif
