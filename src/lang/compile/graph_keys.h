/* The switching keys that the operations of a graph take. */
#ifndef HB_LANG_COMPILE_GRAPH_KEYS_H
#define HB_LANG_COMPILE_GRAPH_KEYS_H

#include "lang/analysis/facts.h"
#include "lang/program/program.h"

/* Adds the requests of all used nodes of a graph, whose sizes are found, to a list that is the caller's: of levels
 * where the graph has parameters, else of any; and those of the outputs [count], NULL without, that merge the sums of
 * deferred totals. Keys for three steps of sums are spare (hb_key_request). HB_ENOMEM. Host. */
hb_status hb_graph_keys(const hb_facts *facts, const hb_output *outputs, uint32_t count, hb_key_requests *requests);

#endif
