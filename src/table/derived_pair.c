#include "derived_pair.h"

#include <math.h>

#include "derived_constant.h"
#include "shell_line.h"

static hb_status refuse(const hb_derivation *d, const char *why)
{
    return HB_FAIL(HB_EUSAGE, "--derive '%.160s': %s", d->text, why);
}

/* Both moments count in the finer unit of the two; a date is its midnight. */
static hb_status make_days(hb_derived_rule *rule, const hb_column *const *from)
{
    int64_t finest = hb_time_unit_seconds(HB_TIME_DAYS), unit[HB_DERIVED_SOURCES] = {finest, finest};
    bool zoned = from[0]->meaning.zoned;
    for (int i = 0; i < HB_DERIVED_SOURCES && from[i] != NULL; i++) {
        char name[HB_SHELL_COLUMN];
        if (!hb_meaning_is_moment(&from[i]->meaning)) {
            return HB_FAIL(HB_EUSAGE, "--derive '%.160s': column '%.64s' holds no dates; --date %s reads it as dates",
                           rule->of->text, from[i]->name, hb_shell_column(name, from[i]->name));
        }
        unit[i] = hb_time_unit_seconds(hb_meaning_counts(&from[i]->meaning));
        finest = unit[i] < finest ? unit[i] : finest;
    }
    if (zoned != (from[1] != NULL && from[1]->meaning.zoned)) {
        return refuse(rule->of, "times with a zone have no difference with dates, or with times without a zone");
    }
    rule->width = hb_time_unit_seconds(HB_TIME_DAYS) / finest;
    for (int i = 0; i < HB_DERIVED_SOURCES; i++) {
        rule->times[i] = (uint64_t)(unit[i] / finest);
    }
    const hb_column day = {.name = from[0]->name, .cells = from[0]->cells, .meaning.kind = HB_MEANING_DATE};
    return from[1] != NULL ? HB_OK : hb_derived_constant_read(rule->of, &day, rule->of->constant[0], &rule->constant);
}

hb_status hb_derived_pair_make(hb_derived_rule *rule, const hb_column *const *from)
{
    const hb_derivation *d = rule->of;
    if (d->kind == HB_DERIVED_DAYS) {
        return make_days(rule, from);
    }
    const hb_meaning *a = &from[0]->meaning, *b = &from[1]->meaning;
    const bool moments = hb_meaning_is_moment(a) && hb_meaning_is_moment(b);
    if (moments && d->kind == HB_DERIVED_SUM) {
        return refuse(d, "dates and times have no sum");
    }
    if (!moments && (a->kind != HB_MEANING_NUMBER || b->kind != HB_MEANING_NUMBER)) {
        return refuse(d, "differences and sums are of two columns of numbers, or differences of two of dates or times");
    }
    if (!hb_derived_pair_scales(rule, a, b)) {
        return refuse(d, moments ? "the two columns are not the same: dates, times in one unit, or such times with a "
                                   "zone; days(from, to) takes dates and times in any unit"
                                 : "the two columns mean different things");
    }
    const uint64_t left = hb_meaning_scale(a), right = hb_meaning_scale(b);
    rule->column.meaning.scale = left > right ? left : right;
    rule->column.meaning.unit = moments && a->kind == HB_MEANING_DATE ? HB_TIME_NONE : a->unit;
    return HB_OK;
}

static const char too_large[] = "the result has more than 64 bits with a sign";

const char *hb_derived_pair_value(const hb_derived_rule *rule, const hb_derived_cell *a, const hb_derived_cell *b,
                                  hb_derived_cell *to)
{
    const bool days = rule->of->kind == HB_DERIVED_DAYS;
    *to = (hb_derived_cell){.missing = false};
    if (rule->real) {
        const double x = a->number * (double)rule->times[0], y = b->number * (double)rule->times[1];
        to->number = days ? floor((y - x) / (double)rule->width) : rule->of->kind == HB_DERIVED_SUM ? x + y : x - y;
        return isfinite(to->number) ? NULL : "the result is no number";
    }
    const hb_i128 most = (hb_i128)(~(hb_u128)0 >> 1); /* or a number above it */
    hb_i128 x, y, result;
    if (a->integer == most || b->integer == most || __builtin_mul_overflow(a->integer, (hb_i128)rule->times[0], &x) ||
        __builtin_mul_overflow(b->integer, (hb_i128)rule->times[1], &y) ||
        (rule->of->kind == HB_DERIVED_SUM ? __builtin_add_overflow(x, y, &result)
         : days                           ? __builtin_sub_overflow(y, x, &result)
                                          : __builtin_sub_overflow(x, y, &result))) {
        return too_large;
    }
    if (days) {
        result = result / rule->width - (result % rule->width < 0);
    }
    to->integer = result;
    to->number = (double)result;
    return result < INT64_MIN || result > INT64_MAX ? too_large : NULL;
}
