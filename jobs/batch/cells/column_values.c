#include "column_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cells.h"
#include "lang/program/range.h"
#include "scheme/codec.h"
#include "table/grouping.h"
#include "table/real_text.h"

/* For decimals and dates beyond 64 bits the numbers that stand for them. */
static void wide_text(char text[HB_VALUES_TEXT], const hb_column *column, bool worded)
{
    const hb_interval values = hb_column_interval(column);
    char low[HB_MEANING_TEXT], high[HB_MEANING_TEXT];
    if (worded && hb_wide_bits(values.wide_least) < 63 && hb_wide_bits(values.wide_most) < 63 &&
        hb_meaning_text(&column->meaning, true, (uint64_t)values.least, low) != NULL &&
        hb_meaning_text(&column->meaning, true, (uint64_t)values.most, high) != NULL) {
        snprintf(text, HB_VALUES_TEXT, "%s..%s", low, high);
    } else {
        hb_interval_option(text, values);
    }
}

void hb_values_text(char text[HB_VALUES_TEXT], const hb_column *column)
{
    char least[HB_REAL_TEXT], most[HB_REAL_TEXT];
    const hb_meaning *meaning = &column->meaning;
    const bool worded = hb_meaning_is_moment(meaning) || hb_meaning_scale(meaning) > 1;
    char low[HB_MEANING_TEXT], high[HB_MEANING_TEXT];
    /* Labels and truth values bound columns without a range: encrypt takes no other values. */
    const uint64_t kinds = meaning->kind == HB_MEANING_BOOL ? 2 : meaning->labels != NULL ? meaning->labels->count : 0;
    if (!column->ranged && !column->may_wrap && kinds > 0) {
        snprintf(text, HB_VALUES_TEXT, "0..%" PRIu64, kinds - 1);
    } else if (column->ranged && column->wide) {
        wide_text(text, column, worded);
    } else if (!column->ranged) {
        snprintf(text, HB_VALUES_TEXT, "unknown%s", column->may_wrap ? ", may have wrapped" : "");
    } else if (column->cells == HB_CELL_REAL) {
        hb_real_bound_text(least, hb_real_of(column->least), false);
        hb_real_bound_text(most, hb_real_of(column->most), true);
        snprintf(text, HB_VALUES_TEXT, "%s..%s", least, most);
    } else if (worded && hb_meaning_text(meaning, column->is_signed, column->least, low) != NULL &&
               hb_meaning_text(meaning, column->is_signed, column->most, high) != NULL) {
        snprintf(text, HB_VALUES_TEXT, "%s..%s", low, high);
    } else if (column->is_signed) {
        snprintf(text, HB_VALUES_TEXT, "%" PRId64 "..%" PRId64, (int64_t)column->least, (int64_t)column->most);
    } else {
        snprintf(text, HB_VALUES_TEXT, "%" PRIu64 "..%" PRIu64, column->least, column->most);
    }
}

#define HB_KIND_TEXT 160
/* The kind of a column, behind its values; empty for reals. */
static void kind_text(char text[HB_KIND_TEXT], const hb_column *column, bool shows_names)
{
    text[0] = '\0';
    if (column->halves == HB_HALVES_COMPLEX) {
        snprintf(text, HB_KIND_TEXT, ", complex");
    } else if (column->halves == HB_HALVES_PAIR && shows_names) {
        snprintf(text, HB_KIND_TEXT, ", a pair: '%.64s', '%.64s'", column->part[0], column->part[1]);
    } else if (column->halves == HB_HALVES_PAIR) {
        snprintf(text, HB_KIND_TEXT, ", a pair");
    } else if (column->digit_base > 0) {
        snprintf(text, HB_KIND_TEXT, ", a digit to base %" PRIu64 ", of %" PRIu64, column->digit_base, column->digits);
    } else if (!hb_meaning_is_plain(&column->meaning) || column->meaning.unit != HB_TIME_NONE) {
        char words[HB_MEANING_WORDS];
        hb_meaning_words(&column->meaning, words);
        snprintf(text, HB_KIND_TEXT, ", %s", words);
    }
    if (column->mask > 0) {
        strcat(text, ", or missing");
    }
}

static bool same_values(const hb_column *x, const hb_column *y)
{
    return (x->mask > 0) == (y->mask > 0) && x->halves != HB_HALVES_PAIR && x->halves == y->halves &&
           x->cells == y->cells && x->ranged == y->ranged && x->may_wrap == y->may_wrap &&
           x->is_signed == y->is_signed && x->least == y->least && x->most == y->most && x->wide == y->wide &&
           hb_wide_compare(x->wide_least, y->wide_least) == 0 && hb_wide_compare(x->wide_most, y->wide_most) == 0 &&
           hb_meaning_same(&x->meaning, &y->meaning);
}

enum { MOST_LINES = 100, WIDTH = 120 }; /* as many as people read; --json has all */

/* All names of columns first .. last, in as many lines as they take. */
static uint64_t print_names(const hb_group *group, const hb_common *common, const hb_schema *schema, uint64_t first,
                            uint64_t last, bool shows_names, const char *values)
{
    char line[4 * WIDTH] = "columns      ";
    size_t used = strlen(line);
    uint64_t lines = 1;
    for (uint64_t c = first; c <= last; c++) {
        char word[WIDTH + HB_VALUES_TEXT + HB_KIND_TEXT];
        snprintf(word, sizeof word, "%s%s%s", hb_cells_column_of(schema, c, shows_names).text,
                 c < last ? "," : ", each: values ", c < last ? "" : values);
        if (used > 13 && used + strlen(word) > WIDTH) {
            hb_console_result(group, common, "%s", line);
            used = 13; /* below the names of the line before */
            memset(line, ' ', used);
            lines++;
        }
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used > 13 ? " " : "", word);
    }
    hb_console_result(group, common, "%s", line);
    return lines;
}

