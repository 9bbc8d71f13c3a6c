#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/text/language.h"
#include "list.h"

/* The row of the table in whose place the lines of functions stand. */
static const char functions_row[] = "\n| *functions* |";

/* Writes how a function is written, each way of its form in code, and its sentence. */
static void print_line(const hb_signature *call, FILE *to)
{
    static const char between[] = " or ";
    const char *form = call->form;
    fputs("| `", to);
    for (const char *next; (next = strstr(form, between)) != NULL; form = next + strlen(between)) {
        fprintf(to, "%.*s`, `", (int)(next - form), form);
    }
    fprintf(to, "%s` | %s |\n", form, call->says);
}

hb_status hb_language_page(char **out)
{
    const char *row = strstr(hb_language, functions_row);
    HB_ASSERT(row != NULL);
    const char *behind = strchr(row + 1, '\n');
    HB_ASSERT(behind != NULL);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the page of the language");
    }
    fprintf(to, "%.*s\n", (int)(row - hb_language), hb_language);
    for (const hb_signature *const *call = hb_lang_functions; *call != NULL; call++) {
        print_line(*call, to);
    }
    fputs(behind + 1, to);
    bool failed = ferror(to) != 0;
    failed |= fclose(to) != 0;
    if (failed) {
        free(text);
        return HB_FAIL(HB_ENOMEM, "no memory for the page of the language");
    }
    *out = text;
    return HB_OK;
}
