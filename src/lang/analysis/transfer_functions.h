/* Transfer functions of errors: the bounds of a node from those of its operands, one row an operation. Front ends of
 * schemes say where these differ (scheme/quality.h). */
#ifndef HB_LANG_ANALYSIS_TRANSFER_FUNCTIONS_H
#define HB_LANG_ANALYSIS_TRANSFER_FUNCTIONS_H

#include "facts.h"
#include "scheme/quality.h"

/* Finds the error of a node for others to use, whose operands have theirs; sizes are there. */
void hb_facts_find_error(hb_facts *facts, const hb_node *node);
/* Returns the error that the node itself adds: its bounds where its operands, two at most, have none. */
hb_quality hb_node_own_quality(const hb_facts *facts, const hb_node *node);

#endif
