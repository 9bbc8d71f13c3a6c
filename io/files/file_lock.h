/* Locks on names that one job at a time may write, among jobs of any number of processes on one file system: the
 * unfinished output, NAME.partial, a folder or a file.
 *
 * A process that writes or removes files under such a name holds its lock (flock): that of the folder, or of the file.
 * A lock belongs to the opened file and not to its name, so a process that has taken one checks that the name still
 * means the same file. New output is made and locked under a unique name, NAME.partial.0123456789abcdef, and only then
 * renamed to NAME.partial, which must be free; output to remove is renamed to such a name first. So NAME.partial always
 * has an owner, except where its job has ended, and no job sees half of a change. Where the file system has no locks,
 * only the names keep jobs apart.
 *
 * Nothing here is collective: one rank takes the lock for its job. */
#ifndef HB_IO_FILES_FILE_LOCK_H
#define HB_IO_FILES_FILE_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

enum { HB_FILE_LOCK_DIGITS = 16 }; /* random hexadecimal digits of a unique name */

/* Takes the lock of the file or folder at `path`, and waits a tenth of a second for a job that only looks; closing *fd
 * releases it. Returns HB_ENOINPUT when there is nothing, HB_ECREATE when another job has the lock or when it is
 * something else (a link, a pipe, a device). */
hb_status hb_file_lock_take(const char *path, int *fd);
/* Does the same as hb_file_lock_take. patient: it waits up to a minute, for a job that has finished its work and is
 * about to release its lock. strict: for a file that is never renamed or replaced, so that the lock, and no name, keeps
 * processes apart: HB_ECREATE also where the file system has no locks. */
hb_status hb_file_lock_wait(const char *path, bool patient, bool strict, int *fd);
/* Who is asked while a lock is waited for, 200 times a second: `ask` gets the seconds of the wait so far, and any
 * status but HB_OK ends it. NULL: nobody is. */
typedef struct hb_file_lock_waiting {
    hb_status (*ask)(void *context, double seconds);
    void *context;
} hb_file_lock_waiting;
/* Does the same as the patient and strict hb_file_lock_wait, and asks meanwhile. Errors of `ask` besides. */
hb_status hb_file_lock_wait_asking(const char *path, hb_file_lock_waiting waiting, int *fd);
/* Returns in *own a unique name for this job: `path`, a dot and 16 random hexadecimal digits. The caller frees it.
 * HB_ENOMEM. */
hb_status hb_file_lock_own_name(const char *path, char **own);

/* Returns whether `entry` is a unique name made from `base`; neither contains folders. */
bool hb_file_lock_is_own_name(const char *entry, const char *base);

/* Makes a folder under a unique name beside `path`. The name is returned in *own, which the caller frees; the lock is
 * held by *fd until the caller closes it. Returns HB_ECREATE when the folder cannot be made. */
hb_status hb_file_lock_new_folder(const char *path, mode_t mode, char **own, int *fd);
/* Makes an empty file at `path`, open to read and write and locked by *fd until the caller closes it. With `replace` a
 * file that an ended job left there is removed first. Returns HB_ECREATE when one exists and `replace` is false, or
 * when another job holds it; after a failure nothing new is left. */
hb_status hb_file_lock_new_file(const char *path, mode_t mode, bool replace, int *fd);
/* Renames a file or folder that this job has locked from its unique name to `path`, never over an existing one, and
 * syncs nothing. A name that is not free is no failure: *taken is then true. Returns HB_ECREATE when renaming fails
 * otherwise. */
hb_status hb_file_lock_place(const char *own, const char *path, bool *taken);
/* Removes the remains of killed jobs under unique names beside `path`: calls `remove` for each without a holder, under
 * its lock. Failures are ignored, and the last error stays as it was: a sweep only tidies up. */
void hb_file_lock_sweep(const char *path, hb_status (*remove)(const char *own));

#endif
