#include "table_notes.h"

#include <inttypes.h>

#include "cli/console.h"

/* A table of which every column has a note is one of which all have the same. */
enum { MOST_NOTES = 8 };

hb_status hb_table_notes_say(const hb_group *group, const char *name, const hb_table *table)
{
    uint64_t count = 0;
    for (uint64_t c = 0; group->rank == 0 && c < hb_table_noted(table); c++) {
        char note[HB_TABLE_NOTE];
        HB_TRY(hb_table_note(table, c, note));
        count += note[0] != '\0';
        if (note[0] != '\0' && count <= MOST_NOTES) {
            hb_console_warn(group, "%s: %s", name, note);
        }
    }
    if (count > MOST_NOTES) {
        hb_console_warn(group, "%s: %" PRIu64 " more columns are like these", name, count - MOST_NOTES);
    }
    return HB_OK;
}
