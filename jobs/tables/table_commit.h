/* The end of a table that several ranks of a job have written. */
#ifndef HB_TABLES_TABLE_COMMIT_H
#define HB_TABLES_TABLE_COMMIT_H

#include "base/chunk.h"
#include "io/table/table.h"
#include "machine/machine.h"
#include "ranks/session.h"

/* The ranks that have a writer of a table: the first of each group that shares limbs. Borrowed. */
typedef struct hb_table_team {
    hb_group *writers;
    const hb_group *all; /* ranks of the job */
} hb_table_team;

enum { HB_TABLE_TEAM_THREADS = 16 }; /* of a rank, at most: more would wait for the memory and the disk */

/* Returns about how many bytes a rank of `all` takes to make the text of a CSV of so many values: a word each, and the
 * characters of a number. */
static inline uint64_t hb_table_team_text_bytes(const hb_group *all, uint64_t values)
{
    enum { CHARACTERS = 32 };
    const uint32_t threads = hb_machine_processors_each((uint32_t)all->node_size);
    const uint64_t most = hb_smaller(threads, HB_TABLE_TEAM_THREADS) * HB_TABLE_TEXT_WORDS;
    return hb_smaller(values / (uint64_t)all->size + 1, most) * (sizeof(uint64_t) + CHARACTERS);
}

/* Gives a table its name: hb_table_commit_together with all processors of the team. Collective among it; only rank 0
 * knows whether the table has its name, and sets *text. Errors of hb_table_commit_together; HB_ECOMM. */
hb_status hb_table_team_commit(const hb_table_team *team, hb_table_writer *writer, hb_table_text_size *text);

#endif
