/* The types that operations and functions of the language take, and the types that they make. All return HB_EUSAGE at
 * the checked item for operands that are not taken, and HB_ENOMEM. */
#ifndef HB_LANG_TYPES_TYPE_RULES_H
#define HB_LANG_TYPES_TYPE_RULES_H

#include "lang/types/check.h"

/* The meaning of each column of a result, from its operands x and y. */
typedef enum hb_result_meaning {
    HB_RESULT_OWN,     /* its shape says so */
    HB_RESULT_NUMBER,  /* numbers of a scale */
    HB_RESULT_WHOLE,   /* whole numbers */
    HB_RESULT_TRUTH,   /* a condition: 0 or 1 */
    HB_RESULT_FIRST,   /* the same as x */
    HB_RESULT_TOTAL,   /* the same, but numbers where x is true or false */
    HB_RESULT_MEAN,    /* the same as of a total, with fractions */
    HB_RESULT_SUM,     /* as a sum or a difference of numbers, of dates or times and numbers of their unit */
    HB_RESULT_PRODUCT, /* numbers of the product of both scales */
    HB_RESULT_EITHER,  /* as one of the two, whichever it is */
    HB_RESULT_POWER,   /* numbers of the power of the scale */
    HB_RESULT_LAST     /* as the last column of y */
} hb_result_meaning;

/* How the result of an item gets its meaning. */
typedef struct hb_result_rule {
    hb_result_meaning result;
    uint32_t first; /* which operand is x, as the rule leaves it; y is the one behind it, if there is */
    uint64_t scale;
    int64_t exponent;
} hb_result_rule;

/* The rule of an operation or a function for the meanings of its operands and of its result. `take` checks the types of
 * the operands and converts them for the computation: decimals to one scale, texts to numbers. */
typedef struct hb_meaning_rule {
    hb_status (*take)(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to);
    hb_result_meaning result;
} hb_meaning_rule;

/* Makes the type of a result without its meanings: kind, columns, names. *out is zeroed. */
typedef hb_status hb_type_maker(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out);

/* meaning.c. Rules take: anything; numbers; numbers that are whole where integers are computed with; anything and
 * behind it whole constants; two factors; a base, whose exponent is 2 unless the item is a power. */
hb_status hb_take_all(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to);
hb_status hb_take_numbers(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to);
hb_status hb_take_whole(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to);
hb_status hb_take_whole_second(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to);
hb_status hb_take_product(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to);
hb_status hb_take_power(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to);
/* Refuse types that rules do not take. In order: types that are no numbers; a category, or, with `dates`, dates and
 * times; a text; two types of different meaning, after a text became its number in the column on the other side. */
hb_status hb_types_numbers(hb_types *t, const hb_type *operands, uint32_t count);
hb_status hb_types_kinds(hb_types *t, const hb_type *x, bool dates);
hb_status hb_types_pair(hb_types *t, hb_type *x, hb_type *y);
/* Returns the rule of an item. */
hb_meaning_rule hb_meaning_rule_of(const hb_item *item);

/* result_rules.c: returns plain numbers of this wholeness, which count this. */
const hb_meaning *hb_meaning_numbers(hb_wholeness wholeness, hb_time_unit unit);
/* Returns whether a column has whole numbers, or 0 and 1, by its meaning and its origin. */
hb_wholeness hb_type_wholeness(const hb_types *t, const hb_type *x, uint32_t column);
/* Makes the meanings of a result's columns. */
hb_status hb_types_result(hb_types *t, const hb_result_rule *rule, const hb_type *x, const hb_type *y, hb_type *out);
/* Makes the meanings of so many columns those of a schema's. */
hb_status hb_types_column_meanings(hb_types *t, const hb_column *columns, uint32_t count, hb_means *out);
/* Makes the meanings of the columns of x, each by the meaning of the same column of y. */
typedef const hb_meaning *hb_meaning_of_two(const hb_type *x, const hb_type *y, uint32_t column);
hb_status hb_types_column_by_column(hb_types *t, const hb_type *x, const hb_type *y, hb_meaning_of_two *rule,
                                    hb_means *out);

