/* Values of which reports are made (report.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "table/real_text.h"

/* Bytes of the character at c, 0 if it is no UTF-8; jansson knows. */
static size_t character_bytes(const char *c)
{
    for (size_t bytes = 1; bytes <= 4 && c[bytes - 1] != '\0'; bytes++) {
        json_t *character = json_stringn(c, bytes);
        json_decref(character);
        if (character != NULL) {
            return bytes;
        }
    }
    return 0;
}

json_t *hb_report_text(const char *text)
{
    if (text == NULL) {
        return json_null();
    }
    json_t *as_it_is = json_string(text);
    if (as_it_is != NULL) {
        return as_it_is;
    }
    char *copy = strdup(text);
    for (char *c = copy; c != NULL && *c != '\0';) {
        size_t bytes = character_bytes(c);
        *c = bytes > 0 ? *c : '?';
        c += bytes > 0 ? bytes : 1;
    }
    json_t *json = copy != NULL ? json_string(copy) : NULL;
    free(copy);
    return json;
}

json_t *hb_report_tables(hb_table_list tables)
{
    if (tables.count == 1) {
        return hb_report_text(tables.name[0]);
    }
    json_t *list = json_array();
    for (size_t i = 0; i < tables.count && list != NULL; i++) {
        if (json_array_append_new(list, hb_report_text(tables.name[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

json_t *hb_report_integer(uint64_t value, bool is_signed)
{
    char text[24];
    if (is_signed) {
        snprintf(text, sizeof text, "%" PRId64, (int64_t)value);
    } else {
        snprintf(text, sizeof text, "%" PRIu64, value);
    }
    return json_string(text);
}

json_t *hb_report_joined(json_t *first, json_t *second, json_t *third)
{
    if (first == NULL || second == NULL || third == NULL || json_object_update(first, second) != 0 ||
        json_object_update(first, third) != 0) {
        json_decref(first);
        first = NULL;
    }
    json_decref(second);
    json_decref(third);
    return first;
}

/* The end of a range; integers of 64 bits are text, as numbers of JSON have 53. */
static json_t *end_of(const hb_column *column, uint64_t value)
{
    return column->cells == HB_CELL_REAL ? json_real(hb_real_of(value)) : hb_report_integer(value, column->is_signed);
}

static json_t *wide_end(hb_wide value)
{
    char text[HB_WIDE_TEXT];
    hb_wide_text(text, value);
    return json_string(text);
}

/* For a column that is not real. */
static json_t *halves_of(const hb_column *column)
{
    return column->halves == HB_HALVES_REAL ? NULL : json_string(column->halves == HB_HALVES_PAIR ? "pair" : "complex");
}

static json_t *parts_of(const hb_column *column)
{
    return column->halves != HB_HALVES_PAIR
               ? NULL
               : json_pack("[o, o]", hb_report_text(column->part[0]), hb_report_text(column->part[1]));
}

/* The meaning of its numbers; NULL of plain ones. */
static json_t *meaning_of(const hb_column *column)
{
    static const char *const words[] = {[HB_MEANING_NUMBER] = "decimal",
                                        [HB_MEANING_BOOL] = "boolean",
                                        [HB_MEANING_CATEGORY] = "category",
                                        [HB_MEANING_DATE] = "date",
                                        [HB_MEANING_TIME] = "time"};
    const hb_meaning *meaning = &column->meaning;
    if (hb_meaning_is_plain(meaning) && meaning->unit == HB_TIME_NONE) {
        return NULL;
    }
    json_t *labels = meaning->labels != NULL ? json_array() : NULL;
    for (uint64_t i = 0; labels != NULL && i < meaning->labels->count; i++) {
        (void)json_array_append_new(labels, hb_report_text(meaning->labels->text[i]));
    }
    const uint64_t scale = hb_meaning_scale(meaning);
    const bool counts = meaning->unit != HB_TIME_NONE, time = meaning->kind == HB_MEANING_TIME;
    return json_pack("{s:s, s:o*, s:s*, s:o*, s:o*}", "kind", counts && !time ? "duration" : words[meaning->kind],
                     "scale", scale > 1 ? hb_report_integer(scale, false) : NULL, "unit",
                     counts ? hb_time_unit_name(meaning->unit) : NULL, "zone",
                     time ? json_boolean(meaning->zoned) : NULL, "labels", labels);
}

json_t *hb_report_columns(const hb_schema *schema)
{
    json_t *columns = json_array();
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column *of = &schema->column[c];
        json_t *values = json_null();
        if (of->ranged && of->wide) {
            values = json_pack("{s:o, s:o}", "least", wide_end(of->wide_least), "most", wide_end(of->wide_most));
        } else if (of->ranged) {
            values = json_pack("{s:o, s:o}", "least", end_of(of, of->least), "most", end_of(of, of->most));
        }
        json_t *column = json_pack("{s:o, s:b, s:o, s:b, s:o*, s:o*, s:o*, s:o*}", "name", hb_report_text(of->name),
                                   "signed", (int)of->is_signed, "values", values, "may_wrap", (int)of->may_wrap,
                                   "halves", halves_of(of), "parts", parts_of(of), "meaning", meaning_of(of), "mask",
                                   of->mask > 0 ? hb_report_text(schema->column[of->mask - 1].name) : NULL);
        if (json_array_append_new(columns, column) != 0) {
            json_decref(columns);
            return NULL;
        }
    }
    return columns;
}
