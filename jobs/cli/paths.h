/* Compares the locations of a job's paths by device and inode, not by name. Rank-local; considers the files that exist
 * now. */
#ifndef HB_CLI_PATHS_H
#define HB_CLI_PATHS_H

#include <stdbool.h>

#include "base/status.h"

/* Returns HB_EUSAGE when `input` (a dataset, a table as it is named, or a file) and the dataset `output`, or its
 * NAME.partial, are the same or one lies inside the other: replacing the output would destroy the input. */
hb_status hb_paths_check_input(const char *output, const char *input);
/* Returns HB_EUSAGE when two outputs, or their NAME.partial, would be the same or one would lie inside the other. */
hb_status hb_paths_check_outputs(const char *a, const char *b);
/* Sets *same to whether two paths are on one file system. The paths need not exist; their folders must. HB_ECREATE when
 * a folder cannot be inspected. */
hb_status hb_path_same_disk(const char *a, const char *b, bool *same);

#endif
