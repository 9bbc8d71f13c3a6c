/* Files that are no tables as text, by how they begin: what they are is said, and what to do with them. */
#ifndef HB_IO_TABLE_FOREIGN_H
#define HB_IO_TABLE_FOREIGN_H

#include <stddef.h>

/* Returns what a file of other programs is and how it becomes a table, from its first bytes; NULL: it is none that is
 * known. */
const char *hb_foreign_file(const void *begin, size_t bytes);

#endif
