#include "table_notes.h"

#include <inttypes.h>

/* A table of which every column has a note is one of which all have the same. */
enum { MOST_NOTES = 8 };

/* Says the notes of one kind, of the first few columns. A cell that only comes back in another spelling is no warning,
 * nor are blanks that belong to no name. */
static hb_status say_kind(const hb_group *group, const hb_common *common, const char *name, const hb_table *table,
                          hb_note_kind kind)
{
    const bool warns = kind != HB_NOTE_SPELLING && kind != HB_NOTE_FOLDED && kind != HB_NOTE_BLANKS;
    uint64_t count = 0;
    for (uint64_t c = 0; c < hb_table_noted(table); c++) {
        char note[HB_TABLE_NOTE];
        HB_TRY(hb_table_note(table, c, kind, note));
        count += note[0] != '\0';
        if (note[0] == '\0' || count > MOST_NOTES) {
            continue;
        }
        if (warns) {
            hb_console_warn(group, "%s: %s", name, note);
        } else {
            hb_console_log(group, common, "table        %s: %s", name, note);
        }
    }
    if (count > MOST_NOTES && warns) {
        hb_console_warn(group, "%s: %" PRIu64 " more columns are like these", name, count - MOST_NOTES);
    } else if (count > MOST_NOTES) {
        hb_console_log(group, common, "table        %s: %" PRIu64 " more columns are like these", name,
                       count - MOST_NOTES);
    }
    return HB_OK;
}

hb_status hb_table_notes_say(const hb_group *group, const hb_common *common, const char *name, const hb_table *table)
{
    for (int kind = 0; group->rank == 0 && kind < HB_NOTE_KINDS; kind++) {
        HB_TRY(say_kind(group, common, name, table, (hb_note_kind)kind));
    }
    return HB_OK;
}
