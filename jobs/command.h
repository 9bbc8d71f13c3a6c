/* A command of the program, and what every command is given. */
#ifndef HB_COMMAND_H
#define HB_COMMAND_H

#include <stdbool.h>

#include "group.h"
#include "status.h"

/* Options that every command understands. */
typedef struct hb_common {
    bool json;       /* results as one JSON document on stdout */
    bool quiet;      /* no log, no progress; results, warnings and errors only */
    int verbose;     /* > 0: file:line of errors */
    double progress; /* seconds between progress lines when stderr is no terminal */
} hb_common;

typedef struct hb_command {
    const char *name;
    const char *arguments; /* usage after the name: "--key FILE TABLE OUT.heb" */
    const char *summary;   /* one line */
    const char *notes;     /* more lines of its help, an example; NULL: none */
    bool ranks;            /* makes sense on several ranks; others refuse more than one */
    bool apart;            /* runs by itself where ranks do not find one another: to say so */
    /* argv[0] is the command's name. The returned status has been agreed on if group->size > 1. */
    hb_status (*run)(hb_group *group, int argc, char **argv);
} hb_command;

extern const hb_command hb_command_params, hb_command_keygen, hb_command_encrypt, hb_command_eval, hb_command_decrypt,
    hb_command_info, hb_command_verify, hb_command_selftest, hb_command_doctor, hb_command_bench, hb_command_export,
    hb_command_import, hb_command_status;

#endif
