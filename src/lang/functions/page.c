#include "page.h"

#include <string.h>

#include "list.h"

static const char beginning[] = "# Functions\n\n"
                                "A line for each function. `hebatch help functions` makes it from their files in\n"
                                "`src/lang/functions`. The page [README](README.md) has the rest of the language.\n\n"
                                "| | |\n|---|---|\n";

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

bool hb_functions_page(const char *name, FILE *to)
{
    bool found = name == NULL;
    fputs(name == NULL ? beginning : "", to);
    for (const hb_signature *const *call = hb_lang_functions; *call != NULL; call++) {
        if (name == NULL || strcmp((*call)->name, name) == 0) {
            print_line(*call, to);
            found = true;
        }
    }
    return found;
}
