/* The spelling of a CSV's cells, where it is not the usual one. */
#ifndef HB_IO_TABLE_DIALECT_H
#define HB_IO_TABLE_DIALECT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/digest.h"
#include "base/status.h"
#include "table/meaning.h"
#include "text_file.h"

/* Which times of day behind dates are read. */
typedef enum hb_times {
    HB_TIMES_REFUSED, /* none but midnight */
    HB_TIMES_DROPPED, /* all are left out */
    HB_TIMES_FOUND,   /* a survey reads all, whatever their unit; each midnight is a date */
    HB_TIMES_SECONDS, /* all, which are columns of times in this unit */
    HB_TIMES_MINUTES,
    HB_TIMES_HOURS
} hb_times;
/* Returns the unit of times that are read; HB_TIME_NONE: none are. */
static inline hb_time_unit hb_times_unit(hb_times times)
{
    return times < HB_TIMES_SECONDS ? HB_TIME_NONE : (hb_time_unit)(times - HB_TIMES_FOUND);
}

enum { HB_DATE_FORM = 6 }; /* bytes of an order of dates, such as "d.m.y" */

/* Zeroed: the usual spelling. */
typedef struct hb_dialect {
    /* The sign in front of fractions, in columns of which nothing else is said: a point or a comma, and the other one
     * may stand between thousands; 0: a point, and nothing between thousands. */
    char decimal;
    bool rounds;             /* decimals finer than their scale are rounded to the nearest; else they are refused */
    hb_times times;          /* of columns of which nothing else is said */
    char date[HB_DATE_FORM]; /* the order of dates (hb_date_parse_as); "": YYYY-MM-DD */
    hb_charset charset;      /* of texts */
    char *missing;           /* further texts that mean missing cells, each with a terminating zero; owned */
    size_t missing_bytes;    /* of all of them */
} hb_dialect;

/* Makes a copy with a list of its own; HB_ENOMEM. */
hb_status hb_dialect_copy(hb_dialect *to, const hb_dialect *from);
void hb_dialect_clear(hb_dialect *dialect);
/* Returns whether a text means a missing cell: an empty text; NA, NaN, null, None and the like, in any case; or one of
 * the further texts. */
bool hb_dialect_is_missing(const hb_dialect *dialect, const char *text, size_t length);
/* Returns whether it is another word for a missing cell, in any case, as unknown or ?: among numbers it means one, and
 * as a label it may be one as any other. */
bool hb_dialect_may_be_missing(const char *text);
/* Adds to a list of texts, as --na takes them, the labels that mean a missing cell among numbers, as many as there is
 * room for. Returns how many there are. */
static inline uint64_t hb_labels_list_gaps(const hb_labels *labels, char *list, size_t bytes)
{
    const hb_dialect usual = {0};
    uint64_t count = 0;
    for (uint64_t i = 0; labels != NULL && i < labels->count; i++) {
        const char *text = labels->text[i];
        const size_t used = strlen(list), length = strlen(text);
        /* Words that are missing by themselves are labels where they stand in quotes. */
        if (hb_dialect_may_be_missing(text) || hb_dialect_is_missing(&usual, text, length)) {
            count++;
            if (used + length + 2 <= bytes) {
                snprintf(list + used, bytes - used, "%s%s", used > 0 ? "," : "", text);
            }
        }
    }
    return count;
}
/* Parses options, each of which may be NULL: point or comma; an order of dates, d.m.y or dd.mm.yyyy; and utf-8,
 * latin-1, windows-1252 or utf-16. HB_EUSAGE. */
hb_status hb_dialect_parse(hb_dialect *dialect, const char *decimal, const char *date_format, const char *charset);
/* Adds a text that means a missing cell to a list of them, each with a terminating zero. HB_ENOMEM. */
hb_status hb_na_add(char **texts, size_t *bytes, const char *text);
/* Returns the bit of the i-th text of such a list, from 0; the last one is that of all others. */
static inline uint64_t hb_na_bit(uint64_t i)
{
    return (uint64_t)1 << (i < 63 ? i : 63);
}
/* Returns the bits of the texts of the list that are this one, letter by letter. */
uint64_t hb_na_find(const hb_dialect *dialect, const char *text, size_t length);
/* Returns whether it is one of the further texts, letter by letter. */
static inline bool hb_dialect_is_said(const hb_dialect *dialect, const char *text, size_t length)
{
    return hb_na_find(dialect, text, length) != 0;
}
/* Returns whether it is none, in any case: among texts it is a label, which often says that there is nothing, unless
 * --na says otherwise. */
static inline bool hb_dialect_is_none(const hb_dialect *dialect, const char *text, size_t length)
{
    return length == 4 && strncasecmp(text, "none", length) == 0 && !hb_dialect_is_said(dialect, text, length);
}
/* Returns whether a label, written without quotes, is read as a missing cell without --na. */
static inline bool hb_dialect_takes(const char *label, size_t length)
{
    const hb_dialect usual = {0};
    return hb_dialect_is_missing(&usual, label, length) && !hb_dialect_is_none(&usual, label, length);
}
/* Returns whether any spelling is unusual. */
static inline bool hb_dialect_says(const hb_dialect *dialect)
{
    return dialect->decimal != 0 || dialect->rounds || dialect->times != HB_TIMES_REFUSED || dialect->date[0] != '\0' ||
           dialect->missing != NULL || dialect->charset != HB_CHARSET_FOUND;
}
/* Adds the unusual spellings to a digest; nothing where there are none. */
void hb_dialect_digest(const hb_dialect *dialect, hb_digest_state *state);

#endif
