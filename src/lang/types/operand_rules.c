/* The rules of operations for the meanings of their operands and results: decimals of one scale are added and compared,
 * products multiply scales; dates and times are compared and subtracted, categories compared alone. Each operation has
 * its row here, in a switch without a default: an operation without a row does not build. Functions bring theirs
 * (lang_function.h). */
#include <string.h>

#include "gaps.h"
#include "lang_function.h"
#include "type_rules.h"

#pragma GCC diagnostic error "-Wswitch"

/* --- checks */

static uint32_t wider(const hb_type *x, const hb_type *y)
{
    return x->columns > y->columns ? x->columns : y->columns;
}

/* Whether a column has points of time. */
static bool has_moments(const hb_type *x)
{
    return hb_type_has_meaning(x, HB_MEANING_DATE) || hb_type_has_meaning(x, HB_MEANING_TIME);
}

hb_status hb_types_kinds(hb_types *t, const hb_type *x, bool dates)
{
    if (hb_type_has_meaning(x, HB_MEANING_CATEGORY)) {
        return hb_types_refuse(t, "a category takes only comparisons, as x == 'label', counts and "
                                  "groups");
    }
    return dates && has_moments(x)
               ? hb_types_refuse(t,
                                 "dates and times can be compared and subtracted, and days, or numbers of the unit of "
                                 "the times, can be added to them")
               : HB_OK;
}

static hb_status check_no_text(hb_types *t, const hb_type *x)
{
    return x->kind != HB_TYPE_TEXT ? HB_OK
                                   : HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, x->item->at,
                                                "a text stands for a value of the column beside it, and here is none");
}

/* Numbers only, whole ones where the operation does not know scales. */
static hb_status check_numbers(hb_types *t, const hb_type *operands, uint32_t count, bool whole)
{
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_types_kinds(t, &operands[i], true));
        HB_TRY(check_no_text(t, &operands[i]));
        if (whole && hb_type_scale(&operands[i]) > 1) {
            return hb_types_refuse(
                t, hb_type_constant(&operands[i])
                       ? "constants are integers here; decimals are added, multiplied and compared, and functions of "
                         "reals are for CKKS (--scheme ckks)"
                       : "this function takes whole numbers here; decimals (--scale) are added, "
                         "multiplied and compared, and functions of reals are for CKKS (--scheme ckks)");
        }
    }
    return HB_OK;
}

/* Refuses to take two columns together that count time, unless both count the same unit. */
static hb_status check_units(hb_types *t, const hb_meaning *a, const hb_meaning *b)
{
    const hb_time_unit x = hb_meaning_counts(a), y = hb_meaning_counts(b);
    if (x == y || x == HB_TIME_NONE || y == HB_TIME_NONE) {
        return HB_OK;
    }
    const bool finer = hb_time_unit_seconds(x) < hb_time_unit_seconds(y);
    const char *fine = hb_time_unit_name(finer ? x : y), *coarse = hb_time_unit_name(finer ? y : x);
    const long long times = hb_time_unit_seconds(finer ? y : x) / hb_time_unit_seconds(finer ? x : y);
    if (hb_meaning_is_moment(finer ? b : a)) { /* which cannot be multiplied */
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "one side counts %s and the other one %s: encrypt both with the same unit, --time-of-day",
                          fine, coarse);
    }
    return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                      "one side counts %s and the other one %s: multiply the %s by %lld", fine, coarse, coarse, times);
}

/* Refuses two columns of dates and times that are not both dates, or times of one unit with a zone or without. */
static hb_status check_moments(hb_types *t, const hb_meaning *a, const hb_meaning *b)
{
    if (a->kind != b->kind) {
        return hb_types_refuse(t, "a date stands beside a time: encrypt the times as dates, --time-of-day drop, or the "
                                  "dates with T00:00 behind them as times, --time-of-day");
    }
    if (a->zoned != b->zoned) {
        return hb_types_refuse(t,
                               "times with a zone stand beside times without one: write the zone behind all of them, "
                               "or behind none");
    }
    return check_units(t, a, b);
}

