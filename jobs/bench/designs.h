/* Designs of papers beside ours: a program of its own, hebatch-designs, which stands beside this one in a build folder
 * and is not installed. */
#ifndef HB_BENCH_DESIGNS_H
#define HB_BENCH_DESIGNS_H

#include <stdbool.h>

#include "mpi/group/group.h"

/* Whether `hebatch bench WORDS` is for that program: --designs among the words, or reduce or crt as the first. */
bool hb_bench_designs_wanted(int argc, char **argv);
/* Starts it in the place of this process, with the words (argv[0] is the command's name) but --designs: does not return
 * then. HB_EUSAGE on several ranks; HB_EUNAVAILABLE where it was not built; HB_ENOMEM. */
hb_status hb_bench_designs(const hb_group *group, int argc, char **argv);

#endif
