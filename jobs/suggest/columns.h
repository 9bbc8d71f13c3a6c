/* How many columns the names of an expression have, and what they are called, where there are no tables yet. */
#ifndef HB_SUGGEST_COLUMNS_H
#define HB_SUGGEST_COLUMNS_H

#include "io/base/schema.h"

/* Fills those of schemas[0 .. count), of the names that the expression reads, that have no columns yet: columns, named
 * and column are set, the rest is the caller's, who clears them also after a failure. A name has the columns that the
 * expression picks of it, by name or by number, and as many as `counts` says ("x=4,q=4"; NULL: of none); without
 * either, one. HB_EUSAGE for what is no such list, for names that are not read, for fewer columns than are picked, and
 * where rowsum adds up columns of which nobody said how many there are. */
hb_status hb_columns_find(const char *expression, char *const *reads, uint32_t count, const char *counts,
                          hb_schema *schemas);

#endif
