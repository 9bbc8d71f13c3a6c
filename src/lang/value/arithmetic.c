/* + - *: constants are folded, columns matched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "lowering.h"
#include "plain.h"
#include "scheme/codec.h"

static hb_status subtract_constant(hb_graph *g, uint32_t x, hb_number number, uint32_t *out)
{
    return hb_graph_add_constant(g, x, (hb_number){-number.integer, -number.real, -number.imaginary}, out);
}

/* Operators on an encrypted column and another column, a plain one, or a constant. */
typedef struct arithmetic {
    hb_status (*encrypted)(hb_graph *g, uint32_t x, uint32_t y, uint32_t *out);
    hb_opcode plain;
    hb_status (*number)(hb_graph *g, uint32_t x, hb_number number, uint32_t *out);
} arithmetic;

static const arithmetic *arithmetic_of(hb_item_kind kind)
{
    static const arithmetic rows[] = {{hb_graph_add, HB_OP_ADD_PLAIN, hb_graph_add_constant},
                                      {hb_graph_subtract, HB_OP_SUBTRACT_PLAIN, subtract_constant},
                                      {hb_graph_multiply, HB_OP_MULTIPLY_PLAIN, hb_graph_scale}};
    _Static_assert(HB_ITEM_SUBTRACT == HB_ITEM_ADD + 1 && HB_ITEM_MULTIPLY == HB_ITEM_ADD + 2, "in the rows' order");
    HB_ASSERT(kind >= HB_ITEM_ADD && kind <= HB_ITEM_MULTIPLY);
    return &rows[kind - HB_ITEM_ADD];
}

/* One side is encrypted, and columns match, by their types; rows of plain tables are looked at here. */
static hb_status check_rows(const hb_lowering *l, const hb_value *x, const hb_value *y)
{
    const uint32_t left = hb_value_width(x), right = hb_value_width(y);
    HB_ASSERT(hb_value_encrypted(x));
    HB_ASSERT(y->kind == HB_TYPE_NUMBER || left == right || left == 1 || right == 1);
    for (uint32_t i = 0; hb_value_plain(y) && i < y->columns; i++) {
        HB_TRY(hb_lower_require_rows(l, l->pool[y->first + i]));
    }
    return HB_OK;
}

/* Rows within slots and one row of constants. */
static hb_status with_row(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_operand *y, hb_value *out)
{
    hb_graph *g = &l->graph;
    if (kind == HB_ITEM_MULTIPLY) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "constants of rows within slots are added");
    }
    double *values = malloc(x->width * sizeof *values);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of an expression");
    }
    for (uint32_t i = 0; i < x->width; i++) {
        values[i] = kind == HB_ITEM_SUBTRACT ? -y->cells[i].real : y->cells[i].real;
    }
    uint32_t node;
    hb_status st;
    HB_GOTO(hb_lower_columns(l, 1, out));
    HB_GOTO(hb_graph_add_row(g, l->pool[x->first], values, &node));
    l->pool[out->first] = node;
done:
    hb_wipe(values, x->width * sizeof *values);
    free(values);
    return st;
}

/* For rows within slots: one column serves all of the other side. */
static hb_status spread(hb_lowering *l, hb_value *x, hb_value *y)
{
    hb_graph *g = &l->graph;
    if (x->width == y->width || x->width == 0 || y->width == 0 || (x->width != 1 && y->width != 1)) {
        return HB_OK;
    }
    hb_value *one = x->width == 1 ? x : y;
    const hb_value *other = x->width == 1 ? y : x;
    const uint32_t node = l->pool[one->first], width = other->width;
    if (!hb_value_encrypted(one)) {
        const hb_node_shape like = g->nodes[l->pool[other->first]].shape;
        one->names = NULL;
        return hb_lower_plain_repeat(l, 0, &like, one);
    }
    one->width = width;
    one->names = NULL;
    HB_TRY(hb_lower_columns(l, 1, one));
    uint32_t filled;
    HB_TRY(hb_graph_row_spread(g, node, l->pool[other->first], &filled));
    l->pool[one->first] = filled;
    return HB_OK;
}

