/* Tables that a question does not join as people mean: one that it does not read, and one of many columns that it looks
 * up in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "job.h"
#include "lang/compile/picked_columns.h"
#include "lang/functions/list.h"
#include "lang/text/syntax.h"

enum { ADVICE = 4 * HB_COLUMN_WORD };

/* Returns the column of `table` that has the name of a column of `other`, the first one; NULL: there is none. */
static const hb_survey_column *shared_key(const hb_asked_table *table, const hb_asked_table *other)
{
    const hb_survey_column *found = NULL;
    for (uint64_t c = 0; c < other->survey.columns && found == NULL; c++) {
        found = hb_survey_find(&table->survey, other->survey.column[c].name);
    }
    return found;
}

static bool is_number(const hb_survey_column *column)
{
    return column->kind == HB_SURVEY_INTEGERS || column->kind == HB_SURVEY_DECIMALS || column->kind == HB_SURVEY_TRUTHS;
}

/* Returns the column that a lookup in a table is likely to give: one that the question reads, else the first one of
 * numbers, else the first one; NULL: the table has the key alone. */
static const hb_survey_column *likely_value(const hb_asked_table *table, const hb_survey_column *key)
{
    const hb_survey *survey = &table->survey;
    const hb_survey_column *best = NULL;
    int most = -1;
    for (uint64_t c = 0; c < survey->columns; c++) {
        const hb_survey_column *column = &survey->column[c];
        const int rank = table->picked[c] ? 2 : is_number(column) ? 1 : 0;
        if (column != key && rank > most) {
            best = column;
            most = rank;
        }
    }
    return best;
}

/* Writes the lookup of a column of one table in another one by the key that both have. False: they have none, or no
 * value beside it. */
static bool write_lookup(const hb_asked_table *from, const hb_asked_table *in, char advice[ADVICE])
{
    const hb_survey_column *key = shared_key(in, from), *value = key != NULL ? likely_value(in, key) : NULL;
    char rooms[2][HB_COLUMN_WORD];
    const char *words[2];
    const bool written = value != NULL && hb_columns_word(key->name, rooms[0], &words[0]) == HB_OK &&
                         hb_columns_word(value->name, rooms[1], &words[1]) == HB_OK;
    if (written) {
        snprintf(advice, ADVICE, "lookup(%.64s.%s, %.64s.%s)", from->name, words[0], in->name, words[1]);
    }
    return written;
}

/* Refuses a table that the question does not read: its owner thinks that it takes part. */
static hb_status refuse_unread(hb_question *q, const hb_asked_table *unread)
{
    char advice[ADVICE];
    q->unread = true;
    for (uint32_t t = 0; t < q->tables; t++) {
        const hb_asked_table *read = &q->table[t];
        /* Keys of the table that is looked up in stand there once, so it is the shorter one. */
        const bool in_read = read->survey.rows < unread->survey.rows;
        if (read->read && write_lookup(in_read ? unread : read, in_read ? read : unread, advice)) {
            free(q->join);
            q->join = strdup(advice);
            return HB_FAIL(HB_EUSAGE, "the question does not read table %.64s: leave it out, or join with %s",
                           unread->name, advice);
        }
    }
    return HB_FAIL(HB_EUSAGE, "the question does not read table %.64s: leave it out", unread->name);
}

/* Lists the columns of a table, as many as people read. */
static void list(const hb_survey *survey, char *out, size_t bytes)
{
    enum { MOST = 8 };
    size_t length = 0;
    for (uint64_t c = 0; c < survey->columns && c < MOST && length < bytes; c++) {
        length += (size_t)snprintf(out + length, bytes - length, "%s%s", c > 0 ? ", " : "", survey->column[c].name);
    }
    if (length < bytes && survey->columns > MOST) {
        snprintf(out + length, bytes - length, ", ..");
    }
}

/* Refuses a whole table of many columns that is looked up in: nobody knows which of them is the value. */
static hb_status refuse_whole(const hb_syntax *s, const hb_item *call, const hb_asked_table *table)
{
    const hb_item *x = hb_item_operand(call, 0);
    const hb_survey *survey = &table->survey;
    const hb_survey_column *key = NULL;
    char rooms[2][HB_COLUMN_WORD], all[240], said[120];
    const char *words[2] = {"", ""};
    for (uint64_t c = 0; c < survey->columns && x->kind == HB_ITEM_PICK && x->word_length > 0; c++) {
        const bool same = hb_quoted_is(s->text + x->word, x->word_length, survey->column[c].name);
        key = key == NULL && same ? &survey->column[c] : key;
    }
    const bool named = key != NULL;
    key = named ? key : &survey->column[0];
    HB_TRY(hb_columns_word(key->name, rooms[0], &words[0]));
    HB_TRY(hb_columns_word(likely_value(table, key)->name, rooms[1], &words[1]));
    list(survey, all, sizeof all);
    hb_excerpt(said, sizeof said, s->text, x->from, x->to);
    const char *name = table->name;
    return named ? HB_FAIL(HB_EUSAGE,
                           "%.64s has %llu columns, %s: say which one is the value, as in lookup(%s, %.64s.%s)", name,
                           (unsigned long long)survey->columns, all, said, name, words[1])
                 : HB_FAIL(HB_EUSAGE,
                           "%.64s has %llu columns, %s: say which two are the key and the value, as in lookup(%s, "
                           "(%.64s.%s, %.64s.%s))",
                           name, (unsigned long long)survey->columns, all, said, name, words[0], name, words[1]);
}

static hb_status check_lookup(const hb_question *q, const hb_syntax *s, const hb_item *call)
{
    const hb_item *in = hb_item_operand(call, call->call->table - 1);
    for (uint32_t t = 0; t < q->tables && in->kind == HB_ITEM_NAME; t++) {
        if (hb_item_is(s, in, q->table[t].name) && q->table[t].survey.columns > 2) {
            return refuse_whole(s, call, &q->table[t]);
        }
    }
    return HB_OK;
}

hb_status hb_asked_check_joins(hb_question *q)
{
    hb_syntax syntax = {0};
    hb_status st;
    for (uint32_t t = 0; t < q->tables; t++) {
        if (!q->table[t].read) {
            return refuse_unread(q, &q->table[t]);
        }
    }
    HB_GOTO(hb_syntax_parse(&syntax, q->text, hb_lang_functions));
    for (uint32_t i = 0; i < syntax.count; i++) {
        const hb_item *item = &syntax.items[i];
        if (item->kind == HB_ITEM_CALL && strcmp(item->call->name, "lookup") == 0) {
            HB_GOTO(check_lookup(q, &syntax, item));
        }
    }
done:
    hb_syntax_clear(&syntax);
    return st;
}
