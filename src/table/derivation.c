#include "derivation.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "derived_constant.h"
#include "derived_pair.h"
#include "real_text.h"
#include "shell_line.h"

enum { ENDS = 2, HOURS = 24, LABEL_ROOM = 2 * HB_REAL_TEXT + 8 };
static const char *const weekdays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
/* Numbers whose bins have a width are smaller, so that products and doubles of them are exact. */
static const double most_number = 4503599627370496.0; /* 2^52 */

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for --derive")

static hb_status refuse(const hb_derivation *d, const char *why)
{
    return HB_FAIL(HB_EUSAGE, "--derive '%.160s': %s", d->text, why);
}

/* --- bins */

static bool is_in(const hb_derived_bin *bin, const hb_derived_cell *value, bool real)
{
    return (!bin->from || hb_derived_cell_compare(value, &bin->least, real) >= 0) &&
           (!bin->to || hb_derived_cell_compare(value, &bin->most, real) < (bin->below ? 0 : 1));
}

/* Moves ends that no cell has to the next cells within the bin. */
static void keep_cells(hb_derived_bin *bin)
{
    bin->least.integer += bin->least.between;
    bin->least.number += bin->least.between;
    bin->below = bin->below && !bin->most.between;
    bin->least.between = bin->most.between = false;
}

/* Whether some number is in both: the greater of their least ones, if any is. */
static bool overlap(const hb_derived_bin *a, const hb_derived_bin *b, bool real)
{
    if (!a->from && !b->from) {
        return true;
    }
    const bool of_a = a->from && (!b->from || hb_derived_cell_compare(&a->least, &b->least, real) >= 0);
    return is_in(of_a ? b : a, of_a ? &a->least : &b->least, real);
}

/* Copies a text without its blanks; of times, that between a day and a time of day becomes a T. */
static void squeeze(char *to, const char *from, size_t length, bool times)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        const bool inner = times && from[i] == ' ' && i > 0 && isdigit(from[i - 1]) && isdigit(from[i + 1]);
        to[count] = inner ? 'T' : from[i];
        count += inner || (from[i] != ' ' && from[i] != '\t');
    }
    to[count] = '\0';
}

/* Reads A..B, A..<B, A.., ..B, ..<B or .., and puts its label into `label` [the text's length + 1]. */
static hb_status read_bin(const hb_derivation *d, const hb_column *column, const char *text, char *label,
                          hb_derived_bin *bin)
{
    squeeze(label, text, strlen(text), column->meaning.kind == HB_MEANING_TIME);
    char *dots = strstr(label, "..");
    *bin = (hb_derived_bin){.from = false};
    if (dots == NULL) {
        return refuse(d, "a bin is A..B, with both numbers in it, A..<B, A.., ..B, or .. for all other numbers");
    }
    bin->from = dots > label;
    bin->below = dots[2] == '<';
    const char *most = dots + 2 + bin->below;
    bin->to = *most != '\0';
    if (bin->to) {
        HB_TRY(hb_derived_constant_read(d, column, most, &bin->most));
    }
    if (bin->from) {
        *dots = '\0';
        const hb_status st = hb_derived_constant_read(d, column, label, &bin->least);
        *dots = '.';
        HB_TRY(st);
    }
    if (bin->below && !bin->to) {
        return refuse(d, "..< needs a number behind it");
    }
    keep_cells(bin);
    return bin->from && bin->to && !is_in(bin, &bin->least, hb_derived_is_number(column))
               ? refuse(d, "a bin ends before it begins, or no number of the column is in it")
               : HB_OK;
}

static hb_status check_overlaps(const hb_derived_rule *rule)
{
    for (uint64_t i = 0; i < rule->bins; i++) {
        for (uint64_t j = 0; j < i && i != rule->rest; j++) {
            if (j != rule->rest && overlap(&rule->bin[i], &rule->bin[j], rule->real)) {
                return HB_FAIL(HB_EUSAGE, "--derive '%.160s': the bins %.40s and %.40s have numbers in common",
                               rule->of->text, rule->of->constant[j], rule->of->constant[i]);
            }
        }
    }
    return HB_OK;
}

static hb_status set_labels(hb_derived_rule *rule, char *const *label, uint64_t count)
{
    rule->column.meaning.kind = HB_MEANING_CATEGORY;
    const hb_status st = hb_labels_make((const char *const *)label, count, &rule->column.meaning.labels);
    rule->column.meaning.kind = st == HB_OK ? HB_MEANING_CATEGORY : HB_MEANING_NUMBER;
    if (st == HB_EDATA) {
        const hb_error cause = *hb_last_error();
        return HB_FAIL(HB_EUSAGE, "--derive '%.160s': %.300s", rule->of->text, cause.text);
    }
    return st;
}

