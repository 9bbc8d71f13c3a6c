#include "plain_columns.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cell.h"
#include "base/seed.h"

/* Rows that are read at a time. */
enum { CHUNK = 1 << 14 };

/* Makes a cell of its words. False: it is an integer that 63 bits do not hold. */
static bool cell_of(const hb_column *column, const uint64_t *words, hb_plain_cell *cell)
{
    if (column->cells == HB_CELL_REAL) {
        cell->real = hb_real_of(words[0]);
        return true;
    }
    const uint64_t sign = column->is_signed && words[0] >> 63 != 0 ? UINT64_MAX : 0;
    cell->integer = (int64_t)words[0];
    return (words[0] >> 63 == 0 || sign != 0) && (column->cells != HB_CELL_WIDE || words[1] == sign);
}

static hb_status read_rows(hb_plain_columns *x, uint64_t column, uint64_t first, uint64_t rows, uint64_t *words,
                           hb_plain_cell *cells)
{
    const hb_schema *schema = hb_table_schema(x->table);
    const size_t stride = (size_t)hb_schema_words(schema, column, 1);
    const hb_rectangle part = {.row = first, .rows = rows, .column = column, .columns = 1};
    HB_TRY(hb_table_read(x->table, &part, words));
    for (uint64_t r = 0; r < rows; r++) {
        if (!cell_of(&schema->column[column], words + r * stride, &cells[first + r])) {
            return HB_FAIL(HB_EDATA,
                           "%s: row %" PRIu64 ", column %" PRIu64
                           ": the value has more than 63 bits, and what is compared has fewer",
                           x->path, first + r + 1, column + 1);
        }
    }
    return HB_OK;
}

static hb_status column_of(hb_plain_source *source, uint32_t column, const hb_plain_cell **cells)
{
    hb_plain_columns *x = (hb_plain_columns *)source;
    const hb_schema *schema = hb_table_schema(x->table);
    const uint64_t rows = schema->rows;
    *cells = x->column[column];
    if (*cells != NULL) {
        return HB_OK;
    }
    hb_plain_cell *made = malloc((size_t)rows * sizeof *made + 1);
    uint64_t *words = malloc((size_t)CHUNK * hb_schema_words(schema, column, 1) * sizeof *words);
    hb_status st =
        made && words ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a column of %" PRIu64 " rows", x->path, rows);
    for (uint64_t first = 0; st == HB_OK && first < rows; first += CHUNK) {
        st = read_rows(x, column, first, rows - first < CHUNK ? rows - first : CHUNK, words, made);
    }
    if (words != NULL) {
        hb_wipe(words, (size_t)CHUNK * hb_schema_words(schema, column, 1) * sizeof *words);
    }
    free(words);
    x->column[column] = made; /* wiped with the others, also after a failure */
    if (st == HB_OK) {
        *cells = made;
    }
    return st;
}

hb_status hb_plain_columns_init(hb_plain_columns *x, hb_table *table, const char *path)
{
    *x = (hb_plain_columns){.source = {.column = column_of}, .table = table, .path = path};
    x->column = calloc((size_t)hb_table_schema(table)->columns + 1, sizeof(hb_plain_cell *));
    return x->column != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for its columns", path);
}

void hb_plain_columns_clear(hb_plain_columns *x)
{
    const hb_schema *schema = x->column != NULL ? hb_table_schema(x->table) : NULL;
    for (uint64_t c = 0; schema != NULL && c < schema->columns; c++) {
        if (x->column[c] != NULL) {
            hb_wipe(x->column[c], (size_t)schema->rows * sizeof *x->column[c]); /* plaintext */
        }
        free(x->column[c]);
    }
    free(x->column);
    *x = (hb_plain_columns){0};
}
