/* Declarations that the files that emit instructions share. */
#ifndef HB_LANG_COMPILE_EMIT_PRIVATE_H
#define HB_LANG_COMPILE_EMIT_PRIVATE_H

#include "emit.h"

/* Arrays have an entry a node. Lists: a head a node, `next_` of each entry, HB_NO_NODE at the end. */
typedef struct hb_emitter {
    const hb_graph *g;
    const hb_facts *facts; /* of it */
    hb_emission *e;
    hb_emitted_list *list;
    uint32_t pass;
    uint32_t *sharing, *next_sharing; /* of a node: its users that can run together, as their first operand */
    uint32_t *together;               /* [nodes] */
    uint32_t *total;                  /* of a node: its sum */
    uint32_t *uses;                   /* of a node in this pass, that are still to come */
    uint32_t *weight;                 /* registers that a node takes to compute, about */
    bool *done;
    uint32_t *stack;                /* [nodes] */
    uint32_t *output, *next_output; /* of a node: where it is stored, counted through the columns of all outputs */
    uint32_t *stored_in;            /* [store_count] the pass in which the last column of an output is there */
    uint64_t *roots;                /* [nodes]: value_column * 2^32 + node */
} hb_emitter;

/* Returns an instruction of its own for a node, in the iteration that the node is of. */
hb_instruction hb_emit_instruction(const hb_emitter *x, hb_opcode op, uint32_t node);
/* Returns whether an output that this pass stores has the node among its columns. */
bool hb_emit_is_stored(const hb_emitter *x, uint32_t node);
/* Add lines to x->list: any; that of a node as its users take it, with 2 components of 3 or at rest; that of a node,
 * and the one after it where its users take 2 components of 3; that of a column of an output; all stores of a node that
 * is there now. HB_EUSAGE for too many instructions; HB_ENOMEM. */
hb_status hb_emit_line(hb_emitter *x, hb_emitted line);
hb_status hb_emit_second_value(hb_emitter *x, hb_opcode op, uint32_t node);
hb_status hb_emit_node(hb_emitter *x, uint32_t node);
hb_status hb_emit_store(hb_emitter *x, uint32_t output, uint32_t column);
hb_status hb_emit_stores(hb_emitter *x, uint32_t node);
/* Makes a node, the operands that it waits for first. next: one of these, or HB_NO_NODE; finished: emits it. */
hb_status hb_emit_all_of(hb_emitter *x, uint32_t root, uint32_t (*next)(const hb_emitter *x, uint32_t node),
                         hb_status (*finished)(hb_emitter *x, uint32_t node));
/* Emits the totals' instructions of x->pass (emit_totals.c). Errors of these. */
hb_status hb_emit_totals(hb_emitter *x);

#endif