/* scale.c: refuses, at the current item. */
hb_status hb_types_refuse(const hb_types *t, const char *what);
/* Brings all columns to a scale, or each to its own, which is its own already or larger. */
hb_status hb_types_scale(hb_types *t, hb_type *x, uint64_t scale);
hb_status hb_types_scale_each(hb_types *t, hb_type *x, hb_means means);
/* Brings two types to one scale, column by column where both have as many of the same scales. */
hb_status hb_types_align(hb_types *t, hb_type *x, hb_type *y);
/* A table, or a value computed from tables, with its name in messages. */
typedef struct hb_rows_of {
    const char *name;
    uint64_t rows;
} hb_rows_of;
/* Returns HB_EUSAGE at a place of the text: these two have different numbers of rows. */
hb_status hb_fail_rows(const char *text, uint32_t at, hb_rows_of x, hb_rows_of y);
/* Refuses two plain types of different numbers of rows; one row stands in all. */
hb_status hb_types_same_rows(const hb_types *t, const hb_type *x, const hb_type *y);
/* Refuses a number beside a column of dates or of a category. */
static inline hb_status hb_types_refuse_bare(const hb_types *t, hb_meaning_kind kind)
{
    return hb_types_refuse(
        t, kind == HB_MEANING_TIME   ? "a time stands beside a number: write times in single quotes, as "
                                       "'2024-03-01T09:00'"
           : kind == HB_MEANING_DATE ? "a date stands beside a number: write dates in single quotes, as '2024-03-01'"
                                     : "a category stands beside a number: write labels in single quotes, as 'label'");
}

/* member.c: finds the member that a number, text, range or entry is among the values of these columns, as they store
 * it. HB_EUSAGE for other types, for a range whose ends are in the wrong order, and for values that the columns do not
 * have. */
hb_status hb_types_member(hb_types *t, hb_type *member, const hb_type *columns);
/* To which number of a column a constant goes that lies between two of them; NONE: it is refused. */
typedef enum hb_stored_rounding { HB_STORED_NONE, HB_STORED_DOWN, HB_STORED_UP } hb_stored_rounding;
/* Sets *out to the stored number of columns for a number or a text beside them; 0 where only keys are asked for. */
hb_status hb_types_stored(hb_types *t, const hb_type *constant, const hb_type *columns, hb_stored_rounding rounding,
                          hb_number *out);

/* constant.c: HB_EUSAGE at a place of the text for a real beyond doubles; for `overflow`, which says that an integer is
 * beyond 64 bits. */
hb_status hb_number_check(const hb_types_context *world, uint32_t at, hb_number number, bool overflow);
/* HB_EUSAGE at a place of the text unless encrypted values are computed with the number. */
hb_status hb_number_check_encrypted(const hb_types_context *world, uint32_t at, hb_number number);
/* Returns two numbers combined by kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY; *overflow: its integer is
 * none. */
hb_number hb_numbers_combine(hb_item_kind kind, hb_number a, hb_number b, bool *overflow);
/* fold.c: returns whether an item has a value of constants alone, numbers and members [hb_item_operands]. */
bool hb_folds(const hb_item *item, const hb_type *operands);
/* Makes this value; of reals it is rounded as doubles are. All numbers are known. HB_EUSAGE where there is none. */
hb_status hb_fold(const hb_types *t, const hb_item *item, const hb_type *operands, hb_number *out);
/* For functions of constants: returns -1, 0 or 1 as x is below y, equal to it or above it; both are real. */
int hb_fold_order(const hb_types *t, hb_number x, hb_number y);
/* HB_EUSAGE where one of these numbers is complex. */
hb_status hb_fold_reals(const hb_types *t, const hb_type *operands, uint32_t count);
/* Makes a number of two by kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY; as hb_number_check. */
hb_status hb_fold_pair(const hb_types *t, hb_item_kind kind, hb_number x, hb_number y, hb_number *out);
/* Sets *whole to the value of a type that must be a whole number; returns false for another type. */
bool hb_type_whole(const hb_types_context *world, const hb_type *type, int64_t *whole);

/* names.c: of a number of the text, a text, and a name, which was assigned or is bound to an input. */
hb_type_maker hb_shape_leaf;
/* Returns the first dataset with rows that others stand in, for it has more than one; NULL: there is none. */
const hb_operand *hb_types_longer(const hb_types *t);
/* Returns whether it is a dataset of one row beside others of more, all of whose rows have it. */
static inline bool hb_types_serves_all(const hb_types *t, const hb_operand *operand)
{
    return operand->encrypted && operand->schema->rows == 1 && hb_types_longer(t) != NULL;
}
/* Keeps the type that a name was assigned. */
hb_status hb_types_assign(hb_types *t, const hb_item *item, const hb_type *value);
/* pick.c: the type of a column, or of a number by its digits. */
hb_type_maker hb_shape_pick;

