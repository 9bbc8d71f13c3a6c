/* Columns without a filled cell, which are read as numbers where nothing says otherwise. */
#include <stdlib.h>

#include "base/quoted.h"
#include "io/table/csv_advice.h"
#include "lang/compile/picked_columns.h"
#include "lang/functions/list.h"
#include "lang/text/syntax.h"
#include "trial.h"

/* Whether a column has no filled cell, and nothing says how it is read: as numbers. */
static bool is_unfilled(const hb_survey *survey, const hb_survey_column *column)
{
    return column->kind == HB_SURVEY_INTEGERS && survey->rows > 0 && column->missing == survey->rows;
}

/* Lists the columns without a filled cell, which the question reads, behind those of --date: as the option takes them,
 * and as a shell takes that. The caller frees both; NULL: there are none, or there is no memory. */
static void list_unfilled(const hb_question *q, const char *given, char **dates, char **shown)
{
    char room[HB_COLUMN_WORD];
    const char *word;
    *dates = *shown = NULL;
    for (uint32_t t = 0; t < q->tables; t++) {
        const hb_survey *survey = &q->table[t].survey;
        for (uint64_t c = 0; c < survey->columns; c++) {
            const char *name = survey->column[c].name, *before = *dates != NULL ? *dates : given;
            char *longer = NULL;
            if (!hb_asked_is_picked(&q->table[t], c) || !is_unfilled(survey, &survey->column[c]) ||
                hb_columns_word(name, room, &word) != HB_OK ||
                asprintf(&longer, "%s%s%s", before != NULL ? before : "", before != NULL ? "," : "", word) < 0) {
                continue;
            }
            char *more = hb_csv_list_with(*shown != NULL ? *shown : given, name, "");
            free(*dates);
            free(*shown);
            *dates = longer;
            *shown = more;
        }
    }
}

/* Whether an operand of a question is a column without a filled cell. */
static bool is_unfilled_pick(const hb_question *q, const hb_syntax *s, const hb_item *item)
{
    bool found = false;
    const hb_item *of = item->kind == HB_ITEM_PICK && item->word_length > 0 ? hb_item_operand(item, 0) : NULL;
    for (uint32_t t = 0; t < q->tables && of != NULL && of->kind == HB_ITEM_NAME && !found; t++) {
        const hb_survey *survey = &q->table[t].survey;
        for (uint64_t c = 0; c < survey->columns && hb_item_is(s, of, q->table[t].name) && !found; c++) {
            found = is_unfilled(survey, &survey->column[c]) &&
                    hb_quoted_is(s->text + item->word, item->word_length, survey->column[c].name);
        }
    }
    return found;
}

/* Whether a question compares a column without a filled cell with a text, which is no number. */
static bool compares_unfilled(const hb_question *q)
{
    hb_syntax syntax = {0};
    bool found = false;
    const bool parsed = q->text != NULL && hb_syntax_parse(&syntax, q->text, hb_lang_functions) == HB_OK;
    for (uint32_t i = 0; i < syntax.count && parsed && !found; i++) {
        const hb_item *item = &syntax.items[i];
        const bool compares = (item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_NOT_EQUAL) ||
                              item->kind == HB_ITEM_BETWEEN || item->kind == HB_ITEM_IN;
        bool column = false, text = false;
        for (uint32_t o = 0; compares && o < hb_item_operands(item); o++) {
            const hb_item *operand = hb_item_operand(item, o);
            column = column || is_unfilled_pick(q, &syntax, operand);
            text = text || operand->kind == HB_ITEM_TEXT;
        }
        found = column && text;
    }
    hb_syntax_clear(&syntax);
    return found;
}

hb_status hb_asked_name_unfilled(const hb_asked_job *job, hb_asked_attempt *attempt, hb_status st, bool *named)
{
    const hb_error cause = *hb_last_error();
    hb_ask_options options = *job->options;
    char *dates, *shown;
    hb_asked_trial found;
    list_unfilled(&job->question, options.table.date, &dates, &shown);
    if (dates != NULL && shown != NULL) {
        options.table.date = dates;
        const bool computed = hb_asked_try(job, attempt, &options, &found) == HB_OK;
        hb_asked_trial_clear(&found);
        hb_set_error(&cause);
        *named = computed || compares_unfilled(&job->question);
        if (*named) {
            st = HB_FAIL(st, "%.480s; a column without a filled cell is read as numbers: --date %.160s reads dates%s",
                         cause.text, shown, computed ? "" : ", --category labels");
        }
    }
    free(dates);
    free(shown);
    return st;
}
