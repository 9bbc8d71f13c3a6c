/* Rules for the facts of a node that follow from its operands, without errors (transfer_functions.h): one row an
 * operation. Differences between schemes are in their front ends (scheme/slots.h) or in semantics.h. */
#ifndef HB_LANG_IR_RULES_H
#define HB_LANG_IR_RULES_H

#include "empty_slots.h"
#include "graph.h"

typedef struct hb_rule {
    const char *on_slots; /* its name in messages, where it acts on slots alone; NULL: on coefficients too */
    uint32_t components;  /* of its result; 0: the most that its operands have */
    uint32_t levels;      /* that it goes down from where its operands are at rest */
    bool scales;          /* its result is to be rescaled, where there are scales */
    bool same_scale;      /* it is where `a` is */
    bool product;         /* of ciphertexts: a level of depth */
    bool negative;        /* its result may be negative, also where its operands are not */
    bool same_values;     /* keeps all values, and in their places unless they are `moved`: the next */
    bool moved;           /* or in others besides, as one row that takes the place of all */
    bool same_factor;     /* of a product, in which it brings about the same noise as its operand */
    hb_empty_slots empty; /* which of its slots without a value hold 0 */
    /* Sets which halves of it hold values (complex.h); NULL: those of `a`. */
    void (*halves)(const hb_graph *g, hb_node *node);
    /* The node as a linear form; NULL: it is a variable of its own. */
    uint64_t (*fingerprint)(const hb_graph *g, const hb_node *node);
    /* The range of its values; NULL: the load sets it. */
    hb_interval (*interval)(const hb_graph *g, const hb_node *node);
    /* The largest magnitude in a slot, where slots without a row may hold other values; NULL: that of its values. */
    double (*magnitude)(const hb_graph *g, const hb_node *node);
    /* Its limbs; NULL: by `levels`. */
    uint32_t (*limbs)(const hb_graph *g, const hb_node *node);
    /* How many columns it holds of rows within slots, and in which slots they stand; NULL: as `a`. */
    uint32_t (*width)(const hb_graph *g, const hb_node *node);
    hb_block_image (*image)(const hb_graph *g, const hb_node *node);
} hb_rule;

/* Returns the row of an operation that makes a node. One without does not build. */
const hb_rule *hb_rule_of(hb_opcode op);

/* A node that is a product is scaled, at the square of the scale of its level, until it is rescaled, which takes a
 * level; then it is at rest. Sums of products are scaled as products are. In a graph whose levels are placed there are
 * nodes that bring operands together. Before (graph.h, `unplaced`) there are none, and the level and the scale of a
 * node are those to which placement will bring it: operands are then taken at rest, at the lowest of their levels. */
/* Sets the limbs of a node, and whether it is scaled; it loads nothing, and its operands have theirs. */
void hb_node_find_level(const hb_graph *graph, hb_node *node);
/* Returns whether both operands of a sum will be at rest before it. */
bool hb_nodes_rest_before_sum(const hb_graph *graph, uint32_t a, uint32_t b);
/* Returns whether an operand of a sum or a product will be multiplied by a number before it, which may then be any
 * other: as it is brought down, or to the scale of products that it is added to. */
bool hb_node_multiplies_operand(const hb_graph *graph, const hb_node *node, uint32_t operand);
/* Returns how many products of ciphertexts the node is on top of each other. */
uint32_t hb_node_depth(const hb_graph *graph, const hb_node *node);

#endif