static void free_texts(char **text, uint64_t count)
{
    for (uint64_t i = 0; text != NULL && i < count; i++) {
        free(text[i]);
    }
    free(text);
}

/* Bins as they are listed. */
static hb_status list_bins(hb_derived_rule *rule, const hb_column *from)
{
    const hb_derivation *d = rule->of;
    char **label = calloc((size_t)d->constants, sizeof *label);
    hb_status st = HB_OK;
    rule->bins = rule->rest = d->constants;
    rule->bin = calloc((size_t)d->constants, sizeof *rule->bin);
    if (label == NULL || rule->bin == NULL) {
        HB_GOTO(NO_MEMORY);
    }
    for (uint64_t i = 0; i < d->constants; i++) {
        label[i] = malloc(strlen(d->constant[i]) + 1);
        HB_GOTO(label[i] != NULL ? HB_OK : NO_MEMORY);
        HB_GOTO(read_bin(d, from, d->constant[i], label[i], &rule->bin[i]));
        if (!rule->bin[i].from && !rule->bin[i].to) {
            HB_GOTO(rule->rest == rule->bins ? HB_OK : refuse(d, "the bin .. stands there twice"));
            rule->rest = i;
        }
    }
    HB_GOTO(check_overlaps(rule));
    st = set_labels(rule, label, rule->bins);
done:
    free_texts(label, d->constants);
    return st;
}

/* Finds the place of a number among all bins of one width. False: the number is too large for a place. */
static bool place_of(const hb_derived_rule *rule, const hb_derived_cell *value, hb_i128 *place)
{
    const hb_i128 most = (hb_i128)1 << 120;
    if (!rule->real) {
        const hb_i128 number = value->integer, width = rule->width;
        *place = number / width - (number % width < 0);
        return number < most && number > -most;
    }
    const double width = (double)rule->width;
    if (fabs(value->number) >= most_number) {
        return false;
    }
    double floor_of = floor(value->number / width);
    floor_of -= floor_of * width > value->number; /* the quotient is rounded, the products are exact */
    floor_of += (floor_of + 1) * width <= value->number;
    *place = (hb_i128)floor_of;
    return true;
}

/* An end of a bin of one width. */
static void end_text(const hb_derived_rule *rule, const hb_column *from, hb_i128 number, char room[HB_REAL_TEXT])
{
    const char *text = rule->real ? NULL : hb_meaning_text(&from->meaning, true, (uint64_t)(int64_t)number, room);
    if (text == NULL) {
        snprintf(room, HB_REAL_TEXT, "%" PRId64, (int64_t)number);
    } else if (text != room) {
        snprintf(room, HB_REAL_TEXT, "%s", text);
    }
}

/* The labels of bins of one width: 20..29 of whole numbers, 20 of one number, 20..<30 of others. */
static hb_status width_labels(hb_derived_rule *rule, const hb_column *from)
{
    const bool whole = !rule->real && hb_meaning_scale(&from->meaning) == 1;
    char **label = calloc((size_t)rule->bins, sizeof *label);
    hb_status st = label != NULL ? HB_OK : NO_MEMORY;
    for (uint64_t i = 0; i < rule->bins && st == HB_OK; i++) {
        char least[HB_REAL_TEXT], most[HB_REAL_TEXT];
        const hb_i128 begin = (rule->first + (hb_i128)i) * rule->width;
        end_text(rule, from, begin, least);
        end_text(rule, from, begin + rule->width - whole, most);
        label[i] = malloc(LABEL_ROOM);
        st = label[i] != NULL ? HB_OK : NO_MEMORY;
        if (st == HB_OK) {
            snprintf(label[i], LABEL_ROOM, "%s%s%s", least,
                     !whole            ? "..<"
                     : rule->width > 1 ? ".."
                                       : "",
                     whole && rule->width == 1 ? "" : most);
        }
    }
    st = st == HB_OK ? set_labels(rule, label, rule->bins) : st;
    free_texts(label, rule->bins);
    return st;
}

