/* The words of a question in other words, for phrase.c. Rank-local. */
#ifndef HB_ASK_PHRASE_WORDS_H
#define HB_ASK_PHRASE_WORDS_H

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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

static inline bool hb_phrase_is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Takes the word at *at. Returns false where it has no end. */
static inline bool hb_phrase_take_word(const char **at, hb_phrase_word *out)
{
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "=<", "=>", "<>", "..", "&&", "||"};
    const char *p = *at;
    int length = 1;
    *out = (hb_phrase_word){.at = p, .kind = *p};
    if (*p == '\'' || *p == '"' || *p == '`') {
        const char *end = strchr(p + 1, *p);
        *out = (hb_phrase_word){.at = p + 1, .length = end != NULL ? (int)(end - p - 1) : 0, .kind = *p};
        *at = end != NULL ? end + 1 : p;
        return end != NULL;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        length = strncmp(p, pairs[i], 2) == 0 ? 2 : length;
    }
    const bool letter = hb_phrase_is_letter(*p), digit = isdigit((unsigned char)*p) != 0;
    out->kind = letter ? 'a' : digit ? '0' : *p;
    while ((letter || digit) && (hb_phrase_is_letter(p[length]) || isdigit((unsigned char)p[length]) ||
                                 (digit && p[length] == '.' && isdigit((unsigned char)p[length + 1])))) {
        length++;
    }
    out->length = length;
    *at = p + length;
    return true;
}

/* Returns the column whose name, which has other signs than names in questions, stands at `at` without quotes, the
 * longest one; NULL: none does, or a column has the name that stands there up to its first such sign. */
static inline const hb_phrase_column *hb_phrase_odd_column(const hb_phrase_words *p, const char *at)
{
    const hb_phrase_column *found = NULL;
    size_t longest = 0, plain = 0;
    while (hb_phrase_is_letter(at[plain]) || isdigit((unsigned char)at[plain])) {
        plain++;
    }
    for (size_t c = 0; c < p->column_count; c++) {
        const char *name = p->columns[c].name;
        const size_t length = strlen(name);
        const bool ends = !hb_phrase_is_letter(name[length > 0 ? length - 1 : 0]) ||
                          (strncasecmp(name, at, length) == 0 && !hb_phrase_is_letter(at[length]) &&
                           !isdigit((unsigned char)at[length]));
        if (length == plain && plain > 0 && strncasecmp(name, at, length) == 0) {
            return NULL;
        }
        if (ends && length > longest && p->columns[c].odd && strncasecmp(name, at, length) == 0) {
            longest = length;
            found = &p->columns[c];
        }
    }
    return found;
}

/* Divides a question into words, without the signs that end a sentence. Returns false for one without words or of too
 * many, for quotes without an end, and for parentheses that do not match. */
static inline bool hb_phrase_take(hb_phrase_words *p, const char *said)
{
    size_t depth = 0;
    while (p->count < HB_PHRASE_MOST_WORDS) {
        said += strspn(said, " \t\r\n");
        if (said[strspn(said, "?!. \t\r\n")] == '\0') {
            return p->count > 0 && depth == 0;
        }
        hb_phrase_word *next = &p->word[p->count];
        const hb_phrase_column *odd = hb_phrase_odd_column(p, said);
        if (odd != NULL) {
            *next = (hb_phrase_word){odd->name, (int)strlen(odd->name), '"'};
            said += next->length;
        } else if (!hb_phrase_take_word(&said, next) || (next->kind == ')' && depth == 0)) {
            return false;
        }
        depth += next->kind == '(';
        depth -= next->kind == ')';
        p->count++;
    }
    return false;
}

/* Returns how many words at i are those of an alternative of "at least|over", in large or small letters; 0: they are of
 * none. A text in quotes is no word. */
static inline size_t hb_phrase_is(const hb_phrase_words *p, size_t i, const char *list)
{
    size_t count = 0;
    bool same = true;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, " |"), w = i + count;
        same = same && w < p->count && strchr("'\"`", p->word[w].kind) == NULL && length == (size_t)p->word[w].length &&
               strncasecmp(p->word[w].at, at, length) == 0;
        count++;
        at += length;
        if (*at != ' ' && (same || *at == '\0')) {
            return same ? count : 0;
        }
        count = *at == ' ' ? count : 0;
        same = *at == ' ' ? same : true;
    }
}

/* Returns how many columns have a name, in large or small letters, and the last of them. Where none has, the first word
 * of a name with other signs does: Kosten of "Kosten EUR". */