/* Two columns stand for the same, or a constant for a value of the column. */
static hb_status check_same_kind(hb_types *t, const hb_type *x, const hb_type *y)
{
    const uint32_t width = wider(x, y) > 0 ? wider(x, y) : 1;
    for (uint32_t i = 0; i < width && !t->context.keys_only; i++) {
        const hb_meaning *a = hb_type_meaning(x, i), *b = hb_type_meaning(y, i);
        const bool numbers = a->kind <= HB_MEANING_BOOL && b->kind <= HB_MEANING_BOOL;
        if (a->kind == b->kind && a->kind == HB_MEANING_CATEGORY && !hb_meaning_same(a, b)) {
            return hb_types_refuse(
                t, "the two categories have different labels: encrypt both with the same ones, --category "
                   "NAME=LABEL,LABEL,...");
        }
        if (hb_meaning_is_moment(a) && hb_meaning_is_moment(b)) {
            HB_TRY(check_moments(t, a, b));
            continue;
        }
        if (a->kind == b->kind || numbers) {
            HB_TRY(check_units(t, a, b));
            continue;
        }
        if (hb_type_constant(x) || hb_type_constant(y)) {
            return hb_types_refuse_bare(t, hb_meaning_is_moment(a) ? a->kind : b->kind);
        }
        return hb_types_refuse(t, "the two sides mean different things: numbers, dates, times, categories or truth "
                                  "values");
    }
    return HB_OK;
}

/* Makes a text the number that it stands for in the columns beside it. */
static hb_status resolve(hb_types *t, hb_type *text, const hb_type *columns)
{
    if (text->kind != HB_TYPE_TEXT || hb_type_constant(columns)) {
        return HB_OK;
    }
    hb_number stored;
    HB_TRY(hb_types_stored(t, text, columns, HB_STORED_NONE, &stored));
    const hb_meaning *meaning = !t->context.keys_only ? hb_type_one_meaning(columns) : hb_meaning_decimals(1);
    *text = (hb_type){.kind = HB_TYPE_NUMBER, .item = text->item, .number = stored, .means = hb_means_all(meaning)};
    return HB_OK;
}

/* Gives texts the meaning of the column on the other side; a text that has none is refused. */
static hb_status resolve_both(hb_types *t, hb_type *x, hb_type *y)
{
    HB_TRY(resolve(t, x, y));
    HB_TRY(resolve(t, y, x));
    HB_TRY(check_no_text(t, x));
    return check_no_text(t, y);
}

/* Two values of which one is taken, or that are compared. */
hb_status hb_types_pair(hb_types *t, hb_type *x, hb_type *y)
{
    HB_TRY(resolve_both(t, x, y));
    return check_same_kind(t, x, y);
}

/* A date and a fraction of a day would be rounded to a day by errors alone, and a time likewise. Cells of plain columns
 * are looked at once they are read (hb_lower_plain_whole). */
static hb_status check_days(hb_types *t, const hb_type *x, const hb_type *y)
{
    if (!t->context.semantics->reals || t->context.keys_only) {
        return HB_OK;
    }
    for (uint32_t i = 0; i < wider(x, y); i++) {
        const bool date = hb_meaning_is_moment(hb_type_meaning(x, i));
        const hb_type *days = date ? y : x;
        const bool any = date != hb_meaning_is_moment(hb_type_meaning(y, i));
        if (any && !hb_type_plain(days) && hb_type_wholeness(t, days, i) == HB_ANY_NUMBER) {
            const char *unit = hb_time_unit_name(hb_meaning_counts(hb_type_meaning(date ? x : y, i)));
            return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                              "%s are whole numbers, and these may have fractions: add to a %s whole constants, plain "
                              "columns of whole numbers, and the %s between two %s",
                              unit, strcmp(unit, "days") == 0 ? "date" : "time", unit,
                              strcmp(unit, "days") == 0 ? "dates" : "times");
        }
    }
    return HB_OK;
}

/* The terms of an addition or a subtraction, of one column. */
static hb_status check_terms(hb_types *t, hb_item_kind kind, const hb_meaning *x, const hb_meaning *y)
{
    const bool left = hb_meaning_is_moment(x), right = hb_meaning_is_moment(y);
    const bool times = x->kind == HB_MEANING_TIME || y->kind == HB_MEANING_TIME;
    if (kind == HB_ITEM_ADD && left && right) {
        return hb_types_refuse(t, times ? "two times cannot be added; their difference is the time between them"
                                        : "two dates cannot be added; their difference is the days between them");
    }
    if (kind == HB_ITEM_SUBTRACT && right && !left) {
        return hb_types_refuse(t, times ? "a time is subtracted from times alone"
                                        : "a date is subtracted from dates alone");
    }
    return left && right ? check_moments(t, x, y) : check_units(t, x, y);
}

static hb_status check_sum(hb_types *t, hb_item_kind kind, hb_type *x, hb_type *y)
{
    HB_TRY(resolve_both(t, x, y));
    HB_TRY(hb_types_kinds(t, x, false));
    HB_TRY(hb_types_kinds(t, y, false));
    for (uint32_t i = 0; i < (wider(x, y) > 0 ? wider(x, y) : 1); i++) {
        HB_TRY(check_terms(t, kind, hb_type_meaning(x, i), hb_type_meaning(y, i)));
    }
    if ((has_moments(x) || has_moments(y)) && (hb_type_scale(x) > 1 || hb_type_scale(y) > 1)) {
        return hb_types_refuse(t, "days are whole numbers, and so are the units of times");
    }
    HB_TRY(check_days(t, x, y));
    return hb_types_align(t, x, y);
}

