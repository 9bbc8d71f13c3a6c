/* The words of a question in other words. Rank-local. */
#ifndef HB_ASK_PHRASE_WORDS_H
#define HB_ASK_PHRASE_WORDS_H

#include "phrase.h"

/* A word of a question: a name ('a'), a number ('0'), a text in quotes (its quote), or a sign (its first byte). */
typedef struct hb_phrase_word {
    const char *at; /* without quotes */
    int length;
    char kind;
} hb_phrase_word;

/* Words [from, to) of a question. */
typedef struct hb_phrase_span {
    size_t from, to;
} hb_phrase_span;

enum { HB_PHRASE_MOST_WORDS = 256 };

typedef struct hb_phrase_words {
    hb_phrase_word word[HB_PHRASE_MOST_WORDS];
    size_t count;
    const hb_phrase_column *columns; /* [column_count] */
    size_t column_count;
} hb_phrase_words;

/* Divides a question into words, without the signs that end a sentence. Returns false for one without words or of too
 * many, for quotes without an end, and for parentheses that do not match. */
bool hb_phrase_take(hb_phrase_words *p, const char *said);
/* Returns how many words at i are those of an alternative of "at least|over", in large or small letters; 0: they are of
 * none. A text in quotes is no word. */
size_t hb_phrase_is(const hb_phrase_words *p, size_t i, const char *list);
/* Returns how many columns have a name, in large or small letters, and the last of them. Where none has, the first word
 * of a name with other signs does: Kosten of "Kosten EUR". */
size_t hb_phrase_find_column(const hb_phrase_words *p, const char *name, size_t length, const hb_phrase_column **found);
/* Returns the column that word i names alone; NULL: it names none, or several. */
const hb_phrase_column *hb_phrase_column_at(const hb_phrase_words *p, size_t i);
/* Returns the place behind the parenthesis that closes the one at i. */
size_t hb_phrase_behind(const hb_phrase_words *p, size_t i, size_t to);
/* Whether words of a list stand in a span, outside parentheses. */
bool hb_phrase_has(const hb_phrase_words *p, hb_phrase_span of, const char *list);
/* Returns the column of count(distinct column) at i; NULL: it is none. */
const hb_phrase_column *hb_phrase_distinct_at(const hb_phrase_words *p, size_t i);
/* Returns whether the word at i is the table of the column behind the point: any in SQL where there is one table. */
bool hb_phrase_is_table(const hb_phrase_words *p, size_t i);
static inline char hb_phrase_kind_at(const hb_phrase_words *p, size_t i)
{
    return i < p->count ? p->word[i].kind : '\0';
}

#endif
