/* The graph of an expression: one node a column of a value, each different one once, operands before the nodes that use
 * them.
 *
 * Nodes are the operations of lang/program/program.h (hb_opcode), with three differences. HB_OP_SUM_SLOTS is the whole
 * way from a column to the sum of its rows. HB_OP_STORE and HB_OP_ACCUMULATE do not occur. Neither does
 * HB_OP_RELINEARIZE: the nodes that need it are known only when the graph is complete (ciphertext_size.h).
 *
 * A refusal is at the item of `position`. Errors of nodes are HB_ENOMEM, and HB_EUSAGE for more than HB_GRAPH_MAX_NODES
 * nodes, for an operation that the scheme does not have, for operands whose columns stand in different slots, and where
 * an operation takes a public number as a ciphertext and the graph has none that could hide it. Errors of operations
 * are these; HB_EUSAGE for too many terms of linear combinations, for a public number that is too large to compute
 * with, for a factor of which the scale leaves nothing, and for an operation on slots, or with i, where values or
 * parameters have none; HB_EDATA for a product for which no level is left, and for numbers that plaintexts do not hold.
 */
#ifndef HB_LANG_IR_GRAPH_H
#define HB_LANG_IR_GRAPH_H

#include "approx/found.h"
#include "base/hash.h"
#include "base/interpolations.h"
#include "base/polynomial_range.h"
#include "lang/program/interval.h"
#include "lang/program/program.h"
#include "lang/text/walk.h"

#define HB_GRAPH_MAX_NODES 100000 /* 10^5; against hostile input */
#define HB_NO_NODE UINT32_MAX
#define HB_BOUNDLESS_LIMBS (UINT32_C(1) << 24) /* more than nodes can take */

/* The semantics of expressions in a scheme (semantics.h). */
typedef struct hb_semantics hb_semantics;

/* A number in a linear combination. */
typedef union hb_weight {
    int64_t integer;
    double real;
} hb_weight;

/* A linear combination of nodes at one level, at rest: terms first .. first + count - 1 of the graph's, all of integers
 * or all of reals. Numbers of 0 are there where neighbours have others, to be done together. */
typedef struct hb_combination_terms {
    uint32_t first, count;
    bool whole; /* integers: it is at the scale of its operands */
} hb_combination_terms;

/* All of a graph. */
typedef struct hb_combinations {
    hb_combination_terms *list;
    uint32_t count, capacity;
    uint32_t *term_nodes; /* [term_count] of all combinations */
    hb_weight *term_weights;
    uint32_t term_count, term_capacity;
} hb_combinations;

/* A node as a polynomial of the values of another one (symbolic_polynomial.h). */
#define HB_SYMBOLIC_DEGREE 15
typedef struct hb_symbolic_polynomial {
    uint32_t base, degree;
    hb_bounds c[HB_SYMBOLIC_DEGREE + 1]; /* of powers */
} hb_symbolic_polynomial;

/* All of a graph. */
typedef struct hb_symbolic_polynomials {
    hb_symbolic_polynomial *list;
    uint32_t count, capacity;
} hb_symbolic_polynomials;

/* Where in the text a node comes from: the item that it was first made for, in which iteration of a loop. */
typedef struct hb_origin {
    uint32_t at, from, to;
    uint32_t iteration, iterations;
} hb_origin;
/* Returns that of an item. */
static inline hb_origin hb_origin_of(const hb_item *item, hb_iteration iteration)
{
    return (hb_origin){item->at, item->from, item->to, iteration.number, iteration.of};
}

