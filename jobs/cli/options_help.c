#include <stdio.h>
#include <string.h>

#include "options_private.h"

enum { HELP_COLUMN = 30 };

static void print_row(const hb_option *row)
{
    char left[128];
    int width = snprintf(left, sizeof left, "  %c%c%s --%s%s%s", row->letter != 0 ? '-' : ' ',
                         row->letter != 0 ? row->letter : ' ', row->letter != 0 ? "," : " ", row->name,
                         row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "");
    printf("%s%s%*s", left, width < HELP_COLUMN ? "" : "\n", width < HELP_COLUMN ? HELP_COLUMN - width : HELP_COLUMN,
           "");
    for (const char *line = row->help; line != NULL;) {
        size_t length = strcspn(line, "\n");
        printf("%.*s\n", (int)length, line);
        line = line[length] == '\n' ? line + length + 1 : NULL;
        if (line != NULL) {
            printf("%*s", HELP_COLUMN, "");
        }
    }
}

void hb_options_help(const hb_command *command, const hb_option_rows *rows)
{
    printf("Usage: %s %s %s\n\n%s\n", command->program != NULL ? command->program : "hebatch", command->name,
           command->arguments, command->summary);
    if (command->notes != NULL) {
        printf("%s\n", command->notes);
    }
    for (bool own = true; rows != NULL; rows = rows->next, own = false) {
        printf(rows->count == 0 ? "" : own && rows->next != NULL ? "\nOptions:\n" : "\nEvery command:\n");
        for (size_t i = 0; i < rows->count; i++) {
            print_row(&rows->rows[i]);
        }
    }
    printf("\nOptions but --help, --force and those of --insecure also as an environment variable: HEBATCH_<NAME>, "
           "dashes as "
           "underscores; "
           "flags 1 or 0.\n");
}
