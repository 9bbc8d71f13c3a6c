#include "gaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "check.h"
#include "lang_function.h"
#include "type_rules.h"

bool hb_type_has_gaps(const hb_type *type)
{
    uint32_t c = 0;
    while (type->gaps != NULL && c < type->columns && type->gaps[c].count == 0) {
        c++;
    }
    return type->gaps != NULL && c < type->columns;
}

hb_column_gaps hb_type_gaps(const hb_type *type, uint32_t column)
{
    return type->gaps == NULL ? (hb_column_gaps){.zero = true} : type->gaps[type->columns > 1 ? column : 0];
}

/* The first column that has the same gaps. */
static uint32_t first_like(const hb_type *type, uint32_t column)
{
    uint32_t c = 0;
    while (!hb_gaps_same(&type->gaps[c], &type->gaps[column])) {
        c++;
    }
    return c;
}

uint32_t hb_type_mask(const hb_type *type, uint32_t column)
{
    uint32_t masks = 0;
    if (type->gaps == NULL || type->gaps[column].count == 0) {
        return UINT32_MAX;
    }
    for (uint32_t c = 0; c < first_like(type, column); c++) {
        masks += type->gaps[c].count > 0 && first_like(type, c) == c;
    }
    return masks;
}

/* --- making them */

static hb_status make(hb_types *t, uint32_t columns, uint32_t masks, hb_made_gaps **out)
{
    hb_made_gaps *made = calloc(1, sizeof *made + columns * sizeof made->column[0] + masks * sizeof(hb_gap));
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the types of an expression");
    }
    made->next = t->gaps;
    t->gaps = made;
    *out = made;
    return HB_OK;
}

static hb_column_gaps of_column(const hb_column *column, const hb_gap *gap)
{
    const bool real = column->cells == HB_CELL_REAL, known = column->mask > 0 && column->has_fill;
    const hb_number fill = {.integer = real ? 0 : (int64_t)column->fill, .real = real ? hb_real_of(column->fill) : 0};
    return (hb_column_gaps){.count = column->mask > 0,
                            .zero = column->mask == 0 || (known && column->fill == 0),
                            .fill = fill,
                            .fill_scale = known ? hb_meaning_scale(&column->meaning) : 0,
                            .gap = gap};
}

/* For an operand: each column has its own mask. A computed value need not be 0 where it is missing. */
static hb_status of_operand(hb_types *t, const hb_operand *operand, hb_type *out)
{
    const hb_schema *schema = operand->schema;
    hb_made_gaps *made = NULL;
    if (hb_schema_masks(schema) == 0) {
        return HB_OK;
    }
    HB_TRY(make(t, out->columns, out->columns, &made));
    hb_gap *gap = (hb_gap *)(void *)&made->column[out->columns];
    for (uint32_t c = 0; c < out->columns; c++) {
        const uint64_t mask = schema->column[c].mask;
        gap[c] = (hb_gap){(uint32_t)(operand - t->context.operands), (uint32_t)mask - (mask > 0)};
        made->column[c] = of_column(&schema->column[c], &gap[c]);
    }
    out->gaps = made->column;
    return HB_OK;
}

static int order(hb_gap x, hb_gap y)
{
    return x.operand != y.operand ? (x.operand > y.operand) - (x.operand < y.operand)
                                  : (x.column > y.column) - (x.column < y.column);
}

/* Adds the masks of `from` to those at `to`, which has room; returns how many there are. apart: columns are not known,
 * and one mask stands for those of several: there are two where there may be several, which takes the same keys. */
static uint32_t unite(hb_gap *to, uint32_t count, const hb_column_gaps *from, bool apart)
{
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t at = 0;
        while (at < count && order(to[at], from->gap[i]) < 0) {
            at++;
        }
        if (at < count && order(to[at], from->gap[i]) == 0 && !(apart && count == 1)) {
            continue;
        }
        memmove(&to[at + 1], &to[at], (count - at) * sizeof *to);
        to[at] = from->gap[i];
        count++;
    }
    return count;
}

