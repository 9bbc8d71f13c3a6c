#include "shell_line.h"

#include <stdbool.h>
#include <string.h>

#include "utf8.h"

enum { LONGEST = 120 };

const char *hb_shell_line(char out[HB_SHELL_LINE], const char *command, const char *file, const char *to)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=,:@%";
    const size_t length = strlen(file);
    const char *quote = strspn(file, plain) == length ? "" : "'";
    if (length > LONGEST || file[0] == '-' || strchr(file, '\'') != NULL || hb_has_control(file, length)) {
        file = "FILE";
        quote = "";
    }
    if (length > 3 && strcmp(file + strlen(file) - 3, ".gz") == 0) {
        snprintf(out, HB_SHELL_LINE, "gzip -dc %s%s%s | %s >%s", quote, file, quote, command, to);
    } else {
        snprintf(out, HB_SHELL_LINE, "%s %s%s%s >%s", command, quote, file, quote, to);
    }
    return out;
}

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
