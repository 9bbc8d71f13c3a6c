/* The pass that places levels and scales, and decides where values are bootstrapped. */
#ifndef HB_LANG_COMPILE_LEVELS_PASS_H
#define HB_LANG_COMPILE_LEVELS_PASS_H

#include "lang/analysis/facts.h"
#include "lang/bootstrapping/noise_levels.h"
#include "lang/lower/lower.h"

/* Replaces the graph of a lowering, which has no levels and scales, by one at levels that the parameters have. Where
 * levels are unlimited, it bootstraps the values that cost least (lang/bootstrapping/placement.h). Nodes of unused
 * values become HB_NO_NODE. refreshes: integers have their noise bootstrapped where that is needed, so that bounds of
 * this certainty hold; NULL: never. facts: of the graph as it was, with its outputs marked (hb_facts_need). HB_EDATA
 * where levels do not suffice nevertheless, HB_EUSAGE where they would if a range were known. */
hb_status hb_lowering_place_levels(hb_lowering *lowering, hb_facts *facts, const hb_noise_wanted *refreshes);

#endif
