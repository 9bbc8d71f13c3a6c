#include "csv_field.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

void hb_csv_put_field(FILE *to, const char *text, char delimiter, bool alone)
{
    const size_t length = strlen(text);
    const char special[] = {delimiter, '"', '\r', '\n', '\0'};
    /* Blanks around a field are dropped when it is read, unless they are in quotes. */
    const bool blank = length > 0 && (is_blank(text[0]) || is_blank(text[length - 1]));
    /* Texts that need no quotes get none, as most programs write them. */
    if (!blank && strpbrk(text, special) == NULL && !(alone && length == 0)) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            fputc('"', to);
        }
        fputc(*text, to);
    }
    fputc('"', to);
}
