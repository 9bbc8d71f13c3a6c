#include "table_options.h"

#include <string.h>

#include "cli/stop.h"

void hb_table_options(hb_option *rows, size_t count, hb_table_words *words)
{
    const hb_option own[] = {
        {"missing", 0, HB_OPTION_TEXT, &words->missing, "HOW",
         "cells that are empty, NA, NaN, null: refuse (default), drop, mask, VALUE, COLUMN=.."},
        {"na", 0, HB_OPTION_TEXTS, &words->na, "TEXT,..",
         "CSV: more texts for missing cells, as '?,-999', or COLUMN=TEXT,.. for one column; repeatable"},
        {"header", 0, HB_OPTION_TEXT, &words->header, "names | none",
         "CSV: line 1 has names, also if they are numbers; none: it is a row (column1, ..)"},
        {"delimiter", 0, HB_OPTION_TEXT, &words->delimiter, "SIGN",
         "CSV: comma, semicolon, tab or pipe (default: the one that is most often in line 1)"},
        {"decimal", 0, HB_OPTION_TEXT, &words->decimal, "SIGN",
         "CSV: comma for 1.234,5, point for 1,234.5 (default: 1234.5), COLUMN=.."},
        {"date-format", 0, HB_OPTION_TEXT, &words->date_format, "ORDER", "CSV: d.m.y, m/d/y, .. (default: YYYY-MM-DD)"},
        {"time-of-day", 0, HB_OPTION_TEXT, &words->time_of_day, "HOW",
         "CSV: times behind dates: refuse (default), drop, seconds, minutes, hours, COLUMN=.."},
        {"charset", 0, HB_OPTION_TEXT, &words->charset, "NAME",
         "CSV: utf-8 (default), latin-1, windows-1252 or utf-16 (found by its byte-order mark)"},
        {"fold", 0, HB_OPTION_TEXT, &words->fold, "all | COLUMN,..",
         "labels that differ by capitals and blanks alone are one, as \"f \" and F"},
        {"percent", 0, HB_OPTION_TEXT, &words->percent, "COLUMN,..",
         "CSV: numbers with percent signs as fractions, 12.5 % as 0.125"},
        {"round", 0, HB_OPTION_FLAG, &words->round, NULL, "decimals that --scale does not keep go to the nearest"},
        {"follow-files", 0, HB_OPTION_FLAG, &words->follow_files, NULL,
         "HDF5: read data from other files that the file names"},
        {"derive", 0, HB_OPTION_TEXTS, &words->derive, "NAME=..",
         "a column made of others: 'old=age >= 65', 'g=bin(age, 0..17, 18..)', 's=days(in, out)'; repeatable"},
        {"scale", 0, HB_OPTION_TEXT, &words->scale, "COLUMN=100,..",
         "decimals, also floats, as integers, times a power of ten; decrypt undoes it"},
        {"category", 0, HB_OPTION_TEXTS, &words->categories, "COLUMN[=A,..]",
         "texts by labels, those given or all of the column; PUBLIC; repeatable"},
        {"date", 0, HB_OPTION_TEXT, &words->date, "COLUMN,..",
         "YYYY-MM-DD as days since 1970-01-01; found where all cells are dates"},
        {"columns", 0, HB_OPTION_TEXT, &words->columns, "NAME,..", "read these columns alone, in the table's order"},
        {"digits", 0, HB_OPTION_TEXTS, &words->digits, "COLUMN=BASE[,N]",
         "large integers by digits, a column each, to compare; N, PUBLIC, is found; repeatable"}};
    _Static_assert(sizeof own / sizeof *own == HB_TABLE_COLUMN_OPTIONS, "every row is there");
    memcpy(rows, own, count * sizeof *rows);
}

static bool is_given(const hb_option *row)
{
    return row->kind == HB_OPTION_FLAG    ? *(const bool *)row->value
           : row->kind == HB_OPTION_TEXTS ? ((const hb_texts *)row->value)->count > 0
                                          : *(const char *const *)row->value != NULL;
}

const char *hb_table_words_given(hb_table_words *words)
{
    hb_option rows[HB_TABLE_COLUMN_OPTIONS];
    hb_table_options(rows, HB_TABLE_COLUMN_OPTIONS, words);
    size_t i = 0;
    while (i < HB_TABLE_COLUMN_OPTIONS && !is_given(&rows[i])) {
        i++;
    }
    return i < HB_TABLE_COLUMN_OPTIONS ? rows[i].name : NULL;
}

hb_status hb_table_words_check_round(const hb_table_words *words)
{
    return words->round && words->scale == NULL
               ? HB_FAIL(HB_EUSAGE, "--round rounds decimals that their --scale does not keep: give --scale, too")
               : HB_OK;
}

/* Whether rows are dropped for missing cells of a column that is not selected. */
static bool drops_for_others(const hb_reading *reading)
{
    bool drops = reading->missing == HB_MISSING_DROP;
    for (size_t i = 0; i < reading->count; i++) {
        const hb_column_reading *how = &reading->column[i];
        drops = drops || (how->has_missing && how->missing == HB_MISSING_DROP && !how->selected);
    }
    return drops;
}

hb_status hb_plain_reading(const hb_reading *said, const char *columns, hb_reading *out)
{
    hb_reading_words words = said->said;
    words.digit_count = 0;
    words.columns = columns;
    HB_TRY(hb_reading_parse(&words, out));
    if (drops_for_others(out)) {
        hb_reading_clear(out);
        words.columns = columns = NULL;
        HB_TRY(hb_reading_parse(&words, out));
    }
    out->said.columns = said->said.columns; /* advice repeats what was given */
    out->columns_optional = out->few_masks = true;
    out->needs_all = true; /* eval has no --columns: its expression names those that it reads */
    out->stopped = said->stopped;
    return HB_OK;
}

hb_status hb_table_words_parse(const hb_table_words *words, hb_reading *out)
{
    const hb_reading_words said = {.columns = words->columns,
                                   .scale = words->scale,
                                   .categories = words->categories.text,
                                   .category_count = words->categories.count,
                                   .date = words->date,
                                   .time_of_day = words->time_of_day,
                                   .percent = words->percent,
                                   .fold = words->fold,
                                   .digits = words->digits.text,
                                   .digit_count = words->digits.count,
                                   .derive = words->derive.text,
                                   .derive_count = words->derive.count,
                                   .missing = words->missing,
                                   .header = words->header,
                                   .delimiter = words->delimiter,
                                   .decimal = words->decimal,
                                   .date_format = words->date_format,
                                   .na = words->na.text,
                                   .na_count = words->na.count,
                                   .charset = words->charset,
                                   .round = words->round,
                                   .follow_files = words->follow_files};
    HB_TRY(hb_reading_parse(&said, out));
    out->stopped = hb_stop_check;
    return HB_OK;
}
