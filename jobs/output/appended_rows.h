/* Recognizes rows that were already appended to a growing dataset, also from another file: by a digest of all values as
 * they are stored. The index that holds the digest goes to the computing party, who could test guesses of the rows with
 * a plain digest. So the digest is keyed with a secret key of its own, NAME.appends beside the dataset, which stays
 * with the owner of the rows. */
#ifndef HB_OUTPUT_APPENDED_ROWS_H
#define HB_OUTPUT_APPENDED_ROWS_H

#include "base/seed.h"
#include "io/table/table.h"
#include "output_dataset.h"

/* The rows of a table, as a dataset knows them. Zeroed: unknown rows. */
typedef struct hb_appended_rows {
    uint8_t stands[HB_DIGEST_BYTES]; /* the keyed digest; zeros: unknown */
    hb_seed key;                     /* secret: its holder wipes it */
    bool is_new;                     /* the key was drawn, as there is none at the dataset yet */
} hb_appended_rows;

/* Rank-local, on rank 0: sets *rows to a table's rows, with the keyed digest (hb_dataset_was_appended) for the
 * request's dataset, with whose columns the table is read. This reads the whole table with `resume`, or if it has at
 * most 64 MiB; a larger table without `resume` is unknown. Writes nothing. The caller wipes *rows, also after a
 * failure.
 *
 * With `resume`, HB_ECREATE where these rows were appended, or where that is unknown; in a dry run that is a line of
 * the plan. Without `resume`, a warning that they were appended. HB_EDATA for a damaged key; HB_ESTOPPED; HB_EIO,
 * HB_ENOMEM, failures of reading. */
hb_status hb_appended_rows_check(const hb_group *group, const hb_common *common, const hb_output_request *request,
                                 hb_table *table, hb_appended_rows *rows);

/* Stores a key that is new beside the dataset, before the index names rows by it. The caller holds NAME.partial, and
 * the dataset is the one that the check saw: so no other job's entries depend on a key that this replaces. HB_ECREATE,
 * HB_EIO. */
hb_status hb_appended_rows_keep_key(const char *dataset, const hb_appended_rows *rows);

#endif
