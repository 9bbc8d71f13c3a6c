/* What a program says about itself: outputs, notes and warnings. */
#ifndef HB_EXPRESSION_COMPILE_OUTCOME_H
#define HB_EXPRESSION_COMPILE_OUTCOME_H

#include "expression/graph/lower.h"

/* Fills program->outputs from the symbols of that name; the graph is annotated. */
hb_status hb_program_describe_outputs(hb_program *program, const hb_lowering *l, hb_symbol *const *symbols,
                                      uint32_t count);
/* Counts products, and how many stand one after another. */
void hb_program_describe_products(hb_program *program, const hb_graph *graph);
/* Lists what each operation on ciphertexts comes to. */
hb_status hb_program_describe_steps(hb_program *program, const hb_graph *graph);
/* Lists the approximations that were found. */
hb_status hb_program_describe_functions(hb_program *program, const hb_lowering *l);
hb_status hb_program_describe_notes(hb_program *program, const hb_lowering *l);
hb_status hb_program_describe_warnings(hb_program *program, const hb_lowering *l);

/* bootstrap_notes.c: which values are bootstrapped. HB_ENOMEM. */
hb_status hb_program_describe_bootstraps(hb_program *program, const hb_graph *graph);

#endif
