/* Text of others (names of files and columns, expressions) as people may see it: nothing in it moves a cursor, forges a
 * line or hides its direction. */
#ifndef HB_CLI_ESCAPE_H
#define HB_CLI_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* The longest piece is of a byte that belongs to no character, or of a code point: "\u{10ffff}". */
#define HB_ESCAPED_MOST 16

/* Takes one character of *text, which is at none of its end, and writes how it is shown to `piece`, without a zero;
 * returns the bytes of that. Characters stand for themselves but for
 *   \n \t \r and \xHH   control characters, and bytes that are no UTF-8,
 *   \u{H...}            controls beyond ASCII, and those that change the direction of text or take no place,
 *   \\                  the backslash, so that all of this can be undone.
 * `lines`: the text is one to be copied, of several lines: line breaks, tabs and backslashes stay as they are. */
size_t hb_escape_next(const char **text, bool lines, char piece[HB_ESCAPED_MOST]);

/* All of `text` into out [capacity], capacity >= 4, with a zero; "..." at its end where it does not fit. Returns its
 * bytes. */
size_t hb_escape(char *out, size_t capacity, const char *text);

#endif
