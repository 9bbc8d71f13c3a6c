/* The nearest question that works, for one that does not. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "job.h"
#include "lang/text/binding.h"
#include "phrase.h"
#include "suggest/commands.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

/* The name of a column as a question writes it. */
static char *written(const hb_question *q, const hb_asked_table *table, const char *name)
{
    char room[HB_COLUMN_WORD], *text = NULL;
    const char *word;
    if (hb_columns_word(name, room, &word) != HB_OK ||
        asprintf(&text, "%s%s%s", q->lone ? "" : table->name, q->lone ? "" : ".", word) < 0) {
        return NULL;
    }
    return text;
}

static void clear(hb_phrase_column *columns, size_t count)
{
    for (size_t i = 0; columns != NULL && i < count; i++) {
        free(columns[i].written);
    }
    free(columns);
}

/* All columns of the tables. */
static hb_status list_columns(const hb_question *q, hb_phrase_column **columns, size_t *count)
{
    size_t all = 0;
    for (uint32_t i = 0; i < q->tables; i++) {
        all += (size_t)q->table[i].survey.columns;
    }
    *count = 0;
    *columns = calloc(all + 1, sizeof **columns);
    hb_status st = *columns != NULL ? HB_OK : NO_MEMORY;
    for (uint32_t i = 0; i < q->tables && st == HB_OK; i++) {
        const hb_survey *survey = &q->table[i].survey;
        for (uint64_t c = 0; c < survey->columns && st == HB_OK; c++) {
            const hb_survey_column *column = &survey->column[c];
            char *text = written(q, &q->table[i], column->name);
            st = text != NULL ? HB_OK : NO_MEMORY;
            (*columns)[*count] =
                (hb_phrase_column){.name = column->name,
                                   .written = text,
                                   .missing = column->missing > 0,
                                   .odd = !hb_name_valid(column->name),
                                   .texts = column->kind == HB_SURVEY_TEXTS,
                                   .days = column->kind == HB_SURVEY_DATES || column->kind == HB_SURVEY_TIMES};
            ++*count;
        }
    }
    return st;
}

/* Whether a question has the name of a column as a word, in large or small letters. */
static bool is_named(const char *said, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = said; length > 0 && (at = strcasestr(at, name)) != NULL; at++) {
        const bool begins = at == said || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !(isalnum((unsigned char)at[length]) || at[length] == '_')) {
            return true;
        }
    }
    return false;
}

/* A question about columns that were named: the number of rows by the texts of one, and the mean of another. NULL where
 * none of them is named. */
static char *example(const hb_question *q, const char *said)
{
    char *texts = NULL, *number = NULL, *text = NULL;
    const hb_asked_table *table = &q->table[0];
    for (uint64_t c = 0; c < table->survey.columns; c++) {
        const hb_survey_column *column = &table->survey.column[c];
        if (!is_named(said, column->name)) {
            continue;
        }
        if (texts == NULL && column->kind == HB_SURVEY_TEXTS) {
            texts = written(q, table, column->name);
        } else if ((column->kind == HB_SURVEY_INTEGERS || column->kind == HB_SURVEY_DECIMALS) &&
                   strcasecmp(column->name, "id") != 0 && number == NULL) {
            number = written(q, table, column->name);
        }
    }
    int length = 0;
    if (texts != NULL) {
        length = asprintf(&text, "groupby(%s, count()%s%s%s)", texts, number != NULL ? ", mean(" : "",
                          number != NULL ? number : "", number != NULL ? ")" : "");
    } else if (number != NULL) {
        length = asprintf(&text, "mean(%s)", number);
    }
    free(texts);
    free(number);
    return length > 0 ? text : NULL;
}

/* Whether a question is one of the language. */
static bool is_question(const hb_question *q, const hb_reading *reading, const char *text, char *const *words)
{
    hb_question other;
    const hb_error cause = *hb_last_error();
    const bool is = hb_question_read(&other, text, reading, words, q->tables) == HB_OK;
    hb_question_clear(&other);
    hb_set_error(&cause);
    return is;
}

/* Whether somebody wrote sentences: two words beside each other. */
static bool is_prose(const char *said)
{
    static const char *const words[] = {"where", "and", "or", "not", "in", "between", "is", "missing", "repeat"};
    bool before = false, found = false;
    while (*said != '\0' && !found) {
        const size_t length = strspn(said, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        bool keyword = length == 0 || (*said >= '0' && *said <= '9');
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            keyword = keyword || (strlen(words[i]) == length && strncmp(said, words[i], length) == 0);
        }
        found = before && !keyword;
        said += length > 0 ? length : 1;
        before = !keyword && *said == ' ';
        said += strspn(said, " ");
    }
    return found;
}

