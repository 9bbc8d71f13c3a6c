#include "block_diagonals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

/* Returns which diagonal an entry is on: columns less rows, within a part, or those of the vector behind itself. A
 * rotation of all slots goes around: where a span is as many, numbers that many apart are the same. */
static int64_t number_of(const hb_block_diagonals *d, uint32_t slot, uint32_t row)
{
    const int64_t number = (int64_t)(slot & (d->span - 1)) - row, all = (int64_t)d->slots;
    if (d->copies > 1) {
        return number < 0 ? number + d->span : number;
    }
    if (d->span < d->slots || (number > -all / 2 && number <= all / 2)) {
        return number;
    }
    return number > 0 ? number - all : number + all;
}

/* Whether entries of one weight may be on several diagonals: slots of several parts are on different ones. */
static bool has_parts(const hb_block_diagonals *d)
{
    return d->matrix->columns > d->span;
}

/* --- numbers */

/* most: [2 span], of a number plus span the largest entry of that diagonal. */
static void add_entry(const hb_block_diagonals *d, uint32_t slot, uint32_t row, double value, double *most)
{
    const double size = fabs(value);
    double *largest = &most[number_of(d, slot, row) + d->span];
    *largest = size <= *largest ? *largest : size; /* also NaN, which encoding refuses */
}

static void look_at_weight(const hb_block_diagonals *d, const hb_block_weight *w, double *most)
{
    const bool once = !has_parts(d);
    for (uint32_t j = 0; j < (once ? 1 : w->down); j++) {
        for (uint32_t i = 0; i < (once ? 1 : w->across); i++) {
            add_entry(d, w->slot + j * w->slot_down + i * w->slot_across, w->row + j * w->row_down + i * w->row_across,
                      w->value, most);
        }
    }
}

static bool is_somewhere(const hb_block_weight *w)
{
    return w->value != 0 && w->down > 0 && w->across > 0;
}

static void look_at_all(const hb_block_diagonals *d, double *most)
{
    const hb_block_matrix *matrix = d->matrix;
    const size_t weights = matrix->kernel > 0 ? hb_block_matrix_values(matrix) : 0;
    for (size_t i = 0; i < weights; i++) {
        const hb_block_weight w = hb_block_weight_of(matrix, i);
        if (is_somewhere(&w)) {
            look_at_weight(d, &w, most);
        }
    }
    for (uint32_t i = 0; matrix->kernel == 0 && i < matrix->rows; i++) {
        for (hb_block_entries e = hb_block_row(matrix, i); hb_block_entries_next(&e);) {
            add_entry(d, e.slot, i, e.value, most);
        }
    }
}

static hb_status find_numbers(hb_block_diagonals *d, double *most)
{
    const uint32_t span = d->span;
    uint32_t count = 0;
    look_at_all(d, most);
    d->numbers = calloc((size_t)2 * span, sizeof *d->numbers);
    if (d->numbers == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the diagonals of a matrix");
    }
    for (uint32_t k = 0; k < 2 * span; k++) {
        if (most[k] != 0) {
            d->most += most[k];
            d->numbers[count++] = (int64_t)k - span;
        }
    }
    d->diagonals = (hb_diagonals){.count = count, .numbers = d->numbers, .period = d->matrix->block};
    return HB_OK;
}

/* --- values */

/* All entries of a weight are on diagonals whose numbers are the same modulo the span. */
static uint32_t class_of(const hb_block_diagonals *d, const hb_block_weight *w)
{
    return (w->slot - w->row) & (d->span - 1);
}

/* Sorts the weights of a convolution by their classes. */
static hb_status sort_weights(hb_block_diagonals *d)
{
    const size_t count = hb_block_matrix_values(d->matrix);
    d->first = calloc((size_t)d->span + 2, sizeof *d->first);
    d->weight = malloc((count + 1) * sizeof *d->weight);
    if (d->first == NULL || d->weight == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the diagonals of a convolution");
    }
    /* Where each class begins stands one place later until its weights are put there. */
    for (size_t i = 0; i < count; i++) {
        const hb_block_weight w = hb_block_weight_of(d->matrix, i);
        d->first[class_of(d, &w) + 2] += is_somewhere(&w);
    }
    for (uint32_t k = 2; k < d->span + 2; k++) {
        d->first[k] += d->first[k - 1];
    }
    for (size_t i = 0; i < count; i++) {
        const hb_block_weight w = hb_block_weight_of(d->matrix, i);
        if (is_somewhere(&w)) {
            d->weight[d->first[class_of(d, &w) + 1]++] = (uint32_t)i;
        }
    }
    return HB_OK;
}

/* Where entries of a diagonal are put. */
typedef struct place {
    double *slots; /* [block] */
    uint32_t mask; /* block - 1 */
    uint32_t by;   /* to the right */
} place;

static void put_entry(const hb_block_diagonals *d, const place *to, uint32_t slot, uint32_t row, double value)
{
    to->slots[((slot & ~(d->span - 1)) + row + to->by) & to->mask] = value;
}

