/* The end of a table that several ranks of a job have written. */
#ifndef HB_TABLES_TABLE_COMMIT_H
#define HB_TABLES_TABLE_COMMIT_H

#include "io/table/table.h"
#include "ranks/session.h"

/* The ranks that have a writer of a table: the first of each group that shares limbs. Borrowed. */
typedef struct hb_table_team {
    hb_group *writers;
    const hb_group *all; /* ranks of the job */
} hb_table_team;

/* Gives a table its name: hb_table_commit_together with all processors of the team. Collective among it; only rank 0
 * knows whether the table has its name, and sets *text. Errors of hb_table_commit_together; HB_ECOMM. */
hb_status hb_table_team_commit(const hb_table_team *team, hb_table_writer *writer, hb_table_text_size *text);

#endif
