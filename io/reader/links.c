/* Links of HDF5 files, in the reader's process: a link to another file is refused before HDF5 opens it. Where links are
 * followed, a link to a pipe or a device is refused, as HDF5 would wait for the other end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/h5/h5.h"
#include "source_private.h"

/* Why HDF5 was stopped at a link to another file. */
typedef enum stop_reason { STOPS_NOT, STOPS_AT_OTHER, STOPS_AT_SPECIAL } stop_reason;

/* The link to another file that HDF5 came to. */
typedef struct found_link {
    bool follows;
    stop_reason reason;
    char file[HB_FILE_NAME_MOST];
} found_link;

hb_status hb_h5_process_refuse_other(const char *name, const char *other)
{
    return HB_FAIL(HB_EDATA,
                   "%.200s: takes its data from another file, %.200s; where you trust who made it, --follow-files "
                   "reads such",
                   name, other);
}

bool hb_h5_process_is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

hb_status hb_h5_process_refuse_special(const char *name, const char *other)
{
    return HB_FAIL(HB_ENOINPUT, "%.200s: takes its data from %.200s, which is not a regular file", name, other);
}
/* --- where HDF5 looks for the file of a link */

/* Looks at `base` in the folder of the file `beside`, "": in that of the process. True where something is there, which
 * *special then says of. */
static bool is_there(const char *beside, const char *base, bool *special)
{
    const char *slash = strrchr(beside, '/');
    char *path = NULL;
    struct stat info;
    if (asprintf(&path, "%.*s%s", slash != NULL ? (int)(slash - beside) + 1 : 0, beside, base) < 0) {
        return false;
    }
    const bool there = stat(path, &info) == 0;
    *special = there && !S_ISREG(info.st_mode);
    free(path);
    return there;
}

/* Whether the first file that HDF5 finds for a link in the file `parent` is none that has an end: by its whole name,
 * beside the parent, in the folder of the process, beside the target of the parent's name. */
static bool leads_to_special(const char *parent, const char *file)
{
    bool special = false;
    const char *slash = strrchr(file, '/');
    const char *base = file[0] == '/' && slash != NULL ? slash + 1 : file;
    if (file[0] == '/' && is_there("", file, &special)) {
        return special;
    }
    if (!is_there(parent, base, &special) && !is_there("", base, &special)) {
        char *real = realpath(parent, NULL);
        (void)is_there(real != NULL ? real : "", base, &special);
        free(real);
    }
    return special;
}

/* HDF5 calls this before it opens the file of an external link, however it came to that link, and opens nothing after
 * a failure. */
static herr_t look_at(const char *parent, const char *group, const char *file, const char *object, unsigned *flags,
                      hid_t access, void *link)
{
    found_link *found = link;
    (void)group, (void)object, (void)flags, (void)access;
    found->reason = !found->follows ? STOPS_AT_OTHER : leads_to_special(parent, file) ? STOPS_AT_SPECIAL : STOPS_NOT;
    snprintf(found->file, sizeof found->file, "%s", file);
    return found->reason == STOPS_NOT ? 0 : -1;
}

/* --- */

hb_status hb_h5_process_open_object(hid_t group, const char *path, const char *name, bool follows, hid_t *object)
{
    found_link found = {.follows = follows};
    hid_t access;
    *object = H5I_INVALID_HID;
    HB_TRY(HB_H5(access = H5Pcreate(H5P_LINK_ACCESS), HB_ENOMEM, "%s: no memory to open it", name));
    hb_status st = HB_OK;
    HB_GOTO(
        HB_H5(H5Pset_elink_cb(access, look_at, &found), HB_EINTERNAL, "%s: HDF5 takes no check of its links", name));
    *object = H5Oopen(group, path, access);
    if (*object < 0 && found.reason != STOPS_NOT) {
        st = found.reason == STOPS_AT_OTHER ? hb_h5_process_refuse_other(name, found.file)
                                            : hb_h5_process_refuse_special(name, found.file);
    }
done:;
    /* Its reason is for the caller, and closing anything would drop it. */
    const hid_t reason = H5Eget_current_stack();
    hb_h5_close(access);
    (void)H5Eset_current_stack(reason);
    return st;
}

/* The name of the file that an open dataset is in, as HDF5 opened it; false where that is not known. */
static bool file_of(hid_t dataset, char name[HB_FILE_NAME_MOST])
{
    const hid_t file = H5Iget_file_id(dataset);
    const ssize_t length = file < 0 ? -1 : H5Fget_name(file, name, HB_FILE_NAME_MOST);
    hb_h5_close(file);
    return length > 0 && length < HB_FILE_NAME_MOST;
}

bool hb_h5_process_is_in_file(hid_t dataset, const char *file)
{
    char name[HB_FILE_NAME_MOST];
    return file_of(dataset, name) && strcmp(name, file) == 0;
}

hb_status hb_h5_process_find_file(hid_t dataset, const char *name, const char *file, bool follows,
                                  char found[HB_FILE_NAME_MOST])
{
    if (!file_of(dataset, found)) {
        return HB_FAIL(HB_EDATA, "%s: the name of its file has %d bytes or more", name, HB_FILE_NAME_MOST);
    }
    return follows || strcmp(found, file) == 0 ? HB_OK : hb_h5_process_refuse_other(name, found);
}
