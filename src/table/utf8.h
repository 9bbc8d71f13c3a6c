/* Checks of texts from files that go into headers, messages and JSON. */
#ifndef HB_TABLE_UTF8_H
#define HB_TABLE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a text is UTF-8 (RFC 3629: shortest forms, no surrogates, up to U+10FFFF). */
bool hb_is_utf8(const char *text);
/* Returns whether one of the bytes is a control character of ASCII. */
bool hb_has_control(const char *text, size_t length);

#endif
