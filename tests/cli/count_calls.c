/* Preloaded into a program: counts its calls of functions that a search through names or files makes for each step, and
 * adds a line NAME CALLS for each function to the file CALLS_TO when the process ends. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COMPARISONS, SEARCHES, DIGESTS, LOOKS, COUNTS };
static const char *const names[COUNTS] = {"comparisons", "searches", "digests", "looks"};
static unsigned long long counts[COUNTS];

static void count(int of)
{
    __atomic_add_fetch(&counts[of], 1, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void tell(void)
{
    const char *to = getenv("CALLS_TO");
    FILE *file = to != NULL ? fopen(to, "a") : NULL;
    if (file == NULL) {
        return;
    }
    for (int i = 0; i < COUNTS; i++) {
        fprintf(file, "%s %llu\n", names[i], counts[i]);
    }
    fclose(file);
}

/* Written out: the loader calls them before any other library can be asked for its own. */
#undef strcmp
#undef strpbrk
int strcmp(const char *x, const char *y)
{
    count(COMPARISONS);
    while (*x != '\0' && *x == *y) {
        x++;
        y++;
    }
    return (unsigned char)*x - (unsigned char)*y;
}

char *strpbrk(const char *text, const char *any)
{
    count(SEARCHES);
    for (; *text != '\0'; text++) {
        for (const char *at = any; *at != '\0'; at++) {
            if (*at == *text) {
                return (char *)text;
            }
        }
    }
    return NULL;
}

#define NEXT(type, name)    \
    __typeof__(type) *next; \
    *(void **)&next = dlsym(RTLD_NEXT, #name) /* as POSIX spells it */

int crypto_generichash_blake2b_init(void *state, const unsigned char *key, size_t length, size_t bytes);
int crypto_generichash_blake2b_init(void *state, const unsigned char *key, size_t length, size_t bytes)
{
    NEXT(int(void *, const unsigned char *, size_t, size_t), crypto_generichash_blake2b_init);
    count(DIGESTS);
    return next(state, key, length, bytes);
}

#undef stat
#undef stat64
#undef lstat
#undef lstat64
#define LOOK(name, of)                              \
    int name(const char *path, struct of *info)     \
    {                                               \
        NEXT(int(const char *, struct of *), name); \
        count(LOOKS);                               \
        return next(path, info);                    \
    }
int stat64(const char *path, struct stat64 *info);
int lstat64(const char *path, struct stat64 *info);
LOOK(stat, stat)
LOOK(stat64, stat64)
LOOK(lstat, stat)
LOOK(lstat64, stat64)
