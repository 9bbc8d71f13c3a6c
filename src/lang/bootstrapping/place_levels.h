/* A graph without levels and scales made anew, with nodes that change them (levels.h), at levels that there are, and
 * with bootstrapped values where they are wanted. */
#ifndef HB_LANG_BOOTSTRAPPING_PLACE_LEVELS_H
#define HB_LANG_BOOTSTRAPPING_PLACE_LEVELS_H

#include "bootstrap_pairs.h"

/* Makes used nodes of `from`, with the same expressions, operands and values, in `to`, which is empty: operands that
 * are to be taken bootstrapped are; bootstraps NULL: none, and there are no statements. Products are added up, rescaled
 * and adjusted as late as levels allow. made: [nodes of `from`] what they became, HB_NO_NODE of others. Refusals of the
 * operations; HB_ENOMEM. The caller clears `to`, whatever happens. */
hb_status hb_graph_place_levels(hb_graph *to, const hb_facts *from, const hb_value_classes *statements,
                                const hb_bootstraps *bootstraps, uint32_t *made);

#endif
