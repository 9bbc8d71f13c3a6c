/* Between options.c and options_help.c. */
#ifndef HB_CLI_OPTIONS_PRIVATE_H
#define HB_CLI_OPTIONS_PRIVATE_H

#include "options.h"

/* Rows of one source, and those of the next. */
typedef struct hb_option_rows {
    const hb_option *rows;
    size_t count;
    const struct hb_option_rows *next;
} hb_option_rows;

/* Usage, summary and one entry a row, on stdout. */
void hb_options_help(const hb_command *command, const hb_option_rows *rows);

#endif
