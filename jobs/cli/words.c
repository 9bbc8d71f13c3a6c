#include "words.h"

#include <inttypes.h>
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

static hb_status add_row(hb_words *words, const hb_option *row)
{
    const uint64_t none = row->kind == HB_OPTION_NUMBER ? HB_NOT_GIVEN : 0;
    if (row->kind == HB_OPTION_FLAG) {
        return *(const bool *)row->value ? hb_words_addf(words, "--%s", row->name) : HB_OK;
    }
    if (row->kind == HB_OPTION_TEXT) {
        const char *text = *(const char *const *)row->value;
        return text != NULL ? hb_words_addf(words, "--%s=%s", row->name, text) : HB_OK;
    }
    if (row->kind == HB_OPTION_TEXTS) {
        const hb_texts *texts = row->value;
        for (uint32_t i = 0; i < texts->count; i++) {
            HB_TRY(hb_words_addf(words, "--%s=%s", row->name, texts->text[i]));
        }
        return HB_OK;
    }
    HB_ASSERT(row->kind == HB_OPTION_NUMBER || row->kind == HB_OPTION_ABOVE_0);
    const uint64_t number = *(const uint64_t *)row->value;
    return number != none ? hb_words_addf(words, "--%s=%" PRIu64, row->name, number) : HB_OK;
}

hb_status hb_words_add_rows(hb_words *words, const hb_option *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        HB_TRY(add_row(words, &rows[i]));
    }
    return HB_OK;
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
