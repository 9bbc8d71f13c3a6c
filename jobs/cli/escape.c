#include "escape.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the bytes of a character that begins with this one; 0 if none does. */
static size_t bytes_of(unsigned char first)
{
    static const unsigned char begin[] = {0x80, 0xc0, 0xe0, 0xf0, 0xf8}; /* of the next kind of first bytes */
    static const size_t bytes[] = {1, 0, 2, 3, 4, 0};
    size_t kind = 0;
    while (kind < sizeof begin / sizeof begin[0] && first >= begin[kind]) {
        kind++;
    }
    return bytes[kind];
}

/* Returns the bytes of the character at `text`, and its code point in *point; 0 if there is no character (RFC 3629:
 * shortest form, no surrogates). */
static size_t decode(const char *text, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* that needs so many bytes */
    const unsigned char first = (unsigned char)text[0];
    const size_t bytes = bytes_of(first);
    if (bytes <= 1) {
        *point = first;
        return bytes;
    }
    /* The bits of the first byte that belong to the code point. */
    uint32_t value = first & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        const unsigned char next = (unsigned char)text[i]; /* a zero ends the text, and the loop */
        if ((next & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (next & 0x3f);
    }
    *point = value;
    return value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff) ? 0 : bytes;
}

/* Tells whether a code point is a control, a mark of direction, without width, or a separator of lines. */
static bool is_hidden(uint32_t point)
{
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x034f, 0x034f},
                                         {0x061c, 0x061c}, {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
                                         {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
                                         {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
                                         {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (point >= ranges[i][0] && point <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

static size_t put(char piece[HB_ESCAPED_MOST], const char *format, unsigned value)
{
    return (size_t)snprintf(piece, HB_ESCAPED_MOST, format, value);
}

size_t hb_escape_next(const char **text, bool lines, char piece[HB_ESCAPED_MOST])
{
    static const char named[] = "\n\t\r\\", names[] = "ntr\\";
    uint32_t point = 0; /* decode leaves it alone where it finds no character */
    const size_t bytes = decode(*text, &point);
    const char *at = *text, *name = strchr(named, *at);
    /* A byte that belongs to no character is shown by itself, and the next one may begin one. */
    *text += bytes > 0 ? bytes : 1;
    /* A carriage return could overwrite its line on a terminal, also in a text to be copied. */
    if (name != NULL && !(lines && *at != '\r')) {
        piece[0] = '\\';
        piece[1] = names[name - named];
        return 2;
    }
    if (bytes == 0 || (bytes == 1 && is_hidden(point) && name == NULL)) {
        return put(piece, "\\x%02x", (unsigned char)*at);
    }
    if (bytes > 1 && is_hidden(point)) {
        return put(piece, "\\u{%x}", point);
    }
    memcpy(piece, at, bytes);
    return bytes;
}

size_t hb_escape(char *out, size_t capacity, const char *text)
{
    static const char more[] = "...";
    size_t length = 0, safe = 0; /* up to `safe` there is room for `more` behind it */
    while (*text != '\0') {
        char piece[HB_ESCAPED_MOST];
        const size_t bytes = hb_escape_next(&text, false, piece);
        /* A piece is written whole or not at all. */
        if (length + bytes >= capacity) {
            memcpy(out + safe, more, sizeof more);
            return safe + sizeof more - 1;
        }
        memcpy(out + length, piece, bytes);
        length += bytes;
        safe = length + sizeof more <= capacity ? length : safe;
    }
    out[length] = '\0';
    return length;
}

size_t hb_escape_line(char *line, size_t capacity, const char *prefix, const char *text)
{
    size_t length = (size_t)snprintf(line, capacity, "%s", prefix);
    length += hb_escape(line + length, capacity - length - 1, text);
    line[length++] = '\n';
    return length;
}

char *hb_escape_json(const char *json)
{
    static const size_t most = 2 * sizeof "\\uXXXX"; /* of a character, which takes 1 byte or more */
    char *copy = malloc(most * strlen(json) + 1), *end = copy;
    while (copy != NULL && *json != '\0') {
        uint32_t point = 0;
        const size_t found = decode(json, &point), bytes = found > 0 ? found : 1;
        if (found == 0 || point < 0x7f || !is_hidden(point)) { /* controls of ASCII but the last: of the text itself */
            memcpy(end, json, bytes);
            end += bytes;
        } else if (point < 0x10000) {
            end += sprintf(end, "\\u%04x", (unsigned)point);
        } else { /* as two halves, of 10 bits each */
            const unsigned rest = (unsigned)point - 0x10000;
            end += sprintf(end, "\\u%04x\\u%04x", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
        }
        json += bytes;
    }
    if (copy != NULL) {
        *end = '\0';
    }
    return copy;
}
