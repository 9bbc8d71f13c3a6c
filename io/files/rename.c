/* How files and folders take their names, also those of others that are there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"
#include "file_lock.h"

/* Replaces a folder where RENAME_EXCHANGE is not known. Between the two renamings there is no folder of this name: a
 * crash there leaves the old one under `aside` and the new one under `from`, both whole. */
static hb_status replace_by_hand(const char *from, const char *to, const char *aside)
{
    if (!hb_rename_new(to, aside)) {
        return HB_FAIL(HB_ECREATE, "%s: cannot move the old one aside to %s: %s", to, aside, strerror(errno));
    }
    if (!hb_rename_new(from, to)) {
        return HB_FAIL(HB_ECREATE, "%s: cannot rename from %s (the old one is now %s): %s", to, from, aside,
                       strerror(errno));
    }
    return hb_sync_folder_of(to);
}

/* Replaces a folder whose lock the caller holds. Exchanging leaves no moment without a folder of this name; the old one
 * is then `from`, where another job would take it for the rest of an unfinished one, so it gets a name of its own
 * before it is removed. */
static hb_status replace_held(const char *from, const char *to, const char *aside)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) < 0) {
        return replace_by_hand(from, to, aside);
    }
    if (!hb_rename_new(from, aside)) {
        return HB_FAIL(HB_ECREATE, "%s: is the old %s and cannot be moved aside: %s", from, to, strerror(errno));
    }
    return hb_sync_folder_of(to);
}

/* Holds the old folder's lock until it is gone, so that no job begins to write in a folder that is being removed. */
static hb_status replace_folder(const char *from, const char *to)
{
    char *aside;
    int old;
    HB_TRY(hb_file_lock_wait(to, true, false, &old));
    hb_status st = hb_file_lock_own_name(from, &aside);
    if (st == HB_OK) {
        st = replace_held(from, to, aside);
        st = st == HB_OK ? hb_remove_folder(aside) : st;
        free(aside);
    }
    close(old);
    return st;
}

hb_status hb_rename(const char *from, const char *to, bool replace)
{
    /* A folder cannot be renamed over one that is not empty; a file can, in one step. */
    if (replace && hb_path_is_folder(from) && hb_path_is_folder(to)) {
        return replace_folder(from, to);
    }
    if (replace ? rename(from, to) < 0 : !hb_rename_new(from, to)) {
        if (errno == EEXIST) {
            return HB_FAIL(HB_ECREATE, "%s: exists already", to);
        }
        return HB_FAIL(HB_ECREATE, "%s: cannot rename from %s: %s", to, from, strerror(errno));
    }
    const hb_status st = hb_sync_folder_of(to);
    /* A name that may not outlast a crash is taken back, as the caller reports a failure. With `replace` the old file
     * is gone already. */
    if (st != HB_OK && !replace) {
        (void)!rename(to, from);
    }
    return st;
}

hb_status hb_write_file(const char *path, const void *data, size_t bytes, mode_t mode, bool replace)
{
    struct stat info;
    if (lstat(path, &info) == 0 && (!replace || !S_ISREG(info.st_mode))) {
        return HB_FAIL(HB_ECREATE,
                       replace ? "%s: is no regular file; remove it or choose another output" : "%s: exists already",
                       path);
    }
    char *partial;
    /* From here to the renaming a crash leaves PATH as it was and a partial file without a lock, which the next one
     * replaces. */
    HB_TRY(hb_path_with(path, ".partial", &partial));
    int fd = -1;
    hb_status st = hb_file_lock_new_file(partial, mode, replace, &fd);
    if (st != HB_OK) {
        free(partial);
        return st;
    }
    HB_GOTO(hb_write_at(fd, data, bytes, 0, partial));
    /* The content is on the disk before the name is: a crash never leaves a name with half a file. */
    HB_GOTO(hb_sync(fd, partial));
    st = hb_rename(partial, path, replace);
done:
    if (st != HB_OK) {
        unlink(partial); /* as long as it is ours */
    }
    close(fd);
    free(partial);
    return st;
}
