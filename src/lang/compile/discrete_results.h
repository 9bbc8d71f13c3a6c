/* Results of reals that errors could make others: labels, dates, truth values, and rows that are fetched. */
#ifndef HB_LANG_COMPILE_DISCRETE_RESULTS_H
#define HB_LANG_COMPILE_DISCRETE_RESULTS_H

#include "compilation.h"

/* Refuses a column of an output whose errors could make other labels, dates, truth values or rows of it; also labels
 * and dates that a comparison of reals chooses, where no gap is said. HB_EDATA at the output's item. Errors of the
 * graph are found. */
hb_status hb_discrete_check(hb_compilation *c, const hb_symbol *symbol, uint32_t column);

#endif
