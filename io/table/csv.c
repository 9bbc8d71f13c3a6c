#include "csv_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "io/base/durable.h"
#include "io/base/real_text.h"
#include "table_private.h"

#define FIRST_CAPACITY ((size_t)256 << 10) /* bytes */

hb_status hb_lines_init(hb_lines *lines, int fd, uint64_t size, const char *path)
{
    *lines = (hb_lines){.fd = fd, .path = path, .size = size, .capacity = FIRST_CAPACITY};
    lines->buffer = malloc(lines->capacity);
    return lines->buffer ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
}

void hb_lines_clear(hb_lines *lines)
{
    if (lines->buffer) {
        hb_wipe(lines->buffer, lines->capacity); /* plaintext */
    }
    free(lines->buffer);
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
}

/* Reads more text behind buffer[begin .. end), which moves to the front. The caller has seen that the file has more. */
static hb_status refill(hb_lines *lines)
{
    size_t held = lines->end - lines->begin;
    memmove(lines->buffer, lines->buffer + lines->begin, held);
    lines->base += lines->begin;
    lines->begin = 0;
    lines->end = held;
    /* Not one line break in the whole buffer: it has to grow, up to the longest line allowed. */
    if (held == lines->capacity) {
        if (lines->capacity >= HB_CSV_LINE_MAX) {
            return HB_FAIL(HB_EDATA, "%s: the line at byte %" PRIu64 " is longer than %zu bytes", lines->path,
                           lines->base, HB_CSV_LINE_MAX);
        }
        /* Not realloc, which may leave the plaintext behind where it moves memory. */
        char *grown = malloc(2 * lines->capacity);
        if (!grown) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for a line of %zu bytes", lines->path, 2 * lines->capacity);
        }
        memcpy(grown, lines->buffer, held);
        hb_wipe(lines->buffer, lines->capacity);
        free(lines->buffer);
        lines->buffer = grown;
        lines->capacity *= 2;
    }
    /* At least one byte: the caller has seen that the file goes on. */
    uint64_t left = lines->size - (lines->base + held);
    size_t want = lines->capacity - held;
    want = left < want ? (size_t)left : want;
    HB_TRY(hb_read_at(lines->fd, lines->buffer + held, want, lines->base + held, lines->path));
    lines->end += want;
    return HB_OK;
}

hb_status hb_lines_next(hb_lines *lines, const char **line, size_t *length)
{
    size_t searched = 0;
    const char *newline = NULL;
    for (;;) {
        const char *from = lines->buffer + lines->begin;
        size_t held = lines->end - lines->begin;
        /* What was searched before the refill is not searched again. */
        newline = memchr(from + searched, '\n', held - searched);
        if (newline || lines->base + lines->end >= lines->size) {
            break;
        }
        searched = held;
        HB_TRY(refill(lines));
    }
    const char *from = lines->buffer + lines->begin;
    size_t held = newline ? (size_t)(newline - from) : lines->end - lines->begin;
    /* The last line need not end in a line break. */
    if (!newline && held == 0) {
        *line = NULL;
        *length = 0;
        return HB_OK;
    }
    /* The text stays where it is until the next call reads more. */
    lines->begin += held + (newline ? 1 : 0);
    *line = from;
    *length = held > 0 && from[held - 1] == '\r' ? held - 1 : held;
    return HB_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && is_space(*at)) {
        at++;
    }
    return at;
}

bool hb_csv_is_blank(const char *line, size_t length)
{
    return skip_space(line, line + length) == line + length;
}

const char *hb_csv_field_end(const char *at, const char *end)
{
    bool quoted = false;
    for (; at < end && (quoted || *at != ','); at++) {
        quoted ^= *at == '"';
    }
    return at;
}

