/* Options about columns that a question does not read: they would have no effect, or would read the column. */
#include <stdlib.h>
#include <string.h>

#include "batch/cells/without_effect.h"
#include "job.h"
#include "lang/program/range.h"

/* Whether tables have a column, that of a name alone unless it is NULL, and the question does not read it; where
 * columns are not known it may. made: a column is read as well where --derive makes of it what the question reads. */
static bool is_unread(const hb_question *q, const char *of, const char *name, bool made)
{
    bool there = false, read = false;
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_asked_table *table = &q->table[i];
        if (of != NULL && strcmp(table->name, of) != 0) {
            continue;
        }
        const hb_survey_column *column = hb_survey_find(&table->survey, name);
        const uint64_t c = column != NULL ? (uint64_t)(column - table->survey.column) : 0;
        there = there || column != NULL;
        read = read || table->survey.columns == 0 ||
               (column != NULL && (made ? hb_asked_is_read(table, c) : hb_asked_is_picked(table, c)));
    }
    return there && !read;
}

static hb_status refuse(const char *option, const char *name)
{
    return HB_FAIL(HB_EUSAGE, "the question does not read column '%.64s': leave it out of --%s", name, option);
}

/* Returns the first option that says how to read a column; NULL: none does. One whose missing cells leave rows out is
 * read for that. */
static const char *option_about(const hb_column_reading *how)
{
    if (how->has_missing && how->missing == HB_MISSING_DROP) {
        return NULL;
    }
    return how->has_meaning && how->meaning.kind == HB_MEANING_CATEGORY ? "category"
           : how->has_meaning && how->meaning.kind == HB_MEANING_DATE   ? "date"
           : how->has_meaning                                           ? "scale"
           : how->folds                                                 ? "fold"
           : how->percent                                               ? "percent"
           : how->has_times                                             ? "time-of-day"
           : how->has_decimal                                           ? "decimal"
           : how->na != NULL                                            ? "na"
           : how->has_missing                                           ? "missing"
                                                                        : NULL;
}

static hb_status check_ranges(const hb_question *q, const char *text)
{
    hb_range *ranges = NULL;
    uint32_t count = 0;
    /* A list that is none is refused where it is used. */
    const bool known = (q->lone ? hb_ranges_parse_columns : hb_ranges_parse)(text, &ranges, &count) == HB_OK;
    hb_status st = HB_OK;
    for (uint32_t r = 0; known && r < count && st == HB_OK; r++) {
        const char *column = ranges[r].column, *of = q->lone ? NULL : ranges[r].name;
        st = column != NULL && is_unread(q, of, column, false) ? refuse("range", column) : HB_OK;
    }
    hb_ranges_free(ranges, count);
    return st;
}

hb_status hb_asked_refuse_unread(const hb_question *q, const hb_reading *said, const char *ranges)
{
    for (size_t i = 0; i < said->derived.count; i++) {
        if (is_unread(q, NULL, said->derived.item[i].name, true)) {
            return refuse("derive", said->derived.item[i].name);
        }
    }
    for (size_t r = 0; r < said->count; r++) {
        const char *option = said->column[r].implied ? NULL : option_about(&said->column[r]);
        if (option != NULL && is_unread(q, NULL, said->column[r].name, true)) {
            return refuse(option, said->column[r].name);
        }
    }
    return ranges != NULL ? check_ranges(q, ranges) : HB_OK;
}

/* Adds the columns of a table that has another form than CSV. One that cannot be opened is refused by encrypt. */
static hb_status add_opened(hb_read_columns *read, const hb_asked_job *job, const hb_asked_table *table,
                            hb_table **opened)
{
    hb_reading own = {0};
    const hb_cell_type cells = job->reals ? HB_CELL_REAL : HB_CELL_WIDE;
    hb_status st = hb_table_words_parse(&job->reading.said, &own);
    own.columns_optional = true;
    if (st == HB_OK && hb_table_open_as(table->path, cells, &own, opened) == HB_OK) {
        st = hb_read_columns_add_table(read, *opened);
    } else if (st == HB_OK) {
        const hb_read_column any = {
            .name = "", .spellings = ~(hb_spellings)0, .na = UINT64_MAX, .missing = 1, .folded = 1};
        hb_clear_error();
        read->elsewhere = true;
        st = hb_read_columns_add(read, &any);
    }
    hb_reading_clear(&own);
    return st;
}

static hb_status add_surveyed(hb_read_columns *read, const hb_reading *said, const hb_asked_table *table)
{
    for (uint64_t c = 0; c < table->survey.columns; c++) {
        const hb_survey_column *of = &table->survey.column[c];
        const hb_column_reading *how = hb_reading_of(said, of->name);
        const bool drops = table->read && how != NULL && how->has_missing; /* rows go for its missing cells */
        const hb_read_column use = {.name = of->name,
                                    .spellings = of->spellings,
                                    .na = of->na,
                                    .missing = of->missing,
                                    .folded = of->folded,
                                    .labels = of->has_labels};
        if (drops || hb_asked_is_read(table, c)) {
            HB_TRY(hb_read_columns_add(read, &use));
        }
    }
    return HB_OK;
}

hb_status hb_asked_say_without_effect(const hb_asked_job *job)
{
    const hb_question *q = &job->question;
    hb_read_columns read = {.count = 0};
    hb_reading said = {0};
    hb_table **opened = calloc((size_t)q->tables + 1, sizeof *opened);
    hb_status st = opened != NULL ? hb_table_words_parse(&job->reading.said, &said)
                                  : HB_FAIL(HB_ENOMEM, "no memory for the columns that were read");
    for (uint32_t i = 0; i < q->tables && st == HB_OK; i++) {
        const hb_asked_table *table = &q->table[i];
        st = table->survey.columns > 0               ? add_surveyed(&read, &said, table)
             : table->read && hb_reading_says(&said) ? add_opened(&read, job, table, &opened[i])
                                                     : HB_OK;
    }
    st = st == HB_OK ? hb_without_effect_say(&read, job->group, job->common, &said.said) : st;
    for (uint32_t i = 0; i < q->tables && opened != NULL; i++) {
        hb_table_close(opened[i]);
    }
    free(opened);
    hb_read_columns_clear(&read);
    hb_reading_clear(&said);
    return st;
}
