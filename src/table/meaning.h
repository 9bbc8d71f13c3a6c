/* The meaning of a column's numbers: plain numbers, decimals of a fixed point, truth values, categories, dates, times.
 * Ciphertexts hold the numbers; the meaning is public, stands in a dataset's header, and turns decrypted numbers back
 * into the original cells. */
#ifndef HB_TABLE_MEANING_H
#define HB_TABLE_MEANING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hb_column; /* src/table/schema.h */

typedef enum hb_meaning_kind {
    HB_MEANING_NUMBER,   /* the number itself, or, divided by the scale, a decimal */
    HB_MEANING_BOOL,     /* 0 false, 1 true */
    HB_MEANING_CATEGORY, /* the index of a label, from 0 */
    HB_MEANING_DATE,     /* days since 1970-01-01, negative before it */
    HB_MEANING_TIME      /* seconds, minutes or hours since 1970-01-01T00:00, negative before it */
} hb_meaning_kind;

/* The unit that counts time. */
typedef enum hb_time_unit { HB_TIME_NONE, HB_TIME_SECONDS, HB_TIME_MINUTES, HB_TIME_HOURS, HB_TIME_DAYS } hb_time_unit;

/* Facts that an expression knows about the numbers it computes; no header holds them. */
typedef enum hb_wholeness {
    HB_ANY_NUMBER,   /* they may have fractions */
    HB_WHOLE_NUMBER, /* they are whole, up to the errors of reals */
    HB_TRUTH_NUMBER  /* they are 0 or 1 likewise: a condition */
} hb_wholeness;

/* Limits against hostile files, and because people read labels: for a column, and for all columns of a table. A label
 * has at most as many bytes as a name. */
#define HB_MOST_LABELS ((uint64_t)1 << 16)
#define HB_MOST_TABLE_LABELS ((uint64_t)1 << 18)
#define HB_LABEL_MAX 255
/* The largest scale, 10^18. */
#define HB_MOST_SCALE UINT64_C(1000000000000000000)
#define HB_MOST_SCALE_DIGITS 18

/* The labels of a category: all different, not empty, in UTF-8 without control characters. They never change, and are
 * shared: each owner holds a reference. */
typedef struct hb_labels {
    uint64_t count;
    const char *const *text; /* [count] */
    bool folds; /* texts that differ from a label by capitals and blanks alone are this label (src/table/alike.h) */
} hb_labels;

/* Zeroed: a plain number. */
typedef struct hb_meaning {
    hb_meaning_kind kind;
    uint64_t scale;          /* of integers: cells are values times this power of ten, up to HB_MOST_SCALE; 0 is 1 */
    const hb_labels *labels; /* of a category, a reference that the column owns; else NULL */
    hb_wholeness wholeness;  /* of plain numbers */
    hb_time_unit unit;       /* of times; of plain numbers that are differences of times or dates; else HB_TIME_NONE */
    bool zoned;              /* of times: they are times of UTC; else of no known zone */
} hb_meaning;

/* Makes labels from copies of these texts, in their order; the caller owns *out, the only reference. HB_EDATA, naming
 * an index but no label, for too many labels, for texts that cannot be labels, and for duplicates; HB_ENOMEM. */
hb_status hb_labels_make(const char *const *text, uint64_t count, const hb_labels **out);
/* Makes labels that fold. HB_EDATA also for two labels that are one, folded. */
hb_status hb_labels_make_folded(const char *const *text, uint64_t count, const hb_labels **out);
/* Returns whether there is such a label, or where labels fold another spelling of one, and its index. In any thread. */
bool hb_labels_find(const hb_labels *labels, const char *text, size_t length, uint64_t *place);
/* Return the same meaning with a reference of its own; and release that, which makes *meaning a plain number. In any
 * thread. */
hb_meaning hb_meaning_share(const hb_meaning *meaning);
void hb_meaning_clear(hb_meaning *meaning);

