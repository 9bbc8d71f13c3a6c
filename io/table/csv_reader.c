#include "csv_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "csv_digits.h"

/* Makes room for all texts of a line, where it has quotes. */
static hb_status make_room(hb_csv_reader *reader, const char *line, size_t length)
{
    reader->rows.context.room = NULL;
    if (memchr(line, '"', length) == NULL) {
        return HB_OK;
    }
    if (length > reader->room_bytes) {
        char *room = malloc(length);
        if (room == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for a line of %zu bytes", reader->rows.base->name, length);
        }
        if (reader->room != NULL) {
            hb_wipe(reader->room, reader->room_bytes); /* plaintext */
        }
        free(reader->room);
        reader->room = room;
        reader->room_bytes = length;
    }
    reader->rows.context.room = reader->room;
    return HB_OK;
}

/* The signs that tables have between fields, and their words (--delimiter). */
static const struct {
    char sign;
    const char *word;
} delimiters[] = {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}};

enum { DELIMITERS = sizeof delimiters / sizeof *delimiters };

static const char *word_of(char sign)
{
    size_t i = 0;
    while (i + 1 < DELIMITERS && delimiters[i].sign != sign) {
        i++;
    }
    return delimiters[i].word;
}

/* Refuses a line that goes on behind the last column, from `at` on. Some programs end each line in a delimiter. */
static hb_status refuse_rest(const hb_csv_reader *reader, hb_csv_place place, const char *at, const char *end)
{
    const char delimiter = reader->rows.context.delimiter;
    while (at < end && (*at == delimiter || *at == ' ' || *at == '\t')) {
        at++;
    }
    const char *help =
        "; the header has to name every column, and a text with the sign between fields stands in quotes";
    char where[HB_CSV_PLACE], ends[160];
    if (at == end) {
        snprintf(ends, sizeof ends,
                 "; it ends in a %s, which the header line does not: take it out at the end of every line",
                 word_of(delimiter));
        help = ends;
    }
    return HB_FAIL(HB_EDATA, "%s: %s has more fields than the header line, which has %" PRIu64 "%s",
                   reader->rows.base->name, hb_csv_place_text(where, place), reader->fields, help);
}

/* Whether a line, which may be several of the file, ends within quotes. */
static bool is_open(const char *line, const char *end)
{
    bool open = false;
    for (; line < end; line++) {
        open = open != (*line == '"');
    }
    return open;
}

uint64_t hb_csv_count_fields(const char *line, const char *end, char delimiter)
{
    uint64_t fields = 1;
    for (const char *at = line; (at = hb_csv_field_end(at, end, delimiter)) < end; at++) {
        fields++;
    }
    return fields;
}

/* Another sign between fields, by which a line has as many as the header line, or several where it is one field by the
 * sign that was taken, which may stand within names; NULL: none is. */
static const char *other_delimiter(const hb_csv_reader *reader, const char *line, const char *end, bool lone)
{
    const char *name = NULL;
    for (size_t i = 0; i < DELIMITERS; i++) {
        const uint64_t fields = hb_csv_count_fields(line, end, delimiters[i].sign);
        const bool splits = fields == reader->fields || (lone && fields > 1);
        name = delimiters[i].sign != reader->rows.context.delimiter && splits ? delimiters[i].word : name;
    }
    return name;
}

/* A row with too few fields. */
static hb_status refuse_few(const hb_csv_reader *reader, hb_csv_place place, uint64_t fields, const char *line,
                            const char *end)
{
    char where[HB_CSV_PLACE], help[96] = ": an empty field needs its sign between fields, too";
    const char *other = other_delimiter(reader, line, end, fields == 1);
    if (is_open(line, end)) {
        return HB_FAIL(HB_EDATA, "%s: %s has a quote that is not closed", reader->rows.base->name,
                       hb_csv_place_text(where, place));
    }
    if (reader->trails && fields + 1 == reader->fields) {
        snprintf(help, sizeof help, ", as it ends in the sign between fields: take it out there");
    } else if (other != NULL) {
        snprintf(help, sizeof help, "; if another sign stands between fields, say which: --delimiter %s", other);
    }
    return HB_FAIL(HB_EDATA, "%s: %s has %" PRIu64 " field%s; the header line has %" PRIu64 "%s",
                   reader->rows.base->name, hb_csv_place_text(where, place), fields, fields == 1 ? "" : "s",
                   reader->fields, help);
}

/* Goes behind a field that is not read. */
static const char *skip_field(const hb_csv_reader *reader, const char *at, const char *end)
{
    const char delimiter = reader->rows.context.delimiter;
    return reader->rows.context.room == NULL ? hb_csv_find_sign(at, end, delimiter)
                                             : hb_csv_field_end(at, end, delimiter);
}

hb_status hb_csv_reader_cells(hb_csv_reader *reader, hb_csv_place place, const char *line, size_t length,
                              uint64_t columns)
{
    const hb_schema *schema = &reader->rows.base->schema;
    const hb_csv_type type = {reader->rows.context.cells, reader->rows.context.delimiter};
    const char *at = line, *end = line + length;
    uint64_t c = 0, field = 0;
    HB_TRY(make_room(reader, line, length));
    for (;; field++) {
        if (c < columns && reader->rows.column[c].field == field) {
            const hb_csv_column *column = &reader->rows.column[c];
            if (!column->plain || !hb_csv_read_digits(type, &at, end, &reader->rows.cell[c])) {
                hb_csv_read_cell(&reader->rows.context, column, &schema->column[c].meaning, &at, end,
                                 &reader->rows.cell[c]);
            }
            c++;
        } else {
            at = skip_field(reader, at, end);
        }
        if (at == end || (c == columns && columns < reader->rows.columns) || field + 1 == reader->fields) {
            break;
        }
        at++; /* the delimiter */
    }
    if (at == end && field + 1 < reader->fields && (c < columns || columns == reader->rows.columns)) {
        return refuse_few(reader, place, field + 1, line, end);
    }
    if (at < end && field + 1 == reader->fields) {
        return refuse_rest(reader, place, at + 1, end);
    }
    return HB_OK;
}

hb_status hb_csv_reader_copy(hb_csv_reader *to, const hb_csv_reader *from)
{
    *to = (hb_csv_reader){.rows = from->rows, .fields = from->fields, .trails = from->trails};
    to->rows.context.room = NULL;
    to->rows.cell = calloc((size_t)from->rows.columns + 1, sizeof *to->rows.cell);
    if (to->rows.cell == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", from->rows.base->name, from->rows.columns);
    }
    return hb_lines_copy(&to->lines, &from->lines);
}

void hb_csv_reader_clear(hb_csv_reader *reader, bool is_copy)
{
    hb_table_rows *rows = &reader->rows;
    if (!is_copy) {
        hb_table_rows_clear(rows);
    } else if (rows->cell != NULL) {
        hb_wipe(rows->cell, (size_t)rows->columns * sizeof *rows->cell); /* plaintext */
        free(rows->cell);
    }
    if (reader->room != NULL) {
        hb_wipe(reader->room, reader->room_bytes);
    }
    free(reader->room);
    hb_lines_clear(&reader->lines);
    *reader = (hb_csv_reader){.room = NULL};
}
