#include "empty_slots.h"

#include "blocks.h"
#include "bootstrap.h"
#include "polynomial.h"
#include "rules.h"
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
    }                                                                        \
    static bool kind##_of_lookup(const hb_graph *g, const hb_node *node)     \
    {                                                                        \
        const uint64_t zero = hb_lookup_table_of(g, node)->entries[0];       \
        return kind##_of_a(g, node) && zero == 0;                            \
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

/* By the kind of a rule; one without its row here does not build. */
static const empty_slots rows[] = {
    [HB_EMPTY_KEPT] = {padding_of_all, tail_of_all, gaps_of_all},
    [HB_EMPTY_OF_PRODUCT] = {padding_of_a_factor, tail_of_a_factor, gaps_of_a_factor},
    [HB_EMPTY_OF_NUMBER] = {padding_of_all, tail_of_all, never}, /* the number reaches the gaps */
    [HB_EMPTY_OF_POLYNOMIAL] = {padding_of_polynomial, tail_of_polynomial, gaps_of_polynomial},
    [HB_EMPTY_OF_BOOTSTRAP] = {padding_of_a, tail_of_a, gaps_of_all}, /* for any partner of its pair */
    [HB_EMPTY_OF_LOOKUP] = {padding_of_lookup, tail_of_lookup, gaps_of_lookup},
    [HB_EMPTY_MOVED] = {never, tail_of_all, gaps_of_all}, /* rows come into the padding */
    [HB_EMPTY_OF_MASK] = {always, tail_of_all, gaps_of_all},
    [HB_EMPTY_OF_MASKS] = {always, always, gaps_of_all},
    [HB_EMPTY_OF_MATRIX] = {padding_of_all, tail_of_matrix, always},
    [HB_EMPTY_OF_ROW_SUM] = {padding_of_all, never, gaps_of_all},
    [HB_EMPTY_OF_ROW_SPREAD] = {padding_of_all, tail_of_row_spread, gaps_of_all},
};
_Static_assert(sizeof rows / sizeof *rows == HB_EMPTY_KINDS, "a kind without a row would have no slots that hold 0");

static bool has_gaps(const hb_node *node)
{
    return node->shape.image.gap > 1 && hb_node_columns(node) != hb_block_image_slots(&node->shape.image);
}

/* Where there are no such slots, padding and tail are 0 and gaps are not: nothing may be taken from gaps. */
void hb_node_find_empty_slots(const hb_graph *g, hb_node *node)
{
    const empty_slots *empty = &rows[hb_rule_of(node->op)->empty];
    node->shape.padding_zero = !hb_graph_partial(g) || (!node->shape.total && empty->padding(g, node));
    node->shape.tail_zero = !hb_node_narrow(g, node) || empty->tail(g, node);
    node->shape.gaps_zero = has_gaps(node) && empty->gaps(g, node);
}
