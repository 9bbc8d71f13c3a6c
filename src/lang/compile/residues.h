/* Programs of one source under several plain moduli: its constants are other numbers modulo each, so that results keep
 * another noise budget, and one may be refused where others are not. */
#ifndef HB_LANG_COMPILE_RESIDUES_H
#define HB_LANG_COMPILE_RESIDUES_H

#include "compile.h"

typedef struct hb_residue_visit {
    bool hints; /* refusals come with advice, as of hb_program_compile_with_hint */
    /* Called with each program and its parameters, both borrowed; NULL: not called. */
    void (*take)(void *context, const hb_params *params, const hb_program *program);
    void *context;
} hb_residue_visit;

/* Compiles a source for all plain moduli of its parameters but the one that these are of; operands have the same noise
 * under each. Errors as of hb_program_compile; HB_ENOMEM. */
hb_status hb_program_compile_others(const hb_program_source *source, const hb_residue_visit *visit);

#endif
