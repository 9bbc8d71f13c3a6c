/* Names of columns in double quotes, as expressions and ranges have them: any character but control characters, and a
 * quote written twice, as in CSV: "Mean ""x"" (mm)". Texts of expressions, in single quotes, likewise. */
#ifndef HB_BASE_QUOTED_H
#define HB_BASE_QUOTED_H

#include <stdbool.h>
#include <stddef.h>

/* Returns in *length the bytes from `text`, behind the opening quote, up to the closing one, which must stand on the
 * same line; 0 for an empty name. Returns false where nothing closes it. */
bool hb_quoted_length(const char *text, size_t *length);
/* The same, of a text in single quotes. */
bool hb_quoted_text_length(const char *text, size_t *length);
/* Returns the name that text[0 .. length), between quotes, is; the caller frees it. NULL when out of memory. */
char *hb_quoted_name(const char *text, size_t length);
/* Returns the string that text[0 .. length), between single quotes, stands for; the caller frees it. NULL when out of
 * memory. */
char *hb_quoted_text_of(const char *text, size_t length);
/* Returns whether text[0 .. length), between quotes, is this name. For a text that stood in no quotes it is whether
 * both are the same. */
bool hb_quoted_is(const char *text, size_t length, const char *name);
/* Writes the name in quotes into out [size]. Returns false, and out is empty, where it does not fit. */
bool hb_quoted_text(char *out, size_t size, const char *name);

#endif
