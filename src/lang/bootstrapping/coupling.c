#include "coupling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "lang/ir/blocks.h"
#include "lang/ir/function.h"
#include "lang/ir/levels.h"
#include "lang/ir/polynomial.h"
#include "lang/ir/rules.h"
#include "lang/ir/scale_way.h"

bool hb_node_couples(const hb_graph *g, const hb_node *node)
{
    const bool linear = node->op == HB_OP_MATRIX || node->op == HB_OP_ROW_SUM || node->op == HB_OP_ROW_SPREAD;
    return linear && g->couples && hb_graph_packed(g) && hb_graph_blocks(g) > 1 && !node->shape.total &&
           node->shape.halves == HB_HALVES_REAL;
}

hb_status hb_coupling_find(const hb_facts *f, const bool *wanted, uint32_t **uses)
{
    const hb_graph *g = f->graph;
    bool any = false;
    for (uint32_t i = 0; i < g->count && !any; i++) {
        any = wanted[i];
    }
    *uses = NULL;
    if (!any || !g->couples) {
        return HB_OK;
    }
    *uses = calloc((size_t)g->count + 1, sizeof **uses);
    if (*uses == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the nodes of an expression");
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node_list operands = hb_node_operands(g, &g->nodes[i]);
        for (uint32_t j = 0; f->size[i].used && j < operands.count; j++) {
            (*uses)[operands.node[j]]++;
        }
        (*uses)[i] += f->size[i].stored;
    }
    return HB_OK;
}

/* --- what it costs */

double hb_coupled_cost(const hb_graph *g, const hb_op_cost *operation)
{
    const double blocks = (double)hb_graph_blocks(g), pairs = ceil(blocks / 2) / blocks;
    const hb_op_cost couple = {.op = HB_OP_COUPLE, .limbs = operation->limbs, .to_limbs = operation->limbs},
                     apart = {.op = HB_OP_UNCOUPLE, .limbs = operation->to_limbs, .to_limbs = operation->to_limbs},
                     rescale = {.op = HB_OP_RESCALE, .limbs = operation->limbs, .to_limbs = operation->limbs};
    /* A half of the operand counts as two rescales, however it is made. Weights of a matrix are halved in the clear. */
    const double halves = operation->op == HB_OP_MATRIX ? 0 : 2 * hb_op_cost_transforms(g->params, &rescale);
    return pairs * (hb_op_cost_transforms(g->params, operation) + hb_op_cost_transforms(g->params, &couple)) +
           hb_op_cost_transforms(g->params, &apart) + halves;
}

static bool costs_less(const hb_graph *to, uint32_t a, const hb_graph *from, const hb_node *node)
{
    const uint32_t limbs = to->nodes[a].shape.limbs;
    const uint32_t lower = hb_rule_of(node->op)->levels * hb_graph_level_limbs(to);
    hb_op_cost operation = {
        .op = node->op, .limbs = limbs, .to_limbs = limbs - lower, .number = node->number, .block = to->block};
    if (node->op == HB_OP_MATRIX) {
        operation.outline = hb_matrix_of(from, node)->outline;
    }
    return limbs > lower && hb_coupled_cost(to, &operation) < hb_op_cost_transforms(to->params, &operation);
}

/* --- halves */

/* So many operations lie between an operand and the numbers that are halved for it, at most. */
enum { MOST_WAY = 8 };

/* Makes half of a node in a way of its own; *out stays where there is none. depth: operations that may still lie before
 * the number that is halved. */
typedef hb_status halver(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out);

static hb_status half_of(hb_graph *g, uint32_t a, uint32_t depth, uint32_t *out);

static hb_status half_polynomial(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out)
{
    (void)depth;
    const hb_polynomial_entry *entry = hb_polynomial_of(g, x);
    const size_t count = (size_t)entry->polynomial.degree + 1;
    const double error = entry->error / 2;
    hb_chebyshev half = {entry->polynomial.degree, malloc(count * sizeof(double))};
    if (half.coefficients == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", half.degree);
    }
    for (size_t k = 0; k < count; k++) {
        half.coefficients[k] = entry->polynomial.coefficients[k] / 2;
    }
    const hb_status st = hb_graph_chebyshev(g, x->a, &half, error, out);
    hb_wipe(half.coefficients, count * sizeof(double));
    free(half.coefficients);
    return st;
}

