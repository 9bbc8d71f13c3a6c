/* A command of the program. */
#ifndef HB_CLI_COMMAND_H
#define HB_CLI_COMMAND_H

#include <stdbool.h>

#include "base/status.h"
#include "mpi/group/group.h"

typedef struct hb_command {
    const char *program; /* in its usage; NULL: hebatch */
    const char *name;
    const char *arguments; /* usage after the name: "--key FILE TABLE OUT.heb" */
    const char *summary;   /* one line */
    const char *notes;     /* more lines of its help, an example; NULL: none */
    bool ranks;            /* makes sense on several ranks; others refuse more than one */
    bool apart;            /* runs by itself where ranks do not find one another: to say so */
    /* argv[0] is the command's name. The returned status has been agreed on if group->size > 1. */
    hb_status (*run)(hb_group *group, int argc, char **argv);
} hb_command;

#endif
