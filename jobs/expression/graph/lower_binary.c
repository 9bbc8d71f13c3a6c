/* + - *: constants are folded, columns matched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "blocks.h"
#include "lower.h"
#include "scheme/codec.h"
#include "semantics.h"

bool hb_value_encrypted(const hb_value *value)
{
    return value->kind == HB_VALUE_ROWS || value->kind == HB_VALUE_TOTALS;
}

hb_status hb_lower_number(const hb_lowering *l, hb_number number, bool overflow, hb_value *out)
{
    const hb_graph *g = &l->graph;
    const hb_interval all = g->semantics->numbers(g->spec);
    const double imaginary = fabs(number.imaginary);
    if (all.real && !(number.real >= all.low && number.real <= all.high && imaginary <= all.high)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "the constant is larger than any double");
    }
    if (!all.real && (overflow || number.integer < all.least || number.integer > all.most)) {
        char bound[HB_CODEC_TEXT];
        hb_codec_bound_text(bound, g->spec);
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          "the constant is not between %lld and %lld, as numbers mod %s are", (long long)all.least,
                          (long long)all.most, bound);
    }
    *out = (hb_value){.kind = HB_VALUE_NUMBER, .number = number};
    return HB_OK;
}

hb_status hb_lower_numbers(const hb_lowering *l, hb_item_kind kind, hb_number a, hb_number b, hb_value *out)
{
    hb_number r = {.integer = 0};
    bool overflow;
    switch (kind) {
    case HB_ITEM_ADD:
        overflow = __builtin_add_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real + b.real;
        r.imaginary = a.imaginary + b.imaginary;
        break;
    case HB_ITEM_SUBTRACT:
        overflow = __builtin_sub_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real - b.real;
        r.imaginary = a.imaginary - b.imaginary;
        break;
    default:
        overflow = __builtin_mul_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real * b.real - a.imaginary * b.imaginary;
        r.imaginary = a.real * b.imaginary + a.imaginary * b.real;
    }
    return hb_lower_number(l, r, overflow, out);
}

bool hb_lower_whole(const hb_lowering *l, const hb_value *value, int64_t *whole)
{
    const double real = value->number.real;
    if (value->kind != HB_VALUE_NUMBER || value->number.imaginary != 0 ||
        (l->graph.semantics->reals && !(fabs(real) <= 0x1p53 && rint(real) == real))) {
        return false;
    }
    *whole = l->graph.semantics->reals ? (int64_t)real : value->number.integer;
    return true;
}

/* Names that the columns of both agree on; those of the one with more columns. */
static const hb_column *names_of(const hb_value *x, const hb_value *y)
{
    if (y->kind == HB_VALUE_NUMBER || hb_value_width(x) != hb_value_width(y)) {
        return y->kind == HB_VALUE_NUMBER || hb_value_width(x) > hb_value_width(y) ? x->names : y->names;
    }
    if (x->names == NULL || y->names == NULL || x->names == y->names) {
        return x->names != NULL ? x->names : y->names;
    }
    for (uint32_t i = 0; i < hb_value_width(x); i++) {
        if (strcmp(x->names[i].name, y->names[i].name) != 0) {
            return NULL;
        }
    }
    return x->names;
}

static hb_status with_number(hb_graph *g, hb_item_kind kind, uint32_t x, hb_number number, uint32_t *out)
{
    switch (kind) {
    case HB_ITEM_ADD:
        return hb_graph_add_constant(g, x, number, out);
    case HB_ITEM_SUBTRACT:
        return hb_graph_add_constant(g, x, (hb_number){-number.integer, -number.real, -number.imaginary}, out);
    default:
        return hb_graph_scale(g, x, number, out);
    }
}

static hb_status with_plain(hb_graph *g, hb_item_kind kind, uint32_t x, uint32_t plain, bool rows, uint32_t *out)
{
    switch (kind) {
    case HB_ITEM_ADD:
        return hb_graph_with_plain(g, HB_OP_ADD_PLAIN, x, plain, rows, out);
    case HB_ITEM_SUBTRACT:
        return hb_graph_with_plain(g, HB_OP_SUBTRACT_PLAIN, x, plain, rows, out);
    default:
        return hb_graph_with_plain(g, HB_OP_MULTIPLY_PLAIN, x, plain, rows, out);
    }
}

