/* How the tables of a question are read: as options say, else by what the cells are. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "io/table/csv_advice.h"
#include "io/table/csv_reasons.h"
#include "io/table/table.h"
#include "job.h"
#include "lang/compile/picked_columns.h"
#include "table/shell_line.h"

/* The treatment of missing cells without an option. */
static const char missing_word[] = "mask";
enum { MOST_DIGITS = 8 };

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for what is said of columns")

/* Appends to a list with commas between its elements; `given` begins it. Takes no memory where nothing is appended. */
static hb_status append(char **list, const char *given, const char *name, const char *value)
{
    char room[HB_COLUMN_WORD], *longer = NULL;
    const char *word = "", *old = *list != NULL ? *list : given != NULL ? given : "";
    if (name != NULL) {
        HB_TRY(hb_columns_word(name, room, &word));
    }
    if (asprintf(&longer, "%s%s%s%s%s", old, old[0] != '\0' ? "," : "", word, name != NULL ? "=" : "", value) < 0) {
        return NO_MEMORY;
    }
    free(*list);
    *list = longer;
    return HB_OK;
}

static hb_status add_category(hb_asked_reading *reading, const char *name)
{
    char room[HB_COLUMN_WORD];
    const char *word;
    HB_TRY(hb_columns_word(name, room, &word));
    hb_texts *texts = &reading->words.categories;
    if (texts->count == HB_TEXTS_MOST || reading->categories == HB_TEXTS_MOST) {
        return HB_FAIL(HB_EUSAGE, "the question reads more than %d columns of texts", HB_TEXTS_MOST);
    }
    char *copy = strdup(word);
    if (copy == NULL) {
        return NO_MEMORY;
    }
    reading->category[reading->categories++] = copy;
    texts->text[texts->count++] = copy;
    return HB_OK;
}

/* Whether --missing refuse is said of all columns. */
static bool says_refuse(const char *missing)
{
    static const char word[] = "refuse";
    bool found = false;
    while (missing != NULL && *missing != '\0') {
        const size_t length = strcspn(missing, ",");
        found = found || (length == sizeof word - 1 && strncmp(missing, word, length) == 0);
        missing += length + (missing[length] == ',');
    }
    return found;
}

/* Whether missing cells of a column have a treatment. */
static bool is_treated(const hb_asked_reading *reading, const hb_reading *said, const char *name)
{
    const hb_column_reading *how = said->count > 0 ? hb_reading_of(said, name) : NULL;
    bool treated =
        said->missing != HB_MISSING_REFUSE || says_refuse(reading->said.missing) || (how != NULL && how->has_missing);
    /* The treatment of a derived column holds for the columns that it is made of, and for those that these are. */
    bool has[HB_TEXTS_MOST] = {false};
    for (size_t i = 0; i < said->derived.count; i++) {
        how = hb_reading_of(said, said->derived.item[i].name);
        has[i] = how != NULL && how->has_missing;
    }
    hb_derivations_need(&said->derived, has);
    for (size_t i = 0; i < said->derived.count; i++) {
        treated = treated || (has[i] && hb_derivation_reads(&said->derived.item[i], name));
    }
    return treated;
}

/* Whether it is said which times of day a column has. */
static bool has_times(const hb_reading *said, const char *name)
{
    const hb_column_reading *how = said->count > 0 ? hb_reading_of(said, name) : NULL;
    return said->dialect.times != HB_TIMES_REFUSED || (how != NULL && how->has_times);
}

/* Adds texts that mean missing cells to --na, those that it lacks. */
static hb_status add_missing_texts(hb_asked_reading *reading, const char *texts)
{
    const hb_texts *said = &reading->said.na;
    while (*texts != '\0') {
        const size_t length = strcspn(texts, ",");
        bool has = reading->na != NULL && hb_survey_has_word(reading->na, texts, length);
        char text[HB_SURVEY_WORDS];
        for (uint32_t i = 0; i < said->count; i++) {
            has = has || hb_survey_has_word(said->text[i], texts, length);
        }
        if (!has) {
            snprintf(text, sizeof text, "%.*s", (int)length, texts);
            HB_TRY(append(&reading->na, hb_na_of_all(said->text, said->count), NULL, text));
        }
        texts += length + (texts[length] == ',');
    }
    return HB_OK;
}

