#include "phrase.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

/* A word of a question: a name ('a'), a number ('0'), a text in quotes (its quote), or a sign (its first byte). */
typedef struct word {
    const char *at; /* without quotes */
    int length;
    char kind;
} word;

/* Words [from, to) of a question. */
typedef struct span {
    size_t from, to;
} span;

enum { MOST_WORDS = 256, MOST_SPANS = 16 };

/* A question, word by word, and what its clauses say. */
typedef struct phrase {
    word words[MOST_WORDS];
    size_t count;
    const hb_phrase_column *columns;
    size_t column_count;
    span heads[MOST_SPANS]; /* what is asked for */
    size_t head_count;
    span groups, condition; /* empty: none is said */
    bool sql;
    bool understood; /* so far */
    FILE *to;
} phrase;

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Takes the word at *at. Returns false where it has no end. */
static bool take_word(const char **at, word *out)
{
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "<>", "..", "&&", "||"};
    const char *p = *at;
    int length = 1;
    *out = (word){.at = p, .kind = *p};
    if (*p == '\'' || *p == '"' || *p == '`') {
        const char *end = strchr(p + 1, *p);
        *out = (word){.at = p + 1, .length = end != NULL ? (int)(end - p - 1) : 0, .kind = *p};
        *at = end != NULL ? end + 1 : p;
        return end != NULL;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        length = strncmp(p, pairs[i], 2) == 0 ? 2 : length;
    }
    const bool letter = is_letter(*p), digit = isdigit((unsigned char)*p) != 0;
    out->kind = letter ? 'a' : digit ? '0' : *p;
    while ((letter || digit) && (is_letter(p[length]) || isdigit((unsigned char)p[length]) ||
                                 (digit && p[length] == '.' && p[length + 1] != '.'))) {
        length++;
    }
    out->length = length;
    *at = p + length;
    return true;
}

static bool take_words(phrase *p, const char *said)
{
    while (p->count < MOST_WORDS) {
        said += strspn(said, " \t\r\n");
        if (*said == '\0') {
            return p->count > 0;
        }
        word *next = &p->words[p->count];
        if (!take_word(&said, next)) {
            return false;
        }
        p->count += next->kind != '?' && next->kind != '!';
    }
    return false;
}

static bool is(const phrase *p, size_t i, const char *text)
{
    return i < p->count && (p->words[i].kind == 'a' || strchr("'\"`", p->words[i].kind) == NULL) &&
           strlen(text) == (size_t)p->words[i].length && strncasecmp(p->words[i].at, text, strlen(text)) == 0;
}

/* Returns how many words at i are those of an alternative of "at least|over"; 0: they are of none. */
static size_t matches(const phrase *p, size_t i, const char *list)
{
    size_t count = 0;
    bool same = true;
    for (const char *at = list;; at++) {
        char own[16];
        const size_t length = strcspn(at, " |");
        snprintf(own, sizeof own, "%.*s", (int)length, at);
        same = same && is(p, i + count, own);
        count++;
        at += length;
        if (*at != ' ' && (same || *at == '\0')) {
            return same ? count : 0;
        }
        count = *at == ' ' ? count : 0;
        same = *at == ' ' ? same : true;
    }
}

static const hb_phrase_column *column_at(const phrase *p, size_t i)
{
    const word *w = &p->words[i];
    if (i >= p->count || (w->kind != 'a' && w->kind != '"' && w->kind != '`')) {
        return NULL;
    }
    for (size_t c = 0; c < p->column_count; c++) {
        const char *name = p->columns[c].name;
        if (strlen(name) == (size_t)w->length && strncasecmp(name, w->at, strlen(name)) == 0) {
            return &p->columns[c];
        }
    }
    return NULL;
}

/* What a function of other languages is called here. One that orders rows becomes the counts of a column's values. */
static const char *function_name(const phrase *p, size_t i)
{
    static const struct {
        const char *own, *others;
    } names[] = {{"mean", "avg|average"},
                 {"sum", "total"},
                 {"var", "std|stdev|stddev|sd|variance|var_pop|var_samp|stddev_pop|stddev_samp"},
                 {"count", "countif"},
                 {"histogram", "median|mode|max|min|unique|distinct|nunique"}};
    const char *found = NULL;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        found = matches(p, i, names[n].others) > 0 ? names[n].own : found;
    }
    return found;
}

