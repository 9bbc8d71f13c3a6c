/* The run of one command by the ranks of a group: the state that begins and ends with it. A process that serves has one
 * run after another, on the same group. Rank-local. */
#ifndef HB_CLI_RUN_H
#define HB_CLI_RUN_H

#include <stdatomic.h>
#include <stdint.h>

#include "mpi/group/group.h"

/* Warnings that reports have, at most: stderr and the log file have all. */
enum { HB_RUN_MOST_WARNINGS = 100 };

typedef struct hb_run {
    double began;                        /* of the process that a user started for the command, by hb_now */
    struct hb_resident *resident;        /* what jobs leave to later ones (batch/job/resident.h); NULL: nothing */
    char *warning[HB_RUN_MOST_WARNINGS]; /* [warnings], owned; the oldest first */
    uint32_t warnings;
    atomic_bool *quiet;    /* of the process: whether waits are told of (batch/job/waits.h); NULL: none is watched */
    struct hb_run *before; /* of the group, which it has again at the end; NULL: none */
} hb_run;

/* Makes it the run of the group, from now on, of a command that began `age` seconds ago; what it leaves to later runs
 * goes to *resident (NULL: nothing). Borrowed by the group until hb_run_end. */
void hb_run_begin(hb_run *run, hb_group *group, double age, struct hb_resident *resident);
/* Returns the run of a group, or of the whole that it is a part of; NULL: there is none. */
hb_run *hb_run_of(const hb_group *group);
/* Ends the run: the group has the one before, and the warnings are forgotten. */
void hb_run_end(hb_run *run, hb_group *group);
/* Returns how long ago the run of the group began; of a group without a run, how old the process is. */
double hb_run_age(const hb_group *group);
/* Returns whether the run has a warning of this text. */
bool hb_run_has_warned(const hb_group *group, const char *text);

#endif
