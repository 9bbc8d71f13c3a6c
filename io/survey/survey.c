#include "survey.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/table/csv_columns.h"
#include "io/table/csv_reasons.h"
#include "io/table/table.h"

/* Appends a text to a list of them, as an option takes it. Returns false where there is no room. */
static bool append(char *list, size_t size, const char *text)
{
    const size_t length = strlen(list), more = strlen(text) + (length > 0);
    if (length + more >= size) {
        return false;
    }
    strcat(list, length > 0 ? "," : "");
    strcat(list, text);
    return true;
}

/* Finds whether all texts among the numbers of a column are words for missing cells, and lists them. HB_ENOMEM. */
static hb_status list_words(const hb_csv_shown *shown, hb_survey_column *to, bool *all)
{
    hb_csv_listing list;
    HB_TRY(hb_csv_set_list(&shown->strange, &list));
    *all = !shown->strange.full && list.count > 0;
    for (uint64_t i = 0; *all && i < list.count; i++) {
        *all = hb_dialect_may_be_missing(list.text[i]) && append(to->words, HB_SURVEY_WORDS, list.text[i]);
    }
    hb_csv_listing_clear(&list);
    if (!*all) {
        to->words[0] = '\0';
    }
    return HB_OK;
}

/* Cells that are wrong as integers and no decimals. */
static uint64_t odd_cells(const hb_csv_shown *shown)
{
    return shown->count[HB_CSV_IS_WRONG] - shown->fractions;
}

/* Words that mean missing cells among numbers: some are labels among texts. */
static void take_words(const hb_csv_shown *shown, hb_survey_column *to)
{
    to->missing -= shown->words.labels;
    to->named = shown->words.named;
    snprintf(to->missing_word, sizeof to->missing_word, "%s", shown->words.name);
}

static hb_status find_kind(const hb_csv_shown *shown, hb_survey_column *to)
{
    const uint64_t numbers = shown->count[HB_CSV_IS_NUMBER] + shown->fractions, truths = shown->count[HB_CSV_IS_TRUTH],
                   times = shown->count[HB_CSV_IS_TIME], dates = shown->count[HB_CSV_IS_DATE] + times,
                   odd = odd_cells(shown);
    bool listed = true;
    to->kind = HB_SURVEY_MIXED;
    if (odd > 0 && numbers + dates == 0) {
        to->kind = shown->words.other.row == 0 && !shown->wrong.day ? HB_SURVEY_TEXTS : HB_SURVEY_MIXED;
        take_words(shown, to);
        return HB_OK;
    }
    if (odd > 0) {
        HB_TRY(list_words(shown, to, &listed));
    }
    if (!listed) {
        return HB_OK;
    }
    to->missing += odd;
    to->percent = shown->percents > 0;
    if ((to->percent && shown->percents < numbers) || (numbers > 0) + (truths > 0) + (dates > 0) > 1) {
        return HB_OK;
    }
    to->kind = truths > 0             ? HB_SURVEY_TRUTHS
               : times > 0            ? HB_SURVEY_TIMES
               : dates > 0            ? HB_SURVEY_DATES
               : shown->fractions > 0 ? HB_SURVEY_DECIMALS
                                      : HB_SURVEY_INTEGERS;
    if (to->kind == HB_SURVEY_INTEGERS && shown->notes.leading_zeros.count > 0) { /* 007 is no 7: codes are labels */
        to->kind = HB_SURVEY_TEXTS;
        to->zeros = shown->notes.leading_zeros.count;
        take_words(shown, to);
    }
    return HB_OK;
}

/* Names the first cell of each other kind behind what is written already. */
static size_t name_kinds(const hb_csv_shown *shown, hb_survey_column *to, size_t used)
{
    const hb_csv_kind others[] = {HB_CSV_IS_NUMBER, HB_CSV_IS_DATE, HB_CSV_IS_TIME, HB_CSV_IS_TRUTH};
    static const char *const kinds[] = {"a number", "a date", "a time", "true or false"};
    char at[HB_CSV_PLACE];
    for (size_t i = 0; i < sizeof others / sizeof *others && used < sizeof to->odd; i++) {
        if (shown->count[others[i]] > 0) {
            used += (size_t)snprintf(to->odd + used, sizeof to->odd - used, "%s%s has %s", used > 0 ? ", " : "",
                                     hb_csv_place_text(at, shown->first[others[i]]), kinds[i]);
        }
    }
    return used;
}

