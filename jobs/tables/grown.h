/* A dataset to which the rows of a table are appended: what the table must be, and what the header becomes. Rank-local
 * but for hb_grown_measure. */
#ifndef HB_TABLES_GROWN_H
#define HB_TABLES_GROWN_H

#include "encrypt_ranges.h"
#include "io/dataset/dataset.h"
#include "io/table/table.h"
#include "ranks/session.h"

/* Zeroed: nothing grows. */
typedef struct hb_grown {
    hb_dataset *dataset; /* as it is; NULL: nothing grows */
    hb_growth growth;
    hb_schema cells;  /* columns of the dataset with the signs that the table's have, and what values may come */
    const char *path; /* borrowed */
} hb_grown;

/* Opens the dataset. HB_EDATA where it is a shard, holds totals, or has slots that are not free for rows; HB_ECONFIG
 * where it is of several plain moduli; else as hb_dataset_open. The caller clears, also after a failure. */
hb_status hb_grown_open(hb_grown *grown, const char *path);
void hb_grown_clear(hb_grown *grown);
/* Tells the reading of the table what the dataset's columns are. HB_ENOMEM. */
hb_status hb_grown_read_like(const hb_grown *grown, hb_reading *reading);
/* Makes *header that of the dataset with the table's rows behind its own, and grown->cells. Ranges are those of the
 * dataset, in which all new values have to lie; where some are declared, they hold both. HB_EDATA where the key is
 * another or of the other kind, where columns are not those of the dataset or mean something else, and where what it
 * was made with leaves no way to add rows. The caller clears *header, also after a failure. */
hb_status hb_grown_header(hb_grown *grown, const hb_session *session, const hb_table *table,
                          const hb_encrypt_ranges *ranges, hb_header *header);
/* Then makes its ranges hold what the table has, which is looked at. Collective. Errors are those of
 * hb_encrypt_ranges_measure, and of hb_grown_header for values outside the ranges of the dataset. */
hb_status hb_grown_measure(hb_grown *grown, hb_group *group, const hb_session *session, hb_table *table,
                           const hb_encrypt_ranges *ranges, hb_header *header);

#endif
