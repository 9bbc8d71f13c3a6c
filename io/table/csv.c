#include "csv_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "base/seed.h"
#include "io/files/durable.h"
#include "table/real_text.h"
#include "table/utf8.h"
#include "table_private.h"

#define FIRST_CAPACITY ((size_t)256 << 10)        /* bytes */
enum { LITTLE = 1 << 10, FIRST_PIECE = 1 << 12 }; /* the line of names mostly needs no more */

hb_status hb_lines_init(hb_lines *lines, int fd, uint64_t size, const char *path, hb_charset said)
{
    *lines = (hb_lines){.capacity = FIRST_CAPACITY, .until = FIRST_PIECE, .number = 1};
    HB_TRY(hb_text_file_init(&lines->text, fd, size, path, said));
    lines->buffer = malloc(lines->capacity);
    return lines->buffer ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
}

hb_status hb_lines_copy(hb_lines *lines, const hb_lines *from)
{
    *lines = (hb_lines){.text = from->text,
                        .delimiter = from->delimiter,
                        .capacity = FIRST_CAPACITY,
                        .until = UINT64_MAX,
                        .buffer = malloc(FIRST_CAPACITY)};
    return lines->buffer != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory to read it", from->text.path);
}

void hb_lines_clear(hb_lines *lines)
{
    if (lines->buffer) {
        hb_wipe(lines->buffer, lines->capacity); /* plaintext */
    }
    free(lines->buffer);
    hb_text_file_clear(&lines->text);
    memset(lines, 0, sizeof *lines);
}

uint64_t hb_lines_tell(const hb_lines *lines)
{
    return lines->base + lines->begin;
}

void hb_lines_seek(hb_lines *lines, uint64_t offset)
{
    /* The place is in the buffer: neighbouring rectangles then cost no reading. */
    if (offset >= lines->base && offset - lines->base <= lines->end) {
        lines->begin = (size_t)(offset - lines->base);
        return;
    }
    /* Nothing of the buffer is of use there. */
    lines->base = offset;
    lines->begin = lines->end = 0;
    lines->ended = false;
}

/* Makes room where a line fills the whole buffer, up to the longest line allowed. */
static hb_status grow(hb_lines *lines, bool quoted)
{
    if (lines->capacity >= HB_CSV_LINE_MAX) {
        return HB_FAIL(HB_EDATA, "%s: the line at byte %" PRIu64 " is longer than %zu bytes%s", lines->text.path,
                       lines->base, HB_CSV_LINE_MAX, quoted ? ": is a quote in it not closed?" : "");
    }
    char *grown = hb_wipe_and_grow(lines->buffer, lines->end, lines->capacity, 2 * lines->capacity);
    if (!grown) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a line of %zu bytes", lines->text.path, 2 * lines->capacity);
    }
    lines->buffer = grown;
    lines->capacity *= 2;
    return HB_OK;
}

/* Refuses what is no text in UTF-8: zero bytes, which a label or a name would end at unseen. */
static hb_status check_text(const hb_lines *lines, size_t held, size_t got)
{
    const unsigned char *text = (const unsigned char *)lines->buffer + held;
    const bool first = lines->base + held == 0;
    if (first && got >= 2 && ((text[0] == 0xff && text[1] == 0xfe) || (text[0] == 0xfe && text[1] == 0xff))) {
        return HB_FAIL(HB_EDATA, "%s: is UTF-16: --charset utf-16 reads it", lines->text.path);
    }
    const char *foreign = first ? hb_foreign_file(text, got) : NULL;
    if (foreign != NULL) {
        return HB_FAIL(HB_EDATA, "%s: %s", lines->text.path, foreign);
    }
    const unsigned char *zero = memchr(text, 0, got);
    return zero == NULL ? HB_OK
                        : HB_FAIL(HB_EDATA,
                                  "%s: has a zero byte at byte %" PRIu64 ": it is no text in UTF-8; if it is UTF-16, "
                                  "--charset utf-16 reads it",
                                  lines->text.path, lines->base + held + (uint64_t)(zero - text));
}

/* Reads more text behind buffer[begin .. end), which moves to the front. */
static hb_status refill(hb_lines *lines, bool quoted)
{
    const size_t held = lines->end - lines->begin;
    memmove(lines->buffer, lines->buffer + lines->begin, held);
    lines->base += lines->begin;
    lines->begin = 0;
    lines->end = held;
    if (held == lines->capacity) {
        HB_TRY(grow(lines, quoted));
    }
    const uint64_t at = lines->base + held,
                   least = held > LITTLE ? held : LITTLE; /* a long line doubles what is held */
    const uint64_t left = at + least < lines->until ? lines->until - at : least;
    const size_t room = lines->capacity - held, want = left < room ? (size_t)left : room;
    size_t got;
    HB_TRY(hb_text_file_read(&lines->text, at, lines->buffer + held, want, &got));
    HB_TRY(check_text(lines, held, got));
    lines->ended = got < want;
    lines->end += got;
    return HB_OK;
}

