/* Tables that are written as texts and read in the words of a command line. */
#ifndef SAID_TABLE_H
#define SAID_TABLE_H

#include "io/table/table.h"
#include "unit/scratch.h"

/* Writes a text into a file of the scratch folder, and returns its path. */
static inline const char *put(const char *name, const char *text)
{
    const char *path = in_scratch(name);
    spit(path, text, strlen(text));
    return path;
}

/* Opens a table; the caller closes *out. */
static inline hb_status open_said(const char *path, hb_cell_type cells, hb_reading_words words, hb_table **out)
{
    hb_reading reading;
    hb_status st = hb_reading_parse(&words, &reading);
    st = st == HB_OK ? hb_table_open_as(path, cells, &reading, out) : st;
    hb_reading_clear(&reading);
    return st;
}

typedef struct note_wanted {
    uint64_t column;
    char *note;
} note_wanted;

static inline void take_wanted(void *context, uint64_t column, const char *note)
{
    const note_wanted *wanted = context;
    if (column == wanted->column) {
        snprintf(wanted->note, HB_TABLE_NOTE, "%s", note);
    }
}

/* Writes the note of one column, or "". */
static inline hb_status note_of(const hb_table *table, uint64_t column, hb_note_kind kind, char note[HB_TABLE_NOTE])
{
    note_wanted wanted = {column, note};
    note[0] = '\0';
    return hb_table_notes(table, NULL, kind, take_wanted, &wanted);
}

#endif
