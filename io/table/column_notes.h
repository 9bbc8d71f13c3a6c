/* Parts of a column's texts that are lost when they are read: zeros in front of numbers, as in 007, without which ids
 * become equal, blanks around labels and its name, spellings of truth values and dates. hb_table_note says it. */
#ifndef HB_IO_TABLE_COLUMN_NOTES_H
#define HB_IO_TABLE_COLUMN_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "table/meaning.h"

/* The leading zeros of a column's integers; unused where the column's meaning is declared. */
typedef struct hb_leading_zeros {
    uint64_t count;       /* numbers that begin with a zero that is not their only digit */
    uint32_t most, least; /* most digits of such a number; least digits of any number. 0: no such number */
} hb_leading_zeros;

/* Adds a number of that many digits; 0: it has other signs. Called for every cell of a table: most change nothing. */
static inline void hb_leading_zeros_add(hb_leading_zeros *zeros, uint32_t digits, bool padded)
{
    const bool less = digits - 1 < zeros->least - 1; /* 0, which means no number, becomes the largest value here */
    if (padded || less) {
        zeros->count += padded;
        zeros->most = padded && digits > zeros->most ? digits : zeros->most;
        zeros->least = less ? digits : zeros->least;
    }
}

static inline void hb_leading_zeros_join(hb_leading_zeros *all, const hb_leading_zeros *of)
{
    all->count += of->count;
    all->most = of->most > all->most ? of->most : all->most;
    all->least = of->least > 0 && (all->least == 0 || of->least < all->least) ? of->least : all->least;
}

/* Returns whether two different texts may be the same number. They are not where every number has at least as many
 * digits as those with leading zeros. */
static inline bool hb_leading_zeros_mixes(const hb_leading_zeros *zeros)
{
    return zeros->count > 0 && zeros->least < zeros->most;
}

/* The place of a row in the file, both counted from 1; row 0: no row, line 0: unknown. */
typedef struct hb_csv_place {
    uint64_t row, line; /* after the line of names; among all lines, the row's first one */
} hb_csv_place;

/* Spellings, one bit each: of truth values the words, and of each their letters; of dates. */
typedef uint32_t hb_spellings;
enum {
    HB_SPELT_SMALL, /* true and false in small letters, as decrypt writes them; the other letters follow */
    HB_SPELT_CAPITALS,
    HB_SPELT_CAPITAL_FIRST,
    HB_SPELT_MIXED,
    HB_SPELT_YES, /* yes and no in small letters; the other letters follow */
    HB_TRUTH_SPELLINGS = 2 * HB_SPELT_YES,
    HB_SPELT_DATE_ORDER = HB_TRUTH_SPELLINGS, /* a date in another order than YYYY-MM-DD */
    HB_SPELT_PERCENT,                         /* a number with a percent sign */
    HB_SPELT_DATE_TIME,                       /* one with a time behind it, midnight */
    HB_SPELT_TIME,                            /* a time in another spelling, or of another zone than UTC */
    HB_SPELLINGS_REPLACED,                    /* those before, in whose place decrypt writes another one; ... */
    /* ... the others are read as an option says; jobs compare them with the options: */
    HB_SPELT_SIGNS = HB_SPELLINGS_REPLACED, /* a number with other signs than digits, which --decimal explains */
    HB_SPELT_FORM,                          /* a date or time in the order of --date-format */
    HB_SPELT_NO_TIME,                       /* a date whose time of day --time-of-day drop leaves out */
    HB_SPELT_CLOCK,                         /* a time of day that is kept */
    HB_SPELT_ROUNDED,                       /* a decimal finer than its scale, which --round rounds */
    HB_SPELT_FOREIGN                        /* a text with other characters than ASCII has, which --charset tells */
};
static inline hb_spellings hb_spelt(int spelling)
{
    return (hb_spellings)1 << spelling;
}
/* Returns the spellings in whose place decrypt writes another one. */
static inline hb_spellings hb_spellings_replaced(hb_spellings spellings)
{
    return spellings & (hb_spelt(HB_SPELLINGS_REPLACED) - 1);
}

