/* One attempt to compile a source: the state that its passes share. */
#ifndef HB_LANG_COMPILE_COMPILATION_H
#define HB_LANG_COMPILE_COMPILATION_H

#include <stdio.h>

#include "compile.h"
#include "emit.h"
#include "lang/analysis/facts.h"
#include "lang/ir/semantics.h"
#include "lang/lower/lower.h"

/* Which values an attempt bootstraps where levels do not suffice. */
typedef enum hb_attempt_bootstraps {
    HB_BOOTSTRAPS_NONE,
    HB_BOOTSTRAPS_USUAL,  /* reals with all bits; and integers */
    HB_BOOTSTRAPS_LOWEST, /* reals from the lowest level */
} hb_attempt_bootstraps;

/* How a source is compiled: one row of the table of attempts (attempts.c). */
typedef struct hb_attempt {
    double bits;   /* extra bits of functions, beyond those wanted of results */
    bool shortest; /* as hb_lowering has it */
    hb_attempt_bootstraps bootstraps;
    bool always;      /* functions of reals are approximated also where ranges tell the result */
    uint32_t reserve; /* bits of noise budget for each product, where noise of integers is bootstrapped */
    bool apart;       /* no two row blocks go as one through linear operations (bootstrapping/coupling.h) */
} hb_attempt;

/* A text that grows. */
typedef struct hb_compile_listing {
    FILE *to; /* NULL: not asked for */
    char *text;
    size_t size;
} hb_compile_listing;

/* The results of the passes of one attempt; each pass reads those of the passes before it (passes.c). */
typedef struct hb_compilation {
    const hb_program_source *source; /* borrowed, and so is ... */
    const hb_syntax *syntax;         /* ... this, once the text is parsed */
    hb_attempt how;
    hb_checked *checked; /* the syntax with its types, of which it is a user; NULL: not found yet */
    hb_lowering lowering;
    hb_symbol **outputs;  /* [output_count of the source] of the lowering; owned */
    bool kept;            /* the lowering and its outputs are the cache's, and complete */
    hb_facts facts;       /* of its graph, from the pass that finds sizes on */
    bool bounds;          /* bounds of errors were looked for: a refusal is theirs, or of what a result must be */
    bool misses;          /* too few bits are left, or too little room: functions of more bits may be the remedy */
    hb_emission emission; /* of the graph */
    hb_store *stores;     /* [output_count] of the emission; owned */
    hb_program *program;  /* borrowed, while a program is made of the graph */
    hb_compile_listing listing;
} hb_compilation;

/* Returns whether it bootstraps the noise of integers; no levels of reals. */
static inline bool hb_compilation_refreshes(const hb_compilation *compilation)
{
    return compilation->how.bootstraps != HB_BOOTSTRAPS_NONE &&
           !hb_semantics_of(compilation->source->params->spec.scheme)->reals;
}
/* attempts.c: frees the results of an attempt; allows a zeroed one. */
void hb_compilation_clear(hb_compilation *compilation);

#endif
