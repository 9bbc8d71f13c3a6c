/* A table some of whose columns are read as digits of their numbers: each is several columns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "base/modarith.h"
#include "base/seed.h"
#include "csv_advice.h"
#include "table_private.h"

/* Where a column comes from. */
typedef struct source {
    uint64_t column; /* of the table that is read */
    uint64_t place;  /* of a digit: how many are behind it */
} source;

typedef struct digits_table {
    hb_table base;
    hb_table *inner;
    source *source; /* [base.schema.columns] */
} digits_table;

enum { PIECE = 1 << 14 }; /* words that are read at a time, unless one row has more */

/* The number of a cell, without a sign. */
static hb_status number_of(const digits_table *table, uint64_t row, uint64_t column, const uint64_t *word,
                           hb_u128 *number)
{
    const hb_column *of = &hb_table_schema(table->inner)->column[column];
    const bool wide = of->cells == HB_CELL_WIDE;
    if (of->is_signed && (int64_t)word[wide] < 0) {
        char label[HB_COLUMN_LABEL], where[HB_TABLE_PLACE];
        hb_column_label(label, hb_table_schema(table->inner), column);
        return HB_FAIL(HB_EDATA, "%s, column %s: the number is below 0, and has no digits",
                       hb_table_place_text(table->inner, row, where), label);
    }
    *number = word[0] | (wide ? (hb_u128)word[1] << 64 : 0);
    return HB_OK;
}

static hb_status put_digit(const digits_table *table, uint64_t row, uint64_t c, const uint64_t *word, uint64_t *value)
{
    const hb_column *to = &table->base.schema.column[c];
    const source *from = &table->source[c];
    hb_u128 number = 0;
    HB_TRY(number_of(table, row, from->column, word, &number));
    for (uint64_t i = 0; i < from->place; i++) {
        number /= to->digit_base;
    }
    if (from->place + 1 == to->digits && number >= to->digit_base) {
        char label[HB_COLUMN_LABEL], where[HB_TABLE_PLACE];
        hb_column_label(label, hb_table_schema(table->inner), from->column);
        return HB_FAIL(HB_EDATA, "%s, column %s: the number has more than %" PRIu64 " digits",
                       hb_table_place_text(table->inner, row, where), label, to->digits);
    }
    value[0] = (uint64_t)(number % to->digit_base);
    if (to->cells == HB_CELL_WIDE) {
        value[1] = 0;
    }
    return HB_OK;
}

/* Rows of columns first .. last of the inner table, to the columns of a rectangle. */
static hb_status split(const digits_table *table, const hb_rectangle *cells, const hb_rectangle *read,
                       const uint64_t *words, uint64_t *values)
{
    const hb_schema *inner = hb_table_schema(table->inner);
    const uint64_t row = hb_schema_words(inner, read->column, read->columns);
    for (uint64_t r = 0; r < read->rows; r++, words += row) {
        for (uint64_t c = cells->column; c < cells->column + cells->columns; c++) {
            const uint64_t column = table->source[c].column, each = hb_column_words(&table->base.schema.column[c]);
            const uint64_t *word = words + hb_schema_words(inner, read->column, column - read->column);
            if (table->base.schema.column[c].digit_base > 0) {
                HB_TRY(put_digit(table, read->row + r, c, word, values));
            } else {
                memcpy(values, word, (size_t)each * sizeof *values);
            }
            values += each;
        }
    }
    return HB_OK;
}

static hb_status digits_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    const digits_table *table = (const digits_table *)base;
    const uint64_t first = table->source[cells->column].column;
    const uint64_t columns = table->source[cells->column + cells->columns - 1].column - first + 1;
    const uint64_t row = hb_schema_words(hb_table_schema(table->inner), first, columns);
    const uint64_t most = row < PIECE ? PIECE / row : 1,
                   each = hb_schema_words(&base->schema, cells->column, cells->columns);
    const size_t bytes = (size_t)(most * row) * sizeof(uint64_t);
    uint64_t *words = malloc(bytes);
    hb_status st = words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", base->name);
    for (hb_chunk c = hb_chunks(cells->rows, most); st == HB_OK && hb_chunk_next(&c);) {
        const hb_rectangle some = {cells->row + c.first, c.count, first, columns};
        st = hb_table_read(table->inner, &some, words);
        st = st == HB_OK ? split(table, cells, &some, words, values + c.first * each) : st;
    }
    if (words != NULL) {
        hb_wipe(words, bytes); /* plaintext */
    }
    free(words);
    return st;
}