static hb_status half_combination(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out)
{
    (void)depth;
    const hb_combination_terms terms = hb_node_combination(g, x);
    if (terms.whole) {
        return HB_OK;
    }
    uint32_t *nodes = malloc(terms.count * sizeof *nodes);
    hb_weight *weights = malloc(terms.count * sizeof *weights);
    hb_status st = nodes != NULL && weights != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    for (uint32_t j = 0; st == HB_OK && j < terms.count; j++) {
        nodes[j] = g->combinations.term_nodes[terms.first + j];
        weights[j].real = g->combinations.term_weights[terms.first + j].real / 2;
    }
    st = st == HB_OK ? hb_graph_combination(g, nodes, weights, terms.count, false, out) : st;
    if (weights != NULL) {
        hb_wipe(weights, terms.count * sizeof *weights);
    }
    free(nodes);
    free(weights);
    return st;
}

static hb_status half_multiple(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out)
{
    (void)depth;
    return hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, x->a, x->real / 2, out);
}

/* A change of level is a product with a number at the level above. */
static hb_status half_adjusted(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out)
{
    (void)depth;
    const uint32_t above = x->shape.limbs + hb_graph_level_limbs(g);
    *out = x->a;
    if (g->nodes[x->a].shape.limbs > above) {
        HB_TRY(hb_graph_unary(g, HB_OP_ADJUST, x->a, above, out));
    }
    HB_TRY(hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, *out, 0.5, out));
    return hb_graph_rescale(g, *out, out);
}

/* Returns whether half of a factor costs little: a total is one ciphertext. */
static bool is_light(const hb_graph *g, uint32_t a)
{
    return g->nodes[a].shape.total || !hb_node_scale_met(g, a).dear;
}

/* The factor that is halved is a total, where one is. */
static hb_status half_product(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out)
{
    const uint32_t factors[] = {g->nodes[x->b].shape.total ? x->b : x->a, g->nodes[x->b].shape.total ? x->a : x->b};
    for (int i = 0; i < 2 && *out == HB_NO_NODE && x->a != x->b; i++) {
        if (is_light(g, factors[i])) {
            HB_TRY(half_of(g, factors[i], depth, out));
        }
        if (*out != HB_NO_NODE) {
            return hb_graph_multiply(g, factors[1 - i], *out, out);
        }
    }
    return HB_OK;
}

/* Makes the node x of half of its operand, by its own operation. */
static hb_status half_before(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out)
{
    HB_TRY(half_of(g, x->a, depth, out));
    return *out != HB_NO_NODE ? hb_graph_unary(g, x->op, *out, x->number, out) : HB_OK;
}

static hb_status half_shifted(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out)
{
    HB_TRY(half_of(g, x->a, depth, out));
    return *out != HB_NO_NODE ? hb_graph_add_constant(g, *out, (hb_number){.real = x->real / 2}, out) : HB_OK;
}

static hb_status half_rescaled(hb_graph *g, const hb_node *x, uint32_t depth, uint32_t *out)
{
    HB_TRY(half_of(g, x->a, depth, out));
    return *out != HB_NO_NODE ? hb_graph_rescale(g, *out, out) : HB_OK;
}

/* Operations of which a half is made; others take no factor, or none yet. */
static halver *const halvers[HB_OPCODES] = {
    [HB_OP_POLYNOMIAL] = half_polynomial, [HB_OP_COMBINE] = half_combination, [HB_OP_MULTIPLY_NUMBER] = half_multiple,
    [HB_OP_ADJUST] = half_adjusted,       [HB_OP_MULTIPLY] = half_product,    [HB_OP_ADD_NUMBER] = half_shifted,
    [HB_OP_RESCALE] = half_rescaled,      [HB_OP_MASK_SCALED] = half_before,  [HB_OP_NEGATE] = half_before,
};

/* Makes half of `a`, at its level and scale; *out is HB_NO_NODE where no number takes the factor. Facts known of a
 * value are known of its half. */
