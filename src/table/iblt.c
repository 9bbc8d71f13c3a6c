#include "iblt.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/seed.h"

/* Pairs of rows fall together in every way with a chance of 2^-12 in all, and a way has a cell for two rows: 0.4 rows
 * a cell of all ways, where all come apart below 0.70. */
enum { UNLIKELY = 12, LEAST_CELLS = 4 };

/* How far, in units, counts and digits may be from those of rows, whatever their error. */
static const double MOST_OFF = 1.0 / (1 << HB_IBLT_WANTED);

/* The rounding of doubles, as a share of the numbers that are added up. */
static const double ROUNDING = HB_IBLT_WAYS * 0x1p-50;

uint32_t hb_iblt_digits(uint64_t rows)
{
    uint32_t digits = 1;
    for (uint64_t left = (rows - 1) >> 3; left > 0; left >>= 3) {
        digits++;
    }
    return digits;
}

hb_iblt hb_iblt_for(uint64_t rows, uint32_t most)
{
    const double pairs = most * (most - 1.0) / 2;
    uint32_t cells = most / 2 > LEAST_CELLS ? most / 2 : LEAST_CELLS;
    while (pow(cells, HB_IBLT_WAYS) < ldexp(pairs, UNLIKELY)) {
        cells++;
    }
    return (hb_iblt){rows, cells, hb_iblt_digits(rows), 1};
}

uint32_t hb_iblt_cell(const hb_iblt *table, uint32_t way, uint64_t row)
{
    return (uint32_t)((hb_hash_word(hb_mix(way), row) >> 32) * table->cells >> 32);
}

/* The integers of a cell. */
typedef struct cell {
    int64_t count;
    int64_t digit[HB_IBLT_MOST_DIGITS];
} cell;

/* A search for rows. */
typedef struct search {
    const hb_iblt *table;
    const double *sums;
    uint64_t columns;
    double error;     /* of a sum */
    cell *cells;      /* [ways * cells] what is left */
    uint32_t *place;  /* [most][ways] cells of the rows that were found, ... */
    uint64_t *row;    /* ... [most] their numbers, ... */
    double *value;    /* ... [most][columns] their values ... */
    double *errors;   /* ... and [most] their errors, as multiples of those of a sum */
    uint32_t *shared; /* [ways * cells] how many rows belong to a cell */
    uint32_t count, most;
} search;

static hb_status not_these(void)
{
    return HB_FAIL(HB_EDATA, "the sums are those of no rows: more rows are selected than were to be fetched, a value "
                             "is so near a threshold that its row counts as a part, errors are larger than was "
                             "expected, or the sums are damaged");
}

/* The nearest integer to a sum in such steps, which is to be near one. */
static bool nearest(const search *s, double sum, double step, int64_t *whole)
{
    const double near = rint(sum / step), off = fmin(s->error, MOST_OFF * s->table->unit);
    *whole = fabs(near) < 0x1p40 ? (int64_t)near : -1;
    return fabs(near) < 0x1p40 && fabs(sum - near * step) <= off + ROUNDING * fabs(sum);
}

static bool read_cells(search *s)
{
    const hb_iblt *t = s->table;
    const uint64_t each = hb_iblt_each(t->digits, s->columns);
    bool right = true;
    for (uint64_t i = 0; i < (uint64_t)HB_IBLT_WAYS * t->cells; i++) {
        right = right && nearest(s, s->sums[i * each], t->unit, &s->cells[i].count) && s->cells[i].count >= 0;
        for (uint32_t d = 0; d < t->digits; d++) {
            right = right && nearest(s, s->sums[i * each + 1 + d], t->unit / HB_IBLT_DIGIT, &s->cells[i].digit[d]);
        }
    }
    return right;
}

/* The row of a cell that holds one, if the cell is one of its own. */
static bool single(const search *s, uint32_t at, uint64_t *row)
{
    const cell *c = &s->cells[at];
    const hb_iblt *t = s->table;
    uint64_t number = 0;
    if (c->count != 1) {
        return false;
    }
    for (uint32_t d = t->digits; d-- > 0;) {
        if (c->digit[d] < 0 || c->digit[d] >= HB_IBLT_DIGIT || number >> 61 != 0) {
            return false;
        }
        number = number << 3 | (uint64_t)c->digit[d];
    }
    *row = number;
    return number < t->rows && hb_iblt_cell(t, at / t->cells, number) == at % t->cells;
}

