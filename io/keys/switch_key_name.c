/* Names of switching keys in a directory of keys (switch_key_file.h). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/base/durable.h"
#include "keyfile.h"
#include "switch_key_file.h"

#define GALOIS "galois-"

static void name_of(char name[32], uint32_t element)
{
    if (element == HB_RELINEARIZATION) {
        snprintf(name, 32, "relin.h5");
    } else {
        snprintf(name, 32, GALOIS "%u.h5", element);
    }
}

hb_status hb_switch_key_path(const char *directory, uint32_t element, char **path)
{
    char name[33] = "/";
    name_of(name + 1, element);
    return hb_path_with(directory, name, path);
}

/* Names that are spelled otherwise than we would are not ours. */
static bool is_key_name(const char *name, uint32_t *element)
{
    const bool galois = strncmp(name, GALOIS, strlen(GALOIS)) == 0;
    const unsigned long g = galois ? strtoul(name + strlen(GALOIS), NULL, 10) : HB_RELINEARIZATION;
    if (galois && (g % 2 == 0 || g >= (unsigned long)2 << HB_RING_MAX_LOG_N)) {
        return false;
    }
    char own[32];
    name_of(own, (uint32_t)g);
    *element = (uint32_t)g;
    return strcmp(name, own) == 0;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

hb_status hb_elements_add(hb_elements *list, uint32_t element)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->element[i] == element) {
            return HB_OK;
        }
    }
    uint32_t *longer = realloc(list->element, (list->count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    longer[list->count++] = element;
    list->element = longer;
    return HB_OK;
}

/* Calls `each` with every name in a directory of keys. HB_ENOINPUT when it cannot be opened. */
static hb_status each_name(const char *directory, hb_status (*each)(void *context, const char *name), void *context)
{
    DIR *folder = opendir(directory);
    if (!folder) {
        return HB_FAIL(HB_ENOINPUT, "%s: cannot be opened: %s", directory, strerror(errno));
    }
    hb_status st = HB_OK;
    const struct dirent *entry;
    while (st == HB_OK && (errno = 0, entry = readdir(folder)) != NULL) {
        st = each(context, entry->d_name);
    }
    if (st == HB_OK && errno != 0) { /* an end that is none: what was not seen may be a key */
        st = HB_FAIL(HB_EIO, "%s: cannot list the folder: %s", directory, strerror(errno));
    }
    closedir(folder);
    return st;
}

static hb_status add_if_key(void *context, const char *name)
{
    uint32_t element;
    return is_key_name(name, &element) ? hb_elements_add(context, element) : HB_OK;
}

hb_status hb_switch_key_list(const char *directory, uint32_t **elements, uint32_t *count)
{
    hb_elements found = {NULL, 0};
    *elements = NULL;
    *count = 0;
    const hb_status st = each_name(directory, add_if_key, &found);
    if (st != HB_OK) {
        free(found.element);
        return st;
    }
    if (found.count > 0) {
        qsort(found.element, found.count, sizeof *found.element, compare);
    }
    *elements = found.element;
    *count = found.count;
    return HB_OK;
}

/* What a process is writing stays; it is not waited for. */
static hb_status sweep_if_partial(void *context, const char *name)
{
    static const char partial[] = ".partial";
    char *const *directory = context;
    char suffix[64], *path;
    uint32_t element;
    bool busy;
    const size_t length = strlen(name), ending = sizeof partial - 1;
    if (length <= ending || length + 1 >= sizeof suffix || strcmp(name + length - ending, partial) != 0) {
        return HB_OK;
    }
    snprintf(suffix, sizeof suffix, "/%.*s", (int)(length - ending), name);
    const char *stem = suffix + 1;
    if (strcmp(stem, HB_KEYFILE_SECRET) != 0 && strcmp(stem, HB_KEYFILE_PUBLIC) != 0 && !is_key_name(stem, &element)) {
        return HB_OK;
    }
    strcat(suffix, partial);
    HB_TRY(hb_path_with(*directory, suffix, &path));
    const hb_status st = hb_pending_sweep(path, &busy);
    free(path);
    return st;
}

hb_status hb_key_folder_sweep(const char *directory)
{
    char *own;
    HB_TRY(hb_path_with(directory, "", &own));
    const hb_status st = each_name(own, sweep_if_partial, &own);
    free(own);
    return st;
}
