/* A graph as steps for placement: one statement for all columns that are treated alike, so that all of them are
 * bootstrapped or none, and in pairs. Changes of level are no steps: levels are what is looked for. */
#ifndef HB_EXPRESSION_GRAPH_STATEMENTS_H
#define HB_EXPRESSION_GRAPH_STATEMENTS_H

#include "graph.h"
#include "placement.h"

typedef struct hb_statements {
    uint32_t *of;   /* [nodes] the statement that a node's value is of; HB_NO_NODE: it is plain, or not used */
    uint32_t *root; /* [nodes] the oldest node with the same value, at whatever level */
    hb_placement_step *steps; /* [count] */
    uint32_t *first;          /* [count] a node of each */
    uint32_t count;
    hb_placement_problem problem;
    uint32_t *operands; /* of all steps */
    double *costs;      /* [count][levels] */
} hb_statements;

/* Finds the statements of a graph whose levels have no end, of which nodes are marked (annotate.h: sizes, passes), and
 * what they cost. HB_ENOMEM. The caller clears *out, whatever happens. */
hb_status hb_statements_find(const hb_graph *graph, hb_statements *out);
void hb_statements_clear(hb_statements *statements);

#endif
