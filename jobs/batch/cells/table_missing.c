#include "table_missing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t gaps_of(const hb_table_findings *gaps, uint64_t c, bool replaced)
{
    return replaced ? gaps->column[c].replaced : gaps->column[c].left_out;
}

/* "a 3, b 1", of as many columns as there is room for; returns the sum of all. */
static uint64_t columns_text(char *text, size_t room, const hb_table_findings *gaps, bool replaced)
{
    const bool shows_names = hb_columns_show_names(gaps->schema->column, gaps->schema->columns);
    uint64_t all = 0, more = 0;
    size_t length = 0;
    text[0] = '\0';
    for (uint64_t c = 0; gaps->column != NULL && c < gaps->schema->columns; c++) {
        const uint64_t count = gaps_of(gaps, c, replaced);
        char label[HB_COLUMN_LABEL], one[HB_COLUMN_LABEL + 32];
        all += count;
        if (count == 0) {
            continue;
        }
        hb_column_label_of(label, gaps->schema, c, shows_names);
        const int width = snprintf(one, sizeof one, "%s%s %" PRIu64, length > 0 ? ", " : "", label, count);
        if (length + (size_t)width + sizeof " and N more columns" + 20 < room && more == 0) {
            memcpy(text + length, one, (size_t)width + 1);
            length += (size_t)width;
        } else {
            more++;
        }
    }
    if (more > 0) {
        snprintf(text + length, room - length, " and %" PRIu64 " more columns", more);
    }
    return all;
}

/* A line for each column with cells that a mask tells, as many as people read. */
static void print_masked(const hb_group *group, const hb_common *common, const hb_table_findings *gaps, hb_speaker say)
{
    enum { MOST_LINES = 20 };
    const hb_schema *schema = gaps->schema;
    uint64_t lines = 0;
    for (uint64_t c = 0; gaps->column != NULL && c < schema->columns; c++) {
        const uint64_t count = gaps->column[c].masked;
        char label[HB_COLUMN_LABEL];
        if (count == 0 || ++lines > MOST_LINES) {
            continue;
        }
        hb_column_label(label, schema, c);
        say(group, common, "missing      %" PRIu64 " of %" PRIu64 " cells of %s %s missing", count, schema->rows, label,
            count == 1 ? "is" : "are");
    }
    if (lines > MOST_LINES) {
        say(group, common, "missing      cells of %" PRIu64 " more columns", lines - MOST_LINES);
    }
}

void hb_table_missing_print(const hb_group *group, const hb_common *common, const hb_table *table, bool results)
{
    const hb_table_findings gaps = hb_table_findings_of(table);
    const hb_schema *schema = gaps.schema;
    const hb_speaker say = hb_console_speaker(results);
    char columns[512], left_out[HB_LEFT_OUT_TEXT];
    if (schema->left_out.rows > 0) {
        (void)columns_text(columns, sizeof columns, &gaps, false);
        hb_left_out_text(left_out, &schema->left_out, schema->rows);
        say(group, common, "missing      %s: rows by column: %s", left_out, columns);
    }
    const uint64_t replaced = columns_text(columns, sizeof columns, &gaps, true);
    if (replaced > 0) {
        say(group, common, "missing      %s %s read as what --missing says: %s", hb_human_things(replaced, "cell").text,
            replaced == 1 ? "is" : "are", columns);
    }
    print_masked(group, common, &gaps, say);
    if (gaps.blank_lines > 0) {
        say(group, common, "table        ends with %s, no rows", hb_human_things(gaps.blank_lines, "empty line").text);
    }
}

json_t *hb_table_missing_json(const hb_table *table)
{
    if (table == NULL) {
        return json_null();
    }
    const hb_table_findings gaps = hb_table_findings_of(table);
    const hb_schema *schema = gaps.schema;
    json_t *list = json_array();
    uint64_t replaced = 0, masked = 0;
    for (uint64_t c = 0; gaps.column != NULL && list != NULL && c < schema->columns; c++) {
        const hb_column_missing *of = &gaps.column[c];
        replaced += of->replaced;
        masked += of->masked;
        if (of->left_out + of->replaced + of->masked > 0) {
            json_array_append_new(list,
                                  json_pack("{s:o, s:I, s:I, s:I}", "name", hb_report_text(schema->column[c].name),
                                            "rows_left_out", (json_int_t)of->left_out, "cells_replaced",
                                            (json_int_t)of->replaced, "cells_masked", (json_int_t)of->masked));
        }
    }
    json_t *all =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "rows_there", (json_int_t)(schema->rows + schema->left_out.rows),
                  "rows_left_out", (json_int_t)schema->left_out.rows, "cells_replaced", (json_int_t)replaced,
                  "cells_masked", (json_int_t)masked, "empty_lines", (json_int_t)gaps.blank_lines, "column", list);
    return all != NULL ? all : json_null();
}

void hb_threshold_gap_print(const hb_group *group, const hb_common *common, double gap, bool results)
{
    if (gap > 0) {
        hb_console_speaker(results)(
            group, common,
            "comparisons  rows whose value is within %.3g of a threshold are not decided: each may count as a part",
            gap);
    }
}

void hb_left_out_print(const hb_group *group, const hb_common *common, const hb_schema *schema, bool results)
{
    char text[HB_LEFT_OUT_TEXT];
    if (schema->left_out.rows > 0) {
        hb_left_out_text(text, &schema->left_out, schema->rows);
        hb_console_speaker(results)(group, common, "missing      %s", text);
    }
    if (schema->total_left_out > 0) {
        const uint64_t rows = schema->total_left_out;
        hb_console_speaker(results)(group, common, "missing      %s with %s left out: no total counts %s",
                                    hb_human_things(rows, "row").text,
                                    rows == 1 ? "a missing cell was" : "missing cells were", rows == 1 ? "it" : "them");
    }
    hb_threshold_gap_print(group, common, schema->threshold_gap, results);
}

json_t *hb_left_out_json(const hb_schema *schema)
{
    if (schema->left_out.rows == 0 && schema->total_left_out == 0) {
        return json_null();
    }
    return json_pack("{s:I, s:I, s:o*}", "rows", (json_int_t)schema->left_out.rows, "of",
                     (json_int_t)(schema->rows + schema->left_out.rows), "behind_a_total",
                     schema->total_left_out > 0 ? json_integer((json_int_t)schema->total_left_out) : NULL);
}

json_t *hb_threshold_gap_json(const hb_schema *schema)
{
    return schema->threshold_gap > 0 ? json_real(schema->threshold_gap) : NULL;
}
