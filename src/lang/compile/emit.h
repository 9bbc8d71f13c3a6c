/* From a graph to the instructions of its passes, and from values to registers. */
#ifndef HB_LANG_COMPILE_EMIT_H
#define HB_LANG_COMPILE_EMIT_H

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
uint32_t hb_emitted_value(const hb_facts *facts, uint32_t node);

/* Emits every output column by column, and the operands of each as late as possible. The caller clears *emission, also
 * after a failure. HB_EUSAGE for too many instructions. */
hb_status hb_emit(hb_emission *emission);
void hb_emission_clear(hb_emission *emission);

/* Gives values registers: program->passes, registers. A register is free again after the last use of its value, but
 * those of totals that other lists read. HB_EUSAGE where there are more than 2^16. */
hb_status hb_allocate_registers(hb_program *program, const hb_emission *emission);

#endif
