/* A graph without levels and scales made anew, with nodes that change them (levels.h), at levels that there are, and
 * with bootstrapped values where they are wanted. */
#ifndef HB_LANG_BOOTSTRAPPING_PLACE_LEVELS_H
#define HB_LANG_BOOTSTRAPPING_PLACE_LEVELS_H

#include "bootstrap_pairs.h"

/* Copies used nodes of `from`, with the same expressions, operands and values, into `to`, which is empty. Operands are
 * replaced by their bootstrapped values where the placement says so; bootstraps NULL: none. refreshes: likewise of
 * integers, whose noise is bootstrapped; NULL: none. Without either there are no statements. Products are added up,
 * rescaled and adjusted as late as levels allow. made: [nodes of `from`] the copy of each node, HB_NO_NODE of unused
 * ones. Refusals of the operations; HB_ENOMEM. The caller clears `to`, also after a failure. */
hb_status hb_graph_place_levels(hb_graph *to, const hb_facts *from, const hb_value_classes *statements,
                                const hb_bootstraps *bootstraps, const hb_placement *refreshes, uint32_t *made);

#endif
