/* What a table may be written over: nothing that others need. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"
#include "file_kind.h"
#include "table_private.h"

/* A key is never replaced, nor a part of a dataset by a table. */
static hb_status check_not_ours(const char *path)
{
    struct stat info;
    if (lstat(path, &info) < 0 || !S_ISREG(info.st_mode)) {
        return HB_OK;
    }
    hb_file_kind kind;
    const hb_error before = *hb_last_error();
    const hb_status st = hb_file_kind_of(path, &kind);
    hb_set_error(&before);
    return st == HB_OK ? HB_FAIL(HB_ECREATE, "%s: is a %s of hebatch; it is not replaced by a table", path,
                                 kind == HB_FILE_DATASET ? "part of a dataset" : "key file")
                       : HB_OK;
}

/* A partial file that a running job has locked is neither removed nor taken over. */
static hb_status check_unlocked(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return HB_OK;
    }
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    close(fd);
    return locked ? HB_FAIL(HB_ECREATE, "%s: another job is writing it", path) : HB_OK;
}

static hb_status check_free(const char *path, bool force, const char *advice)
{
    struct stat info;
    if (lstat(path, &info) < 0) {
        return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", path, strerror(errno));
    }
    if (!force) {
        return HB_FAIL(HB_ECREATE, "%s: %s", path, advice);
    }
    HB_TRY(S_ISDIR(info.st_mode) ? HB_FAIL(HB_ECREATE, "%s: is a folder", path) : HB_OK);
    return check_unlocked(path);
}

hb_status hb_table_check_target(const hb_table_writer *writer, bool force)
{
    const char *unfinished = "left by an unfinished job; remove it, or use --force";
    HB_TRY(hb_can_create(writer->file));
    HB_TRY(check_free(writer->file, force, "exists already; use --force to replace the whole file"));
    HB_TRY(check_not_ours(writer->file));
    HB_TRY(check_free(writer->partial, force, unfinished));
    return writer->formatted ? check_free(writer->formatted, force, unfinished) : HB_OK;
}
