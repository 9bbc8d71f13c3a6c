#include "page.h"

#include <string.h>

#include "list.h"

static const char beginning[] =
    "# Functions\n\n"
    "All functions by name: how each is called, and its value. The page [README](README.md) has "
    "the rest of the\nlanguage.\n\n";

/* Returns the bytes up to the next blank at which a line may end: none within code, and none before a sign that would
 * begin a list, a heading, a quotation or a table. */
static size_t unbroken(const char *text)
{
    bool code = false;
    size_t i = 0;
    while (text[i] != '\0' && (code || text[i] != ' ' || strchr("-+*#>|=", text[i + 1]) != NULL)) {
        code = code != (text[i] == '`');
        i++;
    }
    return i;
}

/* Writes a text behind `column` characters of a line; further lines are indented as items of a list. */
static void print_wrapped(const char *text, size_t column, FILE *to)
{
    enum { COLUMNS = 120 };
    while (*text != '\0') {
        const size_t bytes = unbroken(text);
        size_t width = 0;
        for (size_t i = 0; i < bytes; i++) {
            width += ((unsigned char)text[i] & 0xc0) != 0x80; /* characters of UTF-8 */
        }
        const bool fits = column + 1 + width <= COLUMNS;
        fprintf(to, "%s%.*s", fits ? " " : "\n  ", (int)bytes, text);
        column = fits ? column + 1 + width : 2 + width;
        text += bytes + (text[bytes] == ' ');
    }
    fputc('\n', to);
}

/* Writes how a function is written, each way of its form in code, and its sentence. */
static void print_item(const hb_signature *call, FILE *to)
{
    static const char between[] = " or ";
    const char *form = call->form;
    size_t column = strlen("* ``:");
    fputs("* `", to);
    for (const char *next; (next = strstr(form, between)) != NULL; form = next + strlen(between)) {
        column += (size_t)fprintf(to, "%.*s`, `", (int)(next - form), form);
    }
    fprintf(to, "%s`:", form);
    print_wrapped(call->says, column + strlen(form), to);
}

bool hb_functions_page(const char *name, FILE *to)
{
    bool found = name == NULL;
    fputs(name == NULL ? beginning : "", to);
    for (const hb_signature *const *call = hb_lang_functions; *call != NULL; call++) {
        if (name == NULL || strcmp((*call)->name, name) == 0) {
            print_item(*call, to);
            found = true;
        }
    }
    return found;
}
