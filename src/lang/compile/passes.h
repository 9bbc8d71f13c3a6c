/* The passes of the compiler, each with its name, its function, and the condition that holds afterwards. */
#ifndef HB_LANG_COMPILE_PASSES_H
#define HB_LANG_COMPILE_PASSES_H

#include "compilation.h"

/* Which passes are run together. */
typedef enum hb_pass_group {
    HB_PASSES_OF_TEXT,   /* once for a text */
    HB_PASSES_OF_SOURCE, /* once for a source, before its first attempt */
    HB_PASSES_OF_GRAPH,  /* once for each attempt */
    HB_PASSES_OF_PROGRAM /* once for the attempt that succeeded */
} hb_pass_group;

/* Runs the passes of a group in order, each followed by its check. Errors are those of the pass; HB_EINTERNAL, naming
 * the pass, where its result breaks that condition, which is a fault of the compiler. Tells the observer of the
 * source. */
hb_status hb_passes_run(hb_compilation *compilation, hb_pass_group group);

#endif
