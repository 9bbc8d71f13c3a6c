/* The identity of the plain table that a job reads, so that another job can tell whether it reads the same.
 * Rank-local. */
#ifndef HB_OUTPUT_TABLE_IDENTITY_H
#define HB_OUTPUT_TABLE_IDENTITY_H

#include "base/digest.h"
#include "io/table/table.h"

/* The file of a table in its present state. */
typedef struct hb_table_file {
    /* The part after the colon of "file.h5:/path", of several tables the last one's, borrowed; "" for a CSV. */
    const char *dataset;
    uint64_t bytes, inode; /* of several tables: the sum, and a number made of all inodes */
    int64_t changed;       /* ns since 1970; of several tables the latest */
} hb_table_file;

/* Inspects the files of tables, whose names stay borrowed. HB_ENOINPUT when one cannot be inspected;
 * HB_EUSAGE for a name of no table; HB_ENOMEM. */
hb_status hb_table_file_look(hb_table_file *file, hb_table_list tables);

/* Adds all values, some rows at a time, as words in the host's byte order: all machines that this program is built for
 * are little-endian, so a job that is continued elsewhere computes the same digest. HB_ESTOPPED, HB_ENOMEM, failures of
 * reading. */
hb_status hb_table_values_add(hb_digest_state *state, hb_table *table);

/* Adds to the digest the table's shape and names, and all its values, wherever the table lies, if they take at most 64
 * MiB; else sizes, inodes and times of its files. Only for tables that are not secret: whoever sees the digest can
 * test guesses of them. */
hb_status hb_table_identity_add(hb_digest_state *state, const char *name, hb_table *table);

#endif
