/* Operations on plain values and constants, before they meet encrypted ones: derived columns (lang/program/derived.h),
 * which are loaded as columns of plain tables are. */
#ifndef HB_LANG_VALUE_PLAIN_H
#define HB_LANG_VALUE_PLAIN_H

#include "lang/ir/plain_columns.h"
#include "lowering.h"

/* Makes each column of x and y by an operator, kind HB_ITEM_ADD to HB_ITEM_DIVIDE or HB_ITEM_LESS to HB_ITEM_NOT_EQUAL.
 * Both are plain, or one of them is a number; values are loaded. HB_EUSAGE for other columns or rows, for comparisons
 * of complex numbers, and for tables without a source here; HB_EDATA as their source and hb_derived_add say;
 * HB_ENOMEM. */
hb_status hb_lower_plain(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out);
/* Makes each column of x whether its values are among the members. As above. */
hb_status hb_lower_plain_among(hb_lowering *l, hb_value *x, const hb_member *members, uint32_t count, hb_value *out);
/* Where rows stand within slots: makes a plain value as many columns, in these slots, as `like` says, all of them its
 * column i. As above. */
hb_status hb_lower_plain_repeat(hb_lowering *l, uint32_t i, const hb_node_shape *like, hb_value *value);

/* Sets *column to the derived column that is a number in every row. HB_ENOMEM. */
hb_status hb_plain_number(hb_lowering *l, hb_number number, uint32_t *column);
/* Sets *column to the derived column that column i of a plain node loads. HB_EUSAGE for a table whose values are not
 * known here; HB_EDATA as its source and hb_derived_add say, and for values outside the range that was declared;
 * HB_ENOMEM. */
hb_status hb_plain_column(hb_lowering *l, uint32_t node, uint32_t i, uint32_t *column);
/* Sets *total to the sum over so many rows of column i of a plain node. As above, and hb_derived_total. */
hb_status hb_plain_total(hb_lowering *l, uint32_t node, uint32_t i, uint64_t rows, hb_plain_value *total);
/* Sets *rows to that of both: two tables have as many, or one row. HB_EUSAGE where they have not. */
hb_status hb_plain_rows(const hb_lowering *l, const hb_operand *x, const hb_operand *y, uint64_t *rows);
/* Returns the rows of a plain node: those of its table, or one, which stands in every row of others. */
uint64_t hb_plain_node_rows(const hb_graph *graph, uint32_t node);
/* Returns in how many rows of the expression the column that a node loads is not 0; the node is of a derived column. */
uint64_t hb_plain_chosen(const hb_graph *graph, uint32_t node);

/* Sets *out to a table of constants that has the numbers of a plain value, owned by the lowering; at most 2^24 of them:
 * HB_EUSAGE; else as above. */
hb_status hb_lower_plain_table(hb_lowering *l, const hb_value *value, const hb_operand **out);

#endif
