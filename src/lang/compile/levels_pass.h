/* The pass that places levels and scales, and decides where values are bootstrapped; then it makes sums of two products
 * with matrices one operation. */
#ifndef HB_LANG_COMPILE_LEVELS_PASS_H
#define HB_LANG_COMPILE_LEVELS_PASS_H

#include "lang/analysis/facts.h"
#include "lang/lower/lower.h"

/* Replaces the graph of a lowering, which has no levels and scales, by one at levels that the parameters have. Where
 * levels are unlimited, it bootstraps the values that cost least (lang/bootstrapping/placement.h). Nodes of unused
 * values become HB_NO_NODE.
 *
 * A sum such as U @ h + W @ x, of rows within slots, becomes one node, in its place, where that costs less and nobody
 * else has the products: both share the giant steps of their rotations, one division and one rescale
 * (rlwe/block_matrix.h). A product at a higher level comes down before it is computed, and not behind it. Where two row
 * blocks of both products go as one (bootstrapping/coupling.h), those of the sum do, and are brought apart behind it.
 *
 * outputs: [count] of the lowering. facts: of the graph as it was, with its outputs marked (hb_facts_need). HB_EDATA
 * where levels do not suffice nevertheless, HB_EUSAGE where they would if a range were known. */
hb_status hb_lowering_place_levels(hb_lowering *lowering, hb_facts *facts, hb_symbol *const *outputs, uint32_t count);

#endif
