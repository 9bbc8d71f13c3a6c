#include "file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/seed.h"
#include "durable.h"

enum { MOST_TURNS = 1000 }; /* bound of loops that go round only when another job got in between */
/* A tenth of a second for a job that only looks; a minute for one that has done all but close its files. */
enum { SHORT_TURNS = 20, LONG_TURNS = 12000, TURN_NANOSECONDS = 5000000 };

static hb_status busy(const char *path)
{
    return HB_FAIL(HB_ECREATE, "%s: another job is writing it", path);
}

/* Returns 0; EWOULDBLOCK when another process holds the lock; or another of the many errors of file systems without
 * locks. */
static int ask_lock(int fd)
{
    int result;
    do {
        result = flock(fd, LOCK_EX | LOCK_NB);
    } while (result < 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

/* Returns false only when another process holds the lock. A file system without locks counts as locked, since only the
 * names keep jobs apart there. */
static bool lock(int fd)
{
    return ask_lock(fd) != EWOULDBLOCK;
}

/* Opens a regular file to write or a folder to read, as flock needs a descriptor; anything else is refused before it is
 * opened, because opening a device or a pipe may act on it. */
static hb_status open_lockable(const char *path, int *fd)
{
    /* By its name first: its kind decides how it may be opened. */
    struct stat info;
    if (lstat(path, &info) < 0) {
        return errno == ENOENT ? HB_FAIL(HB_ENOINPUT, "%s: is not there", path)
                               : HB_FAIL(HB_ECREATE, "%s: cannot be looked at: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        return HB_FAIL(HB_ECREATE, "%s: is neither a regular file nor a folder; remove it or choose another output",
                       path);
    }
    /* O_NONBLOCK: should it have become a pipe meanwhile, opening must not wait for its other end. */
    const int how = S_ISDIR(info.st_mode) ? O_RDONLY | O_DIRECTORY : O_RDWR;
    *fd = open(path, how | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0) {
        return errno == ENOENT ? HB_FAIL(HB_ENOINPUT, "%s: is not there", path)
                               : HB_FAIL(HB_ECREATE, "%s: cannot be opened: %s", path, strerror(errno));
    }
    return HB_OK;
}

/* Opens and locks the file that `path` means at the moment of the lock. *locked tells a lock that another job holds,
 * which may be waited for, from failures that waiting does not mend. strict: a file system without locks is refused. */
static hb_status take(const char *path, bool strict, int *out, bool *locked)
{
    *locked = false;
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        int fd = -1;
        HB_TRY(open_lockable(path, &fd));
        /* Nobody is waited for here: the caller decides how long. */
        const int reason = ask_lock(fd);
        if (reason == EWOULDBLOCK) {
            close(fd);
            *locked = true;
            return busy(path);
        }
        if (reason != 0 && strict) {
            close(fd);
            return HB_FAIL(HB_ECREATE, "%s: cannot be locked: %s; a disk of this machine can", path, strerror(reason));
        }
        /* Between open and flock the owner may have renamed or removed it: the lock is then of something that has no
         * longer this name, and the new owner of the name has to be asked. */
        if (hb_path_means(path, fd)) {
            *out = fd;
            return HB_OK;
        }
        close(fd);
    }
    return busy(path);
}

/* Polls, as flock itself could wait without end. */
static hb_status take_within(const char *path, int turns, bool strict, hb_file_lock_waiting waiting, int *fd)
{
    bool locked;
    hb_status st = take(path, strict, fd, &locked);
    for (int turn = 0; st != HB_OK && locked && turn < turns; turn++) {
        if (waiting.ask != NULL) {
            HB_TRY(waiting.ask(waiting.context, turn * (TURN_NANOSECONDS * 1e-9)));
        }
        nanosleep(&(struct timespec){.tv_nsec = TURN_NANOSECONDS}, NULL);
        st = take(path, strict, fd, &locked);
    }
    return st;
}

hb_status hb_file_lock_take(const char *path, int *fd)
{
    return take_within(path, SHORT_TURNS, false, (hb_file_lock_waiting){.ask = NULL}, fd);
}

hb_status hb_file_lock_wait(const char *path, bool patient, bool strict, int *fd)
{
    return take_within(path, patient ? LONG_TURNS : SHORT_TURNS, strict, (hb_file_lock_waiting){.ask = NULL}, fd);
}

hb_status hb_file_lock_wait_asking(const char *path, hb_file_lock_waiting waiting, int *fd)
{
    return take_within(path, LONG_TURNS, true, waiting, fd);
}

hb_status hb_file_lock_own_name(const char *path, char **own)
{
    hb_seed seed;
    char suffix[HB_FILE_LOCK_DIGITS + 2] = ".";
    hb_seed_random(&seed);
    for (size_t i = 0; i < HB_FILE_LOCK_DIGITS / 2; i++) {
        snprintf(suffix + 1 + 2 * i, 3, "%02x", seed.bytes[i]);
    }
    /* The seed is no secret here; it is wiped because seeds always are. */
    hb_wipe(&seed, sizeof seed);
    return hb_path_with(path, suffix, own);
}

/* Between making something and locking it another job's sweep may have taken it for a leftover and removed it: the
 * caller then tries again under another name. */
static bool hold_new(const char *own, int fd)
{
    return lock(fd) && hb_path_means(own, fd);
}

hb_status hb_file_lock_new_folder(const char *path, mode_t mode, char **own, int *out)
{
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        char *name;
        HB_TRY(hb_file_lock_own_name(path, &name));
        /* The random name is free; any failure is of the folder it would be in. */
        if (mkdir(name, mode) < 0) {
            const hb_status st = HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", path, strerror(errno));
            free(name);
            return st;
        }
        /* Locks are taken on descriptors, so the folder has to be opened, and a sweep may have removed it by then. */
        const int fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && hold_new(name, fd)) {
            *own = name;
            *out = fd;
            return HB_OK;
        }
        /* close would overwrite it. ENOENT: a sweep has removed the folder between mkdir and open, so another name is
         * tried. */
        const int reason = errno;
        if (fd >= 0) {
            close(fd);
        } else if (reason != ENOENT) {
            const hb_status st = HB_FAIL(HB_ECREATE, "%s: cannot be opened: %s", path, strerror(reason));
            rmdir(name);
            free(name);
            return st;
        }
        free(name);
    }
    return busy(path);
}

