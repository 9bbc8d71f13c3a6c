/* Nodes are made when something is made of them: the other one of a pair before its turn. */
#include "place_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bring_down.h"
#include "coupling.h"
#include "lang/ir/blocks.h"
#include "lang/ir/bootstrap.h"
#include "lang/ir/known.h"
#include "lang/ir/levels.h"
#include "lang/ir/polynomial.h"
#include "lang/ir/rules.h"
#include "lang/ir/semantics.h"
#include "lang/ir/symbolic_polynomial.h"

typedef struct placing {
    hb_graph *to;
    const hb_graph *from;
    const hb_value_classes *statements;
    const hb_bootstraps *bootstraps; /* NULL: none */
    const hb_placement *refreshes;   /* of noise of integers; NULL: none, and without bootstraps no statements */
    uint32_t *made;                  /* [nodes] */
    uint32_t *bootstrapped;          /* [nodes] of roots */
    uint32_t *stack;                 /* [nodes] */
    uint32_t *uses;                  /* [nodes] hb_coupling_find; NULL: row blocks go one by one */
} placing;

static uint32_t root_of(const placing *x, uint32_t i)
{
    return x->bootstraps != NULL ? x->statements->root[i] : i;
}

static bool is_taken(const placing *x, uint32_t operand, uint32_t i)
{
    return x->bootstraps != NULL && hb_bootstraps_taken(x->bootstraps, x->statements, operand, i);
}

