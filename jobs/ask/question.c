#include "question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "lang/functions/list.h"
#include "lang/text/binding.h"
#include "lang/text/lexer.h"
#include "lang/text/place.h"
#include "lang/text/syntax.h"
#include "question_refuse.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

/* A text made of another one by insertions. Each byte knows the one of the question that it is, or stands before. */
typedef struct edited {
    char *text;       /* owned, as is ... */
    uint32_t *origin; /* ... [length + 1] this */
    size_t length;
} edited;

static hb_status add(edited *e, const char *text, size_t length, const uint32_t *origin, bool inserted)
{
    char *longer = realloc(e->text, e->length + length + 1);
    e->text = longer != NULL ? longer : e->text;
    uint32_t *origins = realloc(e->origin, (e->length + length + 1) * sizeof *origins);
    e->origin = origins != NULL ? origins : e->origin;
    if (longer == NULL || origins == NULL) {
        return NO_MEMORY;
    }
    for (size_t i = 0; i < length; i++) {
        e->text[e->length + i] = text[i];
        e->origin[e->length + i] = origin[inserted ? 0 : i];
    }
    e->length += length;
    e->text[e->length] = '\0';
    e->origin[e->length] = origin[inserted ? 0 : length];
    return HB_OK;
}

static hb_status copy(edited *e, const edited *from, size_t begin, size_t end)
{
    return add(e, from->text + begin, end - begin, from->origin + begin, false);
}

static hb_status insert(edited *e, const edited *from, size_t at, const char *text)
{
    return add(e, text, strlen(text), from->origin + at, true);
}

static void clear_edited(edited *e)
{
    free(e->text);
    free(e->origin);
}

static hb_status as_said(edited *e, const char *said)
{
    const size_t length = strlen(said);
    uint32_t *origin = calloc(length + 1, sizeof *origin);
    for (size_t i = 0; origin != NULL && i <= length; i++) {
        origin[i] = (uint32_t)i;
    }
    const hb_status st = origin != NULL ? add(e, said, length, origin, false) : NO_MEMORY;
    free(origin);
    return st;
}

/* Whether a name stands in a text as a word. */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    const char *at = strstr(text, word);
    while (at != NULL && !hb_name_at(text, at, length)) {
        at = strstr(at + 1, word);
    }
    return at != NULL;
}

/* A lone table gets a name that the question does not have, but as that of the table itself: patients.age. */
static hb_status choose_name(hb_question *q, const char *said)
{
    hb_asked_table *table = &q->table[0];
    const size_t length = strlen(table->name);
    const char *at = strstr(said, table->name);
    const bool picks = at != NULL && at[length] == '.';
    for (int i = 0; q->lone && !picks && (has_word(said, table->name) || hb_survey_find(&table->survey, table->name));
         i++) {
        free(table->name);
        if (asprintf(&table->name, "t%d", i) < 0) {
            table->name = NULL;
            return NO_MEMORY;
        }
    }
    return HB_OK;
}

/* Whether a statement begins at the lexer's word and has no name for its result. */
static bool is_bare(const hb_lexer *at)
{
    hb_lexer next = *at;
    const hb_token *token = &at->token;
    if (token->kind == HB_TOKEN_END || token->kind == HB_TOKEN_SEPARATOR ||
        (token->kind == HB_TOKEN_SYMBOL && token->symbol == '}')) {
        return false;
    }
    if (token->kind != HB_TOKEN_NAME || hb_lexer_advance(&next) != HB_OK) {
        return true;
    }
    const bool loop = token->to - token->from == strlen("repeat") &&
                      memcmp(at->text + token->from, "repeat", strlen("repeat")) == 0 &&
                      next.token.kind == HB_TOKEN_NUMBER;
    return !loop && !(next.token.kind == HB_TOKEN_SYMBOL && next.token.symbol == '=');
}

/* Whether a name of a result would be that of something else: a column, a table, a word of the question. */
static bool is_taken(const hb_question *q, const char *said, const char *name)
{
    bool taken = has_word(said, name);
    for (uint32_t i = 0; i < q->tables && !taken; i++) {
        taken = strcmp(q->table[i].name, name) == 0 || hb_survey_find(&q->table[i].survey, name) != NULL;
    }
    return taken;
}

