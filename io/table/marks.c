#include "marks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

hb_status hb_marks_init(hb_marks *marks, size_t most, const char *name)
{
    *marks = (hb_marks){.stride = HB_MARKS_STRIDE, .most = most, .kept = malloc(most * sizeof *marks->kept)};
    return marks->kept != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory to open it", name);
}

void hb_marks_clear(hb_marks *marks)
{
    free(marks->kept);
    memset(marks, 0, sizeof *marks);
}

static bool is_near(const hb_marks *marks, uint64_t row)
{
    return marks->count > 0 && row < marks->kept[marks->count - 1].row + marks->stride;
}

void hb_marks_keep(hb_marks *marks, uint64_t row, uint64_t place)
{
    if (is_near(marks, row)) {
        return;
    }
    if (marks->count == marks->most) {
        /* Every other one goes. */
        marks->count /= 2;
        for (size_t i = 0; i < marks->count; i++) {
            marks->kept[i] = marks->kept[2 * i];
        }
        marks->stride *= 2;
        if (is_near(marks, row)) {
            return;
        }
    }
    marks->kept[marks->count++] = (hb_mark){row, place};
}

void hb_marks_remember(hb_marks *marks, hb_mark mark)
{
    marks->recent[marks->turn++ % HB_RECENT_MARKS] = mark;
}

hb_mark hb_marks_before(const hb_marks *marks, uint64_t row)
{
    size_t low = 0, high = marks->count; /* it is in low .. high - 1 */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (marks->kept[middle].row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    hb_mark from = marks->kept[low];
    /* Marks that were never set have row 0 and lose against any place that is kept. */
    for (size_t i = 0; i < HB_RECENT_MARKS; i++) {
        if (marks->recent[i].row <= row && marks->recent[i].row > from.row) {
            from = marks->recent[i];
        }
    }
    return from;
}