/* Whether the result of an operation on a column of each operand is 0 where one of them is missing, once columns with
 * fills are made 0 there before it. apart: equal gaps may be those of different columns. */
static bool is_zero(hb_item_kind kind, const hb_type *operands, uint32_t count, uint32_t column, bool apart)
{
    bool all = true, same = !apart;
    const hb_column_gaps first = hb_type_gaps(&operands[0], column);
    for (uint32_t i = 0; i < count; i++) {
        const hb_column_gaps own = hb_type_gaps(&operands[i], column);
        const bool zero = own.count == 0 || own.zero || hb_gaps_filled(&own);
        all = all && zero;
        same = same && hb_gaps_same(&first, &own) && zero;
    }
    switch (kind) {
    case HB_ITEM_ADD:
    case HB_ITEM_SUBTRACT:
        return same;
    case HB_ITEM_NEGATE:
    case HB_ITEM_MULTIPLY:
    case HB_ITEM_DIVIDE:
    case HB_ITEM_POWER: /* an exponent has no gaps, and is 1 at least */
        return all;
    case HB_ITEM_LESS:
    case HB_ITEM_GREATER:
    case HB_ITEM_LESS_EQUAL:
    case HB_ITEM_GREATER_EQUAL:
    case HB_ITEM_EQUAL:
    case HB_ITEM_NOT_EQUAL:
    case HB_ITEM_BETWEEN:
    case HB_ITEM_IN:
    case HB_ITEM_AND:
    case HB_ITEM_OR:
    case HB_ITEM_NOT: /* conditions are made so */
        return true;
    case HB_ITEM_NUMBER:
    case HB_ITEM_NAME:
    case HB_ITEM_TEXT:
    case HB_ITEM_PICK:
    case HB_ITEM_MATRIX:
    case HB_ITEM_MISSING:
    case HB_ITEM_WHERE:
    case HB_ITEM_RANGE:
    case HB_ITEM_ENTRY:
    case HB_ITEM_CALL:
    case HB_ITEM_ASSIGN:
    case HB_ITEM_REPEAT:
        break;
    }
    return false;
}

/* The gaps of all operands in each column. */
static hb_status of_all(hb_types *t, const hb_item *item, const hb_type *operands, uint32_t count, hb_type *out)
{
    uint32_t masks = 0;
    hb_made_gaps *made = NULL;
    const bool apart = t->context.keys_only;
    for (uint32_t c = 0; c < out->columns; c++) {
        for (uint32_t i = 0; i < count; i++) {
            masks += hb_type_gaps(&operands[i], c).count;
        }
    }
    HB_TRY(make(t, out->columns, masks, &made));
    hb_gap *gap = (hb_gap *)(void *)&made->column[out->columns];
    for (uint32_t c = 0; c < out->columns; c++) {
        uint32_t own = 0;
        for (uint32_t i = 0; i < count; i++) {
            const hb_column_gaps of = hb_type_gaps(&operands[i], c);
            own = unite(gap, own, &of, apart);
        }
        made->column[c] = (hb_column_gaps){
            .count = own, .zero = own == 0 || is_zero(item->kind, operands, count, c, apart), .gap = gap};
        gap += own;
    }
    out->gaps = made->column;
    return HB_OK;
}

bool hb_type_weightless(const hb_type *weights, uint32_t column)
{
    const hb_operand *of = weights->whole;
    if (of == NULL || of->cells == NULL || of->schema->columns != weights->columns) {
        return false;
    }
    uint64_t row = 0;
    for (; row < of->schema->rows; row++) {
        const hb_number *cell = &of->cells[row * of->schema->columns + column];
        if (cell->integer != 0 || cell->real != 0 || cell->imaginary != 0) {
            break;
        }
    }
    return row == of->schema->rows;
}