/* Bins of one width as a dataset has them: the first one is told by its label. */
static hb_status bins_alike(hb_derived_rule *rule, const hb_column *from, const hb_meaning *alike)
{
    if (alike->kind != HB_MEANING_CATEGORY) {
        return refuse(rule->of, "the column of the dataset has no bins");
    }
    const hb_labels *labels = alike->labels;
    char first[HB_LABEL_MAX + 1];
    hb_derived_cell least;
    snprintf(first, sizeof first, "%s", labels->text[0]);
    char *dots = strstr(first, "..");
    if (dots != NULL) {
        *dots = '\0';
    }
    bool same =
        hb_derived_constant_read(rule->of, from, first, &least) == HB_OK && place_of(rule, &least, &rule->first);
    if (same) {
        rule->bins = labels->count;
        HB_TRY(width_labels(rule, from));
        same = hb_meaning_same(alike, &rule->column.meaning);
    }
    return same ? HB_OK
                : HB_FAIL(HB_EUSAGE, "--derive '%.160s': the dataset has other bins, %.40s to %.40s", rule->of->text,
                          labels->text[0], labels->text[labels->count - 1]);
}

/* Bins of one width, from that of the least number to that of the greatest. */
static hb_status width_bins(hb_derived_rule *rule, const hb_column *from, const hb_meaning *alike,
                            const hb_derived_extremes *extremes)
{
    hb_derived_cell width, ends[ENDS];
    hb_i128 place[ENDS];
    if (hb_meaning_is_moment(&from->meaning)) {
        return refuse(rule->of, from->meaning.kind == HB_MEANING_DATE
                                    ? "dates have no width: name bins such as 2024-01-01..2024-06-30, or take year"
                                    : "times have no width: name bins such as 2024-03-01T08:00..<2024-03-01T20:00, or "
                                      "take hour, weekday");
    }
    HB_TRY(hb_derived_constant_read(rule->of, from, rule->of->constant[0], &width));
    if (width.between) {
        return refuse(rule->of, "the width has more digits behind the point than the numbers of the column");
    }
    rule->width = rule->real ? (hb_i128)(fabs(width.number) < most_number ? width.number : 0) : width.integer;
    if (rule->width < 1 || (rule->real && width.number != (double)rule->width)) {
        return refuse(rule->of, rule->real ? "a width is a whole number above 0: name other bins, as 0..<0.5, 0.5..<1"
                                           : "a width is above 0");
    }
    const hb_i128 most = INT64_MAX / 2;
    if (rule->width > most) {
        return refuse(rule->of, "a width is below 2^62");
    }
    if (alike != NULL) {
        return bins_alike(rule, from, alike);
    }
    HB_TRY(extremes->find(extremes->context, ends));
    if (ends[0].missing) {
        return refuse(rule->of, "no row has a number: name the bins, as 0..9, 10..19");
    }
    if (!place_of(rule, &ends[0], &place[0]) || !place_of(rule, &ends[1], &place[1]) ||
        place[0] < -most / rule->width || place[1] > most / rule->width) {
        return HB_FAIL(HB_EDATA, "--derive '%.160s': a number is too large for bins of one width: name the bins",
                       rule->of->text);
    }
    if (place[1] - place[0] >= HB_MOST_DERIVED_BINS) {
        return HB_FAIL(HB_EDATA, "--derive '%.160s': that makes more than %d bins: take a greater width, or name bins",
                       rule->of->text, HB_MOST_DERIVED_BINS);
    }
    rule->first = place[0];
    rule->bins = (uint64_t)(place[1] - place[0]) + 1;
    return width_labels(rule, from);
}

/* --- values */

static const char *bin_of(const hb_derived_rule *rule, const hb_derived_cell *value, hb_i128 *place)
{
    if (rule->bin == NULL) {
        const bool known = place_of(rule, value, place);
        *place -= rule->first;
        return known && *place >= 0 && *place < (hb_i128)rule->bins ? NULL : "the number is in no bin of the dataset";
    }
    uint64_t i = 0;
    while (i < rule->bins && (i == rule->rest || !is_in(&rule->bin[i], value, rule->real))) {
        i++;
    }
    *place = (hb_i128)(i < rule->bins ? i : rule->rest);
    return i < rule->bins || rule->rest < rule->bins ? NULL : "the value is in no bin; a bin .. takes all others";
}

/* Finds the day of a date or time of a source, and the units after its midnight. False: no day has such a number. */
static bool day_of(const hb_derived_rule *rule, int source, const hb_derived_cell *cell, int64_t *day, int64_t *rest)
{
    const double number = rule->real ? floor(cell->number) : (double)cell->integer;
    if (!(fabs(number) < most_number)) {
        return false;
    }
    const int64_t units = (int64_t)number, in_day = rule->per_day[source];
    *day = units / in_day - (units % in_day < 0);
    *rest = units - *day * in_day;
    return true;
}

