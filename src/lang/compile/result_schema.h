/* The results of a program: schemas with ranges and meanings, levels, bounds. */
#ifndef HB_LANG_COMPILE_RESULT_SCHEMA_H
#define HB_LANG_COMPILE_RESULT_SCHEMA_H

#include "lang/analysis/facts.h"
#include "lang/lower/lower.h"

/* Returns the values of both; not known where those of one are not. */
static inline hb_interval hb_values_of_both(hb_interval a, hb_interval b)
{
    return a.known && b.known ? hb_interval_join(a, b) : (hb_interval){.known = false};
}

/* Fills program->outputs from the symbols of that name; sizes and errors of the graph are found. HB_ENOMEM. */
hb_status hb_program_describe_outputs(hb_program *program, const hb_lowering *l, const hb_facts *facts,
                                      hb_symbol *const *symbols, uint32_t count);

#endif
