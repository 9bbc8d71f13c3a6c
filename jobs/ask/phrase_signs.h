/* The clauses of a question in other words, and the signs and names of functions that it writes as this language has
 * them, for phrase.c. Rank-local. */
#ifndef HB_ASK_PHRASE_SIGNS_H
#define HB_ASK_PHRASE_SIGNS_H

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

static const hb_phrase_column *column_at(const phrase *p, size_t i)
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

/* The name that a function of other languages has here; NULL: it has no other. A lone function that orders rows becomes
 * the counts of a column's values. */
static const char *function_name(phrase *p, size_t i, bool lone)
{
    static const struct {
        const char *own, *others;
        unsigned change;
    } names[] = {{"mean", "avg|average", 0},
                 {"sum", "total", 0},
                 {"var", "variance|var_samp", 0},
                 {"var", "std|stdev|stddev|sd|stddev_samp", HB_PHRASE_SQUARED},
                 {"sigmoid", "logistic|expit", 0},
                 {"count", "countif", 0},
                 {"histogram", "median|mode|max|min|unique|nunique", HB_PHRASE_COUNTED}};
    const char *found = NULL;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (is(p, i, names[n].others) > 0 && (lone || names[n].change != HB_PHRASE_COUNTED)) {
            found = names[n].own;
            p->changes |= names[n].change;
        }
    }
    return found;
}

/* The covariance or the correlation that a call at i asks for; 0: it asks for something else. */
static inline unsigned pair_at(const phrase *p, size_t i)
{
    const bool call = is(p, i + 1, "(") > 0;
    return call && is(p, i, "cov|covar|covariance|covar_samp") > 0 ? HB_PHRASE_COVARIANCE
           : call && is(p, i, "corr|correlation|corrcoef") > 0     ? HB_PHRASE_CORRELATION
                                                                   : 0;
}

/* Writes the variance of a column, in rows where the other one is there as well. */
static inline void write_variance(phrase *p, const hb_phrase_column *of, const hb_phrase_column *other)
{
    fprintf(p->to, "var(%s%s%s%s)", of->written, other->missing ? " where " : "", other->missing ? other->written : "",
            other->missing ? " is not missing" : "");
}

/* Writes the variances from which the covariance or the correlation of two columns follows: a sum of columns is there
 * in the rows where both are. */
static inline void write_pair(phrase *p, unsigned change, const hb_phrase_column *x, const hb_phrase_column *y,
                              bool groups)
{
    const char *next = groups ? ", " : "; ";
    fprintf(p->to, "var(%s + %s)%svar(%s - %s)", x->written, y->written, next, x->written, y->written);
    if (change == HB_PHRASE_CORRELATION) {
        fputs(next, p->to);
        write_variance(p, x, y);
        fputs(next, p->to);
        write_variance(p, y, x);
    }
    p->changes |= change;
}

/* Whether words between parentheses are one that stands for all rows: *, 1, or in SQL a column without gaps. */
static inline bool means_rows(const phrase *p, span inner)
{
    const hb_phrase_column *column = column_at(p, inner.from);
    const bool all = is(p, inner.from, "*|1") > 0 || (p->sql && column != NULL && !column->missing);
    return inner.to == inner.from || (inner.to == inner.from + 1 && all);
}

/* Older and younger compare an age, which need not be named where a condition begins. */
static inline bool has_age(const phrase *p, size_t i)
{
    const hb_phrase_column *age = NULL;
    const bool known = hb_phrase_find_column(&p->words, "age", 3, &age) == 1;
    return known && (i == p->condition.from || (i > 0 && column_at(p, i - 1) == age));
}

/* Writes signs and words of conditions as the language has them. Returns how many words that took; 0: it is none.
 * *compares: whether values may follow; *equals: whether a label may. */
static inline size_t write_sign(phrase *p, size_t i, bool *compares, bool *equals)
{
    enum { EQUALS = 6, IN = 8, COMPARE = 10 };
    static const char *const signs[][2] = {{"is not missing", "is not null|is not missing"},
                                           {"is missing", "is null|is missing"},
                                           {">=", ">=|=>|\xE2\x89\xA5|is at least|at least"},
                                           {"<=", "<=|=<|\xE2\x89\xA4|is at most|at most"},
                                           {">", ">|is over|is above|over|above|older than|more than|greater than"},
                                           {"<", "<|is under|is below|under|below|younger than|less than"},
                                           {"!=", "!=|<>|\xE2\x89\xA0|is not"},
                                           {"==", "==|=|equals|is"},
                                           {"in", "in"},
                                           {"between", "between"},
                                           {"and", "and|&&"},
                                           {"not", "not"},
                                           {"where", "where"},
                                           {"or", "or"}};
    if (kind_at(p, i) == '|' && p->words.word[i].length == 2) {
        fputs(" or ", p->to);
        return 1;
    }
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++) {
        const size_t matched = is(p, i, signs[s][1]);
        if (matched > 0) {
            fprintf(p->to, " %s ", signs[s][0]);
            *compares = *compares || s < COMPARE;
            *equals = s >= EQUALS && s < IN;
            expect(p, is(p, i, "older|younger") == 0 || has_age(p, i));
            expect(p, is(p, i, "in") == 0 || kind_at(p, i + 1) == '(');
            return matched;
        }
    }
    return 0;
}

#endif
