/* The line of names of a CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/seed.h"
#include "csv_columns.h"
#include "csv_reasons.h"
#include "table/meaning.h"
#include "table/utf8.h"

void hb_csv_heading_clear(hb_csv_heading *names)
{
    for (uint64_t c = 0; names->name != NULL && c < names->count; c++) {
        free(names->name[c]);
    }
    free(names->name);
    free(names->taken);
    free(names->trimmed);
    *names = (hb_csv_heading){0};
}

/* Whether a line is the one that Excel writes before the names, sep=; or the like. */
static bool says_delimiter(const char *line, size_t length)
{
    return length == strlen("sep=;") && strncasecmp(line, "sep=", strlen("sep=")) == 0 &&
           strchr(HB_CSV_DELIMITERS, line[length - 1]) != NULL;
}

/* Whether a line has carriage returns outside of quotes: then it is all lines of a file. */
static bool has_returns(const char *line, size_t length)
{
    bool quoted = false, found = false;
    for (size_t i = 0; i < length && !found; i++) {
        quoted = quoted != (line[i] == '"');
        found = line[i] == '\r' && !quoted;
    }
    return found;
}

/* The place of a line. */
typedef struct line_place {
    uint64_t offset, number;
} line_place;

static line_place place_of(const hb_lines *lines)
{
    return (line_place){hb_lines_tell(lines), lines->number};
}

/* Reads the line of names, behind a line of Excel's, and its place. Finds the delimiter by the option, by that line, or
 * by the names. */
static hb_status read_line(hb_lines *lines, const hb_reading *reading, const char **line, size_t *length,
                           line_place *place)
{
    const char *path = lines->text.path;
    char delimiter = reading->delimiter;
    *place = place_of(lines);
    HB_TRY(hb_lines_next(lines, line, length));
    if (*line != NULL && says_delimiter(*line, *length)) {
        delimiter = delimiter != 0 ? delimiter : (*line)[*length - 1];
        *place = place_of(lines);
        HB_TRY(hb_lines_next(lines, line, length));
    }
    if (*line == NULL) {
        return HB_FAIL(HB_EDATA, "%s: is empty: it needs a header line with the names of its columns", path);
    }
    if (has_returns(*line, *length)) {
        return HB_FAIL(HB_EDATA, "%s: its lines end in carriage returns alone, as on old Macs; save it with line feeds",
                       path);
    }
    if (*length == 0 && reading->header != HB_FIRST_LINE_ROW) {
        return HB_FAIL(HB_EDATA, "%s: line %" PRIu64 " is empty, where the names of the columns should be: take it out",
                       path, place->number);
    }
    lines->delimiter = delimiter != 0 ? delimiter : hb_csv_find_delimiter(*line, *line + *length);
    return HB_OK;
}

/* Whether a text is a number, or a date or a time, as rows have them. */
static bool is_number(const char *name)
{
    const char *at = name, *end = name + strlen(name);
    hb_csv_number number;
    return hb_name_is_number(name) ||
           hb_csv_parse_number(&at, end, (hb_csv_type){HB_CELL_REAL, '\0'}, &number) == HB_CSV_GOOD;
}

/* Whether a text is none that tells names from a row: nothing, a word for a missing cell, or a truth value. */
static bool is_either(const char *name, const hb_reading *reading)
{
    bool truth;
    return hb_dialect_is_missing(&reading->dialect, name, strlen(name)) || hb_bool_parse(name, strlen(name), &truth);
}

/* Refuses names that are numbers, as those of a row would be: it would be left out of the table. */
static hb_status check_names(const hb_csv_heading *names, const char *path, const hb_reading *reading)
{
    uint64_t numbers = 0, others = 0;
    for (uint64_t c = 0; c < names->count; c++) {
        const bool said = reading->count > 0 && hb_reading_of(reading, names->name[c]) != NULL;
        const bool number = !said && is_number(names->name[c]);
        numbers += number;
        others += !number && (said || !is_either(names->name[c], reading));
    }
    return reading->header != HB_FIRST_LINE_NAMES || numbers == 0 || others > 0
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: the first line, which names the columns, has numbers alone: is it a row? --header none "
                         "reads it as one, --header names takes these names",
                         path);
}

