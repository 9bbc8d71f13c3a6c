/* Between table_csv.c, which opens a CSV table, and csv_read.c, which reads its rows. */
#ifndef HB_IO_TABLE_TABLE_CSV_PRIVATE_H
#define HB_IO_TABLE_TABLE_CSV_PRIVATE_H

#include <pthread.h>

#include "csv_private.h"
#include "table_private.h"

/* A row, and where it begins in the file. */
typedef struct hb_csv_mark {
    uint64_t row, offset;
} hb_csv_mark;

/* Places that are remembered: the next rectangle mostly begins where one of the last ones began or ended. */
enum { HB_CSV_RECENT = 16 };

/* A CSV table that was opened. */
typedef struct hb_csv_table {
    hb_table base;
    char *path;
    hb_lines lines;
    uint64_t *offsets; /* [count] of rows 0, stride, 2 stride ...; the stride doubles when MAX_OFFSETS is reached */
    uint64_t stride;
    size_t count;
    hb_csv_mark recent
        [HB_CSV_RECENT];  /* where the last rectangles began and ended: the next one mostly begins at one of them */
    size_t turn;          /* counts marks; turn % HB_CSV_RECENT is replaced next */
    pthread_mutex_t lock; /* over lines, recent and turn: one thread reads at a time */
} hb_csv_table;

/* Parses field `column` of a row, both counted from 0; *at is where the field before it ended, or the beginning of the
 * line. HB_EDATA with the row, the column and what is wrong, but nothing of the text: it is plaintext. */
hb_status hb_csv_table_field(const hb_csv_table *table, uint64_t row, uint64_t column, const char **at, const char *end,
                             hb_csv_number *number);
/* Is hb_table_ops.read of a CSV; any number of threads, one after another. */
hb_status hb_csv_table_read(hb_table *base, const hb_rectangle *cells, uint64_t *values);

#endif
