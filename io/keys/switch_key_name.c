/* Names of switching keys in a directory of keys (switch_key_file.h). */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"
#include "keyfile.h"
#include "switch_key_file.h"

enum { NAME = 40 };

/* The names of sorts before HB_KEY_REKEY. */
static const char *const stems[HB_KEY_REKEY] = {[HB_KEY_RELINEARIZATION] = "relin",
                                                [HB_KEY_GALOIS] = "galois",
                                                [HB_KEY_TO_SPARSE] = "to-sparse",
                                                [HB_KEY_FROM_SPARSE] = "from-sparse"};

static void spell(char text[NAME], hb_key_name name)
{
    char element[16] = "", limbs[16] = "";
    HB_ASSERT(name.sort < HB_KEY_REKEY);
    if (name.sort == HB_KEY_GALOIS) {
        snprintf(element, sizeof element, "-%" PRIu32, name.element);
    }
    if (name.limbs != 0) {
        snprintf(limbs, sizeof limbs, "-%" PRIu32, name.limbs);
    }
    snprintf(text, NAME, "%s%s%s.h5", stems[name.sort], element, limbs);
}

hb_status hb_switch_key_path(const char *directory, hb_key_name name, char **path)
{
    char text[NAME + 1] = "/";
    spell(text + 1, name);
    return hb_path_with(directory, text, path);
}

