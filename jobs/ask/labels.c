/* The labels of the columns of texts that a question reads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "batch/cells/without_effect.h"
#include "cli/console.h"
#include "io/table/table.h"
#include "job.h"
#include "lang/compile/picked_columns.h"
#include "lang/functions/list.h"
#include "lang/text/syntax.h"
#include "table/shell_line.h"

/* Texts with more different ones are names or notes more often than categories: who wants them PUBLIC says so. */
enum { MOST_LABELS = 256 };

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for the labels of a column")

/* Lists the columns of texts that are read, also those that only make others; NULL: there are none. */
static hb_status list_texts(const hb_asked_table *table, char **list)
{
    for (uint64_t c = 0; c < table->survey.columns; c++) {
        const hb_survey_column *column = &table->survey.column[c];
        if (column->kind == HB_SURVEY_TEXTS && hb_asked_is_read(table, c)) {
            HB_TRY(hb_columns_add_name(list, column->name));
        }
    }
    return HB_OK;
}

/* Columns that only make others are labels by themselves: says so for this table alone. */
static hb_status take_made(const hb_asked_table *table, hb_table_words *words, char *names[HB_TEXTS_MOST])
{
    size_t made = 0;
    for (uint64_t c = 0; c < table->survey.columns && words->categories.count < HB_TEXTS_MOST; c++) {
        const hb_survey_column *column = &table->survey.column[c];
        if (column->kind == HB_SURVEY_TEXTS && hb_asked_is_read(table, c) && !hb_asked_is_picked(table, c)) {
            char room[HB_COLUMN_WORD];
            const char *word;
            HB_TRY(hb_columns_word(column->name, room, &word));
            if ((names[made] = strdup(word)) == NULL) {
                return NO_MEMORY;
            }
            words->categories.text[words->categories.count++] = names[made++];
        }
    }
    return HB_OK;
}

/* Refuses so many labels, unless the user says that the column is a category. */
static hb_status check_count(const hb_asked_table *table, const hb_column *column, const hb_reading *said)
{
    const hb_labels *labels = column->meaning.labels;
    const hb_column_reading *how = hb_reading_of(said, column->name);
    const hb_survey_column *of = hb_survey_find(&table->survey, column->name);
    const bool shown = of != NULL && hb_asked_is_picked(table, (uint64_t)(of - table->survey.column));
    char name[HB_SHELL_COLUMN];
    if (!shown || labels == NULL || labels->count <= MOST_LABELS || (how != NULL && how->has_meaning)) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA,
                   "%s: column %.64s has %" PRIu64 " different texts, which would become PUBLIC: if they may, say "
                   "--category %s",
                   table->path, column->name, labels->count, hb_shell_column(name, column->name));
}

/* Whether an item is the name of a table, or of all that a result before it has. */
static bool may_be_of(const hb_question *q, const hb_syntax *s, const hb_item *item, const hb_asked_table *table)
{
    bool named = false;
    for (uint32_t t = 0; t < q->tables; t++) {
        named = named || hb_item_is(s, item, q->table[t].name);
    }
    return !named || hb_item_is(s, item, table->name); /* a result may be made of any column */
}

/* Whether an item may be a value of a column, or be made of it. */
static bool reads(const hb_question *q, const hb_syntax *s, const hb_item *whole, const hb_asked_table *table,
                  const char *column)
{
    bool found = false;
    for (const hb_item *item = whole - whole->size + 1; item <= whole; item++) {
        const bool picks = item < whole && item[1].kind == HB_ITEM_PICK && item[1].word_length > 0;
        found = found || (item->kind == HB_ITEM_NAME && may_be_of(q, s, item, table) &&
                          (!picks || hb_quoted_is(s->text + item[1].word, item[1].word_length, column)));
    }
    return found;
}

/* Whether a question asks which cells of a column are missing: x is missing, and count(x), which counts the others. */
static hb_status asks_for_gaps(const hb_question *q, const hb_asked_table *table, const char *column, bool *asks)
{
    hb_syntax syntax = {0};
    hb_status st = hb_syntax_parse(&syntax, q->text, hb_lang_functions);
    *asks = false;
    for (uint32_t i = 0; st == HB_OK && i < syntax.count; i++) {
        const hb_item *item = &syntax.items[i];
        const bool counts =
            item->kind == HB_ITEM_CALL && item->arguments == 1 && strcmp(item->call->name, "count") == 0;
        const hb_item *of = counts || item->kind == HB_ITEM_MISSING ? hb_item_operand(item, 0) : NULL;
        of = counts && of->kind == HB_ITEM_WHERE ? hb_item_operand(of, 0) : of;
        const bool alone = of != NULL && (of->kind == HB_ITEM_PICK || of->kind == HB_ITEM_NAME);
        *asks = *asks || (of != NULL && (!counts || alone) && reads(q, &syntax, of, table, column));
    }
    hb_syntax_clear(&syntax);
    return st;
}

/* Writes --na with a list of words as a shell takes it. */
static char *na_option(const char *list)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to != NULL) {
        fputs("--na ", to);
        hb_shell_word(list, to);
        if (fclose(to) != 0) {
            free(text);
            text = NULL;
        }
    }
    return text;
}

