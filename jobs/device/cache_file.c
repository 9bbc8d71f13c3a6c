#include "cache_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/base/durable.h"

hb_status hb_cache_path(const char *name, char **path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool own = cache != NULL && cache[0] == '/'; /* a relative one is to be ignored, the specification says */
    *path = NULL;
    if (!own && (home == NULL || home[0] != '/')) {
        return HB_OK;
    }
    if (asprintf(path, "%s%s/hebatch/%s", own ? cache : home, own ? "" : "/.cache", name) < 0) {
        *path = NULL;
        return HB_FAIL(HB_ENOMEM, "no memory for the name of a file");
    }
    return HB_OK;
}

/* The folder that holds `path`, and the one above. */
static hb_status make_folders(const char *path)
{
    char *folder, *above = NULL;
    HB_TRY(hb_folder_of(path, &folder));
    hb_status st = hb_folder_of(folder, &above);
    HB_GOTO(st);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? above : folder;
        if (mkdir(name, 0700) != 0 && errno != EEXIST) {
            HB_GOTO(HB_FAIL(HB_ECREATE, "%s: cannot make the folder: %s", name, strerror(errno)));
        }
    }
done:
    free(above);
    free(folder);
    return st;
}

hb_status hb_cache_write(const char *path, const char *text)
{
    HB_TRY(make_folders(path));
    return hb_write_file(path, text, strlen(text), 0600, true);
}
