/* From a graph to the instructions of its passes, and from values to registers. */
#ifndef HB_LANG_COMPILE_EMIT_H
#define HB_LANG_COMPILE_EMIT_H

#include <stdlib.h>

#include "lang/analysis/facts.h"

/* Instructions of all passes together; against hostile input. */
#define HB_MAX_INSTRUCTIONS 1000000u /* 10^6 */

/* A value that instructions make and use: of node v / 2 as computed (v even) or relinearized (v odd);
 * of a sum of slots as accumulated, and as it is relinearized or rescaled after that. */
typedef struct hb_emitted {
    hb_instruction instruction; /* without registers; of a linear combination, with the graph's number of it */
    uint32_t to, a, b;          /* values; HB_NO_NODE. Terms of a linear combination: hb_emitted_value of its nodes */
} hb_emitted;

typedef struct hb_emitted_list {
    hb_emitted *lines;
    uint32_t count, capacity;
} hb_emitted_list;

/* Columns of an output: nodes [columns], borrowed. */
typedef struct hb_store {
    const uint32_t *nodes;
    uint32_t columns;
    uint32_t at;
} hb_store;

/* The instructions of a pass before registers are assigned. */
typedef struct hb_emission {
    const hb_facts *facts; /* borrowed; sizes and passes are there */
    const hb_store *stores;
    uint32_t store_count, pass_count;
    hb_emitted_list *listings; /* [2 pass_count]: rows, totals, rows, ... */
} hb_emission;

/* Returns the value that users of a node take. */
static inline uint32_t hb_emitted_value(const hb_facts *facts, uint32_t node)
{
    if (node == HB_NO_NODE) {
        return HB_NO_NODE;
    }
    const hb_node *x = &facts->graph->nodes[node];
    const bool sum = x->op == HB_OP_SUM_SLOTS;
    const bool second = sum ? facts->size[x->a].size == 3 || facts->graph->nodes[x->a].shape.scaled
                            : facts->size[node].size < facts->size[node].raw_size;
    return 2 * node + second;
}

/* Emits every output column by column, and the operands of each as late as possible. The caller clears *emission, also
 * after a failure. HB_EUSAGE for too many instructions. */
hb_status hb_emit(hb_emission *emission);
static inline void hb_emission_clear(hb_emission *emission)
{
    for (uint32_t i = 0; emission->listings != NULL && i < 2 * emission->pass_count; i++) {
        free(emission->listings[i].lines);
    }
    free(emission->listings);
    *emission = (hb_emission){0};
}

/* Gives values registers: program->passes, registers. A register is free again after the last use of its value, but
 * those of totals that other lists read. HB_EUSAGE where there are more than 2^16. */
hb_status hb_allocate_registers(hb_program *program, const hb_emission *emission);

#endif
