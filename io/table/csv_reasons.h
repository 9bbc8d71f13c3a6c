/* The spelling of numbers in fields: unusual decimal signs, and why a text is no number. */
#ifndef HB_IO_TABLE_CSV_REASONS_H
#define HB_IO_TABLE_CSV_REASONS_H

#include <string.h>
#include <strings.h>

#include "csv_columns.h"

/* Enough for any number with separated thousands. */
enum { HB_CSV_NUMBER_TEXT = 64 };

/* Returns a number in its usual spelling, with a point and without separators of thousands: the text itself where
 * `decimal` is 0, else a text in `room`, which the caller wipes; of length 0 where the text is no number in that
 * spelling. */
hb_csv_text hb_csv_usual_number(char decimal, const hb_csv_text *text, char room[HB_CSV_NUMBER_TEXT]);
/* Returns why a text is no number of this type in the spelling of `decimal` (0: the usual one). The words show nothing
 * of the text, which is plaintext: messages end in logs. */
const char *hb_csv_no_number(const hb_csv_text *text, hb_cell_type cells, char decimal);
/* Returns how many digits a number has before its point, with its exponent, or more where it begins with zeros, as
 * 0.01e3; HB_CSV_DIGITS_MOST at most. */
enum { HB_CSV_DIGITS_MOST = 99 };
size_t hb_csv_whole_digits(const hb_csv_text *text);
/* Returns whether a text is an infinite number, as programs write it. */
static inline bool hb_csv_is_infinite(const hb_csv_text *text)
{
    static const char *const words[] = {"inf", "infinity", "\xE2\x88\x9E"};
    const size_t sign = text->length > 0 && (text->text[0] == '-' || text->text[0] == '+');
    bool is = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        is = is || (text->length == sign + length && strncasecmp(text->text + sign, words[i], length) == 0);
    }
    return is;
}
/* Returns whether a text begins with a letter, as labels do and numbers with units do not. */
static inline bool hb_csv_is_word(const hb_csv_text *text)
{
    const unsigned char first = text->length > 0 ? (unsigned char)text->text[0] : 0;
    return !hb_csv_is_infinite(text) &&
           ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first >= 0x80);
}
/* Returns why a text is no decimal, likewise. */
const char *hb_csv_no_decimal(const hb_csv_text *text, char decimal);
/* Returns why a text that is written as a date is no date of that form, "" for YYYY-MM-DD; NULL where it is not written
 * as one. `order` becomes the only form in which it is a date, or "" where none or several are. */
const char *hb_csv_no_date(const hb_csv_text *text, const char *form, char order[HB_CSV_ORDER]);
/* Returns what a column of decimals is, and whether an option reads it. */
static inline const char *hb_csv_decimals_of(const hb_csv_shown *shown)
{
    return shown->whole > HB_MOST_SCALE_DIGITS ? "too large numbers" : "decimals, --scale and --round";
}
/* The reason for a date of another form. */
extern const char hb_csv_another_order[];
/* The beginning of the reason for a text of which no more is known. */
#define HB_CSV_ODD_SIGNS "has signs that no "
/* Returns whether that is the reason. */
static inline bool hb_csv_is_vague(const char *why)
{
    return why != NULL && strncmp(why, HB_CSV_ODD_SIGNS, sizeof HB_CSV_ODD_SIGNS - 1) == 0;
}
/* The reason for a text. */
#define HB_CSV_LETTERS "has letters"
/* Returns whether a text that is no number for this reason may stand for a missing cell: not where it is a number in
 * another spelling, such as 12%, which would be left out. */
static inline bool hb_csv_may_be_missing(const char *why)
{
    return hb_csv_is_vague(why) || (why != NULL && strcmp(why, HB_CSV_LETTERS) == 0);
}
/* Writes why the first wrong cell of a column is wrong, as "the field is not an integer: it has letters". `form`: of
 * dates, "" for YYYY-MM-DD. */
void hb_csv_describe_wrong(const hb_csv_column *column, hb_cell_type cells, const char *form, char *out, size_t bytes);

#endif
