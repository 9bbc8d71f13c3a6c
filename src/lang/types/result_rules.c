/* The meaning of results, by the rule of the operation that made them. */
#include <stdlib.h>
#include <string.h>

#include "type_rules.h"

#pragma GCC diagnostic error "-Wswitch"

#define COUNTED(of)                                                       \
    {                                                                     \
        [HB_ANY_NUMBER] = {.wholeness = HB_ANY_NUMBER, .unit = (of)},     \
        [HB_WHOLE_NUMBER] = {.wholeness = HB_WHOLE_NUMBER, .unit = (of)}, \
        [HB_TRUTH_NUMBER] = {.wholeness = HB_TRUTH_NUMBER, .unit = (of)}, \
    }

const hb_meaning *hb_meaning_numbers(hb_wholeness wholeness, hb_time_unit unit)
{
    static const hb_meaning known[][HB_TRUTH_NUMBER + 1] = {COUNTED(HB_TIME_NONE), COUNTED(HB_TIME_SECONDS),
                                                            COUNTED(HB_TIME_MINUTES), COUNTED(HB_TIME_HOURS),
                                                            COUNTED(HB_TIME_DAYS)};
    return &known[unit][wholeness];
}

hb_wholeness hb_type_wholeness(const hb_types *t, const hb_type *x, uint32_t column)
{
    const hb_meaning *meaning = hb_type_meaning(x, column);
    int64_t whole;
    if (x->kind == HB_TYPE_NUMBER && meaning->kind == HB_MEANING_NUMBER) {
        const bool is_whole = hb_type_whole(&t->context, x, &whole);
        return !is_whole ? HB_ANY_NUMBER : whole == 0 || whole == 1 ? HB_TRUTH_NUMBER : HB_WHOLE_NUMBER;
    }
    return hb_meaning_wholeness(meaning);
}

/* The operation and the operands that make a result. */
typedef struct made_of {
    const hb_types *types;
    const hb_result_rule *rule;
    const hb_type *x, *y;
} made_of;

/* The unit in which a column of either side counts time. */
static hb_time_unit unit_of(const made_of *from, uint32_t column)
{
    const hb_time_unit unit = hb_meaning_counts(hb_type_meaning(from->x, column));
    return unit != HB_TIME_NONE ? unit : hb_meaning_counts(hb_type_meaning(from->y, column));
}

/* Numbers of a scale and a unit, of which no more is known than of both sides, and at most so much. */
static const hb_meaning *numbers_of(const made_of *from, uint32_t column, uint64_t scale, hb_time_unit unit,
                                    hb_wholeness most)
{
    const hb_wholeness x = hb_type_wholeness(from->types, from->x, column),
                       y = hb_type_wholeness(from->types, from->y, column), least = x < y ? x : y;
    return scale > 1 ? hb_meaning_decimals(scale) : hb_meaning_numbers(least < most ? least : most, unit);
}

/* A date and days are a date, the days between two dates are a number; so are times and what they count. */
static const hb_meaning *sum_of(const made_of *from, uint32_t column)
{
    const hb_meaning *a = hb_type_meaning(from->x, column), *b = hb_type_meaning(from->y, column);
    if (hb_meaning_is_moment(a) != hb_meaning_is_moment(b)) {
        return hb_meaning_is_moment(a) ? a : b;
    }
    return numbers_of(from, column, hb_meaning_scale(a), unit_of(from, column), HB_WHOLE_NUMBER);
}

static const hb_meaning *power_of(const made_of *from, uint32_t column)
{
    const uint64_t scale = hb_type_scale_at(from->x, column);
    const hb_wholeness base = hb_type_wholeness(from->types, from->x, column);
    uint64_t power = scale;
    for (int64_t i = 1; i < from->rule->exponent && scale > 1; i++) {
        power *= scale;
    }
    return power > 1 ? hb_meaning_decimals(power) : hb_meaning_numbers(base, HB_TIME_NONE);
}

