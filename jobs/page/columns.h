/* Columns of a report as a page shows them. */
#ifndef HB_PAGE_COLUMNS_H
#define HB_PAGE_COLUMNS_H

#include <jansson.h>

/* Returns a copy of an array of columns, in which "values" are as users write them: decimals with their point, dates,
 * times, labels. Values of a column that no program writes stay as they are. NULL: no memory. */
json_t *hb_page_columns(const json_t *columns);

#endif
