#include "h5.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/durable.h"

#define ALIGN_FROM ((hsize_t)16 << 10) /* bytes: smaller objects stay together in the metadata */
#define PAGE ((hsize_t)4 << 10)
#define RESERVE ((size_t)8 << 20) /* bytes that HDF5 may take at a time */

/* Is called by the walk from the innermost entry on and keeps that first one, the cause; 1 ends the walk. */
static herr_t keep_first(unsigned n, const H5E_error2_t *entry, void *text)
{
    if (n == 0 && entry->desc) {
        snprintf(text, sizeof((hb_error *)0)->text, "%s", entry->desc);
    }
    return n == 0 ? 0 : 1;
}

hb_status hb_h5_fail(hb_status code, const char *file, int line, const char *format, ...)
{
    hb_error what, why = {.text = ""};
    va_list args;
    va_start(args, format);
    vsnprintf(what.text, sizeof what.text, format, args);
    va_end(args);
    /* Cleared after being read, or the next failure would show this cause. */
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, why.text);
    (void)H5Eclear2(H5E_DEFAULT);
    return hb_fail(code, file, line, "%s%s%.200s%s", what.text, why.text[0] ? " (HDF5: " : "", why.text,
                   why.text[0] ? ")" : "");
}

hb_status hb_h5_begin(void)
{
    /* Given back at once: HDF5 finds the memory there as long as no other thread takes it. */
    void *reserve = malloc(RESERVE);
    if (!reserve) {
        return HB_FAIL(HB_ENOMEM, "no memory for HDF5, which needs up to %zu bytes at a time", RESERVE);
    }
    free(reserve);
    /* Has an effect only before the first other call of HDF5, and fails harmlessly later. */
    (void)H5dont_atexit();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return HB_OK;
}

void hb_h5_close(hid_t id)
{
    /* Closing a file strongly invalidates all objects opened in it, so an identifier may be stale by now. */
    if (id > 0 && H5Iis_valid(id) > 0) {
        (void)H5Idec_ref(id);
    }
}

hb_status hb_h5_close_written(hid_t id, const char *name, hb_status st)
{
    if (st != HB_OK || id <= 0) {
        hb_h5_close(id);
        return st;
    }
    return HB_H5(H5Idec_ref(id), HB_ENOMEM, "'%s': what HDF5 held back of it cannot be written", name);
}

hb_status hb_h5_access(hid_t *properties)
{
    hid_t access;
    HB_TRY(hb_h5_begin());
    HB_TRY(HB_H5(access = H5Pcreate(H5P_FILE_ACCESS), HB_ENOMEM, "cannot make HDF5 properties"));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), HB_EINTERNAL,
                  "HDF5 refuses its format bounds"));
    /* Rows then begin at a page, which suits the system's cache. */
    HB_GOTO(HB_H5(H5Pset_alignment(access, ALIGN_FROM, PAGE), HB_EINTERNAL, "HDF5 refuses an alignment"));
    /* Closing the file closes all objects that a failure has left open in it. */
    HB_GOTO(HB_H5(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), HB_EINTERNAL, "HDF5 refuses a close degree"));
    /* A file has one writer and is read when it is complete; locks would only fail on mounts that have none. */
    HB_GOTO(HB_H5(H5Pset_file_locking(access, 0, 1), HB_EINTERNAL, "HDF5 refuses to do without locks"));
    *properties = access;
    access = 0;
done:
    hb_h5_close(access);
    return st;
}

