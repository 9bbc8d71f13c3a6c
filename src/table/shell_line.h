/* Parts of shell commands, for messages from which people copy them: names of files and columns are a stranger's. */
#ifndef HB_TABLE_SHELL_LINE_H
#define HB_TABLE_SHELL_LINE_H

#include <stdio.h>

enum { HB_SHELL_COLUMN = 144 };

/* Writes the name of a column as options take it: in double quotes where it has other signs, within single ones.
 * COLUMN replaces a name that is too long, or that a shell may misread. Returns `out`. */
const char *hb_shell_column(char out[HB_SHELL_COLUMN], const char *name);

/* Writes a word as a shell takes it, in quotes where it needs them. No backslash is added, which a log would double. */
void hb_shell_word(const char *word, FILE *to);

#endif
