/* Files that are made beside one another and get their names together: each is written whole, and synced, as
 * NAME.partial, and renamed without ever replacing a file. Whoever writes a partial file holds a lock on it; one
 * without is left by a process that is gone, and gives way. */
#ifndef HB_IO_BASE_PENDING_H
#define HB_IO_BASE_PENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

/* Zeroed: nothing is pending. */
typedef struct hb_pending {
    char *path, *partial; /* NULL: nothing is pending */
    int fd;               /* of the partial file, with the lock; -1: given up (hb_pending_park) */
} hb_pending;

/* Makes PATH.partial, open for writing. HB_ECREATE when PATH exists, when another process is writing the partial file,
 * or when that cannot be told, as locks do not work there. After a failure nothing is pending. */
hb_status hb_pending_create(hb_pending *pending, const char *path, mode_t mode);
/* Takes over the PATH.partial that a process which is gone left behind; *found false: there is none. HB_ECREATE as
 * above. */
hb_status hb_pending_adopt(hb_pending *pending, const char *path, bool *found);
/* Closes the file and gives its lock up: for many files whose makers another lock keeps apart. */
void hb_pending_park(hb_pending *pending);
/* Gives the file its name, and syncs the folder. HB_ECREATE when PATH exists by now. After a failure it still has to be
 * dropped. */
hb_status hb_pending_commit(hb_pending *pending);
/* Removes the partial file, unless it was committed. The cause of a failure stays. */
void hb_pending_drop(hb_pending *pending);

/* Leaves the partial file to whoever comes next. */
void hb_pending_leave(hb_pending *pending);

/* Removes PARTIAL if it is there and a process that is gone left it; *busy: another process is writing it. */
hb_status hb_pending_sweep(const char *partial, bool *busy);

#endif
