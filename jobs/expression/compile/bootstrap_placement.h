/* Where values are bootstrapped, and the graph with them. */
#ifndef HB_EXPRESSION_COMPILE_BOOTSTRAP_PLACEMENT_H
#define HB_EXPRESSION_COMPILE_BOOTSTRAP_PLACEMENT_H

#include "expression/graph/lower.h"

/* Makes the graph of a lowering, whose levels have no end and whose outputs are marked (annotate.h: need), anew at
 * levels that the parameters have, bootstrapping what costs least (graph/placement.h). Nodes of values that nothing
 * asked for become HB_NO_NODE. HB_EDATA where levels do not suffice nevertheless, HB_EUSAGE where they would if a range
 * were known. */
hb_status hb_lowering_bootstrap(hb_lowering *lowering);

#endif