/* Names a cell that is no label among others that may be labels. */
static void name_no_label(const hb_csv_shown *shown, hb_survey_column *to)
{
    const hb_csv_words *words = &shown->words;
    char at[HB_CSV_PLACE];
    size_t used = 0;
    if (words->other.row > 0) {
        const bool vague = words->why == NULL || hb_csv_may_be_missing(words->why);
        const char *why = vague                                ? "begins with no letter"
                          : words->why == hb_csv_another_order ? "is a date in another order"
                                                               : words->why;
        why += strncmp(why, "it ", 3) == 0 ? 3 : 0;
        const int length = (int)strcspn(why, ":("); /* advice for numbers is behind */
        used = (size_t)snprintf(to->odd, sizeof to->odd, "%s %.*s", hb_csv_place_text(at, words->other),
                                length > 0 && why[length] == '(' ? length - 1 : length, why);
        snprintf(to->odd_text, sizeof to->odd_text, "%s", words->text);
    }
    (void)name_kinds(shown, to, used);
    char others[sizeof to->odd];
    memcpy(others, to->odd, sizeof others);
    snprintf(to->odd, sizeof to->odd, "%" PRIu64 " cells are words, but %.*s", words->count, (int)sizeof others - 48,
             others);
}

/* Names a cell that no reading takes together with the others. */
static void name_odd(const hb_csv_shown *shown, hb_survey_column *to)
{
    char at[HB_CSV_PLACE];
    size_t used = 0;
    to->odd[0] = to->odd_text[0] = '\0';
    to->mostly_words = hb_csv_mostly_words(shown);
    if (to->mostly_words) {
        to->day = false; /* that its dates are written in another order is of no help */
        name_no_label(shown, to);
        return;
    }
    if (shown->count[HB_CSV_IS_WRONG] > 0) {
        const hb_csv_cell *wrong = &shown->wrong;
        const char *why = wrong->why != NULL                 ? wrong->why
                          : wrong->fault == HB_CSV_TOO_LARGE ? "does not fit in 64 bits"
                                                             : "";
        to->why = wrong->why;
        why += strncmp(why, "it ", 3) == 0 ? 3 : 0;
        used = (size_t)snprintf(to->odd, sizeof to->odd, "%s %s", hb_csv_place_text(at, shown->first[HB_CSV_IS_WRONG]),
                                why[0] != '\0' ? why : "differs");
        snprintf(to->odd_text, sizeof to->odd_text, "%s", shown->wrong_text);
    }
    (void)name_kinds(shown, to, used);
}

static hb_status take(void *context, const hb_schema *schema, const hb_csv_column *columns)
{
    hb_survey *survey = context;
    survey->column = calloc((size_t)schema->columns + 1, sizeof *survey->column);
    if (survey->column == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of a table");
    }
    survey->columns = schema->columns;
    survey->rows = schema->rows;
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_survey_column *to = &survey->column[c];
        const hb_csv_shown *shown = &columns[c].shown;
        snprintf(to->name, sizeof to->name, "%s", schema->column[c].name);
        to->missing = shown->count[HB_CSV_IS_MISSING];
        to->digits = shown->needed;
        to->unit = shown->times.unit;
        to->spellings = shown->notes.spellings;
        to->na = shown->notes.na;
        to->day = shown->wrong.day;
        survey->points += shown->points;
        if (shown->may_group.row > 0) {
            (void)hb_csv_place_text(to->doubt, shown->may_group);
        }
        to->kind = HB_SURVEY_SAID;
        if (columns[c].guessed) {
            HB_TRY(find_kind(shown, to));
        }
        if (to->kind == HB_SURVEY_MIXED) {
            name_odd(shown, to);
        }
    }
    return HB_OK;
}

/* Appends the words of one list that another lacks. Returns false where there is no room. */
static bool append_words(char list[HB_SURVEY_WORDS], const char *words)
{
    bool fits = true;
    while (*words != '\0' && fits) {
        char word[HB_SURVEY_WORDS];
        const size_t length = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        fits = hb_survey_has_word(list, word, length) || append(list, HB_SURVEY_WORDS, word);
        words += length + (words[length] == ',');
    }
    return fits;
}