/* Gives the columns of a table without a line of names their own, and goes back to its first row. */
static hb_status number_columns(hb_csv_heading *names, hb_lines *lines, line_place first)
{
    for (uint64_t c = 0; c < names->count; c++) {
        char room[HB_READING_NAME];
        snprintf(room, sizeof room, "column%" PRIu64, c + 1);
        names->name[c] = strdup(room);
        if (names->name[c] == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for names", lines->text.path);
        }
    }
    hb_lines_seek(lines, first.offset);
    lines->number = first.number;
    return HB_OK;
}

static hb_status read_names(hb_csv_heading *names, hb_lines *lines, const hb_reading *reading)
{
    const char *line, *path = lines->text.path;
    size_t length;
    line_place first;
    HB_TRY(read_line(lines, reading, &line, &length, &first));
    const char *end = line + length, delimiter = lines->delimiter;
    names->count = hb_csv_count_fields(line, end, delimiter);
    names->name = calloc((size_t)names->count, sizeof *names->name);
    names->taken = calloc((size_t)names->count, sizeof *names->taken);
    names->trimmed = calloc((size_t)names->count, sizeof *names->trimmed);
    if (names->name == NULL || names->taken == NULL || names->trimmed == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", path, names->count);
    }
    if (reading->header == HB_FIRST_LINE_ROW) {
        return number_columns(names, lines, first);
    }
    for (uint64_t c = 0; c < names->count; c++) {
        HB_TRY(hb_csv_parse_name(&line, end, delimiter, path, c + 1, &names->name[c], &names->trimmed[c]));
        line += line < end ? 1 : 0;
    }
    return check_names(names, path, reading);
}

/* Decides which columns are read. */
static void choose_columns(hb_csv_heading *names, const hb_reading *reading)
{
    uint64_t wanted = 0, found = 0;
    for (size_t i = 0; i < reading->count; i++) {
        wanted += reading->column[i].selected;
    }
    for (uint64_t c = 0; c < names->count; c++) {
        const hb_column_reading *how = reading->count > 0 ? hb_reading_of(reading, names->name[c]) : NULL;
        names->taken[c] = how != NULL && how->selected;
        found += names->taken[c];
    }
    const bool all = !reading->selects || (reading->columns_optional && found < wanted);
    names->columns = all ? names->count : found;
    for (uint64_t c = 0; c < names->count && all; c++) {
        names->taken[c] = true;
    }
}

/* Refuses a name that was said and stands for two columns. The name may be a value, where no line of names is there. */
static hb_status check_twins(const hb_csv_heading *names, const char *path)
{
    for (uint64_t c = 0; c < names->count; c++) {
        for (uint64_t d = 0; d < c && names->taken[c]; d++) {
            if (names->taken[d] && strcmp(names->name[c], names->name[d]) == 0) {
                return HB_FAIL(HB_EDATA,
                               "%s: columns %" PRIu64 " and %" PRIu64 " have the same name: rename one in the header",
                               path, d + 1, c + 1);
            }
        }
    }
    return HB_OK;
}

hb_status hb_csv_heading_read(hb_csv_heading *names, hb_lines *lines, const hb_reading *reading)
{
    HB_TRY(read_names(names, lines, reading));
    HB_TRY(hb_reading_check(reading, lines->text.path, (const char *const *)names->name, names->count));
    choose_columns(names, reading);
    return reading->selects && names->columns < names->count ? check_twins(names, lines->text.path) : HB_OK;
}

/* The fields of a line, read with this delimiter. */
typedef struct line_fields {
    uint64_t filled;
    bool numbers; /* some are */
} line_fields;

static hb_status look_at_line(const char *line, size_t length, char delimiter, line_fields *out)
{
    *out = (line_fields){0};
    char *room = malloc(length + 1);
    if (room == NULL) {
        return HB_ENOMEM;
    }
    for (const char *at = line, *end = line + length; at < end; at++) {
        const char *stop = hb_csv_field_end(at, end, delimiter);
        if (!hb_csv_is_blank(at, (size_t)(stop - at), delimiter)) {
            memcpy(room, at, (size_t)(stop - at));
            room[stop - at] = '\0';
            out->filled++;
            out->numbers = out->numbers || hb_name_is_number(room);
        }
        at = stop;
    }
    hb_wipe(room, length + 1); /* plaintext, where there is no line of names */
    free(room);
    return HB_OK;
}

