#include "phrase.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "phrase_calls.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

/* How a clause begins. */
typedef enum clause { HEAD, GROUPS, CONDITION, LEFT_OUT } clause;

/* Returns how many words at i begin a clause, and which; 0: none does. */
static size_t begins_clause(const phrase *p, size_t i, clause *kind)
{
    static const char *const begins[] = {[GROUPS] = "group by|grouped by|for each|in each|by|per",
                                         [CONDITION] = "where|whose|with|if",
                                         [LEFT_OUT] = "order by|ordered by|sorted by|sort by|limit|;"};
    size_t matched = 0;
    for (int c = GROUPS; c <= LEFT_OUT && matched == 0; c++) {
        matched = is(p, i, begins[c]);
        *kind = (clause)c;
    }
    return matched > 0 ? matched : p->sql ? is(p, i, "from") : 0;
}

/* Divides the results that the question asks for at their commas. */
static void take_heads(phrase *p, span of)
{
    for (size_t i = of.from; i < of.to;) {
        size_t end = i;
        while (end < of.to && kind_at(p, end) != ',') {
            end = kind_at(p, end) == '(' ? behind(p, end, of.to) : end + 1;
        }
        expect(p, p->head_count < MOST_SPANS);
        p->head_count -= p->head_count == MOST_SPANS;
        p->heads[p->head_count++] = (span){i, end};
        i = end + 1;
    }
}

/* Whether words are the name of one table in SQL: t, s.t, t as x, t x. */
static bool is_one_table(const phrase *p, span of)
{
    size_t i = of.from + (is(p, of.from + 1, ".") ? 2 : 0);
    const bool named = i < of.to && strchr("a\"`", kind_at(p, i)) != NULL;
    i += is(p, i + 1, "as") ? 2 : 1;
    return named && (i == of.to || (i + 1 == of.to && kind_at(p, i) == 'a'));
}

/* Checks a clause that has no place in the language, which begins at `begin`. An order of rows and a limit are left
 * out, and noted. */
static void leave_out(phrase *p, size_t begin, span of)
{
    if (is(p, begin, ";")) {
        expect(p, of.from == of.to);
    } else if (is(p, begin, "from")) {
        expect(p, is_one_table(p, of));
    } else {
        const bool limit = is(p, begin, "limit") > 0;
        expect(p, !limit || (of.to == of.from + 1 && kind_at(p, of.from) == '0'));
        for (size_t i = of.from; i < of.to && !limit && !p->sql; i++) {
            expect(p, column_at(p, i) != NULL || is(p, i, ",|.|(|)|*|and|asc|desc|count|sum|mean|average|avg"));
        }
        p->changes |= HB_PHRASE_UNORDERED;
    }
}

/* Finds the clauses, which stand outside parentheses. One that is said twice is not understood. */
static void take_clauses(phrase *p)
{
    span *const places[] = {NULL, &p->groups, &p->condition, NULL};
    clause kind = HEAD;
    size_t from = p->sql ? 1 : 0, begin = from;
    for (size_t i = from; i <= p->words.count;) {
        clause next = LEFT_OUT;
        const size_t words = i < p->words.count ? begins_clause(p, i, &next) : 1;
        if (words == 0) {
            i = kind_at(p, i) == '(' ? behind(p, i, p->words.count) : i + 1;
            continue;
        }
        if (kind == HEAD) {
            take_heads(p, (span){from, i});
        } else if (places[kind] != NULL) {
            expect(p, places[kind]->to == 0);
            *places[kind] = (span){from, i};
        } else {
            leave_out(p, begin, (span){from, i});
        }
        kind = next;
        begin = i;
        i += words;
        from = i;
    }
}

/* Returns the aggregate that word i means, or NULL. */
static const char *aggregate_at(phrase *p, size_t i)
{
    const bool squared = is(p, i, "deviation|std|stddev") > 0;
    p->changes |= squared ? HB_PHRASE_SQUARED : 0;
    return is(p, i, "average|avg|mean")    ? "mean"
           : is(p, i, "sum|total")         ? "sum"
           : is(p, i, "count|number|many") ? "count"
           : is(p, i, "variance|var")      ? "var"
                                           : (squared ? "var" : NULL);
}

