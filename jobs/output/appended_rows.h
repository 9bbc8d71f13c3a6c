/* Recognizes rows that were already appended to a growing dataset, whatever file they come from: by a digest of all
 * values as they are stored. The index that holds the digest goes to whoever computes, who could test guesses of the
 * rows with a plain digest. So the digest is keyed with a secret key of its own, NAME.appends beside the dataset, which
 * stays with the owner of the rows. */
#ifndef HB_OUTPUT_APPENDED_ROWS_H
#define HB_OUTPUT_APPENDED_ROWS_H

#include "io/table/table.h"
#include "output_dataset.h"

/* Rank-local, on rank 0: sets `stands` to the keyed digest of a table's rows (hb_dataset_was_appended) for the
 * request's dataset, with whose columns the table is read. This reads the whole table with `resume`, or if it has at
 * most 64 MiB; for a larger table without `resume` the digest is unknown: zeros. The key is made where there is none
 * yet, but not in a dry run.
 *
 * With `resume`, HB_ECREATE where these rows were appended, or where nobody can tell; in a dry run that is a line of
 * the plan. Without `resume`, a warning that they were appended. HB_EDATA for a damaged key; HB_ESTOPPED; HB_EIO,
 * HB_ENOMEM, failures of reading. */
hb_status hb_appended_rows_check(const hb_group *group, const hb_common *common, const hb_output_request *request,
                                 hb_table *table, uint8_t stands[HB_DIGEST_BYTES]);

#endif
