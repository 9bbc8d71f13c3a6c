/* The folder of a job: one question at a time has it, and leaves nothing half done in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/dataset/dataset.h"
#include "io/files/durable.h"
#include "job.h"

enum { OWNER_ONLY = 0700 };

/* Takes the lock of the folder, if it is there. */
static hb_status hold(hb_asked_job *job)
{
    const char *dir = job->options->dir;
    const int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "%s: cannot be opened: %s", dir, strerror(errno));
    }
    /* Where the file system has no locks, names alone keep questions apart. */
    if (flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(folder);
        return HB_FAIL(HB_ECREATE,
                       "%s: another question is being answered in this folder; wait for its end, or take another "
                       "folder: --dir %s-2",
                       dir, dir);
    }
    job->folder = folder;
    return HB_OK;
}

hb_status hb_asked_take_folder(hb_asked_job *job, bool make)
{
    const char *dir = job->options->dir;
    if (job->folder >= 0 || job->options->dry_run) {
        return HB_OK;
    }
    if (make && mkdir(dir, OWNER_ONLY) != 0) {
        return errno == EEXIST ? HB_FAIL(HB_ECREATE,
                                         "%s: another question has made this folder meanwhile; ask again once it has "
                                         "ended, or take another folder: --dir %s-2",
                                         dir, dir)
                               : HB_FAIL(HB_ECREATE, "%s: cannot make this folder: %s", dir, strerror(errno));
    }
    job->made = make;
    return hold(job);
}

bool hb_asked_discard(const char *dataset)
{
    const hb_error before = *hb_last_error();
    hb_hold hold = HB_HOLD_NONE;
    const hb_status st = hb_dataset_take(dataset, &hold);
    if (st == HB_OK) {
        hb_dataset_abandon(dataset);
        hb_dataset_release(&hold);
    }
    hb_set_error(&before);
    return st == HB_OK || st == HB_ENOINPUT;
}

static hb_status count(void *context, int folder, const char *path, const char *entry)
{
    uint64_t *files = context;
    (void)folder;
    (void)path;
    (void)entry;
    ++*files;
    return HB_OK;
}

uint64_t hb_asked_count_files(const char *folder)
{
    uint64_t files = 0;
    if (hb_folder_each_if_any(folder, count, &files) != HB_OK) {
        hb_clear_error(); /* what cannot be listed is somebody's */
        files = files > 0 ? files : 1;
    }
    return files;
}
