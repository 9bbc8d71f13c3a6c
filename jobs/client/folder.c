#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char lock_name[] = "lock";

hb_status hb_folder_open(const char *path, bool make, int *fd)
{
    struct stat info;
    *fd = -1;
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST) {
        return HB_FAIL(HB_ECREATE, "%s: cannot make the folder: %s", path, strerror(errno));
    }
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        return HB_FAIL(errno == EACCES ? HB_EPERM : HB_ENOINPUT, "%s: cannot open the folder of a server: %s", path,
                       strerror(errno));
    }
    /* By descriptor, so that the name cannot mean something else in between. */
    hb_status st = HB_OK;
    if (fstat(folder, &info) != 0 || info.st_uid != geteuid()) {
        st = HB_FAIL(HB_EPERM, "%s: belongs to another user, who could read and change what goes to a server there",
                     path);
    } else if ((info.st_mode & 077) != 0) {
        st = HB_FAIL(HB_EPERM, "%s: group or others may use it, and whoever does could hand jobs over: chmod 700 %s",
                     path, path);
    }
    if (st != HB_OK) {
        close(folder);
        return st;
    }
    *fd = folder;
    return HB_OK;
}

hb_status hb_folder_lock(int folder, const char *path, int *lock)
{
    enum { TRIES = 100 }; /* within half a second: others may hold it while they look */
    const struct timespec while_others_look = {.tv_nsec = 5000000};
    *lock = openat(folder, lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*lock < 0) {
        return HB_FAIL(HB_ECREATE, "%s/%s: %s", path, lock_name, strerror(errno));
    }
    int error = EWOULDBLOCK;
    for (int i = 0; i < TRIES && (error == EWOULDBLOCK || error == EINTR); i++) {
        if (flock(*lock, LOCK_EX | LOCK_NB) == 0) {
            return HB_OK;
        }
        error = errno;
        (void)nanosleep(&while_others_look, NULL);
    }
    close(*lock);
    *lock = -1;
    return error == EWOULDBLOCK
               ? HB_FAIL(HB_ECREATE, "%s: another server is there: hebatch serve %s --stop ends it", path, path)
               : HB_FAIL(HB_ECREATE, "%s/%s: cannot lock it: %s", path, lock_name, strerror(error));
}

static hb_status no_server(const char *path, const char *reason)
{
    return HB_FAIL(HB_EUNAVAILABLE, "%s: no server is there (%s); hebatch serve %s starts one", path, reason, path);
}

hb_status hb_folder_find_server(int folder, const char *path)
{
    const int lock = openat(folder, lock_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool taken = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) == 0;
    const int error = errno;
    if (lock >= 0) {
        close(lock); /* which gives it free, too */
    }
    if (lock < 0 || taken) {
        return no_server(path, taken ? "nobody holds its lock" : strerror(error));
    }
    return error == EWOULDBLOCK ? HB_OK : HB_FAIL(HB_EIO, "%s/%s: cannot look: %s", path, lock_name, strerror(error));
}

static struct sockaddr_un address_of(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
    return address;
}

/* Calls bind or connect with the folder as working directory, as addresses of sockets are shorter than paths. */
static int in_folder(int folder, int (*call)(int, const struct sockaddr *, socklen_t), int fd, const char *name)
{
    const struct sockaddr_un address = address_of(name);
    const int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int done = -1;
    if (before >= 0 && fchdir(folder) == 0) {
        done = call(fd, (const struct sockaddr *)&address, sizeof address);
        const int error = errno;
        done = fchdir(before) == 0 ? done : -1;
        errno = error;
    }
    if (before >= 0) {
        const int error = errno;
        close(before);
        errno = error;
    }
    return done;
}

hb_status hb_folder_listen(int folder, const char *path, const char *name, int *out)
{
    enum { WAITING = 64 }; /* jobs that wait for their turn */
    *out = -1;
    if (unlinkat(folder, name, 0) != 0 && errno != ENOENT) {
        return HB_FAIL(HB_ECREATE, "%s/%s: %s", path, name, strerror(errno));
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || in_folder(folder, bind, fd, name) != 0 || listen(fd, WAITING) != 0) {
        const hb_status st = HB_FAIL(HB_ECREATE, "%s/%s: cannot listen there: %s", path, name, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return st;
    }
    *out = fd;
    return HB_OK;
}

void hb_folder_forget(int folder, const char *name)
{
    (void)!unlinkat(folder, name, 0);
}

/* Whether the other end of a connection is a process of this user, as the system says. */
static bool is_own(int fd)
{
    struct ucred other;
    socklen_t bytes = sizeof other;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &bytes) == 0 && other.uid == geteuid();
}

hb_status hb_folder_connect(int folder, const char *path, const char *name, int *out)
{
    *out = -1;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || in_folder(folder, connect, fd, name) != 0) {
        const int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return no_server(path, strerror(error));
    }
    if (!is_own(fd)) {
        close(fd);
        return HB_FAIL(HB_EPERM, "%s: another user serves there", path);
    }
    *out = fd;
    return HB_OK;
}

/* Whether the system has no room for one more connection now. */
static bool is_scarce(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

hb_status hb_folder_accept(int listening, int *out)
{
    *out = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (*out < 0) {
        const int error = errno;
        if (is_scarce(error)) {
            const struct timespec while_others_end = {.tv_nsec = 100000000};
            (void)nanosleep(&while_others_end, NULL); /* the connection stays in the queue */
            return HB_OK;
        }
        return error == EAGAIN || error == EINTR || error == ECONNABORTED
                   ? HB_OK
                   : HB_FAIL(HB_EIO, "cannot take connections any more: %s", strerror(error));
    }
    if (!is_own(*out)) {
        close(*out);
        *out = -1;
    }
    return HB_OK;
}
