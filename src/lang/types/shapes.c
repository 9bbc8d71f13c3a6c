/* The shapes of results: whether they are encrypted, how many columns they have and how these are called. Each
 * operation has its case here, in a switch without a default: one without does not build. Functions bring theirs
 * (lang_function.h). */
#include <math.h>

#include "lang/ir/polynomial.h"
#include "lang/text/unavailable.h"
#include "lang_function.h"
#include "type_rules.h"

#pragma GCC diagnostic error "-Wswitch"

static bool has_rows(const hb_type *x)
{
    return x->kind == HB_TYPE_ROWS || x->kind == HB_TYPE_TABLE;
}

/* --- of one and of two operands */

hb_status hb_types_encrypted(const hb_types *t, const char *what, const hb_type *x)
{
    return hb_type_encrypted(x) ? HB_OK
                                : HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                                             "%s works on encrypted values, and this is %s", what,
                                             hb_type_number(x) ? "a number" : "a plain table");
}

static uint32_t columns_of(const hb_type *x)
{
    return hb_type_constant(x) ? 0 : x->columns;
}

static const hb_column *names_of(const hb_type *x, const hb_type *y)
{
    return hb_names_agreed(x->names, columns_of(x), y->names, columns_of(y));
}

/* Takes over the columns of a value, for a result with one column for each. The result is no operand any more. */
static void like(const hb_type *x, hb_type *out)
{
    *out = (hb_type){.kind = x->kind,
                     .columns = x->columns,
                     .rows = x->rows,
                     .names = x->names,
                     .image = x->image,
                     .matrix = x->matrix};
}

static hb_status first(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    (void)t;
    (void)item;
    like(&operands[0], out);
    return HB_OK;
}

static hb_status check_widths(const hb_types *t, const hb_type *x, const hb_type *y)
{
    if (x->columns == y->columns || x->columns == 1 || y->columns == 1) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                      "%u columns and %u; expected the same number on both sides, or one", x->columns, y->columns);
}

/* Makes a result of x and y, column by column, the matrix that they are; two matrices have one shape. */
static hb_status matrix_beside(const hb_types *t, const hb_type *x, const hb_type *y, hb_type *out)
{
    const bool left = hb_type_is_matrix(x), right = hb_type_is_matrix(y);
    const hb_matrix_shape *a = &x->matrix, *b = &y->matrix;
    if (left && right && (a->rows != b->rows || a->columns != b->columns)) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "a matrix of %u x %u and one of %u x %u: their entries are matched, so both have one shape",
                          a->rows, a->columns, b->rows, b->columns);
    }
    const hb_matrix_shape *one = left ? a : b;
    out->matrix = out->columns == one->rows * one->columns || t->context.keys_only ? *one : (hb_matrix_shape){0};
    return HB_OK;
}

/* Sets *out to the type of a result of two plain values, one of which may be a number. It is computed in the clear. */
static hb_status plain_of(const hb_types *t, const hb_type *x, const hb_type *y, hb_type *out)
{
    const bool both = hb_type_plain(x) && hb_type_plain(y);
    if (both) {
        HB_TRY(check_widths(t, x, y));
        HB_TRY(hb_types_same_rows(t, x, y));
    }
    const hb_type *longer = !hb_type_plain(x) || (both && y->columns > x->columns) ? y : x;
    const hb_type *table = !hb_type_plain(x) || (both && x->rows == 1) ? y : x;
    const hb_type made = {.kind = has_rows(x) || has_rows(y) ? HB_TYPE_TABLE : HB_TYPE_ROW,
                          .item = table->item, /* which has the rows, for messages */
                          .columns = longer->columns,
                          .rows = table->rows,
                          .names = names_of(x, y),
                          .image = longer->image};
    *out = made;
    return HB_OK;
}

