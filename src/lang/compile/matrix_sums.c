#include "matrix_sums.h"

#include <math.h>
#include <stdlib.h>

#include "lang/cost/op_cost.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"

/* One of two products that are added. */
typedef struct side {
    uint32_t matrix;   /* its node */
    uint32_t uncouple; /* the node that brings two row blocks of it apart; HB_NO_NODE: they go one by one */
    uint32_t adjust;   /* the node that brings it down; HB_NO_NODE: it is at the level of the sum */
    uint32_t operand;  /* of the product */
} side;

static bool is_coupled(const side *s)
{
    return s->uncouple != HB_NO_NODE;
}

/* Counts the users of each node that outputs need; an output is one more. */
static void count_users(const hb_lowering *l, hb_symbol *const *outputs, uint32_t count, uint32_t *users)
{
    const hb_graph *g = &l->graph;
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *value = &outputs[i]->value;
        for (uint32_t k = 0; k < value->columns; k++) {
            users[l->pool[value->first + k]]++;
        }
    }
    for (uint32_t i = g->count; i-- > 0;) { /* operands are older than their users */
        const hb_node_list operands = hb_node_operands(g, &g->nodes[i]);
        for (uint32_t k = 0; k < operands.count && users[i] > 0; k++) {
            users[operands.node[k]]++;
        }
    }
}

/* The error of an approximation that ends in the product would be lost with its node. */
static bool find_side(const hb_graph *g, const uint32_t *users, uint32_t i, side *out)
{
    *out = (side){.matrix = i, .uncouple = HB_NO_NODE, .adjust = HB_NO_NODE};
    double error = g->nodes[i].range.approximation_error;
    if (g->nodes[i].op == HB_OP_ADJUST && users[i] == 1) {
        out->adjust = i;
        out->matrix = g->nodes[i].a;
    }
    if (g->nodes[out->matrix].op == HB_OP_UNCOUPLE && users[out->matrix] == 1) {
        out->uncouple = out->matrix;
        error += g->nodes[out->uncouple].range.approximation_error;
        out->matrix = g->nodes[out->uncouple].a;
    }
    const hb_node *node = &g->nodes[out->matrix];
    out->operand = node->a;
    error += node->range.approximation_error;
    return node->op == HB_OP_MATRIX && users[out->matrix] == 1 && hb_matrix_of(g, node)->outline.parts == 1 &&
           error == 0;
}

/* Returns the cost for a row block. coupled: two go as one. */
static double cost_of(const hb_graph *g, hb_opcode op, uint32_t limbs, uint32_t to_limbs, bool coupled)
{
    const hb_op_cost x = {.op = op, .limbs = limbs, .to_limbs = to_limbs, .coupled = coupled};
    return hb_op_cost_transforms(g->params, &x);
}

static double cost_of_product(const hb_graph *g, hb_opcode op, uint32_t limbs, const hb_block_outline *outline,
                              bool coupled)
{
    const uint32_t to = limbs - hb_graph_level_limbs(g);
    const hb_op_cost x = {.op = op, .limbs = limbs, .to_limbs = to, .outline = *outline, .coupled = coupled};
    return hb_op_cost_transforms(g->params, &x) + (coupled ? cost_of(g, HB_OP_UNCOUPLE, to, to, false) : 0);
}

/* The cost of a side by itself: its product, and the change of level behind it. */
static double cost_of_side(const hb_graph *g, const side *s)
{
    const hb_node *node = &g->nodes[s->matrix];
    const uint32_t limbs = g->nodes[s->operand].shape.limbs;
    const double product = cost_of_product(g, HB_OP_MATRIX, limbs, &hb_matrix_of(g, node)->outline, is_coupled(s));
    return product + (s->adjust == HB_NO_NODE ? 0 : cost_of(g, HB_OP_ADJUST, node->shape.limbs, limbs, false));
}

static bool is_cheaper(const hb_graph *g, uint32_t sum, const side s[2], uint32_t pair)
{
    const uint32_t to = g->nodes[sum].shape.limbs, limbs = to + hb_graph_level_limbs(g);
    const hb_block_outline *both = &g->constants.blocks.matrices[pair]->outline;
    const bool coupled = is_coupled(&s[0]);
    double before = cost_of(g, HB_OP_ADD, to, to, false),
           after = cost_of_product(g, HB_OP_MATRIX_PAIR, limbs, both, coupled);
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t own = g->nodes[s[k].operand].shape.limbs;
        before += cost_of_side(g, &s[k]);
        after += own > limbs ? cost_of(g, HB_OP_ADJUST, own, limbs, coupled) : 0;
    }
    return after < before;
}

/* Brings the operand of a side to the level of the pair: by the node that brought its product down, or, of two row
 * blocks as one, by that of its product, as nodes behind it become others. */
static uint32_t bring_down(hb_graph *g, const side *s, uint32_t limbs)
{
    const hb_node *a = &g->nodes[s->operand];
    if (a->shape.limbs == limbs) {
        return s->operand;
    }
    const uint32_t to = is_coupled(s) ? s->matrix : s->adjust;
    const hb_node old = g->nodes[s->adjust];
    hb_node node = *a;
    node.op = HB_OP_ADJUST;
    node.a = a->op == HB_OP_ADJUST ? a->a : s->operand; /* from where it was adjusted itself: it is rounded once */
    node.b = HB_NO_NODE;
    node.number = limbs;
    node.shape.limbs = limbs;
    node.operand = node.column = 0;
    node.origin = old.origin;
    node.value_column = old.value_column;
    node.users = 1;
    node.named = false;
    g->nodes[to] = node;
    if (is_coupled(s)) { /* it is not used any more, and stands where its operand does */
        g->nodes[s->uncouple].shape.limbs = limbs;
    }
    return to;
}

