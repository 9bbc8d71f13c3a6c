/* What the files that emit instructions share. */
#ifndef HB_EXPRESSION_COMPILE_EMIT_PRIVATE_H
#define HB_EXPRESSION_COMPILE_EMIT_PRIVATE_H

#include "emit.h"

/* Arrays have an entry a node. Lists: a head a node, `next_` of each entry, HB_NO_NODE at the end. */
typedef struct hb_emitter {
    const hb_graph *g;
    hb_emission *e;
    hb_listing *list;
    uint32_t pass;
    uint32_t *rotation, *next_rotation; /* of a node: rotations that are used */
    uint32_t *total;                    /* of a node: its sum */
    uint32_t *uses;                     /* of a node in this pass, that are still to come */
    uint32_t *weight;                   /* registers that a node takes to compute, about */
    bool *done;
    uint32_t *stack;                /* [nodes] */
    uint32_t *output, *next_output; /* of a node: where it is stored, counted through the columns of all outputs */
    uint64_t *roots;                /* [nodes]: value_column * 2^32 + node */
} hb_emitter;

static inline bool hb_has_rows(const hb_graph *g, uint32_t node)
{
    return node != HB_NO_NODE && !g->nodes[node].total;
}

hb_status hb_emit_line(hb_emitter *x, hb_line line);
/* The value that users of a node take. */
uint32_t hb_value_of(const hb_graph *graph, uint32_t node);
/* The instruction of a node and, where its users take 2 components of 3, the one after it. */
hb_status hb_emit_node(hb_emitter *x, uint32_t node);
/* Stores of a node that is there now. */
hb_status hb_emit_stores(hb_emitter *x, uint32_t node);

/* The row instructions of x->pass. */
hb_status hb_emit_rows(hb_emitter *x);

#endif
