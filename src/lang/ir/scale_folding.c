/* A factor moves down from a node to nodes that absorb it: products with numbers, and changes of level, placed or not,
 * which are such products. It passes through linear operations, into all terms of a sum and into one factor of a
 * product. Other nodes stay unchanged; nodes above are made anew. No node changes its level. */
#include "scale_folding.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/seed.h"
#include "blocks.h"
#include "collect_terms.h"
#include "function.h"
#include "multiples.h"
#include "plain_columns.h"
#include "rlwe/params.h"
#include "rules.h"
#include "scale_way.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

/* A change of level is a product with a number at the level above it. */
static hb_status absorb_adjust(hb_graph *g, const hb_node *node, double factor, uint32_t *out)
{
    const uint32_t above = node->shape.limbs + hb_params_level_limbs(g->params);
    uint32_t a = node->a;
    if (hb_node_rest_limbs(g, a) > above) {
        HB_TRY(hb_graph_unary(g, HB_OP_ADJUST, a, above, &a));
    }
    /* Also of a whole one, whose product would stay above. */
    HB_TRY(hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, a, factor, &a));
    return hb_graph_gather(g, a, out);
}

static hb_status absorb_combination(hb_graph *g, uint32_t i, double factor, uint32_t *out)
{
    HB_TRY(g->semantics->multiple(g, i, (hb_number){.real = factor}, out));
    /* Numbers that a factor would lose keep theirs, and it would be a product of its own. */
    return g->nodes[*out].shape.limbs == g->nodes[i].shape.limbs && g->nodes[*out].shape.scaled
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                            "weights are too small for a factor of %.4g, which the interval asks for", factor);
}

/* Makes the sum of `a` and the row of constants of a node times a number. HB_ENOMEM. */
static hb_status add_row_times(hb_graph *g, uint32_t node, uint32_t a, double number, uint32_t *out)
{
    const hb_row_entry row = *hb_row_of(g, &g->nodes[node]);
    double *values = malloc(row.columns * sizeof *values);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of an expression");
    }
    for (uint32_t j = 0; j < row.columns; j++) {
        values[j] = row.values[j] * number;
    }
    const hb_status st = hb_graph_add_row(g, a, values, out);
    hb_wipe(values, row.columns * sizeof *values);
    free(values);
    return st;
}

/* Makes an operand of a node times the factor: its new node, or, where it will be multiplied anyway, a product that
 * does both. */
static hb_status remake_operand(hb_graph *g, const hb_node *node, uint32_t operand, double factor, const uint32_t *made,
                                uint32_t *out)
{
    if (hb_node_multiplies_operand(g, node, operand)) {
        return hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, operand, factor, out);
    }
    *out = made[operand];
    return HB_OK;
}

/* The range of a node is known of the new one, times the factor. */
static void keep_known(hb_graph *g, const hb_node *old, double factor, uint32_t made)
{
    const double low = factor * (1 - 0x1p-50), high = factor * (1 + 0x1p-50);
    if (old->range.interval.known && isfinite(low) && isfinite(high)) {
        const hb_interval times = hb_interval_of_reals(fmin(low, high), fmax(low, high));
        hb_graph_narrow(g, made, hb_interval_multiply(old->range.interval, times));
    }
}

/* Makes the node anew, times the factor. made: the new nodes of its operands that the factor passed. */
static hb_status remake(hb_graph *g, uint32_t i, double factor, const uint32_t *made, uint32_t *out)
{
    hb_node node = g->nodes[i];
    const hb_node old = node;
    const uint32_t before = g->count;
    const hb_scale_way to = hb_node_scale_way(g, &node);
    if (node.op == HB_OP_ADJUST) {
        return absorb_adjust(g, &node, factor, out);
    }
    if (node.op == HB_OP_COMBINE) {
        return absorb_combination(g, i, factor, out);
    }
    if (node.op == HB_OP_MATRIX) {
        return hb_graph_matrix_by(g, node.a, &hb_matrix_of(g, &node)->matrix, factor, out);
    }
    if (node.op == HB_OP_ADD_ROW) {
        return add_row_times(g, i, made[node.a], factor, out);
    }
    if (to == HB_SCALE_WAY_HERE && node.op == HB_OP_MULTIPLY_PLAIN) {
        HB_TRY(hb_graph_plain_times(g, node.b, factor, &node.b));
        return hb_graph_with_plain(g, node.op, node.a, node.b, false, out);
    }
    if (to == HB_SCALE_WAY_HERE || to == HB_SCALE_WAY_A_ALSO) {
        node.real *= factor;
    }
    if (to != HB_SCALE_WAY_B && to != HB_SCALE_WAY_HERE) {
        HB_TRY(remake_operand(g, &old, old.a, factor, made, &node.a));
    }
    if (to == HB_SCALE_WAY_B || to == HB_SCALE_WAY_BOTH) {
        HB_TRY(remake_operand(g, &old, old.b, factor, made, &node.b));
    }
    node.range.approximation_error *= fabs(factor);
    node.range.kink_gap *= fabs(factor); /* of the factor that has it, as a sign takes no number */
    HB_TRY(hb_graph_node(g, &node, out));
    keep_known(g, &old, factor, *out);
    g->nodes[*out].origin = *out >= before ? old.origin : g->nodes[*out].origin;
    return HB_OK;
}