/* How the values of a node lie in ciphertexts; found while the graph is built (rules.h). */
typedef struct hb_node_shape {
    bool plain, total;
    bool coupled;         /* two row blocks are one ciphertext, real values a + i b: facts are as of sqrt(2) times a */
    bool padding_zero;    /* 0 in slots that hold no row, of rows within slots in those of its columns */
    bool tail_zero;       /* of rows within slots: 0 in slots behind the columns; else true */
    bool gaps_zero;       /* an image that has gaps, and 0 stands there */
    uint32_t width;       /* columns that it holds: 1, or, of rows within slots, all of a value */
    hb_block_image image; /* of rows within slots: in which slots columns stand; zeroed: in their order */
    bool scaled;          /* a product that is not rescaled: at the square of its level's scale (opcode.h) */
    bool scale_folds;     /* a factor of it takes no level (scale_folding.h) */
    bool is_signed;       /* by its inputs: hb_output of lang/program/program.h says how */
    uint32_t limbs, depth;
    hb_halves halves;      /* which halves of slots hold values (complex.h) ... */
    const hb_column *pair; /* ... and of a pair, a column that has its names; borrowed of an operand's schema */
} hb_node_shape;

/* The range of a node's values, exact and computed; found while the graph is built. */
typedef struct hb_node_range {
    hb_interval interval;       /* of complex values with both parts, that of moduli: symmetric about 0 */
    double magnitude;           /* the largest of all slots, also of slots without a row; HUGE_VAL: unknown */
    double declared_width;      /* of the declared range of computed values, errors included; 0: none */
    double approximation_error; /* the most by which it misses the values of the function that it approximates */
    /* For a polynomial: it holds its meaning for errors of its operand up to that one's margin; 0: no margin. Stages of
     * sign have one. */
    bool steady;
    double margin;
    /* For the last stage of a sign: it holds where the first operand is at least so far from 0; 0: another node. */
    double valid_from;
    /* For a product: it is relu or |x| of a factor, right beside that gap (approximation_error.h); 0: it is none. */
    double kink_gap;
    /* The widest gap of the comparisons that it is made of: nothing is said of values that near a threshold; 0: it is
     * made of none. */
    double threshold_gap;
} hb_node_range;

/* A node as a linear form of others. */
typedef struct hb_node_form {
    uint64_t fingerprint;              /* 0: no encrypted operand is left in it (transparency.h) */
    uint32_t symbolic, symbolic_count; /* of the graph's list: which polynomials it is */
    uint32_t root, exponent;           /* it is that power of that node; exponent 0: of none but itself */
    /* 1 + the node that it is with its products with numbers as combinations (collect_terms.h); 0: not known. */
    uint32_t collected;
} hb_node_form;

typedef struct hb_node {
    hb_opcode op;
    union {
        struct {
            uint32_t a, b; /* nodes; HB_NO_NODE. For a linear combination `a` is its first term, `number` which it is */
        };
        uint32_t operands[2];
    };
    union {
        int64_t number; /* a constant that the scheme has, a step, or limbs */
        double real;    /* a constant that is one (hb_operation) */
    };
    uint32_t operand, column;
    hb_origin origin;
    uint32_t value_column; /* column of the value that it was first made for */
    bool named;            /* the result of a statement */
    uint32_t users;        /* nodes that have it as an operand, and names */

    hb_node_shape shape;
    hb_node_range range;
    hb_node_form form;
} hb_node;

/* Where a lowering is: hb_graph_at_item and hb_graph_at_column set it. */
typedef struct hb_position {
    const hb_item *item;
    hb_iteration iteration;
    uint32_t column; /* of the value that is made */
} hb_position;

/* How the values of a graph are bootstrapped. */
typedef enum hb_bootstrapped_how {
    HB_BOOTSTRAPPED_ONCE,
    HB_BOOTSTRAPPED_TWICE,      /* their errors are bootstrapped themselves */
    HB_BOOTSTRAPPED_FROM_LOWEST /* from the lowest level (HB_BOOTSTRAP_LOWEST) */
} hb_bootstrapped_how;

/* Caches of earlier compilations, borrowed; NULL: none. */
typedef struct hb_found_before {
    hb_interpolations *interpolations;
    hb_approximations *approximations;
    hb_kept_matrices *matrices;
} hb_found_before;

