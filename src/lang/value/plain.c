/* Arithmetic and comparisons of plain values, column by column. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"

static hb_derived *derived_of(hb_lowering *l)
{
    l->graph.constants.derived.reals = l->graph.semantics->reals;
    return &l->graph.constants.derived;
}

/* Says where in the expression a column cannot be computed, with any parameters. */
static hb_status placed(hb_lowering *l, hb_status st)
{
    if (st != HB_EDATA) {
        return st;
    }
    l->hopeless = true;
    const hb_error cause = *hb_last_error();
    return HB_FAIL_AT(st, l->graph.syntax->text, l->graph.position.item->at, "%.400s", cause.text);
}

/* --- columns of tables */

static hb_plain_value value_of(const hb_lowering *l, hb_number number)
{
    return l->graph.semantics->reals ? (hb_plain_value){.real = number.real, .imaginary = number.imaginary}
                                     : (hb_plain_value){.integer = number.integer};
}

hb_status hb_plain_number(hb_lowering *l, hb_number number, uint32_t *column)
{
    return hb_derived_add_number(derived_of(l), value_of(l, number), column);
}

hb_status hb_plain_column(hb_lowering *l, uint32_t node, uint32_t i, uint32_t *column)
{
    const hb_status st = hb_graph_plain_column(&l->graph, node, i, column);
    l->hopeless = l->hopeless || st == HB_EDATA;
    return st;
}

hb_status hb_plain_total(hb_lowering *l, uint32_t node, uint32_t i, uint64_t rows, hb_plain_value *total)
{
    uint32_t column;
    HB_TRY(hb_plain_column(l, node, i, &column));
    return placed(l, hb_derived_total(derived_of(l), column, rows, total));
}

uint64_t hb_plain_chosen(const hb_graph *g, uint32_t node)
{
    const hb_node *x = &g->nodes[node];
    const uint32_t load = x->column - (uint32_t)g->operands[x->operand].schema->columns;
    const hb_derived_column *column = &g->constants.derived.column[hb_derived_loaded(&g->constants.derived, load, 0)];
    return column->chosen * (column->rows == 1 ? g->rows : 1);
}

uint64_t hb_plain_node_rows(const hb_graph *g, uint32_t node)
{
    const hb_derived *d = &g->constants.derived;
    const hb_schema *schema = g->operands[g->nodes[node].operand].schema;
    if (g->nodes[node].column < schema->columns) {
        return schema->rows;
    }
    const uint32_t load = g->nodes[node].column - (uint32_t)schema->columns;
    uint64_t rows = 1;
    for (uint32_t i = 0; i < d->load[load].count; i++) {
        const uint64_t own = d->column[hb_derived_loaded(d, load, i)].rows;
        rows = own != 1 ? own : rows;
    }
    return rows;
}

hb_status hb_plain_rows(const hb_lowering *l, const hb_operand *x, const hb_operand *y, uint64_t *rows)
{
    const uint64_t left = x->schema->rows, right = y->schema->rows;
    *rows = left == 1 ? right : left;
    if (left == 1 || right == 1) {
        return HB_OK;
    }
    return hb_lower_require_same_rows(l, l->graph.position.item, x, y);
}

/* --- nodes */

/* --- values */

/* A value made of columns of both sides by an operator, or, where there are members, of x alone. */
typedef struct operation {
    hb_item_kind kind;
    const hb_plain_member *members; /* [count] */
    uint32_t count;
} operation;

/* The node of a value that has its column i; HB_NO_NODE: it is a number. */
static uint32_t node_of(const hb_lowering *l, const hb_value *x, uint32_t i)
{
    return x->kind == HB_TYPE_NUMBER ? HB_NO_NODE : l->pool[x->first + (x->columns > 1 ? i : 0)];
}

static hb_status column_of(hb_lowering *l, const hb_value *x, uint32_t i, uint32_t *column)
{
    const uint32_t node = node_of(l, x, i);
    if (node == HB_NO_NODE) {
        return hb_plain_number(l, x->number, column);
    }
    return hb_plain_column(l, node, x->width > 1 ? i : 0, column);
}

