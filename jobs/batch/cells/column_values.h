/* Prints the known facts about the values of a dataset's columns. */
#ifndef HB_BATCH_CELLS_COLUMN_VALUES_H
#define HB_BATCH_CELLS_COLUMN_VALUES_H

#include "cli/console.h"
#include "io/dataset/dataset.h"

#define HB_VALUES_TEXT 216
/* "0..120", "unknown", or "unknown, may have wrapped". */
void hb_values_text(char text[HB_VALUES_TEXT], const hb_column *column);

typedef enum hb_columns_style {
    HB_COLUMNS_NAMES,   /* as results, with all names */
    HB_COLUMNS_RESULTS, /* as results; of neighbours with the same values only the first and the last */
    HB_COLUMNS_LOG      /* likewise, as log */
} hb_columns_style;
/* Prints names and values of columns. A table has at least one column. */
void hb_columns_print(const hb_group *group, const hb_common *common, const hb_schema *schema, hb_columns_style style);
/* Prints the groups of totals, and how each result is shown; prints nothing for other columns. */
void hb_columns_print_groups(const hb_group *group, const hb_common *common, const hb_schema *schema);
/* Returns whether a value of some column may have wrapped around the range of its scheme (scheme/codec.h). */
bool hb_columns_may_wrap(const hb_schema *schema);
/* Prints one warning about the columns that may have wrapped, if there are any; `name` is the dataset's. */
void hb_columns_warn(const hb_group *group, const char *name, const hb_header *header);

#endif