/* shapes.c: of a power: of the first operand, to the second, or squared where the item is none. */
hb_type_maker hb_shape_power;
/* Refuses a type that is not encrypted, as an operand of `what`. */
hb_status hb_types_encrypted(const hb_types *t, const char *what, const hb_type *x);
/* Refuses weights that are no name of a plain table; `place` describes their place, as "on the left of @". */
hb_status hb_types_weights(const hb_types *t, const hb_type *weights, const char *place);
/* Refuses a type whose meaning is not that of a condition, as an operand of `what`. */
hb_status hb_types_condition(const hb_types *t, const char *what, const hb_type *x);
/* Returns 1 / number, of reals. */
static inline hb_number hb_number_inverse(hb_number number)
{
    const double square = number.real * number.real + number.imaginary * number.imaginary;
    return number.imaginary == 0 ? (hb_number){.real = 1 / number.real}
                                 : (hb_number){.real = number.real / square, .imaginary = -number.imaginary / square};
}
/* Makes the shape of x and y joined by an operator of arithmetic, which match column by column. */
hb_status hb_shape_binary(const hb_types *t, const hb_type *x, const hb_type *y, hb_type *out);
/* Finds the shape of a product with @ (product_shapes.c): weights, or a matrix, with columns, which may be a matrix. */
hb_status hb_shape_product(const hb_types *t, const hb_type *weights, const hb_type *x, hb_type *out);
/* Makes the shape of an item. */
hb_type_maker hb_shape_of;
/* columns.c: makes so many columns, zeroed, which the list owns. HB_ENOMEM. */
hb_status hb_made_columns_add(hb_made_columns **list, uint32_t columns, hb_schema **out);
void hb_made_columns_clear(hb_made_columns **list);
/* Returns the meanings of made columns. */
hb_means hb_made_columns_means(const hb_schema *made);
/* Sets *name to the printed text, which the caller owns; NULL after a failure. HB_ENOMEM. */
__attribute__((format(printf, 2, 3))) hb_status hb_name_print(char **name, const char *format, ...);
/* Names a column after words of the expression, without its line breaks, and as long as names are; `form` has %s for
 * them. As hb_name_print. */
hb_status hb_words_name(const hb_syntax *syntax, uint32_t from, uint32_t to, const char *form, char **name);
/* side_names.c: names the result of an aggregate of the column `of`, as "var(age where x.on)". As hb_name_print. */
hb_status hb_aggregate_name(const hb_syntax *syntax, const hb_item *item, const char *of, char **name);
/* One of several values whose columns stand side by side. */
typedef struct hb_side {
    const hb_item *item;
    uint32_t columns;
    bool parts; /* its columns are sums that decryption works others out of */
    bool shown; /* its columns are shown alone: aggregates are called as in a table of groups, for none pairs by name */
} hb_side;
/* Names the columns of all of them, names [all columns], which the caller owns also after a failure; NULL at first. Own
 * names, in the same order, NULL or "" where there is none, stay where no other column has the same. HB_EUSAGE at the
 * item where two get one name and `apart` is asked for; HB_ENOMEM. */
hb_status hb_name_sides(const hb_syntax *syntax, const hb_item *item, const hb_side *sides, uint32_t count,
                        const char *const *own, bool apart, char **names);
/* image.c: returns the image that columns are called as, where it stands in slots as they do; zeroed: there is none
 * with gaps. */
hb_block_image hb_named_image(const hb_schema *schema);
/* Gives a type of one image columns that are named so. HB_ENOMEM. */
hb_status hb_types_name_image(hb_types *t, const hb_block_image *image, hb_type *out);
/* Makes the columns of an image whose channels stand in each other's gaps in the order in which weights have them,
 * channel after channel: *out [hb_block_image_columns], which the types own. slots [hb_block_image_slots]: the same as
 * they stand in slots. HB_ENOMEM. */
hb_status hb_types_order_image(hb_types *t, const hb_block_image *image, const hb_column *slots,
                               const hb_column **out);

#endif
