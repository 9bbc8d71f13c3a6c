/* Files that exist completely or not at all: every call is checked, files are synced, and names are given without
 * replacing. Paths are relative to the working folder or absolute. All functions may be called from several threads at
 * once. */
#ifndef HB_IO_FILES_DURABLE_H
#define HB_IO_FILES_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

/* Write or read all of `bytes` bytes at an offset, continuing after signals and short counts. `path` is for the
 * message. They return HB_EIO, and hb_read_at HB_EDATA when the file ends early; bytes transferred before a failure
 * stay. */
hb_status hb_write_at(int fd, const void *data, size_t bytes, uint64_t offset, const char *path);
hb_status hb_read_at(int fd, void *data, size_t bytes, uint64_t offset, const char *path);
/* Does the same as hb_write_at, for a file that several threads or ranks of a host write at once: in a file system in
 * memory they do not wait for one another. The file already reaches behind these bytes (hb_set_length); a part that it
 * does not have is written as hb_write_at does. Nobody shortens the file meanwhile. */
hb_status hb_write_beside_others(int fd, const void *data, size_t bytes, uint64_t offset, const char *path);
/* Makes the file at least `bytes` bytes long and, where the file system can, reserves the space now, so that a full
 * disk is found before any work is done. In a file system in memory, where reserving space clears every page, it only
 * checks that so much is free; each write then takes its space, and may still find none. Returns HB_EIO, or HB_ECREATE
 * when no file can be so long. */
hb_status hb_reserve(int fd, uint64_t bytes, const char *path);
/* Makes the file at least `bytes` bytes long without reserving space. Returns HB_EIO, or HB_ECREATE when no file can be
 * so long. */
hb_status hb_set_length(int fd, uint64_t bytes, const char *path);
/* Asks the system to begin writing these bytes to the disk. It promises nothing and waits for nothing. */
void hb_begin_writing(int fd, size_t bytes, uint64_t offset);
/* Sync a file or folder, and the folder that holds `path`, whose entries name it. They return HB_EIO; a folder of a
 * file system that cannot sync it counts as synced. */
hb_status hb_sync(int fd, const char *path);
hb_status hb_sync_folder_of(const char *path);
/* Renames a file or folder to a name that is free, and syncs nothing. Returns false with errno set, EEXIST when the
 * name is not free. */
bool hb_rename_new(const char *from, const char *to);
/* Renames a file or folder and syncs the folder that holds it; without `replace` never over an existing one
 * (HB_ECREATE). A folder is replaced by exchanging the two names (or, where the file system cannot, by moving the old
 * one aside first); the old one is removed last. A job that has just made the old folder must have released its lock
 * (file_lock.h): this waits for it up to a minute. After a failed sync without `replace` the old name is back. */
hb_status hb_rename(const char *from, const char *to, bool replace);

/* Creates an empty file, never through a symbolic link, open to read and write; the caller closes *fd. Returns
 * HB_ECREATE when it exists. With `fresh`, a regular file that an earlier run left under this name is removed first:
 * the caller then holds the lock of its folder. */
hb_status hb_create_file(const char *path, mode_t mode, bool fresh, int *fd);
/* Writes a new file as PATH.partial, which one process at a time may have (file_lock.h), syncs it and gives it its
 * name. Returns HB_ECREATE when another process is writing it, when PATH exists and `replace` is false, or when PATH is
 * no regular file; HB_EIO when the disk fails. After a failure PATH is unchanged, unless it was replaced and only the
 * folder could not be synced. */
hb_status hb_write_file(const char *path, const void *data, size_t bytes, mode_t mode, bool replace);
/* Opens a regular file for reading and returns its size and mode bits; a symbolic link is followed only with `follow`.
 * Returns HB_ENOINPUT. The caller closes *fd. */
hb_status hb_open_file(const char *path, bool follow, int *fd, uint64_t *bytes, mode_t *mode);
/* Reads the whole of a regular file, no symbolic link, of at most `most` bytes; returns its mode bits too. A file short
 * enough to be a secret key is kept out of swap and core files, where the system allows that. The caller wipes and
 * frees *data. Returns HB_ENOINPUT, or HB_EDATA when the file is longer or was cut meanwhile; HB_EIO, HB_ENOMEM. */
hb_status hb_read_file(const char *path, size_t most, uint8_t **data, size_t *bytes, mode_t *mode);

/* Reads a stream to its end, of at most `most` bytes, as hb_read_file does a file; `name` is for messages. *mode is
 * that of a regular file, and 0600 of a pipe or socket. Returns HB_ENOINPUT for a terminal and for a stream without a
 * byte, HB_EDATA when there is more; HB_EIO, HB_ENOMEM. The caller wipes and frees *data. */
hb_status hb_read_stream(int fd, const char *name, size_t most, uint8_t **data, size_t *bytes, mode_t *mode);

/* Receives one entry of the folder `path`; `folder` is a descriptor that lasts for the call. */
typedef hb_status (*hb_folder_visitor)(void *context, int folder, const char *path, const char *entry);
/* Calls `each` with every entry of a folder except . and .., in no particular order; stops at the first failure and
 * returns it. Returns HB_ECREATE when the folder cannot be opened, HB_EIO when it cannot be listed to its end. */
hb_status hb_folder_each(const char *path, hb_folder_visitor each, void *context);
/* The same for a folder that may be missing, which has no entries. Another process may remove it at any time. Errors as
 * above. */
hb_status hb_folder_each_if_any(const char *path, hb_folder_visitor each, void *context);
/* Removes a folder of plain files and syncs the folder that held it; refuses folders inside. Returns HB_ECREATE, with
 * the rest of the files still there, or HB_EIO when the sync failed. */
hb_status hb_remove_folder(const char *path);

/* Returns in *out the name without trailing slashes and then the suffix; the caller frees it. HB_ENOMEM. */
hb_status hb_path_with(const char *name, const char *suffix, char **out);
/* Returns in *out the folder that holds `path`, "." if the path names none; the caller frees it. HB_ENOMEM. */
hb_status hb_folder_of(const char *path, char **out);
/* Returns HB_ECREATE unless the folder that holds `path` exists and may be written. A check before long work, no
 * promise. */
hb_status hb_can_create(const char *path);
/* Returns whether the name still means the open file, which was not renamed, replaced or removed; false also where that
 * is unknown. */
bool hb_path_means(const char *path, int fd);
/* Sets *there to whether the name is taken, by anything, a dangling link included. Returns HB_EIO when that is unknown:
 * a place that cannot be inspected may hold something. */
hb_status hb_path_is_there(const char *path, bool *there);
/* Returns whether a folder of this name exists; a link to one is none. */
bool hb_path_is_folder(const char *path);
/* Returns in *bytes the space that this user may still fill in the file system that holds `path` or its nearest
 * existing parent. HB_EIO. */
hb_status hb_free_bytes(const char *path, uint64_t *bytes);
/* Returns false where that file system is in memory; true where the system does not say. */
bool hb_path_is_on_disk(const char *path);

#endif
