/* What is known of the values of a dataset's columns, for people. */
#ifndef HB_BATCH_COLUMN_VALUES_H
#define HB_BATCH_COLUMN_VALUES_H

#include "cli/console.h"
#include "io/dataset/dataset.h"

#define HB_VALUES_TEXT 216
/* "0..120", "unknown", or "unknown, may have wrapped". */
void hb_values_text(char text[HB_VALUES_TEXT], const hb_column *column);

typedef enum hb_columns_style {
    HB_COLUMNS_NAMES,   /* as results, with all names */
    HB_COLUMNS_RESULTS, /* as results, the first and the last of neighbours with the same values */
    HB_COLUMNS_LOG      /* likewise, as log */
} hb_columns_style;
/* Names and values of columns, in so many lines as people look at; a table has one or more. */
void hb_columns_print(const hb_group *group, const hb_common *common, const hb_schema *schema, hb_columns_style style);
/* Prints which groups totals are of, and what is shown of each; nothing of other columns. */
void hb_columns_print_groups(const hb_group *group, const hb_common *common, const hb_schema *schema);
/* Whether a column may have wrapped around what bounds values of its scheme (scheme/codec.h). */
bool hb_columns_may_wrap(const hb_schema *schema);
/* One warning, in every case, about those that may; `name` is the dataset's. */
void hb_columns_warn(const hb_group *group, const char *name, const hb_header *header);

#endif