/* Returns the factor of stored values. */
static inline uint64_t hb_meaning_scale(const hb_meaning *meaning)
{
    return meaning->scale > 1 ? meaning->scale : 1;
}

/* Returns whether numbers mean themselves. */
static inline bool hb_meaning_is_plain(const hb_meaning *meaning)
{
    return meaning->kind == HB_MEANING_NUMBER && hb_meaning_scale(meaning) == 1;
}

/* Returns the unit in which numbers count time; HB_TIME_NONE: they count none, or nothing is known of it. */
static inline hb_time_unit hb_meaning_counts(const hb_meaning *meaning)
{
    return meaning->kind == HB_MEANING_DATE ? HB_TIME_DAYS : meaning->unit;
}

/* Returns the unit that tables keep of numbers which count time: none of days. */
static inline hb_time_unit hb_meaning_span(const hb_meaning *meaning)
{
    return meaning->kind == HB_MEANING_NUMBER && meaning->unit != HB_TIME_DAYS ? meaning->unit : HB_TIME_NONE;
}

/* Returns whether numbers stand for points of time: dates, or times. */
static inline bool hb_meaning_is_moment(const hb_meaning *meaning)
{
    return meaning->kind == HB_MEANING_DATE || meaning->kind == HB_MEANING_TIME;
}

/* Returns the seconds of a unit. */
static inline int64_t hb_time_unit_seconds(hb_time_unit unit)
{
    return unit == HB_TIME_DAYS ? 86400 : unit == HB_TIME_HOURS ? 3600 : unit == HB_TIME_MINUTES ? 60 : 1;
}

/* Returns "minutes", or "numbers" for HB_TIME_NONE. */
static inline const char *hb_time_unit_name(hb_time_unit unit)
{
    static const char *const names[] = {"numbers", "seconds", "minutes", "hours", "days"};
    return names[unit];
}

/* Meanings in files, where each has a code of one byte: kinds, but for times, whose codes also tell unit and zone, and
 * for numbers of seconds, minutes and hours. A number of days is a plain number there. */
enum {
    HB_CODE_TIME = HB_MEANING_TIME,
    HB_CODE_ZONED = HB_CODE_TIME + 3,
    HB_CODE_SPAN = HB_CODE_ZONED + 3,
    HB_CODE_FOLDED = HB_CODE_SPAN + 3 /* a category whose labels fold */
};
static inline uint8_t hb_meaning_code(const hb_meaning *meaning)
{
    const bool span = meaning->kind == HB_MEANING_NUMBER && meaning->unit != HB_TIME_NONE;
    return meaning->labels != NULL && meaning->labels->folds ? (uint8_t)HB_CODE_FOLDED
           : meaning->kind == HB_MEANING_TIME
               ? (uint8_t)((meaning->zoned ? HB_CODE_ZONED : HB_CODE_TIME) + (int)meaning->unit - 1)
           : span && meaning->unit != HB_TIME_DAYS ? (uint8_t)(HB_CODE_SPAN + (int)meaning->unit - 1)
                                                   : (uint8_t)meaning->kind;
}
/* Sets kind, unit and zone by a code, which may be none: hb_meaning_is_possible tells then. Labels that fold are made
 * so, hb_labels_make_folded. */
static inline void hb_meaning_set_code(hb_meaning *meaning, uint8_t code)
{
    if (code == HB_CODE_FOLDED) {
        meaning->kind = HB_MEANING_CATEGORY;
        return;
    }
    const bool span = code >= HB_CODE_SPAN, timed = code >= HB_CODE_TIME;
    meaning->kind = span ? HB_MEANING_NUMBER : timed ? HB_MEANING_TIME : (hb_meaning_kind)code;
    meaning->zoned = timed && !span && code >= HB_CODE_ZONED;
    meaning->unit = !timed ? HB_TIME_NONE
                           : (hb_time_unit)(1 + code -
                                            (span             ? HB_CODE_SPAN
                                             : meaning->zoned ? HB_CODE_ZONED
                                                              : HB_CODE_TIME));
}