/* Says which labels of a column mean a missing cell among numbers, and refuses a question for its missing cells, with
 * the options for both meanings. */
static hb_status check_gaps(const hb_asked_job *job, const hb_asked_table *table, const hb_column *column)
{
    enum { LIST = 400 };
    const hb_texts *na = &job->reading.said.na;
    const char *said = hb_na_of_all(na->text, na->count), *words;
    char list[LIST] = "", name[HB_SHELL_COLUMN];
    bool asks = false;
    snprintf(list, sizeof list, "%s", said != NULL ? said : "");
    words = list + strlen(list);
    const uint64_t count = hb_labels_list_gaps(column->meaning.labels, list, sizeof list);
    if (count == 0) {
        return HB_OK;
    }
    words += words > list; /* behind a comma */
    HB_TRY(asks_for_gaps(&job->question, table, column->name, &asks));
    char *option = na_option(list);
    if (option == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the labels of a column");
    }
    hb_shell_column(name, column->name);
    hb_status st = HB_OK;
    if (asks) {
        st =
            HB_FAIL(HB_EDATA,
                    "%s: column %.64s has the label%s %.100s, and the question asks for its missing cells: say %.400s, "
                    "which reads such cells as missing, or --category %s, which keeps them as labels",
                    table->path, column->name, count == 1 ? "" : "s", words, option, name);
    } else {
        hb_console_warn(job->group,
                        "%s: column %.64s: '%s' %s as any other; %s reads such cells as missing, as they are among "
                        "numbers",
                        table->path, column->name, words, count == 1 ? "is a label" : "are labels", option);
    }
    free(option);
    return st;
}

typedef struct speech {
    const hb_asked_job *job;
    const char *path;
} speech;

static void warn_note(void *context, uint64_t column, const char *note)
{
    const speech *s = context;
    (void)column;
    hb_console_warn(s->job->group, "%s: %s", s->path, note);
}

static void log_note(void *context, uint64_t column, const char *note)
{
    const speech *s = context;
    (void)column;
    hb_console_log(s->job->group, s->job->common, "%s: %s", s->path, note);
}

/* Says which labels look alike, and which cells are folded into others. */
static hb_status say_notes(const hb_asked_job *job, const hb_asked_table *table, const hb_table *opened)
{
    speech s = {.job = job, .path = table->path};
    HB_TRY(hb_table_notes(opened, job->reading.said.fold, HB_NOTE_ALIKE, warn_note, &s));
    return hb_table_notes(opened, NULL, HB_NOTE_FOLDED, log_note, &s);
}

/* Notes how many cells of each column are folded into other spellings. */
static hb_status note_folded(hb_asked_table *table, const hb_table *opened)
{
    hb_read_columns read = {.count = 0};
    const hb_status st = hb_read_columns_add_table(&read, opened);
    for (size_t i = 0; st == HB_OK && i < read.count; i++) {
        for (uint64_t c = 0; c < table->survey.columns; c++) {
            hb_survey_column *column = &table->survey.column[c];
            if (read.column[i].name != NULL && strcmp(column->name, read.column[i].name) == 0) {
                column->folded = read.column[i].folded;
                column->has_labels = read.column[i].labels;
            }
        }
    }
    hb_read_columns_clear(&read);
    return st;
}

/* Looks at the labels of a table as it will be read. */
static hb_status look_at(const hb_asked_job *job, hb_asked_table *table, const hb_reading *said)
{
    hb_table_words words = job->reading.words;
    hb_reading own = {0};
    hb_table *opened = NULL;
    char *columns = NULL, *made[HB_TEXTS_MOST] = {NULL};
    hb_status st;
    words.digits.count = words.derive.count = 0;
    HB_GOTO(list_texts(table, &columns));
    if (columns == NULL) {
        goto done;
    }
    words.columns = columns;
    HB_GOTO(take_made(table, &words, made));
    HB_GOTO(hb_table_words_parse(&words, &own));
    own.columns_optional = true;
    HB_GOTO(hb_table_open_as(table->path, HB_CELL_INTEGER, &own, &opened));
    const hb_schema *schema = hb_table_schema(opened);
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column_reading *how = hb_reading_of(said, schema->column[c].name);
        HB_GOTO(check_count(table, &schema->column[c], said));
        if (how == NULL || !how->has_meaning) {
            HB_GOTO(check_gaps(job, table, &schema->column[c]));
        }
    }
    HB_GOTO(note_folded(table, opened));
    st = say_notes(job, table, opened);
done:
    hb_table_close(opened);
    hb_reading_clear(&own);
    free(columns);
    for (size_t i = 0; i < HB_TEXTS_MOST; i++) {
        free(made[i]);
    }
    return st;
}

hb_status hb_asked_look_at_labels(hb_asked_job *job)
{
    hb_reading said = {0};
    hb_status st = hb_table_words_parse(&job->reading.said, &said);
    for (uint32_t i = 0; i < job->question.tables && st == HB_OK; i++) {
        st = look_at(job, &job->question.table[i], &said);
    }
    hb_reading_clear(&said);
    return st;
}