static void take_out(search *s, uint64_t row)
{
    const hb_iblt *t = s->table;
    uint32_t *place = s->place + (size_t)s->count * HB_IBLT_WAYS;
    for (uint32_t w = 0; w < HB_IBLT_WAYS; w++) {
        place[w] = w * t->cells + hb_iblt_cell(t, w, row);
        cell *c = &s->cells[place[w]];
        c->count--;
        for (uint32_t d = 0; d < t->digits; d++) {
            c->digit[d] -= hb_iblt_digit(row, d);
        }
        s->shared[place[w]]++;
    }
    s->row[s->count++] = row;
}

/* Takes rows out of cells until no cell has a single one. */
static hb_status find_rows(search *s)
{
    const uint32_t all = HB_IBLT_WAYS * s->table->cells;
    bool found = true;
    while (found) {
        found = false;
        for (uint32_t at = 0; at < all; at++) {
            uint64_t row;
            if (!single(s, at, &row)) {
                continue;
            }
            if (s->count == s->most) {
                return HB_FAIL(HB_EDATA, "more than %" PRIu32 " rows are selected, and no more were to be fetched",
                               s->most);
            }
            take_out(s, row);
            found = true;
        }
    }
    bool several = false;
    for (uint32_t at = 0; at < all; at++) {
        bool left = s->cells[at].count != 0;
        several = several || s->cells[at].count > 1;
        for (uint32_t d = 0; d < s->table->digits; d++) {
            left = left || s->cells[at].digit[d] != 0;
        }
        if (left && !several) {
            return not_these();
        }
    }
    return several ? HB_FAIL(HB_EDATA,
                             "the selected rows do not come apart: more than %" PRIu32 " are selected, or they have "
                             "cells in common, which a fetch of more rows avoids",
                             s->most)
                   : HB_OK;
}

/* Returns the errors that row i would have in its cell of a way, as multiples of the error of a sum: that of the
 * cell and those of its other rows; INFINITY where one of them has no values yet. */
static double errors_in(const search *s, uint32_t i, uint32_t way)
{
    const uint32_t at = s->place[(size_t)i * HB_IBLT_WAYS + way];
    double errors = 1;
    for (uint32_t j = 0; j < s->count && s->shared[at] > 1; j++) {
        errors += j != i && s->place[(size_t)j * HB_IBLT_WAYS + way] == at ? s->errors[j] : 0;
    }
    return errors;
}

/* The values of row i, from its cell of a way. */
static void take_values(search *s, uint32_t i, uint32_t way)
{
    const uint64_t each = hb_iblt_each(s->table->digits, s->columns);
    const uint32_t at = s->place[(size_t)i * HB_IBLT_WAYS + way];
    double *value = s->value + (size_t)i * s->columns;
    memcpy(value, s->sums + at * each + 1 + s->table->digits, s->columns * sizeof *value);
    for (uint32_t j = 0; j < s->count; j++) {
        for (uint64_t c = 0; j != i && s->place[(size_t)j * HB_IBLT_WAYS + way] == at && c < s->columns; c++) {
            value[c] -= s->value[(size_t)j * s->columns + c];
        }
    }
}

/* The values of all rows, those with the least errors first (Dijkstra's order: others only add errors). */
static hb_status find_values(search *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        s->errors[i] = INFINITY;
    }
    for (uint32_t turn = 0; turn < s->count; turn++) {
        uint32_t row = 0, way = 0;
        double least = INFINITY;
        for (uint32_t i = 0; i < s->count; i++) {
            for (uint32_t w = 0; s->errors[i] == INFINITY && w < HB_IBLT_WAYS; w++) {
                const double errors = errors_in(s, i, w);
                if (errors < least) {
                    least = errors;
                    row = i;
                    way = w;
                }
            }
        }
        if (!(least <= HB_IBLT_ERRORS)) {
            return HB_FAIL(HB_EDATA, "the selected rows share too many cells to come apart with small errors, which a "
                                     "fetch of more rows avoids");
        }
        take_values(s, row, way);
        s->errors[row] = least;
    }
    return HB_OK;
}