hb_status hb_lines_find_break(hb_lines *lines, uint64_t end, bool *found)
{
    *found = false;
    while (hb_lines_tell(lines) < end) {
        const char *from = lines->buffer + lines->begin;
        const char *newline = memchr(from, '\n', lines->end - lines->begin);
        if (newline != NULL) {
            lines->begin += (size_t)(newline - from) + 1;
            *found = hb_lines_tell(lines) < end;
            return HB_OK;
        }
        if (lines->ended) {
            return HB_OK;
        }
        lines->begin = lines->end;
        HB_TRY(refill(lines, false));
    }
    return HB_OK;
}

static bool is_space(char c, char delimiter)
{
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

static bool is_delimiter(char c, char delimiter)
{
    return delimiter != 0 ? c == delimiter : c != '\0' && strchr(HB_CSV_DELIMITERS, c) != NULL;
}

/* Where the end of a line is looked for: what stands before `at` has none. */
typedef struct line_search {
    size_t at;
    enum { BEGIN, INSIDE, QUOTED, CLOSED } state; /* of a field: at its beginning; behind a quote that may be doubled */
    bool quotes;                                  /* there are some, and line breaks may stand within */
} line_search;

/* Steps over a sign; returns whether it is the line break that ends the line. */
static bool step(line_search *s, char c, char delimiter)
{
    if (s->state == QUOTED) {
        s->state = c == '"' ? CLOSED : QUOTED;
        return false;
    }
    if (c == '\n') {
        return true;
    }
    if (c == '"' && s->state != INSIDE) {
        s->state = QUOTED;
    } else if (is_delimiter(c, delimiter)) {
        s->state = BEGIN;
    } else if (s->state != BEGIN || !is_space(c, delimiter)) {
        s->state = INSIDE;
    }
    return false;
}

/* Looks for the end of the line in the text that is held; leaves s->at at the line break, or behind the text. */
static bool find_end(line_search *s, const char *text, size_t held, char delimiter)
{
    if (s->at == 0) {
        /* Most lines have no quotes, and then the first line break ends them. */
        const char *newline = memchr(text, '\n', held);
        const size_t length = newline != NULL ? (size_t)(newline - text) : held;
        if (memchr(text, '"', length) == NULL) {
            s->at = newline != NULL ? length : 0; /* with more text all of it is looked at once more: it doubles */
            return newline != NULL;
        }
    }
    s->quotes = true;
    while (s->at < held && !step(s, text[s->at], delimiter)) {
        s->at++;
    }
    return s->at < held;
}

/* Line breaks of a text. */
static uint64_t count_breaks(const char *text, size_t length)
{
    uint64_t count = 0;
    for (const char *end = text + length; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++) {
        count++;
    }
    return count;
}

/* Some programs begin a text with a mark that says how it is encoded. */
static hb_status skip_mark(hb_lines *lines)
{
    if (hb_lines_tell(lines) > 0) {
        return HB_OK;
    }
    if (lines->end == 0 && !lines->ended) {
        HB_TRY(refill(lines, false));
    }
    lines->begin += lines->end >= 3 && memcmp(lines->buffer, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return HB_OK;
}

hb_status hb_lines_next(hb_lines *lines, const char **line, size_t *length)
{
    line_search search = {.state = BEGIN};
    HB_TRY(skip_mark(lines));
    bool found;
    while (!(found = find_end(&search, lines->buffer + lines->begin, lines->end - lines->begin, lines->delimiter)) &&
           !lines->ended) {
        HB_TRY(refill(lines, search.state == QUOTED));
    }
    const char *from = lines->buffer + lines->begin;
    const size_t held = found ? search.at : lines->end - lines->begin;
    /* The last line need not end in a line break. */
    if (!found && held == 0) {
        *line = NULL;
        *length = 0;
        return HB_OK;
    }
    /* The text stays where it is until the next call reads more. */
    lines->begin += held + (found ? 1 : 0);
    lines->number += 1 + (search.quotes ? count_breaks(from, held) : 0);
    *line = from;
    *length = held > 0 && from[held - 1] == '\r' ? held - 1 : held;
    return HB_OK;
}

static const char *skip_space(const char *at, const char *end, char delimiter)
{
    while (at < end && is_space(*at, delimiter)) {
        at++;
    }
    return at;
}

bool hb_csv_is_blank(const char *line, size_t length, char delimiter)
{
    return skip_space(line, line + length, delimiter) == line + length;
}

const char *hb_csv_field_end(const char *at, const char *end, char delimiter)
{
    const char *p = skip_space(at, end, delimiter);
    if (p < end && *p == '"') {
        do { /* a quote that is doubled closes and opens again */
            p = memchr(p + 1, '"', (size_t)(end - p) - 1);
            if (p == NULL) {
                return end;
            }
            p++;
        } while (p < end && *p == '"');
    }
    const char *found = memchr(p, delimiter, (size_t)(end - p));
    return found != NULL ? found : end;
}

char hb_csv_find_delimiter(const char *line, const char *end)
{
    static const char signs[] = HB_CSV_DELIMITERS;
    size_t count[sizeof signs] = {0}, best = 0;
    line_search search = {.state = BEGIN};
    for (const char *at = line; at < end; at++) {
        (void)step(&search, *at, 0);
        const char *sign = search.state == BEGIN && *at != '\0' ? strchr(signs, *at) : NULL;
        count[sign != NULL ? (size_t)(sign - signs) : sizeof signs - 1]++;
    }
    for (size_t i = 1; i < sizeof signs - 1; i++) {
        best = count[i] > count[best] ? i : best;
    }
    return signs[best];
}

/* Parses a decimal from *at on, and leaves *at behind it. */
static hb_csv_fault parse_decimal(const char **at, const char *end, double *value)
{
    static const hb_csv_fault faults[] = {[HB_REAL_GOOD] = HB_CSV_GOOD,
                                          [HB_REAL_NO_NUMBER] = HB_CSV_NO_NUMBER,
                                          [HB_REAL_TOO_LARGE] = HB_CSV_TOO_LARGE,
                                          [HB_REAL_NO_MEMORY] = HB_CSV_NO_MEMORY};
    const char *from = *at;
    const hb_csv_fault fault = faults[hb_real_parse(at, end, value)];
    return fault == HB_CSV_GOOD && hb_real_rounds_integer(from, *at, *value) ? HB_CSV_UNHELD : fault;
}

static bool is_unit(const char *at, const char *end)
{
    return at < end && (*at == 'i' || *at == 'j');
}

/* Parses a decimal, a complex number, or its imaginary part alone from *at on, and leaves *at behind it; where a second
 * part has no unit, before that part. */
static hb_csv_fault parse_parts(const char **at, const char *end, hb_csv_number *number)
{
    const hb_csv_fault fault = parse_decimal(at, end, &number->real);
    if (is_unit(*at, end)) {
        ++*at;
        number->imaginary = number->real;
        number->real = 0;
        number->is_complex = true;
        return fault;
    }
    const char *second = *at;
    if (second == end || (*second != '+' && *second != '-')) {
        return fault;
    }
    const hb_csv_fault other = parse_decimal(&second, end, &number->imaginary);
    if (!is_unit(second, end)) {
        return fault;
    }
    number->is_complex = true;
    *at = second + 1;
    return fault != HB_CSV_GOOD ? fault : other;
}

/* Notes that a number has these digits, and nothing else but a sign. */
static inline void note_digits(const char *first, const char *end, hb_csv_number *number)
{
    number->digits = (uint32_t)(end - first);
    number->padded = *first == '0' && end - first > 1;
}

/* The same, where parentheses may stand around a complex number; around others some mean a sign. */
static hb_csv_fault parse_real(const char **at, const char *end, hb_csv_number *number)
{
    const bool open = *at < end && **at == '(';
    *at += open;
    const char *first = *at + (*at < end && (**at == '-' || **at == '+')), *p = first;
    const hb_csv_fault fault = parse_parts(at, end, number);
    if (!open) {
        for (; p < *at && *p >= '0' && *p <= '9'; p++) {
        }
        if (p == *at && p > first) {
            note_digits(first, p, number);
        }
        return fault;
    }
    const bool closed = *at < end && **at == ')';
    *at += closed;
    return closed && number->is_complex ? fault : HB_CSV_NO_NUMBER;
}

/* Replaces the magnitude by 10 times it and a digit; false where it passes `words` words, 1 or 2. */
static bool add_digit(hb_csv_number *number, uint64_t digit, uint32_t words)
{
    const hb_u128 low = (hb_u128)number->magnitude * 10 + digit;
    const hb_u128 high = (hb_u128)number->high * 10 + (uint64_t)(low >> 64);
    number->magnitude = (uint64_t)low;
    number->high = (uint64_t)high;
    return words == 1 ? high == 0 : high >> 64 == 0;
}

/* Parses [+-]digits from *at on, and leaves *at behind the last digit. */
static hb_csv_fault parse_digits(const char **at, const char *end, hb_cell_type cells, hb_csv_number *number)
{
    const char *p = *at;
    /* A sign is part of a number only right before its digits. */
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    const char *first = p;
    const uint32_t words = cells == HB_CELL_WIDE ? 2 : 1;
    hb_csv_number value = {0};
    bool fits = true;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        /* Digits are read to their end also where they are too many, so that the field's end is found. */
        fits = fits && add_digit(&value, (uint64_t)(*p - '0'), words);
    }
    *at = p;
    if (p == first) {
        return HB_CSV_NO_NUMBER;
    }
    /* -2^63 is the least value of 64 bits, -2^127 that of 128. */
    const uint64_t top = words == 2 ? value.high : value.magnitude, rest = words == 2 ? value.magnitude : 0;
    const uint64_t least = (uint64_t)1 << 63;
    if (!fits || (minus && (top > least || (top == least && rest > 0)))) {
        return HB_CSV_TOO_LARGE;
    }
    value.negative = minus && (value.magnitude | value.high) != 0;
    value.wide = words == 2;
    note_digits(first, p, &value);
    *number = value;
    return HB_CSV_GOOD;
}

hb_csv_fault hb_csv_parse_number(const char **at, const char *end, hb_csv_type type, hb_csv_number *number)
{
    const char delimiter = type.delimiter;
    const char *field = *at;
    const char *p = skip_space(field, end, delimiter);
    bool quoted = p < end && *p == '"';
    p = quoted ? skip_space(p + 1, end, delimiter) : p;
    /* The fault is decided only when the field's end is known. */
    hb_csv_number found = {0};
    hb_csv_fault fault =
        type.cells == HB_CELL_REAL ? parse_real(&p, end, &found) : parse_digits(&p, end, type.cells, &found);
    p = skip_space(p, end, delimiter);
    const bool open = quoted && !(p < end && *p == '"'); /* other text stands in the quotes, perhaps a delimiter */
    if (quoted && !open) {
        p = skip_space(p + 1, end, delimiter);
    }
    /* The field ends where the number does: an empty one is told from one that is no number. */
    if (!open && (p == end || *p == delimiter)) {
        *at = p;
        *number = fault == HB_CSV_GOOD ? found : *number;
        return p == field || hb_csv_is_blank(field, (size_t)(p - field), delimiter) ? HB_CSV_EMPTY : fault;
    }
    *at = hb_csv_field_end(field, end, delimiter);
    return HB_CSV_NO_NUMBER;
}

bool hb_csv_field_text(const char *at, const char *end, char delimiter, char *room, hb_csv_text *out)
{
    at = skip_space(at, end, delimiter);
    while (end > at && is_space(end[-1], delimiter)) {
        end--;
    }
    const bool quoted = at < end && *at == '"';
    if (quoted) {
        /* The quote that opens the field has to close it as well. */
        if (end - at < 2 || end[-1] != '"') {
            return false;
        }
        at++;
        end--;
    }
    *out = (hb_csv_text){at, (size_t)(end - at), quoted};
    if (memchr(at, '"', out->length) == NULL) {
        return true;
    }
    char *to = room;
    for (; at < end; at++) {
        /* Inside of quotes a quote stands twice; outside there is none that means anything. */
        if (*at == '"' && quoted && (at + 1 == end || *++at != '"')) {
            return false;
        }
        *to++ = *at;
    }
    *out = (hb_csv_text){room, (size_t)(to - room), quoted};
    return true;
}

hb_status hb_csv_parse_name(const char **at, const char *end, char delimiter, const char *path, uint64_t column,
                            char **name, bool *trimmed)
{
    const char *field = *at;
    const char *stop = hb_csv_field_end(field, end, delimiter);
    /* Unquoting never makes a field longer. */
    char *room = malloc((size_t)(stop - field) + 1);
    if (!room) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", path);
    }
    const char *fault = NULL;
    hb_csv_text text = {"", 0, false};
    const char *quote = memchr(field, '"', (size_t)(stop - field));
    const bool bare = quote != NULL && skip_space(field, stop, delimiter) != quote;
    if (bare || !hb_csv_field_text(field, stop, delimiter, room, &text)) {
        fault = "a quote that is not closed or not doubled";
    } else if (hb_has_control(text.text, text.length)) {
        /* It would come to stand in messages and in JSON. */
        fault = "a control character";
    } else if (text.length > HB_COLUMN_NAME_MAX) {
        fault = "more than 255 bytes";
    }
    if (fault) {
        free(room);
        return HB_FAIL(HB_EDATA, "%s: the name of column %" PRIu64 " in the header line has %s", path, column, fault);
    }
    memmove(room, text.text, text.length);
    room[text.length] = '\0';
    *name = room;
    *trimmed = !text.quoted && text.length > 0 && text.length < (size_t)(stop - field);
    *at = stop;
    return HB_OK;
}
