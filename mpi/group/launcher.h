/* Which launcher started this process, from its environment. */
#ifndef HB_MPI_GROUP_LAUNCHER_H
#define HB_MPI_GROUP_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

/* What the environment says about how this process was started. */
typedef struct hb_launcher {
    const char *variable; /* that says so; NULL: started by hand */
    uint64_t ranks;       /* 0: not told */
} hb_launcher;
hb_launcher hb_launcher_detect(void);

/* False where a launcher says that it started several ranks and gave this process no way to find the others: MPI would
 * end it, or leave it alone. */
bool hb_launcher_connects(void);

#endif