/* The place behind the parenthesis that closes the one at i. */
static size_t behind(const phrase *p, size_t i, size_t to)
{
    size_t depth = 0;
    for (; i < to; i++) {
        depth += p->words[i].kind == '(';
        depth -= p->words[i].kind == ')' && depth > 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return to;
}

/* Whether words between parentheses are one that stands for all rows: *, 1, or a column without gaps. */
static bool means_rows(const phrase *p, size_t from, size_t to)
{
    const hb_phrase_column *column = column_at(p, from);
    const bool all = matches(p, from, "*|1") > 0 || (column != NULL && !column->missing);
    return to == from || (to == from + 1 && all);
}

/* Writes signs and words of conditions as the language has them. Returns how many words that took; 0: it is none. */
static size_t write_sign(phrase *p, size_t i)
{
    static const char *const signs[][2] = {{"is not missing", "is not null|is not missing"},
                                           {"is missing", "is null|is missing"},
                                           {">=", "is at least|at least"},
                                           {"<=", "is at most|at most"},
                                           {">", "is over|is above|over|above|older than|more than|greater than"},
                                           {"<", "is under|is below|under|below|younger than|less than"},
                                           {"!=", "<>|is not"},
                                           {"==", "=|equals|is"},
                                           {"and", "and|&&"},
                                           {"not", "not"},
                                           {"in", "in"},
                                           {"between", "between"},
                                           {"where", "where"},
                                           {"or", "or"}};
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++) {
        const size_t matched = matches(p, i, signs[s][1]);
        if (matched > 0) {
            fprintf(p->to, " %s ", signs[s][0]);
            return matched;
        }
    }
    return 0;
}

static void write_words(phrase *p, span of);
/* Writes the name of a function, its own in the language or, where that is NULL, word i, and a parenthesis. */
static void write_name(phrase *p, size_t i, const char *own)
{
    for (int c = 0; own == NULL && c < p->words[i].length; c++) {
        fputc(tolower((unsigned char)p->words[i].at[c]), p->to);
    }
    fprintf(p->to, "%s(", own != NULL ? own : "");
}

/* Writes a call, whose parenthesis stands behind i, and returns the place behind it. */
static size_t write_call(phrase *p, size_t i, size_t to)
{
    const size_t end = behind(p, i + 1, to);
    const span inner = {i + 2, end - 1};
    if (is(p, i, "count") && means_rows(p, inner.from, inner.to)) {
        fputs("count()", p->to);
        return end;
    }
    p->understood = p->understood && !(is(p, i, "count") && is(p, inner.from, "distinct"));
    write_name(p, i, function_name(p, i));
    write_words(p, inner);
    fputc(')', p->to);
    return end;
}

/* Writes words in the language. A word beside a comparison that is no column is a label. */
static void write_words(phrase *p, span of)
{
    bool compared = false;
    for (size_t i = of.from; i < of.to;) {
        const word *w = &p->words[i];
        const hb_phrase_column *column = column_at(p, i);
        const bool picks = w->kind == 'a' && is(p, i + 1, ".") && i + 2 < of.to;
        const size_t sign = column == NULL ? write_sign(p, i) : 0;
        if (sign > 0) {
            compared = true;
            i += sign;
            continue;
        }
        if (picks && column_at(p, i + 2) != NULL) { /* of a table that has one name in SQL, and another here */
            i += 2;
            continue;
        }
        if (w->kind == 'a' && is(p, i + 1, "(") && i + 1 < of.to) {
            i = write_call(p, i, of.to);
            continue;
        }
        if (column != NULL) {
            fputs(column->written, p->to);
        } else if (w->kind == 'a' || strchr("'\"`", w->kind) != NULL) {
            const bool label = w->kind == '\'' || compared;
            p->understood = p->understood && label && memchr(w->at, '\'', (size_t)w->length) == NULL;
            fprintf(p->to, "'%.*s'", w->length, w->at);
        } else {
            const char *blank = strchr("+-*/<>!=", w->kind) != NULL ? " " : "";
            compared = compared || strchr("<>!=", w->kind) != NULL;
            fprintf(p->to, "%s%.*s%s", blank, w->length, w->at, w->kind == ',' ? " " : blank);
        }
        i++;
    }
}

/* How a clause begins. */
typedef enum clause { HEAD, GROUPS, CONDITION, LEFT_OUT } clause;