/* The lesser of two numbers; 0 stands for none. */
static double least_of(double a, double b)
{
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

/* Gives the copy the range of the old node: of integers it may be another than the operands' one, as values are equal
 * mod t alone. A copy that existed before keeps a narrower range of its own. */
static void keep_values(placing *x, const hb_node *old, uint32_t made, bool is_new)
{
    if (x->to->semantics->reals) {
        hb_graph_narrow(x->to, made, old->range.interval);
    } else if (is_new || hb_interval_within(old->range.interval, x->to->nodes[made].range.interval)) {
        hb_graph_values_are(x->to, made, old->range.interval);
    }
}

/* Facts known of a node are known of the node that it became. */
static void keep_known(placing *x, uint32_t i, uint32_t made, bool is_new)
{
    const hb_node *old = &x->from->nodes[i];
    hb_node *node = &x->to->nodes[made];
    keep_values(x, old, made, is_new);
    node->range.magnitude = fmin(node->range.magnitude, old->range.magnitude);
    node->shape.halves = old->shape.halves;
    node->shape.pair = old->shape.pair;
    node->range.margin = least_of(old->range.margin, node->range.margin);
    node->users += old->users > 1; /* that are still to come */
    node->range.declared_width = least_of(old->range.declared_width, node->range.declared_width);
    node->range.kink_gap = node->op == HB_OP_MULTIPLY ? fmax(node->range.kink_gap, old->range.kink_gap) : 0;
    /* The gap of the value that it is bootstrapped with does not count. */
    const double gap = node->op == HB_OP_BOOTSTRAP ? 0 : node->range.threshold_gap;
    node->range.threshold_gap = fmax(gap, old->range.threshold_gap);
    if (old->range.approximation_error > 0) {
        hb_graph_add_approximation_error(x->to, made, old->range.approximation_error);
    }
}

/* --- operands */

/* Sets the place in the text for the next nodes to that of a node. `item` gets the needed parts of the item. */
static void come_from(placing *x, const hb_node *node, hb_item *item)
{
    *item = (hb_item){.at = node->origin.at, .from = node->origin.from, .to = node->origin.to};
    hb_graph_at_item(x->to, item, (hb_iteration){.number = node->origin.iteration, .of = node->origin.iterations});
}

/* Brings a bootstrapped value down to the needed level, where its users cost less. */
static hb_status give_up_levels(placing *x, uint32_t root)
{
    const uint32_t spare = x->bootstraps->spare[x->statements->of[root]], made = x->bootstrapped[root];
    if (spare == 0) {
        return HB_OK;
    }
    const uint32_t limbs = x->to->nodes[made].shape.limbs - spare * hb_graph_level_limbs(x->to);
    HB_TRY(hb_graph_unary(x->to, HB_OP_ADJUST, made, limbs, &x->bootstrapped[root]));
    keep_known(x, root, x->bootstrapped[root], true);
    return HB_OK;
}

/* Makes a value bootstrapped, with another where it is one of a pair; for the place in the text that made it. */
static hb_status bootstrap(placing *x, uint32_t root)
{
    const uint32_t mate = x->bootstraps->mate[root];
    const hb_position at = x->to->position;
    hb_item item;
    uint32_t values[2] = {x->made[root], HB_NO_NODE}, out[2];
    come_from(x, &x->from->nodes[root], &item);
    if (mate == HB_NO_NODE) {
        HB_TRY(hb_graph_bootstrap(x->to, values[0], &x->bootstrapped[root]));
    } else {
        values[1] = x->made[mate];
        HB_TRY(hb_graph_bootstrap_pair(x->to, values, out));
        if (out[1] != out[0]) {
            x->to->nodes[out[1]].origin = x->from->nodes[mate].origin;
        }
        x->bootstrapped[root] = out[0];
        x->bootstrapped[mate] = out[1];
        keep_known(x, mate, x->bootstrapped[mate], true);
        HB_TRY(give_up_levels(x, mate));
    }
    keep_known(x, root, x->bootstrapped[root], true);
    HB_TRY(give_up_levels(x, root));
    x->to->position = at;
    return HB_OK;
}

/* Returns the copy of a node's operand, bootstrapped where the placement says so. */
static hb_status operand(placing *x, uint32_t a, uint32_t i, uint32_t *out)
{
    if (x->from->nodes[a].shape.plain) {
        *out = x->made[a];
        return HB_OK;
    }
    if (x->refreshes != NULL) {
        const uint32_t times = hb_placement_times(x->refreshes, x->statements->of[a], x->statements->of[i]);
        return hb_graph_refresh(x->to, x->made[a], times, out);
    }
    const uint32_t root = root_of(x, a);
    if (!is_taken(x, root, i)) {
        *out = x->made[root];
        return HB_OK;
    }
    if (x->bootstrapped[root] == HB_NO_NODE) {
        HB_TRY(bootstrap(x, root));
    }
    *out = x->bootstrapped[root];
    return HB_OK;
}

/* --- one node */

/* Makes the combination of these nodes, with the numbers that the terms have. */
static hb_status combine(placing *x, hb_combination_terms terms, uint32_t *nodes, uint32_t *out)
{
    const hb_weight *weights = x->from->combinations.term_weights + terms.first;
    double most = 0;
    HB_TRY(hb_graph_meet_all(x->to, nodes, terms.count));
    for (uint32_t j = 0; j < terms.count && !terms.whole; j++) {
        most = fmax(most, fabs(weights[j].real));
    }
    if (!terms.whole) {
        HB_TRY(hb_graph_require_number(x->to, nodes[0], most));
    }
    return hb_graph_combination(x->to, nodes, weights, terms.count, terms.whole, out);
}

static hb_status remake_combination(placing *x, uint32_t i, uint32_t *out)
{
    const hb_graph *from = x->from;
    const hb_combination_terms terms = hb_node_combination(from, &from->nodes[i]);
    uint32_t *nodes = malloc(terms.count * sizeof *nodes);
    hb_status st = nodes != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    for (uint32_t j = 0; st == HB_OK && j < terms.count; j++) {
        st = operand(x, from->combinations.term_nodes[terms.first + j], i, &nodes[j]);
    }
    st = st == HB_OK ? combine(x, terms, nodes, out) : st;
    free(nodes);
    return st;
}

static hb_status remake_load(placing *x, uint32_t i, uint32_t *out)
{
    hb_node node = x->from->nodes[i];
    if (node.op != HB_OP_KNOWN) {
        node.shape.limbs = x->from->operands[node.operand].limbs;
        node.number = 0; /* a plaintext for one level is made where it is asked for */
    }
    HB_TRY(hb_graph_node(x->to, &node, out));
    return node.shape.plain ? HB_OK : hb_graph_rescale(x->to, *out, out);
}

/* Makes the operation of a node of these operands, b: HB_NO_NODE where it has one. */
typedef hb_status remaker(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out);

/* Brings two operands to rest and, except for a public number, to one level. */
static hb_status rest_both(placing *x, uint32_t *a, uint32_t *b)
{
    HB_TRY(hb_graph_rescale(x->to, *a, a));
    HB_TRY(hb_graph_rescale(x->to, *b, b));
    const bool known = hb_node_is_known(x->to, *a) || hb_node_is_known(x->to, *b);
    return known ? HB_OK : x->to->semantics->meet(x->to, a, b);
}

/* Products are rescaled behind their sum. */
static hb_status remake_sum(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    const bool known = hb_node_is_known(x->to, a) || hb_node_is_known(x->to, b);
    if (known) {
        HB_TRY(rest_both(x, &a, &b));
    } else {
        HB_TRY(x->to->semantics->meet(x->to, &a, &b));
    }
    return node->op == HB_OP_ADD ? hb_graph_add(x->to, a, b, out) : hb_graph_subtract(x->to, a, b, out);
}

static hb_status remake_product(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)node;
    HB_TRY(rest_both(x, &a, &b));
    return hb_graph_multiply(x->to, a, b, out);
}

