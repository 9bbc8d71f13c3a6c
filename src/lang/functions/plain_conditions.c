#include "plain_conditions.h"

#include <stdlib.h>

#include "lang/ir/semantics.h"

static hb_plain_value one_of(const hb_graph *g)
{
    return g->semantics->reals ? (hb_plain_value){.real = 1} : (hb_plain_value){.integer = 1};
}

/* Whether a column is 0 or 1 in every row: it is 1 wherever it is not 0. */
static hb_status is_condition(hb_graph *g, uint32_t column, bool *is)
{
    hb_derived *d = &g->constants.derived;
    uint32_t one, ones;
    if (d->column[column].complex) {
        *is = false;
        return HB_OK;
    }
    HB_TRY(hb_derived_add_number(d, one_of(g), &one));
    HB_TRY(hb_derived_add_pair(d, HB_ITEM_EQUAL, column, one, &ones));
    *is = d->column[ones].chosen == d->column[column].chosen;
    return HB_OK;
}

/* Replaces a node, of columns [width], by one that loads the same as derived columns. */
static hb_status derive(hb_lowering *l, const char *what, uint32_t *node, uint32_t width)
{
    hb_graph *g = &l->graph;
    const hb_plain_place place = {g->nodes[*node].operand, g->nodes[*node].shape.image};
    uint32_t *columns = malloc(width * sizeof *columns);
    bool is = true;
    hb_status st = columns != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a condition");
    for (uint32_t c = 0; st == HB_OK && is && c < width; c++) {
        st = hb_plain_column(l, *node, c, &columns[c]);
        st = st == HB_OK ? is_condition(g, columns[c], &is) : st;
    }
    if (st == HB_OK && !is) {
        st = HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                        "%s takes conditions, which are 0 or 1, and the values of the plain table are others; "
                        "compare them",
                        what);
    }
    st = st == HB_OK ? hb_graph_plain_node(&l->graph, &place, columns, width, node) : st;
    free(columns);
    return st;
}

hb_status hb_lower_plain_condition(hb_lowering *l, const char *what, hb_value *x)
{
    hb_value made = *x;
    HB_TRY(hb_lower_load(l, &made));
    const hb_value from = made;
    HB_TRY(hb_lower_columns(l, from.columns, &made));
    for (uint32_t c = 0; hb_graph_at_column(&l->graph, c, made.columns); c++) {
        uint32_t node = l->pool[from.first + c];
        HB_TRY(derive(l, what, &node, made.width > 0 ? made.width : 1));
        l->pool[made.first + c] = node;
    }
    *x = made;
    return HB_OK;
}

/* Makes the same node of a derived column. */
static hb_status derived(hb_lowering *l, uint32_t node, uint32_t *out)
{
    const hb_plain_place place = {l->graph.nodes[node].operand, l->graph.nodes[node].shape.image};
    uint32_t column;
    HB_TRY(hb_plain_column(l, node, 0, &column));
    return hb_graph_plain_node(&l->graph, &place, &column, 1, out);
}

hb_status hb_lower_plain_product(hb_lowering *l, uint32_t a, uint32_t b, uint32_t *out)
{
    const hb_graph *g = &l->graph;
    if (a == HB_NO_NODE || b == HB_NO_NODE) {
        *out = a == HB_NO_NODE ? b : a;
        return *out == HB_NO_NODE ? HB_OK : derived(l, *out, out);
    }
    hb_value x = {.kind = HB_TYPE_ROW}, y = x, both;
    HB_TRY(hb_lower_columns(l, 1, &x));
    HB_TRY(hb_lower_columns(l, 1, &y));
    l->pool[x.first] = a;
    l->pool[y.first] = b;
    HB_TRY(hb_lower_plain(l, HB_ITEM_MULTIPLY, &x, &y, &both));
    *out = l->pool[both.first];
    HB_ASSERT(g->nodes[*out].shape.plain);
    return HB_OK;
}