/* Returns how many words at i begin a clause, and which; 0: none does. */
static size_t begins_clause(const phrase *p, size_t i, clause *kind)
{
    static const char *const begins[] = {[GROUPS] = "group by|grouped by|for each|in each|by|per",
                                         [CONDITION] = "where|whose|with|if",
                                         [LEFT_OUT] = "order by|sorted by|sort by|limit|from|;"};
    size_t matched = 0;
    for (int c = GROUPS; c <= LEFT_OUT && matched == 0; c++) {
        matched = matches(p, i, begins[c]);
        *kind = (clause)c;
    }
    return matched;
}

/* Divides what is asked for at its commas. */
static void take_heads(phrase *p, span of)
{
    for (size_t i = of.from; i < of.to && p->head_count < MOST_SPANS;) {
        size_t end = i;
        while (end < of.to && p->words[end].kind != ',') {
            end = p->words[end].kind == '(' ? behind(p, end, of.to) : end + 1;
        }
        p->heads[p->head_count++] = (span){i, end};
        i = end + 1;
    }
}

/* Finds the clauses, which stand outside parentheses. One that is said twice is not understood. */
static void take_clauses(phrase *p)
{
    span *const places[] = {NULL, &p->groups, &p->condition, NULL};
    clause kind = HEAD;
    size_t from = p->sql ? 1 : 0;
    for (size_t i = from; i <= p->count;) {
        clause next = LEFT_OUT;
        const size_t words = i < p->count ? begins_clause(p, i, &next) : 1;
        if (words == 0) {
            i = p->words[i].kind == '(' ? behind(p, i, p->count) : i + 1;
            continue;
        }
        if (kind == HEAD) {
            take_heads(p, (span){from, i});
        } else if (places[kind] != NULL) {
            p->understood = p->understood && places[kind]->to == 0;
            *places[kind] = (span){from, i};
        }
        kind = next;
        i += words;
        from = i;
    }
}

/* The aggregate and its column's word in plain English; NULL and the number of words where none is said. */
typedef struct told {
    const char *aggregate;
    size_t column;
} told;
static told understand(phrase *p, span head)
{
    static const char compare[] = "older|younger|over|above|under|below|more|less|greater|at|>|<|>=|<=|==|=|equals";
    told found = {.column = p->count};
    for (size_t i = head.from; i < head.to; i++) {
        const hb_phrase_column *column = column_at(p, i);
        const char *aggregate = column != NULL                                   ? NULL
                                : matches(p, i, "average|avg|mean")              ? "mean"
                                : matches(p, i, "sum|total")                     ? "sum"
                                : matches(p, i, "count|number|many")             ? "count"
                                : matches(p, i, "variance|deviation|std|stddev") ? "var"
                                                                                 : NULL;
        found.aggregate = found.aggregate == NULL ? aggregate : found.aggregate;
        if (matches(p, i, compare) && p->condition.to == 0) {
            const bool named = i > head.from && column_at(p, i - 1) != NULL;
            p->condition = (span){named ? i - 1 : i, head.to};
            found.column = named && found.column == i - 1 ? p->count : found.column;
            p->understood = p->understood && (named || matches(p, i, "older|younger"));
            break;
        }
        found.column = column != NULL && found.column == p->count ? i : found.column;
    }
    return found;
}

/* Writes a condition; one of an age need not name it. */
static void write_condition(phrase *p)
{
    size_t c = 0;
    while (c < p->column_count && strcasecmp(p->columns[c].name, "age") != 0) {
        c++;
    }
    if (matches(p, p->condition.from, "older|younger") > 0) {
        p->understood = p->understood && c < p->column_count;
        fputs(c < p->column_count ? p->columns[c].written : "", p->to);
    }
    write_words(p, p->condition);
}

/* Writes one aggregate, with the condition of all. */
static void write_aggregate(phrase *p, span head)
{
    const bool call = is(p, head.from + 1, "(") && behind(p, head.from + 1, head.to) == head.to;
    const bool groups = is(p, head.from, "groupby") || is(p, head.from, "histogram");
    span inner = {head.from + 2, head.to - 1};
    const char *name = function_name(p, head.from);
    bool counts = is(p, head.from, "count");
    if (call && (p->condition.to == 0 || groups)) {
        p->understood = p->understood && p->condition.to == 0;
        write_call(p, head.from, head.to);
        return;
    }
    if (!call) {
        const told said = understand(p, head);
        name = said.aggregate;
        counts = name != NULL && strcmp(name, "count") == 0;
        inner = said.column < p->count ? (span){said.column, said.column + 1} : (span){0, 0};
        p->understood = p->understood && name != NULL && (counts || inner.to > 0);
    }
    const bool rows = counts && (!call || means_rows(p, inner.from, inner.to));
    write_name(p, head.from, name);
    if (!rows) {
        write_words(p, inner);
    }
    if (p->condition.to > 0) {
        fputs(rows ? "" : counts ? " and " : " where ", p->to);
        write_condition(p);
    }
    fputc(')', p->to);
}

