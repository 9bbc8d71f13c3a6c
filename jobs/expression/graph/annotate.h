/* What is known of the nodes of a graph once it is complete: which are used, where relinearizing is needed, which
 * pass can compute them first, and their quality. */
#ifndef HB_EXPRESSION_GRAPH_ANNOTATE_H
#define HB_EXPRESSION_GRAPH_ANNOTATE_H

#include "graph.h"

/* Passes over the data: each nesting of sums in values with rows is one more. */
#define HB_MAX_PASSES 100

/* Marks nodes as asked for: they are stored, with 2 components. */
void hb_graph_need(hb_graph *graph, const uint32_t *nodes, uint32_t count);
/* Marks what these are made of, and finds components: products keep 3 while they are only added, scaled, switched
 * down or summed up, and are relinearized where a product, a rotation or an output takes them; then for everybody. */
void hb_graph_sizes(hb_graph *graph);
/* HB_EUSAGE for more than HB_MAX_PASSES. */
hb_status hb_graph_passes(hb_graph *graph, uint32_t *passes);
/* HB_EDATA naming the first node that has no bits left, of reals the first whose values its level does not hold;
 * HB_ECONFIG for one that needs keys where there can be none. Sizes are there. */
hb_status hb_graph_quality(hb_graph *graph, hb_quality_trust trust);

/* HB_EDATA, with what would do, where nothing is proven of a node that the item stores: it can be off by as much as its
 * values are, and by more than 1. Of reals. */
hb_status hb_graph_check_proven(const hb_graph *graph, uint32_t node, const hb_item *item);
/* HB_EDATA unless a node that the item stores has as many bits left. */
hb_status hb_graph_check_wanted(const hb_graph *graph, uint32_t node, const hb_item *item, double bits,
                                hb_quality_trust trust);

/* Returns the bits left for a node (hb_quality_bits). */
double hb_node_bits(const hb_graph *graph, const hb_node *node, hb_quality_trust trust);
/* Returns the bits of what is decrypted of a node: of reals with what decoding rounds, in the end to doubles. */
double hb_node_shown_bits(const hb_graph *graph, const hb_node *node, hb_quality_trust trust);

/* Return an error as a node's bounds have it (hb_quality), as log2 of it times the scale, in units of values, 0 where
 * it is 0 or less, and such a bound of an error in units of values. Of reals. */
double hb_node_error_value(const hb_graph *graph, const hb_node *node, double error);
double hb_node_error_bits(const hb_graph *graph, const hb_node *node, double value);

#endif