static hb_phrase_told understand(phrase *p, span head)
{
    static const char compare[] =
        "older|younger|over|above|under|below|more|less|greater|at|>|<|>=|<=|==|=|!=|<>|equals";
    static const char passive[] =
        "what is|what are|what was|what were|the|a|an|of|in|for|from|all|how|are|were|have|has|had|there|who|that|show|"
        "give|find|compute|calculate|me|us|please|standard|table|data|row|rows|record|records|case|cases|patient|"
        "patients|person|persons|people|customers|members|users|employees|students|participants";
    hb_phrase_told found = {.column = p->words.count};
    for (size_t i = head.from; i < head.to;) {
        const hb_phrase_column *column = column_at(p, i);
        const char *aggregate = column == NULL ? aggregate_at(p, i) : NULL;
        size_t words = 1;
        if (aggregate != NULL) {
            expect(p, found.aggregate == NULL);
            found.aggregate = aggregate;
        } else if (column != NULL && is(p, i + 1, compare) && i + 1 < head.to) {
            words = 1; /* the condition begins with it */
        } else if (column != NULL) {
            expect(p, found.column == p->words.count);
            found.column = i;
        } else if (is(p, i, compare) && p->condition.to == 0) {
            const bool named = i > head.from && column_at(p, i - 1) != NULL;
            const bool people = is(p, i, "over|under") > 0 && kind_at(p, i + 1) == '0' && i > head.from &&
                                is(p, i - 1, "patients|persons|people|customers|members|users|employees|students");
            p->condition = (span){named ? i - 1 : i, head.to};
            expect(p, p->head_count == 1 && (named || is(p, i, "older|younger") || people));
            break;
        } else {
            words = is(p, i, passive);
            expect(p, words > 0);
        }
        i += words > 0 ? words : 1;
    }
    return found;
}

/* Writes one result, a call or plain English. */
static void write_result(phrase *p, span head)
{
    const bool call = is(p, head.from + 1, "(") && behind(p, head.from + 1, head.to) == head.to;
    if (call && p->condition.to == 0) {
        hb_phrase_write_expression(p, head, true, p->groups.to <= p->groups.from);
        return;
    }
    expect(p, call || !p->sql);
    const hb_phrase_told said = call ? (hb_phrase_told){NULL, 0} : understand(p, head);
    hb_phrase_write_aggregate(p, head, call ? NULL : &said);
}

/* Whether words of an answer are a column of the groups, which every row of a table of groups has. */
static bool is_group(const phrase *p, span head)
{
    const size_t at = head.from + (hb_phrase_is_table(&p->words, head.from) ? 2 : 0);
    const hb_phrase_column *column = column_at(p, at);
    bool found = false;
    for (size_t i = p->groups.from; i < p->groups.to; i++) {
        found = found || (column != NULL && column == column_at(p, i));
    }
    return found && at + 1 == head.to;
}

static void write_groups(phrase *p)
{
    const bool several = hb_phrase_has(&p->words, p->groups, ",|and");
    bool next = true;
    fputs(several ? "groupby((" : "groupby(", p->to);
    for (size_t i = p->groups.from; i < p->groups.to; i++) {
        i += hb_phrase_is_table(&p->words, i) ? 2 : 0;
        const hb_phrase_column *column = column_at(p, i);
        expect(p, next ? column != NULL : is(p, i, ",|and") > 0); /* columns and commas by turns */
        fputs(column != NULL ? column->written : ", ", p->to);
        next = column == NULL;
    }
    expect(p, !next);
    fputs(several ? "), " : ", ", p->to);
}