hb_status hb_shape_binary(const hb_types *t, const hb_type *x, const hb_type *y, hb_type *out)
{
    if (hb_type_number(x) && hb_type_number(y)) {
        *out = (hb_type){.kind = HB_TYPE_COUNT};
        return HB_OK;
    }
    if ((hb_type_plain(x) || hb_type_number(x)) && (hb_type_plain(y) || hb_type_number(y))) {
        return plain_of(t, x, y, out);
    }
    if (!hb_type_encrypted(x)) { /* the encrypted one first */
        const hb_type *plain = x;
        x = y;
        y = plain;
    }
    if (!hb_type_encrypted(x)) {
        return hb_types_refuse(t, "nothing is encrypted on either side");
    }
    if (hb_type_is_matrix(x) && hb_type_is_matrix(y)) {
        HB_TRY(matrix_beside(t, x, y, out)); /* before counts of columns, which say less */
    }
    const bool constants = hb_type_constant(y) || (y->whole != NULL && y->whole->constants);
    if (!constants) {
        HB_TRY(check_widths(t, x, y));
    }
    const hb_type made = {.kind = has_rows(x) || has_rows(y) ? HB_TYPE_ROWS : HB_TYPE_TOTALS,
                          .columns = !constants && y->columns > x->columns ? y->columns : x->columns,
                          .names = constants ? x->names : names_of(x, y),
                          .image = !constants && y->columns > x->columns ? y->image : x->image};
    *out = made;
    return matrix_beside(t, x, y, out);
}

static hb_status negative(const hb_types *t, const hb_type *x, hb_type *out)
{
    like(x, out);
    return hb_type_number(x) || hb_type_plain(x) ? HB_OK : hb_types_encrypted(t, "-", x);
}

hb_status hb_shape_power(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *x = &operands[0];
    int64_t exponent = 2;
    const bool square = item->kind != HB_ITEM_POWER;
    if (!square &&
        (!hb_type_whole(&t->context, &operands[1], &exponent) || exponent < 1 || exponent > HB_POWER_MAX_EXPONENT)) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, item->at, "expected a constant exponent from 1 to %u",
                          HB_POWER_MAX_EXPONENT);
    }
    like(x, out);
    return hb_type_number(x) || hb_type_plain(x) ? HB_OK : hb_types_encrypted(t, "^", x);
}

/* --- quotients */

/* y: a number. */
static hb_status quotient_by(const hb_types *t, const hb_type *x, const hb_type *y, hb_type *out)
{
    if (y->number.real == 0 && y->number.imaginary == 0) {
        return hb_types_refuse(t, "a division by 0");
    }
    const hb_number factor = hb_number_inverse(y->number);
    if (!isfinite(factor.real) || !isfinite(factor.imaginary)) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "a division by %.4g, whose inverse is larger than any double",
                          hypot(y->number.real, y->number.imaginary));
    }
    return hb_shape_binary(t, x, y, out);
}

static hb_status quotient(const hb_types *t, const hb_type *x, const hb_type *y, hb_type *out)
{
    if (!t->context.semantics->reals) {
        return hb_types_refuse(t, hb_unavailable_operator("/"));
    }
    return y->kind == HB_TYPE_NUMBER && hb_type_encrypted(x) ? quotient_by(t, x, y, out)
                                                             : hb_shape_binary(t, x, y, out);
}

/* --- conditions */

/* The first label is not `false`, nor is a day 0: a column with another meaning is no condition, even if it stores 0
 * and 1. */
hb_status hb_types_condition(const hb_types *t, const char *what, const hb_type *x)
{
    const hb_types_context *w = &t->context;
    if (hb_type_number(x) && hb_type_meaning(x, 0)->wholeness == HB_TRUTH_NUMBER) {
        return HB_OK; /* constants that were compared */
    }
    if (hb_type_constant(x) || x->kind == HB_TYPE_DIGITS) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at, "%s takes conditions, and this is a %s", what,
                          x->kind == HB_TYPE_TEXT ? "text" : "number");
    }
    for (uint32_t i = 0; !w->keys_only && i < x->columns; i++) {
        const hb_meaning *meaning = hb_type_meaning(x, i);
        if (meaning->kind != HB_MEANING_BOOL && !hb_meaning_is_plain(meaning)) {
            char words[HB_MEANING_WORDS];
            hb_meaning_words(meaning, words);
            return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at,
                              "%s takes conditions, which are 0 or 1, and here are %s; compare them", what, words);
        }
        if (w->semantics->reals && hb_type_encrypted(x) && hb_type_wholeness(t, x, i) != HB_TRUTH_NUMBER) {
            return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, t->item->at,
                              "%s takes conditions: comparisons, and columns that were encrypted as true and false; "
                              "here are reals, which may lie between 0 and 1: compare them, as x.p > 0.5",
                              what);
        }
    }
    return HB_OK;
}

