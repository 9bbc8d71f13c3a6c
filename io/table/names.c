/* Names that stand for several tables: lists, and patterns as a shell has them. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table_private.h"

void hb_table_names_clear(hb_table_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->name[i]);
    }
    free(names->name);
    *names = (hb_table_names){.count = 0};
}

static hb_status no_memory(const char *name)
{
    return HB_FAIL(HB_ENOMEM, "%s: no memory for names of tables", name);
}

/* Adds a file with the text behind it in the name. */
static hb_status add(hb_table_names *names, const char *file, const char *behind)
{
    char **more = realloc(names->name, (names->count + 1) * sizeof *more);
    if (more == NULL) {
        return no_memory(file);
    }
    names->name = more;
    const size_t length = strlen(file) + strlen(behind) + 1;
    more[names->count] = malloc(length);
    if (more[names->count] == NULL) {
        return no_memory(file);
    }
    strcpy(more[names->count], file);
    strcat(more[names->count], behind);
    names->count++;
    return HB_OK;
}

hb_status hb_table_names_add(hb_table_names *names, const char *file, const char *behind)
{
    if (strpbrk(file, "*?[") == NULL || access(file, F_OK) == 0) {
        return add(names, file, behind);
    }
    glob_t found;
    const int result = glob(file, GLOB_ERR, NULL, &found);
    hb_status st = HB_OK;
    if (result == GLOB_NOSPACE) {
        st = no_memory(file);
    } else if (result != 0) {
        st = HB_FAIL(HB_ENOINPUT, "%s: no file has a name of this pattern", file);
    }
    for (size_t i = 0; st == HB_OK && i < found.gl_pathc; i++) {
        st = add(names, found.gl_pathv[i], behind);
    }
    globfree(&found);
    return st;
}

hb_status hb_table_names_find(hb_table_list list, hb_table_names *names)
{
    *names = (hb_table_names){.count = 0};
    hb_status st = HB_OK;
    for (size_t i = 0; st == HB_OK && i < list.count; i++) {
        char *file = NULL, *dataset = NULL;
        st = hb_table_name_split(list.name[i], &file, &dataset);
        /* The text behind the file is a part of the name as it was given. */
        st = st == HB_OK ? hb_table_names_add(names, file, dataset != NULL ? list.name[i] + strlen(file) : "") : st;
        if (st == HB_OK && names->count > HB_MOST_TABLES) {
            st = HB_FAIL(HB_EUSAGE, "%s: is more than table %d of one", names->name[HB_MOST_TABLES], HB_MOST_TABLES);
        }
        free(dataset);
        free(file);
    }
    if (st != HB_OK) {
        hb_table_names_clear(names);
    }
    return st;
}
