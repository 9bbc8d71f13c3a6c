#include "table_notes.h"

#include <inttypes.h>

/* A table of which every column has a note is one of which all have the same. */
enum { MOST_NOTES = 8 };

typedef struct speech {
    const hb_group *group;
    const hb_common *common;
    const char *name;
    bool warns;
    uint64_t count;
} speech;

/* Says the notes of the first few columns. */
static void say_note(void *context, uint64_t column, const char *note)
{
    speech *s = context;
    (void)column;
    if (++s->count > MOST_NOTES) {
        return;
    }
    if (s->warns) {
        hb_console_warn(s->group, "%s: %s", s->name, note);
    } else {
        hb_console_log(s->group, s->common, "table        %s: %s", s->name, note);
    }
}

/* Says the notes of one kind. A cell that only comes back in another spelling is no warning, nor are blanks that belong
 * to no name, nor labels that the user named a category for. */
static hb_status say_kind(const hb_group *group, const hb_common *common, const hb_table_to_note *of, hb_note_kind kind)
{
    const char *name = of->name;
    speech s = {.group = group, .common = common, .name = name};
    s.warns = kind != HB_NOTE_SPELLING && kind != HB_NOTE_FOLDED && kind != HB_NOTE_BLANKS && kind != HB_NOTE_GAPS;
    HB_TRY(hb_table_notes(of->table, of->folded, kind, say_note, &s));
    if (s.count > MOST_NOTES && s.warns) {
        hb_console_warn(group, "%s: %" PRIu64 " more columns are like these", name, s.count - MOST_NOTES);
    } else if (s.count > MOST_NOTES) {
        hb_console_log(group, common, "table        %s: %" PRIu64 " more columns are like these", name,
                       s.count - MOST_NOTES);
    }
    return HB_OK;
}

hb_status hb_table_notes_say(const hb_group *group, const hb_common *common, const hb_table_to_note *of)
{
    for (int kind = 0; group->rank == 0 && kind < HB_NOTE_KINDS; kind++) {
        HB_TRY(say_kind(group, common, of, (hb_note_kind)kind));
    }
    return HB_OK;
}
