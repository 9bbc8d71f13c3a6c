/* Compares the locations of a job's paths by device and inode, not by name. Rank-local; considers the files that exist
 * now. */
#ifndef HB_CLI_PATHS_H
#define HB_CLI_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Returns HB_EUSAGE when an input (a dataset, a table as it is named, or a file) and an output (a dataset), or its
 * NAME.partial, are the same or one lies inside the other: replacing the output would destroy the input. The same where
 * two outputs are. Each path is looked at once, however many others there are. HB_ENOINPUT for one that cannot be
 * looked at; HB_ENOMEM. */
hb_status hb_paths_check(const char *const *outputs, size_t output_count, const char *const *inputs,
                         size_t input_count);
/* Returns HB_ENOINPUT for the first of datasets that are read which is not there: before it is said that an output
 * exists, as the two may be swapped. */
hb_status hb_inputs_are_there(const char *const *inputs, size_t count);
/* Sets *disk to the number of the file system of a path, which need not exist; its folder must. HB_ECREATE when the
 * folder cannot be looked at. */
hb_status hb_path_disk(const char *path, uint64_t *disk);

#endif
