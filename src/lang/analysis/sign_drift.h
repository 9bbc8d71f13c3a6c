/* The effect of imaginary parts of errors on a sign in a graph (approx/drift.h). */
#ifndef HB_LANG_ANALYSIS_SIGN_DRIFT_H
#define HB_LANG_ANALYSIS_SIGN_DRIFT_H

#include "approx/drift.h"
#include "facts.h"

/* Returns whether a node passes the result of a stage on, at another level or with a number added. */
static inline bool hb_sign_passes(const hb_node *node)
{
    return node->op == HB_OP_RESCALE || node->op == HB_OP_ADJUST || node->op == HB_OP_ADD_NUMBER;
}
/* Returns the stage of the same sign before this one, whose result may have been brought to another level; NULL: it is
 * the first one. Proven errors of a stage with one before it are its own alone, but for the last, which has the drift
 * of all. */
const hb_node *hb_sign_stage_before(const hb_graph *graph, const hb_node *stage);
/* Returns whether the operand of a stage is off by its margin at most. */
bool hb_keeps_margin(const hb_facts *facts, const hb_node *operand);
/* Returns a bound of the imaginary parts of a node's values. An overlay does not change it: it leaves out errors of
 * approximations, which are real. */
double hb_imaginary_part(const hb_facts *facts, const hb_node *node);
/* Returns the drift of the stages of a sign up to this one, by the proven errors of their operands. An overlay leaves
 * out errors along the reals, but no imaginary part of the first operand.
 * The operand of the first stage may be off by more than its margin: all that follows from it is in the error of that
 * stage then. */
hb_drift hb_sign_drift(const hb_facts *facts, const hb_node *stage);

#endif
