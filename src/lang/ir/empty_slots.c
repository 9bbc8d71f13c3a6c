#include "empty_slots.h"

#include "blocks.h"
#include "polynomial.h"
#include "scheme/matrix.h"

static bool always(const hb_graph *g, const hb_node *node)
{
    (void)g;
    (void)node;
    return true;
}

static bool never(const hb_graph *g, const hb_node *node)
{
    (void)g;
    (void)node;
    return false;
}

/* Three functions a kind of slots: 0 where `a` is, where a factor is, where all operands are. */
#define OF_OPERANDS(kind)                                                    \
    static bool kind##_of_a(const hb_graph *g, const hb_node *node)          \
    {                                                                        \
        return g->nodes[node->a].shape.kind##_zero;                          \
    }                                                                        \
    static bool kind##_of_a_factor(const hb_graph *g, const hb_node *node)   \
    {                                                                        \
        return kind##_of_a(g, node) || g->nodes[node->b].shape.kind##_zero;  \
    }                                                                        \
    static bool kind##_of_all(const hb_graph *g, const hb_node *node)        \
    {                                                                        \
        const hb_node_list operands = hb_node_operands(g, node);             \
        bool zero = true;                                                    \
        for (uint32_t i = 0; i < operands.count; i++) {                      \
            zero = zero && g->nodes[operands.node[i]].shape.kind##_zero;     \
        }                                                                    \
        return zero;                                                         \
    }                                                                        \
    static bool kind##_of_polynomial(const hb_graph *g, const hb_node *node) \
    {                                                                        \
        return kind##_of_a(g, node) && hb_polynomial_zero(g, node);          \
    }

OF_OPERANDS(padding)
OF_OPERANDS(tail)
OF_OPERANDS(gaps)

static bool tail_of_matrix(const hb_graph *g, const hb_node *node)
{
    return hb_matrix_of(g, node)->outline.parts == 1;
}

static bool tail_of_row_spread(const hb_graph *g, const hb_node *node)
{
    (void)g;
    return hb_row_copies(node->number) == node->number;
}

/* The effect of operations on these slots. */
typedef struct empty_slots {
    bool (*padding)(const hb_graph *g, const hb_node *node);
    bool (*tail)(const hb_graph *g, const hb_node *node);
    bool (*gaps)(const hb_graph *g, const hb_node *node);
} empty_slots;

static const empty_slots kept = {padding_of_all, tail_of_all, gaps_of_all};
static const empty_slots product = {padding_of_a_factor, tail_of_a_factor, gaps_of_a_factor};
static const empty_slots add_number = {padding_of_all, tail_of_all, never}; /* the number reaches the gaps */
static const empty_slots polynomial = {padding_of_polynomial, tail_of_polynomial, gaps_of_polynomial};
static const empty_slots bootstrap = {padding_of_a, tail_of_a, gaps_of_all}; /* whatever it is bootstrapped with */
static const empty_slots moved = {never, tail_of_all, gaps_of_all};          /* rows come into the padding */
static const empty_slots mask = {always, tail_of_all, gaps_of_all};
static const empty_slots mask_all = {always, always, gaps_of_all};
static const empty_slots matrix = {padding_of_all, tail_of_matrix, always};
static const empty_slots row_sum = {padding_of_all, never, gaps_of_all};
static const empty_slots row_spread = {padding_of_all, tail_of_row_spread, gaps_of_all};

/* Operations that make nodes, and the names of their rows: all but stores and accumulations. */
/* clang-format off */
#define ROWS(X) \
    X(LOAD, kept) X(LOAD_PLAIN, kept) X(KNOWN, kept) X(ADD, kept) X(SUBTRACT, kept) X(NEGATE, kept) \
    X(ADD_PLAIN, kept) X(SUBTRACT_PLAIN, kept) X(MULTIPLY_PLAIN, product) X(ADD_CONSTANT, kept) \
    X(ADD_NUMBER, add_number) X(MULTIPLY_INTEGER, kept) X(MULTIPLY_NUMBER, kept) X(COMBINE, kept) X(ADD_ROW, kept) \
    X(MATRIX, matrix) X(ROW_SUM, row_sum) X(ROW_SPREAD, row_spread) X(MULTIPLY, product) X(POLYNOMIAL, polynomial) \
    X(BOOTSTRAP, bootstrap) X(RELINEARIZE, kept) X(RESCALE, kept) X(MOD_SWITCH, kept) X(ADJUST, kept) \
    X(ROTATE, moved) X(SWAP, moved) X(CONJUGATE, kept) X(TIMES_I, kept) X(BROADCAST, kept) X(MASK, mask) \
    X(MASK_SCALED, mask_all) X(MASK_ROW, mask_all) X(FILL_ROWS, kept) X(SUM_SLOTS, kept)
/* clang-format on */

#define ONE(op, row) +1
_Static_assert(0 ROWS(ONE) + 2 == HB_OPCODES, "an operation without a row would have no slots that hold 0");
#define POINTER(op, row) [HB_OP_##op] = &(row),

static const empty_slots *const rows[HB_OPCODES] = {ROWS(POINTER)};

static bool has_gaps(const hb_node *node)
{
    return node->shape.image.gap > 1 && hb_node_columns(node) != hb_block_image_slots(&node->shape.image);
}

/* Where there are no such slots, padding and tail are 0 and gaps are not: nothing may be taken from gaps. */
void hb_node_find_empty_slots(const hb_graph *g, hb_node *node)
{
    const empty_slots *empty = rows[node->op];
    node->shape.padding_zero = !hb_graph_partial(g) || (!node->shape.total && empty->padding(g, node));
    node->shape.tail_zero = !hb_node_narrow(g, node) || empty->tail(g, node);
    node->shape.gaps_zero = has_gaps(node) && empty->gaps(g, node);
}
