/* Questions that people ask in other words: SQL, plain English, names of functions that other languages have. Rank-
 * local. */
#ifndef HB_ASK_PHRASE_H
#define HB_ASK_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* A column that a question can read. */
typedef struct hb_phrase_column {
    const char *name;
    char *written;    /* as the language has it: age, h.age, "body weight" */
    bool missing;     /* cells are missing */
    bool odd;         /* it has other signs than names in questions, and stands in quotes there */
    bool texts, days; /* its cells are texts, or dates or times */
} hb_phrase_column;

/* The differences between a proposal and the question, which people are told. */
typedef enum hb_phrase_change {
    HB_PHRASE_UNORDERED = 1,    /* an order or a limit of the rows of the answer is left out */
    HB_PHRASE_SQUARED = 2,      /* a variance stands for a standard deviation */
    HB_PHRASE_COUNTED = 4,      /* the counts of all values stand for one of them: the least, the median */
    HB_PHRASE_COVARIANCE = 8,   /* variances stand for a covariance ... */
    HB_PHRASE_CORRELATION = 16, /* ... or for a correlation */
    HB_PHRASE_APART = 32        /* aggregates stand for what was computed with them */
} hb_phrase_change;

/* Writes a question that is none of the language, as "select avg(age) from t group by ward", in the words of the
 * language: "groupby(ward, mean(age))". *text, owned, is NULL where a word says something that the proposal would not:
 * a proposal asks the same, but for *changes, of hb_phrase_change. The caller checks that it is of the language.
 * HB_ENOMEM. */
hb_status hb_phrase_find(const char *said, const hb_phrase_column *columns, size_t count, char **text,
                         unsigned *changes);

#endif
