/* Columns that expressions make, and their names. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "table/utf8.h"
#include "type_rules.h"

hb_status hb_made_columns_add(hb_made_columns **list, uint32_t columns, hb_schema **out)
{
    hb_made_columns *made = calloc(1, sizeof *made);
    const hb_meaning **means = calloc((size_t)columns + 1, sizeof *means);
    if (made == NULL || means == NULL || hb_schema_alloc(&made->schema, 1, columns) != HB_OK) {
        free(made);
        free(means);
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    for (uint32_t i = 0; i < columns; i++) {
        means[i] = &made->schema.column[i].meaning;
    }
    made->means = means;
    made->next = *list;
    *list = made;
    *out = &made->schema;
    return HB_OK;
}

void hb_made_columns_clear(hb_made_columns **list)
{
    while (*list != NULL) {
        hb_made_columns *made = *list;
        *list = made->next;
        hb_schema_clear(&made->schema);
        free(made->means);
        free(made);
    }
}

hb_means hb_made_columns_means(const hb_schema *made)
{
    const hb_made_columns *columns = (const hb_made_columns *)(const void *)made; /* its first member */
    return (hb_means){.each = columns->means};
}

hb_status hb_name_print(char **name, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vasprintf(name, format, list);
    va_end(list);
    if (length < 0) {
        *name = NULL; /* undefined until here, and its owner frees it */
        return HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    return HB_OK;
}

hb_status hb_words_name(const hb_syntax *syntax, uint32_t from, uint32_t to, const char *form, char **name)
{
    enum { MOST = 200 };
    char words[MOST + 1];
    size_t length = 0;
    for (uint32_t i = from; i < to && length < MOST; i++) {
        const char c = syntax->text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank || (length > 0 && words[length - 1] != ' ')) {
            words[length++] = blank ? ' ' : c;
        }
    }
    words[length] = '\0';
    while (length > 0 && (!hb_is_utf8(words) || words[length - 1] == ' ')) { /* cut within a character */
        words[--length] = '\0';
    }
    return hb_name_print(name, form, length > 0 ? words : "value");
}
