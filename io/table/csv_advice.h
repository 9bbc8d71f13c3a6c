/* The options with which the rest of a CSV is read that was refused: all that were given, completed. */
#ifndef HB_IO_TABLE_CSV_ADVICE_H
#define HB_IO_TABLE_CSV_ADVICE_H

#include "csv_columns.h"

/* The options with which a column can be read: none, --scale, --percent, or there are none. */
typedef enum hb_csv_remedy { HB_CSV_AS_IT_IS, HB_CSV_SCALE, HB_CSV_PERCENT, HB_CSV_NO_REMEDY } hb_csv_remedy;

/* Decimals of more digits are those of single and double precision: a scale for them helps nobody. */
enum { HB_CSV_MOST_DIGITS = 8 };

/* Returns whether a column has cells that cannot be read, and whether it has missing ones, which are refused. */
static inline bool hb_csv_is_wrong(const hb_csv_column *column)
{
    return column->shown.count[HB_CSV_IS_WRONG] > 0 || hb_csv_is_mixed(&column->shown);
}
static inline bool hb_csv_lacks(const hb_csv_column *column)
{
    return column->missing == HB_MISSING_REFUSE && column->shown.count[HB_CSV_IS_MISSING] > 0;
}
/* Returns whether the decimals of a column have a scale, with which they fit in 64 bits. */
static inline bool hb_csv_has_scale(const hb_csv_shown *shown)
{
    int whole = shown->whole;
    for (uint64_t most = shown->most, digits = 1; most > 0; most /= 10, digits++) {
        whole = (int)digits > whole ? (int)digits : whole;
    }
    return shown->needed <= HB_CSV_MOST_DIGITS && whole + shown->needed <= HB_MOST_SCALE_DIGITS;
}
/* Returns the options with which a column can be read. */
static inline hb_csv_remedy hb_csv_remedy_of(const hb_csv_column *column)
{
    const hb_csv_shown *shown = &column->shown;
    if (!hb_csv_is_wrong(column)) {
        return HB_CSV_AS_IT_IS;
    }
    const uint64_t others = shown->count[HB_CSV_IS_TRUTH] + shown->count[HB_CSV_IS_DATE] + shown->count[HB_CSV_IS_TIME];
    const bool scaled =
        shown->count[HB_CSV_IS_WRONG] > 0 && shown->fractions_only && hb_csv_has_scale(shown) && others == 0;
    const bool percent = shown->percents > 0;
    if (percent && (others + shown->count[HB_CSV_IS_NUMBER] > 0 || shown->percents < shown->count[HB_CSV_IS_WRONG])) {
        return HB_CSV_NO_REMEDY; /* the others may be fractions, or not */
    }
    return scaled ? HB_CSV_SCALE : percent ? HB_CSV_PERCENT : HB_CSV_NO_REMEDY;
}

/* Options as a command line has them, and what the message says of them. */
typedef struct hb_csv_advice {
    char *options;   /* owned; NULL: nothing is proposed */
    bool leaves_out; /* --columns leaves columns out that were to be read */
    bool treats;     /* missing cells get a treatment that they had not */
} hb_csv_advice;

/* Finds the options that read all columns that can be read, those that were given included. whole: no column may be
 * left out. Nothing is proposed where that helps nobody: no column is left, one that is left out is needed for a
 * derived one, or names may not be shown. The caller frees advice->options. HB_ENOMEM. */
hb_status hb_csv_advise(const hb_schema *schema, const hb_csv_column *columns, const hb_reading *reading, bool whole,
                        hb_csv_advice *advice);
/* Returns the words of an option with a list, such as --scale: the elements that were given of other columns, and
 * `name`, as a shell takes it, with `value` behind it. Owned; NULL: no memory. */
char *hb_csv_list_with(const char *given, const char *name, const char *value);

#endif