static uint64_t little_u64(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

hb_status hb_h5_check_superblock(const uint8_t *head, size_t head_bytes, uint64_t file_bytes, const char *path)
{
    /* HDF5 File Format Specification III.A: signature, version, sizes of offsets and lengths, flags; addresses of the
     * base, the extension, the end of file, the root group; checksum. */
    static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    if (head_bytes < HB_H5_SUPERBLOCK || memcmp(head, signature, sizeof signature) != 0) {
        return HB_FAIL(HB_EDATA, "%s: is no HDF5 file", path);
    }
    /* Bytes 8 to 10: version, size of offsets, size of lengths; byte 12: base address. */
    if ((head[8] != 2 && head[8] != 3) || head[9] != 8 || head[10] != 8 || little_u64(head + 12) != 0) {
        return HB_FAIL(HB_EDATA, "%s: is an HDF5 file, but not one that hebatch wrote", path);
    }
    if (little_u64(head + HB_H5_END_OF_FILE) != file_bytes) {
        return HB_FAIL(HB_EDATA, "%s: has %" PRIu64 " bytes instead of %" PRIu64 ": it is damaged or cut short", path,
                       file_bytes, little_u64(head + HB_H5_END_OF_FILE));
    }
    return HB_OK;
}

hb_status hb_h5_open_descriptor(int fd, const char *path, uint64_t bytes, hid_t *file)
{
    /* Read without HDF5, which may crash on foreign files. */
    uint8_t head[HB_H5_SUPERBLOCK];
    char opened[64];
    hid_t access;
    HB_TRY(bytes < sizeof head ? HB_FAIL(HB_EDATA, "%s: is no HDF5 file", path)
                               : hb_read_at(fd, head, sizeof head, 0, path));
    HB_TRY(hb_h5_check_superblock(head, sizeof head, bytes, path));
    HB_TRY(hb_h5_access(&access));
    snprintf(opened, sizeof opened, "/proc/self/fd/%d", fd);
    const hb_status st =
        HB_H5(*file = H5Fopen(opened, H5F_ACC_RDONLY, access), HB_EDATA, "%s: cannot be opened as HDF5", path);
    hb_h5_close(access);
    return st;
}

/* Whether the file has no name any more. */
static bool is_gone(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && info.st_nlink == 0;
}

hb_status hb_h5_open_ours(const char *path, hid_t *file, uint64_t *file_bytes)
{
    enum { MOST_TURNS = 100 }; /* the index of a dataset that grows is replaced while others open it */
    for (int turn = 0;; turn++) {
        int fd;
        mode_t mode;
        HB_TRY(hb_open_file(path, true, &fd, file_bytes, &mode));
        const hb_status st = hb_h5_open_descriptor(fd, path, *file_bytes, file);
        const bool again = st != HB_OK && turn < MOST_TURNS && is_gone(fd); /* HDF5 opens nothing without a name */
        close(fd);
        if (!again) {
            return st;
        }
        hb_clear_error();
    }
}

hb_status hb_h5_create_group(hid_t at, const char *name, hid_t *group)
{
    hid_t creation;
    HB_TRY(HB_H5(creation = H5Pcreate(H5P_GROUP_CREATE), HB_ENOMEM, "group %s: cannot make HDF5 properties", name));
    /* Equal content makes equal files. */
    hb_status st = HB_H5(H5Pset_obj_track_times(creation, false), HB_EINTERNAL, "group %s: cannot drop times", name);
    if (st == HB_OK) {
        st = HB_H5(*group = H5Gcreate2(at, name, H5P_DEFAULT, creation, H5P_DEFAULT), HB_EIO,
                   "group %s: cannot be created", name);
    }
    hb_h5_close(creation);
    return st;
}

hb_status hb_h5_has(hid_t at, const char *name, const char *path, bool *there)
{
    htri_t found;
    HB_TRY(HB_H5(found = H5Lexists(at, name, H5P_DEFAULT), HB_EDATA, "%s: cannot look for '%s'", path, name));
    *there = found > 0;
    return HB_OK;
}

hb_status hb_h5_check_link(hid_t at, const char *name, const char *path)
{
    /* Our files hold plain members only. A link elsewhere in a file from others could name any file here. */
    H5L_info_t info;
    HB_TRY(HB_H5(H5Lget_info(at, name, &info, H5P_DEFAULT), HB_EDATA, "%s: has no '%s'", path, name));
    return info.type == H5L_TYPE_HARD ? HB_OK : HB_FAIL(HB_EDATA, "%s: '%s' is a link to elsewhere", path, name);
}

hb_status hb_h5_open_group(hid_t at, const char *name, const char *path, hid_t *group)
{
    HB_TRY(hb_h5_check_link(at, name, path));
    return HB_H5(*group = H5Gopen2(at, name, H5P_DEFAULT), HB_EDATA, "%s: cannot open group '%s'", path, name);
}

hb_status hb_h5_open_group_if_any(hid_t at, const char *name, const char *path, hid_t *group)
{
    bool there;
    *group = 0;
    HB_TRY(hb_h5_has(at, name, path, &there));
    return there ? hb_h5_open_group(at, name, path, group) : HB_OK;
}