static hb_status digits_find(hb_table *base, uint64_t row, const hb_table **of, hb_csv_place *place)
{
    return hb_table_find(((const digits_table *)base)->inner, row, of, place);
}

static void digits_fill(hb_table *base, uint64_t column)
{
    const digits_table *table = (const digits_table *)base;
    hb_table_set_fill(table->inner, table->source[column].column, base->schema.column[column].fill);
}

static void digits_close(hb_table *base)
{
    digits_table *table = (digits_table *)base;
    hb_table_close(table->inner);
    free(table->source);
    free(table);
}

static const hb_table_ops digits_ops = {
    .read = digits_read, .find = digits_find, .fill = digits_fill, .close = digits_close};

/* Finds how many digits the largest number of a column has. */
static hb_status count_digits(const digits_table *table, uint64_t column, uint64_t base, uint64_t *digits)
{
    const hb_schema *inner = hb_table_schema(table->inner);
    const uint64_t each = hb_column_words(&inner->column[column]);
    uint64_t *words = malloc((size_t)PIECE * each * sizeof *words);
    hb_status st = words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", table->base.name);
    hb_u128 most = 0, number = 0;
    for (hb_chunk c = hb_chunks(inner->rows, PIECE); st == HB_OK && hb_chunk_next(&c);) {
        st = hb_table_read(table->inner, &(hb_rectangle){c.first, c.count, column, 1}, words);
        for (size_t i = 0; st == HB_OK && i < c.count; i++) {
            st = number_of(table, c.first + i, column, words + i * each, &number);
            most = number > most ? number : most;
        }
    }
    for (*digits = 1; most >= base; ++*digits) {
        most /= base;
    }
    if (words != NULL) {
        hb_wipe(words, (size_t)PIECE * each * sizeof *words); /* plaintext */
    }
    free(words);
    return st;
}

/* Whether columns of that meaning have digits. */
static hb_status check_column(const digits_table *table, uint64_t column)
{
    const hb_column *of = &hb_table_schema(table->inner)->column[column];
    return of->cells != HB_CELL_REAL && hb_meaning_is_plain(&of->meaning)
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "%s: --digits: column '%.64s' holds no plain integers", table->base.name, of->name);
}

/* Refuses a column with a mask, with the treatments of missing cells that need none. */
static hb_status refuse_mask(const digits_table *table, const hb_reading *reading, const char *name)
{
    char *drop = hb_csv_list_with(reading->said.missing, name, "=drop");
    char *value = hb_csv_list_with(reading->said.missing, name, "=VALUE");
    const hb_status st =
        drop == NULL || value == NULL
            ? HB_FAIL(HB_ENOMEM, "%s: no memory for advice", table->base.name)
            : HB_FAIL(HB_EUSAGE,
                      "%s: --digits: column '%.64s' has a mask, which digits have not: --missing %s leaves rows out, "
                      "and --missing %s says a number",
                      table->base.name, name, drop, value);
    free(drop);
    free(value);
    return st;
}