/* Returns how a truth value is spelt, of a text that hb_bool_parse reads; 0: as decrypt writes it. */
static inline hb_spellings hb_truth_spelling(const char *text, size_t length)
{
    size_t capitals = 0;
    for (size_t i = 0; i < length; i++) {
        capitals += text[i] >= 'A' && text[i] <= 'Z';
    }
    const bool first = text[0] >= 'A' && text[0] <= 'Z';
    const int letters = capitals == 0            ? HB_SPELT_SMALL
                        : capitals == length     ? HB_SPELT_CAPITALS
                        : capitals == 1 && first ? HB_SPELT_CAPITAL_FIRST
                                                 : HB_SPELT_MIXED;
    const int words = length <= strlen("yes") ? HB_SPELT_YES : HB_SPELT_SMALL;
    return words + letters == HB_SPELT_SMALL ? 0 : hb_spelt(words + letters);
}

/* Returns the bit of a date or time that is read in an order that an option says; form "": none says it, 0. */
static inline hb_spellings hb_form_spelling(const char *form)
{
    return form[0] != '\0' ? hb_spelt(HB_SPELT_FORM) : 0;
}

/* Returns how a date is spelt that was read in the order `form`, or "" for YYYY-MM-DD; 0: as decrypt writes it. */
static inline hb_spellings hb_date_spelling(const char *form, size_t length)
{
    if (form[0] != '\0' && strcmp(form, "y-m-d") != 0) {
        return hb_spelt(HB_SPELT_DATE_ORDER) | hb_form_spelling(form);
    }
    return (length > strlen("YYYY-MM-DD") ? hb_spelt(HB_SPELT_DATE_TIME) : 0) | hb_form_spelling(form);
}

/* Returns how a time of this unit is spelt that was read in the order `form`; 0: as decrypt writes it. */
static inline hb_spellings hb_time_spelling(const char *form, const char *text, size_t length, hb_time_unit unit,
                                            bool zoned)
{
    const size_t own = strlen(unit == HB_TIME_SECONDS ? "YYYY-MM-DDTHH:MM:SS" : "YYYY-MM-DDTHH:MM") + (zoned ? 1 : 0);
    const bool same = form[0] == '\0' && length == own && text[10] == 'T' && (!zoned || text[length - 1] == 'Z');
    return (same ? 0 : hb_spelt(HB_SPELT_TIME)) | hb_form_spelling(form);
}

/* Cells of a label that others are folded into. */
typedef struct hb_label_cells {
    uint64_t all;    /* where labels are found; 0 where they are said */
    uint64_t folded; /* written in another spelling */
} hb_label_cells;

typedef struct hb_column_notes {
    hb_leading_zeros leading_zeros; /* unused where the column's meaning is declared */
    uint64_t trimmed;               /* labels without quotes that lose blanks in front or behind ... */
    hb_csv_place first_trimmed;     /* ... and the first one's place in ... */
    const char *file;               /* ... this file, of several; NULL: there is only one. Borrowed */
    bool blank; /* no cell tells what it means, nor does an option: it was read as numbers. Not of several files */
    bool name_trimmed;      /* its name has no quotes, and loses blanks in front or behind */
    hb_label_cells *label;  /* [labels], where labels are folded; else NULL. Owned by the table, or its column */
    hb_spellings spellings; /* of truth values and dates, where decrypt writes another one; others that options read */
    uint64_t na;            /* which texts of --na missing cells have had, by hb_na_bit (dialect.h) */
} hb_column_notes;

/* Adds the notes of another file's column, whose rows come later, but for cells of labels. */
static inline void hb_column_notes_join(hb_column_notes *all, const hb_column_notes *of, const char *file)
{
    hb_leading_zeros_join(&all->leading_zeros, &of->leading_zeros);
    if (all->trimmed == 0 && of->trimmed > 0) {
        all->first_trimmed = of->first_trimmed;
        all->file = file;
    }
    all->trimmed += of->trimmed;
    all->name_trimmed = all->name_trimmed || of->name_trimmed;
    all->spellings |= of->spellings;
    all->na |= of->na;
}

#endif
