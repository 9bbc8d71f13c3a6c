#include "shell_line.h"

#include <stdbool.h>
#include <string.h>

#include "utf8.h"

const char *hb_shell_column(char out[HB_SHELL_COLUMN], const char *name)
{
    enum { LONGEST_NAME = 64 };
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const size_t length = strlen(name);
    _Static_assert(2 * LONGEST_NAME + sizeof "'\"\"'" <= HB_SHELL_COLUMN, "each byte may be a quote, which is doubled");
    if (length == 0 || length > LONGEST_NAME || strchr(name, '\'') != NULL || hb_has_control(name, length)) {
        strcpy(out, "COLUMN");
    } else if (strspn(name, plain) == length) {
        strcpy(out, name);
    } else {
        size_t at = (size_t)sprintf(out, "'\"");
        for (; *name != '\0'; name++) {
            out[at++] = *name;
            if (*name == '"') {
                out[at++] = '"';
            }
        }
        memcpy(out + at, "\"'", 3);
    }
    return out;
}

void hb_shell_word(const char *word, FILE *to)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/@%=^";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, to);
        return;
    }
    const bool quotes = strchr(word, '\'') != NULL;
    if (quotes && strpbrk(word, "\"$`\\!") == NULL) {
        fprintf(to, "\"%s\"", word);
        return;
    }
    fputc('\'', to);
    for (; *word != '\0'; word++) {
        fputs(*word == '\'' ? "'\"'\"'" : (char[2]){*word, '\0'}, to);
    }
    fputc('\'', to);
}
