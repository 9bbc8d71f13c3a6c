/* Recognizes an argument in the place of another. Rank-local. */
#ifndef HB_CLI_MISPLACED_ARGUMENT_H
#define HB_CLI_MISPLACED_ARGUMENT_H

#include "console.h"
#include "table/schema.h"

/* Returns HB_EUSAGE for an output dataset with the name of a table: NAME.csv, NAME.h5, NAME.h5:/DATASET. */
hb_status hb_misplaced_dataset_name(const char *output);
/* Returns HB_ENOINPUT for a directory in the place of a key, naming the keys in it; HB_OK for everything else, whether
 * it exists or not. */
hb_status hb_misplaced_key_directory(const char *path);
/* Warns, on rank 0, about a table whose columns all have numbers as names: its header line may be its first row. */
void hb_misplaced_header_line(const hb_group *group, const char *table, const hb_schema *schema);

#endif