/* A product with a matrix is missing where a column is that has weights. Its columns have the same gaps. */
static hb_status of_product(hb_types *t, const hb_type *weights, const hb_type *x, hb_type *out)
{
    const bool apart = t->context.keys_only;
    uint32_t masks = 0, own = 0;
    hb_made_gaps *made = NULL;
    for (uint32_t c = 0; c < x->columns; c++) {
        masks += hb_type_gaps(x, c).count;
    }
    HB_TRY(make(t, out->columns, masks + apart, &made));
    hb_gap *gap = (hb_gap *)(void *)&made->column[out->columns];
    for (uint32_t c = 0; c < x->columns; c++) {
        const hb_column_gaps of = hb_type_gaps(x, c);
        own = apart || !hb_type_weightless(weights, c) ? unite(gap, own, &of, apart) : own;
        own = apart ? unite(gap, own, &of, apart) : own;
    }
    for (uint32_t c = 0; c < out->columns; c++) {
        made->column[c] = (hb_column_gaps){.count = own, .zero = own == 0, .gap = gap};
    }
    out->gaps = made->column;
    return HB_OK;
}

/* Columns side by side keep theirs. */
static hb_status side_by_side(hb_types *t, const hb_type *operands, uint32_t count, hb_type *out)
{
    uint32_t columns = 0;
    hb_made_gaps *made = NULL;
    for (uint32_t i = 0; i < count; i++) {
        columns += hb_type_constant(&operands[i]) ? 0 : operands[i].columns;
    }
    if (columns != out->columns) {
        return hb_types_refuse(t, "columns that may have missing cells stand side by side with columns alone");
    }
    HB_TRY(make(t, columns, 0, &made));
    for (uint32_t i = 0, c = 0; i < count; i++) {
        for (uint32_t own = 0; !hb_type_constant(&operands[i]) && own < operands[i].columns; own++) {
            made->column[c++] = hb_type_gaps(&operands[i], own);
        }
    }
    out->gaps = made->column;
    return HB_OK;
}

/* --- what takes them */

static hb_status refuse(const hb_types *t, const char *what)
{
    return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                      "%s does not take columns that may have missing cells: when they are encrypted, --missing "
                      "COLUMN=drop leaves their rows out, and COLUMN=VALUE replaces the cells",
                      what);
}

/* A condition made with and or or may be known although one of its columns is missing. Only functions that take
 * conditions take it. */
static hb_status check_sure(const hb_types *t, const hb_item *item, const hb_type *operands, uint32_t count)
{
    const hb_lang_function *f = item->kind == HB_ITEM_CALL ? hb_lang_function_of(item) : NULL;
    const bool condition = item->kind == HB_ITEM_AND || item->kind == HB_ITEM_OR || item->kind == HB_ITEM_NOT ||
                           item->kind == HB_ITEM_ASSIGN || item->kind == HB_ITEM_WHERE ||
                           (f != NULL && (f->counts || f->gaps == HB_GAPS_CHOICE));
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].unsure && !(condition && (f == NULL || i == 0))) {
            return hb_types_refuse(t, "a condition of columns with missing cells that is made with and, or is counted, "
                                      "selects rows and chooses; no numbers are computed of it");
        }
    }
    return HB_OK;
}

static hb_status of_call(hb_types *t, const hb_item *item, const hb_type *operands, uint32_t count, hb_type *out)
{
    const hb_lang_function *f = hb_lang_function_of(item);
    const bool chosen = hb_type_has_gaps(&operands[0]);
    bool others = false;
    for (uint32_t i = 1; i < count; i++) {
        others = others || hb_type_has_gaps(&operands[i]);
    }
    switch (f->gaps) {
    case HB_GAPS_SKIPPED:
        return HB_OK;
    case HB_GAPS_ROWWISE: /* values of cells that are missing are in no interval that somebody says */
        if (f->call.interval && count > 1) {
            return refuse(t, "a function with given ends");
        }
        return of_all(t, item, operands, count, out);
    case HB_GAPS_BESIDE:
        return side_by_side(t, operands, count, out);
    case HB_GAPS_CHOICE:
        return chosen && !others ? HB_OK : refuse(t, "a choice between two values");
    case HB_GAPS_REFUSED:
        break;
    }
    return refuse(t, f->call.name);
}