/* Whether all values are whole numbers, by their meaning. */
static bool is_whole(const hb_types *t, const hb_type *x)
{
    uint32_t i = 0;
    while (i < hb_type_meant_columns(x) && hb_type_wholeness(t, x, i) != HB_ANY_NUMBER) {
        i++;
    }
    return i == hb_type_meant_columns(x);
}

/* Reals are equal where they are whole, and less than a half apart. */
static hb_status check_equality(const hb_types *t, const hb_type *x, const hb_type *y)
{
    const hb_types_context *w = &t->context;
    const bool encrypted = hb_type_encrypted(x) || hb_type_encrypted(y);
    return !w->semantics->reals || w->keys_only || !encrypted || (is_whole(t, x) && is_whole(t, y))
               ? HB_OK
               : hb_types_refuse(t, "reals have no test for equality, as they are right only up to an error; "
                                    "write abs(x - y) < 0.01");
}

static hb_status comparison(const hb_types *t, hb_item_kind kind, const hb_type *x, const hb_type *y, hb_type *out)
{
    if (x->kind == HB_TYPE_DIGITS || y->kind == HB_TYPE_DIGITS) {
        *out = (hb_type){.kind = HB_TYPE_ROWS, .columns = 1};
        return HB_OK;
    }
    if (kind == HB_ITEM_EQUAL || kind == HB_ITEM_NOT_EQUAL) {
        HB_TRY(check_equality(t, x, y));
    }
    return hb_shape_binary(t, x, y, out);
}

static hb_status between(const hb_types *t, const hb_type *operands, hb_type *out)
{
    hb_type above, below;
    HB_TRY(comparison(t, HB_ITEM_GREATER_EQUAL, &operands[0], &operands[1], &above));
    HB_TRY(comparison(t, HB_ITEM_LESS_EQUAL, &operands[0], &operands[2], &below));
    return hb_shape_binary(t, &above, &below, out);
}

static hb_status among(const hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *x = &operands[0];
    if (x->kind == HB_TYPE_DIGITS) {
        *out = (hb_type){.kind = HB_TYPE_ROWS, .columns = 1};
        return HB_OK;
    }
    for (uint32_t i = 1; i < item->arguments; i++) {
        const hb_type member = {.kind = HB_TYPE_NUMBER, .number = operands[i].member.low};
        if (operands[i].kind != HB_TYPE_RANGE) {
            HB_TRY(check_equality(t, x, &member));
        }
    }
    like(x, out);
    return HB_OK;
}

static hb_status opposite(const hb_types *t, const hb_type *condition, hb_type *out)
{
    HB_TRY(hb_types_condition(t, "not", condition));
    like(condition, out);
    return HB_OK;
}

static hb_status chain(const hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const char *what = item->kind == HB_ITEM_AND ? "and" : "or";
    for (uint32_t i = 0; i < item->arguments; i++) {
        HB_TRY(hb_types_condition(t, what, &operands[i]));
    }
    *out = operands[0];
    for (uint32_t i = 1; i < item->arguments; i++) {
        const hb_type before = *out;
        HB_TRY(hb_shape_binary(t, &before, &operands[i], out));
    }
    return HB_OK;
}

/* Rows of x with 0 where the condition is. */
static hb_status selection(const hb_types *t, const hb_type *x, const hb_type *condition, hb_type *out)
{
    if (!hb_type_encrypted(x) && !hb_type_plain(x)) {
        return hb_types_refuse(t, "sum(x where c) takes columns in front of where; count(c) counts rows");
    }
    HB_TRY(hb_types_condition(t, "where", condition));
    if (condition->columns != 1 && !hb_type_number(condition)) {
        return hb_types_refuse(t, "behind where is one condition");
    }
    like(x, out);
    out->means = x->means;
    if (hb_type_encrypted(x) || hb_type_encrypted(condition)) {
        out->kind = has_rows(x) || has_rows(condition) ? HB_TYPE_ROWS : HB_TYPE_TOTALS;
    }
    return HB_OK;
}

/* The ends of a range, and the parts of an entry, are constants. A number of rows may be the number of an entry. */
static hb_status member(const hb_types *t, const hb_item *item, const hb_type *parts, hb_type *out)
{
    const bool entry = item->kind == HB_ITEM_ENTRY;
    *out = (hb_type){.kind = entry ? HB_TYPE_ENTRY : HB_TYPE_RANGE};
    const bool second = hb_type_is_end(&parts[1]) || (entry && parts[1].kind == HB_TYPE_COUNT);
    return second && (hb_type_is_end(&parts[0]) || (entry && parts[0].kind == HB_TYPE_RANGE))
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, item->at, "%s of constants",
                            entry ? "entries, as 1:10, are" : "ranges, as 1..12, are");
}

