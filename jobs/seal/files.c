#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "folder.h"

void hb_seal_files_clear(hb_seal_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->path[i]);
    }
    free(files->path);
    *files = (hb_seal_files){.count = 0};
}

static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {HB_SEAL_PARAMETERS, HB_SEAL_SECRET, HB_SEAL_PUBLIC, HB_SEAL_RELINEARIZATION,
                                           HB_SEAL_GALOIS};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcmp(name, reserved[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Takes the path over. */
static hb_status add(hb_seal_files *files, char *path)
{
    if ((files->count & (files->count - 1)) == 0) { /* full: there is room for powers of two */
        char **more = realloc(files->path, (files->count > 0 ? 2 * files->count : 1) * sizeof *more);
        if (more == NULL) {
            free(path);
            return HB_FAIL(HB_ENOMEM, "no memory for the names of %zu files", files->count);
        }
        files->path = more;
    }
    files->path[files->count++] = path;
    return HB_OK;
}

static int is_wanted(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), suffix = strlen(".seal");
    return length > suffix && strcmp(entry->d_name + length - suffix, ".seal") == 0 && !is_reserved(entry->d_name);
}

static hb_status add_folder(hb_seal_files *files, const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_wanted, versionsort);
    if (count < 0) {
        return HB_FAIL(HB_ENOINPUT, "%s: %s", folder, strerror(errno));
    }
    hb_status st = HB_OK;
    for (int i = 0; i < count; i++) {
        char *path;
        st = st == HB_OK ? hb_seal_path(folder, entries[i]->d_name, &path) : st;
        st = st == HB_OK ? add(files, path) : st;
        free(entries[i]);
    }
    free(entries);
    return st;
}

static hb_status add_operand(hb_seal_files *files, const char *operand)
{
    struct stat status;
    const char *slash = strrchr(operand, '/');
    if (stat(operand, &status) != 0) {
        return HB_FAIL(HB_ENOINPUT, "%s: %s", operand, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return add_folder(files, operand);
    }
    if (is_reserved(slash != NULL ? slash + 1 : operand)) {
        return HB_OK;
    }
    char *path = strdup(operand);
    return path != NULL ? add(files, path) : HB_FAIL(HB_ENOMEM, "no memory for the name of a file");
}

size_t hb_seal_files_misuse(const hb_seal_files *files)
{
    size_t i = 1;
    while (i < files->count &&
           !(strcmp(files->path[i - 1], files->path[i]) < 0 && strverscmp(files->path[i - 1], files->path[i]) > 0)) {
        i++;
    }
    return i;
}

hb_status hb_seal_files_list(hb_seal_files *files, char *const *operands, size_t operand_count)
{
    *files = (hb_seal_files){.count = 0};
    for (size_t i = 0; i < operand_count; i++) {
        HB_TRY(add_operand(files, operands[i]));
    }
    struct stat status;
    if (operand_count == 1 && stat(operands[0], &status) == 0 && S_ISDIR(status.st_mode)) {
        files->folder = operands[0];
    }
    return files->count > 0
               ? HB_OK
               : HB_FAIL(HB_ENOINPUT, "%s: no *.seal there but parameters and keys, which --keys imports", operands[0]);
}
