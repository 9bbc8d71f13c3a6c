#include "quoted.h"

#include <stdlib.h>
#include <string.h>

bool hb_quoted_length(const char *text, char quote, size_t *length)
{
    size_t at = 0;
    /* The end of the text and of a line are control characters. */
    while ((unsigned char)text[at] >= ' ' && (text[at] != quote || text[at + 1] == quote)) {
        at += text[at] == quote ? 2 : 1;
    }
    *length = at;
    return text[at] == quote;
}

char *hb_unquoted(const char *text, char quote, size_t length)
{
    char *name = malloc(length + 1);
    size_t to = 0;
    for (size_t at = 0; name != NULL && at < length; at += text[at] == quote ? 2 : 1) {
        name[to++] = text[at];
    }
    if (name != NULL) {
        name[to] = '\0';
    }
    return name;
}

bool hb_quoted_is(const char *text, size_t length, const char *name)
{
    size_t at = 0;
    while (at < length && *name != '\0' && text[at] == *name) {
        at += text[at] == '"' ? 2 : 1;
        name++;
    }
    return at >= length && *name == '\0';
}

bool hb_quoted_text(char *out, size_t size, const char *name)
{
    /* The size counts the zero. */
    size_t to = 0, need = sizeof "\"\"";
    for (const char *at = name; *at != '\0'; at++) {
        need += *at == '"' ? 2 : 1;
    }
    out[0] = '\0';
    /* Half a name would be the name of something else. */
    if (need > size) {
        return false;
    }
    out[to++] = '"';
    for (; *name != '\0'; name++) {
        out[to++] = *name;
        if (*name == '"') {
            out[to++] = '"';
        }
    }
    out[to++] = '"';
    out[to] = '\0';
    return true;
}