void hb_survey_join(hb_survey_column *to, const hb_survey_column *from)
{
    const bool numbers = (to->kind == HB_SURVEY_INTEGERS || to->kind == HB_SURVEY_DECIMALS) &&
                         (from->kind == HB_SURVEY_INTEGERS || from->kind == HB_SURVEY_DECIMALS);
    const bool times = (to->kind == HB_SURVEY_TIMES || to->kind == HB_SURVEY_DATES) &&
                       (from->kind == HB_SURVEY_TIMES || from->kind == HB_SURVEY_DATES);
    const bool alike = to->percent == from->percent && (numbers || times || to->kind == from->kind);
    to->missing += from->missing;
    to->zeros += from->zeros;
    if (to->named == 0) {
        memcpy(to->missing_word, from->missing_word, sizeof to->missing_word);
    }
    to->named += from->named;
    to->spellings |= from->spellings;
    to->na |= from->na;
    to->digits = from->digits > to->digits ? from->digits : to->digits;
    to->day |= from->day;
    to->mostly_words |= from->mostly_words;
    snprintf(to->doubt, sizeof to->doubt, "%s", to->doubt[0] != '\0' ? to->doubt : from->doubt);
    to->unit =
        to->unit == HB_TIME_NONE || (from->unit != HB_TIME_NONE && from->unit < to->unit) ? from->unit : to->unit;
    to->kind = !alike ? HB_SURVEY_MIXED
               : to->kind > from->kind
                   ? to->kind
                   : from->kind; /* decimals, where integers stand beside them; times beside midnights */
    if (!append_words(to->words, from->words)) {
        to->kind = HB_SURVEY_MIXED;
    }
}

static const char *cells_of(hb_survey_kind kind, bool percent)
{
    static const char *const cells[] = {[HB_SURVEY_SAID] = "cells as they are said",
                                        [HB_SURVEY_INTEGERS] = "whole numbers",
                                        [HB_SURVEY_DECIMALS] = "decimals",
                                        [HB_SURVEY_TRUTHS] = "true and false",
                                        [HB_SURVEY_DATES] = "dates",
                                        [HB_SURVEY_TIMES] = "times",
                                        [HB_SURVEY_TEXTS] = "texts",
                                        [HB_SURVEY_MIXED] = "cells of several kinds"};
    return percent ? "numbers with percent signs" : cells[kind];
}

/* Names the file of a cell that no reading takes. */
static void name_file(hb_survey_column *column, const char *file)
{
    char odd[HB_SURVEY_ODD];
    snprintf(odd, sizeof odd, "%s", column->odd);
    snprintf(column->odd, sizeof column->odd, "%.100s: %.180s", file, odd);
}

/* Columns of several files are one. One that a file lacks is refused when they are read. */
static void join(hb_survey *all, const hb_survey *of, const char *first, const char *file)
{
    for (uint64_t c = 0; c < all->columns; c++) {
        hb_survey_column *to = &all->column[c];
        const hb_survey_column *from = hb_survey_find(of, to->name);
        if (from == NULL) {
            continue;
        }
        const hb_survey_kind kind = to->kind;
        const bool percent = to->percent;
        hb_survey_join(to, from);
        if (to->kind != HB_SURVEY_MIXED || to->odd[0] != '\0') {
            continue;
        }
        if (from->kind == HB_SURVEY_MIXED && from->odd[0] != '\0') {
            memcpy(to->odd, from->odd, sizeof to->odd);
            memcpy(to->odd_text, from->odd_text, sizeof to->odd_text);
            to->why = from->why;
            name_file(to, file);
        } else if (kind != from->kind || percent != from->percent) {
            snprintf(to->odd, sizeof to->odd, "%.100s has %s, %.100s has %s", first, cells_of(kind, percent), file,
                     cells_of(from->kind, from->percent));
        }
    }
}

