/* The table of a command: it is opened once for the jobs of all residues, which read its rows one after another. */
#ifndef HB_BATCH_JOB_SHARED_TABLE_H
#define HB_BATCH_JOB_SHARED_TABLE_H

#include "job.h"

/* Opens the tables of a list as hb_table_open_list, or takes the table that the job of an earlier residue opened by the
 * same options. Rows of a table that several residues read stay in memory, as far as 256 MiB hold them. Each rank looks
 * at a part of a CSV. For find_out alone: all ranks come here, or fail. */
hb_status hb_job_open_table(const hb_job *job, hb_table_list tables, const hb_params_spec *spec,
                            const hb_reading *reading, hb_table **out);
enum { HB_SHARED_TABLE_KEPT = 256 << 20 }; /* bytes of rows that stay for the next residue, at most */
/* Returns the bytes of rows of the table that stay in memory on this rank. */
static inline uint64_t hb_job_table_bytes(const hb_job *job)
{
    const uint64_t bytes = job->plan.values * sizeof(uint64_t), most = HB_SHARED_TABLE_KEPT;
    const bool kept = job->options.so_far != NULL && job->plan.residues > 1;
    return !kept ? 0 : bytes < most ? bytes : most;
}
/* Closes the table, or leaves it to the job of the next residue. NULL is allowed. */
void hb_job_close_table(const hb_job *job, hb_table *table);

#endif
