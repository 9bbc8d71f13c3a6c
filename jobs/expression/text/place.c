#include "place.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a line that a message shows: what one sees around the place. */
#define SHOWN 64

void hb_excerpt(char *out, size_t bytes, const char *text, uint32_t from, uint32_t to)
{
    const size_t length = to - from, capacity = bytes - 1;
    size_t taken = length <= capacity ? length : capacity - 3;
    while (taken < length && taken > 0 && ((unsigned char)text[from + taken] & 0xc0) == 0x80) {
        taken--; /* only whole characters of UTF-8 are shown */
    }
    for (size_t i = 0; i < taken; i++) {
        const char c = text[from + i];
        out[i] = c == '\n' || c == '\t' || c == '\r' ? ' ' : c; /* others are escaped where they are printed */
    }
    strcpy(out + taken, length <= capacity ? "" : "...");
}

/* Returns the beginning of the line with the byte text[place]. */
static uint32_t line_of(const char *text, uint32_t place)
{
    while (place > 0 && text[place - 1] != '\n') {
        place--;
    }
    return place;
}

void hb_place(char out[48], const char *text, uint32_t at)
{
    const uint32_t from = line_of(text, at - 1);
    uint32_t line = 1;
    for (uint32_t i = 0; i < from; i++) {
        line += text[i] == '\n';
    }
    if (strchr(text, '\n') == NULL) {
        snprintf(out, 48, "character %u", at);
    } else {
        snprintf(out, 48, "line %u, character %u", line, at - from);
    }
}

hb_status hb_fail_at(hb_status code, const char *file, int line, const char *text, uint32_t at, const char *format, ...)
{
    const uint32_t place = at - 1;
    uint32_t from = line_of(text, place);
    /* Only the line with the place is shown. */
    const uint32_t to = place + (uint32_t)strcspn(text + place, "\n");
    /* A long line begins where the place comes to stand in its middle. */
    const bool cut = to - from > SHOWN && place - from > SHOWN / 2;
    from = cut ? place - SHOWN / 2 : from;
    char shown[SHOWN + 1], where[48], message[320];
    hb_excerpt(shown, sizeof shown, text, from, to);
    hb_place(where, text, at);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return hb_fail(code, file, line, "%s of '%s%s': %s", where, cut ? "..." : "", shown, message);
}