static hb_status survey_one(const char *name, const hb_reading *reading, hb_survey *survey)
{
    char *file, *dataset;
    hb_reading own = *reading;
    hb_table *table = NULL;
    hb_status st = HB_OK;
    *survey = (hb_survey){0};
    own.columns_optional = true;
    own.dialect.times = own.dialect.times == HB_TIMES_REFUSED ? HB_TIMES_FOUND : own.dialect.times;
    own.survey = (hb_reading_survey){take, survey};
    own.ranks = NULL; /* tables are surveyed by any rank on its own */
    HB_TRY(hb_table_name_split(name, &file, &dataset));
    if (dataset == NULL) {
        st = hb_table_open_as(name, HB_CELL_INTEGER, &own, &table);
        hb_table_close(table);
    }
    free(file);
    free(dataset);
    return st;
}

static hb_status survey_all(const hb_table_names *names, const hb_reading *reading, hb_survey *survey)
{
    HB_TRY(survey_one(names->name[0], reading, survey));
    for (uint64_t c = 0; c < survey->columns && names->count > 1; c++) {
        if (survey->column[c].odd[0] != '\0') {
            name_file(&survey->column[c], names->name[0]);
        }
    }
    for (size_t i = 1; i < names->count; i++) {
        hb_survey other;
        const hb_status st = survey_one(names->name[i], reading, &other);
        if (st == HB_OK) {
            join(survey, &other, names->name[0], names->name[i]);
            survey->rows += other.rows;
            survey->points += other.points;
        }
        hb_survey_clear(&other);
        HB_TRY(st);
    }
    return HB_OK;
}

static bool is_same(const hb_survey_column *a, const hb_survey_column *b)
{
    return a->kind == b->kind && a->digits == b->digits && a->missing == b->missing && a->unit == b->unit;
}

/* How many columns more another form reads, as long as it changes nothing of those that could be read; else 0. */
static uint64_t gain(const hb_survey *now, const hb_survey *other)
{
    uint64_t count = 0;
    bool same = now->columns == other->columns;
    for (uint64_t c = 0; same && c < now->columns; c++) {
        const hb_survey_column *of = &now->column[c], *to = &other->column[c];
        const bool mends = of->kind == HB_SURVEY_MIXED && to->kind != HB_SURVEY_MIXED;
        count += mends;
        same = of->kind == HB_SURVEY_MIXED || is_same(of, to);
    }
    return same ? count : 0;
}

/* Whether cells of a column mean something else in another form: all but labels do. */
static bool is_said(const hb_reading *reading, const hb_survey_column *column)
{
    const hb_column_reading *how = column->kind == HB_SURVEY_SAID ? hb_reading_of(reading, column->name) : NULL;
    return how != NULL && !how->collects_labels && how->meaning.kind != HB_MEANING_CATEGORY;
}

/* Whether another form changes columns whose meaning is said, and of which a survey looks at no cell: they are surveyed
 * as if nothing was said of them. */
static hb_status look_at_said(const hb_table_names *names, const hb_reading *reading, const hb_reading *other,
                              const hb_survey *survey, bool *same)
{
    hb_reading of = *reading, to = *other;
    hb_survey now = {0}, then = {0};
    hb_status st = HB_OK;
    bool any = false;
    *same = true;
    for (uint64_t c = 0; c < survey->columns; c++) {
        any = any || is_said(reading, &survey->column[c]);
    }
    if (!any) {
        return HB_OK;
    }
    of.column = to.column = NULL;
    of.count = to.count = 0;
    HB_GOTO(survey_all(names, &of, &now));
    HB_GOTO(survey_all(names, &to, &then));
    *same = now.columns == survey->columns && then.columns == survey->columns;
    for (uint64_t c = 0; c < survey->columns && *same; c++) {
        const hb_survey_column *before = &now.column[c], *after = &then.column[c];
        *same = !is_said(reading, &survey->column[c]) || before->kind == HB_SURVEY_MIXED || is_same(before, after);
    }
done:
    hb_survey_clear(&now);
    hb_survey_clear(&then);
    return st;
}

