/* What the numbers of a column stand for: numbers themselves, also decimals of a fixed point, truth values, categories,
 * dates. Ciphertexts hold the numbers; the meaning is public, stands in a dataset's header, and gives cells back as
 * they were when they are decrypted. */
#ifndef HB_IO_BASE_MEANING_H
#define HB_IO_BASE_MEANING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hb_column; /* io/base/schema.h */

typedef enum hb_meaning_kind {
    HB_MEANING_NUMBER,   /* itself, or, divided by the scale, a decimal */
    HB_MEANING_BOOL,     /* 0 false, 1 true */
    HB_MEANING_CATEGORY, /* the place of a label, from 0 on */
    HB_MEANING_DATE      /* days since 1970-01-01, before it below 0 */
} hb_meaning_kind;

/* Against hostile files, and because labels are read by people: of a column, and of all columns of a table. A label has
 * at most as many bytes as a name. */
#define HB_MOST_LABELS ((uint64_t)1 << 16)
#define HB_MOST_TABLE_LABELS ((uint64_t)1 << 18)
#define HB_LABEL_MAX 255
/* The largest scale, 10^18. */
#define HB_MOST_SCALE UINT64_C(1000000000000000000)

/* The labels of a category, each another one, not empty, in UTF-8 without control characters. They never change, and
 * are shared: each owner holds a reference. */
typedef struct hb_labels {
    uint64_t count;
    const char *const *text; /* [count] */
} hb_labels;

/* What is all zero is a plain number. */
typedef struct hb_meaning {
    hb_meaning_kind kind;
    uint64_t scale;          /* of numbers that are integers: what is stored is the value times it, a power of ten up to
                                HB_MOST_SCALE; 0 is 1 */
    const hb_labels *labels; /* of a category, a reference that the column owns; else NULL */
} hb_meaning;

/* Makes labels of copies of these texts, in their order; the caller owns *out, the only reference. HB_EDATA, naming a
 * place but no label, for too many, for one that is none, and for twins; HB_ENOMEM. */
hb_status hb_labels_make(const char *const *text, uint64_t count, const hb_labels **out);
/* Returns whether there is such a label, and at which place. In any thread. */
bool hb_labels_find(const hb_labels *labels, const char *text, size_t length, uint64_t *place);
/* Return the same meaning with a reference of its own, and give that back; *meaning is a plain number then. In any
 * thread. */
hb_meaning hb_meaning_share(const hb_meaning *meaning);
void hb_meaning_clear(hb_meaning *meaning);

/* Returns what values are stored times. */
static inline uint64_t hb_meaning_scale(const hb_meaning *meaning)
{
    return meaning->scale > 1 ? meaning->scale : 1;
}

/* Returns whether numbers stand for themselves. */
static inline bool hb_meaning_is_plain(const hb_meaning *meaning)
{
    return meaning->kind == HB_MEANING_NUMBER && hb_meaning_scale(meaning) == 1;
}

/* Returns whether numbers of both stand for the same: of categories, whether they have the same labels at the same
 * places. */
bool hb_meaning_same(const hb_meaning *a, const hb_meaning *b);
/* Returns the digits behind the point that a scale keeps: 2 of 100; -1 of what is no power of ten up to
 * HB_MOST_SCALE. */
int hb_scale_digits(uint64_t scale);
/* Returns whether a meaning can be that of a column: known kinds and scales, labels where and only where it is a
 * category. */
bool hb_meaning_is_possible(const hb_meaning *meaning);

/* Returns whether a text of this meaning stands for an integer, and which is stored for it. Numbers above 2^63 - 1 are
 * none here. */
bool hb_meaning_read(const hb_meaning *meaning, const char *text, size_t length, int64_t *number);
/* Stores in *number the stored integer that a text stands for in a column of this meaning: a label, a date YYYY-MM-DD,
 * true or false, a decimal that its scale holds. HB_EUSAGE, saying which texts there are, for any other. */
hb_status hb_meaning_number(const struct hb_column *column, const char *text, size_t length, int64_t *number);
/* Room for any text but a label, with its zero. */
#define HB_MEANING_TEXT 32
/* Returns the text of a stored integer of this sign, two's complement: a label, or one that it writes into `room`; NULL
 * where the integer stands for nothing, as 2 of a truth value. What hb_meaning_number reads back. */
const char *hb_meaning_text(const hb_meaning *meaning, bool is_signed, uint64_t word, char room[HB_MEANING_TEXT]);
/* Room for the words, with their zero, that tell people what a column is. */
#define HB_MEANING_WORDS 128
/* Writes "decimals, 2 digits", "dates", "true or false", "12 labels: f, m, ...", or "" of plain numbers. */
void hb_meaning_words(const hb_meaning *meaning, char words[HB_MEANING_WORDS]);

/* Read and write a date of the years 0001 to 9999 in the Gregorian calendar, as days since 1970-01-01. Reading needs
 * all of the text, YYYY-MM-DD. */
bool hb_date_parse(const char *text, size_t length, int64_t *days);
bool hb_date_text(int64_t days, char room[HB_MEANING_TEXT]);
/* Reads true, false, yes or no, in small letters, capitals or with a capital first. */
bool hb_bool_parse(const char *text, size_t length, bool *value);

/* What is wrong with a decimal. */
typedef enum hb_decimal_fault {
    HB_DECIMAL_GOOD,
    HB_DECIMAL_NO_NUMBER,
    HB_DECIMAL_TOO_LARGE, /* times the scale it leaves 64 bits */
    HB_DECIMAL_TOO_FINE   /* it has more digits behind the point than the scale keeps */
} hb_decimal_fault;
/* Reads all of a text, [+-]digits[.digits][e[+-]digits], exactly: *magnitude is the value without its sign times
 * 10^digits, digits from 0 to 18. *needed, which may be NULL, is set also of what is too fine: the digits behind the
 * point that are not 0 at its end, at most 99. */
hb_decimal_fault hb_decimal_parse(const char *text, size_t length, int digits, uint64_t *magnitude, bool *negative,
                                  int *needed);

#endif