static hb_status with_encrypted(hb_graph *g, hb_item_kind kind, uint32_t x, uint32_t y, uint32_t *out)
{
    switch (kind) {
    case HB_ITEM_ADD:
        return hb_graph_add(g, x, y, out);
    case HB_ITEM_SUBTRACT:
        return hb_graph_subtract(g, x, y, out);
    default:
        return hb_graph_multiply(g, x, y, out);
    }
}

static hb_status check_shapes(const hb_lowering *l, const hb_value *x, const hb_value *y)
{
    const hb_graph *g = &l->graph;
    const char *text = g->syntax->text;
    const uint32_t at = g->item->at;
    if (!hb_value_encrypted(x)) {
        return HB_FAIL_AT(
            HB_EUSAGE, text, at,
            "nothing is encrypted on either side; let the encrypted value take part first, as in (2 * a) * w "
            "instead of (2 * w) * a, or store the result as a table");
    }
    const uint32_t left = hb_value_width(x), right = hb_value_width(y);
    if (y->kind != HB_VALUE_NUMBER && left != right && left != 1 && right != 1) {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "%u columns and %u; expected the same number on both sides, or one",
                          left, right);
    }
    if (y->kind == HB_VALUE_TABLE) {
        const hb_operand *operand = &g->operands[g->nodes[l->pool[y->first]].operand];
        if (operand->schema->rows != g->rows) {
            return HB_FAIL_AT(HB_EUSAGE, text, at,
                              "%.40s has %llu rows, and %.40s has %llu; expected as many, or one row", operand->name,
                              (unsigned long long)operand->schema->rows, g->first->name, (unsigned long long)g->rows);
        }
    }
    return HB_OK;
}

/* Rows within slots and one row of constants. */
static hb_status with_row(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_operand *y, hb_value *out)
{
    hb_graph *g = &l->graph;
    if (kind == HB_ITEM_MULTIPLY) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "constants of rows within slots are added");
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

/* Of rows within slots: one column serves all of the other side. */
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
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          "a plain table of one column beside rows of %u within slots; give it %u columns", width,
                          width);
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
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "%.40s has %llu constants for %u column%s", y->name,
                          (unsigned long long)(y->schema->rows * y->schema->columns), hb_value_width(x),
                          hb_value_width(x) == 1 ? "" : "s");
    }
    *out = (hb_value){.kind = x->kind, .names = x->names, .width = x->width};
    if (x->width > 0) {
        return with_row(l, kind, x, y, out);
    }
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; i < out->columns; i++) {
        hb_value constant;
        uint32_t node;
        g->value_column = i;
        HB_TRY(hb_lower_number(l, y->cells[i], false, &constant));
        HB_TRY(with_number(g, kind, l->pool[x->first + i], constant.number, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

hb_status hb_lower_binary(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    if (x->kind == HB_VALUE_NUMBER && y->kind == HB_VALUE_NUMBER) {
        return hb_lower_numbers(l, kind, x->number, y->number, out);
    }
    HB_TRY(hb_lower_match(l, x, y));
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
    HB_TRY(check_shapes(l, x, y));
    HB_TRY(spread(l, x, y));
    const bool rows = x->kind == HB_VALUE_ROWS || y->kind == HB_VALUE_ROWS || y->kind == HB_VALUE_TABLE;
    *out = (hb_value){.kind = rows ? HB_VALUE_ROWS : HB_VALUE_TOTALS, .names = names_of(x, y), .width = x->width};
    HB_TRY(hb_lower_columns(l, x->columns > y->columns ? x->columns : y->columns, out));
    for (uint32_t i = 0; i < out->columns; i++) {
        l->graph.value_column = i;
        const uint32_t a = l->pool[x->first + (x->columns > 1 ? i : 0)];
        uint32_t node, b = HB_NO_NODE;
        if (y->kind == HB_VALUE_NUMBER) {
            HB_TRY(with_number(&l->graph, kind, a, y->number, &node));
        } else {
            b = l->pool[y->first + (y->columns > 1 ? i : 0)];
            if (hb_value_encrypted(y)) {
                HB_TRY(with_encrypted(&l->graph, kind, a, b, &node));
            } else {
                HB_TRY(with_plain(&l->graph, kind, a, b, y->kind == HB_VALUE_TABLE, &node));
            }
        }
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}
