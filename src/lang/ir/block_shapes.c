/* Shapes of nodes of rows within slots: widths, images, and where slots hold 0. */
#include "base/seed.h"
#include "blocks.h"
#include "polynomial.h"
#include "scheme/codec.h"
#include "scheme/matrix.h"
#include <stdlib.h>

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
