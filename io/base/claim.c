#include "claim.h"

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

enum { MOST_TURNS = 1000 }; /* of a loop in which every turn is another job's move: an end to what never comes */
/* A tenth of a second for who only looks; a minute for who has done all but close what it has. */
enum { SHORT_TURNS = 20, LONG_TURNS = 12000, TURN_NANOSECONDS = 5000000 };

static hb_status busy(const char *path)
{
    return HB_FAIL(HB_ECREATE, "%s: another job is writing it", path);
}

/* A file system without locks says so in many ways. */
static bool lock(int fd)
{
    int result;
    do {
        result = flock(fd, LOCK_EX | LOCK_NB);
    } while (result < 0 && errno == EINTR);
    return result == 0 || errno != EWOULDBLOCK;
}

static hb_status open_it(const char *path, int *fd)
{
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

/* *locked: by another job. */
static hb_status take(const char *path, int *out, bool *locked)
{
    *locked = false;
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        int fd = -1;
        HB_TRY(open_it(path, &fd));
        if (!lock(fd)) {
            close(fd);
            *locked = true;
            return busy(path);
        }
        if (hb_path_means(path, fd)) {
            *out = fd;
            return HB_OK;
        }
        close(fd);
    }
    return busy(path);
}

static hb_status take_within(const char *path, int turns, int *fd)
{
    bool locked;
    hb_status st = take(path, fd, &locked);
    for (int turn = 0; st != HB_OK && locked && turn < turns; turn++) {
        nanosleep(&(struct timespec){.tv_nsec = TURN_NANOSECONDS}, NULL);
        st = take(path, fd, &locked);
    }
    return st;
}

hb_status hb_claim_take(const char *path, int *fd)
{
    return take_within(path, SHORT_TURNS, fd);
}

hb_status hb_claim_await(const char *path, int *fd)
{
    return take_within(path, LONG_TURNS, fd);
}

hb_status hb_claim_own_name(const char *path, char **own)
{
    hb_seed seed;
    char suffix[HB_CLAIM_DIGITS + 2] = ".";
    hb_seed_random(&seed);
    for (size_t i = 0; i < HB_CLAIM_DIGITS / 2; i++) {
        snprintf(suffix + 1 + 2 * i, 3, "%02x", seed.bytes[i]);
    }
    hb_wipe(&seed, sizeof seed);
    return hb_path_with(path, suffix, own);
}

/* Between making something and locking it a sweep may have come: then another name. */
static bool hold_new(const char *own, int fd)
{
    return lock(fd) && hb_path_means(own, fd);
}

hb_status hb_claim_new_folder(const char *path, mode_t mode, char **own, int *out)
{
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        char *name;
        HB_TRY(hb_claim_own_name(path, &name));
        if (mkdir(name, mode) < 0) {
            const hb_status st = HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", path, strerror(errno));
            free(name);
            return st;
        }
        const int fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && hold_new(name, fd)) {
            *own = name;
            *out = fd;
            return HB_OK;
        }
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

static hb_status new_own_file(const char *path, mode_t mode, char **own, int *out)
{
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        char *name;
        HB_TRY(hb_claim_own_name(path, &name));
        const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0) {
            const hb_status st = HB_FAIL(HB_ECREATE, "%s: cannot create: %s", path, strerror(errno));
            free(name);
            return st;
        }
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

hb_status hb_claim_place(const char *own, const char *path, bool *taken)
{
    *taken = !hb_rename_new(own, path);
    if (*taken && errno != EEXIST && errno != ENOTDIR) {
        return HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", path, strerror(errno));
    }
    return HB_OK;
}

/* What an ended job left; another job's is its own. */
static hb_status make_way(const char *path, bool replace)
{
    int fd = -1;
    const hb_status st = hb_claim_take(path, &fd);
    if (st == HB_ENOINPUT) {
        hb_clear_error();
        return HB_OK;
    }
    HB_TRY(st);
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

hb_status hb_claim_new_file(const char *path, mode_t mode, bool replace, int *out)
{
    char *own = NULL;
    int fd = -1;
    bool taken = true;
    HB_TRY(new_own_file(path, mode, &own, &fd));
    hb_status st = HB_OK;
    for (int turn = 0; turn < MOST_TURNS && st == HB_OK && taken; turn++) {
        st = hb_claim_place(own, path, &taken);
        if (st == HB_OK && taken) {
            st = make_way(path, replace);
        }
    }
    st = st == HB_OK && taken ? busy(path) : st;
    if (st == HB_OK) {
        *out = fd;
    } else {
        unlink(own);
        close(fd);
    }
    free(own);
    return st;
}
