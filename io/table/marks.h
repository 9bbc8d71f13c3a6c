/* The places of rows in tables where a place follows only from reading everything before it. The places of some rows
 * are kept, so that any row is found without a scan from the top, and memory stays small for any number of rows. */
#ifndef HB_IO_TABLE_MARKS_H
#define HB_IO_TABLE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A row, and the place where it begins. */
typedef struct hb_mark {
    uint64_t row, place;
} hb_mark;

/* Recently used places: the next rectangle mostly begins where one of the last ones began or ended. */
enum { HB_RECENT_MARKS = 16 };

typedef struct hb_marks {
    hb_mark *kept; /* [count] in the order of rows, at least a stride apart; the stride doubles when `most` are kept */
    uint64_t stride;
    size_t count, most;
    hb_mark recent[HB_RECENT_MARKS];
    size_t turn; /* counts remembered places; turn % HB_RECENT_MARKS is replaced next */
} hb_marks;

enum { HB_MARKS_STRIDE = 1024, HB_MOST_MARKS = 1 << 16 };

/* Makes an empty struct with room for so many marks, at least two. HB_ENOMEM; hb_marks_clear takes a zeroed struct,
 * too. */
hb_status hb_marks_init(hb_marks *marks, size_t most, const char *name);
void hb_marks_clear(hb_marks *marks);
/* Keeps the place of `row`, if it is the first one or a stride behind the last that is kept. Called for every row, or
 * for some, in order. */
void hb_marks_keep(hb_marks *marks, uint64_t row, uint64_t place);
/* Remembers a place for the next read. */
void hb_marks_remember(hb_marks *marks, hb_mark mark);
/* Returns the last known place at or before `row`. */
hb_mark hb_marks_before(const hb_marks *marks, uint64_t row);

#endif
