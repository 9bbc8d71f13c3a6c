/* NAME.partial of a dataset: who may make, take over and remove it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dataset_private.h"
#include "io/files/durable.h"
#include "io/files/file_lock.h"

enum { MOST_TURNS = 1000 }; /* each is another job's move */

/* sums-DIGITS, totals-DIGITS, checkpoint-DIGITS-DIGITS... or values-DIGITS, also while it is written. */
static bool is_checkpoint(const char *entry)
{
    static const char *const names[] = {HB_SUMS_NAME, HB_TOTALS_NAME, HB_CHECKPOINT_NAME, HB_VALUES_NAME};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(entry, names[i], length) == 0) {
            const size_t digits = strspn(entry + length, "0123456789-");
            const char *end = entry + length + digits;
            const bool whole = end[0] == '\0' || strcmp(end, ".partial") == 0;
            return isdigit((unsigned char)entry[length]) && (whole || hb_file_lock_is_own_name(end, ".partial"));
        }
    }
    return false;
}

/* index-1.h5 and others of residues behind the first. */
static bool is_index(const char *entry)
{
    return strncmp(entry, "index-", 6) == 0 && isdigit((unsigned char)entry[6]) && strcmp(entry + 7, ".h5") == 0;
}

/* index.h5, part-DIGITS.h5, part-DIGIT-DIGITS.h5, and files of a job about itself. */
static bool is_dataset_file(const char *entry)
{
    static const char *const names[] = {HB_INDEX_NAME, HB_JOB_NAME, HB_JOB_NAME ".partial", HB_PART_SESSION_NAME,
                                        HB_PART_SESSION_NAME ".partial"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(entry, names[i]) == 0 || hb_file_lock_is_own_name(entry, names[i])) {
            return true;
        }
    }
    if (is_checkpoint(entry) || is_index(entry)) {
        return true;
    }
    if (strncmp(entry, "part-", 5) != 0 || !isdigit((unsigned char)entry[5])) {
        return false;
    }
    entry += entry[6] == '-' && isdigit((unsigned char)entry[7]) ? 7 : 5;
    while (isdigit((unsigned char)*entry)) {
        entry++;
    }
    return strcmp(entry, ".h5") == 0;
}

static hb_status check_entry(void *context, int folder, const char *path, const char *entry)
{
    (void)context;
    struct stat info;
    if (is_dataset_file(entry) && fstatat(folder, entry, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode)) {
        return HB_OK;
    }
    return HB_FAIL(HB_ECREATE, "%s: will not be removed: it holds '%s', which no dataset has", path, entry);
}

/* Removes a folder only if all it holds are files of a dataset: a wrong name must not cost someone else's files. */
static hb_status remove_dataset(const char *path)
{
    HB_TRY(hb_folder_each(path, check_entry, NULL));
    return hb_remove_folder(path);
}

static hb_status refuse_busy(const char *partial)
{
    return HB_FAIL(HB_ECREATE, "%s: another job is writing it", partial);
}

static hb_status refuse_unfinished(const char *partial)
{
    return HB_FAIL(HB_ECREATE, "%s: left by an unfinished job; --resume continues it, --force starts again", partial);
}

static hb_status check_target(const char *path, bool force)
{
    struct stat info;
    if (lstat(path, &info) < 0) {
        return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "%s: cannot be created: %s", path, strerror(errno));
    }
    return force ? hb_folder_each(path, check_entry, NULL)
                 : HB_FAIL(HB_ECREATE, "%s: exists already; use --force to replace it", path);
}

/* The ranks of a job share the lock of job.json, beside which the first holds the folder: so it stays with them until
 * the last has ended. Where there is no such file the folder's is all. HB_ECREATE when another job has it. */