/* Writes the question from its clauses. */
static void write_question(phrase *p)
{
    size_t written = 0;
    const bool groups = p->groups.to > 0;
    if (groups) {
        write_groups(p);
    }
    for (size_t h = 0; h < p->head_count; h++) {
        span head = p->heads[h];
        if (p->sql && is(p, head.to - 2, "as") && head.to > head.from + 2) {
            head.to -= 2;
        }
        if (groups && is_group(p, head)) {
            continue;
        }
        fputs(written++ == 0 ? "" : groups ? ", " : "; ", p->to);
        write_result(p, head);
    }
    expect(p, written > 0);
    fputs(groups ? ")" : "", p->to);
}

/* Returns the column of "how many cells are missing in age"; NULL: the question is another one. */
static const hb_phrase_column *column_with_gaps(const phrase *p)
{
    static const char passive[] = "how|many|number|of|count|the|cells|values|entries|rows|are|is|there|in|for|column";
    const size_t last = p->words.count - 1;
    bool all = is(p, 0, "how many|number of|count") > 0 && is(p, last - 1, "in|of|for|column") > 0;
    size_t missing = 0;
    for (size_t i = 0; i < last && all; i++) {
        missing += is(p, i, "missing|empty");
        all = is(p, i, "missing|empty") > 0 || is(p, i, passive) > 0;
    }
    return all && missing == 1 ? column_at(p, last) : NULL;
}

/* Whether the question is one of the language, but for names of functions, signs of comparison and quotes. */
static bool is_expression(const phrase *p)
{
    bool has_clause = p->sql;
    for (size_t i = 0; i < p->words.count && !has_clause;) {
        clause kind;
        has_clause = begins_clause(p, i, &kind) > 0;
        i = kind_at(p, i) == '(' ? behind(p, i, p->words.count) : i + 1;
    }
    return !has_clause && is(p, 1, "(") && behind(p, 1, p->words.count) == p->words.count;
}

/* Whether the question is a column or a condition of one, without a call. */
static bool is_condition(const phrase *p)
{
    const size_t first = is(p, 0, "not") > 0;
    bool has_clause = p->sql;
    clause kind;
    for (size_t i = 0; i < p->words.count; i++) {
        has_clause = has_clause || begins_clause(p, i, &kind) > 0;
    }
    return !has_clause && (column_at(p, first) != NULL || hb_phrase_is_table(&p->words, first));
}

/* Whether a word turns the sense of others, or names one of several columns. */
static bool is_doubtful(const hb_phrase_words *p)
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
static void tidy(char *text)
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

hb_status hb_phrase_find(const char *said, const hb_phrase_column *columns, size_t count, char **text,
                         unsigned *changes)
{
    phrase *p = calloc(1, sizeof *p);
    size_t size;
    *text = NULL;
    *changes = 0;
    if (p == NULL) {
        return NO_MEMORY;
    }
    p->words.columns = columns;
    p->words.column_count = count;
    p->understood = hb_phrase_take(&p->words, said);
    p->sql = is(p, 0, "select") > 0;
    expect(p, !is_doubtful(&p->words));
    if ((p->to = open_memstream(text, &size)) == NULL) {
        free(p);
        return NO_MEMORY;
    }
    const hb_phrase_column *gaps = p->understood ? column_with_gaps(p) : NULL;
    if (gaps != NULL) {
        fprintf(p->to, "count(%s is missing)", gaps->written);
    } else if (p->understood && is_expression(p)) {
        hb_phrase_write_expression(p, (span){0, p->words.count}, true, true);
    } else if (p->understood && is_condition(p)) {
        hb_phrase_write_expression(p, (span){0, p->words.count}, false, true);
    } else if (p->understood) {
        take_clauses(p);
        write_question(p);
    }
    const hb_status st = fclose(p->to) == 0 ? HB_OK : NO_MEMORY;
    if (st == HB_OK && p->understood) {
        tidy(*text);
        *changes = p->changes;
    } else {
        free(*text);
        *text = NULL;
    }
    free(p);
    return st;
}