/* The meaning of its column `column`. */
static const hb_meaning *result_of(const made_of *from, uint32_t column)
{
    const hb_meaning *a = hb_type_meaning(from->x, column), *b = hb_type_meaning(from->y, column);
    const hb_wholeness x = hb_type_wholeness(from->types, from->x, column);
    const bool counted = a->kind == HB_MEANING_BOOL;
    switch (from->rule->result) {
    case HB_RESULT_NUMBER:
        return hb_meaning_decimals(from->rule->scale);
    case HB_RESULT_WHOLE:
        return hb_meaning_numbers(HB_WHOLE_NUMBER, HB_TIME_NONE);
    case HB_RESULT_FIRST:
        return a;
    case HB_RESULT_TRUTH:
        return hb_meaning_numbers(HB_TRUTH_NUMBER, HB_TIME_NONE);
    case HB_RESULT_TOTAL: /* truth values that are added up are counted */
        return counted || hb_meaning_is_plain(a)
                   ? hb_meaning_numbers(x < HB_WHOLE_NUMBER ? x : HB_WHOLE_NUMBER, a->unit)
                   : a;
    case HB_RESULT_MEAN:
        return counted || hb_meaning_is_plain(a) ? hb_meaning_numbers(HB_ANY_NUMBER, a->unit) : a;
    case HB_RESULT_SUM:
        return sum_of(from, column);
    case HB_RESULT_PRODUCT:
        return numbers_of(from, column, hb_meaning_scale(a) * hb_meaning_scale(b), HB_TIME_NONE, HB_TRUTH_NUMBER);
    case HB_RESULT_EITHER: /* truth values beside numbers are numbers */
        return a->kind == b->kind && a->kind != HB_MEANING_NUMBER
                   ? a
                   : numbers_of(from, column, hb_meaning_scale(a), unit_of(from, column), HB_TRUTH_NUMBER);
    case HB_RESULT_POWER:
        return power_of(from, column);
    case HB_RESULT_LAST:
        return hb_type_meaning(from->y, from->y->columns - 1);
    case HB_RESULT_OWN:
        break;
    }
    HB_ASSERT(false);
    return NULL;
}

static hb_status make_meanings(hb_types *t, uint32_t columns, const hb_meaning ***out)
{
    hb_made_means *made = calloc(1, sizeof *made + columns * sizeof made->each[0]);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    made->next = t->means;
    made->columns = columns;
    t->means = made;
    *out = made->each;
    return HB_OK;
}

/* Forgets the meanings that were made last where the same were made before: a loop makes them again and again. */
static hb_means known_before(hb_types *t, const hb_meaning **each, uint32_t columns)
{
    hb_made_means *last = t->means, *before = last->next;
    while (before != NULL && (before->columns != columns || memcmp(before->each, each, columns * sizeof *each) != 0)) {
        before = before->next;
    }
    if (before != NULL) {
        t->means = last->next;
        free(last);
    }
    return (hb_means){.each = before != NULL ? before->each : each};
}

hb_status hb_types_column_by_column(hb_types *t, const hb_type *x, const hb_type *y, hb_meaning_of_two *rule,
                                    hb_means *out)
{
    const hb_meaning **each = NULL;
    const uint32_t columns = hb_type_meant_columns(x);
    HB_TRY(make_meanings(t, columns, &each));
    for (uint32_t i = 0; i < columns; i++) {
        each[i] = rule(x, y, i);
    }
    *out = known_before(t, each, columns);
    return HB_OK;
}

hb_status hb_types_column_meanings(hb_types *t, const hb_column *columns, uint32_t count, hb_means *out)
{
    const hb_meaning **each = NULL;
    uint32_t same = 1;
    while (same < count && hb_meaning_same(&columns[same].meaning, &columns[0].meaning) &&
           columns[same].meaning.wholeness == columns[0].meaning.wholeness &&
           columns[same].meaning.unit == columns[0].meaning.unit) {
        same++;
    }
    if (same >= count) {
        *out = hb_means_all(count > 0 ? &columns[0].meaning : hb_meaning_decimals(1));
        return HB_OK;
    }
    HB_TRY(make_meanings(t, count, &each));
    for (uint32_t i = 0; i < count; i++) {
        each[i] = &columns[i].meaning;
    }
    *out = known_before(t, each, count);
    return HB_OK;
}

/* Whether all columns of the result stand for the same, as far as that is written down. */
static bool is_alike(const made_of *from)
{
    const bool x = from->x->means.each == NULL || from->x->columns <= 1;
    const bool y = from->y->means.each == NULL || from->y->columns <= 1;
    return (x && y) || from->rule->result == HB_RESULT_NUMBER || from->rule->result == HB_RESULT_WHOLE ||
           from->rule->result == HB_RESULT_TRUTH || from->rule->result == HB_RESULT_LAST;
}

hb_status hb_types_result(hb_types *t, const hb_result_rule *rule, const hb_type *x, const hb_type *y, hb_type *out)
{
    const made_of from = {t, rule, x, y};
    const hb_meaning **each = NULL;
    if (out->columns <= 1 || is_alike(&from)) {
        out->means = hb_means_all(result_of(&from, 0));
        return HB_OK;
    }
    HB_TRY(make_meanings(t, out->columns, &each));
    for (uint32_t i = 0; i < out->columns; i++) {
        each[i] = result_of(&from, i);
    }
    out->means = known_before(t, each, out->columns);
    return HB_OK;
}
