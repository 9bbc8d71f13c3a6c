/* What follows for nodes of rows within slots: widths, images, and where slots hold 0. */
#include "base/seed.h"
#include "blocks.h"
#include "polynomial.h"
#include "scheme/codec.h"
#include "scheme/matrix.h"
#include <stdlib.h>

uint32_t hb_node_width(const hb_graph *g, const hb_node *node)
{
    switch (node->op) {
    case HB_OP_MATRIX:
        return hb_matrix_of(g, node)->matrix.rows;
    case HB_OP_ROW_SUM:
        return 1;
    case HB_OP_ROW_SPREAD:
        return (uint32_t)node->number;
    default:
        return g->nodes[node->a].shape.width;
    }
}

/* --- in which slots columns stand */

/* Without gaps columns stand in their order. */
hb_block_image hb_node_image(const hb_graph *g, const hb_node *node)
{
    switch (node->op) {
    case HB_OP_MATRIX: {
        const hb_block_image to = hb_matrix_of(g, node)->matrix.to;
        return to.gap > 1 ? to : (hb_block_image){0};
    }
    case HB_OP_ROW_SUM:
        return (hb_block_image){0};
    default:
        return g->nodes[node->a].shape.image;
    }
}

uint32_t hb_node_columns(const hb_node *node)
{
    return node->shape.image.gap > 0 ? hb_block_image_columns(&node->shape.image) : node->shape.width;
}

hb_status hb_graph_check_images(const hb_graph *g, const hb_node *node)
{
    if (!hb_graph_packed(g) || hb_operations[node->op].loads || node->op == HB_OP_BOOTSTRAP) {
        return HB_OK; /* two that are bootstrapped as one have nothing else in common */
    }
    const hb_node_list operands = hb_node_operands(g, node);
    for (uint32_t i = 1; i < operands.count; i++) {
        const hb_node *x = &g->nodes[operands.node[0]], *y = &g->nodes[operands.node[i]];
        if (!hb_block_image_same(&x->shape.image, &y->shape.image)) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "columns of the two sides stand in different slots: an image that a convolution made "
                              "smaller has its channels in each other's gaps, and goes together with one of the same "
                              "height, width and channels");
        }
    }
    return HB_OK;
}

/* --- slots behind the columns */

bool hb_node_tail_is_zero(const hb_graph *g, const hb_node *node)
{
    const bool a = g->nodes[node->a].shape.tail_zero, b = node->b == HB_NO_NODE || g->nodes[node->b].shape.tail_zero;
    if (!hb_node_narrow(g, node)) {
        return true;
    }
    switch (node->op) {
    case HB_OP_MULTIPLY:
    case HB_OP_MULTIPLY_PLAIN:
        return a || b;
    case HB_OP_BOOTSTRAP:
        return a; /* whatever it is bootstrapped with */
    case HB_OP_POLYNOMIAL:
        return a && hb_polynomial_zero(g, node);
    case HB_OP_MASK_SCALED:
    case HB_OP_MASK_ROW:
        return true;
    case HB_OP_MATRIX:
        return hb_matrix_of(g, node)->outline.parts == 1;
    case HB_OP_ROW_SUM:
        return false;
    case HB_OP_ROW_SPREAD:
        return hb_row_copies(node->number) == node->number;
    default:
        return a && b;
    }
}
