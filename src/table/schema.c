#include "schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grouping.h"
#include "real_text.h"
#include "shell_line.h"
#include "utf8.h"

hb_status hb_schema_alloc(hb_schema *schema, uint64_t rows, uint64_t columns)
{
    /* One more than needed: calloc of nothing may return NULL. A file's count is checked by the caller against the
     * file's size. */
    hb_column *column = columns > SIZE_MAX / sizeof *column ? NULL : calloc((size_t)columns + 1, sizeof *column);
    if (!column) {
        return HB_FAIL(HB_ENOMEM, "no memory for a table of %" PRIu64 " columns", columns);
    }
    schema->rows = rows;
    schema->columns = columns;
    schema->column = column;
    return HB_OK;
}

bool hb_column_copy(hb_column *to, const hb_column *from)
{
    *to = *from;
    to->meaning = hb_meaning_share(&from->meaning);
    to->name = strdup(from->name ? from->name : "");
    bool whole = to->name != NULL;
    for (int half = 0; half < 2; half++) {
        to->part[half] = from->part[half] ? strdup(from->part[half]) : NULL;
        whole = whole && (to->part[half] != NULL || from->part[half] == NULL);
    }
    return whole;
}

hb_status hb_schema_copy(hb_schema *to, const hb_schema *from)
{
    /* Made apart, so that *to stays as it is after a failure. */
    hb_schema copy = *from;
    copy.column = NULL;
    copy.grouping = NULL;
    HB_TRY(hb_schema_alloc(&copy, from->rows, from->columns));
    for (uint64_t c = 0; c < from->columns; c++) {
        if (!hb_column_copy(&copy.column[c], &from->column[c])) {
            hb_schema_clear(&copy);
            return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", from->columns);
        }
    }
    const hb_status st = hb_grouping_copy(from->grouping, &copy.grouping);
    if (st != HB_OK) {
        hb_schema_clear(&copy);
        return st;
    }
    *to = copy;
    return HB_OK;
}

bool hb_column_holds(const hb_column *column, uint64_t value)
{
    if (column->cells == HB_CELL_REAL) {
        const double v = hb_real_of(value);
        /* Comparisons with a NaN are false. */
        return column->ranged ? v >= hb_real_of(column->least) && v <= hb_real_of(column->most) : isfinite(v);
    }
    const uint64_t flip = (uint64_t)column->is_signed << 63; /* puts negative words below the others */
    return !column->ranged || ((value ^ flip) >= (column->least ^ flip) && (value ^ flip) <= (column->most ^ flip));
}

void hb_schema_clear(hb_schema *schema)
{
    for (uint64_t c = 0; schema->column && c < schema->columns; c++) {
        free(schema->column[c].name);
        free(schema->column[c].part[0]);
        free(schema->column[c].part[1]);
        hb_meaning_clear(&schema->column[c].meaning);
    }
    free(schema->column);
    hb_grouping_free(schema->grouping);
    memset(schema, 0, sizeof *schema);
}

bool hb_schema_has_meanings(const hb_schema *schema)
{
    uint64_t c = 0;
    while (c < schema->columns && hb_meaning_code(&schema->column[c].meaning) == HB_MEANING_NUMBER &&
           hb_meaning_is_plain(&schema->column[c].meaning)) {
        c++;
    }
    return c < schema->columns;
}

bool hb_name_is_number(const char *name)
{
    return strpbrk(name, "0123456789") != NULL && strspn(name, "+-.,:/ 0123456789") == strlen(name);
}

static bool is_shown(const char *name)
{
    return name == NULL || !hb_name_is_number(name);
}

bool hb_columns_show_names(const hb_column *column, uint64_t count)
{
    uint64_t c = 0;
    while (c < count && is_shown(column[c].name) && is_shown(column[c].part[0]) && is_shown(column[c].part[1])) {
        c++;
    }
    return c == count;
}

void hb_column_label(char label[HB_COLUMN_LABEL], const hb_schema *schema, uint64_t column)
{
    hb_column_label_of(label, schema, column, hb_columns_show_names(schema->column, schema->columns));
}

void hb_column_label_of(char label[HB_COLUMN_LABEL], const hb_schema *schema, uint64_t column, bool shows_names)
{
    const char *name = schema->column[column].name;
    if (name && schema->named && name[0] != '\0' && shows_names) {
        snprintf(label, HB_COLUMN_LABEL, "%s", name);
    } else {
        snprintf(label, HB_COLUMN_LABEL, "%" PRIu64, column + 1);
    }
}

/* Names by which columns can be told from one another, on this machine and on any other. */

/* Orders columns by name, then by place, so that of twins the first one is named as the one already there. */
static int compare(const void *x, const void *y)
{
    const hb_column *a = *(const hb_column *const *)x, *b = *(const hb_column *const *)y;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a > b) - (a < b);
}

static bool is_csv(const char *table)
{
    const size_t length = strlen(table);
    return length > 4 && strcasecmp(table + length - 4, ".csv") == 0;
}

/* Refuses names, with their place in this kind of file and advice; columns are counted from 1, and `other` 0 means that
 * no second column is involved. */
static hb_status refuse(const char *table, uint64_t column, const char *what, uint64_t other)
{
    const bool csv = is_csv(table);
    char same[48] = "";
    if (other > 0) {
        snprintf(same, sizeof same, " of column %" PRIu64, other);
    }
    return HB_FAIL(HB_EDATA, "%s: %s, column %" PRIu64 ": %s%s: give each column a name of its own, in UTF-8%s", table,
                   csv ? "line 1" : "attribute 'columns'", column, what, same,
                   csv ? " (is the line of names missing?)" : "");
}

/* Sorted, as a table may have very many columns. */
static hb_status check_twins(const hb_schema *schema, const char *table)
{
    const hb_column **sorted = malloc((size_t)schema->columns * sizeof *sorted);
    if (sorted == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", table);
    }
    /* Pointers are sorted, so that a column's place is still known afterwards. */
    for (uint64_t c = 0; c < schema->columns; c++) {
        sorted[c] = &schema->column[c];
    }
    qsort(sorted, (size_t)schema->columns, sizeof *sorted, compare);
    hb_status st = HB_OK;
    for (uint64_t c = 1; st == HB_OK && c < schema->columns; c++) {
        if (strcmp(sorted[c - 1]->name, sorted[c]->name) == 0) {
            st = refuse(table, (uint64_t)(sorted[c] - schema->column) + 1, "has the name",
                        (uint64_t)(sorted[c - 1] - schema->column) + 1);
        }
    }
    free(sorted);
    return st;
}

hb_status hb_schema_check_names(const hb_schema *schema, const char *table)
{
    for (uint64_t c = 0; schema->named && c < schema->columns; c++) {
        const char *name = schema->column[c].name;
        if (name[0] == '\0') {
            return refuse(table, c + 1, "the name is empty", 0);
        }
        if (!hb_is_utf8(name) && is_csv(table)) {
            return HB_FAIL(HB_EDATA,
                           "%s: line 1, column %" PRIu64
                           ": the name is no UTF-8: say the encoding of the file, as --charset latin-1",
                           table, c + 1);
        }
        if (!hb_is_utf8(name)) {
            return refuse(table, c + 1, "the name is no UTF-8", 0);
        }
    }
    return schema->named ? check_twins(schema, table) : HB_OK;
}
