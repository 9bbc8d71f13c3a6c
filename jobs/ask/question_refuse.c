/* Refusals of names in a question: the nearest name, the whole question with it, or all names that there are. */
#include "question_refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "lang/text/binding.h"
#include "lang/text/place.h"
#include "table/shell_line.h"
#include "table/utf8.h"

/* Whether an item is compared with a column before it, or looked for among others: it may be a text. */
static bool is_compared(const hb_syntax *s, const hb_item *item)
{
    const hb_item *at = item + 1, *end = s->items + s->count;
    while (at < end && at->kind <= HB_ITEM_TEXT) {
        at++;
    }
    return at < end &&
           ((at == item + 1 && at->kind >= HB_ITEM_LESS && at->kind <= HB_ITEM_NOT_EQUAL) || at->kind == HB_ITEM_IN);
}

/* Lists columns, as many as there is room for. */
static void list_columns(const char *const *names, char *out, size_t bytes)
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
static bool begins_one(const char *const *names, const char *word)
{
    size_t found = 0;
    for (size_t i = 0; names[i] != NULL; i++) {
        found += strncasecmp(names[i], word, strlen(word)) == 0;
    }
    return found == 1;
}

/* Writes the question that people asked, as a shell takes it, with the column `name` in the place of an item's word;
 * origin: of each byte of the text. NULL: no memory, or it is too long for a message. Owned. */
static char *corrected(const hb_syntax *s, const uint32_t *origin, const hb_item *item, const char *name)
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

/* Finds the names of the columns of `table`, or of all tables; returns how many there are. */
static uint32_t find_names(hb_asked_names *n, const hb_asked_table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->question->tables; i++) {
        const hb_survey *survey = &n->question->table[i].survey;
        for (uint64_t c = 0; c < survey->columns && (table == NULL || table == &n->question->table[i]); c++) {
            n->near[count++] = survey->column[c].name;
        }
    }
    n->near[count] = NULL;
    return count;
}

/* Whether a word may mean the lone table: its file is called so, or it is x of matrix(x, rows, columns). */
static bool means_table(const hb_asked_names *n, const hb_item *item, const hb_asked_table *table)
{
    const hb_syntax *s = n->syntax;
    const char *slash = strrchr(table->path, '/'), *file = slash != NULL ? slash + 1 : table->path;
    const hb_item *call = item;
    while (call < s->items + s->count &&
           !(call->kind == HB_ITEM_CALL && call->call->matrix && hb_item_operand(call, 0) == item)) {
        call++;
    }
    const bool made = call < s->items + s->count;
    return n->question->lone &&
           (made || (strncmp(file, s->text + item->word, item->word_length) == 0 && file[item->word_length] == '.'));
}

hb_status hb_asked_no_column(hb_asked_names *n, const hb_item *item, const hb_asked_table *table)
{
    const hb_syntax *s = n->syntax;
    const uint32_t count = find_names(n, table);
    char word[64], quoted[2 * HB_LABEL_MAX + 3], help[480];
    snprintf(word, sizeof word, "%.*s", (int)item->word_length, s->text + item->word);
    if (table != NULL && means_table(n, item, table)) {
        return HB_FAIL_AT(HB_EUSAGE, s->text, item->at, "%.80s has no column '%s'; for the table itself write %s=%.80s",
                          table->path, word, word, table->path);
    }
    const char *near = hb_nearest(word, n->near);
    if (near != NULL) {
        if (hb_name_valid(near) || !hb_quoted_text(quoted, sizeof quoted, near)) {
            snprintf(quoted, sizeof quoted, "%.64s", near);
        }
        char *line = table && begins_one(n->near, word) ? corrected(s, n->origin, item, quoted) : NULL;
        n->question->corrected = line != NULL;
        snprintf(help, sizeof help, line != NULL ? "did you mean %.100s? Write %s" : "did you mean %.100s?", quoted,
                 line);
        free(line);
    } else {
        list_columns(n->near, help, sizeof help);
        if (is_compared(s, item) || count == 0) {
            snprintf(help, sizeof help, "a text stands in single quotes, '%.64s'", word);
        }
    }
    return table != NULL
               ? HB_FAIL_AT(HB_EUSAGE, s->text, item->at, "%.80s has no column '%s'; %s", table->path, word, help)
               : HB_FAIL_AT(HB_EUSAGE, s->text, item->at, "no table has a column '%s'; %s", word, help);
}

hb_status hb_asked_no_table(hb_asked_names *n, const hb_item *item)
{
    const hb_syntax *s = n->syntax;
    for (uint32_t i = 0; i < n->question->tables; i++) {
        const hb_asked_table *table = &n->question->table[i];
        const hb_survey_column *column = hb_asked_column(&table->survey, s, item);
        if (column != NULL) {
            return HB_FAIL_AT(HB_EUSAGE, s->text, item->at, "write %.64s.%.64s: there are several tables", table->name,
                              column->name);
        }
    }
    return hb_asked_no_column(n, item, NULL);
}

hb_status hb_asked_reads_nothing(hb_asked_names *n)
{
    char help[240] = "there are none";
    if (find_names(n, NULL) > 0) {
        list_columns(n->near, help, sizeof help);
    }
    return HB_FAIL(HB_EUSAGE,
                   "the question reads no column; %s; one stands in double quotes, or in none where its name "
                   "has letters, digits and _ alone",
                   help);
}
