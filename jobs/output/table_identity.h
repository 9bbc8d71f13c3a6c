/* Tells which plain table a job reads, so that another job can tell whether it reads the same. Rank-local. */
#ifndef HB_OUTPUT_TABLE_IDENTITY_H
#define HB_OUTPUT_TABLE_IDENTITY_H

#include "base/digest.h"
#include "io/table/table.h"

/* The file of a table, as it is now. */
typedef struct hb_table_file {
    const char *dataset;   /* behind the colon of "file.h5:/path", of several the last, borrowed; "" for a CSV */
    uint64_t bytes, inode; /* of several tables as one: the sum, and a number made of all */
    int64_t changed;       /* ns since 1970; of several the last one */
} hb_table_file;

/* Looks at the files of tables, whose names stay borrowed. HB_ENOINPUT when one cannot be looked at. */
hb_status hb_table_file_look(hb_table_file *file, hb_table_list tables);

/* Adds to the digest the table's shape and names, and all its values, wherever the table lies, if they take at most 64
 * MiB; else what its file is (hb_table_file). For tables that are no secret: who sees the digest can try out guesses of
 * them. */
hb_status hb_table_identity_add(hb_digest_state *state, const char *name, hb_table *table);

#endif
