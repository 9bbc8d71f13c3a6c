/* The forms of cells that options say of all tables: the sign in front of fractions, the order of dates, and the texts
 * that mean missing cells. */
#include <stdlib.h>
#include <string.h>

#include "job.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for what is said of columns")

/* Options for the cells of all columns, in the place of options that the user gave. */
typedef struct forms {
    const char *decimal, *date;
    const hb_texts *na;
} forms;

static hb_status survey_as(const hb_asked_reading *reading, const hb_asked_table *table, const forms *form,
                           hb_survey *survey)
{
    hb_table_words words = hb_asked_survey_words(&reading->said);
    hb_reading parsed = {0};
    words.decimal = form->decimal;
    words.date_format = form->date;
    words.na = *form->na;
    words.scale = words.percent = words.date = NULL; /* else nothing is known of such a column but that it is said */
    hb_status st = hb_table_words_parse(&words, &parsed);
    st = st == HB_OK ? hb_table_survey(table->path, &parsed, survey) : st;
    hb_reading_clear(&parsed);
    return st;
}

/* Surveys a table in two forms. *changed receives its first column that is read and differs; the number of columns:
 * none does. */
static hb_status find_change(const hb_asked_reading *reading, const hb_asked_table *table, const forms form[2],
                             uint64_t *changed)
{
    const uint64_t columns = table->survey.columns;
    hb_survey now = {0}, then = {0};
    hb_status st;
    *changed = columns;
    HB_GOTO(survey_as(reading, table, &form[0], &now));
    HB_GOTO(survey_as(reading, table, &form[1], &then));
    for (uint64_t c = columns; c-- > 0;) {
        const char *name = table->survey.column[c].name;
        const hb_survey_column *of = hb_survey_find(&now, name), *to = hb_survey_find(&then, name);
        const bool alike = (of == NULL && to == NULL) || /* it is made, of others */
                           (of != NULL && to != NULL && to->kind == of->kind && to->digits == of->digits &&
                            to->missing == of->missing && to->percent == of->percent && to->unit == of->unit);
        *changed = hb_asked_is_read(table, c) && !alike ? c : *changed;
    }
done:
    hb_survey_clear(&now);
    hb_survey_clear(&then);
    return st;
}

static bool has_form(const hb_asked_table *table, bool date)
{
    return table->read && (date ? table->survey.date[0] != '\0' : table->survey.decimal != 0);
}

static const char *form_of(const hb_asked_table *table, bool date)
{
    return !date                           ? table->survey.decimal == ',' ? "comma" : "point"
           : table->survey.date[0] != '\0' ? table->survey.date
                                           : "y-m-d";
}

/* Takes the sign in front of fractions, or the order of dates, that was found in a table, and refuses tables whose
 * cells would be others in that form: options hold for all tables. */
static hb_status take_form(hb_asked_reading *reading, const hb_question *q, bool date)
{
    uint32_t from = 0;
    while (from < q->tables && !has_form(&q->table[from], date)) {
        from++;
    }
    if (from == q->tables) {
        return HB_OK;
    }
    const char *form = form_of(&q->table[from], date), *said = date ? NULL : reading->said.decimal;
    if (said != NULL && asprintf(&reading->decimal, "%s,%s", form, said) < 0) { /* said of some columns */
        reading->decimal = NULL;
        return NO_MEMORY;
    }
    const char *whole = said != NULL ? reading->decimal : form;
    *(date ? &reading->words.date_format : &reading->words.decimal) = whole;
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_asked_table *table = &q->table[i];
        const bool own = has_form(table, date);
        uint64_t changed = 0;
        if (!table->read || table->survey.columns == 0 || (own && strcmp(form_of(table, date), form) == 0)) {
            continue;
        }
        if (!own) {
            forms both[2] = {{date ? reading->words.decimal : reading->said.decimal,
                              has_form(table, true) ? table->survey.date : reading->said.date_format,
                              &reading->said.na}};
            both[1] = both[0];
            *(date ? &both[1].date : &both[1].decimal) = whole;
            HB_TRY(find_change(reading, table, both, &changed));
        }
        if (own || changed < table->survey.columns) {
            return HB_FAIL(HB_EDATA,
                           "%s is written with %s %s and %s with %s%s: encrypt them one by one, each with its %s",
                           q->table[from].path, date ? "dates as" : "a decimal", form, table->path, date ? "" : "a ",
                           form_of(table, date), date ? "--date-format" : "--decimal");
        }
    }
    return HB_OK;
}

/* Refuses texts that mean missing cells in one column and would in another, where nobody says so. */
static hb_status check_missing_texts(const hb_asked_reading *reading, const hb_question *q)
{
    for (uint32_t i = 0; i < q->tables && reading->na != NULL; i++) {
        const hb_asked_table *table = &q->table[i];
        uint64_t changed = table->survey.columns;
        const forms both[2] = {{reading->words.decimal, reading->words.date_format, &reading->said.na},
                               {reading->words.decimal, reading->words.date_format, &reading->words.na}};
        if (table->read && table->survey.columns > 0) {
            HB_TRY(find_change(reading, table, both, &changed));
        }
        if (changed < table->survey.columns) {
            return HB_FAIL(HB_EDATA,
                           "%s: column %.64s has a text that means a missing cell in other columns: if it does in this "
                           "one, too, say --na '%s'; else say of which columns, --na COLUMN=TEXT",
                           table->path, table->survey.column[changed].name, reading->na);
        }
    }
    return HB_OK;
}

hb_status hb_asked_take_forms(hb_asked_reading *reading, const hb_question *q)
{
    HB_TRY(take_form(reading, q, false));
    HB_TRY(take_form(reading, q, true));
    return check_missing_texts(reading, q);
}