/* Puts what was added to --na behind what was said, or in the place of a list that it goes on. */
static hb_status set_missing_texts(hb_asked_reading *reading)
{
    hb_texts *texts = &reading->words.na;
    *texts = reading->said.na;
    if (reading->na == NULL) {
        return HB_OK;
    }
    texts->count -= hb_na_of_all(texts->text, texts->count) != NULL;
    if (texts->count == HB_TEXTS_MOST) {
        return HB_FAIL(HB_EUSAGE, "--na is given more than %d times", HB_TEXTS_MOST - 1);
    }
    texts->text[texts->count++] = reading->na;
    return HB_OK;
}

/* Refuses decimals of so many digits that they are those of single or double precision. */
static hb_status refuse_digits(const hb_asked_reading *reading, const hb_asked_table *table,
                               const hb_survey_column *column)
{
    char *scale = hb_csv_list_with(reading->said.scale, column->name, "=100");
    const hb_status st =
        HB_FAIL(HB_EDATA,
                "%s: column %.64s has numbers of %d digits behind the point: say how many count, as --scale %s --round",
                table->path, column->name, column->digits, scale != NULL ? scale : "COLUMN=100");
    free(scale);
    return st;
}

static hb_status find_column(hb_asked_reading *reading, const hb_asked_table *table, const hb_survey_column *column,
                             const hb_reading *said, bool reals)
{
    const char *name = column->name;
    char power[32];
    if (column->kind == HB_SURVEY_TEXTS) {
        HB_TRY(add_category(reading, name));
    }
    if (column->kind == HB_SURVEY_DECIMALS && !reals) {
        if (column->digits > MOST_DIGITS) {
            return refuse_digits(reading, table, column);
        }
        snprintf(power, sizeof power, "%" PRIu64, hb_scale_of_digits(column->digits));
        HB_TRY(append(&reading->scale, reading->said.scale, name, power));
    }
    if (column->percent) {
        char room[HB_COLUMN_WORD];
        const char *word;
        HB_TRY(hb_columns_word(name, room, &word));
        HB_TRY(append(&reading->percent, reading->said.percent, NULL, word));
    }
    if (column->kind == HB_SURVEY_TIMES && !has_times(said, name)) {
        HB_TRY(append(&reading->times, reading->said.time_of_day, name, hb_time_unit_name(column->unit)));
    }
    HB_TRY(add_missing_texts(reading, column->words));
    return column->missing > 0 && !is_treated(reading, said, name)
               ? append(&reading->missing, reading->said.missing, name, missing_word)
               : HB_OK;
}

/* Refuses a column whose points nobody can tell: encrypt would, once the keys are made. */
static hb_status refuse_doubt(const hb_asked_table *table, uint64_t c)
{
    const hb_survey_column *column = &table->survey.column[c];
    return table->survey.decimal == 0 && column->doubt[0] != '\0' && hb_asked_is_read(table, c)
               ? HB_FAIL(HB_EDATA, "%s: %s, column %.64s: " HB_CSV_DOUBTFUL_POINTS, table->path, column->doubt,
                         column->name)
               : HB_OK;
}

/* Writes the option that reads each column of a table by its own sign in front of fractions, where a column has another
 * one than the rest; NULL: no column has, or there is no memory. Owned. */
static char *decimal_advice(const hb_asked_reading *reading, const hb_asked_table *table)
{
    const char *given = reading->said.decimal;
    char *list = NULL;
    given = given != NULL && strcmp(given, ",") == 0 ? "comma" : given;
    for (uint64_t c = 0; c < table->survey.columns; c++) {
        const hb_survey_column *column = &table->survey.column[c];
        const bool mixed = hb_asked_is_read(table, c) && column->kind == HB_SURVEY_MIXED;
        const char *sign = mixed ? hb_csv_other_sign(column->why) : NULL;
        char value[16], name[HB_SHELL_COLUMN], *longer = NULL;
        if (sign == NULL) {
            continue;
        }
        snprintf(value, sizeof value, "=%s", sign);
        if (list == NULL) {
            list = hb_csv_list_with(given, column->name, value);
        } else if (asprintf(&longer, "%s,%s%s", list, hb_shell_column(name, column->name), value) >= 0) {
            free(list);
            list = longer;
        }
    }
    return list;
}