/* Columns and one row of constants, which are numbers of the expression. */
static hb_status with_constants(hb_lowering *l, hb_item_kind kind, hb_value *x, const hb_operand *y, hb_value *out)
{
    hb_graph *g = &l->graph;
    HB_TRY(hb_lower_load(l, x));
    if (y->schema->rows != 1 || y->schema->columns != hb_value_width(x)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "%.40s has %llu constants for %u column%s",
                          y->name, (unsigned long long)(y->schema->rows * y->schema->columns), hb_value_width(x),
                          hb_value_width(x) == 1 ? "" : "s");
    }
    *out = (hb_value){.kind = x->kind, .names = x->names, .width = x->width};
    if (x->width > 0) {
        return with_row(l, kind, x, y, out);
    }
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(g, i, out->columns); i++) {
        hb_value constant;
        uint32_t node;
        HB_TRY(hb_lower_cell(l, y->cells[i], &constant));
        HB_TRY(arithmetic_of(kind)->number(g, l->pool[x->first + i], constant.number, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

/* Whether one is plain, and the other one too, or a number: their result is plain. */
static bool are_plain(const hb_value *x, const hb_value *y)
{
    return (hb_value_plain(x) && (hb_value_plain(y) || y->kind == HB_TYPE_NUMBER)) ||
           (hb_value_plain(y) && x->kind == HB_TYPE_NUMBER);
}

hb_status hb_lower_binary(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    if (x->kind == HB_TYPE_NUMBER && y->kind == HB_TYPE_NUMBER) {
        return hb_lower_numbers(l, kind, x->number, y->number, out);
    }
    if (are_plain(x, y)) {
        HB_TRY(hb_lower_load(l, x));
        HB_TRY(hb_lower_load(l, y));
        return hb_lower_plain(l, kind, x, y, out);
    }
    hb_value negated;
    if (!hb_value_encrypted(x) && hb_value_encrypted(y)) { /* the encrypted one first */
        hb_value *plain = x;
        x = y;
        y = plain;
        if (kind == HB_ITEM_SUBTRACT) {
            HB_TRY(hb_lower_negate(l, x, &negated));
            x = &negated;
            kind = HB_ITEM_ADD;
        }
    }
    if (y->whole != NULL && y->whole->constants) {
        return with_constants(l, kind, x, y->whole, out);
    }
    HB_TRY(hb_lower_load(l, x));
    HB_TRY(hb_lower_load(l, y));
    HB_TRY(check_rows(l, x, y));
    HB_TRY(spread(l, x, y));
    const bool rows = x->kind == HB_TYPE_ROWS || y->kind == HB_TYPE_ROWS || y->kind == HB_TYPE_TABLE;
    *out = (hb_value){.kind = rows ? HB_TYPE_ROWS : HB_TYPE_TOTALS, .names = hb_value_names(x, y), .width = x->width};
    HB_TRY(hb_lower_columns(l, x->columns > y->columns ? x->columns : y->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, out->columns); i++) {
        const uint32_t a = l->pool[x->first + (x->columns > 1 ? i : 0)];
        uint32_t node, b = HB_NO_NODE;
        if (y->kind == HB_TYPE_NUMBER) {
            HB_TRY(arithmetic_of(kind)->number(&l->graph, a, y->number, &node));
        } else {
            b = l->pool[y->first + (y->columns > 1 ? i : 0)];
            if (hb_value_encrypted(y)) {
                HB_TRY(arithmetic_of(kind)->encrypted(&l->graph, a, b, &node));
            } else {
                HB_TRY(
                    hb_graph_with_plain(&l->graph, arithmetic_of(kind)->plain, a, b, y->kind == HB_TYPE_TABLE, &node));
            }
        }
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}