/* Whether the rows that were found explain all values of a cell, with its error and theirs. */
static bool explains(const search *s, uint32_t at)
{
    const uint64_t each = hb_iblt_each(s->table->digits, s->columns);
    const uint32_t way = at / s->table->cells;
    bool right = true;
    for (uint64_t c = 0; c < s->columns; c++) {
        double left = s->sums[at * each + 1 + s->table->digits + c], errors = 1, most = fabs(left);
        for (uint32_t i = 0; i < s->count && s->shared[at] > 0; i++) {
            if (s->place[(size_t)i * HB_IBLT_WAYS + way] == at) {
                const double value = s->value[(size_t)i * s->columns + c];
                left -= value;
                errors += s->errors[i];
                most += fabs(value);
            }
        }
        right = right && isfinite(left) && fabs(left) <= errors * s->error + s->count * ROUNDING * most;
    }
    return right;
}

static hb_status check_values(const search *s)
{
    bool right = true;
    for (uint32_t at = 0; at < HB_IBLT_WAYS * s->table->cells; at++) {
        right = right && explains(s, at);
    }
    return right ? HB_OK : not_these();
}

/* A row that was found, and as which number. */
typedef struct found {
    uint64_t row;
    uint32_t number;
} found;

static int by_row(const void *x, const void *y)
{
    const uint64_t a = ((const found *)x)->row, b = ((const found *)y)->row;
    return (a > b) - (a < b);
}

static hb_status write_rows(const search *s, found *order, uint64_t *rows, double *values)
{
    for (uint32_t i = 0; i < s->count; i++) {
        order[i] = (found){s->row[i], i};
    }
    qsort(order, s->count, sizeof *order, by_row);
    for (uint32_t i = 0; i < s->count; i++) {
        if (i > 0 && order[i].row == order[i - 1].row) {
            return not_these();
        }
        rows[i] = order[i].row;
        for (uint64_t c = 0; c < s->columns; c++) {
            values[i * s->columns + c] = s->value[(size_t)order[i].number * s->columns + c];
        }
    }
    return HB_OK;
}

static hb_status search_rows(search *s, found *order, uint64_t *rows, double *values)
{
    if (!read_cells(s)) {
        return not_these();
    }
    HB_TRY(find_rows(s));
    HB_TRY(find_values(s));
    HB_TRY(check_values(s));
    return write_rows(s, order, rows, values);
}

static void wipe_and_free(void *memory, size_t bytes)
{
    if (memory != NULL) {
        hb_wipe(memory, bytes);
    }
    free(memory);
}

hb_status hb_iblt_rows(const hb_iblt *table, const hb_iblt_totals *totals, uint32_t most, uint64_t *rows,
                       double *values, size_t *count)
{
    const uint64_t columns = totals->columns;
    const size_t all = (size_t)HB_IBLT_WAYS * table->cells, bytes = (size_t)most * columns * sizeof(double);
    HB_ASSERT(table->digits <= HB_IBLT_MOST_DIGITS && table->rows > 0 && most > 0 && columns > 0 && table->unit >= 1);
    search s = {.table = table, .sums = totals->sums, .columns = columns, .error = totals->error, .most = most};
    found *order = calloc(most, sizeof *order);
    s.cells = calloc(all, sizeof *s.cells);
    s.shared = calloc(all, sizeof *s.shared);
    s.place = calloc((size_t)most * HB_IBLT_WAYS, sizeof *s.place);
    s.row = calloc(most, sizeof *s.row);
    s.errors = calloc(most, sizeof *s.errors);
    s.value = malloc(bytes);
    const bool whole = order && s.cells && s.shared && s.place && s.row && s.errors && s.value;
    const hb_status st =
        whole ? search_rows(&s, order, rows, values) : HB_FAIL(HB_ENOMEM, "no memory for rows that are fetched");
    *count = st == HB_OK ? s.count : 0;
    /* Values, and which rows were selected: decrypted, all of it. */
    wipe_and_free(s.cells, all * sizeof *s.cells);
    wipe_and_free(s.shared, all * sizeof *s.shared);
    wipe_and_free(s.place, (size_t)most * HB_IBLT_WAYS * sizeof *s.place);
    wipe_and_free(s.row, most * sizeof *s.row);
    wipe_and_free(s.errors, most * sizeof *s.errors);
    wipe_and_free(s.value, bytes);
    wipe_and_free(order, most * sizeof *order);
    return st;
}
