/* Checks of texts from files that go into headers, messages and JSON. */
#ifndef HB_TABLE_UTF8_H
#define HB_TABLE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a text is UTF-8 (RFC 3629: shortest forms, no surrogates, up to U+10FFFF). */
bool hb_is_utf8(const char *text);
/* Returns how many bytes of a text are shown where there is room for `most`: those of whole characters. */
static inline size_t hb_utf8_shown(const char *text, size_t length, size_t most)
{
    size_t bytes = length < most ? length : most;
    while (bytes > 0 && bytes < length && ((unsigned char)text[bytes] & 0xc0) == 0x80) {
        bytes--;
    }
    return bytes;
}
/* Returns whether one of the bytes is a control character of ASCII. */
bool hb_has_control(const char *text, size_t length);

#endif
