/* Words of a question, and advice for one that is no column, for question.c. Rank-local. */
#ifndef HB_ASK_QUESTION_HELP_H
#define HB_ASK_QUESTION_HELP_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lang/text/syntax.h"
#include "table/shell_line.h"
#include "table/utf8.h"

/* Whether a name stands in a text as a word. */
static inline bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !(isalnum((unsigned char)at[length]) || at[length] == '_')) {
            return true;
        }
    }
    return false;
}

/* Whether an item is compared with a column before it, or looked for among others: it may be a text. */
static inline bool is_compared(const hb_syntax *s, const hb_item *item)
{
    const hb_item *at = item + 1, *end = s->items + s->count;
    while (at < end && at->kind <= HB_ITEM_TEXT) {
        at++;
    }
    return at < end &&
           ((at == item + 1 && at->kind >= HB_ITEM_LESS && at->kind <= HB_ITEM_NOT_EQUAL) || at->kind == HB_ITEM_IN);
}

/* Lists columns, as many as there is room for. */
static inline void list_columns(const char *const *names, char *out, size_t bytes)
{
    size_t length = (size_t)snprintf(out, bytes, "the columns are");
    bool utf8 = true;
    for (size_t i = 0; names[i] != NULL; i++) {
        if (length + strlen(names[i]) + 36 > bytes) {
            snprintf(out + length, bytes - length, ", ..");
            return;
        }
        length += (size_t)snprintf(out + length, bytes - length, "%s %s", i > 0 ? "," : "", names[i]);
        utf8 = utf8 && hb_is_utf8(names[i]);
    }
    snprintf(out + length, bytes - length, "%s", utf8 ? "" : "; --charset latin-1 reads them");
}

/* Whether a word is the beginning of one name alone, in large or small letters. */
static inline bool begins_one(const char *const *names, const char *word)
{
    size_t found = 0;
    for (size_t i = 0; names[i] != NULL; i++) {
        found += strncasecmp(names[i], word, strlen(word)) == 0;
    }
    return found == 1;
}

/* Writes the question that people asked, as a shell takes it, with the column `name` in the place of an item's word;
 * origin: of each byte of the text (struct edited). NULL: no memory, or it is too long for a message. Owned. */
static inline char *corrected(const hb_syntax *s, const uint32_t *origin, const hb_item *item, const char *name)
{
    enum { MOST = 300 };
    char *said = NULL, *line = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    const uint32_t quote = s->text[item->word - (item->word > 0)] == '"';
    const uint32_t from = item->word - quote, end = item->word + (uint32_t)item->word_length + quote;
    for (uint32_t i = 0; to != NULL && s->text[i] != '\0'; i++) {
        if (i == from) {
            fputs(name, to);
        }
        if ((i < from || i >= end) && origin[i + 1] > origin[i]) { /* else it was inserted */
            fputc(s->text[i], to);
        }
    }
    const bool written = to != NULL && fclose(to) == 0;
    to = written ? open_memstream(&line, &size) : NULL;
    if (to != NULL) {
        hb_shell_word(said, to);
        if (fclose(to) != 0 || size > MOST) {
            free(line);
            line = NULL;
        }
    }
    free(said);
    return line;
}

#endif
