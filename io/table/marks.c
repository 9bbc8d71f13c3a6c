#include "marks.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_STRIDE 1024 /* rows between two places that are kept */
#define MOST_PLACES ((size_t)1 << 16)

hb_status hb_marks_init(hb_marks *marks, const char *name)
{
    *marks = (hb_marks){.stride = FIRST_STRIDE, .place = malloc(MOST_PLACES * sizeof *marks->place)};
    return marks->place != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory to open it", name);
}

void hb_marks_clear(hb_marks *marks)
{
    free(marks->place);
    memset(marks, 0, sizeof *marks);
}

void hb_marks_keep(hb_marks *marks, uint64_t row, uint64_t place)
{
    if (row % marks->stride != 0) {
        return;
    }
    if (marks->count == MOST_PLACES) {
        /* Every other one goes. */
        for (size_t i = 0; i < MOST_PLACES / 2; i++) {
            marks->place[i] = marks->place[2 * i];
        }
        marks->count /= 2;
        marks->stride *= 2;
    }
    marks->place[marks->count++] = place;
}

void hb_marks_remember(hb_marks *marks, hb_mark mark)
{
    marks->recent[marks->turn++ % HB_RECENT_MARKS] = mark;
}

hb_mark hb_marks_before(const hb_marks *marks, uint64_t row)
{
    const uint64_t kept = row / marks->stride;
    hb_mark from = {.row = kept * marks->stride, .place = marks->place[kept]};
    /* Marks that were never set have row 0 and lose against any place that is kept. */
    for (size_t i = 0; i < HB_RECENT_MARKS; i++) {
        if (marks->recent[i].row <= row && marks->recent[i].row > from.row) {
            from = marks->recent[i];
        }
    }
    return from;
}
