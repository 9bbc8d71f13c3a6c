/* Slots of one node, for a few that stand for all, and what operations make of them. Private to samples.c. */
#ifndef HB_EXPRESSION_GRAPH_SLOTS_H
#define HB_EXPRESSION_GRAPH_SLOTS_H

#include "graph.h"
#include "rlwe/quality.h"

/* How many slots there are, draws of what errors are there, and in how many of the slots values that are drawn are the
 * largest or the least. */
enum { HB_SLOTS = 128, HB_SLOTS_DRAWS = 16, HB_SLOTS_ERRORS = HB_SLOTS * HB_SLOTS_DRAWS, HB_SLOTS_CORNERS = 8 };

/* Errors are in units of values, each as the largest of many slots like this one is expected to have; draw k of slot i
 * is error[i * HB_SLOTS_DRAWS + k]. */
typedef struct hb_slots {
    double value[HB_SLOTS], part[HB_SLOTS], error[HB_SLOTS_ERRORS]; /* part: what is systematic */
} hb_slots;

/* Set the slots to values as they are likely to be of a node, and errors as its bounds are: always the same of one. */
void hb_slots_draw(hb_slots *out, const hb_graph *graph, const hb_node *node, hb_quality quality);
/* Adds errors of the node's own: `own` of each slot, and `common`, which all of them have. */
void hb_slots_add_errors(hb_slots *x, const hb_graph *graph, const hb_node *node, double own, double common);

/* What a node is made of: the slots of its operands; of products with a corner those of the factor first. */
typedef struct hb_slots_operands {
    const hb_slots *a, *b; /* NULL: there is none */
} hb_slots_operands;
/* Adds number times the slots of `a`, errors as well. */
void hb_slots_add_times(hb_slots *x, const hb_slots *a, double number);
/* Adds to `out`, zeroed, what an operation makes of its operands, without errors of its own but what a polynomial
 * misses of a function. Returns false where it is none that goes slot by slot; linear combinations are the caller's. */
bool hb_slots_follow(hb_slots *out, const hb_graph *graph, const hb_node *node, hb_slots_operands operands);

/* Sets values of a sum over all rows, of which those of `a` are a few, where it is no chance that they have a mean. */
void hb_slots_add_up(hb_slots *x, const hb_graph *graph, const hb_slots *a);

#endif
