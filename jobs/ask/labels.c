/* The labels of the columns of texts that a question reads. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/console.h"
#include "io/table/table.h"
#include "job.h"
#include "lang/compile/picked_columns.h"
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
    HB_TRY(hb_table_notes(opened, HB_NOTE_ALIKE, warn_note, &s));
    return hb_table_notes(opened, HB_NOTE_FOLDED, log_note, &s);
}

/* Looks at the labels of a table as it will be read. */
static hb_status look_at(const hb_asked_job *job, const hb_asked_table *table, const hb_reading *said)
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
        HB_GOTO(check_count(table, &schema->column[c], said));
    }
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

hb_status hb_asked_look_at_labels(const hb_asked_job *job)
{
    hb_reading said = {0};
    hb_status st = hb_table_words_parse(&job->reading.said, &said);
    for (uint32_t i = 0; i < job->question.tables && st == HB_OK; i++) {
        st = look_at(job, &job->question.table[i], &said);
    }
    hb_reading_clear(&said);
    return st;
}
