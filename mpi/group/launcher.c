#include <errno.h>
#include <stdlib.h>

#include "launcher.h"

/* The launcher nearest to the process comes first: an mpirun inside a Slurm step inherits the step's variables. */
static const char *const sizes[] = {
    "OMPI_COMM_WORLD_SIZE", /* Open MPI's mpirun */
    "MV2_COMM_WORLD_SIZE",  /* MVAPICH */
    "PMI_SIZE",             /* Hydra of MPICH and Intel MPI, Slurm with PMI-1 */
    "SLURM_STEP_NUM_TASKS"  /* srun, with any protocol */
};

hb_launcher hb_launcher_detect(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *text = getenv(sizes[i]);
        /* strtoull would accept a sign and leading blanks. */
        if (text == NULL || text[0] < '0' || text[0] > '9') {
            continue;
        }
        char *end;
        errno = 0;
        unsigned long long ranks = strtoull(text, &end, 10);
        if (errno == 0 && *end == '\0' && ranks > 0) {
            return (hb_launcher){sizes[i], ranks};
        }
    }
    /* PMIx tells the rank but not the number of ranks. */
    return getenv("PMIX_RANK") != NULL ? (hb_launcher){"PMIX_RANK", 0} : (hb_launcher){NULL, 0};
}

bool hb_launcher_connects(void)
{
    /* Variables by which the libraries of MPI find the launcher. */
    static const char *const ways[] = {"PMIX_RANK", "PMI_RANK", "PMI_FD", "OMPI_COMM_WORLD_RANK",
                                       "MV2_COMM_WORLD_RANK"};
    /* One rank needs no launcher, and an unknown number may be one. */
    if (hb_launcher_detect().ranks <= 1) {
        return true;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (getenv(ways[i]) != NULL) {
            return true;
        }
    }
    return false;
}
