/* Columns without a cell in one of several files that are one table: the other files tell what they mean. */
#include <stdlib.h>
#include <string.h>

#include "table_private.h"

static bool is_blank(const hb_table *table, uint64_t c)
{
    return table->notes != NULL && table->notes[c].blank;
}

/* Returns the first table that tells what a column means, and that its cells are no plain numbers; NULL: none does. */
static const hb_column *teller(hb_table *const *part, size_t count, uint64_t c)
{
    for (size_t p = 0; p < count; p++) {
        const hb_schema *schema = hb_table_schema(part[p]);
        const hb_column *column = c < schema->columns ? &schema->column[c] : NULL;
        if (column != NULL && !is_blank(part[p], c)) {
            return column->meaning.kind != HB_MEANING_NUMBER ? column : NULL;
        }
    }
    return NULL;
}

/* Options of the caller's, and of columns whose meaning others tell. */
static hb_status copy_reading(const hb_reading *reading, hb_reading *own)
{
    *own = *reading;
    own->column = malloc((reading->count + 1) * sizeof *own->column);
    if (own->column == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of several tables");
    }
    for (size_t i = 0; i < reading->count; i++) {
        own->column[i] = reading->column[i];
    }
    return HB_OK;
}

static void clear_reading(const hb_reading *reading, hb_reading *own)
{
    for (size_t i = 0; i < own->count; i++) {
        const bool callers = i < reading->count;
        if (own->column[i].has_meaning && !(callers && reading->column[i].has_meaning)) {
            hb_meaning_clear(&own->column[i].meaning);
        }
        if (!callers) {
            free(own->column[i].name);
        }
    }
    free(own->column);
}

/* Opens table p again where others tell what its blank columns mean. */
static hb_status tell_part(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading,
                           hb_table_one_opener open, hb_table **part, size_t p)
{
    const hb_schema *schema = hb_table_schema(part[p]);
    hb_reading own;
    bool any = false;
    hb_status st = copy_reading(reading, &own);
    if (st != HB_OK) {
        return st;
    }
    for (uint64_t c = 0; st == HB_OK && c < hb_schema_shown(schema); c++) {
        const hb_column *other = is_blank(part[p], c) ? teller(part, names->count, c) : NULL;
        char room[HB_READING_NAME];
        hb_column_reading *column;
        if (other == NULL || strcmp(other->name, schema->column[c].name) != 0) {
            continue;
        }
        const size_t before = own.count;
        st = hb_reading_called(&own, hb_reading_name(schema, c, room), &column);
        if (st == HB_OK) {
            column->implied = column->implied || own.count > before;
            column->has_meaning = any = true;
            column->meaning = hb_meaning_share(&other->meaning);
        }
    }
    if (st == HB_OK && any) {
        hb_table_close(part[p]);
        part[p] = NULL;
        st = open(names->name[p], cells, &own, &part[p]);
    }
    clear_reading(reading, &own);
    return st;
}

hb_status hb_table_tell_blanks(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading,
                               hb_table_one_opener open, hb_table **part)
{
    for (size_t p = 0; p < names->count && reading->survey.take == NULL; p++) {
        HB_TRY(tell_part(names, cells, reading, open, part, p));
    }
    return HB_OK;
}
