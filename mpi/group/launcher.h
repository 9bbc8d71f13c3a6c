/* Which launcher started this process, from its environment. */
#ifndef HB_MPI_GROUP_LAUNCHER_H
#define HB_MPI_GROUP_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

/* The launcher of this process, as the environment names it. `variable` points to a constant. */
typedef struct hb_launcher {
    const char *variable; /* the variable that says so; NULL: the process was started by hand */
    uint64_t ranks;       /* ranks that were started; 0: the launcher does not tell */
} hb_launcher;
/* Reads the environment; it never fails. Rank-local, no MPI. */
hb_launcher hb_launcher_detect(void);

/* Returns false where a launcher says that it started several ranks but gave this process no way to find the others:
 * MPI would end the process, or leave it alone. */
bool hb_launcher_connects(void);

#endif
