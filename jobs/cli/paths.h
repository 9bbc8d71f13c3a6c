/* Where the paths of a job lie relative to one another, whatever they are called: by device and inode. */
#ifndef HB_CLI_PATHS_H
#define HB_CLI_PATHS_H

#include <stdbool.h>

#include "base/status.h"

/* HB_EUSAGE when `input` (a dataset, a table as it is named, or a file) and the dataset `output`, or its NAME.partial,
 * are the same or one lies inside the other: replacing the output would cost the input. */
hb_status hb_paths_check_input(const char *output, const char *input);
/* The same of two outputs. */
hb_status hb_paths_check_outputs(const char *a, const char *b);
/* Whether two paths that may not exist yet, in folders that do, are on one file system. */
hb_status hb_path_same_disk(const char *a, const char *b, bool *same);

#endif
