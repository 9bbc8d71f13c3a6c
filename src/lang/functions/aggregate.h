/* The operand of an aggregate, over all rows or of groups. */
#ifndef HB_LANG_FUNCTIONS_AGGREGATE_H
#define HB_LANG_FUNCTIONS_AGGREGATE_H

#include "functions.h"
#include "lang/ir/function.h"
#include "lang/types/lang_function.h"

/* Sums of powers are made up to this one. */
enum { HB_AGGREGATE_MOST_POWER = 2 };

/* An aggregate of rows, or of one row. */
typedef struct hb_aggregated {
    const hb_item *item;
    const hb_lang_function *function;
    hb_value x;       /* values of rows, 0 where an encrypted condition is 0, or plain; without columns of count() */
    uint32_t counted; /* that condition; HB_NO_NODE: all rows count, ... */
    /* Not HB_NO_NODE: values have gaps, and pool[present + column] is 1 in rows that count for this column; HB_NO_NODE
     * there: it has none, and all rows count, or those of the mask. */
    uint32_t present;
    uint32_t mask; /* ... or those of a condition on plain tables, a node; HB_NO_NODE: there is none */
    bool one_row;  /* x, and the condition, are of one row: no other rows are counted */
    bool none;     /* publicly no rows count; values are those of all rows, which are not shown */
    /* Not HB_NO_NODE: of a count of no rows, a node of rows that is not public: its column may have missing cells. */
    uint32_t secret;
} hb_aggregated;

/* Finds the operand of an item's aggregate: its argument, loaded. HB_EUSAGE for an argument that it does not take. */
hb_status hb_lower_aggregated(hb_lowering *l, const hb_item *item, const hb_value *argument, hb_aggregated *out);
/* Returns whether an encrypted condition is publicly true in no row. */
bool hb_lower_selects_none(const hb_lowering *l, const hb_value *condition);
/* Makes totals 0, which only decryption shows: what selects no row is public, and its ciphertext tells of nothing. */
static inline hb_status hb_lower_zero_totals(hb_lowering *l, hb_value *totals)
{
    for (uint32_t c = 0; hb_graph_at_column(&l->graph, c, totals->columns); c++) {
        uint32_t *node = &l->pool[totals->first + c];
        HB_TRY(hb_graph_zero(&l->graph, *node, node));
    }
    return HB_OK;
}
/* Sets *all where a condition, which selects some rows, is publicly true in every one. HB_EUSAGE for a plain one of one
 * row that is never true: the aggregate of no rows is public. */
hb_status hb_lower_selects_all(const hb_lowering *l, const hb_value *condition, bool *all);
/* Makes `node` 0 where a mask is 0, a node; HB_NO_NODE: as it is. HB_EUSAGE where the mask is 0 in all rows. */
hb_status hb_lower_masked(hb_lowering *l, uint32_t node, uint32_t mask, uint32_t *out);
/* Narrows the range of a total to that of the sum of so many rows with these values. */
static inline void hb_lower_narrow_sum(hb_lowering *l, hb_interval values, uint64_t rows, uint32_t total)
{
    const int64_t times = rows < INT64_MAX ? (int64_t)rows : INT64_MAX;
    const hb_interval count =
        values.real ? hb_interval_of_reals((double)rows, (double)rows) : hb_interval_of(times, times);
    hb_graph_narrow(&l->graph, total, hb_interval_multiply(values, count));
}
/* Returns the highest power of values that the parts of an epilogue are sums of, up to HB_AGGREGATE_MOST_POWER. */
uint32_t hb_aggregate_power(const hb_epilogue *epilogue);
/* Makes the next power of a node: of HB_NO_NODE the node itself, and of a power its product with the node.
 * Errors of operations (lang/ir/graph.h). */
hb_status hb_lower_next_power(hb_lowering *l, uint32_t node, uint32_t *power);

/* The shape of an aggregate by its epilogue, over all rows or over the rows that conditions select. */
hb_type_maker hb_shape_aggregate;
/* Returns the type of the condition that selects rows of a value of this type; NULL: none. */
static inline const hb_type *hb_types_condition_of(const hb_types *t, const hb_type *x)
{
    return x->item->kind == HB_ITEM_WHERE ? hb_types_operand(t, x->item, 1) : NULL;
}

#endif
