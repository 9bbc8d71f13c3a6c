/* Removes files that killed jobs left under unique names. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"
#include "file_lock.h"

bool hb_file_lock_is_own_name(const char *entry, const char *base)
{
    const size_t length = strlen(base);
    return strncmp(entry, base, length) == 0 && entry[length] == '.' &&
           strspn(entry + length + 1, "0123456789abcdef") == HB_FILE_LOCK_DIGITS &&
           entry[length + 1 + HB_FILE_LOCK_DIGITS] == '\0';
}

/* The lock tells a leftover from the output that a living job is about to place; it is held while the leftover is
 * removed. */
static void remove_left(const char *own, hb_status (*remove)(const char *own))
{
    int fd;
    if (hb_file_lock_take(own, &fd) == HB_OK) {
        (void)remove(own);
        close(fd);
    }
}

/* Looks through the folder that holds `whole`, a path without trailing slashes; names of one's own stand beside it. */
static void sweep(DIR *folder, const char *whole, hb_status (*remove)(const char *own))
{
    const char *slash = strrchr(whole, '/'), *base = slash != NULL ? slash + 1 : whole;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char *own;
        /* Names that only look similar belong to the user and stay. */
        if (hb_file_lock_is_own_name(entry->d_name, base) &&
            hb_path_with(whole, entry->d_name + strlen(base), &own) == HB_OK) {
            remove_left(own, remove);
            free(own);
        }
    }
}

void hb_file_lock_sweep(const char *path, hb_status (*remove)(const char *own))
{
    /* A sweep may come behind a failure whose text the user is still to see. */
    const hb_error before = *hb_last_error();
    char *name = NULL, *whole = NULL;
    DIR *folder = NULL;
    if (hb_folder_of(path, &name) == HB_OK && hb_path_with(path, "", &whole) == HB_OK) {
        /* Leftovers stand beside their final names. */
        folder = opendir(name);
    }
    if (folder != NULL) {
        sweep(folder, whole, remove);
        closedir(folder);
    }
    free(name);
    free(whole);
    hb_set_error(&before);
}
