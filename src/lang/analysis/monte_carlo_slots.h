/* A sample of one node: a few slots, which stand for all, with their values and errors, and operations on them. Private
 * to monte_carlo_error.c. */
#ifndef HB_LANG_ANALYSIS_MONTE_CARLO_SLOTS_H
#define HB_LANG_ANALYSIS_MONTE_CARLO_SLOTS_H

#include "facts.h"
#include "rlwe/quality.h"

/* The number of slots; the number of draws of their errors; and the numbers of slots whose drawn values are extreme
 * (the largest or the least) and small. */
enum {
    HB_SAMPLE_SLOTS = 128,
    HB_SAMPLE_DRAWS = 16,
    HB_SAMPLE_ERRORS = HB_SAMPLE_SLOTS * HB_SAMPLE_DRAWS,
    HB_SAMPLE_CORNERS = 8,
    HB_SAMPLE_SMALL = 12
};

/* Errors are in units of values, each as the largest of many slots like this one is expected to have; draw k of slot i
 * is error[i * HB_SAMPLE_DRAWS + k]. */
typedef struct hb_sample {
    double value[HB_SAMPLE_SLOTS], part[HB_SAMPLE_SLOTS], error[HB_SAMPLE_ERRORS]; /* part: the systematic error */
    bool followed; /* slot by slot from its loads on: these errors are its expected ones */
    /* Drawn as bounds say, and combined by linear operations alone since then: its errors, which values do not change,
     * are as good as a few draws are. */
    bool linear;
} hb_sample;

/* Set the slots to values as they are likely to be of a node, and errors as its bounds are: always the same of one. */
void hb_sample_draw(hb_sample *out, const hb_facts *facts, const hb_node *node, hb_quality quality);
/* Adds errors of the node's own: `own` of each slot, and `common`, which all of them have. */
void hb_sample_add_errors(hb_sample *x, const hb_graph *graph, const hb_node *node, double own, double common);

/* The inputs of a node: the samples of its operands; of products with a corner those of the factor first. */
typedef struct hb_sample_operands {
    const hb_sample *a, *b; /* NULL: there is none */
} hb_sample_operands;
/* Adds number times the sample `a`, errors as well. */
void hb_sample_add_times(hb_sample *x, const hb_sample *a, double number);
/* Sets `out`, which is zeroed, to the result of an operation on its operands. It adds no error of the operation itself
 * but the distance of a polynomial from its function. Returns false for an operation that does not act slot by slot;
 * the caller does linear combinations. */
bool hb_sample_follow(hb_sample *out, const hb_facts *facts, const hb_node *node, hb_sample_operands operands);

/* Sets values of a sum over all rows, of which those of `a` are a few, where it is no chance that they have a mean. */
void hb_sample_add_up(hb_sample *x, const hb_graph *graph, const hb_sample *a);

#endif
