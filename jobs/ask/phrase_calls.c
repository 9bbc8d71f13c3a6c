/* Calls, conditions and signs of a question in other words, written in those of the language. */
#include "phrase_calls.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Whether word i begins a date without quotes, 2024-03-01, which would be read as a difference. */
static bool is_date(const hb_phrase_words *p, size_t i)
{
    return hb_phrase_kind_at(p, i) == '0' && hb_phrase_is(p, i + 1, "-") > 0 && hb_phrase_kind_at(p, i + 2) == '0' &&
           hb_phrase_is(p, i + 3, "-") > 0 && hb_phrase_kind_at(p, i + 4) == '0';
}

/* Whether those are a date as the language has it, between quotes. */
static bool is_iso_date(const hb_phrase_words *p, size_t i)
{
    const char *at = p->word[i].at;
    return is_date(p, i) && p->word[i].length == 4 && p->word[i + 2].at == at + 5 && p->word[i + 2].length == 2 &&
           p->word[i + 4].at == at + 8 && p->word[i + 4].length == 2;
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
static unsigned pair_at(const phrase *p, size_t i)
{
    const bool call = is(p, i + 1, "(") > 0;
    return call && is(p, i, "cov|covar|covariance|covar_samp") > 0 ? HB_PHRASE_COVARIANCE
           : call && is(p, i, "corr|correlation|corrcoef") > 0     ? HB_PHRASE_CORRELATION
                                                                   : 0;
}

/* Writes the variance of a column, in rows where the other one is there as well. */
static void write_variance(phrase *p, const hb_phrase_column *of, const hb_phrase_column *other)
{
    fprintf(p->to, "var(%s%s%s%s)", of->written, other->missing ? " where " : "", other->missing ? other->written : "",
            other->missing ? " is not missing" : "");
}

/* Writes the variances from which the covariance or the correlation of two columns follows: a sum of columns is there
 * in the rows where both are. */
static void write_pair(phrase *p, unsigned change, const hb_phrase_column *x, const hb_phrase_column *y, bool groups)
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
static bool means_rows(const phrase *p, span inner)
{
    const hb_phrase_column *column = column_at(p, inner.from);
    const bool all = is(p, inner.from, "*|1") > 0 || (p->sql && column != NULL && !column->missing);
    return inner.to == inner.from || (inner.to == inner.from + 1 && all);
}

/* Older and younger compare an age, which need not be named where a condition begins. */
static bool has_age(const phrase *p, size_t i)
{
    const hb_phrase_column *age = NULL;
    const bool known = hb_phrase_find_column(&p->words, "age", 3, &age) == 1;
    return known && (i == p->condition.from || (i > 0 && column_at(p, i - 1) == age));
}

/* Writes signs and words of conditions as the language has them. Returns how many words that took; 0: it is none.
 * *compares: whether values may follow; *equals: whether a label may. */
static size_t write_sign(phrase *p, size_t i, bool *compares, bool *equals)
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

static bool write_words(phrase *p, span of);
/* Writes the name of a function, its own in the language or, where that is NULL, word i, and a parenthesis. */
static void write_name(phrase *p, size_t i, const char *own)
{
    for (int c = 0; own == NULL && c < p->words.word[i].length; c++) {
        fputc(tolower((unsigned char)p->words.word[i].at[c]), p->to);
    }
    fprintf(p->to, "%s(", own != NULL ? own : "");
}

/* Writes the argument of a count: in SQL a column, whose cells it counts, and here a condition, where it is true. */
static void write_counted(phrase *p, span inner)
{
    write_words(p, inner);
    expect(p, !p->sql || (inner.to == inner.from + 1 && column_at(p, inner.from) != NULL));
    fputs(p->sql ? " is not missing" : "", p->to);
}

/* Writes how often there is each value of a column, which a call at i asks for: of a category there is nothing else.
 * Returns false where it asks for something else. */
static bool write_counts(phrase *p, size_t i, const hb_phrase_column *column)
{
    static const char of_texts[] = "count|mean|average|avg|sum|total|median|mode|max|min|unique|nunique";
    const hb_phrase_column *distinct = hb_phrase_distinct_at(&p->words, i);
    column = distinct != NULL ? distinct : column;
    const bool groups =
        column != NULL && (is(p, i, "groupby") > 0 || (column->texts && !p->sql && is(p, i, of_texts) > 0) ||
                           (distinct != NULL && column->texts));
    if (groups || distinct != NULL) {
        fprintf(p->to, groups ? "groupby(%s, count())" : "histogram(%s)", column->written);
        p->changes |= HB_PHRASE_COUNTED;
    }
    return groups || distinct != NULL;
}

/* Writes a covariance or a correlation of two columns, which is a whole question or one among the results of groups. */
static void write_pair_at(phrase *p, size_t i, size_t end, bool groups)
{
    const hb_phrase_column *column[2] = {NULL, NULL};
    size_t at = i + 2;
    for (int c = 0; c < 2; c++) {
        at += hb_phrase_is_table(&p->words, at) ? 2 : 0;
        column[c] = column_at(p, at++);
        expect(p, column[c] != NULL && is(p, at++, c == 0 ? "," : ")") > 0);
    }
    expect(p, at == end && (p->changes & (HB_PHRASE_COVARIANCE | HB_PHRASE_CORRELATION)) == 0);
    if (p->understood) {
        write_pair(p, pair_at(p, i), column[0], column[1], groups);
    }
}

/* Writes a call, whose parenthesis stands behind i, and returns the place behind it. lone: it is the whole question. */
static size_t write_call(phrase *p, size_t i, size_t to, bool lone)
{
    const size_t end = behind(p, i + 1, to);
    const span inner = {i + 2, end - 1};
    const bool single = inner.to == inner.from + 1;
    const hb_phrase_column *quoted = NULL;
    if (single && kind_at(p, inner.from) == '\'') { /* a column in single quotes */
        const hb_phrase_word *w = &p->words.word[inner.from];
        expect(p, hb_phrase_find_column(&p->words, w->at, (size_t)w->length, &quoted) == 1);
    }
    if (pair_at(p, i) > 0) {
        const bool beside = is(p, i - 1, ",") > 0 && (is(p, end, ",") > 0 || end + 1 == p->words.count);
        expect(p, lone || p->groups.to > 0 || (is(p, 0, "groupby") > 0 && beside));
        write_pair_at(p, i, end, !lone);
        return end;
    }
    if (lone && write_counts(p, i, single && quoted == NULL ? column_at(p, inner.from) : quoted)) {
        return end;
    }
    if (single && is(p, i, "isnull|isna|isnan|is_null") > 0) { /* of all rows together, their number */
        fputs(lone ? "count(" : "", p->to);
        write_words(p, inner);
        fputs(lone ? " is missing)" : " is missing", p->to);
        return end;
    }
    const bool counts = is(p, i, "count") > 0;
    write_name(p, i, function_name(p, i, lone && inner.to == inner.from + 1));
    if (counts && !means_rows(p, inner)) {
        write_counted(p, inner);
    } else if (quoted != NULL) {
        fputs(quoted->written, p->to);
    } else if (!counts) {
        write_words(p, inner);
    }
    fputc(')', p->to);
    return end;
}

/* Writes a word that is no column. In quotes it is a label; so it is behind a comparison, but in SQL. */
static void write_word(phrase *p, size_t i, bool compared, bool value)
{
    const hb_phrase_word *w = &p->words.word[i];
    if (w->kind == 'a' || strchr("'\"`", w->kind) != NULL) {
        const bool label = w->kind == '\'' || (w->kind == '"' && compared) || (w->kind == 'a' && value && !p->sql);
        expect(p, label && memchr(w->at, '\'', (size_t)w->length) == NULL);
        fprintf(p->to, "'%.*s'", w->length, w->at);
        return;
    }
    const char *blank = strchr("+-*/", w->kind) != NULL ? " " : "";
    expect(p, strchr(p->sql ? "0+-*(),." : "0+-*/^(),.", w->kind) != NULL); /* SQL may drop a quotient's fraction */
    expect(p, !is_date(&p->words, i) && !(p->sql && is(p, i, "-") && is(p, i + 1, "-"))); /* -- a comment */
    fprintf(p->to, "%s%.*s%s", blank, w->length, w->at, w->kind == ',' ? " " : blank);
}

/* Writes the value at i, and returns the place behind it. *value: it may be a label; `of`: the column before it. */
static size_t write_value(phrase *p, size_t i, bool compared, bool value, const hb_phrase_column *of)
{
    if (compared && of != NULL && of->days && is_iso_date(&p->words, i)) {
        fprintf(p->to, "'%.10s'", p->words.word[i].at);
        return i + 5;
    }
    write_word(p, i, compared, value);
    return i + 1;
}

/* Writes words in the language. Returns whether they compare. */
static bool write_words(phrase *p, span of)
{
    bool compared = false, value = false, operand = false; /* the word before is one */
    const hb_phrase_column *last = NULL;
    size_t list = 0; /* the end of the list behind `in` */
    for (size_t i = of.from; i < of.to;) {
        const hb_phrase_column *column = column_at(p, i);
        const size_t sign = column == NULL ? write_sign(p, i, &compared, &value) : 0;
        if (sign > 0) {
            list = is(p, i, "in") ? behind(p, i + 1, of.to) : list;
            i += sign;
            operand = false;
            continue;
        }
        if (hb_phrase_is_table(&p->words, i)) {
            i += 2;
            continue;
        }
        const bool is_operand = strchr("a0'\"`", kind_at(p, i)) != NULL;
        expect(p, !(operand && is_operand));
        operand = is_operand;
        if (kind_at(p, i) == 'a' && is(p, i + 1, "(") && i + 1 < of.to) {
            i = write_call(p, i, of.to, false);
        } else if (column != NULL) {
            fputs(column->written, p->to);
            last = column;
            i++;
        } else {
            i = write_value(p, i, compared, value || i < list, last);
        }
        value = false;
    }
    return compared;
}

/* Writes a condition; one of an age need not name it. */
static void write_condition(phrase *p)
{
    const hb_phrase_column *age = NULL;
    const span of = p->condition;
    if (is(p, of.from, "older|younger|over|under") && hb_phrase_find_column(&p->words, "age", 3, &age) == 1) {
        fputs(age->written, p->to);
    }
    expect(p, write_words(p, of) && !hb_phrase_has(&p->words, of, ","));
}

void hb_phrase_write_aggregate(phrase *p, span head, const hb_phrase_told *told)
{
    span inner = {head.from + 2, head.to - 1};
    const char *aggregate = told != NULL ? told->aggregate : function_name(p, head.from, false);
    const bool counts =
        told == NULL ? is(p, head.from, "count|countif") > 0 : aggregate != NULL && strcmp(aggregate, "count") == 0;
    if (told != NULL) {
        inner = told->column < p->words.count ? (span){told->column, told->column + 1} : (span){0, 0};
        expect(p, aggregate != NULL && counts == (inner.to == 0));
    } else { /* conditions on all rows are for these alone */
        expect(p, aggregate != NULL || is(p, head.from, "mean|sum|var|count"));
    }
    const bool rows = counts && means_rows(p, inner);
    write_name(p, head.from, aggregate);
    if (counts && !rows) { /* both conditions hold */
        expect(p, p->sql || inner.to > inner.from + 1);
        expect(p, !hb_phrase_has(&p->words, inner, "or") && !hb_phrase_has(&p->words, p->condition, "or"));
        write_counted(p, inner);
    } else if (!rows) {
        write_words(p, inner);
    }
    if (p->condition.to > 0) {
        fputs(rows ? "" : counts ? " and " : " where ", p->to);
        write_condition(p);
    }
    fputc(')', p->to);
}

void hb_phrase_write_expression(phrase *p, span of, bool call, bool lone)
{
    if (call) {
        (void)write_call(p, of.from, of.to, lone);
    } else {
        (void)write_words(p, of);
    }
}