/* Inserts the name of the next result that has none: answer, answer2 and on. */
static hb_status name_result(const hb_question *q, const edited *said, size_t at, uint32_t *bare, edited *to)
{
    const char *word = is_taken(q, said->text, "answer") ? "result" : "answer";
    char name[32];
    do {
        ++*bare;
        snprintf(name, sizeof name, *bare > 1 ? "%s%u" : "%s", word, *bare);
    } while (is_taken(q, said->text, name));
    HB_TRY(insert(to, said, at, name));
    return insert(to, said, at, " = ");
}

/* Writes the names of results that have none, and the table of columns in quotes. */
static hb_status write_names(const hb_question *q, const edited *said, edited *to)
{
    hb_lexer lexer = {.text = said->text};
    uint32_t written = 0, bare = 0;
    bool begins = true, picks = false;
    do {
        HB_TRY(hb_lexer_advance(&lexer));
        const hb_token *token = &lexer.token;
        const bool quoted = token->kind == HB_TOKEN_QUOTED;
        const uint32_t from = token->from - quoted;
        if (token->kind != HB_TOKEN_END) {
            HB_TRY(copy(to, said, written, from));
            written = from;
        }
        if (begins && is_bare(&lexer)) {
            HB_TRY(name_result(q, said, from, &bare, to));
        }
        if (quoted && !picks && q->tables == 1) {
            HB_TRY(insert(to, said, from, q->table[0].name));
            HB_TRY(insert(to, said, from, "."));
        }
        const bool brace = token->kind == HB_TOKEN_SYMBOL && (token->symbol == '{' || token->symbol == '}');
        begins = token->kind == HB_TOKEN_SEPARATOR || brace;
        picks = token->kind == HB_TOKEN_SYMBOL && token->symbol == '.';
    } while (lexer.token.kind != HB_TOKEN_END);
    return copy(to, said, written, said->length);
}

/* A way through the items of a question. */
typedef struct reading_names {
    hb_asked_names names;
    const edited *text;
    edited *to;
    uint32_t written;
} reading_names;

static bool is_assigned(const hb_syntax *s, const hb_item *item)
{
    for (const hb_item *at = s->items; at < item; at++) {
        if (at->kind == HB_ITEM_ASSIGN && at->word_length == item->word_length &&
            memcmp(s->text + at->word, s->text + item->word, item->word_length) == 0) {
            return true;
        }
    }
    return false;
}

static hb_asked_table *table_called(const hb_question *q, const hb_syntax *s, const hb_item *item)
{
    uint32_t i = 0;
    while (i < q->tables && !hb_item_is(s, item, q->table[i].name)) {
        i++;
    }
    return i < q->tables ? &q->table[i] : NULL;
}

/* Notes that the question reads a column; *found: the table has it. */
static void pick(hb_asked_table *table, const hb_syntax *s, const hb_item *item, bool *found)
{
    const hb_survey_column *column = hb_asked_column(&table->survey, s, item);
    if (column != NULL) {
        table->picked[column - table->survey.column] = true;
    }
    *found = column != NULL || table->survey.columns == 0; /* unknown */
    table->read = true;
}

/* Returns the call that looks up in an item, or in a larger one that the item is part of; NULL: none does. */
static const hb_item *looked_up_by(const hb_syntax *s, const hb_item *item)
{
    for (const hb_item *call = item + 1; call < s->items + s->count; call++) {
        if (call->kind == HB_ITEM_CALL && call->call->table > 0 && call->call->table <= call->arguments) {
            const hb_item *table = hb_item_operand(call, call->call->table - 1);
            if (table >= item && table->from <= item->from) { /* parts stand before the whole, and within its text */
                return call;
            }
        }
    }
    return NULL;
}

