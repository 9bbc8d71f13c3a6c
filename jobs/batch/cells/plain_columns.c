#include "plain_columns.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cell.h"
#include "base/seed.h"

/* Rows that are read at a time. */
enum { CHUNK = 1 << 14 };

/* Makes an integer of its words. False: 127 bits do not hold it. */
static bool wide_of(const hb_column *column, const uint64_t *words, hb_i128 *value)
{
    const bool wide = column->cells == HB_CELL_WIDE, negative = column->is_signed && words[wide] >> 63 != 0;
    const uint64_t high = wide ? words[1] : negative ? UINT64_MAX : 0;
    *value = (hb_i128)((hb_u128)high << 64 | words[0]);
    return negative ? *value > (hb_i128)((hb_u128)1 << 127) : high >> 63 == 0;
}

static hb_status fail_long(const hb_plain_columns *x, uint64_t row, uint64_t column)
{
    char where[HB_TABLE_PLACE];
    return HB_FAIL(HB_EDATA,
                   "%s, column %" PRIu64 ": the value has more than 127 bits and a sign: too many to compute with",
                   hb_table_place_text(x->table, row, where), column + 1);
}

/* Makes cells of the words of a column, for rows `first` .. first + rows. *fits: false where a word of 64 bits does not
 * hold one, and that is the type of the cells. */
static hb_status take_rows(const hb_plain_columns *x, uint64_t column, hb_rectangle part, const uint64_t *words,
                           hb_plain_cells *cells, bool *fits)
{
    const hb_column *of = &hb_table_schema(x->table)->column[column];
    const uint64_t stride = hb_column_words(of);
    for (uint64_t r = 0; r < part.rows && *fits; r++, words += stride) {
        void *to = (char *)cells->cell + (part.row + r) * hb_plain_cell_bytes(cells->type);
        hb_i128 value;
        if (of->cells == HB_CELL_REAL) {
            for (uint64_t w = 0; w < stride; w++) {
                ((double *)to)[w] = hb_real_of(words[w]);
            }
            continue;
        }
        if (!wide_of(of, words, &value)) {
            return fail_long(x, part.row + r, column);
        }
        if (cells->type == HB_PLAIN_WIDE) {
            *(hb_i128 *)to = value;
        } else {
            *fits = value >= INT64_MIN && value <= INT64_MAX;
            *(int64_t *)to = (int64_t)value;
        }
    }
    return HB_OK;
}

static void discard(hb_plain_cells *cells)
{
    if (cells->cell != NULL) {
        hb_wipe((void *)cells->cell, (size_t)cells->rows * hb_plain_cell_bytes(cells->type)); /* plaintext */
        free((void *)cells->cell);
    }
    *cells = (hb_plain_cells){0};
}

/* Reads a column into cells of their type, as far as they fit. The caller discards them, also after a failure. */
static hb_status read_as(const hb_plain_columns *x, uint64_t column, hb_plain_cells *cells, bool *fits)
{
    const uint64_t rows = cells->rows;
    const size_t words_each = (size_t)hb_schema_words(hb_table_schema(x->table), column, 1);
    uint64_t *words = malloc(CHUNK * words_each * sizeof *words);
    cells->cell = calloc((size_t)rows + 1, hb_plain_cell_bytes(cells->type));
    hb_status st = words != NULL && cells->cell != NULL
                       ? HB_OK
                       : HB_FAIL(HB_ENOMEM, "%s: no memory for a column of %" PRIu64 " rows", x->path, rows);
    *fits = true;
    for (uint64_t first = 0; st == HB_OK && *fits && first < rows; first += CHUNK) {
        const hb_rectangle part = {
            .row = first, .rows = rows - first < CHUNK ? rows - first : CHUNK, .column = column, .columns = 1};
        st = hb_table_read(x->table, &part, words);
        st = st == HB_OK ? take_rows(x, column, part, words, cells, fits) : st;
    }
    if (words != NULL) {
        hb_wipe(words, CHUNK * words_each * sizeof *words);
    }
    free(words);
    return st;
}

static hb_status column_of(hb_plain_source *source, uint32_t column, hb_plain_cells *cells)
{
    hb_plain_columns *x = (hb_plain_columns *)source;
    const hb_schema *schema = hb_table_schema(x->table);
    const hb_column *of = &schema->column[column];
    hb_plain_cells *own = &x->column[column];
    if (own->cell == NULL) {
        const hb_plain_layout reals = of->halves == HB_HALVES_REAL ? HB_PLAIN_REALS : HB_PLAIN_COMPLEX;
        bool fits;
        *own = (hb_plain_cells){.type = of->cells == HB_CELL_REAL ? reals : HB_PLAIN_WORDS, .rows = schema->rows};
        hb_status st = read_as(x, column, own, &fits);
        if (st == HB_OK && !fits) {
            discard(own);
            *own = (hb_plain_cells){.type = HB_PLAIN_WIDE, .rows = schema->rows};
            st = read_as(x, column, own, &fits);
        }
        if (st != HB_OK) {
            discard(own);
            return st;
        }
    }
    *cells = *own;
    return HB_OK;
}

hb_status hb_plain_columns_init(hb_plain_columns *x, hb_table *table, const char *path)
{
    *x = (hb_plain_columns){.source = {.column = column_of}, .table = table, .path = path};
    x->column = calloc((size_t)hb_table_schema(table)->columns + 1, sizeof *x->column);
    return x->column != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for its columns", path);
}

void hb_plain_columns_clear(hb_plain_columns *x)
{
    const uint64_t columns = x->column != NULL ? hb_table_schema(x->table)->columns : 0;
    for (uint64_t c = 0; c < columns; c++) {
        discard(&x->column[c]);
    }
    free(x->column);
    *x = (hb_plain_columns){0};
}

uint64_t hb_plain_columns_bytes(const hb_plain_columns *x)
{
    const uint64_t columns = x->column != NULL ? hb_table_schema(x->table)->columns : 0;
    uint64_t bytes = 0;
    for (uint64_t c = 0; c < columns; c++) {
        bytes += x->column[c].cell != NULL ? x->column[c].rows * hb_plain_cell_bytes(x->column[c].type) : 0;
    }
    return bytes;
}
