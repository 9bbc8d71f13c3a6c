#include "phrase.h"

#include <stdlib.h>

#include "phrase_signs.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

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

/* Whether the word at i is the table of the column behind the point: any in SQL where there is one table. */
static bool is_table(const phrase *p, size_t i)
{
    const hb_phrase_column *column = column_at(p, i + 2);
    const hb_phrase_word *w = &p->words.word[i];
    const bool picks = kind_at(p, i) == 'a' && is(p, i + 1, ".") && column != NULL;
    const char *point = picks && column->written[0] != '"' ? strchr(column->written, '.') : NULL;
    return picks && (point == NULL || ((size_t)(point - column->written) == (size_t)w->length &&
                                       strncasecmp(column->written, w->at, (size_t)w->length) == 0));
}

/* Writes a covariance or a correlation of two columns, which is a whole question or one among the results of groups. */
static void write_pair_at(phrase *p, size_t i, size_t end, bool groups)
{
    const hb_phrase_column *column[2] = {NULL, NULL};
    size_t at = i + 2;
    for (int c = 0; c < 2; c++) {
        at += is_table(p, at) ? 2 : 0;
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
    expect(p, !hb_phrase_is_date(&p->words, i) && !(p->sql && is(p, i, "-") && is(p, i + 1, "-"))); /* -- a comment */
    fprintf(p->to, "%s%.*s%s", blank, w->length, w->at, w->kind == ',' ? " " : blank);
}

/* Writes the value at i, and returns the place behind it. *value: it may be a label; `of`: the column before it. */
static size_t write_value(phrase *p, size_t i, bool compared, bool value, const hb_phrase_column *of)
{
    if (compared && of != NULL && of->days && hb_phrase_is_iso_date(&p->words, i)) {
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
        if (is_table(p, i)) {
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

/* The aggregate and its column's word in plain English; NULL and the number of words where none is said. */
typedef struct told {
    const char *aggregate;
    size_t column;
} told;

/* The aggregate that word i means. */
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

static told understand(phrase *p, span head)
{
    static const char compare[] =
        "older|younger|over|above|under|below|more|less|greater|at|>|<|>=|<=|==|=|!=|<>|equals";
    static const char passive[] =
        "what is|what are|what was|what were|the|a|an|of|in|for|from|all|how|are|were|have|has|had|there|who|that|show|"
        "give|find|compute|calculate|me|us|please|standard|table|data|row|rows|record|records|case|cases|patient|"
        "patients|person|persons|people|customers|members|users|employees|students|participants";
    told found = {.column = p->words.count};
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

/* Writes one aggregate of a call or of plain English, with the condition of all. */
static void write_aggregate(phrase *p, span head)
{
    const bool call = is(p, head.from + 1, "(") && behind(p, head.from + 1, head.to) == head.to;
    const bool groups = p->groups.to > p->groups.from;
    span inner = {head.from + 2, head.to - 1};
    if (call && p->condition.to == 0) {
        write_call(p, head.from, head.to, !groups);
        return;
    }
    expect(p, call || !p->sql);
    const told said = call ? (told){function_name(p, head.from, false), 0} : understand(p, head);
    const bool counts =
        call ? is(p, head.from, "count|countif") > 0 : said.aggregate != NULL && strcmp(said.aggregate, "count") == 0;
    if (!call) {
        inner = said.column < p->words.count ? (span){said.column, said.column + 1} : (span){0, 0};
        expect(p, said.aggregate != NULL && counts == (inner.to == 0));
    } else { /* conditions on all rows are for these alone */
        expect(p, said.aggregate != NULL || is(p, head.from, "mean|sum|var|count"));
    }
    const bool rows = counts && means_rows(p, inner);
    write_name(p, head.from, said.aggregate);
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

/* Whether words of an answer are a column of the groups, which every row of a table of groups has. */
static bool is_group(const phrase *p, span head)
{
    const size_t at = head.from + (is_table(p, head.from) ? 2 : 0);
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
        i += is_table(p, i) ? 2 : 0;
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
        write_aggregate(p, head);
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
    return !has_clause && (column_at(p, first) != NULL || is_table(p, first));
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
    expect(p, !hb_phrase_is_doubtful(&p->words));
    if ((p->to = open_memstream(text, &size)) == NULL) {
        free(p);
        return NO_MEMORY;
    }
    const hb_phrase_column *gaps = p->understood ? column_with_gaps(p) : NULL;
    if (gaps != NULL) {
        fprintf(p->to, "count(%s is missing)", gaps->written);
    } else if (p->understood && is_expression(p)) {
        write_call(p, 0, p->words.count, true);
    } else if (p->understood && is_condition(p)) {
        write_words(p, (span){0, p->words.count});
    } else if (p->understood) {
        take_clauses(p);
        write_question(p);
    }
    const hb_status st = fclose(p->to) == 0 ? HB_OK : NO_MEMORY;
    if (st == HB_OK && p->understood) {
        hb_phrase_tidy(*text);
        *changes = p->changes;
    } else {
        free(*text);
        *text = NULL;
    }
    free(p);
    return st;
}
