/* Recognizes an argument in the place of another. Rank-local. */
#ifndef HB_CLI_MISPLACED_ARGUMENT_H
#define HB_CLI_MISPLACED_ARGUMENT_H

#include "base/status.h"

/* Returns HB_EUSAGE for an output dataset with the name of a table: NAME.csv, NAME.h5, NAME.h5:/DATASET. */
hb_status hb_misplaced_dataset_name(const char *output);
/* Returns HB_EUSAGE for an output of decrypt --part with the name of a table, or of standard output. */
hb_status hb_misplaced_part_name(const char *output);
/* Returns HB_ENOINPUT for a directory in the place of a public key, naming the one in it. */
hb_status hb_misplaced_public_key_directory(const char *path);
/* Returns HB_ENOINPUT for a directory in the place of a key, naming the keys in it; HB_OK for everything else, whether
 * it exists or not. */
hb_status hb_misplaced_key_directory(const char *path);

#endif
