/* Files that are there whole or not at all: descriptors checked on every call, synced, renamed without replacing. */
#ifndef HB_DURABLE_H
#define HB_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "status.h"

/* pwrite/pread of everything, restarting after signals and short counts. `path` is for the message. HB_EIO; HB_EDATA
 * when the file ends early. */
hb_status hb_write_at(int fd, const void *data, size_t bytes, uint64_t offset, const char *path);
hb_status hb_read_at(int fd, void *data, size_t bytes, uint64_t offset, const char *path);
/* fsync of a file, of the folder that holds `path`. */
hb_status hb_sync(int fd, const char *path);
hb_status hb_sync_folder_of(const char *path);
/* Renames a file or folder; without `replace` never over an existing one (HB_ECREATE). Syncs the folder. A folder is
 * replaced by moving the old one aside first and removing it last. */
hb_status hb_rename(const char *from, const char *to, bool replace);
/* Writes a new file: O_EXCL | O_NOFOLLOW under a temporary name, mode, sync, rename without replacing. */
hb_status hb_write_file(const char *path, const void *data, size_t bytes, mode_t mode, bool replace);
/* The whole of a regular file of at most `most` bytes; *data is allocated. Returns its mode bits. */
hb_status hb_read_file(const char *path, size_t most, uint8_t **data, size_t *bytes, mode_t *mode);
/* Removes a folder of plain files (no recursion into folders). */
hb_status hb_remove_folder(const char *path);
/* NAME without trailing slashes + suffix, allocated. */
hb_status hb_path_with(const char *name, const char *suffix, char **out);
/* Free bytes of the file system that holds `path` or its nearest existing parent. */
hb_status hb_free_bytes(const char *path, uint64_t *bytes);

#endif