static uint32_t later_of(uint32_t x, uint32_t y)
{
    return x > y ? x : y;
}

/* The product of both sides with a pair, before two row blocks of it are brought apart: all that is known of it follows
 * from the two products. */
static hb_node coupled_pair(const hb_graph *g, const hb_node *sum, const side s[2])
{
    const hb_node *a = &g->nodes[s[0].matrix], *b = &g->nodes[s[1].matrix];
    const hb_interval second = sum->op == HB_OP_ADD ? b->range.interval : hb_interval_negate(b->range.interval);
    hb_node node = *a;
    node.shape.padding_zero = a->shape.padding_zero && b->shape.padding_zero;
    node.shape.tail_zero = a->shape.tail_zero && b->shape.tail_zero;
    node.shape.gaps_zero = a->shape.gaps_zero && b->shape.gaps_zero;
    node.shape.limbs = sum->shape.limbs;
    node.shape.depth = later_of(a->shape.depth, b->shape.depth);
    node.range = (hb_node_range){.interval = hb_interval_add(a->range.interval, second),
                                 .magnitude = nextafter(a->range.magnitude + b->range.magnitude, HUGE_VAL),
                                 .threshold_gap = fmax(a->range.threshold_gap, b->range.threshold_gap)};
    node.form = (hb_node_form){.fingerprint = sum->form.fingerprint};
    node.origin = sum->origin;
    node.value_column = sum->value_column;
    node.users = 1;
    node.named = false;
    return node;
}

/* The number of a side's matrix, or of its negative. */
static hb_status number_of(hb_graph *g, const side *s, bool negative, uint32_t *number)
{
    const hb_node *node = &g->nodes[s->matrix];
    const hb_block_matrix *matrix = &hb_matrix_of(g, node)->matrix;
    *number = (uint32_t)node->number;
    return negative ? hb_block_lists_matrix(&g->constants.blocks, g->found.matrices, g->spec, matrix, -1, number)
                    : HB_OK;
}

/* Returns whether a sum is one of two products that a pair can have; of one vector twice it is none. */
static bool is_pair(const hb_graph *g, const uint32_t *users, const hb_node *sum, side s[2])
{
    if ((sum->op != HB_OP_ADD && sum->op != HB_OP_SUBTRACT) || !find_side(g, users, sum->a, &s[0]) ||
        !find_side(g, users, sum->b, &s[1]) || s[0].operand == s[1].operand) {
        return false;
    }
    const hb_node *a = &g->nodes[s[0].matrix], *b = &g->nodes[s[1].matrix];
    return is_coupled(&s[0]) == is_coupled(&s[1]) && a->shape.total == b->shape.total &&
           a->shape.width == b->shape.width && hb_block_image_same(&a->shape.image, &b->shape.image);
}

/* Returns the last node of a side, which nothing but the sum takes. */
static uint32_t last_of(const side *s)
{
    return s->adjust != HB_NO_NODE ? s->adjust : s->uncouple != HB_NO_NODE ? s->uncouple : s->matrix;
}

/* Puts a product with a pair in the place of a sum. A coupled one takes the place of the later side, and the sum
 * becomes the node that brings row blocks apart. */
static void put_pair(hb_graph *g, uint32_t sum, const side s[2], uint32_t pair)
{
    const uint32_t limbs = g->nodes[sum].shape.limbs + hb_graph_level_limbs(g);
    uint32_t to = sum;
    hb_node made = g->nodes[sum];
    if (is_coupled(&s[0])) {
        hb_node *apart = &g->nodes[sum];
        to = later_of(last_of(&s[0]), last_of(&s[1]));
        made = coupled_pair(g, apart, s);
        apart->op = HB_OP_UNCOUPLE;
        apart->a = to;
        apart->b = HB_NO_NODE;
        apart->number = 0;
        apart->shape.scale_folds = false;
    }
    made.op = HB_OP_MATRIX_PAIR;
    made.a = bring_down(g, &s[0], limbs);
    made.b = bring_down(g, &s[1], limbs);
    made.number = pair;
    made.shape.scale_folds = false;
    g->nodes[to] = made;
}

static hb_status pair_sum(hb_graph *g, const uint32_t *users, uint32_t i)
{
    const hb_node sum = g->nodes[i];
    side s[2];
    uint32_t numbers[2], pair;
    if (users[i] == 0 || !is_pair(g, users, &sum, s)) {
        return HB_OK;
    }
    for (uint32_t k = 0; k < 2; k++) {
        HB_TRY(number_of(g, &s[k], k == 1 && sum.op == HB_OP_SUBTRACT, &numbers[k]));
    }
    HB_TRY(hb_block_lists_pair(&g->constants.blocks, g->spec, numbers, &pair));
    if (is_cheaper(g, i, s, pair)) {
        put_pair(g, i, s, pair);
    }
    return HB_OK;
}

hb_status hb_lowering_pair_matrices(hb_lowering *l, hb_symbol *const *outputs, uint32_t count)
{
    hb_graph *g = &l->graph;
    if (!g->semantics->reals || !hb_graph_packed(g)) {
        return HB_OK;
    }
    uint32_t *users = calloc((size_t)g->count + 1, sizeof *users);
    hb_status st = users != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    if (st == HB_OK) {
        count_users(l, outputs, count, users);
    }
    for (uint32_t i = 0; i < g->count && st == HB_OK; i++) {
        st = pair_sum(g, users, i);
    }
    free(users);
    return st;
}
