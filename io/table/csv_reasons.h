/* The spelling of numbers in fields: unusual decimal signs, and why a text is no number. */
#ifndef HB_IO_TABLE_CSV_REASONS_H
#define HB_IO_TABLE_CSV_REASONS_H

#include <string.h>
#include <strings.h>

#include "base/seed.h"
#include "csv_columns.h"

/* Enough for any number with separated thousands. */
enum { HB_CSV_NUMBER_TEXT = 64 };

#define HB_CSV_LEAP_SECOND "a leap second, :60, is not counted: write :59"
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
/* Returns the option that is likely to read a text that is not UTF-8. */
const char *hb_csv_charset_advice(const char *text, size_t length);
/* Room for a number with a percent sign, as one without. */
enum { HB_CSV_PERCENT_TEXT = HB_CSV_NUMBER_TEXT + 4 };
/* Writes the number that a text with a percent sign means in its usual spelling, 12.5e-2 for 12.5 %. Returns false
 * where the text is none. The caller wipes `room`. */
static inline bool hb_csv_percent(char decimal, const hb_csv_text *text, char room[HB_CSV_PERCENT_TEXT])
{
    static const char *const blanks[] = {" ", "\xC2\xA0", "\xE2\x80\xAF"};
    hb_csv_text bare = *text;
    room[0] = '\0';
    if (bare.length < 2 || bare.text[bare.length - 1] != '%') {
        return false;
    }
    bare.length--;
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++) {
        const size_t length = strlen(blanks[i]);
        const bool has = bare.length > length && memcmp(bare.text + bare.length - length, blanks[i], length) == 0;
        bare.length -= has ? length : 0;
    }
    const hb_csv_text usual = hb_csv_usual_number(decimal, &bare, room);
    bool digits = usual.length > 0 && usual.length < HB_CSV_NUMBER_TEXT;
    for (size_t i = 0; i < usual.length; i++) {
        const char c = usual.text[i];
        digits = digits && ((c >= '0' && c <= '9') || c == '.' || (i == 0 && (c == '-' || c == '+')));
    }
    if (digits) {
        memmove(room, usual.text, usual.length);
        memcpy(room + usual.length, "e-2", sizeof "e-2");
    }
    return digits;
}
/* Returns the sign in front of fractions, "comma" or "point", with which a text is a number that is none for this
 * reason; NULL: another reason. */
static inline const char *hb_csv_other_sign(const char *why)
{
    const bool comma = why != NULL && (strstr(why, "(--decimal comma reads it)") != NULL ||
                                       strstr(why, "where --decimal point wants") != NULL);
    const bool point = why != NULL && (strstr(why, "(--decimal point reads it)") != NULL ||
                                       strstr(why, "where --decimal comma wants") != NULL);
    return comma ? "comma" : point ? "point" : NULL;
}
/* Returns why a text is no decimal, likewise. */
const char *hb_csv_no_decimal(const hb_csv_text *text, char decimal);
/* Returns whether the points of a number may stand between thousands, as in 1.234, where no option gives their
 * meaning. */
static inline bool hb_csv_may_be_grouped(const hb_csv_text *text, char decimal)
{
    char room[HB_CSV_NUMBER_TEXT];
    const size_t length = decimal == 0 ? hb_csv_usual_number(',', text, room).length : 0;
    hb_wipe(room, sizeof room);                 /* plaintext */
    return length > 0 && length < text->length; /* without its points */
}
/* Returns the options that read the decimals of these columns where every point may stand between thousands; "" where
 * one cannot. */
static inline const char *hb_csv_other_points(const hb_csv_column *columns, uint64_t count)
{
    uint64_t fractions = 0, grouped = 0;
    for (uint64_t c = 0; c < count; c++) {
        fractions += columns[c].shown.fractions;
        grouped += columns[c].shown.grouped;
    }
    return fractions > 0 && grouped == fractions
               ? "; --decimal point with --scale reads 1.234 as it stands, and --decimal comma as 1234"
               : "";
}
/* Returns why a cell with this text is missing. */
static inline const char *hb_csv_why_missing(const hb_dialect *dialect, const hb_csv_text *text)
{
    hb_dialect usual = *dialect;
    usual.missing = NULL;
    return text->length == 0                                         ? "the field is empty"
           : hb_dialect_is_missing(&usual, text->text, text->length) ? "the value is missing (NA, NaN or null)"
                                                                     : "the value is one that --na calls missing";
}
/* Reads two digits of a text, at most `most`; false where they are none. */
static inline bool hb_csv_take_two(const char **at, const char *end, int most)
{
    const char *p = *at;
    const bool digits = end - p >= 2 && p[0] >= '0' && p[0] <= '9' && p[1] >= '0' && p[1] <= '9';
    *at += digits ? 2 : 0;
    return digits && 10 * (p[0] - '0') + p[1] - '0' <= most;
}
/* Returns whether a text may end a time, with a blank before it or without: empty, AM, PM, or a zone: Z, UTC, +02:00,
 * +0200 or +02. */
