/* Operations at the lowest level that their users need. A fresh value, or one that is bootstrapped for several users,
 * may be above that. Its users would be brought down where they meet others, and not before. */
#ifndef HB_LANG_BOOTSTRAPPING_BRING_DOWN_H
#define HB_LANG_BOOTSTRAPPING_BRING_DOWN_H

#include "lang/ir/graph.h"
#include "placement.h"

/* Brings the operands of a product, or of an operation that switches keys, down to the level `enough`, where that saves
 * more than it takes. step: of the operation, with its costs. operands: replaced; HB_NO_NODE where there is none.
 * Products that are still to be rescaled stay as they are. Errors of nodes (graph.h). */
hb_status hb_graph_bring_down(hb_graph *graph, const hb_placement_step *step, hb_opcode op, uint32_t enough,
                              uint32_t operands[2]);

#endif