static hb_status share_job(int folder, bool alone, const char *partial, int *job)
{
    *job = openat(folder, HB_JOB_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*job < 0) {
        return errno == ENOENT
                   ? HB_OK
                   : HB_FAIL(HB_ECREATE, "%s/%s: cannot be opened: %s", partial, HB_JOB_NAME, strerror(errno));
    }
    if ((alone && flock(*job, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) ||
        (flock(*job, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)) {
        close(*job);
        *job = -1;
        return refuse_busy(partial);
    }
    return HB_OK;
}

static hb_status take(const char *partial, hb_hold *hold)
{
    int folder;
    HB_TRY(hb_file_lock_take(partial, &folder));
    const hb_status st = share_job(folder, true, partial, &hold->job);
    if (st == HB_OK) {
        hold->folder = folder;
    } else {
        close(folder);
    }
    return st;
}

hb_status hb_dataset_take(const char *name, hb_hold *hold)
{
    char *partial;
    HB_TRY(hb_path_with(name, ".partial", &partial));
    const hb_status st = take(partial, hold);
    free(partial);
    return st;
}

/* Opens the folder in which an entry is, which has file systems of a network ask their server for what is new in it. */
static void look_anew(const char *entry)
{
    char *folder;
    if (hb_folder_of(entry, &folder) == HB_OK) {
        const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0) {
            close(fd);
        }
        free(folder);
    }
}

/* Opens a folder that another rank has just made. Its host may be another one, and this one may see the name some
 * seconds late. */
static int open_made(const char *partial)
{
    static const struct timespec between = {.tv_nsec = 50000000};
    enum { TURNS = 200 }; /* ten seconds */
    int folder = -1;
    for (int i = 0; i < TURNS && folder < 0; i++) {
        if (i > 0) {
            nanosleep(&between, NULL);
            look_anew(partial);
        }
        folder = open(partial, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0 && errno != ENOENT) {
            break;
        }
    }
    return folder;
}

hb_status hb_dataset_join(const char *name, hb_hold *hold)
{
    char *partial;
    HB_TRY(hb_path_with(name, ".partial", &partial));
    hb_status st = HB_OK;
    const int folder = open_made(partial);
    if (folder < 0) {
        st = HB_FAIL(errno == ENOENT ? HB_ENOINPUT : HB_ECREATE, "%s: cannot be opened: %s", partial, strerror(errno));
    } else {
        st = share_job(folder, false, partial, &hold->job);
        close(folder);
    }
    free(partial);
    return st;
}

void hb_dataset_release(hb_hold *hold)
{
    if (hold->job >= 0) {
        close(hold->job);
    }
    if (hold->folder >= 0) {
        close(hold->folder);
    }
    *hold = HB_HOLD_NONE;
}

/* Removes the folder that this job holds; renames it first, out of the way of others. */
static hb_status remove_held(const char *partial)
{
    char *aside;
    HB_TRY(hb_folder_each(partial, check_entry, NULL));
    HB_TRY(hb_file_lock_own_name(partial, &aside));
    hb_status st = hb_rename_new(partial, aside)
                       ? remove_dataset(aside)
                       : HB_FAIL(HB_ECREATE, "%s: cannot be moved aside: %s", partial, strerror(errno));
    free(aside);
    return st;
}

static hb_status refuse_content(void *context, int folder, const char *path, const char *entry)
{
    (void)context;
    (void)folder;
    return strcmp(entry, HB_JOB_NAME ".partial") == 0 ? HB_OK
                                                      : HB_FAIL(HB_ECREATE, "%s: is not empty: %s", path, entry);
}

bool hb_dataset_is_empty(const char *name)
{
    char *partial;
    const hb_error before = *hb_last_error();
    if (hb_path_with(name, ".partial", &partial) != HB_OK) {
        return false;
    }
    const bool empty = hb_folder_each(partial, refuse_content, NULL) == HB_OK;
    free(partial);
    hb_set_error(&before);
    return empty;
}

/* Removes the files of an ended job, if they may go. */
static hb_status make_way(const char *name, const char *partial, hb_over over)
{
    hb_hold hold = HB_HOLD_NONE;
    hb_status st = take(partial, &hold);
    if (st == HB_ENOINPUT) {
        hb_clear_error();
        return HB_OK;
    }
    HB_TRY(st);
    if (over == HB_OVER_ALL || (over == HB_OVER_EMPTY && hb_dataset_is_empty(name))) {
        st = remove_held(partial);
    } else {
        st = refuse_unfinished(partial);
    }
    hb_dataset_release(&hold);
    return st;
}

/* A folder of this job's own with its description, held. */
static hb_status make_own(const char *partial, const char *job, size_t bytes, char **own, hb_hold *hold)
{
    char *path = NULL;
    HB_TRY(hb_file_lock_new_folder(partial, 0777, own, &hold->folder));
    hb_status st;
    HB_GOTO(hb_path_with(*own, "/" HB_JOB_NAME, &path));
    HB_GOTO(hb_write_file(path, job, bytes, 0666, false));
    st = share_job(hold->folder, true, partial, &hold->job);
done:
    free(path);
    if (st != HB_OK) {
        const hb_error cause = *hb_last_error();
        (void)remove_dataset(*own);
        hb_set_error(&cause);
        free(*own);
        hb_dataset_release(hold);
    }
    return st;
}

static hb_status place(const char *name, const char *partial, const char *own, hb_over over, bool *placed)
{
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        bool taken;
        HB_TRY(hb_file_lock_place(own, partial, &taken));
        *placed = !taken;
        if (*placed) {
            return HB_OK;
        }
        HB_TRY(make_way(name, partial, over));
    }
    return HB_FAIL(HB_ECREATE, "%s: other jobs keep making it", partial);
}

