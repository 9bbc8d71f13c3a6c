/* Notes of a program about itself, for people. Facts are those of the graph, all of them. HB_ENOMEM. */
#ifndef HB_LANG_COMPILE_NOTES_H
#define HB_LANG_COMPILE_NOTES_H

#include "lang/analysis/facts.h"
#include "lang/lower/lower.h"

/* Counts products, and lists steps, approximations, bootstraps and results. */
hb_status hb_program_describe_notes(hb_program *program, const hb_lowering *l, const hb_facts *facts);
/* warnings.c: possible problems of the program. */
hb_status hb_program_describe_warnings(hb_program *program, const hb_lowering *l, const hb_facts *facts);

#endif