/* Refuses a column whose numbers have another sign in front of fractions. */
static hb_status refuse_sign(const hb_asked_reading *reading, const hb_asked_table *table,
                             const hb_survey_column *column)
{
    char name[HB_SHELL_COLUMN], *list = decimal_advice(reading, table);
    if (list == NULL) {
        return NO_MEMORY;
    }
    const hb_status st = HB_FAIL(HB_EDATA,
                                 "%s: column %.64s: %s; say of each column which sign its fractions have, as --decimal "
                                 "%.300s; --category %s reads all cells as texts",
                                 table->path, column->name, column->odd, list, hb_shell_column(name, column->name));
    free(list);
    return st;
}

/* Refuses a column that no reading takes, with the option or the edit that helps. */
static hb_status refuse_cells(const hb_asked_reading *reading, const hb_asked_table *table,
                              const hb_survey_column *column)
{
    char name[HB_SHELL_COLUMN];
    const char *odd = column->odd[0] != '\0' ? column->odd : "its files differ";
    if (column->why != NULL && (strcmp(column->why, HB_CSV_SHORT_YEAR) == 0 ||
                                strstr(column->why, HB_CSV_LEAP_SECOND) != NULL)) { /* no option reads it */
        return HB_FAIL(HB_EDATA, "%s: column %.64s: %s", table->path, column->name, odd);
    }
    if (hb_csv_other_sign(column->why) != NULL) {
        return refuse_sign(reading, table, column);
    }
    if (column->day) {
        return HB_FAIL(HB_EDATA,
                       "%s: column %.64s: %s; say how its dates are written, as --date-format d.m.y, d/m/y or m/d/y, "
                       "with --time-of-day drop where times stand behind them, and with --na which texts mean missing "
                       "cells",
                       table->path, column->name, odd);
    }
    if (column->mostly_words) {
        return HB_FAIL(HB_EDATA,
                       "%s: column %.64s: %s. If all are labels: --category %s. If such a text means a missing cell: "
                       "--na TEXT",
                       table->path, column->name, odd, hb_shell_column(name, column->name));
    }
    const bool missing = column->why == NULL || hb_csv_may_be_missing(column->why);
    return HB_FAIL(HB_EDATA, "%s: column %.64s: %s; %s--category %s reads all cells as texts", table->path,
                   column->name, odd, missing ? "--na TEXT names a text that means a missing cell, " : "",
                   hb_shell_column(name, column->name));
}

/* Shows a cell that no reading takes; of a date, which days it may be. */
static void show_cell(const hb_asked_table *table, const hb_survey_column *column)
{
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    unsigned first, second, year;
    char between[2], again[2];
    const char *text = column->odd_text;
    const bool parts = sscanf(text, "%2u%1[-./]%2u%1[-./]%4u", &first, between, &second, again, &year) == 5;
    if (column->day && parts && first != second && first >= 1 && first <= 12 && second >= 1 && second <= 12) {
        hb_console_show("%s: column %.64s: %s may be %u %s or %u %s", table->path, column->name, text, first,
                        months[second - 1], second, months[first - 1]);
    } else if (text[0] != '\0') {
        hb_console_show("%s: column %.64s has a cell '%s'", table->path, column->name, text);
    }
}

/* Refuses tables without rows, and columns that no reading takes. The text of a cell is shown to the user, whose table
 * it is; messages, which go to log files as well, do not have it. */
static hb_status refuse_mixed(const hb_asked_reading *reading, const hb_question *q)
{
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_asked_table *table = &q->table[i];
        if (table->read && table->survey.columns > 0 && table->survey.rows == 0) {
            return HB_FAIL(HB_EDATA, "%s has no rows", table->path);
        }
        for (uint64_t c = 0; c < table->survey.columns; c++) {
            const hb_survey_column *column = &table->survey.column[c];
            HB_TRY(refuse_doubt(table, c));
            if (!hb_asked_is_read(table, c) || column->kind != HB_SURVEY_MIXED) {
                continue;
            }
            show_cell(table, column);
            HB_TRY(refuse_cells(reading, table, column));
        }
    }
    return HB_OK;
}

/* Whether no option is needed to read the cells of a column. */
static bool needs_none(const hb_survey_column *column)
{
    return (column->kind == HB_SURVEY_INTEGERS || column->kind == HB_SURVEY_TRUTHS ||
            column->kind == HB_SURVEY_DATES) &&
           !column->percent;
}

/* Joins what is known of a column of table `t` with what is known of columns of later tables by the same name, of which
 * options say the same. *known is false where an earlier table has it. */
