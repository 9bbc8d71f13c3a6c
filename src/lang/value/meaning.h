/* What values stand for: rules of operations, scales, and constants beside columns. All return HB_EUSAGE at the current
 * item for what has no meaning, and HB_ENOMEM. */
#ifndef HB_LANG_VALUE_MEANING_H
#define HB_LANG_VALUE_MEANING_H

#include "lowering.h"

/* To which number of a column a constant goes that lies between two of them; NONE: it is refused. */
typedef enum hb_stored_rounding { HB_STORED_NONE, HB_STORED_DOWN, HB_STORED_UP } hb_stored_rounding;

/* What an operation or a function takes of what its values stand for, and what its result does: `prepare` checks the
 * values of an item, and brings them to one scale. */
typedef struct hb_meaning_rule {
    hb_status (*prepare)(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to);
    hb_result_meaning result;
} hb_meaning_rule;

/* meaning.c: prepares the values of an item by its rule, which also says how the result has its meaning. */
hb_status hb_lower_prepare_meaning(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count,
                                   hb_lowered_meaning *to);

/* Rules take: anything; numbers; numbers that are whole where integers are computed with; anything and behind it whole
 * constants; two factors; a base, whose exponent is 2 unless the item is a power. */
hb_status hb_take_all(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to);
hb_status hb_take_numbers(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to);
hb_status hb_take_whole(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to);
hb_status hb_take_whole_second(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to);
hb_status hb_take_product(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to);
hb_status hb_take_power(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to);

/* Refuse what rules do not take: values that are no numbers; a category, or, with `dates`, dates; a text; two values
 * that do not stand for the same, after a text was made the number that it is in the column on the other side. */
hb_status hb_lower_check_numbers(const hb_lowering *l, const hb_value *values, uint32_t count);
hb_status hb_lower_check_kinds(const hb_lowering *l, const hb_value *x, bool dates);
hb_status hb_lower_check_no_text(const hb_lowering *l, const hb_value *x);
hb_status hb_lower_check_pair(hb_lowering *l, hb_value *x, hb_value *y);

/* result_meaning.c: gives a result, which is made, its meaning. */
hb_status hb_lower_set_meaning(hb_lowering *l, const hb_lowered_meaning *from, hb_value *out);
/* Makes the meanings of so many columns those of a schema's. */
hb_status hb_lower_column_meanings(hb_lowering *l, const hb_column *columns, uint32_t count, hb_means *out);
/* Makes meanings of decimals whose scales times those of the columns of `weights` are `scale`. */
hb_status hb_lower_scale_quotients(hb_lowering *l, const hb_value *weights, uint64_t scale, hb_means *out);

/* value.c: returns whether a value is a constant of the expression: a number, or what the text has in its place. */
bool hb_value_constant(const hb_value *value);
/* Returns what a column stands for; a value of one column has the same beside each of others. */
const hb_meaning *hb_value_meaning(const hb_value *value, uint32_t column);
/* Returns the largest scale of its columns; 1 of whole numbers. */
uint64_t hb_value_scale(const hb_value *value);
/* Returns the columns that have a meaning: a constant counts as one. */
static inline uint32_t hb_value_meant_columns(const hb_value *value)
{
    return hb_value_constant(value) || value->kind == HB_VALUE_DIGITS ? 1 : hb_value_width(value);
}
/* Returns the scale of one of these; 1 of whole numbers. */
static inline uint64_t hb_value_scale_at(const hb_value *value, uint32_t column)
{
    return hb_meaning_scale(hb_value_meaning(value, column));
}
/* Returns whether any column is of that kind. */
bool hb_value_has_kind(const hb_value *value, hb_meaning_kind kind);

/* scale.c */
hb_status hb_lower_refuse(const hb_lowering *l, const char *what);
/* The refusal of a bare number beside a column of dates or of a category. */
hb_status hb_lower_refuse_bare(const hb_lowering *l, hb_meaning_kind kind);
/* Brings all columns to a scale, or each to its own, which is its own already or larger. */
hb_status hb_lower_scale(hb_lowering *l, hb_value *x, uint64_t scale);
hb_status hb_lower_scale_each(hb_lowering *l, hb_value *x, hb_means means);
/* Brings two values to one scale, column by column where both have as many of the same scales. */
hb_status hb_lower_align(hb_lowering *l, hb_value *x, hb_value *y);
/* The same of the two sides of a comparison: a number with more digits behind the point than the columns have is
 * compared as the next one that they can store. */
hb_status hb_lower_align_sides(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y);
/* Sets *out to what columns store for a number or a text beside them; 0 where only keys are asked for. */
hb_status hb_lower_stored(hb_lowering *l, const hb_value *constant, const hb_value *columns,
                          hb_stored_rounding rounding, hb_number *out);
/* Makes a text the number that it stands for in the columns beside it. */
hb_status hb_lower_resolve(hb_lowering *l, hb_value *text, const hb_value *columns);

#endif
