/* One run of a command by the ranks of a group, from its words to its exit code: of a process that was started for it,
 * and of one that serves. */
#ifndef HB_COMMANDS_RUN_COMMAND_H
#define HB_COMMANDS_RUN_COMMAND_H

#include <stdatomic.h>

#include "cli/command.h"
#include "cli/common.h"

/* Begins the process of a rank: closes its memory to others, draws randomness, watches waits. *quiet is for these
 * (batch/job/waits.h), and gets the option of each run. Once in a process, once MPI has made its shared memory.
 * Rank-local: the ranks agree on the outcome in the next call. HB_EPERM, HB_ENOMEM. */
hb_status hb_command_begin_process(hb_group *group, atomic_bool *quiet);

/* Runs the command; argv[1] is its name. started: this rank's status of all that came before, on which the ranks agree
 * first. Prints results, the log and the reason of a failure, and ends all that belongs to the run: trace, log,
 * secrets. The group has its run (cli/run.h), which hb_stop_watch has
 * begun. Collective, the same status on all ranks: the exit code. */
hb_status hb_command_run(hb_group *group, const hb_command *command, int argc, char **argv, hb_status started);

#endif
