#include "durable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

hb_status hb_path_with(const char *name, const char *suffix, char **out)
{
    size_t length = strlen(name);
    /* A lone "/" stays unchanged. */
    while (length > 1 && name[length - 1] == '/') {
        length--;
    }
    char *path = malloc(length + strlen(suffix) + 1);
    if (!path) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a path", name);
    }
    memcpy(path, name, length);
    strcpy(path + length, suffix);
    *out = path;
    return HB_OK;
}

hb_status hb_folder_of(const char *path, char **out)
{
    size_t length = strlen(path);
    /* Slashes at the end belong to the last name, those before it to nothing. */
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    while (length > 0 && path[length - 1] != '/') {
        length--;
    }
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    *out = length == 0 ? strdup(".") : strndup(path, length);
    return *out ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a path", path);
}

hb_status hb_sync_folder_of(const char *path)
{
    char *folder;
    HB_TRY(hb_folder_of(path, &folder));
    hb_status st = HB_OK;
    /* The entry of a name is in its folder: syncing the file alone does not make its name last. */
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        st = HB_FAIL(HB_EIO, "%s: cannot open the folder to sync it: %s", folder, strerror(errno));
    } else {
        st = hb_sync(fd, folder);
        close(fd);
    }
    free(folder);
    return st;
}

bool hb_path_is_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* rename that never replaces, where the file system does not know RENAME_NOREPLACE: a file is linked under its new
 * name, which fails if that exists; a folder is never renamed over anything but an empty folder. */
static int rename_new_by_hand(const char *from, const char *to)
{
    if (!hb_path_is_folder(from)) {
        return link(from, to) < 0 ? -1 : unlink(from);
    }
    struct stat info;
    if (lstat(to, &info) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

bool hb_rename_new(const char *from, const char *to)
{
    int result = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    /* EINVAL: the file system does not know the flag; ENOSYS: the system does not know the call. A folder that is not
     * empty is reported as ENOTEMPTY by some and counts as one that exists. */
    result = result < 0 && (errno == EINVAL || errno == ENOSYS) ? rename_new_by_hand(from, to) : result;
    errno = result < 0 && errno == ENOTEMPTY ? EEXIST : errno;
    return result == 0;
}

static hb_status each_entry(const char *path, bool may_miss, hb_folder_visitor each, void *context)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && may_miss) {
        return HB_OK;
    }
    /* Opened by open, which can refuse to follow a link; closedir closes it. */
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        hb_status st = HB_FAIL(HB_ECREATE, "%s: cannot open the folder: %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return st;
    }
    hb_status st = HB_OK;
    const struct dirent *entry;
    /* readdir says by errno alone whether NULL is the end or a failure. */
    while (st == HB_OK && (errno = 0, entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            st = each(context, dirfd(folder), path, entry->d_name);
        }
    }
    /* Entries that were not listed were not handed to `each` either: that is no success. */
    if (st == HB_OK && errno != 0) {
        st = HB_FAIL(HB_EIO, "%s: cannot list the folder: %s", path, strerror(errno));
    }
    closedir(folder);
    return st;
}

hb_status hb_folder_each(const char *path, hb_folder_visitor each, void *context)
{
    return each_entry(path, false, each, context);
}

hb_status hb_folder_each_if_any(const char *path, hb_folder_visitor each, void *context)
{
    return each_entry(path, true, each, context);
}

/* A file that another process has removed meanwhile counts as removed here. Folders are refused by unlinkat. */
static hb_status remove_entry(void *context, int folder, const char *path, const char *entry)
{
    (void)context;
    if (unlinkat(folder, entry, 0) < 0 && errno != ENOENT) {
        return HB_FAIL(HB_ECREATE, "%s/%s: cannot remove: %s", path, entry, strerror(errno));
    }
    return HB_OK;
}

hb_status hb_remove_folder(const char *path)
{
    HB_TRY(hb_folder_each(path, remove_entry, NULL));
    if (rmdir(path) < 0) {
        return HB_FAIL(HB_ECREATE, "%s: cannot remove the folder: %s", path, strerror(errno));
    }
    return hb_sync_folder_of(path);
}

hb_status hb_can_create(const char *path)
{
    char *folder;
    HB_TRY(hb_folder_of(path, &folder));
    hb_status st = HB_OK;
    struct stat info;
    if (stat(folder, &info) < 0) {
        st = HB_FAIL(HB_ECREATE, "%s: cannot be created: %s: %s", path, folder, strerror(errno));
    } else if (!S_ISDIR(info.st_mode)) {
        st = HB_FAIL(HB_ECREATE, "%s: cannot be created: %s is not a folder", path, folder);
    } else if (access(folder, W_OK | X_OK) < 0) {
        st = HB_FAIL(HB_ECREATE, "%s: cannot be created in %s: %s", path, folder, strerror(errno));
    }
    free(folder);
    return st;
}

bool hb_path_means(const char *path, int fd)
{
    struct stat own, named;
    return fstat(fd, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

hb_status hb_path_is_there(const char *path, bool *there)
{
    struct stat info;
    *there = lstat(path, &info) == 0;
    if (!*there && errno != ENOENT) {
        return HB_FAIL(HB_EIO, "%s: cannot tell whether it is there: %s", path, strerror(errno));
    }
    return HB_OK;
}

/* Asks for the file system of the path. The output may go into folders that are not there yet: the nearest one above
 * them is on the same file system, unless something is mounted later. */
static hb_status ask_system(const char *path, struct statfs *info)
{
    char *place;
    HB_TRY(hb_path_with(path, "", &place));
    int result = statfs(place, info);
    while (result < 0 && (errno == ENOENT || errno == ENOTDIR) && strcmp(place, ".") != 0 && strcmp(place, "/") != 0) {
        char *folder;
        const hb_status st = hb_folder_of(place, &folder);
        free(place);
        if (st != HB_OK) {
            return st;
        }
        place = folder;
        result = statfs(place, info);
    }
    const hb_status st =
        result < 0 ? HB_FAIL(HB_EIO, "%s: cannot ask for free space: %s", place, strerror(errno)) : HB_OK;
    free(place);
    return st;
}

hb_status hb_free_bytes(const char *path, uint64_t *bytes)
{
    struct statfs info;
    HB_TRY(ask_system(path, &info));
    /* f_frsize is the unit of f_bavail; some file systems leave it 0. */
    const uint64_t block = (uint64_t)(info.f_frsize != 0 ? info.f_frsize : info.f_bsize);
    /* Some network file systems report nearly 2^64 free blocks. */
    *bytes = info.f_bavail > UINT64_MAX / (block ? block : 1) ? UINT64_MAX : info.f_bavail * block;
    return HB_OK;
}

bool hb_path_is_on_disk(const char *path)
{
    const hb_error before = *hb_last_error();
    struct statfs info;
    const bool found = ask_system(path, &info) == HB_OK;
    hb_set_error(&before);
    return !found || (info.f_type != TMPFS_MAGIC && info.f_type != RAMFS_MAGIC);
}
