/* What imaginary parts of errors do to a sign in a graph (approx/drift.h). */
#ifndef HB_LANG_ANALYSIS_SIGN_DRIFT_H
#define HB_LANG_ANALYSIS_SIGN_DRIFT_H

#include "approx/drift.h"
#include "facts.h"

/* Returns the stage of the same sign before this one, whose result may have been brought to another level; NULL: it is
 * the first one. Proven errors of a stage with one before it are its own alone, but for the last, which has the drift
 * of all. */
const hb_node *hb_sign_stage_before(const hb_graph *graph, const hb_node *stage);
/* Returns the drift of a sign, by the proven errors of the operands of its stages. last: the node of its last stage. */
hb_drift hb_sign_drift(const hb_facts *facts, const hb_node *last);

#endif
