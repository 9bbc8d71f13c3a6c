/* The graph of an expression: one node a column of a value, each different one once, operands before what is made of
 * them.
 *
 * Nodes are the operations of expression/program/program.h (hb_opcode), with three differences: HB_OP_SUM_SLOTS is the
 * whole way from a column to the sum of its rows, HB_OP_STORE and HB_OP_ACCUMULATE do not occur, and neither does
 * HB_OP_RELINEARIZE, for what needs it is known only when the graph is complete (annotate.h). */
#ifndef HB_EXPRESSION_GRAPH_GRAPH_H
#define HB_EXPRESSION_GRAPH_GRAPH_H

#include "base/interpolations.h"
#include "base/polynomial_range.h"
#include "expression/program/interval.h"
#include "expression/program/program.h"
#include "expression/text/syntax.h"

#define HB_GRAPH_MAX_NODES 100000 /* 10^5; against hostile input */
#define HB_NO_NODE UINT32_MAX
#define HB_BOUNDLESS_LIMBS (UINT32_C(1) << 24) /* more than nodes can take */

/* What a scheme makes of expressions (semantics.h). */
typedef struct hb_semantics hb_semantics;

/* Which factors a product has, and how often each: those that come again make noise grow by more than others
 * (hb_quality_again). The most frequent ones; what it has no room for is forgotten. Zeroed: none. */
enum { HB_FACTORS_MOST = 4 };
typedef struct hb_factors {
    uint32_t node[HB_FACTORS_MOST];
    uint32_t times[HB_FACTORS_MOST]; /* 0: no factor stands here */
} hb_factors;

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

/* A node as a polynomial of the values of another one (univariate.h). */
#define HB_UNIVARIATE_DEGREE 15
typedef struct hb_univariate {
    uint32_t base, degree;
    hb_bounds c[HB_UNIVARIATE_DEGREE + 1]; /* of powers */
} hb_univariate;

/* What values are likely to be (moments.h). */
typedef struct hb_moments {
    double mean, square; /* the mean, and that of the squares */
    double common;       /* of the squares, what is that of one number in all slots: square of totals, else mean^2 */
    double peak;         /* the largest magnitude */
} hb_moments;

/* Ways of values through polynomials (iterated.h). */
typedef struct hb_orbits hb_orbits;
/* Slots that are followed through a graph (samples.h). */
typedef struct hb_samples hb_samples;

typedef struct hb_node {
    hb_opcode op;
    union {
        struct {
            uint32_t a, b; /* nodes; HB_NO_NODE. Of a linear combination `a` is its first term, `number` which it is */
        };
        uint32_t operands[2];
    };
    union {
        int64_t number; /* a constant that the scheme has, a step, or limbs */
        double real;    /* a constant that is one (hb_operation) */
    };
    uint32_t operand, column;
    uint32_t at, from, to;          /* the item of the expression that it was first made for */
    uint32_t iteration, iterations; /* of that item */
    uint32_t value_column;          /* column of the value that it was first made for */

    bool plain, total;
    bool clean;           /* 0 in slots that hold no row, of rows within slots in those of its columns */
    bool bare;            /* of rows within slots: 0 in slots behind the columns; else true */
    bool hollow;          /* an image that has gaps, and 0 stands there */
    uint32_t width;       /* columns that it holds: 1, or, of rows within slots, all of a value */
    hb_block_image image; /* of rows within slots: in which slots columns stand; zeroed: in their order */
    bool scaled;          /* a product that is not rescaled: at the square of its level's scale (opcode.h) */
    bool absorbs;         /* a factor of it takes no level (affine.h) */
    bool is_signed;       /* by its inputs: hb_output of expression/program/program.h says how */
    uint32_t limbs, depth;
    hb_halves halves;      /* which halves of slots hold values (complex.h) ... */
    const hb_column *pair; /* ... and of a pair, a column that has its names; borrowed of an operand's schema */
    hb_interval interval;  /* of what has both halves, that of moduli: symmetric about 0 */
    double magnitude;      /* the largest of all slots, also of those that hold no row; HUGE_VAL: not known */
    bool said;             /* its range is declared: of what is computed, with its errors */
    double missed;         /* what it misses the values by that it stands for, as it approximates a function */
    /* Of a polynomial: it says what it stands for whatever its operand is off by, up to that one's margin; 0: it has
     * none. Stages of sign do. */
    bool steady;
    double margin;
    double cornered; /* of a product: it is relu or |x| of a factor, right beside that gap (corner.h); 0: it is none */
    uint64_t linear; /* 0: no encrypted operand is left in it (linear.h) */
    uint32_t univariate, univariate_count; /* of the graph's list: which polynomials it is */
    bool named;                            /* the result of a statement */
    uint32_t users;                        /* nodes that have it as an operand, and names */
    uint32_t
        gathered; /* 1 + the node that it is with its products with numbers as combinations (gather.h); 0: not known */

    /* annotate.h */
    bool stored;        /* it is an output */
    bool used;          /* by an output */
    bool two;           /* somebody needs it with 2 components */
    uint32_t raw_size;  /* components as computed: 2 or 3; for others to use there are ... */
    uint32_t size;      /* ... these, after relinearization if fewer */
    uint32_t pass;      /* the first that can compute it */
    double approximate; /* what of its proven error comes of approximations, as a bound; 0: nothing */
    hb_moments moments; /* of reals that are computed ... */
    hb_quality quality; /* ... of what others use ... */
    hb_factors factors; /* ... and of which products it is */
    double own;         /* of a polynomial, where there are loops: what its steps are expected to add, as a value ... */
    uint32_t orbit;     /* ... and 1 + where the way of its values is kept (iterated.h); 0: it never was */
} hb_node;

