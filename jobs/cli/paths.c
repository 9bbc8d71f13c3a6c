#include "paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files/durable.h"
#include "io/table/table.h"

static bool same_place(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Tells whether `path`, which need not exist, or one of the folders that it lies in, is `folder`. It goes up from the
 * real path, so that links do not hide anything. A path that is not there holds nothing. */
static hb_status lies_in(const char *path, const char *folder, bool *inside)
{
    struct stat target, here;
    char *start = NULL, *real = NULL;
    *inside = false;
    if (stat(folder, &target) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) {
            return HB_FAIL(HB_ENOINPUT, "%s: cannot look at it: %s", folder, strerror(errno));
        }
        return HB_OK;
    }
    if (stat(path, &here) == 0) {
        /* Without trailing slashes, which realpath would take as a wish for a folder. */
        HB_TRY(hb_path_with(path, "", &start));
    } else {
        HB_TRY(hb_folder_of(path, &start));
    }
    real = realpath(start, NULL);
    free(start);
    while (real != NULL && !*inside) {
        *inside = stat(real, &here) == 0 && same_place(&here, &target);
        /* One folder up; a real path has no links and no "..". */
        char *slash = strrchr(real, '/');
        if (slash == real && slash[1] == '\0') {
            break;
        }
        slash[slash == real] = '\0'; /* the root keeps its slash */
    }
    free(real);
    return HB_OK;
}

/* Tells whether either lies inside the other. Equal names count, also where nothing is there yet. */
static hb_status overlap(const char *a, const char *b, bool *any)
{
    bool inside = false;
    *any = strcmp(a, b) == 0;
    if (!*any) {
        HB_TRY(lies_in(a, b, &inside));
    }
    *any |= inside;
    if (!*any) {
        HB_TRY(lies_in(b, a, &inside));
    }
    *any |= inside;
    return HB_OK;
}

/* The output is written as NAME.partial, which then replaces it: neither may be the other path. */
static hb_status check_with_partial(const char *output, const char *other, bool *any)
{
    char *partial;
    HB_TRY(overlap(output, other, any));
    if (*any) {
        return HB_OK;
    }
    HB_TRY(hb_path_with(output, ".partial", &partial));
    const hb_status st = overlap(partial, other, any);
    free(partial);
    return st;
}

static hb_status check_file(const char *output, const char *file, const char *input)
{
    bool any;
    HB_TRY(check_with_partial(output, file, &any));
    if (any) {
        return HB_FAIL(HB_EUSAGE,
                       "%s is read, and %s or its .partial would be the same or one of them inside the other: give the "
                       "result another name",
                       input, output);
    }
    return HB_OK;
}

hb_status hb_paths_check_input(const char *output, const char *input)
{
    hb_table_names names;
    if (hb_table_names_find(hb_table_list_of(&input), &names) != HB_OK) {
        hb_clear_error(); /* a dataset */
        return check_file(output, input, input);
    }
    hb_status st = HB_OK;
    for (size_t i = 0; st == HB_OK && i < names.count; i++) {
        char *file = NULL, *dataset = NULL;
        /* FILE.h5:/DATASET names a file, which must not be replaced. */
        st = hb_table_name_split(names.name[i], &file, &dataset);
        st = st == HB_OK ? check_file(output, file, names.name[i]) : st;
        free(file);
        free(dataset);
    }
    hb_table_names_clear(&names);
    return st;
}

hb_status hb_paths_check_outputs(const char *a, const char *b)
{
    bool any, also;
    HB_TRY(check_with_partial(a, b, &any));
    HB_TRY(check_with_partial(b, a, &also));
    return any || also ? HB_FAIL(HB_EUSAGE, "%s would be made twice, or inside %s", a, b) : HB_OK;
}

static hb_status disk_of(const char *path, dev_t *disk)
{
    char *folder;
    struct stat info;
    /* The file itself is not there yet. */
    HB_TRY(hb_folder_of(path, &folder));
    const hb_status st =
        stat(folder, &info) == 0 ? HB_OK : HB_FAIL(HB_ECREATE, "%s: cannot look at it: %s", folder, strerror(errno));
    *disk = st == HB_OK ? info.st_dev : 0;
    free(folder);
    return st;
}

hb_status hb_path_same_disk(const char *a, const char *b, bool *same)
{
    dev_t disk[2];
    HB_TRY(disk_of(a, &disk[0]));
    HB_TRY(disk_of(b, &disk[1]));
    *same = disk[0] == disk[1];
    return HB_OK;
}
