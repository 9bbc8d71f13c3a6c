/* Preloaded into a program: kills it before its KILL_AT-th call (from 1) of those that change files or their locks, or
 * before a file gets a name that ends in KILL_AT_NAME. With KILL_AT_STOPS set it is stopped there and can go on. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void strike(void)
{
    kill(getpid(), getenv("KILL_AT_STOPS") != NULL ? SIGSTOP : SIGKILL);
}

static void count(void)
{
    static long calls;
    const char *at = getenv("KILL_AT");
    if (at != NULL && __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == strtol(at, NULL, 10)) {
        strike();
    }
}

static void named(const char *path)
{
    const char *end = getenv("KILL_AT_NAME");
    if (end != NULL && strlen(path) >= strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0) {
        strike();
    }
}

/* The function of this name that comes behind this one. */
#define NEXT(name, ...)                            \
    static __typeof__(name) *next;                 \
    count();                                       \
    if (next == NULL) {                            \
        *(void **)&next = dlsym(RTLD_NEXT, #name); \
    }                                              \
    return next(__VA_ARGS__)

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    NEXT(pwrite, fd, data, bytes, offset);
}

int rename(const char *from, const char *to)
{
    named(to);
    NEXT(rename, from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    named(to);
    NEXT(renameat2, a, from, b, to, flags);
}

int unlink(const char *path)
{
    NEXT(unlink, path);
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir, path, mode);
}

int fsync(int fd)
{
    NEXT(fsync, fd);
}

int ftruncate(int fd, off_t bytes)
{
    NEXT(ftruncate, fd, bytes);
}

int flock(int fd, int operation)
{
    NEXT(flock, fd, operation);
}