static hb_status is_missing(hb_types *t, const hb_type *x)
{
    const hb_types_context *w = &t->context;
    if (x->unsure) {
        return hb_types_refuse(t, "is missing is asked of columns, and of what is computed of them row by row");
    }
    return hb_type_has_gaps(x) || w->keys_only
               ? HB_OK
               : hb_advise(hb_types_refuse(t, "no cell of this value can be missing"), HB_ADVICE_MASK,
                           ": encrypt --missing COLUMN=mask stores which cells are");
}

/* A picked column; the type says which. */
static hb_status of_pick(const hb_types *t, const hb_type *x, hb_type *out)
{
    if (out->kind == HB_TYPE_DIGITS) {
        return refuse(t, "a number by its digits");
    }
    out->gaps = x->gaps + (x->columns > 1 ? out->picked : 0);
    return HB_OK;
}

static hb_status of_item(hb_types *t, const hb_item *item, const hb_type *operands, uint32_t count, hb_type *out)
{
    switch (item->kind) {
    case HB_ITEM_PICK:
        return of_pick(t, &operands[0], out);
    case HB_ITEM_NEGATE:
    case HB_ITEM_ADD:
    case HB_ITEM_SUBTRACT:
    case HB_ITEM_MULTIPLY:
    case HB_ITEM_POWER:
    case HB_ITEM_LESS:
    case HB_ITEM_GREATER:
    case HB_ITEM_LESS_EQUAL:
    case HB_ITEM_GREATER_EQUAL:
    case HB_ITEM_EQUAL:
    case HB_ITEM_NOT_EQUAL:
    case HB_ITEM_BETWEEN:
    case HB_ITEM_IN:
        return of_all(t, item, operands, count, out);
    case HB_ITEM_DIVIDE: /* by 0 where a divisor is missing */
        return hb_type_has_gaps(&operands[1]) ? refuse(t, "a quotient by values") : of_all(t, item, operands, 1, out);
    case HB_ITEM_AND:
    case HB_ITEM_OR:
        out->unsure = true;
        return of_all(t, item, operands, count, out);
    case HB_ITEM_NOT:
        out->unsure = operands[0].unsure;
        return of_all(t, item, operands, count, out);
    case HB_ITEM_WHERE:
        out->gaps = operands[0].gaps;
        out->unsure = operands[0].unsure;
        return HB_OK;
    case HB_ITEM_MISSING:
    case HB_ITEM_ASSIGN: /* it is its operand */
        return HB_OK;
    case HB_ITEM_CALL:
        return of_call(t, item, operands, count, out);
    case HB_ITEM_MATRIX:
        return hb_type_is_matrix(&operands[0]) || hb_type_is_matrix(&operands[1])
                   ? refuse(t, "a product of matrices")
                   : of_product(t, &operands[0], &operands[1], out);
    case HB_ITEM_NUMBER:
    case HB_ITEM_NAME:
    case HB_ITEM_TEXT:
    case HB_ITEM_RANGE:
    case HB_ITEM_ENTRY:
    case HB_ITEM_REPEAT: /* none of the others has such operands */
        break;
    }
    return refuse(t, "this operation");
}

hb_status hb_types_find_gaps(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const uint32_t count = hb_item_operands(item);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        any = any || hb_type_has_gaps(&operands[i]);
    }
    if (item->kind == HB_ITEM_NAME && out->whole != NULL) {
        const bool masks = hb_schema_masks(out->whole->schema) > 0;
        if (masks && (item->weights || t->context.block > 1 || out->kind == HB_TYPE_TOTALS)) {
            return refuse(t, item->weights          ? "the left side of @"
                             : t->context.block > 1 ? "a table encrypted with --pack rows"
                                                    : "one row that stands in every row");
        }
        return of_operand(t, out->whole, out);
    }
    if (item->kind == HB_ITEM_MISSING) {
        HB_TRY(is_missing(t, &operands[0]));
    }
    if (!any) {
        return HB_OK;
    }
    HB_TRY(check_sure(t, item, operands, count));
    return of_item(t, item, operands, count, out);
}