/* lookup(h.ward, w.beds) becomes lookup(h.ward, (w.ward, w.beds)): the column of the key is that of the same name. */
static hb_status add_key(reading_names *r, const hb_item *name, const hb_item *column, hb_asked_table *table)
{
    const hb_syntax *s = r->names.syntax;
    const hb_item *call = looked_up_by(s, column);
    const bool alone = call != NULL && hb_item_operand(call, call->call->table - 1) == column;
    const hb_item *key = alone ? hb_item_operand(call, 0) : NULL;
    const hb_survey_column *of = key != NULL && key->kind == HB_ITEM_PICK && key->word_length > 0
                                     ? hb_asked_column(&table->survey, s, key)
                                     : NULL;
    char *text = NULL;
    bool found;
    if (of == NULL || of == hb_asked_column(&table->survey, s, column)) {
        return HB_OK;
    }
    const uint32_t quote = s->text[key->word - 1] == '"';
    pick(table, s, key, &found);
    if (asprintf(&text, "(%s.%.*s, ", table->name, (int)(key->word_length + 2 * quote), s->text + key->word - quote) <
        0) {
        return NO_MEMORY;
    }
    hb_status st = copy(r->to, r->text, r->written, name->from);
    st = st == HB_OK ? insert(r->to, r->text, name->from, text) : st;
    free(text);
    HB_TRY(st);
    HB_TRY(copy(r->to, r->text, name->from, column->to));
    r->written = column->to;
    return insert(r->to, r->text, column->to, ")");
}

/* A name that is no result before it: a table, or a column of the lone one. */
static hb_status read_name(reading_names *r, const hb_item *item)
{
    const hb_syntax *s = r->names.syntax;
    hb_question *q = r->names.question;
    const hb_item *next = item + 1 < s->items + s->count ? item + 1 : NULL;
    const bool picks = next != NULL && next->kind == HB_ITEM_PICK;
    hb_asked_table *table = table_called(q, s, item);
    bool found = false;
    if (table != NULL && picks && next->word_length > 0) {
        pick(table, s, next, &found);
        return found ? add_key(r, item, next, table) : hb_asked_no_column(&r->names, next, table);
    }
    if (table != NULL) {
        table->read = table->whole = true;
        table->plain = table->plain || item->weights;
        return HB_OK;
    }
    if (q->tables == 1) {
        pick(&q->table[0], s, item, &found);
        HB_TRY(copy(r->to, r->text, r->written, item->word));
        HB_TRY(insert(r->to, r->text, item->word, q->table[0].name));
        HB_TRY(insert(r->to, r->text, item->word, "."));
        r->written = item->word;
        return found ? HB_OK : hb_asked_no_column(&r->names, item, &q->table[0]);
    }
    return hb_asked_no_table(&r->names, item);
}

/* Tables that are looked up in, and read nowhere else, may have other rows than the others: they are not encrypted. */
static void find_looked_up(const hb_question *q, const hb_syntax *s)
{
    for (uint32_t t = 0; t < q->tables && !q->lone; t++) {
        uint32_t names = 0, looked_up = 0;
        for (const hb_item *item = s->items; item < s->items + s->count; item++) {
            const bool named = item->kind == HB_ITEM_NAME && table_called(q, s, item) == &q->table[t];
            names += named;
            looked_up += named && looked_up_by(s, item) != NULL;
        }
        q->table[t].plain = q->table[t].plain || (names > 0 && looked_up == names);
    }
}

static bool is_read_later(const hb_syntax *s, uint32_t i)
{
    const hb_item *of = &s->items[i];
    for (uint32_t j = i + 1; j < s->count; j++) {
        const hb_item *item = &s->items[j];
        if ((item->kind == HB_ITEM_NAME || item->kind == HB_ITEM_ASSIGN) && item->word_length == of->word_length &&
            memcmp(s->text + item->word, s->text + of->word, of->word_length) == 0) {
            return true;
        }
    }
    return false;
}

/* Refuses the number of rows alone, which is no secret, and says it. */
static hb_status refuse_rows(const hb_question *q, const hb_syntax *s, uint32_t assign)
{
    const hb_item *call = assign > 0 ? &s->items[assign - 1] : NULL;
    const hb_asked_table *table = &q->table[0];
    const bool rows =
        call != NULL && call->kind == HB_ITEM_CALL && call->arguments == 0 && strcmp(call->call->name, "count") == 0;
    if (!rows || q->tables != 1 || table->survey.columns == 0) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_EUSAGE, s->text, call->at,
                      "leave count() out: the number of rows is no secret, and %s has %llu", table->path,
                      (unsigned long long)table->survey.rows);
}

