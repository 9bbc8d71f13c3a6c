#include "misplaced_argument.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "io/files/durable.h"
#include "io/keys/keyfile.h"

/* Returns the length of name[0 .. length) without the ending of a table's file; 0 if it has no such ending. */
static size_t stem_of_table(const char *name, size_t length)
{
    static const char *const endings[] = {".csv", ".h5", ".hdf5"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && strncasecmp(name + length - ending, endings[i], ending) == 0) {
            return length - ending;
        }
    }
    return 0;
}

/* The same of a table's name: behind a colon there may be that of a dataset in the file. */
static size_t stem_of_name(const char *output)
{
    const char *colon = strrchr(output, ':');
    const size_t whole = stem_of_table(output, strlen(output));
    return whole > 0 || colon == NULL ? whole : stem_of_table(output, (size_t)(colon - output));
}

hb_status hb_misplaced_part_name(const char *output)
{
    const size_t stem = stem_of_name(output);
    if (strcmp(output, "-") == 0) {
        return HB_FAIL(HB_EUSAGE, "-: a part is a folder, and does not go to standard output: name it OUT.part");
    }
    return stem == 0 ? HB_OK
                     : HB_FAIL(HB_EUSAGE,
                               "%.120s: a part is no table: name it %.*s.part; hebatch combine makes the table from "
                               "the parts of all",
                               output, (int)(stem < 120 ? stem : 120), output);
}

hb_status hb_misplaced_dataset_name(const char *output)
{
    const size_t stem = stem_of_name(output);
    if (stem != 0) {
        return HB_FAIL(HB_EUSAGE, "%.120s: results are encrypted datasets: name it %.*s.heb, then decrypt it to %.120s",
                       output, (int)(stem < 120 ? stem : 120), output, output);
    }
    return HB_OK;
}

/* Names the keys that are in the directory. */
static hb_status refuse_directory(const char *directory)
{
    char *secret = NULL, *public = NULL;
    hb_status st;
    HB_GOTO(hb_path_with(directory, "/" HB_KEYFILE_SECRET, &secret));
    HB_GOTO(hb_path_with(directory, "/" HB_KEYFILE_PUBLIC, &public));
    /* Suggests only keys that exist in the directory. */
    bool one, other;
    HB_GOTO(hb_path_is_there(secret, &one));
    HB_GOTO(hb_path_is_there(public, &other));
    st = one || other ? HB_FAIL(HB_ENOINPUT, "%.120s is a directory: did you mean %.120s%s%.120s?", directory,
                                one ? secret : public, one && other ? " or " : "", one && other ? public : "")
                      : HB_FAIL(HB_ENOINPUT, "%.120s is a directory, and has no key pair: give a key file", directory);
done:
    free(secret);
    free(public);
    return st;
}

hb_status hb_misplaced_public_key_directory(const char *path)
{
    char *public;
    bool there;
    if (!hb_path_is_folder(path)) {
        return HB_OK;
    }
    HB_TRY(hb_path_with(path, "/" HB_KEYFILE_PUBLIC, &public));
    hb_status st = hb_path_is_there(public, &there);
    if (st == HB_OK) {
        st = there ? HB_FAIL(HB_ENOINPUT, "%.120s is a directory: did you mean %.120s?", path, public)
                   : HB_FAIL(HB_ENOINPUT, "%.120s is a directory, and has no public key: give a public.h5", path);
    }
    free(public);
    return st;
}

hb_status hb_misplaced_key_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) ? refuse_directory(path) : HB_OK;
}