static hb_status join_columns(const hb_question *q, uint32_t t, uint64_t c, hb_survey_column *joined, bool *known)
{
    *joined = q->table[t].survey.column[c];
    *known = false;
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_survey *survey = &q->table[i].survey;
        const hb_survey_column *other = i == t ? NULL : hb_survey_find(survey, joined->name);
        if (other == NULL || !hb_asked_is_read(&q->table[i], (uint64_t)(other - survey->column))) {
            continue;
        }
        if (i < t) {
            return HB_OK;
        }
        const hb_survey_kind kind = joined->kind;
        const bool differ = needs_none(joined) && needs_none(other) && kind != other->kind;
        hb_survey_join(joined, other);
        joined->kind = differ ? kind : joined->kind; /* each is read as it is */
        if (joined->kind == HB_SURVEY_MIXED) {
            return HB_FAIL(HB_EDATA,
                           "column %.64s of %s has other cells than that of %s, and options for a column hold in all "
                           "tables: rename one of the columns, or encrypt the tables one by one",
                           joined->name, q->table[t].path, q->table[i].path);
        }
    }
    *known = true;
    return HB_OK;
}

/* Notes which columns are read to make those that the question has. */
static hb_status find_sources(hb_asked_table *table, const hb_derivations *derived)
{
    const hb_survey *survey = &table->survey;
    table->source = calloc((size_t)survey->columns + 1, sizeof *table->source);
    for (size_t i = derived->count; table->source != NULL && i-- > 0;) {
        const hb_derivation *of = &derived->item[i];
        const hb_survey_column *made = hb_survey_find(survey, of->name);
        for (int k = 0; made != NULL && k < HB_DERIVED_SOURCES && of->source[k] != NULL; k++) {
            const hb_survey_column *source = hb_survey_find(survey, of->source[k]);
            if (source != NULL && hb_asked_is_read(table, (uint64_t)(made - survey->column))) {
                table->source[source - survey->column] = true;
            }
        }
    }
    return table->source != NULL ? HB_OK : NO_MEMORY;
}

/* Whether a table has a column, or may have it: some are not looked at. */
static bool may_have(const hb_asked_table *table, const char *name)
{
    return table->survey.columns == 0 || hb_survey_find(&table->survey, name) != NULL;
}

/* Some table has each column that options name. */
static hb_status check_names(const hb_question *q, const hb_reading *said)
{
    for (size_t r = 0; r < said->count; r++) {
        uint32_t i = 0;
        while (i < q->tables && !may_have(&q->table[i], said->column[r].name)) {
            i++;
        }
        if (i == q->tables && q->tables > 1) { /* the reading of a lone table says so with its columns */
            return hb_reading_refuse_column(said->column[r].name);
        }
    }
    return HB_OK;
}

/* Finds how to read the columns that the question reads. */
hb_status hb_asked_find_reading(hb_asked_reading *reading, const hb_question *q, bool reals)
{
    hb_reading said = {0};
    hb_status st;
    reading->words = reading->said;
    HB_GOTO(hb_table_words_parse(&reading->said, &said));
    for (uint32_t i = 0; i < q->tables; i++) {
        HB_GOTO(find_sources(&q->table[i], &said.derived));
    }
    HB_GOTO(check_names(q, &said));
    HB_GOTO(refuse_mixed(reading, q));
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_asked_table *table = &q->table[i];
        for (uint64_t c = 0; c < table->survey.columns; c++) {
            hb_survey_column joined = {.kind = HB_SURVEY_SAID};
            bool known = false;
            HB_GOTO(hb_asked_is_read(table, c) ? join_columns(q, i, c, &joined, &known) : HB_OK);
            if (joined.kind == HB_SURVEY_TEXTS && !hb_asked_is_picked(table, c)) {
                joined.kind = HB_SURVEY_SAID; /* texts that --derive compares are labels by themselves */
            }
            HB_GOTO(known ? find_column(reading, table, &joined, &said, reals) : HB_OK);
        }
    }
    reading->words.scale = reading->scale != NULL ? reading->scale : reading->said.scale;
    reading->words.missing = reading->missing != NULL ? reading->missing : reading->said.missing;
    reading->words.percent = reading->percent != NULL ? reading->percent : reading->said.percent;
    reading->words.time_of_day = reading->times != NULL ? reading->times : reading->said.time_of_day;
    HB_GOTO(set_missing_texts(reading));
    HB_GOTO(hb_asked_take_forms(reading, q));
done:
    hb_reading_clear(&said);
    return st;
}
