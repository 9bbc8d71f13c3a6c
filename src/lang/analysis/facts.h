/* Facts that analyses find about the nodes of a complete graph, beside it: the graph itself stays as it was built. */
#ifndef HB_LANG_ANALYSIS_FACTS_H
#define HB_LANG_ANALYSIS_FACTS_H

#include "lang/ir/graph.h"

/* How the ciphertext of a node is made and taken (ciphertext_size.h), and when (data_passes.h). */
typedef struct hb_node_size {
    bool stored;       /* it is an output */
    bool used;         /* by an output */
    bool needs_two;    /* a user needs it with 2 components */
    bool deferred;     /* a total whose slots are not summed yet (deferred_sums.h) */
    uint32_t raw_size; /* components as computed: 2 or 3; for others to use there are ... */
    uint32_t size;     /* ... these, after relinearization if fewer */
    uint32_t pass;     /* the first that can compute it */
} hb_node_size;

/* Likely values (moments.h). */
typedef struct hb_moments {
    double mean, square; /* the mean, and that of the squares */
    double common;       /* the part of the mean square that one number in all slots has: square of totals, else
                          * mean^2 */
    double peak;         /* the largest magnitude */
} hb_moments;

/* The factors of a product, and how often each occurs: repeated factors make noise grow by more than others
 * (hb_quality_again). It keeps the most frequent ones and forgets the rest. Zeroed: none. */
enum { HB_FACTORS_MOST = 4 };
typedef struct hb_factors {
    uint32_t node[HB_FACTORS_MOST];
    uint32_t times[HB_FACTORS_MOST]; /* 0: no factor stands here */
} hb_factors;

/* How far the values of a node are from the exact ones (error_analysis.h). */
typedef struct hb_node_error {
    hb_quality quality;        /* bounds, that users of the node take */
    double approximate;        /* the part of the proven error that approximations cause, as a bound; 0: none */
    hb_moments moments;        /* of reals that are computed */
    hb_factors factors;        /* which products it is of */
    double own;                /* of a polynomial, where there are loops: the expected error of its steps */
    bool approximates_nothing; /* its own approximation error is left out: in an overlay (approximation_error.h) */
    uint32_t range;            /* of a pass of bootstrapping integers: its k (scheme/quality.h) */
    uint32_t orbit;            /* 1 + where the way of its values is kept (loop_error.h); 0: it never was */
} hb_node_error;

/* Ways of values through polynomials (loop_error.h). */
typedef struct hb_orbits hb_orbits;
/* Slots that are followed through a graph (monte_carlo_error.h). */
typedef struct hb_samples hb_samples;

/* Errors of a few nodes that replace those of the graph for one question: which errors would follow if some nodes had
 * none. */
enum { HB_OVERLAY_MOST = 64 };
typedef struct hb_error_overlay {
    uint32_t node[HB_OVERLAY_MOST], count;
    hb_node_error error[HB_OVERLAY_MOST];
} hb_error_overlay;

typedef struct hb_facts {
    const hb_graph *graph; /* borrowed; no node is added while facts are read */
    uint32_t count;        /* of its nodes, when facts were begun */
    hb_node_size *size;    /* [count] */
    hb_node_error *error;  /* [count] */
    uint32_t passes;       /* over the data */

    /* From the last analysis of errors: of bounds behind bootstrapped noise of integers; the least of all bounds. */
    hb_certainty certainty, least;

    /* While an analysis of errors goes on; else NULL and false. */
    bool without_approximation;        /* bounds leave out the errors of approximations */
    hb_orbits *orbits;                 /* NULL: ways of values are not followed */
    hb_samples *samples;               /* NULL: slots are not followed */
    hb_error_overlay *overlay;         /* whose errors count before those of ... */
    const struct hb_facts *underlying; /* ... these facts, and so on down to NULL */
} hb_facts;

/* Begins facts of a graph, all of them zero. HB_ENOMEM. The caller clears them, also after a failure. */
hb_status hb_facts_init(hb_facts *facts, const hb_graph *graph);
void hb_facts_clear(hb_facts *facts);

/* Returns how the ciphertext of a node is made and taken; sizes are there. */
static inline const hb_node_size *hb_facts_size(const hb_facts *facts, const hb_node *node)
{
    return &facts->size[node - facts->graph->nodes];
}
/* Returns the error of a node, and a place to write it to. */
const hb_node_error *hb_facts_error(const hb_facts *facts, const hb_node *node);
hb_node_error *hb_facts_error_place(hb_facts *facts, const hb_node *node);

static inline hb_quality hb_node_quality(const hb_facts *facts, const hb_node *node)
{
    return hb_facts_error(facts, node)->quality;
}

/* Returns the same facts but for the errors of a few nodes, which stand in an overlay of the caller's. */
hb_facts hb_facts_over(const hb_facts *facts, hb_error_overlay *overlay);
/* Adds a node to an overlay, which has room for it, with the error that it has below. Returns its place there. */
hb_node_error *hb_facts_overlay_add(hb_error_overlay *overlay, const hb_facts *below, uint32_t node);

#endif