static inline bool hb_csv_ends_time(const char *at, const char *end)
{
    at += at < end && *at == ' ';
    const size_t left = (size_t)(end - at);
    const bool half = left == 2 && (memcmp(at, "AM", 2) == 0 || memcmp(at, "PM", 2) == 0);
    if (left == 0 || half || (left == 1 && *at == 'Z') || (left == 3 && memcmp(at, "UTC", 3) == 0)) {
        return true;
    }
    const bool sign = *at == '+' || *at == '-';
    at += sign;
    if (!sign || !hb_csv_take_two(&at, end, 23)) {
        return false;
    }
    at += end - at == 3 && *at == ':';
    return at == end || (hb_csv_take_two(&at, end, 59) && at == end);
}
/* Returns the bytes of a date before its time of day, such as 13:45, 13:45:00.000 or 13:45:00+02:00; all bytes where it
 * has none. */
static inline size_t hb_csv_day_bytes(const hb_csv_text *text)
{
    const char *at = text->text, *end = at + text->length;
    while (at < end && *at != ' ' && *at != 'T') {
        at++;
    }
    const size_t day = (size_t)(at - text->text);
    at += at < end;
    const bool one = end - at > 1 && at[0] >= '0' && at[0] <= '9' && at[1] == ':'; /* 9:45 */
    at += one;
    bool time = (one || hb_csv_take_two(&at, end, 23)) && at < end && *at++ == ':' && hb_csv_take_two(&at, end, 59);
    if (time && at < end && *at == ':') {
        at++;
        time = hb_csv_take_two(&at, end, 60); /* 60: a leap second */
        const bool point = time && end - at > 1 && (*at == '.' || *at == ',') && at[1] >= '0' && at[1] <= '9';
        for (at += point; point && at < end && *at >= '0' && *at <= '9';) {
            at++;
        }
    }
    return time && hb_csv_ends_time(at, end) ? day : text->length;
}
/* Returns why a text that is written as a date is no date of that form, "" for YYYY-MM-DD; NULL where it is not written
 * as one. `order` becomes the only form in which it is a date, or "" where none or several are. */
const char *hb_csv_no_date(const hb_csv_text *text, const char *form, char order[HB_CSV_ORDER]);
/* Returns why a text, which is written as a date with a time of day, is no whole number of units. */
static inline const char *hb_csv_no_time(hb_time_fault fault, const hb_time *time, hb_time_unit unit)
{
    static const char *const faults[] = {[HB_TIME_NO_TIME] = "something else than a time of day stands behind the day",
                                         [HB_TIME_NO_SUCH] = "there is no such day or time of day",
                                         [HB_TIME_24] = "24:00 is no time of day: write 00:00 of the next day",
                                         [HB_TIME_LEAP] = HB_CSV_LEAP_SECOND,
                                         [HB_TIME_OUTSIDE] = "in UTC it is outside the years 1 to 9999"};
    int64_t number;
    if (fault != HB_TIME_GOOD) {
        return faults[fault];
    }
    const bool minute = hb_time_count(time, HB_TIME_MINUTES, &number), hour = unit == HB_TIME_HOURS;
    return time->fraction   ? "it has a fraction of a second: write whole seconds"
           : hour && minute ? time->zoned ? "it is no whole hour of UTC (--time-of-day minutes reads it)"
                                          : "it is no whole hour (--time-of-day minutes reads it)"
           : hour           ? "it is no whole hour (--time-of-day seconds reads it)"
                            : "it is no whole minute (--time-of-day seconds reads it)";
}
/* Returns whether a text has other characters than ASCII. */
static inline bool hb_csv_is_foreign(const char *at, const char *end)
{
    while (at < end && (unsigned char)*at < 0x80) {
        at++;
    }
    return at < end;
}
/* Returns the words for a column of decimals, with the option that reads it, if any. */
static inline const char *hb_csv_decimals_of(const hb_csv_shown *shown)
{
    return shown->whole > HB_MOST_SCALE_DIGITS ? "too large numbers" : "decimals, --scale and --round";
}
/* The reason for a date of another form. */
extern const char hb_csv_another_order[];
/* The reasons for a date whose year nobody can tell, and for a number with a word for money. */
#define HB_CSV_SHORT_YEAR "a year of two digits may be of two centuries: write all four digits"
#define HB_CSV_MONEY "has a currency sign: write the number alone, without it"
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
