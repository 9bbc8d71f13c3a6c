/* Affine maps of reals, for functions that take values in [-1, 1]. Where the operand was made with constants, these
 * absorb the factor, so that it takes no level. */
#ifndef HB_LANG_IR_SCALE_FOLDING_H
#define HB_LANG_IR_SCALE_FOLDING_H

#include "graph.h"

/* Makes factor * a + offset, in slots that hold a row; factor is not 0. Refusals of hb_graph_scale and
 * hb_graph_add_constant; HB_ENOMEM. */
hb_status hb_graph_affine(hb_graph *graph, uint32_t a, double factor, double offset, uint32_t *out);

#endif
