#include "pending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"

enum { ATTEMPTS = 100 }; /* others may make and remove the same file between two attempts */

typedef enum lock { LOCKED, BUSY, UNKNOWN } lock;

/* UNKNOWN: the file system has no locks. A leftover is then never taken, as its writer may live; a file that was just
 * created is ours all the same. */
static lock try_lock(int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return LOCKED;
    }
    if (errno == EWOULDBLOCK) {
        return BUSY;
    }
    return UNKNOWN;
}

/* Opens and locks the leftover under this name. HB_OK with *fd -1: there is nothing, or not any more, or (*busy)
 * another process holds its lock. */
static hb_status take_leftover(const char *partial, int *fd, bool *busy)
{
    struct stat info;
    *busy = false;
    *fd = open(partial, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a named pipe must not wait */
    if (*fd < 0) {
        return errno == ENOENT ? HB_OK
                               : HB_FAIL(HB_ECREATE, "%s: is in the way: cannot open: %s", partial, strerror(errno));
    }
    /* A device or pipe of this name is no leftover of ours and is not removed. */
    const lock held = fstat(*fd, &info) == 0 && S_ISREG(info.st_mode) ? try_lock(*fd) : UNKNOWN;
    hb_status st = HB_OK;
    if (held == UNKNOWN) {
        st = HB_FAIL(HB_ECREATE,
                     "%s: left by an unfinished run, and whether that is over cannot be told: if nothing writes it "
                     "any more, remove it",
                     partial);
    }
    *busy = held == BUSY;
    /* A lock that was had too late is of a file that its writer has renamed by now, which is then finished and not left
     * over. */
    if (held != LOCKED || !hb_path_means(partial, *fd)) {
        close(*fd);
        *fd = -1;
    }
    return st;
}

static hb_status refuse_busy(const char *partial)
{
    return HB_FAIL(HB_ECREATE, "%s: another process is writing it", partial);
}

/* Removes under the lock, so that no process can adopt the file meanwhile. */
static hb_status remove_leftover(const char *partial, bool *busy)
{
    int fd;
    HB_TRY(take_leftover(partial, &fd, busy));
    if (fd < 0) {
        return HB_OK;
    }
    const hb_status st =
        unlink(partial) == 0 || errno == ENOENT
            ? HB_OK
            : HB_FAIL(HB_ECREATE, "%s: cannot remove the file of an earlier run: %s", partial, strerror(errno));
    close(fd);
    return st;
}

/* Makes a file under the partial name and locks it where locks work. */
static hb_status claim(const char *partial, mode_t mode, int *fd)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        bool busy;
        *fd = open(partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (*fd >= 0) {
            /* Another process may have found the file before it was locked, and removed it as a leftover. */
            if (try_lock(*fd) != BUSY && hb_path_means(partial, *fd)) {
                return HB_OK;
            }
            close(*fd);
            continue;
        }
        /* A name that is taken is the only failure that trying again can mend. */
        if (errno != EEXIST) {
            return HB_FAIL(HB_ECREATE, "%s: cannot create: %s", partial, strerror(errno));
        }
        /* Going round again, rather than taking over the old file, gives this job an empty one with its own mode. */
        HB_TRY(remove_leftover(partial, &busy));
        if (busy) {
            HB_TRY(refuse_busy(partial));
        }
    }
    return refuse_busy(partial);
}

/* After a failure nothing is owned. */
static hb_status set_names(hb_pending *pending, const char *path)
{
    *pending = (hb_pending){.fd = -1};
    HB_TRY(hb_path_with(path, "", &pending->path));
    const hb_status st = hb_path_with(path, ".partial", &pending->partial);
    if (st != HB_OK) {
        free(pending->path);
        pending->path = NULL;
    }
    return st;
}

/* Ends the pending state without touching the file: its lock goes with the descriptor. */
static void forget(hb_pending *pending)
{
    if (pending->partial != NULL && pending->fd >= 0) {
        close(pending->fd);
    }
    free(pending->path);
    free(pending->partial);
    *pending = (hb_pending){.fd = -1};
}

hb_status hb_pending_create(hb_pending *pending, const char *path, mode_t mode)
{
    bool there;
    HB_TRY(set_names(pending, path));
    /* Looked at before the work; committing never replaces, so a file that comes later is found there. */
    hb_status st = hb_path_is_there(pending->path, &there);
    if (st == HB_OK && there) {
        st = HB_FAIL(HB_ECREATE, "%s: exists already", path);
    }
    st = st == HB_OK ? claim(pending->partial, mode, &pending->fd) : st;
    if (st != HB_OK) {
        forget(pending);
    }
    return st;
}

hb_status hb_pending_adopt(hb_pending *pending, const char *path, bool *found)
{
    bool busy = false;
    *found = false;
    HB_TRY(set_names(pending, path));
    hb_status st = take_leftover(pending->partial, &pending->fd, &busy);
    st = st == HB_OK && busy ? refuse_busy(pending->partial) : st;
    *found = st == HB_OK && pending->fd >= 0;
    if (!*found) {
        forget(pending);
    }
    return st;
}

void hb_pending_park(hb_pending *pending)
{
    if (pending->fd >= 0) {
        close(pending->fd);
        pending->fd = -1;
    }
}

hb_status hb_pending_commit(hb_pending *pending)
{
    /* The lock is held over the renaming, so no process takes the partial file for a leftover in between. */
    const hb_status st = hb_rename(pending->partial, pending->path, false);
    if (st == HB_OK) {
        forget(pending);
    } else if (pending->fd >= 0 && hb_path_means(pending->path, pending->fd)) {
        unlink(pending->path); /* renamed, but not for certain: the folder was not synced */
    }
    return st;
}

void hb_pending_drop(hb_pending *pending)
{
    if (pending->partial != NULL) {
        unlink(pending->partial); /* the first failure matters more than a failure of this */
    }
    forget(pending);
}

hb_status hb_pending_write(const char *path, const void *data, size_t bytes, mode_t mode)
{
    hb_pending pending;
    hb_status st;
    HB_TRY(hb_pending_create(&pending, path, mode));
    HB_GOTO(hb_write_at(pending.fd, data, bytes, 0, pending.partial));
    HB_GOTO(hb_sync(pending.fd, pending.partial));
    st = hb_pending_commit(&pending);
done:
    hb_pending_drop(&pending);
    return st;
}

void hb_pending_leave(hb_pending *pending)
{
    forget(pending);
}

hb_status hb_pending_sweep(const char *partial, bool *busy)
{
    return remove_leftover(partial, busy);
}