typedef struct hb_graph {
    const hb_syntax *syntax;    /* borrowed, as are params and operands */
    const hb_params *params;    /* NULL: only the keys are asked for, and rows, levels and columns are not known */
    const hb_params_spec *spec; /* of these, or of any that have such numbers */
    const hb_semantics *semantics;
    const hb_operand *operands;
    uint32_t operand_count;
    hb_interpolations *interpolations; /* borrowed: those that were found before; NULL: they are not kept */
    hb_kept_matrices *matrices;        /* likewise: those that were made before */
    const hb_operand *first;           /* encrypted operand that was loaded; has the rows and the encoding of all */
    uint64_t rows;
    uint64_t block; /* slots of a row, where ciphertexts hold rows of several columns; 0, 1: they do not (blocks.h) */
    hb_encoding encoding;

    hb_node *nodes;
    uint32_t count, capacity;
    hb_combination_terms *combinations;
    uint32_t combination_count, combination_capacity;
    uint32_t *term_nodes; /* [term_count] of all combinations */
    hb_weight *term_weights;
    uint32_t term_count, term_capacity;
    hb_univariate *univariate; /* [univariate_count], where there are loops */
    uint32_t univariate_count, univariate_capacity;
    uint32_t *table; /* [table_capacity] hash table of nodes */
    uint32_t table_capacity;
    hb_polynomials polynomials; /* of nodes, until the program takes them, as it does ... */
    hb_block_lists blocks;      /* ... these, and so are ... */
    hb_masks masks;             /* ... columns of 0 and 1 that conditions on plain tables are */
    bool approximates;          /* some nodes miss their values ... */
    bool ideal;                 /* ... which bounds leave out meanwhile (annotate.c) */
    hb_orbits *orbits;          /* while bounds are found, as are ... */
    hb_samples *samples;        /* ... these; else NULL */
    /* Levels have no end, for it is not known yet which values are bootstrapped (remake.h): limbs are so many more than
     * there are. */
    bool boundless;
    bool bootstrapped_twice; /* errors of values that are bootstrapped are bootstrapped themselves */
    const hb_item *item;     /* that the next nodes are made for */
    uint32_t value_column;
} hb_graph;

void hb_graph_clear(hb_graph *graph);
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
/* Returns what values are computed modulo; 0: they are reals. */
uint64_t hb_graph_modulus(const hb_graph *graph);
/* Returns limbs that the parameters have for those of a node: they are that; where levels have no end, those of a value
 * that was just bootstrapped. */
uint32_t hb_graph_known_limbs(const hb_graph *graph, uint32_t limbs);
/* Returns the row blocks, at least 1; and whether slots of the last one hold no row. */
uint64_t hb_graph_blocks(const hb_graph *graph);
bool hb_graph_partial(const hb_graph *graph);
/* Finds the node that equals *node in everything above `plain`, made if there is none; what follows from its operands
 * is filled in, `plain`, `total` and for loads also clean, is_signed, limbs and interval are the caller's. HB_EUSAGE
 * for too many nodes and for results that are transparent (semantics.md 6.11). */
