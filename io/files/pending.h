/* Files that are made beside each other and get their names together: each is written completely, and synced, as
 * NAME.partial, and renamed without ever replacing a file. The process that writes a partial file holds a lock on it; a
 * process that is gone left a partial file without a lock, which is replaced. */
#ifndef HB_IO_FILES_PENDING_H
#define HB_IO_FILES_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

/* One file that is being made. Zeroed, or after a failed create: nothing is pending, and drop, leave and park do
 * nothing. */
typedef struct hb_pending {
    char *path, *partial; /* NULL: nothing is pending */
    int fd;               /* of the partial file, with the lock; -1: released (hb_pending_park) */
} hb_pending;

/* Makes PATH.partial, open for writing, and replaces one whose process is gone. Returns HB_ECREATE when PATH exists,
 * when another process is writing the partial file, or when that is unknown because locks do not work there. After a
 * failure nothing is pending. */
hb_status hb_pending_create(hb_pending *pending, const char *path, mode_t mode);
/* Takes over the PATH.partial of a process that is gone, with its content; *found is false when there is none. Returns
 * HB_ECREATE as hb_pending_create does. */
hb_status hb_pending_adopt(hb_pending *pending, const char *path, bool *found);
/* Closes the file and releases its lock, and keeps the name to commit or drop: for many files at once whose makers
 * another lock keeps apart, so that not all of their descriptors stay open. */
void hb_pending_park(hb_pending *pending);
/* Gives the file its name and syncs the folder; the caller has synced the content. Returns HB_ECREATE when PATH exists
 * by now, HB_EIO when the folder cannot be synced; PATH then does not exist, and the file still has to be dropped. */
hb_status hb_pending_commit(hb_pending *pending);
/* Removes the partial file, unless it was committed. The last error stays. */
void hb_pending_drop(hb_pending *pending);

/* Writes a whole new file, synced, of so many bytes; the remains of a process that is gone give way. HB_ECREATE when
 * the name is taken, or another process is writing it; HB_EIO. */
hb_status hb_pending_write(const char *path, const void *data, size_t bytes, mode_t mode);

/* Closes the partial file and leaves it for hb_pending_adopt. */
void hb_pending_leave(hb_pending *pending);

/* Removes PARTIAL if it exists and its process is gone; *busy is true, with HB_OK, when another process is writing it.
 * HB_ECREATE. */
hb_status hb_pending_sweep(const char *partial, bool *busy);

#endif
