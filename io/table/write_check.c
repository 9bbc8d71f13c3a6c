/* Decides what a table may be written over: nothing that others need. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/base/claim.h"
#include "io/base/durable.h"
#include "io/dataset/file_kind.h"
#include "table_private.h"

/* Refuses to replace a key, or a part of a dataset, by a table, also with `force`. */
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
    if (st == HB_OK) {
        return HB_FAIL(HB_ECREATE, "%s: is a %s of hebatch; it is not replaced by a table", path,
                       kind == HB_FILE_DATASET ? "part of a dataset" : "key file");
    }
    return HB_OK;
}

/* Refuses what a running job writes, and pipes and devices. A file that may not be written cannot be held, but it can
 * be replaced in a folder that is ours. */
static hb_status check_unheld(const char *path)
{
    int fd;
    const hb_status st = access(path, W_OK) < 0 && errno == EACCES ? HB_ENOINPUT : hb_claim_take(path, &fd);
    if (st == HB_OK) {
        close(fd);
    }
    return st == HB_ENOINPUT ? HB_OK : st;
}

/* A link is replaced itself, not what it leads to. */
static hb_status check_free(const char *path, bool force, const char *advice)
{
    struct stat info;
    if (lstat(path, &info) < 0) {
        return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", path, strerror(errno));
    }
    if (!S_ISLNK(info.st_mode) && !S_ISDIR(info.st_mode)) {
        HB_TRY(check_unheld(path));
    }
    if (!force) {
        return HB_FAIL(HB_ECREATE, "%s: %s", path, advice);
    }
    return S_ISDIR(info.st_mode) ? HB_FAIL(HB_ECREATE, "%s: is a folder", path) : HB_OK;
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
