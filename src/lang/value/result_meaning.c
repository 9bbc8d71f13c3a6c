/* What results stand for, by the rule of the operation that made them. */
#include <stdlib.h>
#include <string.h>

#include "meaning.h"

#pragma GCC diagnostic error "-Wswitch"

/* A date and days are a date, the days between two dates are a number. */
static const hb_meaning *sum_of(const hb_meaning *a, const hb_meaning *b)
{
    if (a->kind == HB_MEANING_DATE || b->kind == HB_MEANING_DATE) {
        return a->kind == b->kind ? hb_meaning_decimals(1) : hb_meaning_dates();
    }
    return hb_meaning_decimals(hb_meaning_scale(a));
}

static const hb_meaning *power_of(const hb_meaning *x, int64_t exponent)
{
    const uint64_t scale = hb_meaning_scale(x);
    uint64_t power = scale;
    for (int64_t i = 1; i < exponent && scale > 1; i++) {
        power *= scale;
    }
    return hb_meaning_decimals(power);
}

/* What column `column` of a result stands for. */
static const hb_meaning *result_of(const hb_lowered_meaning *from, uint32_t column)
{
    const hb_meaning *a = hb_value_meaning(&from->x, column), *b = hb_value_meaning(&from->y, column);
    switch (from->result) {
    case HB_RESULT_NUMBER:
        return hb_meaning_decimals(from->scale);
    case HB_RESULT_FIRST:
        return a;
    case HB_RESULT_TOTAL: /* truth values that are added up are counted */
        return a->kind == HB_MEANING_BOOL ? hb_meaning_decimals(1) : a;
    case HB_RESULT_SUM:
        return sum_of(a, b);
    case HB_RESULT_PRODUCT:
        return hb_meaning_decimals(hb_meaning_scale(a) * hb_meaning_scale(b));
    case HB_RESULT_EITHER: /* truth values beside numbers are numbers */
        return a->kind == b->kind ? a : hb_meaning_decimals(hb_meaning_scale(a));
    case HB_RESULT_POWER:
        return power_of(a, from->exponent);
    case HB_RESULT_LAST:
        return hb_value_meaning(&from->y, hb_value_width(&from->y) - 1);
    case HB_RESULT_OWN:
        break;
    }
    HB_ASSERT(false);
    return NULL;
}

static hb_status make_meanings(hb_lowering *l, uint32_t columns, const hb_meaning ***out)
{
    hb_lowered_means *made = calloc(1, sizeof *made + columns * sizeof made->each[0]);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    made->next = l->made.means;
    l->made.means = made;
    *out = made->each;
    return HB_OK;
}

hb_status hb_lower_scale_quotients(hb_lowering *l, const hb_value *weights, uint64_t scale, hb_means *out)
{
    const hb_meaning **each = NULL;
    HB_TRY(make_meanings(l, hb_value_width(weights), &each));
    for (uint32_t i = 0; i < hb_value_width(weights); i++) {
        each[i] = hb_meaning_decimals(scale / hb_meaning_scale(hb_value_meaning(weights, i)));
    }
    *out = (hb_means){.each = each};
    return HB_OK;
}

hb_status hb_lower_column_meanings(hb_lowering *l, const hb_column *columns, uint32_t count, hb_means *out)
{
    const hb_meaning **each = NULL;
    uint32_t same = 1;
    while (same < count && hb_meaning_same(&columns[same].meaning, &columns[0].meaning)) {
        same++;
    }
    if (same >= count) {
        *out = hb_means_all(count > 0 ? &columns[0].meaning : hb_meaning_decimals(1));
        return HB_OK;
    }
    HB_TRY(make_meanings(l, count, &each));
    for (uint32_t i = 0; i < count; i++) {
        each[i] = &columns[i].meaning;
    }
    *out = (hb_means){.each = each};
    return HB_OK;
}

/* Whether all columns of the result stand for the same, as far as that is written down. */
static bool is_alike(const hb_lowered_meaning *from)
{
    const bool x = from->x.means.each == NULL || hb_value_width(&from->x) <= 1;
    const bool y = from->y.means.each == NULL || hb_value_width(&from->y) <= 1;
    return (x && y) || from->result == HB_RESULT_NUMBER || from->result == HB_RESULT_LAST;
}

static hb_status derive(hb_lowering *l, const hb_lowered_meaning *from, hb_value *out)
{
    const uint32_t width = hb_value_width(out);
    const hb_meaning **each = NULL;
    if (width <= 1 || is_alike(from)) {
        out->means = hb_means_all(result_of(from, 0));
        return HB_OK;
    }
    HB_TRY(make_meanings(l, width, &each));
    for (uint32_t i = 0; i < width; i++) {
        each[i] = result_of(from, i);
    }
    out->means = (hb_means){.each = each};
    return HB_OK;
}

hb_status hb_lower_set_meaning(hb_lowering *l, const hb_lowered_meaning *from, hb_value *out)
{
    if (from->result != HB_RESULT_OWN && out->grouping == NULL) {
        HB_TRY(derive(l, from, out));
    }
    for (uint32_t i = 0; i < hb_value_width(out); i++) {
        (void)hb_value_meaning(out, i); /* asserts that none is without */
    }
    return HB_OK;
}
