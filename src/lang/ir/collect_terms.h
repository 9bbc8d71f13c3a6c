/* Sums of products with numbers, as they are written out one by one, as linear combinations: 0.5*x + 2*y - z, also
 * of sums within sums. */
#ifndef HB_LANG_IR_COLLECT_TERMS_H
#define HB_LANG_IR_COLLECT_TERMS_H

#include "graph.h"

/* Makes factor * a, at the scale of products as `a` is, and at its level or one above. Terms of the sum that are
 * products with numbers become linear combinations. *out is HB_NO_NODE where the factor would take a product of its
 * own, or numbers would be lost; with a factor of 1 it is then `a`. Errors of operations
 * (graph.h). */
hb_status hb_graph_collect_terms(hb_graph *graph, uint32_t a, double factor, uint32_t *out);

#endif
