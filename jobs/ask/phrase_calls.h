/* A question in other words and its clauses; its calls and conditions in the words of the language. Rank-local. */
#ifndef HB_ASK_PHRASE_CALLS_H
#define HB_ASK_PHRASE_CALLS_H

#include <stdio.h>

#include "phrase_words.h"

typedef hb_phrase_span span;
enum { MOST_SPANS = 16 };

/* A question, word by word, and its clauses. Every word is written or has no sense of its own; a question with any
 * other word is not understood. */
typedef struct phrase {
    hb_phrase_words words;
    span heads[MOST_SPANS]; /* the results that the question asks for */
    size_t head_count;
    span groups, condition; /* empty: none is said */
    bool sql;
    bool understood;  /* so far */
    unsigned changes; /* of hb_phrase_change */
    FILE *to;
} phrase;

static inline size_t is(const phrase *p, size_t i, const char *list)
{
    return hb_phrase_is(&p->words, i, list);
}

static inline const hb_phrase_column *column_at(const phrase *p, size_t i)
{
    return hb_phrase_column_at(&p->words, i);
}

static inline size_t behind(const phrase *p, size_t i, size_t to)
{
    return hb_phrase_behind(&p->words, i, to);
}

static inline char kind_at(const phrase *p, size_t i)
{
    return hb_phrase_kind_at(&p->words, i);
}

/* Notes that the question is understood only if `sure` is true. */
static inline void expect(phrase *p, bool sure)
{
    p->understood = p->understood && sure;
}

/* Writes words in the language: a call, which lone, is the whole question, or others. */
void hb_phrase_write_expression(phrase *p, span of, bool call, bool lone);
/* An aggregate, and the word of its column, in plain English; NULL and the number of words where none is said. */
typedef struct hb_phrase_told {
    const char *aggregate;
    size_t column;
} hb_phrase_told;
/* Writes an aggregate with the condition of all rows. told: it is said in plain English; NULL: the words are a call. */
void hb_phrase_write_aggregate(phrase *p, span head, const hb_phrase_told *told);

#endif