/* Takes "-NUMBER" from *at on; 0 where it is not there. */
static uint32_t take_number(const char **at)
{
    char *end = NULL;
    const unsigned long number = **at == '-' ? strtoul(*at + 1, &end, 10) : 0;
    *at = end != NULL ? end : *at;
    return number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Names that are spelled otherwise than we would are not ours. */
static bool is_key_name(const char *text, hb_key_name *name)
{
    for (int sort = 0; sort < HB_KEY_REKEY; sort++) {
        const size_t length = strlen(stems[sort]);
        if (strncmp(text, stems[sort], length) != 0) {
            continue;
        }
        const bool galois = sort == HB_KEY_GALOIS, levels = galois || sort == HB_KEY_RELINEARIZATION;
        const char *at = text + length;
        *name = (hb_key_name){.sort = (hb_key_sort)sort};
        name->element = galois ? take_number(&at) : 0;
        name->limbs = levels ? take_number(&at) : 0;
        char own[NAME];
        spell(own, *name);
        const bool element = !galois || (name->element % 2 == 1 && name->element < (uint32_t)2 << HB_RING_MAX_LOG_N);
        return element && name->limbs < HB_MAX_LIMBS && strcmp(text, own) == 0;
    }
    return false;
}

static bool is_rekey_name(const char *text)
{
    static const char form[] = "rekey-########-########.h5"; /* a hexadecimal digit for each # */
    const size_t length = sizeof form - 1;
    bool is = strlen(text) == length;
    for (size_t i = 0; is && i < length; i++) {
        is = form[i] == '#' ? strchr("0123456789abcdef", text[i]) != NULL : form[i] == text[i];
    }
    return is;
}

hb_key_name hb_key_name_of(const hb_params_spec *spec, const hb_key_purpose *purpose)
{
    HB_ASSERT(purpose->gadget == NULL);
    if (purpose->source == HB_TO_SPARSE || purpose->source == HB_FROM_SPARSE) {
        return (hb_key_name){.sort = purpose->source == HB_TO_SPARSE ? HB_KEY_TO_SPARSE : HB_KEY_FROM_SPARSE};
    }
    hb_key_name name = hb_key_for_all_levels(purpose->element);
    name.sort = purpose->source == HB_FROM_SECRET ? HB_KEY_REKEY : name.sort;
    name.limbs = purpose->limbs == hb_spec_data_limbs(spec) ? 0 : purpose->limbs;
    return name;
}

hb_key_purpose hb_key_purpose_of_name(const hb_params_spec *spec, hb_key_name name)
{
    if (name.sort == HB_KEY_TO_SPARSE || name.sort == HB_KEY_FROM_SPARSE) {
        return (hb_key_purpose){.source = name.sort == HB_KEY_TO_SPARSE ? HB_TO_SPARSE : HB_FROM_SPARSE};
    }
    hb_key_purpose purpose = hb_key_purpose_of(spec, name.element);
    purpose.source = name.sort == HB_KEY_REKEY ? HB_FROM_SECRET : purpose.source;
    purpose.limbs = name.limbs;
    return purpose;
}

uint32_t hb_key_name_limbs(const hb_params_spec *spec, hb_key_name name)
{
    return name.sort == HB_KEY_TO_SPARSE ? 1 : name.limbs != 0 ? name.limbs : hb_spec_data_limbs(spec);
}

/* For levels the highest first. */
static int compare(const void *x, const void *y)
{
    const hb_key_name *a = x, *b = y;
    if (a->sort != b->sort) {
        return (a->sort > b->sort) - (a->sort < b->sort);
    }
    return a->element != b->element ? (a->element > b->element) - (a->element < b->element)
                                    : (b->limbs - 1 > a->limbs - 1) - (b->limbs - 1 < a->limbs - 1); /* 0: all */
}

hb_status hb_key_names_add(hb_key_names *list, hb_key_name name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (hb_key_name_same(list->name[i], name)) {
            return HB_OK;
        }
    }
    hb_key_name *longer = realloc(list->name, (list->count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    longer[list->count++] = name;
    list->name = longer;
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
    if (st == HB_OK && errno != 0) { /* a listing that failed: an entry that was not seen may be a key */
        st = HB_FAIL(HB_EIO, "%s: cannot list the folder: %s", directory, strerror(errno));
    }
    closedir(folder);
    return st;
}

static hb_status add_if_key(void *context, const char *text)
{
    hb_key_name name;
    return is_key_name(text, &name) ? hb_key_names_add(context, name) : HB_OK;
}

hb_status hb_switch_key_list(const char *directory, hb_key_names *names)
{
    hb_key_names found = {NULL, 0};
    *names = found;
    const hb_status st = each_name(directory, add_if_key, &found);
    if (st != HB_OK) {
        free(found.name);
        return st;
    }
    if (found.count > 0) {
        qsort(found.name, found.count, sizeof *found.name, compare);
    }
    *names = found;
    return HB_OK;
}

static hb_status add_if_rekey(void *context, const char *text)
{
    hb_rekey_names *list = context;
    if (!is_rekey_name(text)) {
        return HB_OK;
    }
    char(*longer)[HB_REKEY_NAME] = realloc(list->name, (list->count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    list->name = longer;
    strcpy(longer[list->count++], text);
    return HB_OK;
}

static int compare_texts(const void *x, const void *y)
{
    return strcmp(x, y);
}

hb_status hb_rekey_list(const char *directory, hb_rekey_names *names)
{
    hb_rekey_names found = {NULL, 0};
    *names = found;
    const hb_status st = each_name(directory, add_if_rekey, &found);
    if (st != HB_OK) {
        free(found.name);
        return st;
    }
    if (found.count > 0) {
        qsort(found.name, found.count, sizeof *found.name, compare_texts);
    }
    *names = found;
    return HB_OK;
}

/* A file that a process is writing stays, without a wait. */
static hb_status sweep_if_partial(void *context, const char *name)
{
    static const char partial[] = ".partial";
    char *const *directory = context;
    char suffix[64], *path;
    hb_key_name key;
    bool busy;
    const size_t length = strlen(name), ending = sizeof partial - 1;
    if (length <= ending || length + 1 >= sizeof suffix || strcmp(name + length - ending, partial) != 0) {
        return HB_OK;
    }
    snprintf(suffix, sizeof suffix, "/%.*s", (int)(length - ending), name);
    const char *stem = suffix + 1;
    if (strcmp(stem, HB_KEYFILE_SECRET) != 0 && strcmp(stem, HB_KEYFILE_PUBLIC) != 0 && !is_key_name(stem, &key) &&
        !is_rekey_name(stem)) {
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
