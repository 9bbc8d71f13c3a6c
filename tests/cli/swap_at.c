/* Preloaded into a program: behind its SWAP_AT-th opening (from 1) of a file whose name ends in SWAP_NAME, that name
 * leads to a named pipe, SWAP_WITH, without a writer. With SWAP_BEFORE it is that opening itself that comes to the
 * pipe, also where the process may rename nothing; openings that would not wait are not counted then. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef int opener(const char *path, int flags, ...);

static int opened(const char *name, const char *path, int flags, mode_t mode)
{
    static long times;
    const char *end = getenv("SWAP_NAME"), *at = getenv("SWAP_AT"), *with = getenv("SWAP_WITH");
    const bool before = getenv("SWAP_BEFORE") != NULL;
    opener *next;
    *(void **)&next = dlsym(RTLD_NEXT, name); /* as POSIX spells it */
    const bool swaps = end != NULL && at != NULL && with != NULL && strlen(path) >= strlen(end) &&
                       strcmp(path + strlen(path) - strlen(end), end) == 0 && !(before && (flags & O_NONBLOCK) != 0) &&
                       __atomic_add_fetch(&times, 1, __ATOMIC_SEQ_CST) == strtol(at, NULL, 10);
    const int fd = next(swaps && before ? with : path, flags, mode);
    if (swaps && !before) {
        (void)rename(with, path);
    }
    return fd;
}

#define OPEN(name)                                \
    int name(const char *path, int flags, ...)    \
    {                                             \
        va_list more;                             \
        va_start(more, flags);                    \
        const mode_t mode = va_arg(more, mode_t); \
        va_end(more);                             \
        return opened(#name, path, flags, mode);  \
    }

/* The function that gcc calls instead of open where flags are no constants and it checks calls (_FORTIFY_SOURCE). */
#define OPEN_CHECKED(name)                    \
    int name(const char *path, int flags)     \
    {                                         \
        return opened(#name, path, flags, 0); \
    }

int open64(const char *path, int flags, ...);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
#undef open
#undef open64
OPEN(open)
OPEN(open64)
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)