typedef struct hb_graph {
    const hb_syntax *syntax;    /* borrowed, as are params and operands */
    const hb_params *params;    /* NULL: only the keys are asked for, and rows, levels and columns are not known */
    const hb_params_spec *spec; /* of these, or of any that have such numbers */
    const hb_semantics *semantics;
    const hb_operand *operands;
    uint32_t operand_count;
    hb_found_before found;
    const hb_operand *first; /* encrypted operand that was loaded; has the rows and the encoding of all */
    uint64_t rows;
    uint64_t block; /* slots of a row, where ciphertexts hold rows of several columns; 0, 1: they do not (blocks.h) */
    hb_encoding encoding;

    hb_node *nodes;
    uint32_t count, capacity;
    hb_index_table table; /* of nodes, by their operation and operands */
    hb_combinations combinations;
    hb_symbolic_polynomials symbolic;
    hb_constants constants; /* of nodes, until the program takes them */
    bool approximates;      /* some nodes miss their values */
    /* Levels have no end, for it is not known yet which values are bootstrapped (place_levels.h): limbs are so
     * many more than there are. */
    bool boundless;
    /* No node changes a level or a scale, but where the text asks for a lower level: a pass makes the graph anew with
     * nodes that do (place_levels.h). Until then limbs of a node, and whether it is scaled, say where it will be, by
     * which lowering chooses and refuses (rules.h). Operations make the same nodes before and after. */
    bool unplaced;
    bool couples;                     /* two row blocks may go as one through linear operations (coupling.h) */
    hb_bootstrapped_how bootstrapped; /* all values that are */
    hb_position position;             /* that the next nodes are made for, and faults are found at */
} hb_graph;

/* Returns whether its values are bootstrapped from the lowest level, if any are. */
static inline bool hb_graph_bootstraps_lowest(const hb_graph *graph)
{
    return graph->bootstrapped == HB_BOOTSTRAPPED_FROM_LOWEST;
}
/* Goes to an item in an iteration of a loop; the caller keeps the item. NULL: to none. */
static inline void hb_graph_at_item(hb_graph *graph, const hb_item *item, hb_iteration iteration)
{
    graph->position.item = item;
    graph->position.iteration = iteration;
}
/* Returns whether a value of so many columns has column i, and goes to it: the condition of a loop over columns. */
static inline bool hb_graph_at_column(hb_graph *graph, uint32_t i, uint32_t columns)
{
    graph->position.column = i < columns ? i : graph->position.column;
    return i < columns;
}

/* Frees the nodes and lists that the graph owns; a zeroed graph is allowed. */
void hb_graph_clear(hb_graph *graph);
/* Returns an empty graph of the same text, parameters and operands, which the caller clears. */
static inline hb_graph hb_graph_without_nodes(const hb_graph *graph)
{
    hb_graph empty = *graph;
    empty.nodes = NULL;
    empty.count = empty.capacity = 0;
    empty.table = (hb_index_table){0};
    empty.combinations = (hb_combinations){0};
    empty.symbolic = (hb_symbolic_polynomials){0};
    empty.constants = (hb_constants){0};
    return empty;
}
/* The nodes that a node is made of. A view. */
typedef struct hb_node_list {
    const uint32_t *node;
    uint32_t count;
} hb_node_list;
/* Returns them, of a node. */
hb_node_list hb_node_operands(const hb_graph *graph, const hb_node *node);
/* Returns the linear combination that a node is, and its numbers. */
hb_combination_terms hb_node_combination(const hb_graph *graph, const hb_node *node);
const hb_weight *hb_node_weights(const hb_graph *graph, const hb_node *node);
/* Returns the limbs that one level owns. */
static inline uint32_t hb_graph_level_limbs(const hb_graph *graph)
{
    return hb_spec_level_limbs(graph->spec);
}
/* Returns the limbs that a node has, or will have, at rest: rescaled, if it is a product that is not. */
static inline uint32_t hb_node_rest_limbs(const hb_graph *graph, uint32_t a)
{
    const hb_node_shape *x = &graph->nodes[a].shape;
    return x->limbs - (x->scaled ? hb_graph_level_limbs(graph) : 0);
}
/* Returns the modulus of values; 0: they are reals. */
uint64_t hb_graph_modulus(const hb_graph *graph);
/* Returns limbs that the parameters have for those of a node: they are that; where levels have no end, those of a value
 * that was just bootstrapped. */
