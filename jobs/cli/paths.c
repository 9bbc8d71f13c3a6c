#include "paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files/durable.h"
#include "io/table/table.h"

/* A path of the job. */
typedef struct owner {
    const char *name; /* as it was said */
    bool output;
} owner;

/* A place that a path is, or lies in. */
typedef struct place {
    dev_t device;
    ino_t inode;
    uint32_t owner;
    bool itself; /* the path, or its NAME.partial; else a folder that it lies in */
} place;

/* A path without slashes at its end, which may be that of another one though nothing is there yet. */
typedef struct spelling {
    char *text; /* owned */
    uint32_t owner;
} spelling;

typedef struct places {
    owner *owners;
    spelling *spellings;
    place *list;
    size_t owner_count, spelling_count, count, room;
    char *start; /* whose folders are the last ones of the list, from `folders` on; owned; NULL: none */
    size_t folders, folder_count;
} places;

static void clear(places *p)
{
    for (size_t i = 0; i < p->spelling_count; i++) {
        free(p->spellings[i].text);
    }
    free(p->owners);
    free(p->spellings);
    free(p->list);
    free(p->start);
}

static hb_status add_place(places *p, place of)
{
    if (p->count == p->room) {
        const size_t room = 2 * p->room + 64;
        place *grown = realloc(p->list, room * sizeof *grown);
        if (grown == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the paths of a job");
        }
        p->list = grown;
        p->room = room;
    }
    p->list[p->count++] = of;
    return HB_OK;
}

/* Adds the folder `start` and all that it lies in, up from its real path, so that links do not hide anything. Most
 * outputs are in one folder, which is looked at once. */
static hb_status add_folders(places *p, const char *start, uint32_t number)
{
    if (p->start != NULL && strcmp(p->start, start) == 0) {
        for (size_t i = 0; i < p->folder_count; i++) {
            place of = p->list[p->folders + i];
            of.owner = number;
            HB_TRY(add_place(p, of));
        }
        return HB_OK;
    }
    char *real = realpath(start, NULL);
    hb_status st = HB_OK;
    free(p->start);
    p->start = strdup(start);
    p->folders = p->count;
    while (real != NULL && st == HB_OK) {
        struct stat info;
        if (stat(real, &info) == 0) {
            st = add_place(p, (place){info.st_dev, info.st_ino, number, false});
        }
        /* One folder up; a real path has no links and no "..". */
        char *slash = strrchr(real, '/');
        if (slash == real && slash[1] == '\0') {
            break;
        }
        slash[slash == real] = '\0'; /* the root keeps its slash */
    }
    p->folder_count = p->count - p->folders;
    free(real);
    return st;
}

/* The folder that holds a path, of one that is there its real path's. */
static hb_status folder_of(const char *path, bool there, char **folder)
{
    char *real = there ? realpath(path, NULL) : NULL;
    const hb_status st = hb_folder_of(real != NULL ? real : path, folder);
    free(real);
    return st;
}

/* Adds a path, which need not exist, with this suffix. */
static hb_status add_path(places *p, const char *path, const char *suffix, uint32_t number)
{
    struct stat info;
    char *text, *folder = NULL;
    HB_TRY(hb_path_with(path, suffix, &text));
    p->spellings[p->spelling_count++] = (spelling){text, number};
    const bool there = stat(text, &info) == 0;
    if (!there && errno != ENOENT && errno != ENOTDIR) {
        return HB_FAIL(HB_ENOINPUT, "%s: cannot look at it: %s", text, strerror(errno));
    }
    hb_status st = folder_of(text, there, &folder);
    if (st == HB_OK && there) {
        st = add_place(p, (place){info.st_dev, info.st_ino, number, true});
    }
    st = st == HB_OK ? add_folders(p, folder, number) : st;
    free(folder);
    return st;
}

static hb_status add_owner(places *p, const char *name, const char *file, bool output)
{
    owner *owners = realloc(p->owners, (p->owner_count + 1) * sizeof *owners);
    p->owners = owners != NULL ? owners : p->owners;
    spelling *spellings = realloc(p->spellings, (p->spelling_count + 2) * sizeof *spellings);
    p->spellings = spellings != NULL ? spellings : p->spellings;
    if (owners == NULL || spellings == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the paths of a job");
    }
    const uint32_t number = (uint32_t)p->owner_count++;
    p->owners[number] = (owner){name, output};
    HB_TRY(add_path(p, file, "", number));
    /* The output is written as NAME.partial, which then replaces it. */
    return output ? add_path(p, file, ".partial", number) : HB_OK;
}