/* Makes the plaintext *plain one for ciphertexts of that many limbs: where it serves one level alone, a node of its
 * own. */
static hb_status plain_at(hb_graph *g, uint32_t limbs, uint32_t *plain)
{
    if (!g->semantics->scales) {
        return HB_OK;
    }
    hb_node node = g->nodes[*plain];
    node.number = limbs;
    node.shape.limbs = limbs;
    return hb_graph_node(g, &node, plain);
}

static hb_status remake_with_plain(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    HB_TRY(hb_graph_rescale(x->to, a, &a));
    HB_TRY(plain_at(x->to, x->to->nodes[a].shape.limbs, &b));
    return hb_graph_with_plain(x->to, node->op, a, b, false, out);
}

static hb_number number_of(const hb_node *node)
{
    return hb_operations[node->op].real ? (hb_number){.real = node->real}
                                        : (hb_number){.integer = node->number, .real = (double)node->number};
}

static hb_status remake_add_number(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)b;
    HB_TRY(hb_graph_rescale(x->to, a, &a));
    return hb_graph_add_constant(x->to, a, number_of(node), out);
}

/* 0 times a value is a number, to which one is added (known.h). */
static hb_status remake_multiple(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)b;
    if (hb_node_is_known(x->to, a) || (node->op == HB_OP_MULTIPLY_INTEGER && node->number == 0)) {
        return hb_graph_scale(x->to, a, number_of(node), out);
    }
    if (node->op == HB_OP_MULTIPLY_INTEGER) { /* where `a` is */
        return hb_graph_unary(x->to, node->op, a, node->number, out);
    }
    HB_TRY(hb_graph_rescale(x->to, a, &a));
    HB_TRY(hb_graph_require_number(x->to, a, node->real));
    return hb_graph_unary_real(x->to, node->op, a, node->real, out);
}

/* A lower level that the text asks for; where levels have no end, it is looked for anew. */
static hb_status remake_lower(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)b;
    HB_TRY(hb_graph_rescale(x->to, a, out));
    const bool above = !x->from->boundless && x->to->nodes[*out].shape.limbs > (uint64_t)node->number;
    return above ? hb_graph_unary(x->to, HB_OP_ADJUST, *out, node->number, out) : HB_OK;
}

static hb_status remake_polynomial(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    const hb_polynomial_entry *entry = hb_polynomial_of(x->from, node);
    (void)b;
    HB_TRY(hb_graph_rescale(x->to, a, &a));
    HB_TRY(hb_graph_chebyshev(x->to, a, &entry->polynomial, entry->error, out));
    x->to->nodes[*out].range.steady = node->range.steady;
    x->to->nodes[*out].range.valid_from = node->range.valid_from;
    return HB_OK;
}

static hb_status remake_matrix(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)b;
    HB_TRY(hb_graph_rescale(x->to, a, &a));
    return hb_graph_matrix(x->to, a, &hb_matrix_of(x->from, node)->matrix, out);
}

static hb_status remake_add_row(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)b;
    HB_TRY(hb_graph_rescale(x->to, a, &a));
    return hb_graph_add_row(x->to, a, hb_row_of(x->from, node)->values, out);
}

