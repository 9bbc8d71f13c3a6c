/* Which real values are refreshed two at a time. */
#ifndef HB_EXPRESSION_GRAPH_PAIRS_H
#define HB_EXPRESSION_GRAPH_PAIRS_H

#include "statements.h"

/* Which nodes of a graph are refreshed. */
typedef struct hb_refreshes {
    const uint32_t *from; /* of statements: hb_placement, borrowed */
    bool *wanted;         /* [nodes] whose value is refreshed: roots (statements.h); owned */
    uint32_t *mate;       /* [nodes] together with which; HB_NO_NODE: alone; owned */
} hb_refreshes;

/* Finds which values are refreshed, and pairs: real ones of the same range that the same pass computes from values that
 * were refreshed as often, so that no value of a pair waits for what is made of the other, or of others that wait for
 * it; of one statement first, then of those near each other. HB_ENOMEM. The caller clears *out, whatever happens. */
hb_status hb_refreshes_find(const hb_graph *graph, const hb_statements *statements, const uint32_t *from,
                            hb_refreshes *out);
void hb_refreshes_clear(hb_refreshes *refreshes);

/* Returns whether a node takes an operand refreshed. */
bool hb_refreshes_taken(const hb_refreshes *refreshes, const hb_statements *statements, uint32_t operand,
                        uint32_t node);

#endif
