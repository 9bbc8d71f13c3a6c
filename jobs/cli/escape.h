/* Shows text of others (names of files and columns, expressions) to people: nothing in it moves a cursor, forges a line
 * or hides its direction. */
#ifndef HB_CLI_ESCAPE_H
#define HB_CLI_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the longest piece and one more: "\u{10ffff}" for a code point, "\xff" for a byte that belongs to no
 * character. */
#define HB_ESCAPED_MOST 16

/* Takes one character of *text, which is not at its end, and writes how it is shown to `piece`, without a zero; returns
 * the bytes of that. Characters stand for themselves, except for
 *
 * \n \t \r and \xHH: control characters, and bytes that are no UTF-8;
 *
 * \u{H...}: controls beyond ASCII, and those that change the direction of text or take no place;
 *
 * \\: the backslash, so that all of this can be undone.
 *
 * With `lines` the text is one to be copied, of several lines: line breaks, tabs and backslashes stay as they are. */
size_t hb_escape_next(const char **text, bool lines, char piece[HB_ESCAPED_MOST]);

/* Writes all of `text` so into out [capacity], capacity >= 4, with a zero; "..." stands at its end where it does not
 * fit. Returns the bytes without the zero. */
size_t hb_escape(char *out, size_t capacity, const char *text);

#endif
