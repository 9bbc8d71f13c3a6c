/* What was given in the place of something else, and can be told from it. */
#ifndef HB_CLI_MISUSE_H
#define HB_CLI_MISUSE_H

#include "console.h"
#include "io/base/schema.h"

/* HB_EUSAGE where a dataset would be made under the name of a table: NAME.csv, NAME.h5, NAME.h5:/DATASET. */
hb_status hb_misuse_dataset_name(const char *output);
/* HB_ENOINPUT for a directory in the place of a key, with the keys in it. */
hb_status hb_misuse_key_directory(const char *path);
/* Warns of a table whose columns are named by numbers: its header line may be its first row. */
void hb_misuse_header_line(const hb_group *group, const char *table, const hb_schema *schema);

#endif
