/* What is read, and is perhaps not what its owner thinks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "table/alike.h"
#include "table_private.h"

/* Labels are public; of long ones the beginning is shown. */
enum { SHOWN = 60 };

static const hb_table *noted(const hb_table *table)
{
    return table->original != NULL ? table->original : table;
}

uint64_t hb_table_noted(const hb_table *table)
{
    return noted(table)->schema.columns;
}

/* Bytes of a label that are shown: whole characters. */
static int shown_bytes(const char *label)
{
    size_t bytes = strlen(label);
    if (bytes > SHOWN) {
        for (bytes = SHOWN; bytes > 0 && ((unsigned char)label[bytes] & 0xc0) == 0x80;) {
            bytes--;
        }
    }
    return (int)bytes;
}

hb_status hb_table_note(const hb_table *table, uint64_t column, char note[HB_TABLE_NOTE])
{
    const hb_table *of = noted(table);
    const hb_labels *labels = of->schema.column[column].meaning.labels;
    const uint64_t padded = of->leading_zeros != NULL ? of->leading_zeros[column].count : 0;
    hb_alike alike = {.count = 0};
    char label[HB_COLUMN_LABEL];
    note[0] = '\0';
    hb_column_label(label, &of->schema, column);
    if (labels != NULL) {
        HB_TRY(hb_alike_find(labels, &alike));
    }
    if (padded > 0) {
        snprintf(note, HB_TABLE_NOTE,
                 "column %s: %" PRIu64 " number%s with zeros in front lose%s them, as 007 becomes 7%s", label, padded,
                 padded == 1 ? "" : "s", padded == 1 ? "s" : "",
                 hb_leading_zeros_mixes(&of->leading_zeros[column])
                     ? "; others have fewer digits: ids such as 007 and 7 become one"
                     : "");
    } else if (alike.count > 0) {
        snprintf(note, HB_TABLE_NOTE,
                 "column %s: %" PRIu64 " of %" PRIu64 " labels differ from another one by blanks, capitals or Unicode "
                 "form alone, and stay apart, as '%.*s' and '%.*s'",
                 label, alike.count, labels->count, shown_bytes(alike.one), alike.one, shown_bytes(alike.other),
                 alike.other);
    }
    return HB_OK;
}
