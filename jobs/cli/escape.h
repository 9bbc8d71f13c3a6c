/* Shows foreign text (names of files and columns, expressions) safely: it cannot move the cursor, forge a line or hide
 * its direction. */
#ifndef HB_CLI_ESCAPE_H
#define HB_CLI_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the longest piece, plus one: "\u{10ffff}" for a code point, "\xff" for a byte that belongs to no
 * character. */
#define HB_ESCAPED_MOST 16

/* Takes one character of *text, which is not at its end, and writes how it is shown to `piece`, without a zero; returns
 * the bytes of that. Characters stand for themselves, except for
 *
 * \n \t \r and \xHH: control characters, and bytes that are no UTF-8;
 *
 * \u{H...}: controls beyond ASCII, and characters that change the direction of text or take no place;
 *
 * \\: the backslash, so that all of this can be undone.
 *
 * With `lines` the text is one to be copied, of several lines: line breaks, tabs and backslashes stay as they are. */
size_t hb_escape_next(const char **text, bool lines, char piece[HB_ESCAPED_MOST]);

/* Writes all of `text` in this form into out [capacity], capacity >= 4, with a terminating zero; ends with "..." where
 * it does not fit. Returns the bytes without the zero. */
size_t hb_escape(char *out, size_t capacity, const char *text);

/* Writes a whole line: the prefix as it is, `text` escaped, and a line break, without a zero. Returns its bytes. */
size_t hb_escape_line(char *line, size_t capacity, const char *prefix, const char *text);

/* Returns a copy of a JSON text in which the characters that are escaped above stand as \uXXXX, which means the same to
 * a parser. The caller frees it; NULL: no memory. */
char *hb_escape_json(const char *json);

#endif
