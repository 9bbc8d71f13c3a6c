/* Results of numbers that are no secret: a dataset has ciphertexts, so such a result has a total of 0, which tells of
 * nothing, and is not shown. */
#include "functions.h"
#include "lang/ir/blocks.h"
#include "table/grouping.h"

hb_status hb_lower_zero_total(hb_lowering *l, const hb_item *before, uint32_t *zero)
{
    hb_graph *g = &l->graph;
    *zero = HB_NO_NODE;
    for (const hb_item *item = before; item-- > g->syntax->items && *zero == HB_NO_NODE && !hb_graph_packed(g);) {
        hb_value x = l->values[item - g->syntax->items];
        if (!hb_value_encrypted(&x) || x.columns == 0) {
            continue;
        }
        HB_TRY(hb_lower_load(l, &x));
        for (uint32_t c = 0; c < x.columns && *zero == HB_NO_NODE; c++) {
            const uint32_t node = l->pool[x.first + c];
            *zero = g->nodes[node].form.fingerprint != 0 && !g->nodes[node].shape.plain ? node : HB_NO_NODE;
        }
    }
    if (*zero == HB_NO_NODE) {
        return HB_OK;
    }
    if (!g->nodes[*zero].shape.total) {
        HB_TRY(hb_graph_sum(g, *zero, zero));
    }
    return hb_graph_zero(g, *zero, zero);
}

hb_status hb_lower_shown_count(hb_lowering *l, const hb_item *assigned, hb_value *count)
{
    const hb_graph *g = &l->graph;
    const hb_grouping *own = count->grouping;
    hb_schema *made = NULL;
    uint32_t zero = HB_NO_NODE;
    if (own->counted > 0) {
        HB_TRY(hb_lower_zero_total(l, assigned, &zero));
    }
    if (zero == HB_NO_NODE) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, assigned->at,
                          "the number of rows is no secret: hebatch info shows it; beside others it is a column, as in "
                          "cols(sum(x), count())");
    }
    HB_TRY(hb_lower_columns(l, 1, count));
    l->pool[count->first] = zero;
    HB_TRY(hb_made_columns_add(&l->columns, 1, &made));
    HB_TRY(hb_name_print(&made->column[0].name, "zero"));
    HB_TRY(hb_grouping_copy(own, &made->grouping));
    made->grouping->parts = 1;
    for (uint64_t c = 0; c < own->columns; c++) { /* counts, which stand behind this column */
        made->grouping->column[c].part[0] += own->column[c].part[0] != HB_GROUPED_ROWS;
    }
    count->names = made->column;
    count->grouping = made->grouping;
    count->means = hb_made_columns_means(made);
    return HB_OK;
}
