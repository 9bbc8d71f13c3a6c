/* Recognizes what was given in the place of something else. Rank-local. */
#ifndef HB_CLI_MISUSE_H
#define HB_CLI_MISUSE_H

#include "console.h"
#include "io/base/schema.h"

/* Returns HB_EUSAGE where a dataset would be made under the name of a table: NAME.csv, NAME.h5, NAME.h5:/DATASET. */
hb_status hb_misuse_dataset_name(const char *output);
/* Returns HB_ENOINPUT for a directory in the place of a key, naming the keys in it; HB_OK for anything else, there or
 * not. */
hb_status hb_misuse_key_directory(const char *path);
/* Warns, on rank 0, of a table all of whose columns are named by numbers: its header line may be its first row. */
void hb_misuse_header_line(const hb_group *group, const char *table, const hb_schema *schema);

#endif
