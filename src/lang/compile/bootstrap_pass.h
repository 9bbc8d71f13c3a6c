/* Where values are bootstrapped, and the graph with them. */
#ifndef HB_LANG_COMPILE_BOOTSTRAP_PASS_H
#define HB_LANG_COMPILE_BOOTSTRAP_PASS_H

#include "lang/analysis/facts.h"
#include "lang/lower/lower.h"

/* Makes the graph of a lowering, whose levels have no end, anew at levels that the parameters have, bootstrapping what
 * costs least (lang/bootstrapping/placement.h). Nodes of values that nothing asked for become HB_NO_NODE. facts: of the
 * graph as it was, with its outputs marked (hb_facts_need). HB_EDATA where levels do not suffice nevertheless,
 * HB_EUSAGE where they would if a range were known. */
hb_status hb_lowering_bootstrap(hb_lowering *lowering, hb_facts *facts);

#endif
