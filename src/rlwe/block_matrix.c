#include "block_matrix.h"

#include <math.h>

/* --- images */

static uint64_t groups_of(const hb_block_image *image)
{
    const uint64_t together = (uint64_t)image->gap * image->gap;
    return (image->channels + together - 1) / together;
}

static uint32_t bounded(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
}

uint32_t hb_block_image_columns(const hb_block_image *image)
{
    return bounded((uint64_t)(image->height / image->gap) * (image->width / image->gap), image->channels);
}

uint32_t hb_block_image_slots(const hb_block_image *image)
{
    return bounded((uint64_t)image->height * image->width, groups_of(image));
}

/* Returns the slot of a pixel of a channel. */
static uint32_t slot_of(const hb_block_image *image, uint32_t channel, uint32_t row, uint32_t column)
{
    const uint32_t gap = image->gap, group = channel / (gap * gap), inside = channel % (gap * gap);
    return (group * image->height + gap * row + inside / gap) * image->width + gap * column + inside % gap;
}

bool hb_block_image_pixel(const hb_block_image *image, uint32_t slot, uint32_t *channel, uint32_t *row,
                          uint32_t *column)
{
    const uint32_t gap = image->gap, all = image->height * image->width;
    const uint32_t y = slot % all / image->width, x = slot % image->width;
    *channel = slot / all * gap * gap + y % gap * gap + x % gap;
    *row = y / gap;
    *column = x / gap;
    return *channel < image->channels;
}

bool hb_block_image_same(const hb_block_image *a, const hb_block_image *b)
{
    return a->height == b->height && a->width == b->width && a->gap == b->gap && a->channels == b->channels;
}

/* --- entries */

size_t hb_block_matrix_values(const hb_block_matrix *matrix)
{
    if (matrix->picks != NULL) {
        return matrix->rows;
    }
    if (matrix->kernel > 0) {
        return (size_t)matrix->to.channels * matrix->from.channels * matrix->kernel * matrix->kernel;
    }
    return (size_t)matrix->rows * (matrix->from.gap > 0 ? hb_block_image_columns(&matrix->from) : matrix->columns);
}

/* Which rows, or columns, of a kernel lie in an image of `size` of them, for pixel number `pixel` of the result. */
static void inside_of(const hb_block_matrix *matrix, uint32_t pixel, uint32_t size, int64_t *first, uint32_t lies[2])
{
    const int64_t stride = matrix->to.gap / matrix->from.gap;
    *first = stride * pixel - matrix->kernel / 2;
    const int64_t end = size - *first;
    lies[0] = *first < 0 ? (uint32_t) - *first : 0;
    lies[1] = end < matrix->kernel ? (uint32_t)end : matrix->kernel;
}

static bool same_inside(const hb_block_matrix *matrix, uint32_t pixel, uint32_t size)
{
    uint32_t here[2], before[2];
    int64_t first;
    if (pixel == 0) {
        return false;
    }
    inside_of(matrix, pixel, size, &first, here);
    inside_of(matrix, pixel - 1, size, &first, before);
    return here[0] == before[0] && here[1] == before[1];
}

uint32_t hb_block_row_like(const hb_block_matrix *matrix, uint32_t row)
{
    const hb_block_image *from = &matrix->from;
    uint32_t channel, y, x;
    if (matrix->kernel == 0 || !hb_block_image_pixel(&matrix->to, row, &channel, &y, &x)) {
        return row;
    }
    if (same_inside(matrix, y, from->height / from->gap)) {
        return slot_of(&matrix->to, channel, y - 1, x);
    }
    return same_inside(matrix, x, from->width / from->gap) ? slot_of(&matrix->to, channel, y, x - 1) : row;
}

hb_block_entries hb_block_row(const hb_block_matrix *matrix, uint32_t row)
{
    const hb_block_image *from = &matrix->from;
    hb_block_entries e = {.matrix = matrix};
    uint32_t channel, y, x;
    if (matrix->picks != NULL) {
        e.values = matrix->values + row;
        e.row = row;
        return e;
    }
    if (matrix->kernel == 0) {
        const uint32_t columns = from->gap > 0 ? hb_block_image_columns(from) : matrix->columns;
        e.values = matrix->values + (size_t)row * columns;
        return e;
    }
    if (!hb_block_image_pixel(&matrix->to, row, &channel, &y, &x)) {
        return e;
    }
    e.values = matrix->values + (size_t)channel * from->channels * matrix->kernel * matrix->kernel;
    inside_of(matrix, y, from->height / from->gap, &e.top, e.rows);
    inside_of(matrix, x, from->width / from->gap, &e.left, e.columns);
    e.row = e.rows[0];
    e.column = e.columns[0];
    return e;
}

