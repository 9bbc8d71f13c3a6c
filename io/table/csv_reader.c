#include "csv_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

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

/* --- fields, most of which have digits */

#define EACH_BYTE (UINT64_MAX / UINT8_MAX) /* 1 in every byte of a word */

/* Returns 8 bytes as a word, the first one lowest. */
static inline uint64_t word_at(const char *at)
{
    unsigned char byte[8];
    uint64_t word = 0;
    memcpy(byte, at, sizeof byte);
    for (int i = 0; i < 8; i++) {
        word |= (uint64_t)byte[i] << (8 * i);
    }
    return word;
}

/* Returns the first place of a sign in [at, end), or `end`. Fields are short: a call of memchr takes longer. */
static inline const char *find_sign(const char *at, const char *end, char sign)
{
    for (; end - at >= 8; at += 8) {
        const uint64_t other = word_at(at) ^ (unsigned char)sign * EACH_BYTE; /* 0 where it stands */
        const uint64_t found = (other - EACH_BYTE) & ~other & 0x80 * EACH_BYTE;
        if (found != 0) {
            return at + __builtin_ctzll(found) / 8;
        }
    }
    while (at < end && *at != sign) {
        at++;
    }
    return at;
}

/* Takes up to 8 digits at `at`, from where at least 8 bytes can be read; returns how many there are. No branch depends
 * on them: processors guess the number of digits of a number wrong as often as not. */
static inline size_t take_eight(const char *at, uint64_t *value)
{
    const uint64_t each = EACH_BYTE, word = word_at(at);
    /* 0 to 9 are digits; 6 more than 9 sets the bit of 16, and what has a higher bit is none either. */
    const uint64_t digit = word ^ '0' * each, other = ((digit & 0x7f * each) + 0x76 * each) | digit;
    const uint64_t ends = other & 0x80 * each;
    const size_t count = ends != 0 ? (size_t)__builtin_ctzll(ends) / 8 : 8;
    /* The first digit comes into the lowest byte; zeros stand in front of fewer than 8. Pairs become numbers below 100,
     * these below 10^4, and these the number. */
    uint64_t text = count > 0 ? digit << (64 - 8 * count) : 0;
    text = (text * 10 + (text >> 8)) & 0x00ff00ff00ff00ff;
    text = (text * 100 + (text >> 16)) & 0x0000ffff0000ffff;
    text = (text * 10000 + (text >> 32)) & UINT32_MAX;
    *value = text;
    return count;
}

/* Reads a field of a plain column (hb_csv_column.plain) that has digits, perhaps with a sign, as most have: few enough
 * that they fit in 63 bits, and nothing else. Sets what is read of such a cell. False: it is another one, and nothing
 * has changed. */
static inline bool read_digits(hb_csv_type type, const char **at, const char *end, hb_csv_cell *cell)
{
    enum { MOST_DIGITS = 18 };
    const char *first = *at + (*at < end && **at == '-'), *p = first;
    uint64_t value = 0;
    p += end - first >= 8 ? take_eight(first, &value) : 0;
    if (p == first || p == first + 8) {
        for (; p < end && (unsigned char)(*p - '0') < 10; p++) {
            value = value * 10 + (uint64_t)(*p - '0'); /* of too many digits it is not used */
        }
    }
    const size_t digits = (size_t)(p - first);
    if (digits - 1 >= MOST_DIGITS || (p < end && *p != type.delimiter)) {
        return false;
    }
    cell->kind = HB_CSV_IS_NUMBER;
    cell->spelling = 0;
    cell->number = (hb_csv_number){.magnitude = value,
                                   .wide = type.cells == HB_CELL_WIDE,
                                   .negative = first > *at && value > 0,
                                   .padded = *first == '0' && digits > 1,
                                   .digits = (uint32_t)digits};
    *at = p;
    return true;
}

/* Goes behind a field that is not read. */
static const char *skip_field(const hb_csv_reader *reader, const char *at, const char *end)
{
    const char delimiter = reader->rows.context.delimiter;
    return reader->rows.context.room == NULL ? find_sign(at, end, delimiter) : hb_csv_field_end(at, end, delimiter);
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
            if (!column->plain || !read_digits(type, &at, end, &reader->rows.cell[c])) {
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