static inline size_t hb_phrase_find_column(const hb_phrase_words *p, const char *name, size_t length,
                                           const hb_phrase_column **found)
{
    size_t count = 0;
    for (size_t c = 0; c < p->column_count; c++) {
        const char *own = p->columns[c].name;
        if (strlen(own) == length && strncasecmp(own, name, length) == 0) {
            *found = &p->columns[c];
            count++;
        }
    }
    for (size_t c = 0, named = count; c < p->column_count && named == 0; c++) {
        const char *own = p->columns[c].name;
        const bool begins = p->columns[c].odd && strlen(own) > length && strncasecmp(own, name, length) == 0;
        if (begins && !isalnum((unsigned char)own[length]) && own[length] != '_') {
            *found = &p->columns[c];
            count++;
        }
    }
    return count;
}

/* Returns the column that word i names alone; NULL: it names none, or several. */
static inline const hb_phrase_column *hb_phrase_column_at(const hb_phrase_words *p, size_t i)
{
    const hb_phrase_column *found = NULL;
    const bool name = i < p->count && strchr("a\"`", p->word[i].kind) != NULL;
    return name && hb_phrase_find_column(p, p->word[i].at, (size_t)p->word[i].length, &found) == 1 ? found : NULL;
}

/* Returns the place behind the parenthesis that closes the one at i. */
static inline size_t hb_phrase_behind(const hb_phrase_words *p, size_t i, size_t to)
{
    size_t depth = 0;
    for (; i < to; i++) {
        depth += p->word[i].kind == '(';
        depth -= p->word[i].kind == ')' && depth > 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return to;
}

static inline char hb_phrase_kind_at(const hb_phrase_words *p, size_t i)
{
    return i < p->count ? p->word[i].kind : '\0';
}

/* Whether words of a list stand in a span, outside parentheses. */
static inline bool hb_phrase_has(const hb_phrase_words *p, hb_phrase_span of, const char *list)
{
    bool found = false;
    for (size_t i = of.from; i < of.to && !found;) {
        found = hb_phrase_is(p, i, list) > 0;
        i = hb_phrase_kind_at(p, i) == '(' ? hb_phrase_behind(p, i, of.to) : i + 1;
    }
    return found;
}

/* Whether word i begins a date without quotes, 2024-03-01, which would be read as a difference. */
static inline bool hb_phrase_is_date(const hb_phrase_words *p, size_t i)
{
    return hb_phrase_kind_at(p, i) == '0' && hb_phrase_is(p, i + 1, "-") > 0 && hb_phrase_kind_at(p, i + 2) == '0' &&
           hb_phrase_is(p, i + 3, "-") > 0 && hb_phrase_kind_at(p, i + 4) == '0';
}

/* Whether those are a date as the language has it, between quotes. */
static inline bool hb_phrase_is_iso_date(const hb_phrase_words *p, size_t i)
{
    const char *at = p->word[i].at;
    return hb_phrase_is_date(p, i) && p->word[i].length == 4 && p->word[i + 2].at == at + 5 &&
           p->word[i + 2].length == 2 && p->word[i + 4].at == at + 8 && p->word[i + 4].length == 2;
}

/* Returns the column of count(distinct column) at i; NULL: it is none. */
static inline const hb_phrase_column *hb_phrase_distinct_at(const hb_phrase_words *p, size_t i)
{
    const bool counts = hb_phrase_is(p, i, "count") > 0 && hb_phrase_is(p, i + 1, "(") > 0 &&
                        hb_phrase_is(p, i + 2, "distinct") > 0 && hb_phrase_is(p, i + 4, ")") > 0;
    return counts ? hb_phrase_column_at(p, i + 3) : NULL;
}

/* Whether a word turns the sense of others, or names one of several columns. */
static inline bool hb_phrase_is_doubtful(const hb_phrase_words *p)
{
    static const char words[] = "no|without|but|except|excluding|having|join|union|intersect|distinct|top|select";
    bool found = false;
    for (size_t i = 0; i < p->count && !found; i++) {
        const hb_phrase_word *w = &p->word[i];
        const hb_phrase_column *column = NULL;
        const bool name = strchr("a\"`", w->kind) != NULL;
        found = hb_phrase_is(p, i, words) > 0 && (i > 0 || !hb_phrase_is(p, i, "select")) &&
                hb_phrase_distinct_at(p, i - (i > 1 ? 2 : 0)) == NULL;
        found = found || (name && hb_phrase_find_column(p, w->at, (size_t)w->length, &column) > 1);
    }
    return found;
}

/* Blanks once, and none at the ends or inside of parentheses; texts in quotes stay. */
static inline void hb_phrase_tidy(char *text)
{
    char *to = text, quote = '\0';
    for (const char *at = text; *at != '\0'; at++) {
        const bool first = to == text || to[-1] == ' ' || to[-1] == '(';
        if (quote == '\0' && *at == ' ' && (first || at[1] == '\0' || strchr(" ),", at[1]) != NULL)) {
            continue;
        }
        if (*at == '\'' || *at == '"') {
            quote = quote == '\0' ? *at : quote == *at ? '\0' : quote;
        }
        *to++ = *at;
    }
    *to = '\0';
}

#endif
