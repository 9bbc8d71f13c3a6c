/* The files that an import is given, as operands of a command line. */
#ifndef HB_SEAL_FILES_H
#define HB_SEAL_FILES_H

#include <stddef.h>

#include "base/status.h"

typedef struct hb_seal_files {
    char **path; /* [count], owned */
    size_t count;
    const char *folder; /* the only operand, a directory, borrowed; or NULL */
} hb_seal_files;

/* Operands in their order; in the place of a directory its *.seal by name, where ct-2 comes before ct-10. Files of
 * parameters and keys, which are told by their names (folder.h), are passed over: what a shell makes of all *.seal
 * in a folder will do. HB_ENOINPUT when one is not there, or when none is left. The caller clears, also after a
 * failure. */
hb_status hb_seal_files_list(hb_seal_files *files, char *const *operands, size_t operand_count);
/* The first i >= 1 for which path i - 1 comes before path i by letters, as a shell sorts, but behind it by its number;
 * else a number of at least count. */
size_t hb_seal_files_misuse(const hb_seal_files *files);
void hb_seal_files_clear(hb_seal_files *files);

#endif
