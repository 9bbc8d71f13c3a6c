#include "table_options.h"

#include <string.h>

void hb_table_options(hb_option *rows, size_t count, hb_table_words *words)
{
    const hb_option own[HB_TABLE_COLUMN_OPTIONS] = {
        {"missing", 0, HB_OPTION_TEXT, &words->missing, "WHAT",
         "cells that are empty, NA, NaN, null: refuse (default), drop, VALUE, COLUMN=.."},
        {"delimiter", 0, HB_OPTION_TEXT, &words->delimiter, "SIGN",
         "of a CSV: comma, semicolon, tab or pipe (default: what its first line has)"},
        {"scale", 0, HB_OPTION_TEXT, &words->scale, "COLUMN=100,..",
         "decimals as integers, times a power of ten, exactly; decrypt undoes it"},
        {"category", 0, HB_OPTION_TEXTS, &words->categories, "COLUMN[=A,B,..]",
         "texts by labels, those given or all of the column; PUBLIC; repeatable"},
        {"date", 0, HB_OPTION_TEXT, &words->date, "COLUMN,..",
         "YYYY-MM-DD as days since 1970-01-01; found where all cells are dates"},
        {"columns", 0, HB_OPTION_TEXT, &words->columns, "NAME,..", "read these columns alone, in the table's order"},
        {"digits", 0, HB_OPTION_TEXTS, &words->digits, "COLUMN=BASE[,N]",
         "N digits of large integers, a column each, to be compared; decrypt\njoins them; N, PUBLIC, is found; "
         "repeatable"}};
    memcpy(rows, own, count * sizeof *rows);
}

hb_status hb_table_words_parse(const hb_table_words *words, hb_reading *out)
{
    const hb_reading_words said = {.columns = words->columns,
                                   .scale = words->scale,
                                   .categories = words->categories.text,
                                   .category_count = words->categories.count,
                                   .date = words->date,
                                   .digits = words->digits.text,
                                   .digit_count = words->digits.count,
                                   .missing = words->missing,
                                   .delimiter = words->delimiter};
    return hb_reading_parse(&said, out);
}