static hb_status half_of(hb_graph *g, uint32_t a, uint32_t depth, uint32_t *out)
{
    const hb_node x = g->nodes[a];
    *out = HB_NO_NODE;
    if (depth == 0 || halvers[x.op] == NULL || x.range.steady || x.range.kink_gap > 0) {
        return HB_OK;
    }
    HB_TRY(halvers[x.op](g, &x, depth - 1, out));
    if (*out == HB_NO_NODE) {
        return HB_OK;
    }
    hb_graph_narrow(g, *out, hb_interval_multiply(x.range.interval, hb_interval_of_reals(0.5, 0.5)));
    hb_node *half = &g->nodes[*out];
    HB_ASSERT(half->shape.limbs == x.shape.limbs && half->shape.scaled == x.shape.scaled);
    half->range.magnitude = fmin(half->range.magnitude, x.range.magnitude / 2);
    if (x.range.declared_width > 0) {
        half->range.declared_width = x.range.declared_width / 2;
    }
    hb_graph_add_approximation_error(g, *out, x.range.approximation_error / 2);
    return HB_OK;
}

/* Returns whether everything costly that is made anew of halves is made for them alone, or of totals. */
static bool is_halved_alone(const hb_graph *from, uint32_t i, const uint32_t *uses)
{
    for (uint32_t depth = 0; depth < MOST_WAY; depth++) {
        const hb_node *node = &from->nodes[i];
        const hb_opcode op = node->op;
        if (op == HB_OP_MULTIPLY || op == HB_OP_POLYNOMIAL) {
            return uses[i] == 1 && (op == HB_OP_POLYNOMIAL || is_light(from, node->a) || is_light(from, node->b));
        }
        if (op != HB_OP_ADD_NUMBER && op != HB_OP_MASK_SCALED && op != HB_OP_NEGATE) {
            return true; /* or nothing is made */
        }
        if (uses[i] > 1) {
            return false;
        }
        i = node->a;
    }
    return false;
}

/* --- the operation */

/* Couples a value that is made for this alone: a product with a total by its other factor, for as little as half. */
static hb_status couple_alone(hb_graph *g, uint32_t a, uint32_t *out)
{
    const hb_node *x = &g->nodes[a], *product = x->op == HB_OP_RESCALE ? &g->nodes[x->a] : x;
    const bool fits = x->op == HB_OP_RESCALE && product->op == HB_OP_MULTIPLY && g->nodes[product->b].shape.total &&
                      hb_node_bounded_whole(&g->nodes[product->a]);
    if (!fits) {
        return hb_graph_unary(g, HB_OP_COUPLE, a, 0, out);
    }
    const uint32_t total = product->b;
    HB_TRY(hb_graph_unary(g, HB_OP_COUPLE, product->a, 0, out));
    HB_TRY(hb_graph_multiply(g, *out, total, out));
    return hb_graph_rescale(g, *out, out);
}

hb_status hb_graph_make_coupled(hb_graph *to, uint32_t a, const hb_graph *from, const hb_node *node,
                                const uint32_t *uses, uint32_t *out)
{
    *out = HB_NO_NODE;
    if (!hb_node_bounded_whole(&to->nodes[a]) || !costs_less(to, a, from, node)) {
        return HB_OK;
    }
    if (node->op == HB_OP_MATRIX) {
        HB_TRY(hb_graph_unary(to, HB_OP_COUPLE, a, 0, &a));
        HB_TRY(hb_graph_matrix_by(to, a, &hb_matrix_of(from, node)->matrix, 0.5, &a));
        return hb_graph_unary(to, HB_OP_UNCOUPLE, a, 0, out);
    }
    if (!is_halved_alone(from, node->a, uses)) {
        return HB_OK;
    }
    HB_TRY(half_of(to, a, MOST_WAY, &a));
    if (a == HB_NO_NODE) {
        return HB_OK;
    }
    HB_TRY(couple_alone(to, a, &a));
    HB_TRY(hb_graph_unary(to, node->op, a, node->number, &a));
    return hb_graph_unary(to, HB_OP_UNCOUPLE, a, 0, out);
}

/* --- masks */

/* A mask serves both row blocks if it is that of a full one: of one that is not full, slots without a row hold 0
 * already. */
hb_status hb_graph_mask_coupled(hb_graph *to, uint32_t a, uint32_t uses, uint32_t *out)
{
    const hb_node *x = &to->nodes[a];
    *out = HB_NO_NODE;
    if (x->op != HB_OP_UNCOUPLE || uses != 1 || !x->shape.padding_zero) {
        return HB_OK;
    }
    HB_TRY(hb_graph_mask(to, x->a, out));
    HB_TRY(hb_graph_rescale(to, *out, out));
    return hb_graph_unary(to, HB_OP_UNCOUPLE, *out, 0, out);
}
