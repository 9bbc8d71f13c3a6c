/* Files that are made beside one another and get their names together: each is written whole, and synced, as
 * NAME.partial, and renamed without ever replacing a file. Whoever writes a partial file holds a lock on it; one
 * without a lock was left by a process that is gone, and gives way. */
#ifndef HB_IO_BASE_PENDING_H
#define HB_IO_BASE_PENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

/* One file on its way. Zeroed, or after a failed create: nothing is pending, and drop, leave and park do nothing. */
typedef struct hb_pending {
    char *path, *partial; /* NULL: nothing is pending */
    int fd;               /* of the partial file, with the lock; -1: given up (hb_pending_park) */
} hb_pending;

/* Makes PATH.partial, open for writing, in place of one that a process left which is gone. Returns HB_ECREATE when PATH
 * exists, when another process is writing the partial file, or when that cannot be told because locks do not work
 * there. After a failure nothing is pending. */
hb_status hb_pending_create(hb_pending *pending, const char *path, mode_t mode);
/* Takes over the PATH.partial that a process which is gone left behind, with its content; *found is false when there is
 * none. Returns HB_ECREATE as hb_pending_create does. */
hb_status hb_pending_adopt(hb_pending *pending, const char *path, bool *found);
/* Closes the file and gives its lock up, keeping the name to commit or drop: for many files at once whose makers
 * another lock keeps apart, so that not all of their descriptors stay open. */
void hb_pending_park(hb_pending *pending);
/* Gives the file its name and syncs the folder; the caller has synced the content. Returns HB_ECREATE when PATH exists
 * by now, HB_EIO when the folder cannot be synced; PATH is then not there, and the file still has to be dropped. */
hb_status hb_pending_commit(hb_pending *pending);
/* Removes the partial file, unless it was committed. The error text of what led here stays. */
void hb_pending_drop(hb_pending *pending);

/* Closes the partial file and leaves it to whoever comes next (hb_pending_adopt). */
void hb_pending_leave(hb_pending *pending);

/* Removes PARTIAL if it is there and was left by a process that is gone; *busy is true, with HB_OK, when another
 * process is writing it. HB_ECREATE. */
hb_status hb_pending_sweep(const char *partial, bool *busy);

#endif