/* The target is looked at before anything is made, and again once no other job can: one may have completed it. */
static hb_status begin(const char *name, const char *target, const char *partial, hb_begin how, hb_hold *hold)
{
    char *own;
    const hb_over over = how.over;
    const bool may_be = how.grows || over == HB_OVER_ALL;
    HB_TRY(check_target(target, may_be));
    hb_file_lock_sweep(partial, remove_dataset);
    HB_TRY(make_way(name, partial, over)); /* most refusals, before anything is made */
    HB_TRY(make_own(partial, how.job, how.bytes, &own, hold));
    bool placed = false;
    hb_status st = place(name, partial, own, over, &placed);
    st = st == HB_OK ? check_target(target, may_be) : st;
    st = st == HB_OK ? hb_sync_folder_of(partial) : st;
    if (st != HB_OK) {
        const hb_error cause = *hb_last_error();
        (void)(placed ? remove_held(partial) : remove_dataset(own));
        hb_set_error(&cause);
        hb_dataset_release(hold);
    }
    free(own);
    return st;
}

hb_status hb_dataset_begin(const char *name, hb_begin how, hb_hold *hold)
{
    char *target = NULL, *partial = NULL;
    hb_status st = HB_OK;
    *hold = HB_HOLD_NONE;
    HB_GOTO(hb_path_with(name, "", &target));
    HB_GOTO(hb_path_with(name, ".partial", &partial));
    st = begin(name, target, partial, how, hold);
done:
    free(target);
    free(partial);
    return st;
}

hb_status hb_dataset_check_target(const char *name, bool force)
{
    char *target;
    HB_TRY(hb_path_with(name, "", &target));
    hb_status st = check_target(target, force);
    free(target);
    return st;
}

void hb_dataset_abandon(const char *name)
{
    char *partial;
    hb_error first = *hb_last_error(); /* the first failure must stay the cause */
    if (hb_path_with(name, ".partial", &partial) == HB_OK) {
        (void)remove_held(partial);
        free(partial);
    }
    hb_set_error(&first);
}

hb_status hb_dataset_is_held(const char *name, bool *held)
{
    char *path;
    HB_TRY(hb_path_with(name, ".partial/" HB_JOB_NAME, &path));
    hb_status st = HB_OK;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        st = HB_FAIL(errno == ENOENT ? HB_ENOINPUT : HB_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    } else {
        *held = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
        close(fd); /* and the lock with it */
    }
    free(path);
    return st;
}

static hb_status probe_partial(const char *name, const char *partial, bool may_stay)
{
    struct stat info;
    bool held = false;
    if (lstat(partial, &info) < 0) {
        return HB_OK; /* or making it reports the fault */
    }
    if (hb_dataset_is_held(name, &held) == HB_OK && held) {
        return refuse_busy(partial);
    }
    hb_clear_error();
    return may_stay ? HB_OK : refuse_unfinished(partial);
}

hb_status hb_dataset_probe_partial(const char *name, bool may_stay)
{
    char *partial;
    HB_TRY(hb_path_with(name, ".partial", &partial));
    const hb_status st = probe_partial(name, partial, may_stay);
    free(partial);
    return st;
}

hb_status hb_dataset_probe(const char *name, bool force, bool resume)
{
    char *target = NULL, *partial = NULL;
    hb_status st = HB_OK;
    HB_GOTO(hb_path_with(name, "", &target));
    HB_GOTO(hb_path_with(name, ".partial", &partial));
    HB_GOTO(check_target(target, force));
    st = probe_partial(name, partial, force || resume);
done:
    free(target);
    free(partial);
    return st;
}