/* Parses a decimal from *at on, and leaves *at behind it. */
static hb_csv_fault parse_decimal(const char **at, const char *end, double *value)
{
    static const hb_csv_fault faults[] = {[HB_REAL_GOOD] = HB_CSV_GOOD,
                                          [HB_REAL_NO_NUMBER] = HB_CSV_NO_NUMBER,
                                          [HB_REAL_TOO_LARGE] = HB_CSV_TOO_LARGE,
                                          [HB_REAL_NO_MEMORY] = HB_CSV_NO_MEMORY};
    return faults[hb_real_parse(at, end, value)];
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

/* The same, where parentheses may stand around a complex number; around others some mean a sign. */
static hb_csv_fault parse_real(const char **at, const char *end, hb_csv_number *number)
{
    const bool open = *at < end && **at == '(';
    *at += open;
    const hb_csv_fault fault = parse_parts(at, end, number);
    if (!open) {
        return fault;
    }
    const bool closed = *at < end && **at == ')';
    *at += closed;
    return closed && number->is_complex ? fault : HB_CSV_NO_NUMBER;
}

/* Parses [+-]digits from *at on, and leaves *at behind the last digit. */
static hb_csv_fault parse_digits(const char **at, const char *end, hb_csv_number *number)
{
    const char *p = *at;
    /* A sign is part of a number only right before its digits. */
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    const char *first = p;
    uint64_t value = 0;
    bool fits = true;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        /* Digits are read to their end also where they are too many, so that the field's end is found. */
        fits = fits && value <= (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    *at = p;
    if (p == first) {
        return HB_CSV_NO_NUMBER;
    }
    /* -2^63 is the least value of 64 bits. */
    if (!fits || (minus && value > (uint64_t)1 << 63)) {
        return HB_CSV_TOO_LARGE;
    }
    *number = (hb_csv_number){.magnitude = value, .negative = minus && value > 0};
    return HB_CSV_GOOD;
}

hb_csv_fault hb_csv_parse_number(const char **at, const char *end, hb_cell_type cells, hb_csv_number *number)
{
    const char *field = *at;
    const char *p = skip_space(field, end);
    bool quoted = p < end && *p == '"';
    p = quoted ? skip_space(p + 1, end) : p;
    /* What is wrong is decided only when the field's end is known. */
    hb_csv_number found = {0};
    hb_csv_fault fault = cells == HB_CELL_REAL ? parse_real(&p, end, &found) : parse_digits(&p, end, &found);
    p = skip_space(p, end);
    if (quoted) {
        fault = p < end && *p == '"' ? fault : HB_CSV_NO_NUMBER;
        p = skip_space(p < end ? p + 1 : p, end);
    }
    /* The field ends where the number does: an empty one is told from one that is no number. */
    if (p == end || *p == ',') {
        *at = p;
        *number = fault == HB_CSV_GOOD ? found : *number;
        return p == field || hb_csv_is_blank(field, (size_t)(p - field)) ? HB_CSV_EMPTY : fault;
    }
    *at = hb_csv_field_end(field, end);
    return HB_CSV_NO_NUMBER;
}

/* Copies the field [at, end) without its quotes into `name`, which holds as many bytes as the field and one; returns
 * false for broken quotes. */
static bool unquote(char *name, const char *at, const char *end)
{
    at = skip_space(at, end);
    while (end > at && is_space(end[-1])) {
        end--;
    }
    bool quoted = at < end && *at == '"';
    if (quoted) {
        /* The quote that opens the field has to close it as well. */
        if (end - at < 2 || end[-1] != '"') {
            return false;
        }
        at++;
        end--;
    }
    for (; at < end; at++) {
        if (*at == '"') {
            /* Inside of quotes a quote stands twice; outside there is none. */
            if (!quoted || at + 1 == end || at[1] != '"') {
                return false;
            }
            at++;
        }
        *name++ = *at;
    }
    *name = '\0';
    return true;
}

/* Control characters in a name would come to stand in messages and in JSON. */
static bool has_control(const char *at, const char *end)
{
    for (; at < end; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            return true;
        }
    }
    return false;
}

hb_status hb_csv_parse_name(const char **at, const char *end, const char *path, uint64_t column, char **name)
{
    const char *field = *at;
    const char *stop = hb_csv_field_end(field, end);
    /* Unquoting never makes a field longer. */
    char *text = malloc((size_t)(stop - field) + 1);
    if (!text) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", path);
    }
    const char *fault = NULL;
    if (has_control(field, stop)) {
        fault = "a control character";
    } else if (!unquote(text, field, stop)) {
        fault = "a quote that is not closed or not doubled";
    } else if (strlen(text) > HB_COLUMN_NAME_MAX) {
        fault = "more than 255 bytes";
    }
    if (fault) {
        free(text);
        return HB_FAIL(HB_EDATA, "%s: the name of column %" PRIu64 " in the header line has %s", path, column, fault);
    }
    *name = text;
    *at = stop;
    return HB_OK;
}

void hb_csv_put_name(FILE *file, const char *name)
{
    size_t length = strlen(name);
    /* Spaces round a field are dropped when it is read, unless they are in quotes. */
    bool spaced = length > 0 && (is_space(name[0]) || is_space(name[length - 1]));
    /* Names that need no quotes get none, as most programs write them. */
    if (!spaced && !strpbrk(name, ",\"\r\n")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name != '\0'; name++) {
        if (*name == '"') {
            fputc('"', file);
        }
        fputc(*name, file);
    }
    fputc('"', file);
}
