/* Options for reading plain tables that had no effect: nothing in the tables is written as they say. */
#ifndef HB_BATCH_CELLS_WITHOUT_EFFECT_H
#define HB_BATCH_CELLS_WITHOUT_EFFECT_H

#include <stdlib.h>

#include "cli/console.h"
#include "io/table/column_notes.h"
#include "io/table/reading.h"
#include "io/table/table.h"

/* A column that was read, and the findings in it that options are about. */
typedef struct hb_read_column {
    const char *name;       /* borrowed from the table; NULL: columns have no names ... */
    uint64_t place;         /* ... but this place in the table, from 0 */
    hb_spellings spellings; /* as hb_column_notes has them, and so are ... */
    uint64_t na;            /* ... these texts for missing cells */
    uint64_t missing;       /* cells that are missing */
    uint64_t folded;        /* cells read as another spelling of their label */
    bool labels;            /* its cells are labels */
} hb_read_column;

/* The columns that a command has read of all its tables. Zeroed: none. */
typedef struct hb_read_columns {
    hb_read_column *column; /* [count]; owned */
    size_t count;
    bool elsewhere; /* data of some table are in other files than the named one */
} hb_read_columns;

static inline void hb_read_columns_clear(hb_read_columns *read)
{
    free(read->column);
    *read = (hb_read_columns){.count = 0};
}
/* Adds a column. HB_ENOMEM. */
static inline hb_status hb_read_columns_add(hb_read_columns *read, const hb_read_column *column)
{
    hb_read_column *longer = realloc(read->column, (read->count + 1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns that were read");
    }
    read->column = longer;
    read->column[read->count++] = *column;
    return HB_OK;
}
/* Adds the columns of an open table, whose names must stay. HB_ENOMEM. */
hb_status hb_read_columns_add_table(hb_read_columns *read, const hb_table *table);
/* Says on rank 0, in one line of the log for each, which options as given (`words`) have had no effect on any of these
 * columns. HB_ENOMEM. */
hb_status hb_without_effect_say(const hb_read_columns *read, const hb_group *group, const hb_common *common,
                                const hb_reading_words *words);
/* The same of one table. */
hb_status hb_without_effect_say_table(const hb_table *table, const hb_group *group, const hb_common *common,
                                      const hb_reading_words *words);

#endif
