/* A command of the program. */
#ifndef HB_CLI_COMMAND_H
#define HB_CLI_COMMAND_H

#include <stdbool.h>

#include "base/status.h"
#include "mpi/group/group.h"

/* One command; all of it is constant. */
typedef struct hb_command {
    const char *program; /* name in its usage; NULL: hebatch */
    const char *name;
    const char *arguments; /* usage after the name: "--key FILE TABLE OUT.heb" */
    const char *summary;   /* one line */
    const char *notes;     /* more lines of its help, an example; NULL: none */
    bool ranks;            /* works on several ranks; other commands refuse more than one */
    bool apart;            /* runs, to report it, even where ranks do not find each other */
    /* Runs the command; argv[0] is its name. Collective if group->size > 1: the ranks have agreed on the returned
     * status. */
    hb_status (*run)(hb_group *group, int argc, char **argv);
} hb_command;

/* The commands that a process that serves runs: they take no secret key, or refuse it there. */
#define HB_COMMANDS_SERVED(X) X(add) X(encrypt) X(eval) X(refresh) X(rekey) X(sanitize)

/* Returns whether the command of this name is one of them. */
bool hb_command_is_served(const char *name);

#endif
