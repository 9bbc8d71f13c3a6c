#include "shell_line.h"

#include <stdio.h>
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