/* The differences between a proposal and the question, " (..)"; "": none. */
static const char *describe(unsigned changes, char room[256])
{
    static const struct {
        hb_phrase_change change;
        const char *text;
    } texts[] = {{HB_PHRASE_UNORDERED, "without the order and the limit"},
                 {HB_PHRASE_SQUARED, "the square of the standard deviation"},
                 {HB_PHRASE_COUNTED, "it counts every value of the column"}};
    size_t length = 0;
    room[0] = '\0';
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (changes & texts[i].change) {
            length += (size_t)snprintf(room + length, 256 - length, "%s%s", length > 0 ? "; " : " (", texts[i].text);
        }
    }
    snprintf(room + length, 256 - length, "%s", length > 0 ? ")" : "");
    return room;
}

/* Adds the proposal to the reason; words of SQL and sentences have no other reason than that they are no expression. */
static hb_status say(const char *said, const char *text, bool example, unsigned changes, hb_status st)
{
    const hb_error cause = *hb_last_error();
    char room[256];
    const char *differs = describe(changes, room);
    const hb_words words = {(char *[]){(char *)text, NULL}, 1};
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (to == NULL) {
        return NO_MEMORY;
    }
    hb_words_print(&words, to);
    if (fclose(to) != 0) {
        free(line);
        return NO_MEMORY;
    }
    if (is_prose(said)) {
        st = HB_FAIL(st, "a question is written in hebatch's own language (hebatch help language); %s%s: %s",
                     example ? "one about this table is" : "the nearest to this is", differs, line);
    } else if (!example) {
        st = HB_FAIL(st, "%.380s; this can be asked%s: %s", cause.text, differs, line);
    }
    free(line);
    return st;
}

/* A part of a date that --derive makes, as year(admitted): names the column in the advice, and the question that reads
 * what is made. */
static hb_status name_date(const hb_question *q, const char *said, hb_status st)
{
    static const char option[] = "--derive '";
    const hb_error cause = *hb_last_error();
    const char *advice = strstr(cause.text, option), *made = advice != NULL ? advice + strlen(option) : "";
    const size_t length = strcspn(made, "=");
    char call[32], *text = NULL, *line = NULL;
    size_t size;
    snprintf(call, sizeof call, "%.*s(", (int)length, made);
    const char *at = length > 0 && strstr(made, "(d)'") != NULL ? strstr(said, call) : NULL;
    const char *end = at != NULL ? strchr(at, ')') : NULL;
    char *column = end != NULL ? strndup(at + length + 1, (size_t)(end - at) - length - 1) : NULL;
    const bool known = column != NULL && q->tables == 1 && hb_name_valid(column) &&
                       hb_survey_find(&q->table[0].survey, column) != NULL;
    FILE *to = known ? open_memstream(&line, &size) : NULL;
    if (to != NULL && asprintf(&text, "%.*s%.*s%s", (int)(at - said), said, (int)length, made, end + 1) >= 0) {
        hb_words_print(&(hb_words){(char *[]){text, NULL}, 1}, to);
        free(text);
    }
    if (to != NULL && fclose(to) == 0) {
        st = HB_FAIL(st, "%.*s%.*s=%.*s%.64s)', and ask %s", (int)(made - cause.text), cause.text, (int)length, made,
                     (int)length + 1, call, column, line);
    }
    free(line);
    free(column);
    return st;
}

hb_status hb_asked_propose(const hb_question *q, const hb_reading *reading, const hb_ask_options *options, hb_status st)
{
    hb_phrase_column *columns = NULL;
    size_t count = 0;
    unsigned changes = 0;
    const hb_error cause = *hb_last_error();
    char *text = NULL;
    bool is_example = false;
    for (uint32_t i = 0; i < q->tables; i++) {
        if (q->table[i].survey.columns == 0) { /* nothing is known of its columns */
            return st;
        }
    }
    if (strstr(cause.text, "--derive '") != NULL && !is_prose(options->question)) {
        return name_date(q, options->question, st);
    }
    hb_status own = q->tables > 0 ? list_columns(q, &columns, &count) : HB_EUSAGE;
    own = own == HB_OK ? hb_phrase_find(options->question, columns, count, &text, &changes) : own;
    hb_set_error(&cause);
    if (text == NULL || strcmp(text, options->question) == 0 || !is_question(q, reading, text, options->tables)) {
        free(text);
        text = own == HB_OK ? example(q, options->question) : NULL;
        is_example = true;
        changes = 0;
    }
    if (text != NULL) {
        st = say(options->question, text, is_example, changes, st);
    } else if (is_prose(options->question)) {
        st = HB_FAIL(st, "a question is written in hebatch's own language (hebatch help language)");
    }
    free(text);
    clear(columns, count);
    return st;
}
