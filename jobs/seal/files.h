/* The files of an import, from the operands of a command line. */
#ifndef HB_SEAL_FILES_H
#define HB_SEAL_FILES_H

#include <stddef.h>

#include "base/status.h"

typedef struct hb_seal_files {
    char **path; /* [count], owned */
    size_t count;
    const char *folder; /* the only operand, if it is a directory, borrowed; else NULL */
} hb_seal_files;

/* Lists the operands in their order, and for a directory its *.seal by name, where ct-2 comes before ct-10. Skips files
 * of parameters and keys, which it knows by their names (folder.h), so that all *.seal files of a folder may be named.
 * HB_ENOINPUT when a file does not exist, or none is left. The caller clears, also after a failure. */
hb_status hb_seal_files_list(hb_seal_files *files, char *const *operands, size_t operand_count);
/* Returns the first i >= 1 for which path i - 1 sorts before path i by letters, as in a shell, but after it by number;
 * else a number of at least count. */
size_t hb_seal_files_misuse(const hb_seal_files *files);
void hb_seal_files_clear(hb_seal_files *files);

#endif
