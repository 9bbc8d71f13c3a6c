/* The totals' instructions of a pass as a graph: tasks of instructions that are done together, and the values between
 * them. */
#ifndef HB_LANG_DIVISION_TOTALS_GRAPH_H
#define HB_LANG_DIVISION_TOTALS_GRAPH_H

#include <stdlib.h>

#include "lang/program/program.h"

#define HB_NOWHERE UINT32_MAX

typedef struct hb_totals_task {
    uint32_t first, count;      /* instructions */
    uint32_t reads, read_count; /* in `reads` of the graph: values, each once */
    uint64_t work;              /* (hb_instructions_work), with that of columns loaded for it */
    bool load;                  /* of columns that any share may load again */
    uint32_t output;            /* of a store; else HB_NOWHERE */
    uint64_t column;
} hb_totals_task;

typedef struct hb_totals_value {
    uint32_t maker;   /* task; HB_NOWHERE: it is there before */
    uint32_t readers; /* tasks */
    uint64_t moving;  /* predicted work of bringing it to other ranks */
    uint16_t total;   /* its register */
    bool kept;        /* no other value is ever in that register, but the sum that it is made of */
    bool outlives;    /* later passes read it */
} hb_totals_value;

typedef struct hb_totals_graph {
    const hb_params *params;
    const hb_program *program;
    const hb_pass *pass;
    double moving; /* work of moving a limb of a polynomial (hb_instructions_work) */
    hb_totals_task *tasks;
    hb_totals_value *values;
    uint32_t task_count, value_count;
    uint32_t *reads;       /* of tasks */
    uint32_t *operands;    /* values that instructions read, in the order of hb_instruction_read, ... */
    size_t *first_operand; /* [instructions + 1] ... where those of each begin */
    uint32_t *made;        /* [instructions] values; HB_NOWHERE: none */
    bool whole;            /* a sum is read after it was changed in its place: the list stays as it is */
} hb_totals_graph;

/* How all passes use totals. */
typedef struct hb_totals_uses {
    uint8_t *kept;       /* [register_count] 1: more than one list knows it, so it is never another value's */
    uint32_t *last_read; /* [register_count] pass behind which no list reads it, plus 1; 0: none reads it */
} hb_totals_uses;

/* HB_ENOMEM. The caller clears, also after a failure; a zeroed one is allowed. */
hb_status hb_totals_graph_init(hb_totals_graph *g, const hb_params *params, const hb_program *program, uint32_t pass,
                               const hb_totals_uses *uses, bool gpu);
static inline void hb_totals_graph_clear(hb_totals_graph *g)
{
    free(g->tasks);
    free(g->values);
    free(g->reads);
    free(g->operands);
    free(g->first_operand);
    free(g->made);
    *g = (hb_totals_graph){.tasks = NULL};
}

#endif
