/* Options for reading plain tables that had no effect: nothing in the tables is written as they say. */
#ifndef HB_BATCH_CELLS_UNUSED_OPTIONS_H
#define HB_BATCH_CELLS_UNUSED_OPTIONS_H

#include <stdlib.h>

#include "cli/console.h"
#include "io/table/column_notes.h"
#include "io/table/reading.h"
#include "io/table/table.h"

/* What options have read of one column. */
typedef struct hb_column_use {
    const char *name;       /* borrowed from the table; NULL: columns have no names ... */
    uint64_t place;         /* ... but this place in the table, from 0 */
    hb_spellings spellings; /* as hb_column_notes has them, and so are ... */
    uint64_t na;            /* ... these texts for missing cells */
    uint64_t missing;       /* cells that are missing */
    uint64_t folded;        /* cells read as another spelling of their label */
    bool labels;            /* its cells are labels */
} hb_column_use;

/* The columns that a command has read of all its tables. Zeroed: none. */
typedef struct hb_option_uses {
    hb_column_use *column; /* [columns]; owned */
    size_t columns;
    bool elsewhere; /* data of some table are in other files than the named one */
} hb_option_uses;

static inline void hb_option_uses_clear(hb_option_uses *uses)
{
    free(uses->column);
    *uses = (hb_option_uses){.columns = 0};
}
/* Adds a column. HB_ENOMEM. */
static inline hb_status hb_option_uses_add(hb_option_uses *uses, const hb_column_use *column)
{
    hb_column_use *longer = realloc(uses->column, (uses->columns + 1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for what options have read");
    }
    uses->column = longer;
    uses->column[uses->columns++] = *column;
    return HB_OK;
}
/* Adds the columns of an open table, whose names must stay. HB_ENOMEM. */
hb_status hb_option_uses_add_table(hb_option_uses *uses, const hb_table *table);
/* Says on rank 0, in one line of the log for each, which options as given (`words`) have had no effect on any of these
 * columns. HB_ENOMEM. */
hb_status hb_option_uses_say(const hb_option_uses *uses, const hb_group *group, const hb_common *common,
                             const hb_reading_words *words);
/* The same of one table. */
hb_status hb_option_uses_say_table(const hb_table *table, const hb_group *group, const hb_common *common,
                                   const hb_reading_words *words);

#endif