hb_status hb_types_numbers(hb_types *t, const hb_type *operands, uint32_t count)
{
    return check_numbers(t, operands, count, false);
}

static hb_status check_product(hb_types *t, const hb_type *x, const hb_type *y)
{
    HB_TRY(check_numbers(t, x, 1, false));
    HB_TRY(check_numbers(t, y, 1, false));
    return hb_type_scale(x) > HB_MOST_SCALE / hb_type_scale(y)
               ? hb_types_refuse(t, "the product has more than 18 digits behind the point")
               : HB_OK;
}

static hb_status check_power(hb_types *t, const hb_type *x, int64_t exponent)
{
    const uint64_t scale = hb_type_scale(x);
    uint64_t power = 1;
    HB_TRY(check_numbers(t, x, 1, false));
    for (int64_t i = 0; i < exponent && power > 0 && scale > 1; i++) {
        power = power <= HB_MOST_SCALE / scale ? power * scale : 0;
    }
    return power > 0 ? HB_OK : hb_types_refuse(t, "the power has more than 18 digits behind the point");
}

/* The scale that a column takes whose product with its weight is to have the scale of y. */
static const hb_meaning *quotient(const hb_type *weights, const hb_type *y, uint32_t column)
{
    return hb_meaning_decimals(hb_type_scale(y) / hb_type_scale_at(weights, column));
}

/* A column without weights may mean anything: it counts as numbers. */
static const hb_meaning *weighed(const hb_type *x, const hb_type *weights, uint32_t column)
{
    return hb_type_weightless(weights, column) ? hb_meaning_decimals(1) : hb_type_meaning(x, column);
}

/* Every term of a row has one scale: a column whose weight has fewer digits behind the point is multiplied by the
 * missing power of ten. */
static hb_status align_matrix(hb_types *t, const hb_type *weights, hb_type *x, uint64_t *scale)
{
    hb_means quotients;
    const bool fits =
        !t->context.keys_only && hb_type_encrypted(x) && !hb_type_constant(weights) && weights->columns == x->columns;
    if (fits && hb_type_has_weightless(weights)) {
        HB_TRY(hb_types_column_by_column(t, x, weights, weighed, &x->means));
    }
    HB_TRY(check_product(t, weights, x));
    if (!fits) {
        return HB_OK; /* @ refuses it, or only keys are asked for */
    }
    for (uint32_t i = 0; i < x->columns; i++) {
        const uint64_t term = hb_meaning_scale(hb_type_meaning(weights, i)) * hb_meaning_scale(hb_type_meaning(x, i));
        *scale = term > *scale ? term : *scale;
    }
    const hb_type product = {.kind = HB_TYPE_NUMBER, .means = hb_means_all(hb_meaning_decimals(*scale))};
    HB_TRY(hb_types_column_by_column(t, weights, &product, quotient, &quotients));
    return hb_types_scale_each(t, x, quotients);
}

/* --- operations */

hb_status hb_take_all(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)t;
    (void)item;
    (void)operands;
    (void)to;
    return HB_OK;
}

hb_status hb_take_numbers(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)to;
    return check_numbers(t, operands, hb_item_operands(item), false);
}

hb_status hb_take_whole(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)to;
    return check_numbers(t, operands, hb_item_operands(item), true);
}

/* A value of any kind, behind which stand whole constants. */
hb_status hb_take_whole_second(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)to;
    HB_TRY(check_no_text(t, &operands[0]));
    return check_numbers(t, operands + 1, hb_item_operands(item) - 1, true);
}

static hb_status take_sum(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)to;
    return check_sum(t, item->kind, &operands[0], &operands[1]);
}

hb_status hb_take_product(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)item;
    (void)to;
    return check_product(t, &operands[0], &operands[1]);
}

hb_status hb_take_power(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    to->exponent = 2;
    if (item->kind == HB_ITEM_POWER) {
        (void)hb_type_whole(&t->context, &operands[1], &to->exponent);
    }
    return check_power(t, &operands[0], to->exponent);
}