uint32_t hb_graph_known_limbs(const hb_graph *graph, uint32_t limbs);
/* Returns the row blocks, at least 1; and whether slots of the last one hold no row. */
uint64_t hb_graph_blocks(const hb_graph *graph);
bool hb_graph_partial(const hb_graph *graph);
/* Finds the node that equals *node in everything above `origin`, made if there is none; facts that follow from its
 * operands are filled in. `plain`, `total` and for loads all of the shape and the interval are the caller's. Where
 * everything encrypted cancels it is the number that is left (known.h), if it is one. Errors of nodes. */
hb_status hb_graph_node(hb_graph *graph, const hb_node *node, uint32_t *out);

/* Makes a public number (known.h) in the place of node `like`: as a total, or in every row. Errors of nodes. */
hb_status hb_graph_known(hb_graph *graph, uint32_t like, bool total, hb_number number, uint32_t *out);
/* Finds the number that is left of a node in which everything encrypted cancels; *found false: something else is left,
 * as of a plain table. HB_ENOMEM. */
hb_status hb_graph_find_left(const hb_graph *graph, const hb_node *node, hb_number *number, bool *found);
/* Finds the number that a - b is in every row for all encrypted values; *found false: no such number is known.
 * HB_ENOMEM. */
hb_status hb_graph_find_difference(const hb_graph *graph, uint32_t a, uint32_t b, hb_number *number, bool *found);

/* The operations on encrypted values, simplified where that is exact. They bring no operand to another level or scale:
 * the pass that places levels does so before it calls them (levels.h). out may be an operand. Numbers are the
 * scheme's. All that are declared from here to hb_graph_mean return errors of operations, and HB_EUSAGE for a switch
 * below the lowest level, for steps that are no rotation, and for a sum over no rows. */
