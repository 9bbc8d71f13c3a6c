/* A factor goes down from a node to what absorbs it: numbers that ciphertexts are multiplied by, and changes of level,
 * which are such products. On its way it goes through what is linear, into all terms of a sum and into one factor of a
 * product; what lies beside its way stays as it is, and nodes above are made anew. No node changes its level. */
#include "affine.h"

#include <math.h>
#include <stdlib.h>

#include "blocks.h"
#include "rlwe/params.h"
#include "semantics.h"

/* Where a factor of a node goes. */
typedef enum way {
    WAY_NONE,   /* it would take a product, and a level */
    WAY_HERE,   /* the node itself takes it */
    WAY_A,      /* into `a` */
    WAY_B,      /* into `b` */
    WAY_BOTH,   /* into both terms */
    WAY_A_ALSO, /* into `a`, and the node's number is multiplied as well */
} way;

static way way_of(const hb_graph *g, const hb_node *node)
{
    const bool a = node->a != HB_NO_NODE && g->nodes[node->a].absorbs;
    const bool b = node->b != HB_NO_NODE && g->nodes[node->b].absorbs;
    switch (node->op) {
    case HB_OP_MULTIPLY_NUMBER:
    case HB_OP_ADJUST:
    case HB_OP_MATRIX:
        return WAY_HERE;
    case HB_OP_COMBINE:
        return hb_node_combination(g, node).whole ? WAY_NONE : WAY_HERE;
    case HB_OP_ADD:
    case HB_OP_SUBTRACT:
        return a && b ? WAY_BOTH : WAY_NONE;
    case HB_OP_MULTIPLY:
        if (node->a == node->b) {
            return WAY_NONE; /* it would have to be in one of them alone */
        }
        return a ? WAY_A : (b ? WAY_B : WAY_NONE);
    case HB_OP_ADD_NUMBER:
    case HB_OP_ADD_ROW:
        return a ? WAY_A_ALSO : WAY_NONE;
    case HB_OP_NEGATE:
    case HB_OP_RESCALE:
    case HB_OP_MULTIPLY_INTEGER:
    case HB_OP_MULTIPLY_PLAIN:
    case HB_OP_ROTATE:
    case HB_OP_CONJUGATE:
    case HB_OP_TIMES_I:
    case HB_OP_BROADCAST:
    case HB_OP_MASK_SCALED:
    case HB_OP_ROW_SUM:
    case HB_OP_ROW_SPREAD:
    case HB_OP_SUM_SLOTS:
        return a ? WAY_A : WAY_NONE;
    default:
        return WAY_NONE;
    }
}

bool hb_node_absorbs(const hb_graph *g, const hb_node *node)
{
    return g->semantics->scales && way_of(g, node) != WAY_NONE;
}

bool hb_node_absorbs_dearly(const hb_graph *g, uint32_t a)
{
    enum { MOST = 64 }; /* of terms that stand beside one another: of more it is taken to be so */
    uint32_t open[MOST], count = 1;
    open[0] = a;
    while (count > 0) {
        const hb_node *node = &g->nodes[open[--count]];
        const way to = way_of(g, node);
        if ((hb_operations[node->op].switches && node->op != HB_OP_RESCALE) || node->op == HB_OP_MULTIPLY ||
            count + 2 > MOST) {
            return true;
        }
        if (to == WAY_A || to == WAY_A_ALSO || to == WAY_BOTH) {
            open[count++] = node->a;
        }
        if (to == WAY_B || to == WAY_BOTH) {
            open[count++] = node->b;
        }
    }
    return false;
}

/* A change of level is a product with a number at the level above it. */
static hb_status absorb_adjust(hb_graph *g, const hb_node *node, double factor, uint32_t *out)
{
    const uint32_t above = node->limbs + hb_params_level_limbs(g->params);
    uint32_t a = node->a;
    if (g->nodes[a].limbs > above) {
        HB_TRY(hb_graph_unary(g, HB_OP_ADJUST, a, above, &a));
    }
    /* Also of a whole one, whose product would stay above. */
    HB_TRY(hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, a, factor, &a));
    return hb_graph_rest(g, a, out);
}

static hb_status absorb_combination(hb_graph *g, uint32_t i, double factor, uint32_t *out)
{
    HB_TRY(g->semantics->multiple(g, i, (hb_number){.real = factor}, out));
    /* Numbers that a factor would lose keep theirs, and it would be a product of its own. */
    return g->nodes[*out].limbs == g->nodes[i].limbs && g->nodes[*out].scaled
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                            "weights are too small for a factor of %.4g, which the interval asks for", factor);
}

/* Makes the node anew, times the factor; made: of nodes on its way, what they became. */
static hb_status remake(hb_graph *g, uint32_t i, double factor, const uint32_t *made, uint32_t *out)
{
    hb_node node = g->nodes[i];
    const way to = way_of(g, &node);
    if (node.op == HB_OP_ADJUST) {
        return absorb_adjust(g, &node, factor, out);
    }
    if (node.op == HB_OP_COMBINE) {
        return absorb_combination(g, i, factor, out);
    }
    if (node.op == HB_OP_MATRIX) {
        return hb_graph_matrix_times(g, i, factor, out);
    }
    if (node.op == HB_OP_ADD_ROW) {
        return hb_graph_add_row_times(g, i, made[node.a], factor, out);
    }
    if (to == WAY_HERE || to == WAY_A_ALSO) {
        node.real *= factor;
    }
    node.a = to == WAY_B || to == WAY_HERE ? node.a : made[node.a];
    node.b = to == WAY_B || to == WAY_BOTH ? made[node.b] : node.b;
    return hb_graph_node(g, &node, out);
}

/* made [a + 1]: HB_NO_NODE beside the way, else the node that it became; any other number before that. */
static hb_status push(hb_graph *g, uint32_t a, double factor, uint32_t *made, uint32_t *out)
{
    for (uint32_t i = 0; i <= a; i++) {
        made[i] = HB_NO_NODE;
    }
    made[a] = a;
    for (uint32_t i = a + 1; i-- > 0;) { /* operands are older than what is made of them */
        if (made[i] == HB_NO_NODE) {
            continue;
        }
        const hb_node *node = &g->nodes[i];
        const way to = way_of(g, node);
        if (to == WAY_A || to == WAY_BOTH || to == WAY_A_ALSO) {
            made[node->a] = node->a;
        }
        if (to == WAY_B || to == WAY_BOTH) {
            made[node->b] = node->b;
        }
    }
    for (uint32_t i = 0; i <= a; i++) {
        if (made[i] != HB_NO_NODE) {
            HB_TRY(remake(g, i, factor, made, &made[i]));
        }
    }
    *out = made[a];
    return HB_OK;
}

static hb_status scale(hb_graph *g, uint32_t a, double factor, uint32_t *out)
{
    if (factor == 1 || !g->nodes[a].absorbs) {
        return hb_graph_scale(g, a, (hb_number){.real = factor}, out);
    }
    uint32_t *made = malloc(((size_t)a + 1) * sizeof *made);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    }
    const hb_status st = push(g, a, factor, made, out);
    free(made);
    return st;
}

hb_status hb_graph_affine(hb_graph *g, uint32_t a, double factor, double offset, uint32_t *out)
{
    HB_TRY(hb_graph_rest(g, a, &a));
    HB_TRY(scale(g, a, factor, &a));
    if (g->nodes[a].op == HB_OP_ADD_NUMBER) { /* one sum in the place of two */
        offset += g->nodes[a].real;
        a = g->nodes[a].a;
    }
    return hb_graph_add_constant(g, a, (hb_number){.real = offset}, out);
}