static hb_status remake_negative(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)node;
    (void)b;
    return hb_graph_negate(x->to, a, out);
}

static hb_status remake_conjugate(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)node;
    (void)b;
    HB_TRY(hb_graph_rescale(x->to, a, &a));
    return hb_graph_conjugate(x->to, a, out);
}

static hb_status remake_mask(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)b;
    HB_TRY(hb_graph_rescale(x->to, a, &a));
    *out = HB_NO_NODE;
    if (x->uses != NULL) {
        HB_TRY(hb_graph_mask_coupled(x->to, a, x->uses[node->a], out));
    }
    return *out != HB_NO_NODE ? HB_OK : hb_graph_mask(x->to, a, out);
}

/* Takes `a` without rescaling it: rescaling the sum of slots instead is cheaper. */
static hb_status remake_total(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)b;
    return hb_graph_unary_as(x->to, node, a, out);
}

/* They are no nodes of graphs whose levels are not placed. */
static hb_status misplaced(placing *x, const hb_node *node, uint32_t a, uint32_t b, uint32_t *out)
{
    (void)x;
    (void)a;
    (void)b;
    (void)out;
    return HB_FAIL(HB_EINTERNAL, "a %s in a graph whose levels are not placed", hb_operations[node->op].name);
}

/* Operations that are made anew in a way of their own: simplified, or with constants beside the graph's nodes. */
static remaker *const remakers[HB_OPCODES] = {
    [HB_OP_ADD] = remake_sum,
    [HB_OP_SUBTRACT] = remake_sum,
    [HB_OP_MULTIPLY] = remake_product,
    [HB_OP_ADD_PLAIN] = remake_with_plain,
    [HB_OP_SUBTRACT_PLAIN] = remake_with_plain,
    [HB_OP_MULTIPLY_PLAIN] = remake_with_plain,
    [HB_OP_ADD_CONSTANT] = remake_add_number,
    [HB_OP_ADD_NUMBER] = remake_add_number,
    [HB_OP_MULTIPLY_INTEGER] = remake_multiple,
    [HB_OP_MULTIPLY_NUMBER] = remake_multiple,
    [HB_OP_ADJUST] = remake_lower,
    [HB_OP_POLYNOMIAL] = remake_polynomial,
    [HB_OP_MATRIX] = remake_matrix,
    [HB_OP_MATRIX_PAIR] = misplaced,
    [HB_OP_ADD_ROW] = remake_add_row,
    [HB_OP_NEGATE] = remake_negative,
    [HB_OP_CONJUGATE] = remake_conjugate,
    [HB_OP_MASK_SCALED] = remake_mask,
    [HB_OP_SUM_SLOTS] = remake_total,
    [HB_OP_RESCALE] = misplaced,
    [HB_OP_BOOTSTRAP] = misplaced,
};

/* Every other operation, of one operand: of `a` as it is where its rule says so, and else of `a` at rest. */
static hb_status remake_by_rule(placing *x, const hb_node *node, uint32_t a, uint32_t *out)
{
    HB_ASSERT(node->b == HB_NO_NODE && !hb_operations[node->op].real);
    if (!hb_rule_of(node->op)->same_scale) {
        HB_TRY(hb_graph_rescale(x->to, a, &a));
    }
    return hb_graph_unary_as(x->to, node, a, out);
}

static hb_status remake_node(placing *x, uint32_t i, uint32_t *out)
{
    const hb_node *node = &x->from->nodes[i];
    uint32_t operands[] = {HB_NO_NODE, HB_NO_NODE};
    if (node->op == HB_OP_COMBINE) {
        return remake_combination(x, i, out);
    }
    if (hb_operations[node->op].loads) {
        return remake_load(x, i, out);
    }
    for (int k = 0; k < 2 && node->operands[k] != HB_NO_NODE; k++) {
        HB_TRY(operand(x, node->operands[k], i, &operands[k]));
    }
    if (node->op == HB_OP_LOOKUP) {
        return hb_graph_lookup(x->to, operands[0], hb_lookup_table_of(x->from, node), out);
    }
    if (x->bootstraps != NULL) {
        const uint32_t s = x->statements->of[i];
        HB_TRY(hb_graph_bring_down(x->to, &x->statements->steps[s], node->op, x->bootstraps->enough[s], operands));
    }
    if (x->uses != NULL && hb_node_couples(x->from, node)) {
        HB_TRY(hb_graph_rescale(x->to, operands[0], &operands[0]));
        HB_TRY(hb_graph_make_coupled(x->to, operands[0], x->from, node, x->uses, out));
        if (*out != HB_NO_NODE) {
            return HB_OK;
        }
    }
    remaker *const own = remakers[node->op];
    return own != NULL ? own(x, node, operands[0], operands[1], out) : remake_by_rule(x, node, operands[0], out);
}

