/* Places in an expression: messages that point at them, and pieces of the text for people to read. A place is the
 * number of a byte of the text, counted from 1. */
#ifndef HB_LANG_TEXT_PLACE_H
#define HB_LANG_TEXT_PLACE_H

#include <stdint.h>

#include "base/status.h"

/* A line of a generated text may end with a comment that begins so and names the line in words that the user knows:
 * messages have this name in the place of the line. */
#define HB_LINE_NAME "#= "

/* Records "character N of 'the line': ..." ("line L, character N" in a text of several lines) and returns `code`. For a
 * long line the message has the text around the place; for a line that has a name "NAME: ...". */
#define HB_FAIL_AT(code, text, at, ...) hb_fail_at((code), __FILE__, __LINE__, (text), (at), __VA_ARGS__)
hb_status hb_fail_at(hb_status code, const char *file, int line, const char *text, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 6, 7), warn_unused_result));

/* Returns `st`. Where it is a failure whose message begins with a place in `text`, as hb_fail_at writes it, in this
 * process or in another one that passed it on as words, the message gets the place in `from` of which the text was
 * made: byte i of the text, from 0, and its end, come of byte origin[i] there. */
hb_status hb_fail_at_origin(hb_status st, const char *text, const uint32_t *origin, const char *from);

/* Writes "character 5", or "line 2, character 5" in a text of several lines, or the name of the line. */
void hb_place(char out[48], const char *text, uint32_t at);

/* Writes text[from .. to) as one line into out [bytes], bytes >= 4; "..." stands at its end where it does not fit. */
void hb_excerpt(char *out, size_t bytes, const char *text, uint32_t from, uint32_t to);
/* Does the same for a message, or writes the name of the line where it has one. */
void hb_excerpt_or_name(char *out, size_t bytes, const char *text, uint32_t from, uint32_t to);

#endif