/* Puts an operand of a node onto the way. */
static void go_on(const hb_graph *g, const hb_node *node, uint32_t operand, uint32_t *made)
{
    if (!hb_node_multiplies_operand(g, node, operand)) {
        made[operand] = operand;
    }
}

/* made [a + 1]: HB_NO_NODE beside the way, else the node that it became; any other number before that. */
static hb_status push(hb_graph *g, uint32_t a, double factor, uint32_t *made, uint32_t *out)
{
    for (uint32_t i = 0; i <= a; i++) {
        made[i] = HB_NO_NODE;
    }
    made[a] = a;
    for (uint32_t i = a + 1; i-- > 0;) { /* operands are older than their users */
        if (made[i] == HB_NO_NODE) {
            continue;
        }
        const hb_node *node = &g->nodes[i];
        const hb_scale_way to = hb_node_scale_way(g, node);
        if (to == HB_SCALE_WAY_A || to == HB_SCALE_WAY_BOTH || to == HB_SCALE_WAY_A_ALSO) {
            go_on(g, node, node->a, made);
        }
        if (to == HB_SCALE_WAY_B || to == HB_SCALE_WAY_BOTH) {
            go_on(g, node, node->b, made);
        }
    }
    for (uint32_t i = 0; i <= a; i++) {
        if (made[i] != HB_NO_NODE) {
            HB_TRY(remake(g, i, factor, made, &made[i]));
        }
    }
    *out = made[a];
    return hb_graph_is_multiple(g, *out, a, (hb_bounds){factor, factor});
}

static hb_status fold_factor(hb_graph *g, uint32_t a, double factor, uint32_t *out)
{
    uint32_t *made = malloc(((size_t)a + 1) * sizeof *made);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    }
    const hb_status st = push(g, a, factor, made, out);
    free(made);
    return st;
}

static hb_status scale(hb_graph *g, uint32_t a, double factor, uint32_t *out)
{
    return factor == 1 || !g->nodes[a].shape.scale_folds ? hb_graph_scale(g, a, (hb_number){.real = factor}, out)
                                                         : fold_factor(g, a, factor, out);
}

/* A number that is added to products with numbers: these take the factor, and no level more. *out is HB_NO_NODE where
 * `a` is another node. */
static hb_status scale_below_number(hb_graph *g, uint32_t a, double factor, double offset, uint32_t *out)
{
    const hb_node sum = g->nodes[a];
    *out = HB_NO_NODE;
    if (sum.op != HB_OP_ADD_NUMBER || sum.shape.scale_folds) {
        return HB_OK;
    }
    HB_TRY(hb_graph_collect_terms(g, sum.a, factor, out));
    const hb_number number = {.real = factor * sum.real + offset};
    return *out != HB_NO_NODE ? hb_graph_add_constant(g, *out, number, out) : HB_OK;
}

/* A factor beside 1 by the rounding of doubles is that rounding: who makes a map by factor and offset counts it. */
static double without_rounding(double factor)
{
    return fabs(fabs(factor) - 1) <= DBL_EPSILON ? copysign(1, factor) : factor;
}

/* Replaces `a` by what it is a multiple of, or by what it is a whole number times, where factor and number are one that
 * takes fewer levels than the factor: both are 1 where the interval of a function follows from the range of `a`. */
static hb_status take_multiple(hb_graph *g, uint32_t *a, double *factor)
{
    const hb_node *x = &g->nodes[*a];
    if (x->op == HB_OP_MULTIPLY_INTEGER && without_rounding(*factor * (double)x->number) == 1) {
        *a = x->a;
        *factor = 1;
        return HB_OK;
    }
    const hb_multiple m = hb_node_multiple(g, *a);
    const double both = without_rounding(*factor * m.number);
    const uint32_t own = hb_graph_level_limbs(g), rest = hb_node_rest_limbs(g, *a);
    const uint32_t now = rest - (*factor == 1 || x->shape.scale_folds ? 0 : own),
                   then = m.limbs - (fabs(both) == 1 ? 0 : own);
    if (!hb_multiple_is_higher(g, *a, m) || !isnormal(both) || then <= now) {
        return HB_OK;
    }
    double number;
    HB_TRY(hb_graph_take_number(g, *a, &number, a));
    *factor = without_rounding(*factor * number);
    return HB_OK;
}

hb_status hb_graph_affine(hb_graph *g, uint32_t a, double factor, double offset, uint32_t *out)
{
    HB_TRY(take_multiple(g, &a, &factor));
    HB_TRY(hb_graph_gather(g, a, &a));
    HB_TRY(scale_below_number(g, a, factor, offset, out));
    if (*out != HB_NO_NODE) {
        return HB_OK;
    }
    HB_TRY(scale(g, a, factor, &a));
    if (g->nodes[a].op == HB_OP_ADD_NUMBER) { /* one sum in the place of two */
        offset += g->nodes[a].real;
        a = g->nodes[a].a;
    }
    return hb_graph_add_constant(g, a, (hb_number){.real = offset}, out);
}
