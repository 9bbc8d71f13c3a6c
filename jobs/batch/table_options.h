/* What commands that read plain tables are told of them (io/table/reading.h). */
#ifndef HB_BATCH_TABLE_OPTIONS_H
#define HB_BATCH_TABLE_OPTIONS_H

#include "cli/options.h"
#include "io/table/reading.h"

typedef struct hb_table_words {
    const char *columns, *scale, *date, *missing, *delimiter;
    hb_texts categories, digits;
} hb_table_words;

enum {
    HB_TABLE_FILE_OPTIONS = 2,                     /* missing cells, the delimiter */
    HB_TABLE_OPTIONS = HB_TABLE_FILE_OPTIONS + 3,  /* and meanings of columns */
    HB_TABLE_COLUMN_OPTIONS = HB_TABLE_OPTIONS + 2 /* which columns, and as what */
};
/* Fills the first `count` rows, one of these numbers. */
void hb_table_options(hb_option *rows, size_t count, hb_table_words *words);
/* Understands what was said. The caller clears *out, also after a failure. HB_EUSAGE, HB_ENOMEM. */
hb_status hb_table_words_parse(const hb_table_words *words, hb_reading *out);

#endif