/* Does for a file what hb_file_lock_new_folder does for a folder. Creating opens it, so only the lock can come too
 * late. */
static hb_status new_own_file(const char *path, mode_t mode, char **own, int *out)
{
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        char *name;
        HB_TRY(hb_file_lock_own_name(path, &name));
        const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        /* A name that is taken cannot be met but by chance of 2^-64, and is then an error like any other. */
        if (fd < 0) {
            const hb_status st = HB_FAIL(HB_ECREATE, "%s: cannot create: %s", path, strerror(errno));
            free(name);
            return st;
        }
        /* Locked a moment after it was made: until then a sweep may take it for a leftover. */
        if (hold_new(name, fd)) {
            *own = name;
            *out = fd;
            return HB_OK;
        }
        close(fd);
        free(name);
    }
    return busy(path);
}

hb_status hb_file_lock_place(const char *own, const char *path, bool *taken)
{
    /* ENOTDIR: a folder cannot be renamed over the file that has the name. */
    *taken = !hb_rename_new(own, path);
    if (*taken && errno != EEXIST && errno != ENOTDIR) {
        return HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", path, strerror(errno));
    }
    return HB_OK;
}

/* Removes the file of an ended job at `path`, or refuses: with another job's error if that job still holds it. A file
 * that is gone by now is no failure. */
static hb_status make_way(const char *path, bool replace)
{
    int fd = -1;
    const hb_status st = hb_file_lock_take(path, &fd);
    /* Gone between the two looks: the name is free now. */
    if (st == HB_ENOINPUT) {
        hb_clear_error();
        return HB_OK;
    }
    HB_TRY(st);
    /* The lock is held from here to the close, so no other job can be writing the removed file. */
    struct stat info;
    hb_status removed = HB_OK;
    if (!replace) {
        removed = HB_FAIL(HB_ECREATE, "%s: left by an unfinished run; remove it first", path);
    } else if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        removed = HB_FAIL(HB_ECREATE, "%s: is no regular file; remove it or choose another output", path);
    } else if (unlink(path) < 0) {
        removed = HB_FAIL(HB_ECREATE, "%s: cannot remove the file of an earlier run: %s", path, strerror(errno));
    }
    close(fd);
    return removed;
}

hb_status hb_file_lock_new_file(const char *path, mode_t mode, bool replace, int *out)
{
    char *own = NULL;
    int fd = -1;
    bool taken = true;
    /* The file is locked before it has its name, so no process ever sees an unlocked file there. */
    HB_TRY(new_own_file(path, mode, &own, &fd));
    hb_status st = HB_OK;
    /* Another job may take the name between its being freed and the next attempt. */
    for (int turn = 0; turn < MOST_TURNS && st == HB_OK && taken; turn++) {
        st = hb_file_lock_place(own, path, &taken);
        /* Something has the name: a leftover goes, another job's file is an error. */
        if (st == HB_OK && taken) {
            st = make_way(path, replace);
        }
    }
    st = st == HB_OK && taken ? busy(path) : st;
    if (st == HB_OK) {
        *out = fd;
    } else {
        /* Under its own name still, so no other process has seen it. */
        unlink(own);
        close(fd);
    }
    free(own);
    return st;
}