hb_status hb_graph_add(hb_graph *graph, uint32_t a, uint32_t b, uint32_t *out);
hb_status hb_graph_subtract(hb_graph *graph, uint32_t a, uint32_t b, uint32_t *out);
hb_status hb_graph_negate(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_multiply(hb_graph *graph, uint32_t a, uint32_t b, uint32_t *out);
hb_status hb_graph_add_constant(hb_graph *graph, uint32_t a, hb_number number, uint32_t *out);
hb_status hb_graph_scale(hb_graph *graph, uint32_t a, hb_number number, uint32_t *out);
/* op: HB_OP_ADD_PLAIN, HB_OP_SUBTRACT_PLAIN or HB_OP_MULTIPLY_PLAIN. rows: the table has more than one. */
hb_status hb_graph_with_plain(hb_graph *graph, hb_opcode op, uint32_t a, uint32_t plain, bool rows, uint32_t *out);
/* Makes a value of one row stand in every row; one that has rows stays. */
hb_status hb_graph_in_rows(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_mod_switch(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_rotate(hb_graph *graph, uint32_t a, int64_t step, uint32_t *out);
hb_status hb_graph_swap(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_conjugate(hb_graph *graph, uint32_t a, uint32_t *out);
/* Makes `a` with 0 in slots that hold no row. */
hb_status hb_graph_mask(hb_graph *graph, uint32_t a, uint32_t *out);
/* Makes row `row` of a column that totals' instructions load stand in all rows; dirty: slots beside it may not be 0.
 * They are masked then; of reals also where they are, if `spare` allows it and a level is left: a sum over slots adds
 * up the errors of all. *masked: it took a level that it need not take. */
hb_status hb_graph_fill_rows(hb_graph *graph, uint32_t row, bool dirty, bool spare, uint32_t *node, bool *masked);
/* Makes number `column` of a row in few ciphertexts, of an operand with `spread`: a total, from `a`, the one that holds
 * it. */
hb_status hb_graph_spread(hb_graph *graph, uint32_t a, uint32_t operand, uint32_t column, uint32_t *out);
hb_status hb_graph_sum(hb_graph *graph, uint32_t a, uint32_t *out);
/* Makes a total that is 0, indistinguishable from others without the secret key: a total is the same in all slots, so
 * it is taken away from itself after a rotation by one row. Takes a key of hb_graph_sum. */
hb_status hb_graph_zero(hb_graph *graph, uint32_t total, uint32_t *out);
/* Makes the sum divided by the rows; of reals. */
hb_status hb_graph_mean(hb_graph *graph, uint32_t a, uint32_t *out);
/* Says that a node approximates a function, and by how much it misses its values at most. */
void hb_graph_add_approximation_error(hb_graph *graph, uint32_t node, double error);
/* Returns whether the number is 0, as the scheme reads it. */
bool hb_graph_is_zero(const hb_graph *graph, hb_number number);
/* HB_EUSAGE, naming the operation, where it acts on slots alone and values are encoded as coefficients. */
hb_status hb_graph_require_slots(const hb_graph *graph, hb_opcode op);
/* Returns the values of a column of an operand: declared, or of its type where the scheme holds all of it. */
hb_interval hb_operand_column(const hb_graph *graph, const hb_operand *operand, uint32_t column);
/* HB_EUSAGE, with the option that is missing, for a condition on a node whose range is not known. */
hb_status hb_graph_fail_unranged(const hb_graph *graph, uint32_t a);
/* Makes the operand of operations other than additions: `a`, with a sum of products with numbers turned into
 * combinations where that is less work (collect_terms.h). Errors of operations. */
hb_status hb_graph_gather(hb_graph *graph, uint32_t a, uint32_t *out);

/* Returns the node, at rest, that `a` is a product of with a real number, *number; HB_NO_NODE: it is none. */
uint32_t hb_graph_without_number(const hb_graph *graph, uint32_t a, double *number);

/* Makes the sum of nodes[i] times weights[i], as said of hb_combination_terms: 1 <= count, and not all numbers are
 * 0. Errors of nodes, and HB_EUSAGE for too many terms of all combinations. */
hb_status hb_graph_combination(hb_graph *graph, const uint32_t *nodes, const hb_weight *weights, uint32_t count,
                               bool whole, uint32_t *out);
/* Narrows the range of a node to the believed range, in every slot, and likewise of the nodes before a rescale or an
 * added number. HB_EUSAGE where the two ranges have no value in common, or the believed one lacks the value in the gaps
 * of an image. */
hb_status hb_graph_believe(hb_graph *graph, uint32_t a, hb_interval values);

/* Narrows the range of a node to the interval, in which its values are known to be; where they do not meet, the range
 * stays. */
void hb_graph_narrow(hb_graph *graph, uint32_t node, hb_interval values);

/* Make, for semantics and without simplification, the operation of another node of one operand, of `a` instead; node
 * `op` of one operand, with this number or limbs, or a real number. Errors of nodes. */
hb_status hb_graph_unary_as(hb_graph *graph, const hb_node *node, uint32_t a, uint32_t *out);
static inline hb_status hb_graph_unary(hb_graph *graph, hb_opcode op, uint32_t a, int64_t number, uint32_t *out)
{
    return hb_graph_unary_as(graph, &(hb_node){.op = op, .number = number}, a, out);
}
hb_status hb_graph_unary_real(hb_graph *graph, hb_opcode op, uint32_t a, double real, uint32_t *out);

#endif