/* Returns how whole the numbers are that stand for it. */
static inline hb_wholeness hb_meaning_wholeness(const hb_meaning *meaning)
{
    return meaning->kind == HB_MEANING_NUMBER ? meaning->wholeness
           : meaning->kind == HB_MEANING_BOOL ? HB_TRUTH_NUMBER
                                              : HB_WHOLE_NUMBER;
}

/* Returns whether numbers stand for one of several things, and nothing lies between two of them: labels, dates, times,
 * truth values. */
static inline bool hb_meaning_is_discrete(const hb_meaning *meaning)
{
    return meaning->kind != HB_MEANING_NUMBER;
}

/* Returns whether a label of one list is that of another one: folded, where either list folds. */
bool hb_labels_same_text(const hb_labels *a, uint64_t i, const hb_labels *b, uint64_t j);
/* Returns whether equal numbers mean the same in both: for categories, whether they have the same labels in the same
 * order, as hb_labels_same_text compares them. */
bool hb_meaning_same(const hb_meaning *a, const hb_meaning *b);
/* Returns the meaning that tables keep where an expression knows one, with a reference of its own: days between dates
 * are plain numbers there. */
static inline hb_meaning hb_meaning_kept(const hb_meaning *meaning)
{
    hb_meaning kept = hb_meaning_share(meaning);
    kept.unit = kept.unit == HB_TIME_DAYS ? HB_TIME_NONE : kept.unit;
    return kept;
}
/* Returns the digits after the point that a scale keeps: 2 for 100; -1 if it is no power of ten up to HB_MOST_SCALE. */
int hb_scale_digits(uint64_t scale);
/* Returns the scale that keeps this many digits, 0 to HB_MOST_SCALE_DIGITS. */
uint64_t hb_scale_of_digits(int digits);
/* Returns whether a column can have this meaning: known kinds and scales, and labels exactly for categories. */
bool hb_meaning_is_possible(const hb_meaning *meaning);

/* Returns whether a text of this meaning is stored as an integer, and that integer. Refuses numbers above 2^63 - 1. */
bool hb_meaning_read(const hb_meaning *meaning, const char *text, size_t length, int64_t *number);
/* Sets *number to the stored integer of a text in a column of this meaning: a label, a date YYYY-MM-DD, a time
 * YYYY-MM-DDTHH:MM, true or false, a decimal that its scale holds. HB_EUSAGE, saying which texts are possible, for any
 * other. */
hb_status hb_meaning_number(const struct hb_column *column, const char *text, size_t length, int64_t *number);
/* Room for any text but a label, with its zero. */
#define HB_MEANING_TEXT 32
/* Returns the text of a stored integer of this sign, two's complement: a label, or a text that it writes into `room`;
 * NULL where the integer means nothing, such as the truth value 2. hb_meaning_number reads it back. */
const char *hb_meaning_text(const hb_meaning *meaning, bool is_signed, uint64_t word, char room[HB_MEANING_TEXT]);
/* Room for the words that describe a column, with their zero. */
#define HB_MEANING_WORDS 128
/* Writes "decimals, 2 digits", "dates", "times in minutes, UTC", "true or false", "12 labels: f, m, ...", "minutes" for
 * differences of times, or "" for other plain numbers. Labels with commas, quotes or blanks at an end stand in
 * quotes. */
void hb_meaning_words(const hb_meaning *meaning, char words[HB_MEANING_WORDS]);

/* Reads a date of the years 0001 to 9999 in the Gregorian calendar, as days since 1970-01-01, of the whole text:
 * YYYY-MM-DD, followed by nothing or midnight, as in 2024-02-29 00:00:00 and 2024-02-29T00:00Z. */
