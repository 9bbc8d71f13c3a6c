/* Types side by side: brought to one scale, and refused where they do not go together. A decimal is held times a power
 * of ten, its scale, so decimals of two scales are added, compared and chosen from only after those of the smaller
 * scale were multiplied by the quotient. */
#include "type_rules.h"

hb_status hb_types_refuse(const hb_types *t, const char *what)
{
    return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at, "%s", what);
}

hb_status hb_fail_rows(const char *text, uint32_t at, hb_rows_of x, hb_rows_of y)
{
    return HB_FAIL_AT(HB_EUSAGE, text, at, "%.40s has %llu rows, and %.40s has %llu; expected as many, or one row",
                      x.name, (unsigned long long)x.rows, y.name, (unsigned long long)y.rows);
}

hb_status hb_types_same_rows(const hb_types *t, const hb_type *x, const hb_type *y)
{
    const char *text = t->context.syntax->text;
    char left[41], right[41];
    if (t->context.keys_only || x->rows == y->rows || x->rows == 1 || y->rows == 1) {
        return HB_OK; /* keys are the same for all tables */
    }
    hb_excerpt(left, sizeof left, text, x->item->from, x->item->to);
    hb_excerpt(right, sizeof right, text, y->item->from, y->item->to);
    return hb_fail_rows(text, t->item->at, (hb_rows_of){left, x->rows}, (hb_rows_of){right, y->rows});
}

hb_status hb_types_scale_each(hb_types *t, hb_type *x, hb_means means)
{
    bool same = true;
    for (uint32_t i = 0; i < hb_type_meant_columns(x); i++) {
        same = same && hb_type_scale_at(x, i) == hb_meaning_scale(hb_means_of(means, i));
    }
    if (same || x->kind == HB_TYPE_TEXT) {
        return HB_OK;
    }
    if (x->kind == HB_TYPE_NUMBER) {
        const uint64_t quotient = hb_meaning_scale(hb_means_of(means, 0)) / hb_type_scale_at(x, 0);
        const hb_number by = {.integer = (int64_t)quotient, .real = (double)quotient};
        bool overflow;
        const hb_number scaled = hb_numbers_combine(HB_ITEM_MULTIPLY, x->number, by, &overflow);
        HB_TRY(hb_number_check(&t->context, t->item->at, scaled, overflow));
        x->number = scaled;
    } else if (x->kind == HB_TYPE_DIGITS) {
        return hb_types_refuse(t, "digits are whole numbers, and the other side has decimals");
    } else if (!hb_type_encrypted(x) && !hb_type_plain(x) && x->kind != HB_TYPE_COUNT) {
        return hb_types_refuse(t, "numbers with more digits behind the point stand beside this");
    }
    x->means = means;
    return HB_OK;
}

hb_status hb_types_scale(hb_types *t, hb_type *x, uint64_t scale)
{
    return hb_types_scale_each(t, x, hb_means_all(hb_meaning_decimals(scale)));
}

/* Whether every column of one side has the scale of the same column of the other. */
static bool same_scales(const hb_type *x, const hb_type *y)
{
    bool same = hb_type_meant_columns(x) == hb_type_meant_columns(y);
    for (uint32_t i = 0; i < hb_type_meant_columns(x) && same; i++) {
        same = hb_type_scale_at(x, i) == hb_type_scale_at(y, i);
    }
    return same;
}

/* A column with the smaller scale is brought to the larger one; else it stands for the same as before. */
static const hb_meaning *at_least(const hb_type *x, const hb_type *y, uint32_t column)
{
    const uint64_t scale = hb_type_scale_at(y, column);
    return hb_type_scale_at(x, column) >= scale ? hb_type_meaning(x, column) : hb_meaning_decimals(scale);
}

static hb_status align_each(hb_types *t, hb_type *x, hb_type *y)
{
    hb_means of_x, of_y;
    HB_TRY(hb_types_column_by_column(t, x, y, at_least, &of_x));
    HB_TRY(hb_types_column_by_column(t, y, x, at_least, &of_y));
    HB_TRY(hb_types_scale_each(t, x, of_x));
    return hb_types_scale_each(t, y, of_y);
}

hb_status hb_types_align(hb_types *t, hb_type *x, hb_type *y)
{
    if (same_scales(x, y)) {
        return HB_OK;
    }
    if (hb_type_meant_columns(x) > 1 && hb_type_meant_columns(x) == hb_type_meant_columns(y)) {
        return align_each(t, x, y);
    }
    /* One column beside several is brought to one scale. */
    const uint64_t left = hb_type_scale(x), right = hb_type_scale(y), scale = left > right ? left : right;
    HB_TRY(hb_types_scale(t, x, scale));
    return hb_types_scale(t, y, scale);
}
