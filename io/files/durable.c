#include "durable.h"
#include "base/seed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Linux transfers at most 2^31 - 4096 bytes a call; a smaller piece also bounds how long a signal waits. */
#define PIECE ((size_t)1 << 30)

static size_t piece_of(size_t bytes)
{
    return bytes < PIECE ? bytes : PIECE;
}

hb_status hb_write_at(int fd, const void *data, size_t bytes, uint64_t offset, const char *path)
{
    const uint8_t *from = data;
    while (bytes > 0) {
        /* With the offset in the call, so that threads may write the same file at the same time. */
        ssize_t done = pwrite(fd, from, piece_of(bytes), (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return HB_FAIL(HB_EIO, "%s: cannot write: %s", path, done < 0 ? strerror(errno) : "no progress");
        }
        from += done;
        bytes -= (size_t)done;
        offset += (uint64_t)done;
    }
    return HB_OK;
}

/* A file system in memory takes space by clearing its pages, which is half the work of writing them. */
static bool lives_in_memory(const struct statfs *system)
{
    return system->f_type == TMPFS_MAGIC || system->f_type == RAMFS_MAGIC;
}

/* Writes by a mapping, whose pages are made present first: then a file system without space refuses here, where a bare
 * store would end the process by a signal. Returns false where the system cannot do that, or has no space. */
static bool write_mapped(int fd, const void *data, size_t bytes, uint64_t offset)
{
    enum { POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE of Linux 5.14; headers may lack it, older systems refuse it */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (size_t)(offset % page), mapped = before + bytes;
    struct statfs system;
    struct stat info;
    if (fstatfs(fd, &system) != 0 || !lives_in_memory(&system) || fstat(fd, &info) != 0 ||
        offset + bytes > (uint64_t)info.st_size) {
        return false;
    }
    uint8_t *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(offset - before));
    if (memory == MAP_FAILED) {
        return false;
    }
    const bool present = madvise(memory, mapped, POPULATE_WRITE) == 0;
    if (present) {
        memcpy(memory + before, data, bytes);
    }
    (void)munmap(memory, mapped);
    return present;
}

/* A write of a file holds the file's lock while it copies: in memory, where copying is all there is, many writers are
 * as slow as one. Stores to a mapping take no such lock. */
hb_status hb_write_beside_others(int fd, const void *data, size_t bytes, uint64_t offset, const char *path)
{
    enum { WORTH = 1 << 16 }; /* bytes: less takes longer to map than to write */
    return bytes >= WORTH && write_mapped(fd, data, bytes, offset) ? HB_OK : hb_write_at(fd, data, bytes, offset, path);
}

hb_status hb_read_at(int fd, void *data, size_t bytes, uint64_t offset, const char *path)
{
    uint8_t *to = data;
    /* A count that is short is no end: only a count of 0 is. */
    while (bytes > 0) {
        ssize_t done = pread(fd, to, piece_of(bytes), (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return HB_FAIL(HB_EIO, "%s: cannot read: %s", path, strerror(errno));
        }
        /* Callers know how much there has to be, so the end of the file is damage. */
        if (done == 0) {
            return HB_FAIL(HB_EDATA, "%s: ends early, at byte %llu", path, (unsigned long long)offset);
        }
        to += done;
        bytes -= (size_t)done;
        offset += (uint64_t)done;
    }
    return HB_OK;
}

hb_status hb_sync(int fd, const char *path)
{
    int result;
    do {
        result = fsync(fd);
    } while (result < 0 && errno == EINTR);
    /* A file system that cannot sync a folder (some network mounts) can promise nothing more. */
    if (result < 0 && errno != EINVAL && errno != EROFS) {
        return HB_FAIL(HB_EIO, "%s: cannot sync: %s", path, strerror(errno));
    }
    return HB_OK;
}

void hb_begin_writing(int fd, size_t bytes, uint64_t offset)
{
    (void)!sync_file_range(fd, (off_t)offset, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
}

/* off_t is signed: a longer length would be negative to the system, which means something else there. */
static hb_status check_length(uint64_t bytes, const char *path)
{
    if (bytes > INT64_MAX) {
        return HB_FAIL(HB_ECREATE, "%s: %llu bytes are more than a file can hold", path, (unsigned long long)bytes);
    }
    return HB_OK;
}

hb_status hb_set_length(int fd, uint64_t bytes, const char *path)
{
    HB_TRY(check_length(bytes, path));
    struct stat info;
    int result = fstat(fd, &info);
    if (result == 0 && (uint64_t)info.st_size < bytes) {
        /* Only ever longer: a file that another run already filled keeps its rows. */
        result = ftruncate(fd, (off_t)bytes);
    }
    if (result != 0) {
        return HB_FAIL(HB_EIO, "%s: cannot be %llu bytes long: %s", path, (unsigned long long)bytes, strerror(errno));
    }
    return HB_OK;
}

/* Compares the missing with the free bytes; a file system in memory without a limit reports no blocks at all. */
static hb_status reserve_in_memory(int fd, const struct statfs *system, uint64_t bytes, const char *path)
{
    enum { BLOCK = 512 }; /* the unit of st_blocks */
    struct stat info;
    if (fstat(fd, &info) < 0) {
        return HB_FAIL(HB_EIO, "%s: cannot look at it: %s", path, strerror(errno));
    }
    const uint64_t held = (uint64_t)info.st_blocks * BLOCK,
                   free = (uint64_t)system->f_bavail * (uint64_t)system->f_bsize;
    if (system->f_blocks > 0 && bytes > held && bytes - held > free) {
        return HB_FAIL(HB_EIO, "%s: cannot reserve %llu bytes: %s", path, (unsigned long long)bytes, strerror(ENOSPC));
    }
    return hb_set_length(fd, bytes, path);
}

hb_status hb_reserve(int fd, uint64_t bytes, const char *path)
{
    HB_TRY(check_length(bytes, path));
    if (bytes == 0) {
        return HB_OK;
    }
    struct statfs system;
    /* A file system that cannot be asked is treated like a disk. */
    if (fstatfs(fd, &system) == 0 && lives_in_memory(&system)) {
        return reserve_in_memory(fd, &system, bytes, path);
    }
    int result;
    do {
        /* Makes the file longer too, never shorter. */
        result = fallocate(fd, 0, 0, (off_t)bytes);
    } while (result < 0 && errno == EINTR);
    /* File systems without reservation get the size alone: a full disk then shows at the write. */
    if (result < 0 && errno == EOPNOTSUPP) {
        return hb_set_length(fd, bytes, path);
    }
    if (result < 0) {
        return HB_FAIL(HB_EIO, "%s: cannot reserve %llu bytes: %s", path, (unsigned long long)bytes, strerror(errno));
    }
    return HB_OK;
}

hb_status hb_create_file(const char *path, mode_t mode, bool fresh, int *fd)
{
    struct stat info;
    if (fresh && lstat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return HB_FAIL(HB_ECREATE, "%s: is no regular file; remove it or choose another output", path);
    }
    /* The caller holds the folder's lock, so no process can be writing the file that goes. */
    if (fresh && unlink(path) < 0 && errno != ENOENT) {
        return HB_FAIL(HB_ECREATE, "%s: cannot remove the file of an earlier run: %s", path, strerror(errno));
    }
    /* O_EXCL: a file that came here since the check above is refused, never opened. */
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (*fd < 0) {
        return errno == EEXIST ? HB_FAIL(HB_ECREATE, "%s: left by an unfinished run; remove it first", path)
                               : HB_FAIL(HB_ECREATE, "%s: cannot create: %s", path, strerror(errno));
    }
    return HB_OK;
}

hb_status hb_open_file(const char *path, bool follow, int *out, uint64_t *bytes, mode_t *mode)
{
    /* O_NONBLOCK: opening a named pipe must not wait for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
    /* By descriptor, so that size and kind are those of the opened file. */
    struct stat info;
    if (fd < 0 || fstat(fd, &info) < 0) {
        hb_status st = HB_FAIL(HB_ENOINPUT, "%s: cannot open: %s", path,
                               fd < 0 && errno == ELOOP && !follow ? "is a symbolic link" : strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return st;
    }
    /* Looked at after opening, by descriptor, so that the name cannot mean something else in between. */
    if (!S_ISREG(info.st_mode)) {
        close(fd);
        return HB_FAIL(HB_ENOINPUT, "%s: is not a regular file", path);
    }
    *out = fd;
    *bytes = (uint64_t)info.st_size;
    *mode = info.st_mode & 07777;
    return HB_OK;
}

hb_status hb_read_file(const char *path, size_t most, uint8_t **data, size_t *bytes, mode_t *mode)
{
    int fd = -1;
    uint64_t size = 0;
    mode_t bits = 0;
    HB_TRY(hb_open_file(path, false, &fd, &size, &bits));
    hb_status st = HB_OK;
    uint8_t *read = NULL;
    if (size > most) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: has %llu bytes, more than the %zu it may have", path, (unsigned long long)size,
                        most));
    }
    /* One more: malloc of nothing may return NULL. The size is at most `most`, so nothing overflows. */
    read = malloc((size_t)size + 1);
    if (!read) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for %llu bytes", path, (unsigned long long)size));
    }
    hb_lock_short(read, (size_t)size); /* it may be a key */
    HB_GOTO(hb_read_at(fd, read, (size_t)size, 0, path));
    /* Handed over: only the file is still to be closed. */
    *data = read;
    *bytes = (size_t)size;
    *mode = bits;
    read = NULL;
done:
    if (read) {
        hb_wipe(read, (size_t)size); /* it may be part of a key */
        free(read);
    }
    close(fd);
    return st;
}

