/* A graph whose levels had no end made anew, at levels that there are, with bootstrapped values where they are
 * wanted. */
#ifndef HB_LANG_BOOTSTRAPPING_INSERT_BOOTSTRAPS_H
#define HB_LANG_BOOTSTRAPPING_INSERT_BOOTSTRAPS_H

#include "bootstrap_pairs.h"

/* Makes used nodes of `from`, with the same expressions, operands and values, in `to`, which is empty: operands that
 * are to be taken bootstrapped are. Products are added up, rescaled and adjusted anew, as late as levels allow. made:
 * [nodes of `from`] what they became, HB_NO_NODE of others. Refusals of the operations; HB_ENOMEM. The caller clears
 * `to`, whatever happens. */
hb_status hb_graph_insert_bootstraps(hb_graph *to, const hb_facts *from, const hb_value_classes *statements,
                                     const hb_bootstraps *bootstraps, uint32_t *made);

#endif
