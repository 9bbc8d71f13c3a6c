/* Bootstrapped values as nodes: bootstrapping gives a value levels again. Two real ones are bootstrapped as one: each
 * is a node whose `b` is the other's operand, and the two follow one another. For a single column that is no total, row
 * blocks 2 k and 2 k + 1 of the table are bootstrapped as one, for any size of batches. */
#ifndef HB_LANG_IR_BOOTSTRAP_H
#define HB_LANG_IR_BOOTSTRAP_H

#include "graph.h"

/* Returns the power of two that holds the values of a node in every slot; -1: their magnitude is unknown, or too large
 * for bootstrapping. */
int hb_node_bootstrap_bits(const hb_graph *graph, const hb_node *node);

/* HB_EUSAGE where no range is known of a node, HB_EDATA where it is too large. */
hb_status hb_graph_check_bootstrap(const hb_graph *graph, uint32_t a);
/* Makes `a` bootstrapped: at rest, at the level of results of bootstrapping, which the parameters have. For a pair,
 * whose values are real: makes both, or one where both came to the same node. Refusals as above. */
hb_status hb_graph_bootstrap(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_bootstrap_pair(hb_graph *graph, const uint32_t a[2], uint32_t out[2]);

/* Makes integers with their noise bootstrapped so many times, at the users' highest level, to which they are extended,
 * for the place in the text that made them. Ranges of passes follow from the errors of the graph (hb_node_error). */
hb_status hb_graph_refresh(hb_graph *graph, uint32_t a, uint32_t times, uint32_t *out);

/* Makes each coefficient of `a` looked up in a table while its noise is bootstrapped, at the users' highest level, to
 * which it is extended. The table is copied. The parameters have tables (scheme/quality.h). */
hb_status hb_graph_lookup(hb_graph *graph, uint32_t a, const hb_bootstrap_table *table, uint32_t *out);
/* Returns the table of a look-up; a view. */
static inline const hb_bootstrap_table *hb_lookup_table_of(const hb_graph *graph, const hb_node *node)
{
    return &graph->constants.tables.table[node->number];
}

/* Returns the node that one of a pair is bootstrapped together with, next to it; HB_NO_NODE: it is alone. */
uint32_t hb_node_bootstrapped_with(const hb_graph *graph, uint32_t node);

/* Returns the limbs of a bootstrapped value (graph.c). */
uint32_t hb_bootstrapped_limbs(const hb_graph *graph);

#endif
