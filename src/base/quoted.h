/* Words in quotes: names of columns in double quotes, as expressions and ranges have them, with any character but
 * control characters and a quote written twice, as in CSV: "Mean ""x"" (mm)"; and texts of expressions, in single
 * quotes. */
#ifndef HB_BASE_QUOTED_H
#define HB_BASE_QUOTED_H

#include <stdbool.h>
#include <stddef.h>

/* Returns in *length the bytes from `text`, behind the opening quote, up to the closing `quote`, which must stand on
 * the same line; 0 for an empty word. Returns false where nothing closes it. */
bool hb_quoted_length(const char *text, char quote, size_t *length);
/* Returns the word that text[0 .. length), between such quotes, is; the caller frees it. NULL when out of memory. */
char *hb_unquoted(const char *text, char quote, size_t length);
/* Returns whether text[0 .. length), between double quotes, is this name. For a text that stood in no quotes it is
 * whether both are the same. */
bool hb_quoted_is(const char *text, size_t length, const char *name);
/* Writes the name in double quotes into out [size]. Returns false, and out is empty, where it does not fit. */
bool hb_quoted_text(char *out, size_t size, const char *name);

#endif
