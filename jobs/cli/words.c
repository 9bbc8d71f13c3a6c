#include "words.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "table/shell_line.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a command line")

/* Takes the word over, also after a failure. */
static hb_status take(hb_words *words, char *word)
{
    char **longer = realloc(words->word, (words->count + 2) * sizeof *longer);
    words->word = longer != NULL ? longer : words->word;
    if (word == NULL || longer == NULL) {
        free(word);
        return NO_MEMORY;
    }
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
    return HB_OK;
}

hb_status hb_words_add(hb_words *words, const char *word)
{
    return take(words, strdup(word));
}

hb_status hb_words_addf(hb_words *words, const char *format, ...)
{
    char *word = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&word, format, arguments);
    va_end(arguments);
    return take(words, length >= 0 ? word : NULL);
}

hb_status hb_words_add_option(hb_words *words, const char *option, const char *value)
{
    if (value == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_words_addf(words, "--%s", option));
    return hb_words_add(words, value);
}

void hb_words_clear(hb_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->word[i]);
    }
    free(words->word);
    *words = (hb_words){0};
}

void hb_words_print(const hb_words *words, FILE *to)
{
    for (size_t i = 0; i < words->count; i++) {
        fputs(i > 0 ? " " : "", to);
        hb_shell_word(words->word[i], to);
    }
}
