/* Shared by the two files that check where the numbers of a dataset lie, in the reader's process. */
#ifndef HB_IO_TABLE_H5_PROCESS_STORAGE_PRIVATE_H
#define HB_IO_TABLE_H5_PROCESS_STORAGE_PRIVATE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/status.h"

/* A dataset to check: a table, or a source of a virtual one. All names are borrowed. */
typedef struct hb_looked_at {
    hid_t dataset, creation;
    const char *table; /* the name of the table, and ... */
    const char *name;  /* ... of this dataset, for messages */
    const char *file;  /* that it is in */
    bool follows;      /* its data may be in others */
    int depth;         /* virtual datasets from the table to this one */
} hb_looked_at;

/* Makes all checks of hb_h5_process_check_storage on such a dataset, whose `creation` is not set yet; `file` is the one
 * that it must be in, unless `follows`. */
hb_status hb_storage_check(const hb_looked_at *x);
/* Checks all sources of a virtual one in the same way, and that each of its numbers has one source, of its type:
 * HB_EDATA. */
hb_status hb_storage_check_virtual(const hb_looked_at *x);
/* Returns HB_ENOINPUT for data that should be in `other`. */
hb_status hb_storage_fail_missing(const hb_looked_at *x, const char *other);

#endif