/* For a kernel. */
static bool next_of_kernel(hb_block_entries *e)
{
    const hb_block_matrix *m = e->matrix;
    const uint32_t kernel = m->kernel, gap = m->from.gap, width = m->from.width;
    while (e->channel < m->from.channels) {
        for (; e->row < e->rows[1]; e->row++, e->column = e->columns[0]) {
            while (e->column < e->columns[1]) {
                const uint32_t column = e->column++;
                e->value = e->values[((size_t)e->channel * kernel + e->row) * kernel + column];
                if (e->value != 0) {
                    const uint32_t row = (uint32_t)(e->top + e->row);
                    e->slot = e->base + gap * (row * width + (uint32_t)(e->left + column));
                    return true;
                }
            }
        }
        e->base = slot_of(&m->from, ++e->channel, 0, 0);
        e->row = e->rows[0];
    }
    return false;
}

static uint32_t slot_of_column(const hb_block_image *image, uint32_t column)
{
    const uint32_t width = image->width / image->gap, pixels = image->height / image->gap * width;
    return slot_of(image, column / pixels, column % pixels / width, column % width);
}

bool hb_block_entries_next(hb_block_entries *e)
{
    const hb_block_matrix *m = e->matrix;
    if (e->values == NULL) {
        return false;
    }
    if (m->picks != NULL) {
        e->slot = m->picks[e->row];
        e->value = *e->values;
        e->values = NULL;
        return e->value != 0;
    }
    if (m->kernel > 0) {
        return next_of_kernel(e);
    }
    const uint32_t columns = m->from.gap > 0 ? hb_block_image_columns(&m->from) : m->columns;
    while (e->at < columns) {
        const uint32_t at = e->at++;
        if (e->values[at] != 0) {
            e->value = e->values[at];
            e->slot = m->from.gap > 0 ? slot_of_column(&m->from, at) : at;
            return true;
        }
    }
    return false;
}

/* Pixels of the result whose row, or column, `number` of the kernel lies in an image of `size` rows of the vector: from
 * *first on. */
static uint32_t pixels_of(const hb_block_matrix *matrix, uint32_t number, uint32_t size, uint32_t *first)
{
    const uint32_t stride = matrix->to.gap / matrix->from.gap, half = matrix->kernel / 2;
    *first = number < half ? (half - number + stride - 1) / stride : 0;
    const uint32_t end = size + half <= number ? 0 : (size + half - number + stride - 1) / stride;
    const uint32_t all = (size + stride - 1) / stride, last = end < all ? end : all;
    return last > *first ? last - *first : 0;
}

hb_block_weight hb_block_weight_of(const hb_block_matrix *matrix, size_t i)
{
    const hb_block_image *from = &matrix->from, *to = &matrix->to;
    const uint32_t kernel = matrix->kernel, stride = to->gap / from->gap;
    const uint32_t column = (uint32_t)(i % kernel), row = (uint32_t)(i / kernel % kernel);
    const size_t both = i / kernel / kernel;
    uint32_t y, x;
    hb_block_weight w = {.value = matrix->values[i],
                         .row_down = to->gap * to->width,
                         .row_across = to->gap,
                         .slot_down = stride * from->gap * from->width,
                         .slot_across = stride * from->gap};
    w.down = pixels_of(matrix, row, from->height / from->gap, &y);
    w.across = pixels_of(matrix, column, from->width / from->gap, &x);
    if (w.down > 0 && w.across > 0) {
        const uint32_t half = kernel / 2;
        w.row = slot_of(to, (uint32_t)(both / from->channels), y, x);
        w.slot = slot_of(from, (uint32_t)(both % from->channels), stride * y + row - half, stride * x + column - half);
    }
    return w;
}

void hb_block_matrix_sums(const hb_block_matrix *matrix, hb_block_sums *rows)
{
    for (uint32_t i = 0; i < matrix->rows; i++) {
        const uint32_t like = hb_block_row_like(matrix, i);
        rows[i] = like < i ? rows[like] : (hb_block_sums){0};
        for (hb_block_entries e = hb_block_row(matrix, i); like == i && hb_block_entries_next(&e);) {
            const double size = fabs(e.value);
            rows[i].sum += e.value;
            rows[i].magnitudes += size;
            rows[i].squares += size * size;
            rows[i].largest = fmax(rows[i].largest, size);
        }
    }
}

hb_block_gain hb_block_sums_gain(const hb_block_sums *rows, uint32_t count)
{
    hb_block_gain gain = {0};
    for (uint32_t i = 0; i < count; i++) {
        const hb_block_sums *row = &rows[i];
        gain.sum = fmax(gain.sum, fabs(row->sum));
        gain.magnitudes = fmax(gain.magnitudes, row->magnitudes);
        gain.root = fmax(gain.root, sqrt(row->squares));
        gain.largest = fmax(gain.largest, row->largest);
        gain.mean += fmax(row->sum * row->sum, row->squares);
    }
    gain.mean = sqrt(gain.mean / count);
    return gain;
}
