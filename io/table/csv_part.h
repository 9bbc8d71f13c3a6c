/* Parts of a CSV that are looked at on their own, by threads or ranks, and what was found in each. Their findings are
 * joined in the order of the file. */
#ifndef HB_IO_TABLE_CSV_PART_H
#define HB_IO_TABLE_CSV_PART_H

#include "csv_reader.h"

/* How far a look has come. */
typedef struct hb_csv_progress {
    uint64_t rows; /* all rows, those that are left out included */
    bool ended;    /* there was an empty line, behind which no row may come */
} hb_csv_progress;

typedef struct hb_csv_part {
    hb_table base;         /* its rows, those left out, and gaps */
    hb_csv_column *column; /* [columns] */
    hb_marks marks;
    hb_csv_progress progress;
    uint64_t begin, end, lines; /* of its lines; how many there are */
    bool good;                  /* there was no fault */
} hb_csv_part;

/* The beginning of all parts: a table without findings. */
typedef struct hb_csv_fresh {
    const hb_csv_reader *reader; /* the table's, of which nothing changes meanwhile but the findings; borrowed */
    hb_csv_column *column;       /* [columns] owned */
    hb_table base;               /* all that it points to is the table's */
} hb_csv_fresh;
/* HB_ENOMEM. hb_csv_fresh_clear takes a zeroed struct, too. */
hb_status hb_csv_fresh_init(hb_csv_fresh *fresh, const hb_csv_reader *reader);
void hb_csv_fresh_clear(hb_csv_fresh *fresh);
/* Returns how many labels of a column are said, whose cells are counted where they fold. */
static inline uint64_t hb_csv_said_labels(const hb_csv_fresh *fresh, uint64_t column)
{
    const hb_labels *labels = fresh->base.schema.column[column].meaning.labels;
    return labels != NULL && fresh->reader->rows.column[column].shown.notes.label != NULL ? labels->count : 0;
}

/* Makes a part without findings, with room for so many marks. HB_ENOMEM; the caller clears it in any case. */
hb_status hb_csv_part_begin(hb_csv_part *part, const hb_csv_fresh *fresh, size_t marks);
void hb_csv_part_clear(hb_csv_part *part, uint64_t columns);
/* Returns whether the findings of a part follow on those of a reader, whose lines were all looked at up to `at`, and
 * whose next part it is. */
bool hb_csv_part_may_join(const hb_csv_part *part, const hb_csv_reader *reader, const hb_csv_progress *p, uint64_t at);
/* Adds the findings of a part to those of a reader, and goes to its end. HB_ENOMEM. */
hb_status hb_csv_part_join(const hb_csv_part *part, const hb_csv_fresh *fresh, hb_csv_reader *reader, hb_marks *marks,
                           hb_csv_progress *p);

/* csv_scan.c: looks at the rows from where the reader is that begin before `end`, adds the findings about them to its
 * columns, counts the rows of its table, and marks where rows begin. Several threads look at parts of a plain text. The
 * first fault of the file is the one that is refused, whatever the threads do. HB_EDATA, HB_EIO, HB_ENOMEM. */
hb_status hb_csv_scan_until(hb_csv_reader *reader, hb_marks *marks, hb_csv_progress *p, uint64_t end);
/* csv_share.c: has each rank look at a part of the text, and joins the findings of all, on all ranks. *taken false:
 * they do not follow from those of the parts, and nothing has changed. Collective, of all ranks that read the table
 * (hb_reading_ranks); a failure is the same on all. */
hb_status hb_csv_share_scan(hb_csv_reader *reader, hb_marks *marks, hb_csv_progress *p, bool *taken);

#endif
