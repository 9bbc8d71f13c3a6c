/* Reading the lines of a CSV into cells. Each thread that reads has a reader of its own. */
#ifndef HB_IO_TABLE_CSV_READER_H
#define HB_IO_TABLE_CSV_READER_H

#include "marks.h"
#include "table_rows.h"

typedef struct hb_csv_reader {
    hb_table_rows rows; /* of a copy: the cells are its own */
    hb_lines lines;
    uint64_t fields; /* of a line */
    bool trails;     /* the line of names ends in the sign between fields */
    char *room;      /* [room_bytes] for texts of the row without doubled quotes */
    size_t room_bytes;
} hb_csv_reader;

/* Makes a reader of the same text, which is plain UTF-8 (hb_lines_copy), for another thread. It borrows the columns.
 * HB_ENOMEM. */
hb_status hb_csv_reader_copy(hb_csv_reader *to, const hb_csv_reader *from);
/* Wipes what a reader has read, and frees it; the first reader with its columns. Takes a zeroed struct, too. */
void hb_csv_reader_clear(hb_csv_reader *reader, bool is_copy);
/* Reads the cells of the first `columns` columns of a line, and with all of them the rest of it, of which only the
 * fields are counted. `place` is for messages. HB_EDATA for another number of fields than the line of names has;
 * HB_ENOMEM. */
hb_status hb_csv_reader_cells(hb_csv_reader *reader, hb_csv_place place, const char *line, size_t length,
                              uint64_t columns);

/* Returns how many threads may read a text at a time. */
unsigned hb_csv_threads(const hb_csv_reader *reader);

#endif
