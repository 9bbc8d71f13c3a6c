#include "place.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a line that a message shows around the place. */
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

/* Returns the name of the line of text[place], and its length; 0: it has none. */
static int name_of_line(const char *text, uint32_t place, const char **name)
{
    const char *c = text + line_of(text, place);
    char quote = 0;
    for (; *c != '\0' && *c != '\n' && (quote != 0 || *c != '#'); c++) {
        const bool quotes = *c == '\'' || *c == '"';
        quote = quote == 0 && quotes ? *c : quote == *c ? 0 : quote;
    }
    const bool named = strncmp(c, HB_LINE_NAME, strlen(HB_LINE_NAME)) == 0;
    *name = c + strlen(HB_LINE_NAME);
    return named ? (int)strcspn(*name, "\n") : 0;
}

void hb_excerpt_or_name(char *out, size_t bytes, const char *text, uint32_t from, uint32_t to)
{
    const char *name;
    const int length = name_of_line(text, from, &name);
    if (length > 0) {
        from = (uint32_t)(name - text);
        to = from + (uint32_t)length;
    }
    hb_excerpt(out, bytes, text, from, to);
}

void hb_place(char out[48], const char *text, uint32_t at)
{
    const uint32_t from = line_of(text, at - 1);
    const char *name;
    uint32_t line = 1;
    if (name_of_line(text, at - 1, &name) > 0) {
        hb_excerpt_or_name(out, 48, text, at - 1, at);
        return;
    }
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
    char message[320];
    const char *name;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const uint32_t place = at - 1;
    const int named = name_of_line(text, place, &name);
    if (named > 0) {
        return hb_fail(code, file, line, "%.*s: %s", named < SHOWN ? named : SHOWN, name, message);
    }
    uint32_t from = line_of(text, place);
    /* Only the line with the place is shown. */
    const uint32_t to = place + (uint32_t)strcspn(text + place, "\n");
    /* A long line begins where the place comes to stand in its middle. */
    const bool cut = to - from > SHOWN && place - from > SHOWN / 2;
    from = cut ? place - SHOWN / 2 : from;
    char shown[SHOWN + 1], where[48];
    hb_excerpt(shown, sizeof shown, text, from, to);
    hb_place(where, text, at);
    return hb_fail(code, file, line, "%s of '%s%s': %s", where, cut ? "..." : "", shown, message);
}

/* How a message about a place, from 1, begins. */
static hb_error place_in(const char *text, uint32_t at)
{
    const hb_status begins = HB_FAIL_AT(HB_EUSAGE, text, at, "%s", "");
    (void)begins;
    return *hb_last_error();
}

/* Finds the place that a message about a text begins with, "character 5 of '..': ". Returns the length of that
 * beginning; 0: it begins with another. *at: from 1. */
static size_t find_place(const char *message, const char *text, uint32_t *at)
{
    unsigned line = 1, character = 0;
    const char *from = text;
    if (sscanf(message, "line %u, character %u of '", &line, &character) != 2 &&
        sscanf(message, "character %u of '", &character) != 1) {
        return 0;
    }
    while (line > 1 && (from = strchr(from, '\n')) != NULL) {
        from++;
        line--;
    }
    if (from == NULL || character == 0 || character > strlen(from) + 1) {
        return 0;
    }
    *at = (uint32_t)(from - text) + character;
    const hb_error place = place_in(text, *at);
    const size_t length = strlen(place.text);
    return strncmp(place.text, message, length) == 0 ? length : 0;
}

hb_status hb_fail_at_origin(hb_status st, const char *text, const uint32_t *origin, const char *from)
{
    const hb_error cause = *hb_last_error();
    uint32_t at;
    const size_t length = st != HB_OK ? find_place(cause.text, text, &at) : 0;
    if (length == 0) {
        hb_set_error(&cause);
        return st;
    }
    const hb_error place = place_in(from, origin[at - 1] + 1);
    st = HB_FAIL(st, "%s%s", place.text, cause.text + length);
    hb_error moved = *hb_last_error();
    moved.advice = cause.advice;
    moved.reason = cause.advice != HB_ADVICE_NONE ? cause.reason + (uint32_t)(strlen(place.text) - length) : 0;
    hb_set_error(&moved);
    return st;
}
