/* Names that one job at a time may write, among jobs of any number of processes on one file system: the unfinished
 * output, NAME.partial, be it a folder or a file.
 *
 * Whoever writes or removes what is under such a name holds its lock (flock): the folder's own, or that of the file. A
 * lock belongs to the opened file and not to its name, so whoever has taken one checks that the name still means the
 * same file. New output is made and locked under a name of its own, NAME.partial.0123456789abcdef, and only then
 * renamed to its name, which must be free; output that has to go is renamed to such a name first. So nothing is ever
 * under NAME.partial without an owner, except what a job left that has ended, and no job meets half of something. Where
 * the file system has no locks, only the names keep jobs apart.
 *
 * Nothing here is collective: one rank takes the claim for its job. */
#ifndef HB_IO_BASE_CLAIM_H
#define HB_IO_BASE_CLAIM_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

enum { HB_CLAIM_DIGITS = 16 }; /* random hexadecimal digits of a name of one's own */

/* Takes the lock of the file or folder at `path`, waiting a tenth of a second for a job that only looks; closing *fd
 * gives it back. Returns HB_ENOINPUT when there is nothing, HB_ECREATE when another job has the lock or when it is
 * something else (a link, a pipe, a device). */
hb_status hb_claim_take(const char *path, int *fd);
/* Does the same as hb_claim_take, but waits up to a minute: for a job that has finished its work and is about to close
 * what it holds. */
hb_status hb_claim_await(const char *path, int *fd);
/* Returns in *own a name of this job's own: `path`, a dot and 16 random hexadecimal digits. The caller frees it.
 * HB_ENOMEM. */
hb_status hb_claim_own_name(const char *path, char **own);

/* Returns whether `entry` is such a name made of `base`; neither has folders in front. */
bool hb_claim_is_own_name(const char *entry, const char *base);

/* Makes a folder under a name of its own beside `path`. The name is returned in *own, which the caller frees; the lock
 * is held by *fd until the caller closes it. Returns HB_ECREATE when the folder cannot be made. */
hb_status hb_claim_new_folder(const char *path, mode_t mode, char **own, int *fd);
/* Makes an empty file at `path`, open to read and write and locked by *fd until the caller closes it. With `replace` a
 * file that an ended job left there is removed first. Returns HB_ECREATE when one is there without `replace`, or when
 * another job holds it; after a failure nothing new is left. */
hb_status hb_claim_new_file(const char *path, mode_t mode, bool replace, int *fd);
/* Renames what this job holds from a name of its own to `path`, never over anything, and syncs nothing. A name that is
 * not free is no failure: *taken is then true. Returns HB_ECREATE when renaming fails otherwise. */
hb_status hb_claim_place(const char *own, const char *path, bool *taken);
/* Removes what killed jobs left under names of their own beside `path`: calls `remove` with each that nobody holds,
 * under its lock. Failures are ignored, and the last error stays as it was: a sweep only tidies up. */
void hb_claim_sweep(const char *path, hb_status (*remove)(const char *own));

#endif