/* Results are what is assigned last to a name, and not read any more. */
static hb_status find_results(hb_question *q, const hb_syntax *s)
{
    q->results = calloc((size_t)s->count + 1, sizeof *q->results);
    if (q->results == NULL) {
        return NO_MEMORY;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const hb_item *item = &s->items[i];
        if (item->kind == HB_ITEM_ASSIGN && !is_read_later(s, i)) {
            HB_TRY(refuse_rows(q, s, i));
            char *name = strndup(s->text + item->word, item->word_length);
            if (name == NULL) {
                return NO_MEMORY;
            }
            q->results[q->result_count++] = name;
        }
    }
    return q->result_count > 0 ? HB_OK : HB_FAIL(HB_EUSAGE, "the question asks for nothing, as count(age > 65) does");
}

static bool needs_reals(const hb_item *item)
{
    return (item->kind == HB_ITEM_CALL && item->call->reals != NULL) || item->kind == HB_ITEM_DIVIDE ||
           (item->kind == HB_ITEM_NUMBER && item->imaginary);
}

/* Refuses the name of a result that is a column's as well: the reader may mean either. */
static hb_status refuse_either(const hb_question *q, const hb_syntax *s, const hb_item *item)
{
    const hb_survey_column *column = q->tables == 1 ? hb_asked_column(&q->table[0].survey, s, item) : NULL;
    return column == NULL
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, s->text, item->at,
                            "'%.64s' is a result of the question and a column of %.80s: give the result another name",
                            column->name, q->table[0].path);
}

static hb_status read_items(reading_names *r)
{
    const hb_syntax *s = r->names.syntax;
    for (uint32_t i = 0; i < s->count; i++) {
        const hb_item *item = &s->items[i];
        r->names.question->reals = r->names.question->reals || needs_reals(item);
        if (item->kind == HB_ITEM_NAME) {
            const hb_status st = is_assigned(s, item) ? refuse_either(r->names.question, s, item) : read_name(r, item);
            HB_TRY(st);
        }
    }
    HB_TRY(copy(r->to, r->text, r->written, r->text->length));
    find_looked_up(r->names.question, s);
    HB_TRY(find_results(r->names.question, s));
    for (uint32_t i = 0; i < r->names.question->tables; i++) {
        if (r->names.question->table[i].read) {
            return HB_OK;
        }
    }
    return hb_asked_reads_nothing(&r->names);
}

static hb_status read_text(hb_question *q, const edited *text)
{
    hb_syntax syntax = {0};
    edited named = {0};
    reading_names r = {.names = {.question = q, .syntax = &syntax, .origin = text->origin}, .text = text, .to = &named};
    size_t columns = 0;
    hb_status st;
    HB_GOTO(hb_syntax_parse(&syntax, text->text, hb_lang_functions));
    for (uint32_t i = 0; i < q->tables; i++) {
        columns += (size_t)q->table[i].survey.columns;
        q->table[i].picked = calloc((size_t)q->table[i].survey.columns + 1, sizeof(bool));
        HB_GOTO(q->table[i].picked != NULL ? HB_OK : NO_MEMORY);
    }
    r.names.near = calloc(columns + 1, sizeof *r.names.near);
    HB_GOTO(r.names.near != NULL ? HB_OK : NO_MEMORY);
    HB_GOTO(read_items(&r));
    q->text = named.text;
    q->origin = named.origin;
    named = (edited){0};
done:
    clear_edited(&named);
    free(r.names.near);
    hb_syntax_clear(&syntax);
    return st;
}

/* Gives names to results without one, and reads the text that comes of it. */
static hb_status read_said(hb_question *q, const char *said)
{
    edited words = {0}, named = {0};
    hb_status st;
    HB_GOTO(as_said(&words, said));
    HB_GOTO(write_names(q, &words, &named));
    st = read_text(q, &named);
    st = hb_fail_at_origin(st, named.text, named.origin, said);
done:
    clear_edited(&words);
    clear_edited(&named);
    return st;
}

hb_status hb_question_read(hb_question *q, const char *said, const hb_reading *reading, char *const *words,
                           size_t count)
{
    *q = (hb_question){0};
    HB_TRY(hb_question_take_tables(q, words, count));
    for (uint32_t i = 0; i < q->tables; i++) {
        HB_TRY(hb_table_survey(q->table[i].path, reading, &q->table[i].survey));
    }
    HB_TRY(choose_name(q, said));
    return read_said(q, said);
}
