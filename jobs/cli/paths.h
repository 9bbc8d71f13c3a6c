/* Compares where the paths of a job lie, whatever they are called: by device and inode. Rank-local, and by what is
 * there now. */
#ifndef HB_CLI_PATHS_H
#define HB_CLI_PATHS_H

#include <stdbool.h>

#include "base/status.h"

/* Returns HB_EUSAGE when `input` (a dataset, a table as it is named, or a file) and the dataset `output`, or its
 * NAME.partial, are the same or one lies inside the other: replacing the output would cost the input. */
hb_status hb_paths_check_input(const char *output, const char *input);
/* Returns HB_EUSAGE when two outputs, or their NAME.partial, would be the same or one inside the other. */
hb_status hb_paths_check_outputs(const char *a, const char *b);
/* Tells whether two paths, which may not exist yet, in folders that do, are on one file system. HB_ECREATE when a
 * folder cannot be looked at. */
hb_status hb_path_same_disk(const char *a, const char *b, bool *same);

#endif
