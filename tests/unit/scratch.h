/* A scratch folder for tests that touch files, and small helpers around it. Plain libc: nothing of io/ is used to check
 * io/. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/status.h"

static char scratch_folder[64];

static inline int scratch_make(void **state)
{
    (void)state;
    /* memory is many times faster than a disk that is synced */
    snprintf(scratch_folder, sizeof scratch_folder, "%s/hebatch-test-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_remove(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    return system(command);
}

/* FOLDER/name, in one of a few buffers used in turn. */
static inline bool scratch_is_in_memory(void)
{
    struct statfs system;
    return statfs(scratch_folder, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

static inline const char *in_scratch(const char *name)
{
    static char paths[8][256];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static inline void spit(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* The whole file, allocated, with a zero behind it. */
static inline uint8_t *slurp(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    uint8_t *data = calloc(1, (size_t)size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)size, file), size);
    fclose(file);
    *bytes = (size_t)size;
    return data;
}

/* xorshift64*: reproducible noise. */
static inline uint64_t noise(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

#define assert_ok(call)                                                           \
    do {                                                                          \
        hb_status ok_status = (call);                                             \
        if (ok_status != HB_OK) {                                                 \
            fail_msg("%s: %d, %s", #call, (int)ok_status, hb_last_error()->text); \
        }                                                                         \
    } while (0)

/* Fails with this code, and says what: every one of its callers' messages is looked at. */
#define assert_refused(call, code, words)                                                                   \
    do {                                                                                                    \
        hb_clear_error();                                                                                   \
        hb_status refused_status = (call);                                                                  \
        if (refused_status != (code) || !strstr(hb_last_error()->text, (words))) {                          \
            fail_msg("%s: %d, '%s' instead of %d, '%s'", #call, (int)refused_status, hb_last_error()->text, \
                     (int)(code), (words));                                                                 \
        }                                                                                                   \
    } while (0)

#endif
