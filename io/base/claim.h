/* Names that one job at a time may write, among jobs of any number of processes on one file system: the unfinished
 * output, NAME.partial, be it a folder or a file.
 *
 * Who writes or removes what is under such a name holds its lock (flock): a folder's own, or that of the file. A lock
 * is of what was opened and not of a name, so whoever has taken one looks whether the name still means the same. What
 * is new is made and locked under a name of its own, NAME.partial.0123456789abcdef, and only then gets its name, which
 * must be free; what has to go gets such a name first. So nothing is ever under NAME.partial without an owner, but for
 * what a job left that has ended, and nobody meets half of something. Where the file system has no locks, only the
 * names keep jobs apart. */
#ifndef HB_IO_BASE_CLAIM_H
#define HB_IO_BASE_CLAIM_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

enum { HB_CLAIM_DIGITS = 16 }; /* hexadecimal, random, of a name of its own */

/* Takes the lock of the file or folder at `path`; closing *fd gives it back. HB_ENOINPUT when there is nothing;
 * HB_ECREATE when another job has it, or when it is something else (a link, a pipe, a device). */
hb_status hb_claim_take(const char *path, int *fd);
/* The same, waiting up to a minute for a job that is about to give it back; the other waits a moment for one that only
 * looks. */
hb_status hb_claim_await(const char *path, int *fd);
/* `path` with 16 random hexadecimal digits, allocated: a name of this job's own. */
hb_status hb_claim_own_name(const char *path, char **own);

/* `entry` is such a name made of `base`, both without folders. */
bool hb_claim_is_own_name(const char *entry, const char *base);

/* A new folder under a name of its own, *own (allocated), which this job holds by *fd. HB_ECREATE. */
hb_status hb_claim_new_folder(const char *path, mode_t mode, char **own, int *fd);
/* A new file at `path`, held by *fd, open to read and write. With `replace` what a job left there that has ended is
 * removed. HB_ECREATE when it is there, or another job has it. */
hb_status hb_claim_new_file(const char *path, mode_t mode, bool replace, int *fd);
/* Renames what this job holds from a name of its own to a free one, and syncs nothing. *taken: the name is not free,
 * which is no failure. HB_ECREATE. */
hb_status hb_claim_place(const char *own, const char *path, bool *taken);
/* Removes what jobs that were killed left under names of their own beside `path`, by calling `remove` with each that
 * nobody holds. Failures are nobody's business: they are forgotten. */
void hb_claim_sweep(const char *path, hb_status (*remove)(const char *own));

#endif
