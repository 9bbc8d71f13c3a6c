/* The predicted work of totals that is not that of their instructions: merging what shares have merged in blocks, and
 * bringing columns of outputs to the first rank. */
#ifndef HB_LANG_DIVISION_TOTALS_WORK_H
#define HB_LANG_DIVISION_TOTALS_WORK_H

#include "totals_graph.h"

/* An output whose totals are stored. */
typedef struct hb_totals_end {
    uint64_t block;   /* columns that merge in one share; 1: none do */
    uint64_t merging; /* work of merging the blocks, which one worker does, ... */
    uint64_t all;     /* ... and all work at the end, with that of bringing ciphertexts to the first rank */
} hb_totals_end;

/* Returns the end of output o, where blocks of so many columns are tried. several: there are several ranks. */
hb_totals_end hb_totals_end_of(const hb_totals_graph *g, uint32_t o, uint64_t block, bool several);

#endif