void hb_columns_print(const hb_group *group, const hb_common *common, const hb_schema *schema, hb_columns_style style)
{
    const hb_speaker say = hb_console_speaker(style != HB_COLUMNS_LOG);
    const bool shows_names = hb_columns_show_names(schema->column, schema->columns);
    const uint64_t shown = hb_schema_shown(schema);
    uint64_t next = 0, lines = 0;
    while (next < shown && lines < MOST_LINES) {
        const uint64_t first = next++;
        const hb_column_text name = hb_cells_column_of(schema, first, shows_names);
        char values[HB_VALUES_TEXT + HB_KIND_TEXT], kind[HB_KIND_TEXT];
        hb_values_text(values, &schema->column[first]);
        kind_text(kind, &schema->column[first], shows_names);
        strcat(values, kind);
        while (next < shown && same_values(&schema->column[first], &schema->column[next]) &&
               (style != HB_COLUMNS_NAMES || next - first < MOST_LINES)) {
            next++;
        }
        if (next - first == 1) {
            say(group, common, "column       %s: values %s", name.text, values);
        } else if (style != HB_COLUMNS_NAMES) {
            say(group, common, "columns      %s to %s: values %s", name.text,
                hb_cells_column_of(schema, next - 1, shows_names).text, values);
        } else {
            lines += print_names(group, common, schema, first, next - 1, shows_names, values) - 1;
        }
        lines++;
    }
    if (next < shown) {
        say(group, common, "columns      %" PRIu64 " more: --json shows all", shown - next);
    }
    if (shown < schema->columns) {
        say(group, common, "masks        %s, encrypted: which cells are missing, and how many",
            hb_human_things(schema->columns - shown, "column").text);
    }
}

/* Adds words to a line as long as it has room. */
static void add_word(char *line, size_t size, const char *before, const char *word)
{
    const size_t used = strlen(line);
    const bool fits = used + strlen(before) + strlen(word) + sizeof " ..." < size;
    if (fits || (used + sizeof " ..." < size && strcmp(line + used - 3, "...") != 0)) {
        snprintf(line + used, size - used, "%s%s", fits ? before : "", fits ? word : " ...");
    }
}

/* The unit of time in which a column of groups counts; HB_TIME_NONE: none, or a square of one. */
static hb_time_unit unit_of(const hb_schema *schema, const hb_grouped_column *column)
{
    const bool counts = hb_epilogue_is_itself(column->epilogue) || column->epilogue == &hb_epilogue_mean;
    return counts && column->part[0] < schema->grouping->parts ? schema->column[column->part[0]].meaning.unit
                                                               : HB_TIME_NONE;
}

void hb_columns_print_groups(const hb_group *group, const hb_common *common, const hb_schema *schema)
{
    const hb_grouping *g = schema->grouping;
    if (g == NULL) {
        return;
    }
    char line[4 * WIDTH], name[HB_COLUMN_NAME_MAX + 16];
    if (g->fetched > 0) {
        snprintf(line, sizeof line, "fetched      up to %" PRIu64 " rows", g->fetched);
    } else {
        snprintf(line, sizeof line, "groups       %" PRIu64, g->keys.rows);
    }
    for (uint64_t k = 0; k < g->keys.columns; k++) {
        snprintf(name, sizeof name, "'%s'", g->keys.column[k].name);
        add_word(line, sizeof line, k > 0 ? ", " : g->fetched > 0 ? " of " : " by ", name);
    }
    for (uint64_t c = 0; c < g->columns; c++) {
        const hb_time_unit unit = unit_of(schema, &g->column[c]);
        const bool counts = unit != HB_TIME_NONE;
        snprintf(name, sizeof name, "%s%s%s%s", g->column[c].name, counts ? " (" : "",
                 counts ? hb_time_unit_name(unit) : "", counts ? ")" : "");
        add_word(line, sizeof line, c == 0 ? ": " : ", ", name);
    }
    hb_console_result(group, common, "%s", line);
}

bool hb_columns_may_wrap(const hb_schema *schema)
{
    bool any = false;
    for (uint64_t c = 0; c < schema->columns; c++) {
        any |= schema->column[c].may_wrap;
    }
    return any;
}

void hb_columns_warn(const hb_group *group, const char *name, const hb_header *header)
{
    const hb_schema *schema = &header->schema;
    uint64_t count = 0, first = 0;
    for (uint64_t c = schema->columns; c-- > 0;) {
        if (schema->column[c].may_wrap) {
            count++;
            first = c;
        }
    }
    if (count == 0) {
        return;
    }
    char others[48] = "", bound[HB_CODEC_TEXT];
    hb_codec_bound_text(bound, &header->spec);
    if (count > 1) {
        snprintf(others, sizeof others, " and %" PRIu64 " more", count - 1);
    }
    hb_console_warn(group,
                    "warning: %s: column %s%s may have wrapped around mod %s"
                    ": values may be off by multiples of it; what rules that out: ranges of the inputs "
                    "(--range) and a %s that holds the results (params suggest)",
                    name, hb_cells_column(schema, first).text, others, bound, hb_codec_bound_name(header->spec.scheme));
}