/* Makes a node, whose operands there are. */
static hb_status remake(placing *x, uint32_t i)
{
    const hb_node *node = &x->from->nodes[i];
    const uint32_t before = x->to->count;
    hb_item item;
    come_from(x, node, &item);
    hb_graph_at_column(x->to, node->value_column, node->value_column + 1);
    if (!node->shape.plain && root_of(x, i) != i) {
        x->made[i] = x->made[root_of(x, i)];
    } else {
        HB_TRY(remake_node(x, i, &x->made[i]));
    }
    if (!node->shape.plain) {
        keep_known(x, i, x->made[i], x->made[i] >= before);
    }
    hb_graph_at_item(x->to, NULL, (hb_iteration){0});
    return HB_OK;
}

/* --- in which order */

/* Returns a node that must be copied before this one; HB_NO_NODE: none. */
static uint32_t waiting(const placing *x, uint32_t i)
{
    const hb_node_list operands = hb_node_operands(x->from, &x->from->nodes[i]);
    for (uint32_t j = 0; j < operands.count; j++) {
        const uint32_t a = operands.node[j];
        if (x->made[a] == HB_NO_NODE) {
            return a;
        }
        if (x->from->nodes[a].shape.plain || root_of(x, i) != i || !is_taken(x, a, i)) {
            continue;
        }
        const uint32_t mate = x->bootstraps->mate[root_of(x, a)];
        if (mate != HB_NO_NODE && x->made[mate] == HB_NO_NODE) {
            return mate;
        }
    }
    return HB_NO_NODE;
}

static hb_status remake_all_of(placing *x, uint32_t i)
{
    uint32_t height = 0;
    x->stack[height++] = i;
    while (height > 0) {
        const uint32_t top = x->stack[height - 1];
        const uint32_t first = x->made[top] == HB_NO_NODE ? waiting(x, top) : HB_NO_NODE;
        if (first != HB_NO_NODE) {
            HB_ASSERT(height < x->from->count); /* no value waits for itself (bootstrap_pairs.h) */
            x->stack[height++] = first;
            continue;
        }
        height--;
        if (x->made[top] == HB_NO_NODE) {
            HB_TRY(remake(x, top));
        }
    }
    return HB_OK;
}

hb_status hb_graph_place_levels(hb_graph *to, const hb_facts *facts, const hb_value_classes *statements,
                                const hb_bootstraps *bootstraps, const hb_placement *refreshes, uint32_t *made)
{
    const hb_graph *from = facts->graph;
    const size_t count = (size_t)from->count + 1;
    *to = hb_graph_without_nodes(from);
    to->boundless = to->unplaced = false;
    placing x = {to, from, statements, bootstraps, refreshes, made, malloc(count * sizeof *x.bootstrapped), NULL, NULL};
    x.stack = malloc(count * sizeof *x.stack);
    hb_status st = x.bootstrapped && x.stack ? hb_derived_copy(&from->constants.derived, &to->constants.derived)
                                             : HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    memset(made, 0xff, from->count * sizeof *made); /* HB_NO_NODE */
    if (st == HB_OK) {
        memset(x.bootstrapped, 0xff, count * sizeof *x.bootstrapped);
        st = bootstraps != NULL ? hb_coupling_find(facts, bootstraps->wanted, &x.uses) : HB_OK;
    }
    for (uint32_t i = 0; st == HB_OK && i < from->count; i++) {
        st = facts->size[i].used ? remake_all_of(&x, i) : HB_OK;
    }
    free(x.bootstrapped);
    free(x.stack);
    free(x.uses);
    return st;
}