/* --- of any item */

/* A function of its arguments. */
static hb_status call(hb_types *t, const hb_item *item, const hb_type *arguments, hb_type *out)
{
    const hb_lang_function *f = hb_lang_function_of(item);
    if (f->call.reals != NULL && !t->context.semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, item->at, "there is no function '%s': %s", f->call.name,
                          f->call.reals);
    }
    if (f->encrypted && !(f->plain != NULL && hb_type_plain(&arguments[0])) && !hb_folds(item, arguments)) {
        HB_TRY(hb_types_encrypted(t, f->call.name, &arguments[0]));
    }
    HB_TRY((f->shape != NULL ? f->shape : first)(t, item, arguments, out));
    if (item->grouped && f->call.aggregate) {
        *out = (hb_type){.kind = HB_TYPE_GROUPED};
    }
    return HB_OK;
}

/* Whether all numbers of an item are constants: none is a number of rows. */
static bool are_constants(const hb_item *item, const hb_type *operands)
{
    bool all = true;
    for (uint32_t i = 0; i < hb_item_operands(item); i++) {
        all = all && operands[i].kind != HB_TYPE_COUNT;
    }
    return all;
}

static hb_status condition(const hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    if (item->kind == HB_ITEM_AND || item->kind == HB_ITEM_OR) {
        return chain(t, item, operands, out);
    }
    if (item->kind == HB_ITEM_NOT) {
        return opposite(t, &operands[0], out);
    }
    if (item->kind == HB_ITEM_BETWEEN) {
        return between(t, operands, out);
    }
    return item->kind == HB_ITEM_IN ? among(t, item, operands, out)
                                    : comparison(t, item->kind, &operands[0], &operands[1], out);
}

static hb_status shape_of(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    switch (item->kind) {
    case HB_ITEM_NUMBER:
    case HB_ITEM_NAME:
    case HB_ITEM_TEXT:
        return hb_shape_leaf(t, item, operands, out);
    case HB_ITEM_PICK:
        return hb_shape_pick(t, item, operands, out);
    case HB_ITEM_NEGATE:
        return negative(t, &operands[0], out);
    case HB_ITEM_ADD:
    case HB_ITEM_SUBTRACT:
    case HB_ITEM_MULTIPLY:
        return hb_shape_binary(t, &operands[0], &operands[1], out);
    case HB_ITEM_DIVIDE:
        return quotient(t, &operands[0], &operands[1], out);
    case HB_ITEM_POWER:
        return hb_shape_power(t, item, operands, out);
    case HB_ITEM_MATRIX:
        return hb_shape_product(t, &operands[0], &operands[1], out);
    case HB_ITEM_LESS:
    case HB_ITEM_GREATER:
    case HB_ITEM_LESS_EQUAL:
    case HB_ITEM_GREATER_EQUAL:
    case HB_ITEM_EQUAL:
    case HB_ITEM_NOT_EQUAL:
    case HB_ITEM_AND:
    case HB_ITEM_OR:
    case HB_ITEM_NOT:
    case HB_ITEM_BETWEEN:
    case HB_ITEM_IN:
        return condition(t, item, operands, out);
    case HB_ITEM_MISSING:
        return first(t, item, operands, out);
    case HB_ITEM_WHERE:
        return selection(t, &operands[0], &operands[1], out);
    case HB_ITEM_RANGE:
    case HB_ITEM_ENTRY:
        return member(t, item, operands, out);
    case HB_ITEM_CALL:
        return call(t, item, operands, out);
    case HB_ITEM_ASSIGN:
        *out = operands[0];
        return hb_types_assign(t, item, &operands[0]);
    case HB_ITEM_REPEAT: /* a walk does not come to it */
        break;
    }
    HB_ASSERT(false);
    return HB_OK;
}

hb_status hb_shape_of(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    HB_TRY(shape_of(t, item, operands, out));
    if (!hb_folds(item, operands)) {
        return HB_OK;
    }
    *out = (hb_type){.kind = are_constants(item, operands) ? HB_TYPE_NUMBER : HB_TYPE_COUNT};
    return out->kind == HB_TYPE_NUMBER ? hb_fold(t, item, operands, &out->number) : HB_OK;
}
