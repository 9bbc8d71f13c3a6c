/* What follows for a node of a graph from its operands: one row an operation. What schemes do differently, their front
 * ends say (scheme/quality.h, scheme/slots.h), or semantics.h. */
#ifndef HB_EXPRESSION_GRAPH_RULES_H
#define HB_EXPRESSION_GRAPH_RULES_H

#include "graph.h"
#include "scheme/quality.h"

typedef struct hb_rule {
    const char *on_slots; /* what acts on slots alone: as messages call it; NULL: on coefficients as well */
    uint32_t components;  /* of what it computes; 0: the most that its operands have */
    uint32_t levels;      /* that it goes down */
    bool scales;          /* what it computes is to be rescaled, where there are scales */
    bool same_scale;      /* it is where `a` is */
    bool product;         /* of ciphertexts: a level of depth */
    bool negative;        /* what it computes may be negative, whatever its operands are */
    bool same_values;     /* keeps all values, and in their places unless they are `moved`: the next */
    bool moved;
    bool same_factor; /* of a product, in which it brings about the same noise as its operand */
    /* Sets which halves of it hold values (complex.h); NULL: those of `a`. */
    void (*halves)(const hb_graph *g, hb_node *node);
    /* The node as a linear form; NULL: it is a variable of its own. */
    uint64_t (*linear)(const hb_graph *g, const hb_node *node);
    /* Its values; NULL: those of `a`. */
    hb_interval (*interval)(const hb_graph *g, const hb_node *node);
    /* The largest magnitude in a slot, where some may hold what is no row's; NULL: that of `a`. */
    double (*magnitude)(const hb_graph *g, const hb_node *node);
    /* What its values are likely to be; NULL: those of `a` where its values are, else spread evenly over their
     * range. */
    hb_moments (*moments)(const hb_graph *g, const hb_node *node);
    /* Is it 0 in slots that hold no row, where there are such? NULL: where all its operands are. */
    bool (*clean)(const hb_graph *g, const hb_node *node);
    /* Its bounds, as computed; NULL: those of `a`. */
    hb_quality (*quality)(const hb_graph *g, const hb_node *node);
} hb_rule;

extern const hb_rule hb_rules[HB_OPCODES];

/* Returns the limbs of a node of which the rest is there. */
uint32_t hb_node_limbs(const hb_graph *graph, const hb_node *node);
/* Return how many products of ciphertexts the node is on top of each other, and altogether. */
uint32_t hb_node_depth(const hb_graph *graph, const hb_node *node);
uint32_t hb_node_products(const hb_graph *graph, const hb_node *node);
/* Returns whether it is made by relinearization: of its operand, or of what it computes. */
bool hb_node_relinearizes(const hb_graph *graph, const hb_node *node);

/* Returns the bounds of a node for others to use, and fills in its factors and moments; its operands have theirs, and
 * sizes are there. */
hb_quality hb_node_quality(const hb_graph *graph, hb_node *node);
/* Returns a node, which has its bounds, as a factor of what is no node: a number, a plaintext, a matrix. */
hb_quality_factor hb_node_factor(const hb_graph *graph, const hb_node *node);
/* Returns what it adds to errors by itself: its bounds where its operands, two at most, have none. */
hb_quality hb_node_own_quality(const hb_graph *graph, const hb_node *node);

#endif
