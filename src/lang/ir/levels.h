/* Levels and scales: the check that a product has room, and changes of level and scale.
 *
 * Only the pass that places levels (place_levels.h) makes the changes. The operations of graph.h make only changes that
 * the text asks for; their operands are at the right level and scale already. */
#ifndef HB_LANG_IR_LEVELS_H
#define HB_LANG_IR_LEVELS_H

#include "graph.h"

/* HB_EDATA, naming `what`, for a product whose rescaling would have no level to go to, or, where parameters are like
 * SEAL's, would leave a scale that is too far from theirs (hb_codec_products_go_down). */
hb_status hb_graph_require_level(const hb_graph *graph, uint32_t a, const char *what);
/* The same of a product with a real number; HB_EUSAGE where nothing would be left of the number as ciphertexts of that
 * level are multiplied by it. */
hb_status hb_graph_require_number(const hb_graph *graph, uint32_t a, double number);

/* Brings `a` to rest: rescaled, if it is a product that is to be. Errors of nodes (graph.h). */
hb_status hb_graph_rescale(hb_graph *graph, uint32_t a, uint32_t *out);
/* Brings nodes to rest and to the lowest of their levels; nodes: [count], 1 or more, replaced. Errors
 * of nodes. */
hb_status hb_graph_meet_all(hb_graph *graph, uint32_t *nodes, uint32_t count);

#endif
