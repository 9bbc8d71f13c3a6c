/* The ways in which a source is tried, one after another, until one is not refused. */
#ifndef HB_LANG_COMPILE_ATTEMPTS_H
#define HB_LANG_COMPILE_ATTEMPTS_H

#include "compilation.h"

/* Why no attempt succeeded. */
typedef struct hb_compile_refusal {
    hb_error cause; /* the reason that ranks first, ... */
    bool bounded;   /* ... and whether levels sufficed: errors were looked at before it */
    bool hopeless;  /* it would be the same with any parameters */
    bool jumps;     /* a wider gap of comparisons may take fewer levels (hb_lowered_approximations) */
} hb_compile_refusal;

/* Compiles a source to a graph with its facts by the first attempt that succeeds. HB_EDATA where all were refused, for
 * the cause in *refusal, which is also the thread's; other failures end the search at once. syntax: of the source's
 * text, borrowed as the source is. The caller clears *compilation, also after a failure. */
hb_status hb_compile_attempts(hb_compilation *compilation, const hb_program_source *source, const hb_syntax *syntax,
                              hb_compile_refusal *refusal);

#endif
