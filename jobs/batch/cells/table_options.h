/* The options of commands that read plain tables (io/table/reading.h). */
#ifndef HB_BATCH_CELLS_TABLE_OPTIONS_H
#define HB_BATCH_CELLS_TABLE_OPTIONS_H

#include "cli/options.h"
#include "io/table/reading.h"

typedef struct hb_table_words {
    const char *columns, *fold, *percent, *time_of_day, *scale, *date, *missing, *header, *delimiter, *decimal,
        *date_format, *charset;
    bool round, follow_files;
    hb_texts na, categories, digits, derive;
} hb_table_words;

enum {
    HB_TABLE_FILE_OPTIONS = 13,                         /* missing cells, how cells are written, columns to make */
    HB_TABLE_OPTIONS = HB_TABLE_FILE_OPTIONS + 3,       /* and meanings of columns */
    HB_TABLE_READ_OPTIONS = HB_TABLE_OPTIONS + 1,       /* and columns to read */
    HB_TABLE_COLUMN_OPTIONS = HB_TABLE_READ_OPTIONS + 1 /* and their digits */
};
/* Fills the first `count` rows; count is one of the numbers above. */
void hb_table_options(hb_option *rows, size_t count, hb_table_words *words);
/* Returns the name, a literal, of the first option that is given; NULL: none is. *words stays as it is. */
const char *hb_table_words_given(hb_table_words *words);
/* Refuses --round without --scale, of which alone it is: HB_EUSAGE. For commands whose tables have no other scales. */
hb_status hb_table_words_check_round(const hb_table_words *words);
/* Parses the options. The caller clears *out, also after a failure. HB_EUSAGE, HB_ENOMEM. */
hb_status hb_table_words_parse(const hb_table_words *words, hb_reading *out);
/* Makes the options for a plain table, of whose columns an expression reads a list, as --columns has it; NULL: all. The
 * others are not read, so their cells may be anything, unless rows go that lack cells there. Options may be about other
 * tables, and columns that no option needs a mask for have none. The caller clears *out, also after a failure.
 * HB_EUSAGE, HB_ENOMEM. */
hb_status hb_plain_reading(const hb_reading *said, const char *columns, hb_reading *out);

#endif
