/* Files that are there whole or not at all: descriptors checked on every call, synced, renamed without replacing. */
#ifndef HB_IO_BASE_DURABLE_H
#define HB_IO_BASE_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

/* pwrite/pread of everything, restarting after signals and short counts. `path` is for the message. HB_EIO; HB_EDATA
 * when the file ends early. */
hb_status hb_write_at(int fd, const void *data, size_t bytes, uint64_t offset, const char *path);
hb_status hb_read_at(int fd, void *data, size_t bytes, uint64_t offset, const char *path);
/* Makes the file at least `bytes` long and, where the file system can, takes the space now: a full disk is found before
 * any work. Of a file system in memory it only looks whether so much is free, as taking it clears every page: the space
 * is then taken by each write, which may still find none. HB_EIO. */
hb_status hb_reserve(int fd, uint64_t bytes, const char *path);
/* Makes the file at least `bytes` long. HB_EIO. */
hb_status hb_set_length(int fd, uint64_t bytes, const char *path);
/* Has the system begin to bring these bytes to the disk. Nothing is promised, and nothing waited for. */
void hb_begin_writing(int fd, size_t bytes, uint64_t offset);
/* fsync of a file, of the folder that holds `path`. */
hb_status hb_sync(int fd, const char *path);
hb_status hb_sync_folder_of(const char *path);
/* Renames a file or folder to a name that is free; false with errno, EEXIST when it is not. Syncs nothing. */
bool hb_rename_new(const char *from, const char *to);
/* Renames a file or folder; without `replace` never over an existing one (HB_ECREATE). Syncs the folder. A folder is
 * replaced by exchanging the two names (or, where the file system cannot, by moving the old one aside first); the old
 * one, which a job that has just made it must have given back (claim.h), is removed last. */
hb_status hb_rename(const char *from, const char *to, bool replace);

/* Creates a file that is not there, never through a symbolic link; the caller closes *fd. HB_ECREATE when it exists;
 * with `fresh`, a file that an earlier run left under this name is removed first: the caller holds its folder. */
hb_status hb_create_file(const char *path, mode_t mode, bool fresh, int *fd);
/* Writes a new file as PATH.partial, which one process at a time may have (claim.h), syncs, renames. HB_ECREATE when
 * another process is at it, or there is a file and it is not to be replaced, or something else than a file. */
hb_status hb_write_file(const char *path, const void *data, size_t bytes, mode_t mode, bool replace);
/* Opens a regular file for reading, with its size and mode bits; a symbolic link only with `follow`. HB_ENOINPUT. The
 * caller closes *fd. */
hb_status hb_open_file(const char *path, bool follow, int *fd, uint64_t *bytes, mode_t *mode);
/* Opens a regular file, no symbolic link, to read and write. HB_EIO. The caller closes *fd. */
hb_status hb_open_to_write(const char *path, int *fd);
/* The whole of a regular file, no symbolic link, of at most `most` bytes; *data is allocated. Returns its mode bits.
 * HB_ENOINPUT, HB_EDATA when longer. */
hb_status hb_read_file(const char *path, size_t most, uint8_t **data, size_t *bytes, mode_t *mode);

/* Calls `each` with every entry of a folder but . and ..; stops at the first failure and returns it. HB_ECREATE when it
 * cannot be opened. */
hb_status hb_folder_each(const char *path, hb_status (*each)(int folder, const char *path, const char *entry));
/* Removes a folder of plain files (no recursion into folders). */
hb_status hb_remove_folder(const char *path);

/* NAME without trailing slashes + suffix, allocated. */
hb_status hb_path_with(const char *name, const char *suffix, char **out);
/* The folder that holds `path`, allocated. */
hb_status hb_folder_of(const char *path, char **out);
/* HB_ECREATE unless the folder that holds `path` is there and may be written. */
hb_status hb_can_create(const char *path);
/* The name still means the open file: nobody has renamed, replaced or removed it. False also where that cannot be told.
 * */
bool hb_path_means(const char *path, int fd);
/* Whether the name is taken, by whatever it may be, a link that leads nowhere too. HB_EIO when that cannot be told: a
 * place that cannot be looked at is not one where nothing is. */
hb_status hb_path_is_there(const char *path, bool *there);
/* Free bytes of the file system that holds `path` or its nearest existing parent. */
hb_status hb_free_bytes(const char *path, uint64_t *bytes);

#endif
