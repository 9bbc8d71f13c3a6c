#include "row_broadcast.h"

#include "semantics.h"

hb_status hb_graph_fill_rows(hb_graph *g, uint32_t row, bool dirty, bool spare, uint32_t *node, bool *masked)
{
    const bool level = g->params != NULL && hb_node_rest_limbs(g, *node) > hb_graph_level_limbs(g);
    *masked = !dirty && spare && g->semantics->scales && level;
    HB_TRY(hb_graph_require_slots(g, HB_OP_FILL_ROWS));
    if (dirty || *masked) {
        HB_TRY(hb_graph_require_level(g, *node, "the product that masks all rows but one"));
        HB_TRY(hb_graph_unary(g, HB_OP_MASK_ROW, *node, row, node));
    }
    HB_TRY(hb_graph_unary(g, HB_OP_FILL_ROWS, *node, 0, node));
    return hb_graph_rest(g, *node, node);
}
