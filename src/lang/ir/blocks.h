/* Rows within slots: a node holds all columns of a value, those of each row in a block of slots. Slots of a block
 * behind the columns hold no value; their contents are tracked like those of slots without a row (hb_node). */
#ifndef HB_LANG_IR_BLOCKS_H
#define HB_LANG_IR_BLOCKS_H

#include "graph.h"

/* Returns whether rows stand in blocks of more than one slot. */
static inline bool hb_graph_packed(const hb_graph *graph)
{
    return graph->block > 1;
}
/* Returns how many rows a ciphertext holds. */
uint64_t hb_graph_capacity(const hb_graph *graph);
/* Returns whether blocks of a node have slots behind its columns. */
static inline bool hb_node_narrow(const hb_graph *graph, const hb_node *node)
{
    return hb_graph_packed(graph) && node->shape.width < graph->block;
}
/* Returns whether every slot of a node holds a value of its range, or 0. */
static inline bool hb_node_confined(const hb_node *node)
{
    return (node->shape.padding_zero || node->shape.total) && node->shape.tail_zero;
}
/* Returns how many columns a value has, without slots between them that hold none. */
uint32_t hb_node_columns(const hb_node *node);
/* HB_EUSAGE where the columns of a node's operands do not stand in the same slots. */
hb_status hb_graph_check_images(const hb_graph *graph, const hb_node *node);

/* Makes W a of every row, at rest and a level lower. W has as many columns as `a`. HB_EDATA where no level is left;
 * HB_ECONFIG where parameters have no such products; HB_EUSAGE where only the keys of an expression are asked for
 * (hb_graph.params); errors of operations (graph.h). */
hb_status hb_graph_matrix(hb_graph *graph, uint32_t a, const hb_block_matrix *matrix, uint32_t *out);
/* Makes the same of `a`, at rest, with W times a number. Errors as above. */
hb_status hb_graph_matrix_by(hb_graph *graph, uint32_t a, const hb_block_matrix *matrix, double number, uint32_t *out);
/* Makes room for the values of such a matrix, all 0, which the caller frees. HB_EUSAGE: more than 2^26; HB_ENOMEM. */
hb_status hb_graph_dense_matrix(const hb_graph *graph, uint32_t rows, uint32_t columns, double **values);
/* Make new columns by such products, or by rotations that are added up. First: the column in one slot of `a`. Second:
 * the sum of all columns, in each of `width` columns. Third: the one column of `a`, in all slots of node `like`. Errors
 * as above. */
hb_status hb_graph_column(hb_graph *graph, uint32_t a, uint32_t slot, uint32_t *out);
hb_status hb_graph_row_sum_spread(hb_graph *graph, uint32_t a, uint32_t width, uint32_t *out);
hb_status hb_graph_row_spread(hb_graph *graph, uint32_t a, uint32_t like, uint32_t *out);
/* Makes each column of `a` times `own`, plus the others of its group times `others`. Columns stand in their order, and
 * groups have so many, one behind the other. Errors as above. */
hb_status hb_graph_within_groups(hb_graph *graph, uint32_t a, uint32_t group, double own, double others, uint32_t *out);
/* Makes `count` columns, the one of `a` in each of these slots. once: where those of `a` were picked themselves, they
 * are picked once, of what they are of. Errors as above. */
hb_status hb_graph_pick_columns(hb_graph *graph, uint32_t a, const uint32_t *slots, uint32_t count, bool once,
                                uint32_t *out);
/* Makes the sum of all columns of `a` in one. Errors as above. */
hb_status hb_graph_row_sum(hb_graph *graph, uint32_t a, uint32_t *out);
/* Makes `a` plus a row of constants, one a slot, in slots that hold a value. Errors of operations. */
hb_status hb_graph_add_row(hb_graph *graph, uint32_t a, const double *values, uint32_t *out);

/* Return the matrix, and the row of constants, of their nodes. Borrowed of the graph. */
const hb_matrix_entry *hb_matrix_of(const hb_graph *graph, const hb_node *node);
const hb_row_entry *hb_row_of(const hb_graph *graph, const hb_node *node);

#endif