bool hb_date_parse(const char *text, size_t length, int64_t *days);
/* Reads a date in another order: `form` has the letters d, m and y, each once, and one of . / - twice between them;
 * days and months have one digit or two, years four. */
bool hb_date_parse_as(const char *form, const char *text, size_t length, int64_t *days);
/* Returns whether a text is such a form. */
bool hb_date_form_is_possible(const char *form);

/* A fault of a time. */
typedef enum hb_time_fault {
    HB_TIME_GOOD,
    HB_TIME_NO_TIME, /* a date without a time of day, or no date in front, or something else behind it */
    HB_TIME_NO_SUCH, /* there is no such day, hour, minute or second */
    HB_TIME_24,      /* 24:00 */
    HB_TIME_LEAP,    /* a leap second, :60 */
    HB_TIME_OUTSIDE  /* in UTC it lies outside the years 1 to 9999 */
} hb_time_fault;
/* A time of the Gregorian calendar, with one zone and no leap seconds. */
typedef struct hb_time {
    int64_t seconds; /* since 1970-01-01T00:00, of UTC where ... */
    bool zoned;      /* ... the text has a zone */
    bool fraction;   /* of a second follows, and is not 0 */
} hb_time;
/* Reads a date and a time of day of the whole text: YYYY-MM-DD, or as `form` says (hb_date_parse_as; NULL or "": none),
 * T or a blank, H:MM or HH:MM, which :SS and a fraction may follow, and AM, PM or a zone: Z, UTC, +02:00, +0200,
 * +02. */
hb_time_fault hb_time_parse(const char *form, const char *text, size_t length, hb_time *out);
/* Returns whether a time is a whole number of units, and that number. */
static inline bool hb_time_count(const hb_time *time, hb_time_unit unit, int64_t *number)
{
    *number = time->seconds / hb_time_unit_seconds(unit);
    return !time->fraction && time->seconds % hb_time_unit_seconds(unit) == 0;
}
/* Writes the date or the time that a number of such a column is: 2024-02-29, 2024-02-29T13:45, of seconds
 * 2024-02-29T13:45:00, and Z behind one of UTC. False outside the years 0001 to 9999. */
bool hb_moment_text(const hb_meaning *meaning, int64_t number, char room[HB_MEANING_TEXT]);
/* Finds year, month and day of a number of days since 1970-01-01. False outside the years 0001 to 9999. */
bool hb_date_parts(int64_t days, int parts[3]);
/* Reads true, false, yes or no, in small letters, capitals or with a capital first. */
bool hb_bool_parse(const char *text, size_t length, bool *value);

/* A fault of a decimal. */
typedef enum hb_decimal_fault {
    HB_DECIMAL_GOOD,
    HB_DECIMAL_NO_NUMBER,
    HB_DECIMAL_TOO_LARGE, /* times the scale it exceeds 64 bits */
    HB_DECIMAL_TOO_FINE,  /* it has more digits after the point than the scale keeps */
    HB_DECIMAL_UNSURE     /* of a floating-point number: several decimals are the same number */
} hb_decimal_fault;
/* Reads the whole text, [+-]digits[.digits][e[+-]digits], exactly: *magnitude is the value without its sign times
 * 10^digits, digits from 0 to 18. *needed, which may be NULL, is also set for numbers that are too fine: the digits
 * after the point without zeros at the end, at most 99. */
hb_decimal_fault hb_decimal_parse(const char *text, size_t length, int digits, uint64_t *magnitude, bool *negative,
                                  int *needed);
/* Roundings of numbers that are too fine: to the nearest, ties away from 0; towards 0. */
typedef enum hb_decimal_rounding { HB_DECIMAL_NEAREST, HB_DECIMAL_DOWN } hb_decimal_rounding;
/* Does the same, but rounds a number that is too fine, whatever its length. */
hb_decimal_fault hb_decimal_round(const char *text, size_t length, int digits, hb_decimal_rounding rounding,
                                  uint64_t *magnitude, bool *negative);

#endif
