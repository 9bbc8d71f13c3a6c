/* What operations take of what their values stand for, and by which rule their results stand for something: decimals of
 * one scale are added and compared, products multiply scales; dates are compared and subtracted, categories compared
 * alone. Each operation has its row here, in a switch without a default: one without does not build. Functions bring
 * theirs (lang_function.h). */
#include "meaning.h"

#include <stdlib.h>
#include <string.h>

#include "lang/ir/semantics.h"
#include "lang_function.h"

#pragma GCC diagnostic error "-Wswitch"

static const hb_meaning *meaning_of(const hb_value *value, uint32_t column)
{
    return hb_value_meaning(value, column);
}

/* --- checks */

static uint32_t wider(const hb_value *x, const hb_value *y)
{
    return hb_value_width(x) > hb_value_width(y) ? hb_value_width(x) : hb_value_width(y);
}

hb_status hb_lower_check_kinds(const hb_lowering *l, const hb_value *x, bool dates)
{
    if (hb_value_has_kind(x, HB_MEANING_CATEGORY)) {
        return hb_lower_refuse(l, "nothing is computed with a category but comparisons, as x == 'label', counts and "
                                  "groups");
    }
    return dates && hb_value_has_kind(x, HB_MEANING_DATE)
               ? hb_lower_refuse(l, "dates are compared and subtracted, and days are added to them")
               : HB_OK;
}

hb_status hb_lower_check_no_text(const hb_lowering *l, const hb_value *x)
{
    return !hb_value_is_item(x, HB_ITEM_TEXT)
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, x->item->at,
                            "a text stands for a value of the column beside it, and here is none");
}

/* Numbers only, whole ones where the operation does not know scales. */
static hb_status check_numbers(const hb_lowering *l, const hb_value *values, uint32_t count, bool whole)
{
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_lower_check_kinds(l, &values[i], true));
        HB_TRY(hb_lower_check_no_text(l, &values[i]));
        if (whole && hb_value_scale(&values[i]) > 1) {
            return hb_lower_refuse(
                l, hb_value_constant(&values[i])
                       ? "constants are integers here; decimals are added, multiplied and compared, and functions of "
                         "reals are for CKKS (--scheme ckks)"
                       : "this function takes whole numbers here; decimals (--scale) are added, "
                         "multiplied and compared, and functions of reals are for CKKS (--scheme ckks)");
        }
    }
    return HB_OK;
}

/* Two columns stand for the same, or a constant for a value of the column. */
static hb_status check_same_kind(const hb_lowering *l, const hb_value *x, const hb_value *y)
{
    const uint32_t width = wider(x, y) > 0 ? wider(x, y) : 1;
    for (uint32_t i = 0; i < width && l->graph.params != NULL; i++) {
        const hb_meaning *a = meaning_of(x, i), *b = meaning_of(y, i);
        const bool numbers = a->kind <= HB_MEANING_BOOL && b->kind <= HB_MEANING_BOOL;
        if (a->kind == b->kind && a->kind == HB_MEANING_CATEGORY && !hb_meaning_same(a, b)) {
            return hb_lower_refuse(l, "two categories of other labels: encrypt both with the same ones, --category "
                                      "NAME=LABEL,LABEL,...");
        }
        if (a->kind == b->kind || numbers) {
            continue;
        }
        if (hb_value_constant(x) || hb_value_constant(y)) {
            return hb_lower_refuse_bare(l, a->kind == HB_MEANING_DATE ? a->kind : b->kind);
        }
        return hb_lower_refuse(l, "the two sides mean different things: numbers, dates, categories or truth values");
    }
    return HB_OK;
}

/* Gives texts the meaning of the column on the other side; a text that has none is refused. */
static hb_status resolve_both(hb_lowering *l, hb_value *x, hb_value *y)
{
    HB_TRY(hb_lower_resolve(l, x, y));
    HB_TRY(hb_lower_resolve(l, y, x));
    HB_TRY(hb_lower_check_no_text(l, x));
    return hb_lower_check_no_text(l, y);
}

/* Two values of which one is taken, or that are compared. */
hb_status hb_lower_check_pair(hb_lowering *l, hb_value *x, hb_value *y)
{
    HB_TRY(resolve_both(l, x, y));
    return check_same_kind(l, x, y);
}

