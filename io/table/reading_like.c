/* Reading a table as the columns of a dataset are: with their names, meanings, digits and masks. */
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "table/shell_line.h"

/* More columns without meanings are read without a word about each. */
enum { MOST_PLAIN_COLUMNS = 1 << 12 };

/* A column of times in a unit that is said has no other meaning. */
static hb_status check_times(const hb_column_reading *column, const hb_meaning *other)
{
    const hb_time_unit unit = column->has_times ? hb_times_unit(column->times) : HB_TIME_NONE;
    if (unit == HB_TIME_NONE || (other->kind == HB_MEANING_TIME && other->unit == unit)) {
        return HB_OK;
    }
    char words[HB_MEANING_WORDS];
    hb_meaning_words(other, words);
    return HB_FAIL(HB_EUSAGE, "--time-of-day: column '%.64s' has %s, and is to be read as times in %s", column->name,
                   words[0] != '\0' ? words : "numbers", hb_time_unit_name(unit));
}

/* Says to read a column as the digits that are here, unless something else is said. */
static hb_status read_digits_like(hb_reading *reading, const hb_column *first, size_t stem)
{
    char *name = strndup(first->name, stem);
    hb_column_reading *column = NULL;
    hb_status st =
        name != NULL ? hb_reading_called(reading, name, &column) : HB_FAIL(HB_ENOMEM, "no memory for a name");
    if (st == HB_OK) {
        column->selected = true;
        column->has_meaning = true; /* numbers */
        column->digit_base = column->digit_base > 0 ? column->digit_base : first->digit_base;
        column->digits = column->digits > 0 ? column->digits : first->digits;
    }
    free(name);
    return st;
}

static hb_status set_meaning_like(hb_column_reading *column, const hb_column *like)
{
    HB_TRY(check_times(column, &like->meaning));
    if (!column->has_meaning && like->halves == HB_HALVES_REAL &&
        (like->cells != HB_CELL_REAL || !hb_meaning_is_plain(&like->meaning))) {
        column->has_meaning = column->is_alike = true;
        column->meaning = hb_meaning_share(&like->meaning);
    }
    return HB_OK;
}

/* A column of the schema has a mask, or has none. */
static hb_status set_mask_like(hb_reading *reading, hb_column_reading *column, const hb_column *like)
{
    char name[HB_SHELL_COLUMN];
    column->masked = like->mask > 0;
    if (!column->masked && column->has_missing && column->missing == HB_MISSING_MASK) {
        return HB_FAIL(HB_EUSAGE,
                       "--missing: the dataset has no mask for column '%.64s', which --missing %s=mask makes when a "
                       "dataset is encrypted first, and no append adds: encrypt all rows anew with it",
                       column->name, hb_shell_column(name, column->name));
    }
    if (column->masked && !column->has_missing && reading->missing == HB_MISSING_REFUSE) {
        column->has_missing = true;
        column->missing = HB_MISSING_MASK;
    }
    return HB_OK;
}

/* Columns without names: all are read. */
static hb_status read_nameless_like(hb_reading *reading, const hb_schema *schema)
{
    char room[HB_READING_NAME];
    for (uint64_t c = 0; c < hb_schema_shown(schema); c++) {
        hb_column_reading *column;
        const size_t before = reading->count;
        HB_TRY(hb_reading_called(reading, hb_reading_name(schema, c, room), &column));
        column->implied = column->implied || reading->count > before;
        HB_TRY(set_meaning_like(column, &schema->column[c]));
        HB_TRY(set_mask_like(reading, column, &schema->column[c]));
    }
    return HB_OK;
}

hb_status hb_reading_like(hb_reading *reading, const hb_schema *schema)
{
    reading->fixed = true;
    if (reading->missing == HB_MISSING_MASK) { /* of columns with a mask, which say so themselves */
        reading->no_mask = true;
        reading->missing = HB_MISSING_REFUSE;
    }
    /* For very many columns without meanings nothing has to be said. */
    if (schema->columns > MOST_PLAIN_COLUMNS && !hb_schema_has_meanings(schema) && !hb_schema_has_digits(schema) &&
        hb_schema_masks(schema) == 0) {
        return HB_OK;
    }
    if (!schema->named) {
        return read_nameless_like(reading, schema);
    }
    const uint64_t shown = hb_schema_shown(schema);
    for (uint64_t c = 0, step = 1; c < shown; c += step) {
        const hb_column *like = &schema->column[c];
        hb_column_reading *column;
        size_t stem = 0;
        step = hb_columns_digits(like, shown - c, &stem);
        if (step > 0) {
            HB_TRY(read_digits_like(reading, like, stem));
            continue;
        }
        step = 1;
        HB_TRY(hb_reading_called(reading, like->name, &column));
        column->selected = true;
        HB_TRY(set_meaning_like(column, like));
        HB_TRY(set_mask_like(reading, column, like));
    }
    reading->selects = true;
    return HB_OK;
}
