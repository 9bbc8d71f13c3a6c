#include "designs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char option[] = "--designs", program[] = "hebatch-designs";

bool hb_bench_designs_wanted(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], option) == 0) {
            return true;
        }
    }
    return argc > 1 && (strcmp(argv[1], "reduce") == 0 || strcmp(argv[1], "crt") == 0);
}

/* Beside this program, wherever that was started from. path: [PATH_MAX]. */
static hb_status find_program(char *path)
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    char *slash = length > 0 && length < PATH_MAX ? memrchr(path, '/', (size_t)length) : NULL;
    if (slash == NULL || (size_t)(slash + 1 - path) + sizeof program > PATH_MAX) {
        return HB_FAIL(HB_EUNAVAILABLE, "cannot tell where this program stands, so not where %s does", program);
    }
    memcpy(slash + 1, program, sizeof program);
    return HB_OK;
}

hb_status hb_bench_designs(const hb_group *group, int argc, char **argv)
{
    char path[PATH_MAX];
    if (group->size > 1) {
        return HB_FAIL(HB_EUSAGE, "designs of papers run on one rank; this group has %d", group->size);
    }
    HB_TRY(find_program(path));
    char **words = calloc((size_t)argc + 1, sizeof *words);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a command line");
    }
    words[0] = path;
    for (int i = 1, count = 1; i < argc; i++) {
        if (strcmp(argv[i], option) != 0) {
            words[count++] = argv[i];
        }
    }
    fflush(stdout);
    execv(path, words);
    const int reason = errno;
    free(words);
    if (reason == ENOENT) {
        return HB_FAIL(HB_EUNAVAILABLE,
                       "the designs of papers are not built here, there is no %s: build the target hebatch-designs, or "
                       "configure with "
                       "-DHEBATCH_TESTS=gpu",
                       path);
    }
    return HB_FAIL(HB_EUNAVAILABLE, "cannot start %s: %s", path, strerror(reason));
}
