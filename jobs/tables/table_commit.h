/* The end of a table that several ranks of a job have written. */
#ifndef HB_TABLES_TABLE_COMMIT_H
#define HB_TABLES_TABLE_COMMIT_H

#include "io/table/table.h"
#include "ranks/session.h"

/* Gives a table its name: hb_table_commit_together with the ranks that have a writer of it, the first of each group
 * that shares limbs, and all of their processors. Collective among these; only rank 0 knows whether the table has its
 * name, and its text. Errors of hb_table_commit_together; HB_ECOMM. */
hb_status hb_tables_commit(const hb_session *session, const hb_group *group, hb_table_writer *writer,
                           hb_table_text *text);

#endif
