/* The options of every command. */
#ifndef HB_CLI_COMMON_H
#define HB_CLI_COMMON_H

#include <stdbool.h>

/* Options that every command has. */
typedef struct hb_common {
    bool json;              /* results as one JSON document on stdout */
    bool piped;             /* stdout is for a table: results go where the log goes */
    bool quiet;             /* no log and no progress; results, warnings and errors only */
    int verbose;            /* > 0: file and line of errors */
    double progress;        /* seconds between progress lines when stderr is no terminal */
    const char *passphrase; /* source of a sealed key's passphrase (passphrase.h); NULL: the terminal */
    const char *log;        /* file that also gets the log; with several ranks each has its own; NULL: none */
    const char *server;     /* folder of the server that runs the command; NULL: this process does */
} hb_common;

#endif
