/* The identity of the plain table that a job reads, so that another job can tell whether it reads the same.
 * Rank-local. */
#ifndef HB_OUTPUT_TABLE_IDENTITY_H
#define HB_OUTPUT_TABLE_IDENTITY_H

#include "base/digest.h"
#include "io/table/table.h"

/* Adds all values, some rows at a time, as words in the host's byte order: all machines that this program is built for
 * are little-endian, so a job that is continued elsewhere computes the same digest. HB_ESTOPPED, HB_ENOMEM, failures of
 * reading. */
hb_status hb_table_values_add(hb_digest_state *state, hb_table *table);

/* Adds to the digest the table's shape and names, and all its values, if they take at most 64 MiB; the digest is then
 * the same for copies of the table. Else it adds sizes, inodes and times of its files. Only for public tables: a reader
 * of the digest can test guesses of their values. */
hb_status hb_table_identity_add(hb_digest_state *state, const char *name, hb_table *table);

#endif