/* Counts the digits of each column of the inner table; 0: the column itself. */
static hb_status count_columns(const digits_table *table, const hb_reading *reading, uint64_t *digits, uint64_t *all)
{
    const hb_schema *inner = hb_table_schema(table->inner);
    *all = 0;
    if (!inner->named) {
        return HB_FAIL(HB_EUSAGE, "%s: --digits: its columns have no names, which digits could be called by",
                       table->base.name);
    }
    for (uint64_t c = 0; c < inner->columns; c++) {
        const hb_column_reading *said = hb_reading_of(reading, inner->column[c].name);
        digits[c] = said != NULL && said->digit_base > 0 ? said->digits : 0;
        if (said != NULL && said->digit_base > 0) {
            if (inner->column[c].mask > 0) {
                return refuse_mask(table, reading, inner->column[c].name);
            }
            HB_TRY(check_column(table, c));
            if (digits[c] == 0) {
                HB_TRY(count_digits(table, c, said->digit_base, &digits[c]));
            }
            if (!hb_digits_are_possible(said->digit_base, digits[c])) {
                return HB_FAIL(HB_EUSAGE,
                               "%s: --digits: column '%.64s' has %" PRIu64 " digits to base %" PRIu64
                               ", more than 128 bits",
                               table->base.name, inner->column[c].name, digits[c], said->digit_base);
            }
        }
        *all += digits[c] > 0 ? digits[c] : 1;
    }
    return HB_OK;
}

static hb_status set_digit(hb_column *to, const char *name, uint64_t base, uint64_t digits, uint64_t place)
{
    char *text = malloc(strlen(name) + 24);
    if (text == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of digits");
    }
    sprintf(text, "%s.%" PRIu64, name, place);
    free(to->name);
    to->name = text;
    to->is_signed = false;
    to->digit_base = base;
    to->digits = digits;
    return strlen(text) <= HB_COLUMN_NAME_MAX
               ? HB_OK
               : HB_FAIL(HB_EDATA, "the name of column '%.64s' is too long for digits behind it", name);
}

static hb_status set_columns(digits_table *table, const hb_reading *reading, const uint64_t *digits, uint64_t all)
{
    const hb_schema *inner = hb_table_schema(table->inner);
    hb_schema *schema = &table->base.schema;
    table->source = calloc((size_t)all + 1, sizeof *table->source);
    *schema = *inner;
    schema->column = NULL;
    schema->grouping = NULL;
    HB_TRY(hb_schema_alloc(schema, inner->rows, all));
    schema->rank = 2;
    if (table->source == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", table->base.name, all);
    }
    for (uint64_t c = 0, to = 0; c < inner->columns; c++) {
        const uint64_t count = digits[c] > 0 ? digits[c] : 1;
        for (uint64_t i = 0; i < count; i++, to++) {
            table->source[to] = (source){c, count - 1 - i};
            if (!hb_column_copy(&schema->column[to], &inner->column[c])) {
                return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", table->base.name, all);
            }
            if (schema->column[to].mask > 0) { /* as many columns come in between as digits do */
                schema->column[to].mask += all - inner->columns;
            }
            if (digits[c] > 0) {
                const uint64_t base = hb_reading_of(reading, inner->column[c].name)->digit_base;
                HB_TRY(set_digit(&schema->column[to], inner->column[c].name, base, digits[c], count - 1 - i));
            }
        }
    }
    return HB_OK;
}

hb_status hb_table_split_digits(const char *name, const hb_reading *reading, hb_table **io)
{
    bool asked = false;
    for (size_t i = 0; i < reading->count; i++) {
        asked = asked || reading->column[i].digit_base > 0;
    }
    if (!asked) {
        return HB_OK;
    }
    digits_table *table = calloc(1, sizeof *table);
    uint64_t *digits = calloc((size_t)hb_table_schema(*io)->columns + 1, sizeof *digits), all = 0;
    if (table == NULL || digits == NULL) {
        free(table);
        free(digits);
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", name);
    }
    table->base = (hb_table){.ops = &digits_ops, .fd = -1};
    table->inner = *io;
    table->base.name = (*io)->name;
    table->base.original = (*io)->original != NULL ? (*io)->original : *io;
    *io = NULL;
    hb_status st = count_columns(table, reading, digits, &all);
    st = st == HB_OK ? set_columns(table, reading, digits, all) : st;
    free(digits);
    if (st == HB_OK) {
        *io = &table->base;
    } else {
        hb_table_close(&table->base);
    }
    return st;
}
