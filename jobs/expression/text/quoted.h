/* Names of columns in double quotes, as expressions and ranges have them: any character but control characters, and a
 * quote written twice, as in CSV: "Mean ""x"" (mm)". */
#ifndef HB_EXPRESSION_TEXT_QUOTED_H
#define HB_EXPRESSION_TEXT_QUOTED_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes from `text`, behind the opening quote, up to the closing one, where it stands on the same line; 0 for an empty
 * name. False: nothing closes it. */
bool hb_quoted_length(const char *text, size_t *length);
/* The name that text[0 .. length) between quotes is, the caller frees it; NULL: out of memory. */
char *hb_quoted_name(const char *text, size_t length);
/* Is text[0 .. length) between quotes this name? Of a name without quotes, whether it is the same. */
bool hb_quoted_is(const char *text, size_t length, const char *name);
/* The name in quotes into out[0 .. size). False, and out is empty, where it does not fit. */
bool hb_quoted_text(char *out, size_t size, const char *name);

#endif
