/* Results that compilations of one thread share. */
#ifndef HB_LANG_COMPILE_CACHE_H
#define HB_LANG_COMPILE_CACHE_H

#include <stdlib.h>

#include "approx/found.h"
#include "base/interpolations.h"
#include "compilation.h"

enum { HB_LOWERED_KEPT = 4 };

/* A graph as it was lowered, with its results, for parameters of any length that are alike (semantics.h). */
typedef struct hb_lowered_graph {
    hb_lowering lowering; /* owned, and so are ... */
    hb_symbol **outputs;  /* [output_count] ... these, which are of it ... */
    uint32_t output_count;
    hb_operand *operands; /* ... and its operands; NULL: nothing is kept here */
    hb_params_spec spec;
    uint64_t parsed; /* which text it is of */
    bool shortest, measured;
} hb_lowered_graph;

static inline void hb_lowered_graph_clear(hb_lowered_graph *kept)
{
    if (kept->operands != NULL) {
        hb_lower_clear(&kept->lowering);
    }
    free(kept->outputs);
    free(kept->operands);
    *kept = (hb_lowered_graph){.operands = NULL};
}

/* A table that derived columns are made of. */
typedef struct hb_known_table {
    const hb_schema *schema;
    const hb_plain_source *source;
    const hb_number *cells;
} hb_known_table;

struct hb_compile_cache {
    hb_approximations *approximations;
    hb_interpolations *interpolations;
    hb_kept_matrices *matrices;
    char *text;             /* that was parsed last, owned; NULL: none was */
    hb_syntax syntax;       /* of it */
    uint64_t parsed;        /* texts so far */
    hb_derived derived;     /* the columns of all attempts with this text, and facts about their values, ... */
    hb_known_table *tables; /* ... of these tables, one an operand, owned ... */
    uint32_t table_count;
    uint64_t derived_of; /* ... and of the text of this number */
    hb_lowered_graph lowered[HB_LOWERED_KEPT];
    uint32_t next; /* where the next one is kept, in the place of the oldest */
};

#endif