static hb_status check_sum(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y)
{
    HB_TRY(resolve_both(l, x, y));
    HB_TRY(hb_lower_check_kinds(l, x, false));
    HB_TRY(hb_lower_check_kinds(l, y, false));
    bool both = false, lone = false;
    for (uint32_t i = 0; i < wider(x, y); i++) {
        const bool left = meaning_of(x, i)->kind == HB_MEANING_DATE, right = meaning_of(y, i)->kind == HB_MEANING_DATE;
        both = both || (left && right);
        lone = lone || (right && !left);
    }
    if (kind == HB_ITEM_ADD && both) {
        return hb_lower_refuse(l, "two dates are not added; the days between them are their difference");
    }
    if (kind == HB_ITEM_SUBTRACT && lone) {
        return hb_lower_refuse(l, "a date is subtracted from dates alone");
    }
    const bool dates = hb_value_has_kind(x, HB_MEANING_DATE) || hb_value_has_kind(y, HB_MEANING_DATE);
    return dates && (hb_value_scale(x) > 1 || hb_value_scale(y) > 1) ? hb_lower_refuse(l, "days are whole numbers")
                                                                     : hb_lower_align(l, x, y);
}

hb_status hb_lower_check_numbers(const hb_lowering *l, const hb_value *values, uint32_t count)
{
    return check_numbers(l, values, count, false);
}

static hb_status check_product(const hb_lowering *l, const hb_value *x, const hb_value *y)
{
    HB_TRY(check_numbers(l, x, 1, false));
    HB_TRY(check_numbers(l, y, 1, false));
    return hb_value_scale(x) > HB_MOST_SCALE / hb_value_scale(y)
               ? hb_lower_refuse(l, "the product has more than 18 digits behind the point")
               : HB_OK;
}

static hb_status check_power(const hb_lowering *l, const hb_value *x, int64_t exponent)
{
    const uint64_t scale = hb_value_scale(x);
    uint64_t power = 1;
    HB_TRY(check_numbers(l, x, 1, false));
    for (int64_t i = 0; i < exponent && power > 0 && scale > 1; i++) {
        power = power <= HB_MOST_SCALE / scale ? power * scale : 0;
    }
    return power > 0 ? HB_OK : hb_lower_refuse(l, "the power has more than 18 digits behind the point");
}

/* Every term of a row has one scale: a column whose weight has fewer digits behind the point is multiplied by what the
 * product lacks. */
static hb_status align_matrix(hb_lowering *l, const hb_value *weights, hb_value *x, uint64_t *scale)
{
    hb_means quotients;
    HB_TRY(check_product(l, weights, x));
    if (l->graph.params == NULL || hb_value_constant(weights) || !hb_value_encrypted(x) ||
        hb_value_width(weights) != hb_value_width(x)) {
        return HB_OK; /* what @ refuses, or where only keys are asked for */
    }
    for (uint32_t i = 0; i < hb_value_width(x); i++) {
        const uint64_t term = hb_meaning_scale(meaning_of(weights, i)) * hb_meaning_scale(meaning_of(x, i));
        *scale = term > *scale ? term : *scale;
    }
    HB_TRY(hb_lower_scale_quotients(l, weights, *scale, &quotients));
    return hb_lower_scale_each(l, x, quotients);
}

/* --- operations */

hb_status hb_take_all(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    (void)l;
    (void)item;
    (void)values;
    (void)to;
    return HB_OK;
}

hb_status hb_take_numbers(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    (void)to;
    return check_numbers(l, values, hb_item_operands(item), false);
}

hb_status hb_take_whole(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    (void)to;
    return check_numbers(l, values, hb_item_operands(item), true);
}

/* A value of any kind, behind which stand whole constants. */
hb_status hb_take_whole_second(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    (void)to;
    HB_TRY(hb_lower_check_no_text(l, &values[0]));
    return check_numbers(l, values + 1, hb_item_operands(item) - 1, true);
}

static hb_status take_sum(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    (void)to;
    return check_sum(l, item->kind, &values[0], &values[1]);
}

hb_status hb_take_product(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    (void)item;
    (void)to;
    return check_product(l, &values[0], &values[1]);
}

hb_status hb_take_power(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    to->exponent = 2;
    if (item->kind == HB_ITEM_POWER) {
        (void)hb_lower_whole(l, &values[1], &to->exponent);
    }
    return check_power(l, &values[0], to->exponent);
}