/* Finds year, month and day of a date or time. False: it is none of the years 1 to 9999. */
static bool parts_of(const hb_derived_rule *rule, int source, const hb_derived_cell *cell, int parts[3])
{
    int64_t day, rest;
    return day_of(rule, source, cell, &day, &rest) && hb_date_parts(day, parts);
}

/* A day of birth counts from the day on that has its month and day, or that follows where a year has no such day. */
static const char *age_of(const hb_derived_rule *rule, const hb_derived_cell *birth, const hb_derived_cell *day,
                          hb_i128 *age)
{
    int from[3], to[3];
    if (!parts_of(rule, 0, birth, from) || !parts_of(rule, 1, day, to)) {
        return "it is no date of the years 1 to 9999";
    }
    const bool later = to[1] > from[1] || (to[1] == from[1] && to[2] >= from[2]);
    *age = to[0] - from[0] - !later;
    return *age >= 0 ? NULL : "the birth is after the date at which the age is taken";
}

static const char *part_of(const hb_derived_rule *rule, const hb_derived_cell *date, hb_i128 *part)
{
    int64_t days, rest;
    int parts[3];
    if (!day_of(rule, 0, date, &days, &rest) || !hb_date_parts(days, parts)) {
        return "it is no date of the years 1 to 9999";
    }
    const hb_derived_kind kind = rule->of->kind;
    *part = kind == HB_DERIVED_YEAR      ? parts[0]
            : kind == HB_DERIVED_HOUR    ? rest * HOURS / rule->per_day[0]
            : kind == HB_DERIVED_MONTH   ? parts[1]
            : kind == HB_DERIVED_QUARTER ? (parts[1] + 2) / 3
                                         : ((days + 3) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
    return NULL;
}

/* Is hb_derived_rule.make. */
static const char *make_cell(const hb_derived_rule *rule, const hb_derived_cell *const *from, hb_derived_cell *to)
{
    const hb_derived_cell *other = from[1] != NULL ? from[1] : &rule->constant;
    const char *fault = NULL;
    hb_i128 value = 0;
    *to = (hb_derived_cell){.missing = from[0]->missing || other->missing};
    if (to->missing) {
        return NULL;
    }
    if (hb_derivation_computes(rule->of)) {
        return hb_derived_pair_value(rule, from[0], other, to);
    }
    if (rule->of->kind == HB_DERIVED_COMPARISON) {
        const int order = hb_derived_pair_order(rule, from[0], other);
        const unsigned is = order < 0 ? HB_DERIVED_LESS : order == 0 ? HB_DERIVED_EQUAL : HB_DERIVED_GREATER;
        value = (rule->of->comparison & is) != 0;
    } else if (rule->of->kind == HB_DERIVED_BIN) {
        fault = bin_of(rule, from[0], &value);
    } else if (rule->of->kind == HB_DERIVED_AGE) {
        fault = age_of(rule, from[0], other, &value);
    } else {
        fault = part_of(rule, from[0], &value);
    }
    to->integer = value;
    to->number = (double)value;
    return fault;
}

/* --- rules */

/* Checks that a source has the days, or times of day, that parts and ages are taken of, and sets its units of a day. */
static hb_status check_date(hb_derived_rule *rule, int source, const hb_column *column)
{
    const hb_derivation *d = rule->of;
    const hb_meaning *meaning = &column->meaning;
    const bool hour = d->kind == HB_DERIVED_HOUR;
    char name[HB_SHELL_COLUMN];
    if (meaning->kind != HB_MEANING_TIME && (hour || meaning->kind != HB_MEANING_DATE)) {
        return HB_FAIL(HB_EUSAGE, "--derive '%.160s': column '%.64s' holds no %s; %s%s%s reads it %s", d->text,
                       column->name, hour ? "times" : "dates", hour ? "--time-of-day " : "--date ",
                       hb_shell_column(name, column->name), hour ? "=minutes" : "", hour ? "so" : "as dates");
    }
    if (meaning->zoned) {
        return HB_FAIL(HB_EUSAGE,
                       "--derive '%.160s': the times of column '%.64s' have a zone and are kept in UTC, where day and "
                       "hour can be others than those written; take bins or comparisons, or times without a zone",
                       d->text, column->name);
    }
    rule->per_day[source] = hb_time_unit_seconds(HB_TIME_DAYS) / hb_time_unit_seconds(hb_meaning_counts(meaning));
    return HB_OK;
}

static hb_status make_comparison(hb_derived_rule *rule, const hb_column *const *from)
{
    const hb_derivation *d = rule->of;
    const hb_meaning_kind kind = from[0]->meaning.kind;
    char name[HB_SHELL_COLUMN];
    const bool moment = hb_meaning_is_moment(&from[0]->meaning), ordered = kind == HB_MEANING_NUMBER || moment;
    const bool equal = d->comparison == HB_DERIVED_EQUAL || d->comparison == (HB_DERIVED_LESS | HB_DERIVED_GREATER);
    rule->column.meaning.kind = HB_MEANING_BOOL;
    if (!ordered && !equal) {
        return refuse(d, "labels and truth values have no order: == and != compare them");
    }
    if (d->quoted && kind != HB_MEANING_CATEGORY && !moment) {
        return HB_FAIL(HB_EUSAGE, "--derive '%.160s': column '%.64s' holds no labels; --category %s reads it so",
                       d->text, from[0]->name, hb_shell_column(name, from[0]->name));
    }
    if (from[1] == NULL) {
        return hb_derived_constant_read(d, from[0], d->constant[0], &rule->constant);
    }
    const bool both = moment && hb_meaning_is_moment(&from[1]->meaning);
    return hb_derived_pair_scales(rule, &from[0]->meaning, &from[1]->meaning) ? HB_OK
           : both ? refuse(d, "the two columns are not the same: dates, times in one unit, or such times with a zone")
                  : refuse(d, "the two columns mean different things");
}

static hb_status make_dated(hb_derived_rule *rule, const hb_column *const *from)
{
    static const int64_t ranges[][ENDS] = {[HB_DERIVED_QUARTER] = {1, 4},
                                           [HB_DERIVED_MONTH] = {1, 12},
                                           [HB_DERIVED_HOUR] = {0, HOURS - 1},
                                           [HB_DERIVED_COMPARISON] = {0, 0}};
    const hb_derivation *d = rule->of;
    const hb_column day = {.name = from[0]->name, .cells = from[0]->cells, .meaning.kind = HB_MEANING_DATE};
    HB_TRY(check_date(rule, 0, from[0]));
    if (d->kind == HB_DERIVED_WEEKDAY) {
        return set_labels(rule, (char *const *)(uintptr_t)weekdays, sizeof weekdays / sizeof *weekdays);
    }
    if (d->kind == HB_DERIVED_AGE) {
        rule->per_day[1] = 1; /* of a constant */
        return from[1] != NULL ? check_date(rule, 1, from[1])
                               : hb_derived_constant_read(d, &day, d->constant[0], &rule->constant);
    }
    const int64_t *ends = ranges[d->kind];
    rule->column.ranged = ends[1] > 0;
    rule->column.least = rule->real ? hb_real_word((double)ends[0]) : (uint64_t)ends[0];
    rule->column.most = rule->real ? hb_real_word((double)ends[1]) : (uint64_t)ends[1];
    return HB_OK;
}

hb_status hb_derived_rule_make(hb_derived_rule *rule, const hb_derivation *of, const hb_column *const *from,
                               const hb_meaning *alike, const hb_derived_extremes *extremes)
{
    *rule = (hb_derived_rule){.make = make_cell,
                              .of = of,
                              .real = from[0]->cells == HB_CELL_REAL,
                              .column.cells = from[0]->cells,
                              .times = {1, 1}};
    for (int i = 0; i < HB_DERIVED_SOURCES; i++) {
        if (from[i] != NULL && from[i]->halves != HB_HALVES_REAL) {
            return refuse(of, "complex numbers have no order");
        }
    }
    if (of->kind == HB_DERIVED_COMPARISON) {
        return make_comparison(rule, from);
    }
    if (hb_derivation_computes(of)) {
        return hb_derived_pair_make(rule, from);
    }
    if (of->kind != HB_DERIVED_BIN) {
        return make_dated(rule, from);
    }
    if (from[0]->meaning.kind != HB_MEANING_NUMBER && !hb_meaning_is_moment(&from[0]->meaning)) {
        return HB_FAIL(HB_EUSAGE, "--derive '%.160s': column '%.64s' holds no numbers, dates or times", of->text,
                       from[0]->name);
    }
    const bool listed = of->constants > 1 || strstr(of->constant[0], "..") != NULL;
    return listed ? list_bins(rule, from[0]) : width_bins(rule, from[0], alike, extremes);
}
