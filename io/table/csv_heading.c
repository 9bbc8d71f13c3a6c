/* The line of names of a CSV. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "csv_columns.h"

void hb_csv_heading_clear(hb_csv_heading *names)
{
    for (uint64_t c = 0; names->name != NULL && c < names->count; c++) {
        free(names->name[c]);
    }
    free(names->name);
    free(names->taken);
    *names = (hb_csv_heading){0};
}

static hb_status read_names(hb_csv_heading *names, hb_lines *lines, const hb_reading *reading)
{
    const char *line, *path = lines->text.path;
    size_t length;
    HB_TRY(hb_lines_next(lines, &line, &length));
    if (!line) {
        return HB_FAIL(HB_EDATA, "%s: is empty: it needs a header line with the names of its columns", path);
    }
    const char *end = line + length;
    const char delimiter = reading->delimiter != 0 ? reading->delimiter : hb_csv_find_delimiter(line, end);
    lines->delimiter = delimiter;
    names->count = 1;
    for (const char *at = hb_csv_field_end(line, end, delimiter); at < end;
         at = hb_csv_field_end(at + 1, end, delimiter)) {
        names->count++;
    }
    names->name = calloc((size_t)names->count, sizeof *names->name);
    names->taken = calloc((size_t)names->count, sizeof *names->taken);
    if (names->name == NULL || names->taken == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", path, names->count);
    }
    for (uint64_t c = 0; c < names->count; c++) {
        HB_TRY(hb_csv_parse_name(&line, end, delimiter, path, c + 1, &names->name[c]));
        line += line < end ? 1 : 0;
    }
    return HB_OK;
}

/* Decides which columns are read. */
static void choose_columns(hb_csv_heading *names, const hb_reading *reading)
{
    uint64_t wanted = 0, found = 0;
    for (size_t i = 0; i < reading->count; i++) {
        wanted += reading->column[i].selected;
    }
    for (uint64_t c = 0; c < names->count; c++) {
        const hb_column_reading *how = reading->count > 0 ? hb_reading_of(reading, names->name[c]) : NULL;
        names->taken[c] = how != NULL && how->selected;
        found += names->taken[c];
    }
    const bool all = !reading->selects || (reading->columns_optional && found < wanted);
    names->columns = all ? names->count : found;
    for (uint64_t c = 0; c < names->count && all; c++) {
        names->taken[c] = true;
    }
}

hb_status hb_csv_heading_read(hb_csv_heading *names, hb_lines *lines, const hb_reading *reading)
{
    HB_TRY(read_names(names, lines, reading));
    HB_TRY(hb_reading_check(reading, lines->text.path, (const char *const *)names->name, names->count));
    choose_columns(names, reading);
    return HB_OK;
}
