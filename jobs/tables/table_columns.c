#include "table_columns.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/report.h"

static const char *kind_of(const hb_column *column)
{
    static const char *const meanings[] = {[HB_MEANING_NUMBER] = "decimal",
                                           [HB_MEANING_BOOL] = "boolean",
                                           [HB_MEANING_CATEGORY] = "category",
                                           [HB_MEANING_DATE] = "date",
                                           [HB_MEANING_TIME] = "time"};
    if (!hb_meaning_is_plain(&column->meaning)) {
        return meanings[column->meaning.kind];
    }
    if (column->cells != HB_CELL_REAL) {
        return "integer";
    }
    return column->halves == HB_HALVES_REAL ? "real" : "complex";
}

/* The name that a column has in the file, without the place of a digit where digits are joined. */
static json_t *name_of(const hb_column *column, bool named, size_t stem, uint64_t number)
{
    if (named) {
        char name[HB_COLUMN_NAME_MAX + 1];
        snprintf(name, sizeof name, "%.*s", stem > 0 ? (int)stem : HB_COLUMN_NAME_MAX, column->name);
        return hb_report_text(name);
    }
    char name[sizeof "column" + 20];
    snprintf(name, sizeof name, "column%" PRIu64, number);
    return json_string(name);
}

json_t *hb_table_columns_json(const hb_schema *schema, const hb_selection *selection)
{
    hb_schema shown;
    if (hb_table_choose_columns(schema, &selection->view, &shown) != HB_OK) {
        return NULL;
    }
    json_t *columns = json_array();
    for (uint64_t c = 0; c < hb_schema_shown(&shown); c++) {
        const hb_column *column = &shown.column[c];
        const uint64_t scale = hb_meaning_scale(&column->meaning), number = selection->view.columns[c] + 1;
        size_t stem = 0;
        const uint64_t digits = shown.named ? hb_columns_digits(column, shown.columns - c, &stem) : 0;
        json_t *one = json_pack("{s:o, s:s, s:o*}", "name", name_of(column, shown.named, digits > 0 ? stem : 0, number),
                                "kind", kind_of(column), "scale", scale > 1 ? hb_report_integer(scale, false) : NULL);
        if (json_array_append_new(columns, one) != 0) {
            json_decref(columns);
            columns = NULL;
            break;
        }
        c += digits > 0 ? digits - 1 : 0;
    }
    hb_schema_clear(&shown);
    return columns;
}
