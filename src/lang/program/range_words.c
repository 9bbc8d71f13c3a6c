/* Names of columns and of missing ranges in messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "lang/text/binding.h"
#include "range.h"
#include "table/shell_line.h"

void hb_column_word(char out[64], const hb_schema *schema, uint64_t column)
{
    const char *name =
        schema->named && hb_columns_show_names(schema->column, schema->columns) ? schema->column[column].name : "";
    char quoted[63];
    if (hb_name_valid(name) && strlen(name) < sizeof quoted) {
        snprintf(out, 64, ".%s", name);
    } else if (name[0] != '\0' && hb_quoted_text(quoted, sizeof quoted, name)) {
        snprintf(out, 64, ".%s", quoted);
    } else {
        snprintf(out, schema->columns > 1 ? 64 : 1, ".%llu", (unsigned long long)column + 1);
    }
}

/* No more words are put behind dots. */
static bool is_full(const char *text)
{
    const size_t used = strlen(text);
    return used >= 3 && strcmp(text + used - 3, "...") == 0;
}

static void append(char *to, size_t bytes, bool first, const char *comma, const char *words)
{
    const size_t used = strlen(to), left = bytes - used, more = strlen(words) + strlen(comma);
    if (is_full(to)) {
        return;
    }
    if (more + sizeof ", ..." < left) {
        snprintf(to + used, left, "%s%s", first ? "" : comma, words);
    } else {
        snprintf(to + used, left, "%s...", comma);
    }
}

static void add_word(hb_unranged *list, const char *name, const char *column)
{
    char word[112], option[128];
    snprintf(word, sizeof word, "%.40s%s", name, column);
    snprintf(option, sizeof option, "%s=LEAST..MOST", word);
    append(list->names, sizeof list->names, list->count == 0, ", ", word);
    append(list->option, sizeof list->option, list->count == 0, ",", option);
    list->count++;
}

void hb_unranged_add(hb_unranged *list, const hb_operand *operand, const bool *known)
{
    const hb_schema *schema = operand->schema;
    bool any = false;
    for (uint64_t c = 0; c < schema->columns; c++) {
        any |= known[c];
    }
    if (!any) {
        add_word(list, operand->name, "");
        return;
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        char column[64];
        if (!known[c] && is_full(list->names) && is_full(list->option)) {
            list->count++;
        } else if (!known[c]) {
            hb_column_word(column, schema, c);
            add_word(list, operand->name, column);
        }
    }
}

char *hb_range_option(const char *given, const char *others)
{
    char *list = NULL, *text = NULL;
    size_t size;
    if (asprintf(&list, "%s%s%s", given != NULL ? given : "", given != NULL ? "," : "", others) < 0) {
        return NULL;
    }
    FILE *to = open_memstream(&text, &size);
    if (to != NULL) {
        fputs("--range ", to);
        hb_shell_word(list, to);
    }
    if (to != NULL && fclose(to) != 0) {
        free(text);
        text = NULL;
    }
    free(list);
    return text;
}
