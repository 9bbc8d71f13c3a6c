/* Checks of operands, called by the front ends of the operations. Each function consists of HB_ASSERTs: a wrong shape
 * is a programmer's error. */
#ifndef HB_RING_SHAPE_H
#define HB_RING_SHAPE_H

#include "engine.h"

/* Requires a regular batch of moduli of the ring, with data unless it is empty. */
void hb_require_shape(const hb_engine *e, hb_batch a);
/* Require the same list of ids, and of two regular batches the same limbs. */
void hb_require_ids(const uint16_t *ids, const uint16_t *expected, uint32_t limbs);
void hb_require_same_limbs(const hb_engine *e, hb_batch r, hb_batch a);
/* Requires that two batches begin at different places, unless one of them is empty. */
void hb_require_apart(const hb_engine *e, hb_batch a, hb_batch b);
/* Requires an operand of an operation by coefficient: views of some coefficients and of limbs that stand apart are
 * allowed. */
void hb_require_slices(const hb_engine *e, hb_batch a);
/* Requires two such operands of the same coefficients and as many polynomials. */
void hb_require_same_slices(const hb_engine *e, hb_batch r, hb_batch a);
/* Requires that r has room for the digits of a (hb_decompose). */
void hb_require_digits(const hb_engine *e, hb_batch r, hb_batch a);

#endif
