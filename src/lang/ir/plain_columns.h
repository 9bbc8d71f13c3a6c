/* Columns of plain tables as nodes: of a table, or computed in the clear from columns of tables
 * (lang/program/derived.h). */
#ifndef HB_LANG_IR_PLAIN_COLUMNS_H
#define HB_LANG_IR_PLAIN_COLUMNS_H

#include "graph.h"

/* The columns of a table, and the slots, that a node of derived columns stands for. */
typedef struct hb_plain_place {
    uint32_t operand;
    hb_block_image image; /* of rows within slots; zeroed: in their order */
} hb_plain_place;

/* Returns whether the values that a plain node loads can be computed with here. */
static inline bool hb_node_plain_known(const hb_graph *graph, const hb_node *node)
{
    const hb_operand *operand = &graph->operands[node->operand];
    const bool derived = node->column >= operand->schema->columns;
    return node->op == HB_OP_LOAD_PLAIN && (derived || operand->source != NULL || operand->cells != NULL);
}
/* Sets *column to the derived column that column i of a plain node loads. HB_EUSAGE for a table whose values are not
 * known here; HB_EDATA as its source and hb_derived_add say, and for values outside the range that was declared;
 * HB_ENOMEM. */
hb_status hb_graph_plain_column(hb_graph *graph, uint32_t node, uint32_t i, uint32_t *column);
/* Makes the node that loads derived columns [count], one, or, of rows within slots, all of a value. HB_ENOMEM. */
hb_status hb_graph_plain_node(hb_graph *graph, const hb_plain_place *place, const uint32_t *columns, uint32_t count,
                              uint32_t *out);
/* Makes a plain node of reals times a number, in the clear. As hb_graph_plain_column. */
hb_status hb_graph_plain_times(hb_graph *graph, uint32_t node, double number, uint32_t *out);

#endif