/* Refuses two paths, of which one is an output. */
static hb_status refuse(const places *p, uint32_t one, uint32_t other)
{
    const owner *x = &p->owners[one > other ? one : other], *y = &p->owners[one > other ? other : one];
    if (x->output && y->output) {
        return HB_FAIL(HB_EUSAGE, "%s would be made twice, or inside %s", x->name, y->name);
    }
    return HB_FAIL(HB_EUSAGE,
                   "%s is read, and %s or its .partial would be the same or one of them inside the other: give the "
                   "result another name",
                   (x->output ? y : x)->name, (x->output ? x : y)->name);
}

static int compare_spellings(const void *a, const void *b)
{
    const spelling *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->owner > y->owner) - (x->owner < y->owner);
}

/* Inputs may be read twice, and come behind the outputs of the same text. */
static hb_status check_spellings(const places *p)
{
    for (size_t i = 1; i < p->spelling_count; i++) {
        const spelling *x = &p->spellings[i - 1], *y = &p->spellings[i];
        if (x->owner != y->owner && p->owners[x->owner].output && strcmp(x->text, y->text) == 0) {
            return refuse(p, x->owner, y->owner);
        }
    }
    return HB_OK;
}

/* The paths themselves come before folders, and outputs before inputs, as their numbers do. */
static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    if (x->inode != y->inode) {
        return x->inode < y->inode ? -1 : 1;
    }
    if (x->itself != y->itself) {
        return x->itself ? -1 : 1;
    }
    return (x->owner > y->owner) - (x->owner < y->owner);
}

/* Checks the places of one file or folder: where one of them is a path, no other path lies in it, unless both are
 * read. */
static hb_status check_group(const places *p, const place *group, size_t count)
{
    for (size_t i = 1; group[0].itself && i < count; i++) {
        const bool output = p->owners[group[0].owner].output || p->owners[group[i].owner].output;
        if (output && group[i].owner != group[0].owner) {
            return refuse(p, group[0].owner, group[i].owner);
        }
    }
    return HB_OK;
}

static hb_status check_places(const places *p)
{
    for (size_t i = 0, end; i < p->count; i = end) {
        end = i + 1;
        while (end < p->count && p->list[end].device == p->list[i].device && p->list[end].inode == p->list[i].inode) {
            end++;
        }
        HB_TRY(check_group(p, p->list + i, end - i));
    }
    return HB_OK;
}

/* Adds an input: a dataset, or the files of tables, which must not be replaced. */
static hb_status add_input(places *p, const char *input, hb_table_names *names)
{
    if (hb_table_names_find(hb_table_list_of(&input), names) != HB_OK) {
        hb_clear_error(); /* a dataset */
        return add_owner(p, input, input, false);
    }
    hb_status st = HB_OK;
    for (size_t i = 0; st == HB_OK && i < names->count; i++) {
        char *file = NULL, *dataset = NULL;
        st = hb_table_name_split(names->name[i], &file, &dataset); /* FILE.h5:/DATASET names a file */
        st = st == HB_OK ? add_owner(p, names->name[i], file, false) : st;
        free(file);
        free(dataset);
    }
    return st;
}

hb_status hb_paths_check(const char *const *outputs, size_t output_count, const char *const *inputs, size_t input_count)
{
    places p = {.owners = NULL};
    hb_table_names *names = calloc(input_count + 1, sizeof *names); /* messages name files of patterns */
    hb_status st = names != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the paths of a job");
    for (size_t o = 0; st == HB_OK && o < output_count; o++) {
        st = add_owner(&p, outputs[o], outputs[o], true);
    }
    for (size_t i = 0; st == HB_OK && i < input_count; i++) {
        st = add_input(&p, inputs[i], &names[i]);
    }
    if (st == HB_OK && p.count > 0) {
        qsort(p.list, p.count, sizeof *p.list, compare_places);
    }
    if (st == HB_OK && p.spelling_count > 0) {
        qsort(p.spellings, p.spelling_count, sizeof *p.spellings, compare_spellings);
    }
    st = st == HB_OK ? check_spellings(&p) : st;
    st = st == HB_OK ? check_places(&p) : st;
    for (size_t i = 0; names != NULL && i < input_count; i++) {
        hb_table_names_clear(&names[i]);
    }
    free(names);
    clear(&p);
    return st;
}

hb_status hb_path_disk(const char *path, uint64_t *disk)
{
    char *folder;
    struct stat info;
    /* The file itself is not there yet. */
    HB_TRY(hb_folder_of(path, &folder));
    const hb_status st =
        stat(folder, &info) == 0 ? HB_OK : HB_FAIL(HB_ECREATE, "%s: cannot look at it: %s", folder, strerror(errno));
    *disk = st == HB_OK ? (uint64_t)info.st_dev : 0;
    free(folder);
    return st;
}

hb_status hb_inputs_are_there(const char *const *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct stat info;
        if (stat(inputs[i], &info) != 0) {
            return HB_FAIL(HB_ENOINPUT, "%s: cannot open the dataset: %s", inputs[i], strerror(errno));
        }
    }
    return HB_OK;
}