/* Whether words of an answer are those of a group, which every row of a table of groups has. */
static bool is_group(const phrase *p, span head)
{
    const hb_phrase_column *column = column_at(p, head.to - 1);
    bool found = false;
    for (size_t i = p->groups.from; i < p->groups.to; i++) {
        found = found || (column != NULL && column == column_at(p, i));
    }
    return found && !is(p, head.from + 1, "(");
}

static void write_groups(phrase *p)
{
    bool several = false;
    for (size_t i = p->groups.from; i < p->groups.to; i++) {
        several = several || p->words[i].kind == ',' || is(p, i, "and");
    }
    fputs(several ? "groupby((" : "groupby(", p->to);
    for (size_t i = p->groups.from; i < p->groups.to; i++) {
        const hb_phrase_column *column = column_at(p, i);
        const bool next = p->words[i].kind == ',' || is(p, i, "and"), table = is(p, i + 1, ".") || is(p, i, ".");
        p->understood = p->understood && (column != NULL || next || table);
        fputs(column != NULL ? column->written : next ? ", " : "", p->to);
    }
    fputs(several ? "), " : ", ", p->to);
}

/* Writes the question from its clauses. */
static void write_question(phrase *p)
{
    size_t written = 0;
    const bool groups = p->groups.to > p->groups.from;
    if (groups) {
        write_groups(p);
    }
    for (size_t h = 0; h < p->head_count; h++) {
        span head = p->heads[h];
        size_t as = head.from;
        while (as < head.to && !(p->sql && is(p, as, "as"))) {
            as++;
        }
        head.to = as;
        if ((groups && is_group(p, head)) || head.to == head.from) {
            continue;
        }
        fputs(written++ == 0 ? "" : groups ? ", " : "; ", p->to);
        write_aggregate(p, head);
    }
    p->understood = p->understood && written > 0;
    fputs(groups ? ")" : "", p->to);
}

/* Blanks once, and none at the ends or inside of parentheses; texts in quotes stay. */
static void tidy(char *text)
{
    char *to = text, quote = '\0';
    for (const char *at = text; *at != '\0'; at++) {
        const bool first = to == text || to[-1] == ' ' || to[-1] == '(';
        if (quote == '\0' && *at == ' ' && (first || at[1] == '\0' || at[1] == ')' || at[1] == ',')) {
            continue;
        }
        if (*at == '\'' || *at == '"') {
            quote = quote == '\0' ? *at : quote == *at ? '\0' : quote;
        }
        *to++ = *at;
    }
    *to = '\0';
}

/* Whether the question is one of the language, but for names of functions, signs of comparison and quotes. */
static bool is_expression(const phrase *p)
{
    bool has_clause = p->sql;
    for (size_t i = 0; i < p->count && !has_clause;) {
        clause kind;
        has_clause = begins_clause(p, i, &kind) > 0 && !is(p, i, ";");
        i = p->words[i].kind == '(' ? behind(p, i, p->count) : i + 1;
    }
    return !has_clause && is(p, 1, "(") && behind(p, 1, p->count) == p->count;
}

hb_status hb_phrase_find(const char *said, const hb_phrase_column *columns, size_t count, char **text)
{
    phrase *p = calloc(1, sizeof *p);
    size_t size;
    *text = NULL;
    if (p == NULL) {
        return NO_MEMORY;
    }
    p->columns = columns;
    p->column_count = count;
    p->understood = take_words(p, said);
    p->sql = is(p, 0, "select");
    if ((p->to = open_memstream(text, &size)) == NULL) {
        free(p);
        return NO_MEMORY;
    }
    if (p->understood && is_expression(p)) {
        write_words(p, (span){0, p->count});
    } else if (p->understood) {
        take_clauses(p);
        write_question(p);
    }
    const hb_status st = fclose(p->to) == 0 ? HB_OK : NO_MEMORY;
    if (st == HB_OK && p->understood) {
        tidy(*text);
    } else {
        free(*text);
        *text = NULL;
    }
    free(p);
    return st;
}
