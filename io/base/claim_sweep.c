/* What jobs that were killed left under names of their own. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "durable.h"

bool hb_claim_is_own_name(const char *entry, const char *base)
{
    const size_t length = strlen(base);
    return strncmp(entry, base, length) == 0 && entry[length] == '.' &&
           strspn(entry + length + 1, "0123456789abcdef") == HB_CLAIM_DIGITS &&
           entry[length + 1 + HB_CLAIM_DIGITS] == '\0';
}

static void remove_left(const char *own, hb_status (*remove)(const char *own))
{
    int fd;
    if (hb_claim_take(own, &fd) == HB_OK) {
        (void)remove(own);
        close(fd);
    }
}

/* `whole`: the path of NAME without trailing slashes; the entries are beside it. */
static void sweep(DIR *folder, const char *whole, hb_status (*remove)(const char *own))
{
    const char *slash = strrchr(whole, '/'), *base = slash != NULL ? slash + 1 : whole;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char *own;
        if (hb_claim_is_own_name(entry->d_name, base) &&
            hb_path_with(whole, entry->d_name + strlen(base), &own) == HB_OK) {
            remove_left(own, remove);
            free(own);
        }
    }
}

void hb_claim_sweep(const char *path, hb_status (*remove)(const char *own))
{
    const hb_error before = *hb_last_error();
    char *name = NULL, *whole = NULL;
    DIR *folder = NULL;
    if (hb_folder_of(path, &name) == HB_OK && hb_path_with(path, "", &whole) == HB_OK) {
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
