/* The words of a command, as exec takes them and as a shell reads them. Rank-local. */
#ifndef HB_CLI_WORDS_H
#define HB_CLI_WORDS_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "options.h"

/* Zeroed: none. The words are owned, and a NULL stands behind the last one. */
typedef struct hb_words {
    char **word;
    size_t count;
} hb_words;

/* Append a word: as it is, or made by a format. HB_ENOMEM. */
hb_status hb_words_add(hb_words *words, const char *word);
hb_status hb_words_addf(hb_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends an option and its value, where there is one; NULL: appends nothing. HB_ENOMEM. */
hb_status hb_words_add_option(hb_words *words, const char *option, const char *value);
/* Appends the options of these rows that are given, as --NAME=VALUE: flags, texts, and numbers but for those whose
 * value is HB_NOT_GIVEN, or 0 of kinds that have none. HB_ENOMEM. */
hb_status hb_words_add_rows(hb_words *words, const hb_option *rows, size_t count);
void hb_words_clear(hb_words *words);

/* Writes the words as a line for a shell, without its end. Words are in single quotes where a shell would change
 * them. */
void hb_words_print(const hb_words *words, FILE *to);

#endif