static bool has_fields(const char *line, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(HB_CSV_DELIMITERS " ", line[i]) != NULL) {
        i++;
    }
    return i < length;
}

/* Finds whether the text begins with a title: a line with one field, and then, behind empty ones, one with several that
 * are no numbers. `first` is the title, which is freed. */
static bool find_title(hb_lines *lines, const hb_reading *reading, char *first, uint64_t *names)
{
    const char *line;
    size_t length;
    line_fields title = {0}, below = {0};
    do {
        *names = lines->number;
        if (hb_lines_next(lines, &line, &length) != HB_OK) {
            return false;
        }
    } while (line != NULL && !has_fields(line, length));
    if (line == NULL) {
        return false;
    }
    const char own = hb_csv_find_delimiter(first, first + strlen(first));
    if (look_at_line(line, length, own, &below) != HB_OK || look_at_line(first, strlen(first), own, &title) != HB_OK ||
        (title.filled > 1 && title.filled == below.filled)) {
        return false; /* names, above a row */
    }
    const char delimiter = reading->delimiter != 0 ? reading->delimiter : hb_csv_find_delimiter(line, line + length);
    return look_at_line(line, length, delimiter, &below) == HB_OK &&
           look_at_line(first, strlen(first), delimiter, &title) == HB_OK && title.filled == 1 && !title.numbers &&
           below.filled > 1 && !below.numbers;
}

/* Returns the number of the first name of a line that is not UTF-8, from 1. */
static uint64_t odd_name(const hb_lines *lines, char *line)
{
    char *at = line, *end = line + strlen(line);
    uint64_t column = 1;
    for (bool odd = false; at < end && !odd; column += !odd) {
        char *stop = at + (hb_csv_field_end(at, end, lines->delimiter) - at);
        const char kept = *stop;
        *stop = '\0';
        odd = !hb_is_utf8(at);
        *stop = kept;
        at = stop + (stop < end);
    }
    return column;
}

/* Writes the command line that runs a command on the file, unpacked where its name ends in .gz, and writes `to`; FILE
 * replaces a name that is too long, or that a shell may misread. Returns `out`. */
enum { SHELL_LINE = 256, LONGEST_FILE = 120 };
static const char *shell_line(char out[SHELL_LINE], const char *command, const char *file, const char *to)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=,:@%";
    const size_t length = strlen(file);
    const char *quote = strspn(file, plain) == length ? "" : "'";
    if (length > LONGEST_FILE || file[0] == '-' || strchr(file, '\'') != NULL || hb_has_control(file, length)) {
        file = "FILE";
        quote = "";
    }
    if (length > 3 && strcmp(file + strlen(file) - 3, ".gz") == 0) {
        snprintf(out, SHELL_LINE, "gzip -dc %s%s%s | %s >%s", quote, file, quote, command, to);
    } else {
        snprintf(out, SHELL_LINE, "%s %s%s%s >%s", command, quote, file, quote, to);
    }
    return out;
}

hb_status hb_csv_heading_explain(hb_lines *lines, const hb_reading *reading, hb_status st)
{
    const hb_error cause = *hb_last_error();
    const char *line, *path = lines->text.path;
    char turn[SHELL_LINE], *first = NULL;
    size_t length;
    uint64_t names;
    if (st != HB_EDATA && st != HB_EUSAGE) {
        return st;
    }
    line_place place;
    hb_lines_seek(lines, 0);
    lines->number = 1;
    if (read_line(lines, reading, &line, &length, &place) == HB_OK) {
        first = strndup(line, length);
    }
    if (first != NULL && !hb_is_utf8(first)) {
        st = HB_FAIL(st, "%s: line %" PRIu64 ", column %" PRIu64 ": the name is not UTF-8; %s", path, place.number,
                     odd_name(lines, first), hb_csv_charset_advice(first, strlen(first)));
    } else if (first != NULL && find_title(lines, reading, first, &names)) {
        char command[48];
        snprintf(command, sizeof command, "tail -n +%" PRIu64, names);
        st = HB_FAIL(st, "%s: line 1 looks like a title, and line %" PRIu64 " like the names of the columns: %s", path,
                     names, shell_line(turn, command, path, "table.csv"));
    } else {
        hb_set_error(&cause);
    }
    if (first != NULL) {
        hb_wipe(first, strlen(first)); /* plaintext, where there is no line of names */
    }
    free(first);
    return st;
}
