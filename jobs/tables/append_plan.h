/* A dataset to which the rows of a table are appended: the conditions on the table, and the new header. Rank-local but
 * for hb_append_plan_measure. */
#ifndef HB_TABLES_APPEND_PLAN_H
#define HB_TABLES_APPEND_PLAN_H

#include "encrypt_ranges.h"
#include "io/dataset/dataset.h"
#include "io/table/table.h"
#include "ranks/session.h"

/* Zeroed: nothing is appended. */
typedef struct hb_append_plan {
    hb_dataset *dataset; /* in its present state; NULL: nothing is appended */
    hb_growth growth;
    const char *path; /* borrowed */
} hb_append_plan;

/* Opens the dataset, and adds its columns to the reading of the table. HB_EDATA where it is a shard, holds totals, or
 * has slots that are not free for rows; HB_ECONFIG where it has several plain moduli; fails as hb_reading_like where
 * the reading contradicts its columns; else as hb_dataset_open, but of the shards only those are looked at whose rows
 * are read, by one rank each: hb_dataset_tell comes before. The caller clears, also after a failure. */
hb_status hb_append_plan_open(hb_append_plan *plan, const char *path, hb_reading *reading, hb_group *group);
void hb_append_plan_clear(hb_append_plan *plan);
/* Makes *header that of the dataset with the table's rows after its own. All new values must lie in the dataset's
 * ranges; declared ranges, which must contain these, replace them. HB_EDATA where the key or its kind differs, where
 * columns or their meanings differ, and where the dataset was made in a way that rules out further rows. The caller
 * clears *header, also after a failure. */
hb_status hb_append_plan_header(hb_append_plan *plan, const hb_session *session, const hb_table *table,
                                const hb_encrypt_ranges *ranges, hb_header *header);
/* Then widens its ranges to the table's values, which are read. Collective. Fails as hb_encrypt_ranges_measure, and as
 * hb_append_plan_header for values outside the ranges of the dataset. */
hb_status hb_append_plan_measure(hb_append_plan *plan, hb_group *group, const hb_session *session, hb_table *table,
                                 const hb_encrypt_ranges *ranges, hb_header *header);

#endif