/* Weights of a matrix are added to each other, and are taken as they stand in their file. */
static hb_status one_scale(const hb_types *t, const hb_type *weights)
{
    bool one = true;
    for (uint32_t i = 0; !t->context.keys_only && !hb_type_constant(weights) && i < weights->columns; i++) {
        one = one && hb_type_scale_at(weights, i) == hb_type_scale(weights);
    }
    return one ? HB_OK
               : hb_types_refuse(t, "weights of a matrix have the same number of digits behind the point in all "
                                    "columns");
}

static hb_status take_matrix(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)item;
    hb_type *x = &operands[0], *y = &operands[1];
    if (hb_type_is_matrix(x) || hb_type_is_matrix(y)) { /* each entry meets several of the other side */
        HB_TRY(check_product(t, x, y));
        to->scale = hb_type_scale(x) * hb_type_scale(y);
        HB_TRY(hb_types_scale(t, y, hb_type_scale(y)));
        return hb_type_is_matrix(x) ? hb_types_scale(t, x, hb_type_scale(x)) : one_scale(t, x);
    }
    return align_matrix(t, &operands[0], &operands[1], &to->scale);
}

static hb_status take_members(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)to;
    if (hb_type_constant(&operands[0]) && !hb_type_number(&operands[0])) {
        return hb_types_refuse(t, "expected a value to look for");
    }
    for (uint32_t i = 1; i < item->arguments; i++) {
        HB_TRY(hb_types_member(t, &operands[i], &operands[0]));
    }
    return HB_OK;
}

static hb_stored_rounding rounding_of(hb_item_kind kind, bool number_first)
{
    const hb_item_kind turned = number_first ? hb_comparison_turned(kind) : kind;
    if (turned == HB_ITEM_LESS || turned == HB_ITEM_GREATER_EQUAL) {
        return HB_STORED_UP; /* x < 1.5 is x < 2 of whole numbers, x >= 1.5 is x >= 2 */
    }
    return turned == HB_ITEM_GREATER || turned == HB_ITEM_LESS_EQUAL ? HB_STORED_DOWN : HB_STORED_NONE;
}

/* Brings the two sides of a comparison to one scale: a number with more digits behind the point than the columns have
 * is compared as the next one that they can store. */
static hb_status align_sides(hb_types *t, hb_item_kind kind, hb_type *x, hb_type *y)
{
    const bool first = x->kind == HB_TYPE_NUMBER;
    hb_type *number = first ? x : y, *columns = first ? y : x;
    if (number->kind != HB_TYPE_NUMBER || hb_type_constant(columns) || hb_type_one_meaning(columns) == NULL ||
        hb_type_scale_at(number, 0) <= hb_type_scale(columns)) {
        return hb_types_align(t, x, y);
    }
    hb_number stored;
    HB_TRY(hb_types_stored(t, number, columns, rounding_of(kind, first), &stored));
    number->number = stored;
    number->means = hb_means_all(hb_type_one_meaning(columns));
    return HB_OK;
}

static hb_status take_comparison(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    const uint32_t count = hb_item_operands(item) - 1;
    const bool between = item->kind == HB_ITEM_BETWEEN;
    hb_type *x = &operands[0];
    (void)to;
    for (uint32_t i = 1; i <= count; i++) {
        const hb_item_kind end = i == 1 ? HB_ITEM_GREATER_EQUAL : HB_ITEM_LESS_EQUAL;
        HB_TRY(hb_types_pair(t, x, &operands[i]));
        HB_TRY(between && hb_type_constant(x) ? hb_types_align(t, x, &operands[i])
                                              : align_sides(t, between ? end : item->kind, x, &operands[i]));
    }
    return between ? hb_types_align(t, x, &operands[1]) : HB_OK; /* x may have got a larger scale by the last */
}

hb_meaning_rule hb_meaning_rule_of(const hb_item *item)
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
        return (hb_meaning_rule){hb_take_all, HB_RESULT_OWN}; /* they keep the meanings of their parts */
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
        return (hb_meaning_rule){take_comparison, HB_RESULT_TRUTH};
    case HB_ITEM_IN:
        return (hb_meaning_rule){take_members, HB_RESULT_TRUTH};
    case HB_ITEM_AND:
    case HB_ITEM_OR:
    case HB_ITEM_NOT:
    case HB_ITEM_MISSING:
        return (hb_meaning_rule){hb_take_all, HB_RESULT_TRUTH}; /* conditions */
    case HB_ITEM_CALL:                                          /* count() takes nothing */
        return item->arguments == 0 ? (hb_meaning_rule){hb_take_all, HB_RESULT_OWN}
                                    : hb_lang_function_of(item)->meaning;
    case HB_ITEM_REPEAT: /* a walk does not come to it */
        break;
    }
    HB_ASSERT(false);
    return (hb_meaning_rule){NULL, HB_RESULT_OWN};
}