static hb_status take_matrix(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    (void)item;
    return align_matrix(l, &values[0], &values[1], &to->scale);
}

/* Members are brought to what the columns store one by one (member.c). */
static hb_status take_comparison(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    const uint32_t count = item->kind == HB_ITEM_IN ? 0 : hb_item_operands(item) - 1;
    const bool between = item->kind == HB_ITEM_BETWEEN;
    hb_value *x = &values[0];
    (void)to;
    for (uint32_t i = 1; i <= count; i++) {
        const hb_item_kind end = i == 1 ? HB_ITEM_GREATER_EQUAL : HB_ITEM_LESS_EQUAL;
        if (hb_value_constant(x) && hb_value_constant(&values[i])) {
            return hb_lower_refuse(l, "two constants are compared");
        }
        HB_TRY(hb_lower_check_pair(l, x, &values[i]));
        HB_TRY(between && hb_value_constant(x) ? hb_lower_align(l, x, &values[i])
                                               : hb_lower_align_sides(l, between ? end : item->kind, x, &values[i]));
    }
    return between ? hb_lower_align(l, x, &values[1]) : HB_OK; /* x may have got a larger scale by the last */
}

static hb_meaning_rule rule_of(const hb_item *item)
{
    switch (item->kind) {
    case HB_ITEM_NUMBER:
    case HB_ITEM_NAME:
    case HB_ITEM_TEXT:
    case HB_ITEM_PICK:
    case HB_ITEM_WHERE:
    case HB_ITEM_RANGE:
    case HB_ITEM_ENTRY:
    case HB_ITEM_ASSIGN:
        return (hb_meaning_rule){hb_take_all, HB_RESULT_OWN}; /* they keep what they are made of */
    case HB_ITEM_ADD:
    case HB_ITEM_SUBTRACT:
        return (hb_meaning_rule){take_sum, HB_RESULT_SUM};
    case HB_ITEM_MULTIPLY:
        return (hb_meaning_rule){hb_take_product, HB_RESULT_PRODUCT};
    case HB_ITEM_NEGATE:
        return (hb_meaning_rule){hb_take_numbers, HB_RESULT_TOTAL};
    case HB_ITEM_POWER:
        return (hb_meaning_rule){hb_take_power, HB_RESULT_POWER};
    case HB_ITEM_DIVIDE:
        return (hb_meaning_rule){hb_take_numbers, HB_RESULT_NUMBER};
    case HB_ITEM_MATRIX:
        return (hb_meaning_rule){take_matrix, HB_RESULT_NUMBER};
    case HB_ITEM_LESS:
    case HB_ITEM_GREATER:
    case HB_ITEM_LESS_EQUAL:
    case HB_ITEM_GREATER_EQUAL:
    case HB_ITEM_EQUAL:
    case HB_ITEM_NOT_EQUAL:
    case HB_ITEM_BETWEEN:
    case HB_ITEM_IN:
        return (hb_meaning_rule){take_comparison, HB_RESULT_NUMBER};
    case HB_ITEM_AND:
    case HB_ITEM_OR:
    case HB_ITEM_NOT:
        return (hb_meaning_rule){hb_take_all, HB_RESULT_NUMBER}; /* conditions */
    case HB_ITEM_CALL:
        /* Aggregates of groups are looked at where groups are made, and count() takes nothing. */
        return item->grouped || item->arguments == 0 ? (hb_meaning_rule){hb_take_all, HB_RESULT_OWN}
                                                     : hb_lang_function_of(item)->meaning;
    case HB_ITEM_REPEAT: /* a walk does not come to it */
        break;
    }
    HB_ASSERT(false);
    return (hb_meaning_rule){NULL, HB_RESULT_OWN};
}

hb_status hb_lower_prepare_meaning(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count,
                                   hb_lowered_meaning *to)
{
    const hb_meaning_rule own = rule_of(item);
    const hb_value none = {.kind = HB_VALUE_NUMBER};
    *to = (hb_lowered_meaning){.result = own.result, .scale = 1, .x = none, .y = none};
    HB_TRY(own.prepare(l, item, values, to));
    if (count > 0) { /* as they are now */
        to->x = values[to->first];
        to->y = values[to->first + 1 < count ? to->first + 1 : to->first];
    }
    return HB_OK;
}
