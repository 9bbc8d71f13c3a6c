/* What every command is told by its user. */
#ifndef HB_CLI_COMMON_H
#define HB_CLI_COMMON_H

#include <stdbool.h>

/* Options that every command understands. */
typedef struct hb_common {
    bool json;              /* results as one JSON document on stdout */
    bool piped;             /* stdout is for a table: results go where the log goes */
    bool quiet;             /* no log and no progress; results, warnings and errors only */
    int verbose;            /* > 0: file and line of errors */
    double progress;        /* seconds between progress lines when stderr is no terminal */
    const char *passphrase; /* where that of a sealed key is (passphrase.h); NULL: it is asked for */
    const char *log; /* file that gets the log of every rank as well, of several ranks each its own; NULL: none */
} hb_common;

#endif