hb_status hb_graph_node(hb_graph *graph, const hb_node *node, uint32_t *out);

/* The operations on encrypted values, simplified where that is exact; operands at different levels are brought to the
 * lower one, and products that are to be rescaled stay as they are while they are added up (semantics.h). out may be an
 * operand. Refusals as above, and HB_EUSAGE for a switch below the lowest level, steps that are no rotation, and what
 * acts on slots where values are encoded as coefficients; HB_EDATA for a product for which no level is left. Numbers
 * are the scheme's. */
hb_status hb_graph_add(hb_graph *graph, uint32_t a, uint32_t b, uint32_t *out);
hb_status hb_graph_subtract(hb_graph *graph, uint32_t a, uint32_t b, uint32_t *out);
hb_status hb_graph_negate(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_multiply(hb_graph *graph, uint32_t a, uint32_t b, uint32_t *out);
hb_status hb_graph_add_constant(hb_graph *graph, uint32_t a, hb_number number, uint32_t *out);
hb_status hb_graph_scale(hb_graph *graph, uint32_t a, hb_number number, uint32_t *out);
/* op: HB_OP_ADD_PLAIN, HB_OP_SUBTRACT_PLAIN or HB_OP_MULTIPLY_PLAIN. rows: the table has more than one. */
hb_status hb_graph_with_plain(hb_graph *graph, hb_opcode op, uint32_t a, uint32_t plain, bool rows, uint32_t *out);
hb_status hb_graph_mod_switch(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_rotate(hb_graph *graph, uint32_t a, int64_t step, uint32_t *out);
hb_status hb_graph_swap(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_conjugate(hb_graph *graph, uint32_t a, uint32_t *out);
/* Makes `a` with 0 in slots that hold no row. */
hb_status hb_graph_mask(hb_graph *graph, uint32_t a, uint32_t *out);
hb_status hb_graph_sum(hb_graph *graph, uint32_t a, uint32_t *out);
/* Makes the sum divided by the rows; of reals. */
hb_status hb_graph_mean(hb_graph *graph, uint32_t a, uint32_t *out);
/* Says that a node approximates a function and misses its values by up to that. */
void hb_graph_misses(hb_graph *graph, uint32_t node, double error);
/* Returns whether the number is 0, as the scheme reads it. */
bool hb_graph_is_zero(const hb_graph *graph, hb_number number);
/* HB_EUSAGE, naming the operation, where it acts on slots alone and values are encoded as coefficients. */
hb_status hb_graph_require_slots(const hb_graph *graph, hb_opcode op);
/* HB_EDATA, naming what, for a product whose rescaling would have no level to go to. */
hb_status hb_graph_require_level(const hb_graph *graph, uint32_t a, const char *what);
/* Returns the values of a column of an operand: declared, or of its type where the scheme holds all of it. */
hb_interval hb_operand_column(const hb_graph *graph, const hb_operand *operand, uint32_t column);
/* HB_EUSAGE, with the option that is missing, for a condition on a node whose range is not known. */
hb_status hb_graph_fail_unranged(const hb_graph *graph, uint32_t a);
/* Makes what operations take that do not add: `a`, rescaled if it is to be. */
hb_status hb_graph_rest(hb_graph *graph, uint32_t a, uint32_t *out);

/* Returns the node, at rest, that `a` is a product of with a real number, *number; HB_NO_NODE: it is none. */
uint32_t hb_graph_without_number(const hb_graph *graph, uint32_t a, double *number);

/* Makes the sum of nodes[i] times weights[i], as said of hb_combination_terms: 1 <= count, and not all numbers are
 * 0. */
hb_status hb_graph_combination(hb_graph *graph, const uint32_t *nodes, const hb_weight *weights, uint32_t count,
                               bool whole, uint32_t *out);
/* Narrows the range of a node, and of what it is rescaled from or a number was added to, to what is believed of it in
 * every slot. HB_EUSAGE where it has no such values. */
hb_status hb_graph_believe(hb_graph *graph, uint32_t a, hb_interval values);

/* Make, for semantics and without simplification, node `op` of one operand, with this number or limbs, or a real
 * number. */
hb_status hb_graph_unary(hb_graph *graph, hb_opcode op, uint32_t a, int64_t number, uint32_t *out);
hb_status hb_graph_unary_real(hb_graph *graph, hb_opcode op, uint32_t a, double real, uint32_t *out);

#endif
