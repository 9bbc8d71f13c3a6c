/* Operations and functions of constants alone give a constant, before anything is lowered; of numbers of rows, once
 * lowering knows these. Functions have their own folding (lang_function.h). */
#include <math.h>

#include "lang/ir/semantics.h"
#include "lang/text/unavailable.h"
#include "lang_function.h"
#include "type_rules.h"

#pragma GCC diagnostic error "-Wswitch"

static bool is_operation(hb_item_kind kind)
{
    return (kind >= HB_ITEM_NEGATE && kind <= HB_ITEM_POWER) || (kind >= HB_ITEM_LESS && kind <= HB_ITEM_IN);
}

bool hb_folds(const hb_item *item, const hb_type *operands)
{
    const uint32_t count = hb_item_operands(item);
    bool all = count > 0 && (is_operation(item->kind) ||
                             (item->kind == HB_ITEM_CALL && hb_lang_function_of(item)->constant != NULL));
    for (uint32_t i = 0; i < count && all; i++) {
        const bool member = item->kind == HB_ITEM_IN && i > 0 && hb_type_constant(&operands[i]);
        all = member || hb_type_number(&operands[i]);
    }
    return all;
}

/* --- numbers */

int hb_fold_order(const hb_types *t, hb_number x, hb_number y)
{
    return t->context.semantics->reals ? (x.real > y.real) - (x.real < y.real)
                                       : (x.integer > y.integer) - (x.integer < y.integer);
}

hb_status hb_fold_reals(const hb_types *t, const hb_type *operands, uint32_t count)
{
    bool real = true;
    for (uint32_t i = 0; i < count; i++) {
        real = real && operands[i].number.imaginary == 0;
    }
    return real ? HB_OK : hb_types_refuse(t, "this takes real numbers, and here is a complex one");
}

hb_status hb_fold_pair(const hb_types *t, hb_item_kind kind, hb_number x, hb_number y, hb_number *out)
{
    bool overflow;
    *out = hb_numbers_combine(kind, x, y, &overflow);
    return hb_number_check(&t->context, t->item->at, *out, overflow);
}

static hb_number truth(bool is)
{
    return (hb_number){.integer = is, .real = is};
}

static bool is_true(const hb_type *x)
{
    return x->number.integer != 0 || x->number.real != 0;
}

/* --- operations */

static hb_status quotient(const hb_types *t, hb_number x, hb_number y, hb_number *out)
{
    if (!t->context.semantics->reals) {
        return hb_types_refuse(t, hb_unavailable_operator("/"));
    }
    if (y.real == 0 && y.imaginary == 0) {
        return hb_types_refuse(t, "a division by 0");
    }
    if (x.imaginary == 0 && y.imaginary == 0) {
        *out = (hb_number){.real = x.real / y.real};
        return hb_number_check(&t->context, t->item->at, *out, false);
    }
    return hb_fold_pair(t, HB_ITEM_MULTIPLY, x, hb_number_inverse(y), out);
}

/* The shape of a power looked at its exponent. */
static hb_status power(const hb_types *t, const hb_type *operands, hb_number *out)
{
    int64_t exponent = 1;
    (void)hb_type_whole(&t->context, &operands[1], &exponent);
    *out = operands[0].number;
    for (int64_t i = 1; i < exponent; i++) {
        HB_TRY(hb_fold_pair(t, HB_ITEM_MULTIPLY, *out, operands[0].number, out));
    }
    return HB_OK;
}

static hb_status comparison(const hb_types *t, hb_item_kind kind, const hb_type *operands, hb_number *out)
{
    const hb_number x = operands[0].number, y = operands[1].number;
    HB_TRY(hb_fold_reals(t, operands, 2));
    const int order = hb_fold_order(t, x, y);
    *out = truth(kind == HB_ITEM_LESS            ? order < 0
                 : kind == HB_ITEM_GREATER       ? order > 0
                 : kind == HB_ITEM_LESS_EQUAL    ? order <= 0
                 : kind == HB_ITEM_GREATER_EQUAL ? order >= 0
                 : kind == HB_ITEM_EQUAL         ? order == 0
                                                 : order != 0);
    return HB_OK;
}

static bool is_within(const hb_types *t, hb_number x, hb_number low, hb_number high)
{
    return hb_fold_order(t, low, x) <= 0 && hb_fold_order(t, x, high) <= 0;
}

static hb_status between(const hb_types *t, const hb_type *operands, hb_number *out)
{
    HB_TRY(hb_fold_reals(t, operands, 3));
    *out = truth(is_within(t, operands[0].number, operands[1].number, operands[2].number));
    return HB_OK;
}

static hb_status among(const hb_types *t, const hb_item *item, const hb_type *operands, hb_number *out)
{
    bool found = false;
    HB_TRY(hb_fold_reals(t, operands, 1));
    for (uint32_t i = 1; i < item->arguments; i++) {
        found = found || is_within(t, operands[0].number, operands[i].member.low, operands[i].member.high);
    }
    *out = truth(found);
    return HB_OK;
}

static hb_number chain(const hb_item *item, const hb_type *operands)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < item->arguments; i++) {
        count += is_true(&operands[i]);
    }
    return truth(item->kind == HB_ITEM_AND ? count == item->arguments : count > 0);
}

hb_status hb_fold(const hb_types *t, const hb_item *item, const hb_type *operands, hb_number *out)
{
    const hb_number none = {.integer = 0};
    switch (item->kind) {
    case HB_ITEM_NEGATE:
        return hb_fold_pair(t, HB_ITEM_SUBTRACT, none, operands[0].number, out);
    case HB_ITEM_ADD:
    case HB_ITEM_SUBTRACT:
    case HB_ITEM_MULTIPLY:
        return hb_fold_pair(t, item->kind, operands[0].number, operands[1].number, out);
    case HB_ITEM_DIVIDE:
        return quotient(t, operands[0].number, operands[1].number, out);
    case HB_ITEM_POWER:
        return power(t, operands, out);
    case HB_ITEM_LESS:
    case HB_ITEM_GREATER:
    case HB_ITEM_LESS_EQUAL:
    case HB_ITEM_GREATER_EQUAL:
    case HB_ITEM_EQUAL:
    case HB_ITEM_NOT_EQUAL:
        return comparison(t, item->kind, operands, out);
    case HB_ITEM_AND:
    case HB_ITEM_OR:
        *out = chain(item, operands);
        return HB_OK;
    case HB_ITEM_NOT:
        *out = truth(!is_true(&operands[0]));
        return HB_OK;
    case HB_ITEM_BETWEEN:
        return between(t, operands, out);
    case HB_ITEM_IN:
        return among(t, item, operands, out);
    case HB_ITEM_CALL:
        HB_TRY(hb_lang_function_of(item)->constant(t, item, operands, out));
        return hb_number_check(&t->context, t->item->at, *out, false);
    case HB_ITEM_NUMBER:
    case HB_ITEM_NAME:
    case HB_ITEM_TEXT:
    case HB_ITEM_PICK:
    case HB_ITEM_MATRIX:
    case HB_ITEM_MISSING:
    case HB_ITEM_WHERE:
    case HB_ITEM_RANGE:
    case HB_ITEM_ENTRY:
    case HB_ITEM_ASSIGN:
    case HB_ITEM_REPEAT: /* none of them folds */
        break;
    }
    HB_ASSERT(false);
    return HB_OK;
}