/* A growing buffer for data that may be secret: realloc would leave copies. */
typedef struct grown {
    uint8_t *data;
    size_t bytes, capacity;
} grown;

static void drop_grown(grown *g)
{
    if (g->data) {
        hb_wipe(g->data, g->capacity);
        free(g->data);
    }
    g->data = NULL;
}

static hb_status grow(grown *g, const char *name)
{
    const size_t first = (size_t)64 << 10, capacity = g->capacity == 0 ? first : 2 * g->capacity;
    uint8_t *longer = malloc(capacity);
    if (!longer) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %zu bytes", name, capacity);
    }
    hb_lock_short(longer, capacity);
    if (g->bytes > 0) {
        memcpy(longer, g->data, g->bytes);
    }
    drop_grown(g);
    g->data = longer;
    g->capacity = capacity;
    return HB_OK;
}

/* Up to one byte more than there may be. */
static hb_status read_stream(int fd, const char *name, size_t most, grown *g)
{
    while (g->bytes <= most) {
        if (g->bytes == g->capacity) {
            HB_TRY(grow(g, name));
        }
        const ssize_t done = read(fd, g->data + g->bytes, piece_of(g->capacity - g->bytes));
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return HB_FAIL(HB_EIO, "cannot read %s: %s", name, strerror(errno));
        }
        if (done == 0) {
            return g->bytes > 0 ? HB_OK : HB_FAIL(HB_ENOINPUT, "%s: is empty", name);
        }
        g->bytes += (size_t)done;
    }
    return HB_FAIL(HB_EDATA, "%s: has more than the %zu bytes it may have", name, most);
}

hb_status hb_read_stream(int fd, const char *name, size_t most, uint8_t **data, size_t *bytes, mode_t *mode)
{
    struct stat status;
    grown g = {NULL, 0, 0};
    if (isatty(fd) == 1) {
        return HB_FAIL(HB_ENOINPUT, "%s: is a terminal, where a file or a pipe is needed", name);
    }
    if (fstat(fd, &status) != 0) {
        return HB_FAIL(HB_ENOINPUT, "cannot read %s: %s", name, strerror(errno));
    }
    const hb_status st = read_stream(fd, name, most, &g);
    if (st != HB_OK) {
        drop_grown(&g);
        return st;
    }
    *data = g.data;
    *bytes = g.bytes;
    *mode = S_ISREG(status.st_mode) ? status.st_mode & 07777 : 0600;
    return HB_OK;
}
