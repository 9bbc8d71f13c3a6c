/* Values of tables that HDF5 holds in parts, in the reader's process. */
#include <inttypes.h>
#include <stdlib.h>

#include "io/h5/h5.h"
#include "source_private.h"
#include "table/real_text.h"

/* Numbers that are read at a time. */
#define BATCH ((uint64_t)1 << 17)

/* Makes the type that numbers of a column are read as, of `elements` and in a compound where it has those. */
static hb_status memory_type(const hb_sources *s, const hb_source *source, hid_t *type)
{
    const hid_t number = source->class == H5T_BITFIELD ? H5T_NATIVE_B8
                         : source->class == H5T_ENUM   ? H5T_NATIVE_INT64
                         : source->class == H5T_FLOAT  ? H5T_NATIVE_DOUBLE
                         : source->below               ? H5T_NATIVE_INT64
                                                       : H5T_NATIVE_UINT64;
    const hsize_t extent = source->elements;
    hid_t inner, row = 0;
    HB_TRY(HB_H5(inner = source->array ? H5Tarray_create2(number, 1, &extent) : H5Tcopy(number), HB_ENOMEM,
                 "%s: no memory to read it", s->name));
    hb_status st = HB_OK;
    if (source->member == NULL) {
        *type = inner;
        return HB_OK;
    }
    HB_GOTO(HB_H5(row = H5Tcreate(H5T_COMPOUND, H5Tget_size(inner)), HB_ENOMEM, "%s: no memory to read it", s->name));
    HB_GOTO(HB_H5(H5Tinsert(row, source->member, 0, inner), HB_ENOMEM, "%s: no memory to read it", s->name));
done:
    hb_h5_close(inner);
    *type = row;
    return st;
}

/* Reads all numbers of some rows, of which a member that is an array has several. */
static hb_status read_numbers(const hb_sources *s, const hb_source *source, uint64_t row, uint64_t rows, void *numbers)
{
    const hsize_t start[2] = {row, source->column}, extent[2] = {rows, 1};
    hid_t space, memory = 0, type = 0;
    HB_TRY(HB_H5(space = H5Dget_space(source->dataset), HB_EDATA, "%s: has no shape", s->name));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL), HB_EIO,
                  "%s: column '%s': cannot select rows %" PRIu64 " to %" PRIu64, s->name, source->name, row + 1,
                  row + rows));
    HB_GOTO(HB_H5(memory = H5Screate_simple(1, extent, NULL), HB_ENOMEM, "%s: no memory to read it", s->name));
    HB_GOTO(memory_type(s, source, &type));
    st = HB_H5(H5Dread(source->dataset, type, memory, space, H5P_DEFAULT, numbers), HB_EIO,
               "%s: column '%s': cannot read rows %" PRIu64 " to %" PRIu64, s->name, source->name, row + 1, row + rows);
done:
    hb_h5_close(type);
    hb_h5_close(memory);
    hb_h5_close(space);
    return st;
}

/* The place of a value among those of its type. */
static bool find_value(const hb_source *source, int64_t value, uint64_t *place)
{
    uint64_t low = 0, high = source->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (source->value[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *place = low;
    return low < source->count && source->value[low] == value;
}

/* Makes the word of a number as it was read. */
static bool word_of(const hb_sources *s, const hb_source *source, const uint64_t *numbers, uint64_t at, uint64_t *word)
{
    bool known = true;
    if (source->class == H5T_BITFIELD) {
        *word = ((const uint8_t *)numbers)[at];
        known = *word <= 1;
    } else if (source->class == H5T_ENUM) {
        known = find_value(source, (int64_t)numbers[at], word);
    } else {
        const bool integer = source->class == H5T_INTEGER;
        *word = s->real && integer ? hb_h5_real_of(numbers[at], source->below, &source->cells.gaps) : numbers[at];
        return true;
    }
    *word = s->real ? hb_real_word((double)*word) : *word;
    return known;
}

/* Reads one column of a rectangle, to every `columns`-th word. */
static hb_status read_column(const hb_sources *s, const hb_source *source, const hb_rectangle *cells, uint64_t *numbers,
                             uint64_t *values)
{
    const uint64_t fit = BATCH / source->elements, most = fit > 0 ? fit : 1;
    for (uint64_t row = 0; row < cells->rows; row += most) {
        const uint64_t rows = cells->rows - row < most ? cells->rows - row : most;
        HB_TRY(read_numbers(s, source, cells->row + row, rows, numbers));
        for (uint64_t r = 0; r < rows; r++) {
            if (!word_of(s, source, numbers, r * source->elements + source->element,
                         values + (row + r) * cells->columns)) {
                return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column '%s': the value is none that its type has",
                               s->name, cells->row + row + r + 1, source->name);
            }
        }
    }
    return HB_OK;
}

hb_status hb_sources_read(const hb_sources *s, const hb_rectangle *cells, uint64_t *values)
{
    uint64_t *numbers = malloc((size_t)BATCH * sizeof *numbers); /* elements are no more than BATCH */
    hb_status st = HB_OK;
    if (numbers == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", s->name);
    }
    for (uint64_t c = 0; c < cells->columns && st == HB_OK; c++) {
        st = read_column(s, &s->source[cells->column + c], cells, numbers, values + c);
    }
    free(numbers);
    return st;
}
