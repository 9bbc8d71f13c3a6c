/* Which pass over the data can compute a node first. */
#ifndef HB_LANG_ANALYSIS_DATA_PASSES_H
#define HB_LANG_ANALYSIS_DATA_PASSES_H

#include "facts.h"

/* Passes over the data: each nesting of sums in values with rows is one more. */
#define HB_MAX_DATA_PASSES 100

/* Finds the passes of all nodes, whose sizes are there, and how many there are. HB_EUSAGE for more than
 * HB_MAX_DATA_PASSES. */
hb_status hb_facts_find_data_passes(hb_facts *facts);

#endif
