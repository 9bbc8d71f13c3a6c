/* The phases of a job that other commands do: each is run as it is printed for people, and watched. */
#ifndef HB_ASK_PHASE_H
#define HB_ASK_PHASE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/common.h"
#include "cli/passphrase.h"
#include "cli/words.h"
#include "mpi/group/group.h"

/* The state that all phases of a job share. */
typedef struct hb_phases {
    const hb_group *group;
    const hb_common *common;
    uint32_t count, now; /* phases; the one that runs, from 1 */
    uint64_t ranks;      /* processes of commands that several can share; 1: no launcher */
    bool terminal;       /* progress is one line, redrawn */
    int last;            /* exit code of the last command */
    /* That of a sealed key, which the caller wipes; of length 0: commands read it where --passphrase says. */
    hb_passphrase passphrase;
} hb_phases;

/* A command to run. */
typedef struct hb_phase {
    const char *title;     /* "makes keys"; NULL: it says nothing */
    const hb_words *words; /* from hebatch on */
    bool shared;           /* several ranks can share it */
    bool secret;           /* it opens the secret key, which may be sealed */
} hb_phase;

/* The next phase begins: commands belong to it until hb_phase_begin is called again. */
static inline void hb_phase_begin(hb_phases *phases)
{
    phases->now++;
}

/* Runs a command to its end: this program, as one process or as ranks of mpirun. *out, unless it is NULL, receives its
 * stdout with a zero behind; the caller frees it. Warnings go to stderr, and with --verbose its log, too. A
 * signal to stop goes on to it. Returns the status that it ended with, with its reason; HB_EUNAVAILABLE when it cannot
 * be started; HB_EINTERNAL when it crashes; HB_ENOMEM. */
hb_status hb_phase_run(hb_phases *phases, const hb_phase *phase, char **out);

#endif