static void put_weight(const hb_block_diagonals *d, int64_t number, const place *to, const hb_block_weight *w)
{
    const bool parts = has_parts(d);
    if (!parts && number_of(d, w->slot, w->row) != number) {
        return;
    }
    for (uint32_t j = 0; j < w->down; j++) {
        uint32_t slot = w->slot + j * w->slot_down, row = w->row + j * w->row_down;
        for (uint32_t i = 0; i < w->across; i++, slot += w->slot_across, row += w->row_across) {
            if (!parts || number_of(d, slot, row) == number) {
                put_entry(d, to, slot, row, w->value);
            }
        }
    }
}

/* For a matrix of one entry a row. */
static void put_picks(const hb_block_diagonals *d, int64_t number, const place *to)
{
    const hb_block_matrix *m = d->matrix;
    for (uint32_t i = 0; i < m->rows; i++) {
        if (m->values[i] != 0 && number_of(d, m->picks[i], i) == number) {
            put_entry(d, to, m->picks[i], i, m->values[i]);
        }
    }
}

/* For a matrix that is no convolution: goes along the diagonal, part by part. */
static void put_rows(const hb_block_diagonals *d, int64_t number, const place *to)
{
    const hb_block_matrix *m = d->matrix;
    const uint32_t columns = m->from.gap > 0 ? hb_block_image_columns(&m->from) : m->columns;
    const bool around = d->copies > 1 || d->span >= d->slots;
    for (uint32_t part = 0; part < m->columns; part += d->span) {
        for (uint32_t i = 0; i < m->rows; i++) {
            const int64_t inside = around ? (number + i) & (d->span - 1) : number + i;
            const int64_t slot = part + inside;
            if (inside < 0 || inside >= d->span || slot >= m->columns || d->column[slot] >= columns) {
                continue;
            }
            const double value = m->values[(size_t)i * columns + d->column[slot]];
            if (value != 0) { /* -0 is no entry */
                put_entry(d, to, (uint32_t)slot, i, value);
            }
        }
    }
}

/* Makes diagonal i, as hb_diagonals has it. */
static void make(const void *context, uint32_t i, size_t by, double *real, double *imaginary)
{
    const hb_block_diagonals *d = context;
    const hb_block_matrix *matrix = d->matrix;
    const place to = {real, matrix->block - 1, (uint32_t)by};
    const int64_t number = d->numbers[i];
    memset(real, 0, matrix->block * sizeof *real);
    memset(imaginary, 0, matrix->block * sizeof *imaginary);
    if (matrix->kernel == 0) {
        (matrix->picks != NULL ? put_picks : put_rows)(d, number, &to);
        return;
    }
    const uint32_t like = (uint32_t)((uint64_t)number & (d->span - 1));
    for (uint32_t k = d->first[like]; k < d->first[like + 1]; k++) {
        const hb_block_weight w = hb_block_weight_of(matrix, d->weight[k]);
        put_weight(d, number, &to, &w);
    }
}

/* Finds the column of each slot of the vector. */
static hb_status find_columns(hb_block_diagonals *d)
{
    const hb_block_image *image = &d->matrix->from;
    const uint32_t columns = d->matrix->columns;
    uint32_t channel, row, column;
    d->column = malloc(columns * sizeof *d->column);
    if (d->column == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the %u columns of a matrix", columns);
    }
    for (uint32_t i = 0; i < columns; i++) {
        d->column[i] = i;
        if (image->gap > 0) {
            const bool there = hb_block_image_pixel(image, i, &channel, &row, &column);
            const uint32_t width = image->width / image->gap, height = image->height / image->gap;
            d->column[i] = there ? (channel * height + row) * width + column : UINT32_MAX;
        }
    }
    return HB_OK;
}

static hb_status prepare_values(hb_block_diagonals *d)
{
    const hb_block_matrix *matrix = d->matrix;
    d->diagonals.make = make;
    d->diagonals.context = d;
    if (matrix->kernel > 0) {
        return sort_weights(d);
    }
    return find_columns(d);
}

hb_status hb_block_diagonals_init(hb_block_diagonals *d, const hb_block_matrix *matrix, const hb_block_outline *by,
                                  size_t slots, bool values)
{
    const size_t both = (size_t)2 * by->span;
    double *most = calloc(both, sizeof *most);
    *d = (hb_block_diagonals){.matrix = matrix, .span = by->span, .copies = by->copies, .slots = slots};
    if (most == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the diagonals of a matrix");
    }
    const hb_status st = find_numbers(d, most);
    hb_wipe(most, both * sizeof *most); /* of a table that may be private */
    free(most);
    return st == HB_OK && values ? prepare_values(d) : st;
}

void hb_block_diagonals_clear(hb_block_diagonals *d)
{
    free(d->numbers);
    free(d->first);
    free(d->weight);
    free(d->column);
    *d = (hb_block_diagonals){.numbers = NULL};
}