/* The table in whose place column i stands: of two the one that has rows. */
static hb_status place_of(const hb_lowering *l, const hb_value *x, const hb_value *y, uint32_t i, hb_plain_place *out)
{
    const hb_graph *g = &l->graph;
    const uint32_t nodes[2] = {node_of(l, x, i), y != NULL ? node_of(l, y, i) : HB_NO_NODE};
    const uint32_t first = nodes[0] != HB_NO_NODE ? nodes[0] : nodes[1];
    *out = (hb_plain_place){g->nodes[first].operand, g->nodes[first].shape.image};
    if (nodes[0] == HB_NO_NODE || nodes[1] == HB_NO_NODE) {
        return HB_OK;
    }
    const uint32_t second = g->nodes[nodes[1]].operand;
    const bool one = hb_plain_node_rows(g, nodes[0]) == 1;
    uint64_t rows;
    if (!one && hb_plain_node_rows(g, nodes[1]) != 1) {
        HB_TRY(hb_plain_rows(l, &g->operands[out->operand], &g->operands[second], &rows));
    }
    out->operand = one ? second : out->operand;
    return hb_block_image_same(&out->image, &g->nodes[nodes[1]].shape.image)
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                            "columns of the two plain tables stand in different slots, as images");
}

static hb_status make_column(hb_lowering *l, const operation *o, const hb_value *x, const hb_value *y, uint32_t i,
                             uint32_t *out)
{
    hb_derived *d = derived_of(l);
    hb_derived_column made = {.kind = o->kind, .b = HB_NO_INDEX, .member_count = o->count};
    hb_plain_place at;
    HB_TRY(place_of(l, x, y, i, &at)); /* rows that go together */
    HB_TRY(column_of(l, x, i, &made.a));
    HB_TRY(o->kind == HB_ITEM_IN ? HB_OK : column_of(l, y, i, &made.b));
    if (l->graph.params == NULL) { /* its values do not matter */
        *out = made.b == HB_NO_INDEX || d->column[made.a].rows != 1 ? made.a : made.b;
        return HB_OK;
    }
    if (o->kind > HB_ITEM_DIVIDE &&
        (d->column[made.a].complex || (made.b != HB_NO_INDEX && d->column[made.b].complex))) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "complex numbers are not compared");
    }
    if (o->count > 0) {
        made.members = malloc(o->count * sizeof *made.members);
        if (made.members == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for %u numbers", o->count);
        }
        memcpy(made.members, o->members, o->count * sizeof *made.members);
    }
    return placed(l, hb_derived_add(d, &made, out));
}

/* Makes the nodes of columns [width] of a value, which has its columns' room. */
static hb_status make_nodes(hb_lowering *l, const hb_value *x, const hb_value *y, const uint32_t *columns,
                            hb_value *out)
{
    const hb_graph *g = &l->graph;
    const uint32_t each = out->width > 0 ? out->width : 1;
    out->kind = HB_TYPE_ROW;
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, out->columns); i++) {
        hb_plain_place at;
        uint32_t node;
        HB_TRY(place_of(l, x, y, i, &at));
        HB_TRY(hb_graph_plain_node(&l->graph, &at, columns + i, each, &node));
        l->pool[out->first + i] = node;
        out->kind = hb_plain_node_rows(g, node) == 1 ? out->kind : HB_TYPE_TABLE;
    }
    return HB_OK;
}

static hb_status make_value(hb_lowering *l, const operation *o, hb_value *x, hb_value *y, hb_value *out)
{
    const hb_graph *g = &l->graph;
    const uint32_t left = x->kind == HB_TYPE_NUMBER ? 1 : hb_value_width(x);
    const uint32_t right = y == NULL || y->kind == HB_TYPE_NUMBER ? 1 : hb_value_width(y);
    const uint32_t width = left > right ? left : right;
    HB_ASSERT(left == right || left == 1 || right == 1); /* by their types */
    const hb_column *names = y != NULL ? hb_value_names(x, y) : x->names;
    *out = (hb_value){.names = names, .width = hb_graph_packed(g) ? width : 0};
    HB_TRY(hb_lower_columns(l, hb_graph_packed(g) ? 1 : width, out));
    uint32_t *columns = malloc(width * sizeof *columns);
    hb_status st = columns != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    for (uint32_t i = 0; st == HB_OK && i < width; i++) {
        st = make_column(l, o, x, y, i, &columns[i]);
    }
    st = st == HB_OK ? make_nodes(l, x, y, columns, out) : st;
    free(columns);
    return st;
}

hb_status hb_lower_plain(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    return make_value(l, &(operation){.kind = kind}, x, y, out);
}

hb_status hb_lower_plain_among(hb_lowering *l, hb_value *x, const hb_member *members, uint32_t count, hb_value *out)
{
    hb_plain_member *own = calloc((size_t)count + 1, sizeof *own);
    if (own == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u numbers", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        own[i] = (hb_plain_member){value_of(l, members[i].low), value_of(l, members[i].high)};
    }
    const hb_status st = make_value(l, &(operation){HB_ITEM_IN, own, count}, x, NULL, out);
    free(own);
    return st;
}