/* Tries forms of cells, "," and "." or orders of dates, and takes the one that gains most; none where two do. */
static hb_status try_forms(const hb_table_names *names, const hb_reading *reading, const char *const *forms,
                           hb_survey *survey)
{
    hb_survey best = {0};
    uint64_t most = 0;
    bool tie = false;
    hb_status st = HB_OK;
    for (size_t i = 0; forms[i] != NULL && st == HB_OK; i++) {
        hb_survey other = {0};
        hb_reading own = *reading;
        const bool date = forms[i][1] != '\0';
        if (date) {
            memcpy(own.dialect.date, forms[i], HB_DATE_FORM);
        } else {
            own.dialect.decimal = forms[i][0];
        }
        st = survey_all(names, &own, &other);
        uint64_t gained = st == HB_OK ? gain(survey, &other) : 0;
        bool same = true;
        st = gained > 0 ? look_at_said(names, reading, &own, survey, &same) : st;
        gained = same ? gained : 0;
        other.decimal = date ? survey->decimal : forms[i][0];
        memcpy(other.date, own.dialect.date, HB_DATE_FORM);
        tie = gained == most ? tie || gained > 0 : gained < most && tie;
        if (gained > most) {
            const hb_survey worse = best;
            most = gained;
            best = other;
            other = worse;
        }
        hb_survey_clear(&other);
    }
    if (st == HB_OK && most > 0 && !tie) {
        const hb_survey old = *survey;
        *survey = best;
        best = old;
    }
    hb_survey_clear(&best);
    return st;
}

/* Whether a column cannot be read: one of dates in another form, or another one. */
static bool has_mixed(const hb_survey *survey, bool days)
{
    bool any = false;
    for (uint64_t c = 0; c < survey->columns; c++) {
        any = any || (survey->column[c].kind == HB_SURVEY_MIXED && survey->column[c].day == days);
    }
    return any;
}

/* Takes a point for the sign in front of fractions where one column shows that, and another one may have points between
 * thousands: that one may be read without the first. */
static void settle_points(hb_survey *survey)
{
    bool doubt = false;
    for (uint64_t c = 0; c < survey->columns; c++) {
        doubt = doubt || survey->column[c].doubt[0] != '\0';
    }
    survey->decimal = survey->decimal == 0 && doubt && survey->points > 0 ? '.' : survey->decimal;
}

/* Adds to the columns of a table those that are derived from them. */
static hb_status add_derived(hb_survey *survey, const hb_derivations *derived)
{
    const size_t most = (size_t)survey->columns + derived->count;
    if (survey->columns == 0 || derived->count == 0) {
        return HB_OK;
    }
    hb_survey_column *column = realloc(survey->column, most * sizeof *column);
    if (column == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of a table");
    }
    survey->column = column;
    for (size_t i = 0; i < derived->count; i++) {
        const hb_derivation *of = &derived->item[i];
        if (hb_survey_find(survey, of->source[0]) != NULL && hb_survey_find(survey, of->name) == NULL &&
            (of->source[1] == NULL || hb_survey_find(survey, of->source[1]) != NULL)) {
            hb_survey_column *made = &column[survey->columns++];
            *made = (hb_survey_column){.kind = HB_SURVEY_SAID};
            snprintf(made->name, sizeof made->name, "%s", of->name);
        }
    }
    return HB_OK;
}

hb_status hb_table_survey(const char *name, const hb_reading *reading, hb_survey *survey)
{
    static const char *const signs[] = {",", ".", NULL}, *const orders[] = {"d.m.y", "d/m/y", "m/d/y", "d-m-y",
                                                                            "m-d-y", "y/m/d", "y.m.d", NULL};
    hb_table_names names;
    hb_status st;
    *survey = (hb_survey){0};
    HB_TRY(hb_table_names_find(hb_table_list_of(&name), &names));
    HB_GOTO(survey_all(&names, reading, survey));
    if (reading->dialect.decimal == 0 && has_mixed(survey, false)) {
        HB_GOTO(try_forms(&names, reading, signs, survey));
    }
    settle_points(survey);
    if (reading->dialect.date[0] == '\0' && has_mixed(survey, true)) {
        hb_reading own = *reading;
        own.dialect.decimal = survey->decimal != 0 ? survey->decimal : own.dialect.decimal;
        HB_GOTO(try_forms(&names, &own, orders, survey));
    }
    st = add_derived(survey, &reading->derived);
done:
    hb_table_names_clear(&names);
    return st;
}
