/* Reading tables that are HDF5 datasets. These files are the user's own: any layout, filter and link of HDF5. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"
#include "h5_private.h"
#include "table_private.h"

/* Chunks are read again for every rectangle that touches them; a block of rows should fit. */
#define CHUNK_CACHE_BYTES ((size_t)64 << 20)
#define CHUNK_CACHE_SLOTS 12421 /* a prime, some 100 times the chunks held (H5Pset_chunk_cache) */

typedef struct h5_table {
    hb_table base;
    char *name; /* FILE:/DATASET, for messages */
    hid_t file, dataset, space;
    bool is_signed;
    bool placed; /* the cells lie in the file one after another */
    hb_h5_place place;
} h5_table;

/* HDF5 is for one thread at a time, whichever the table. */
static pthread_mutex_t one_thread = PTHREAD_MUTEX_INITIALIZER;

static void h5_close(hb_table *base)
{
    h5_table *table = (h5_table *)base;
    hb_h5_close(table->space);
    hb_h5_close(table->dataset);
    hb_h5_close(table->file);
    if (base->fd >= 0) {
        close(base->fd);
    }
    free(table->name);
    free(table);
}

static hb_status read_with_hdf5(h5_table *table, const hb_rectangle *cells, uint64_t *values)
{
    hb_h5_quiet(); /* once more: this may be another thread, and HDF5 keeps its errors by thread */
    int rank = (int)table->base.schema.rank;
    const hsize_t start[2] = {cells->row, cells->column}, extent[2] = {cells->rows, cells->columns};
    HB_TRY(HB_H5(H5Sselect_hyperslab(table->space, H5S_SELECT_SET, start, NULL, extent, NULL), HB_EIO,
                 "%s: cannot select rows %" PRIu64 " to %" PRIu64, table->name, cells->row + 1,
                 cells->row + cells->rows));
    hid_t memory;
    HB_TRY(HB_H5(memory = H5Screate_simple(rank, extent, NULL), HB_ENOMEM, "%s: no memory to read it", table->name));
    hid_t type = table->is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    hb_status st =
        HB_H5(H5Dread(table->dataset, type, memory, table->space, H5P_DEFAULT, values), HB_EIO,
              "%s: cannot read rows %" PRIu64 " to %" PRIu64, table->name, cells->row + 1, cells->row + cells->rows);
    hb_h5_close(memory);
    return st;
}

static hb_status h5_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    h5_table *table = (h5_table *)base;
    const uint64_t columns = base->schema.columns;
    if (table->placed && cells->columns == columns) {
        const hb_status st = hb_h5_place_read(&table->place, base->fd, table->name, cells->row * columns,
                                              (size_t)(cells->rows * columns), values);
        return st == HB_EDATA ? HB_FAIL(HB_EDATA, "%s: was changed while it was read", table->name) : st;
    }
    pthread_mutex_lock(&one_thread);
    const hb_status st = read_with_hdf5(table, cells, values);
    pthread_mutex_unlock(&one_thread);
    return st;
}

static const hb_table_ops h5_ops = {.read = h5_read, .close = h5_close};

static const char *class_name(H5T_class_t class)
{
    static const char *const names[] = {"integer",  "float",     "time", "string",          "bit field",  "opaque",
                                        "compound", "reference", "enum", "variable-length", "fixed array"};
    return class >= 0 && class < (H5T_class_t)(sizeof names / sizeof names[0]) ? names[class] : "unknown";
}

static hb_status read_type(h5_table *table)
{
    hid_t type;
    HB_TRY(HB_H5(type = H5Dget_type(table->dataset), HB_EDATA, "%s: has no type", table->name));
    H5T_class_t class = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    hb_schema *schema = &table->base.schema;
    schema->width = (uint32_t)size;
    schema->big_endian = class == H5T_INTEGER && H5Tget_order(type) == H5T_ORDER_BE;
    table->is_signed = class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
    hb_h5_close(type);
    if (class != H5T_INTEGER) {
        return HB_FAIL(HB_EDATA, "%s: holds values of class %s; only integers can be encrypted", table->name,
                       class_name(class));
    }
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        return HB_FAIL(HB_EDATA, "%s: holds integers of %zu bytes; they must have 1, 2, 4 or 8", table->name, size);
    }
    return HB_OK;
}

static hb_status refuse_shape(const h5_table *table, int rank, const hsize_t *extent)
{
    char shape[128] = "a scalar";
    size_t length = 0;
    for (int d = 0; d < rank && length < sizeof shape; d++) {
        length +=
            (size_t)snprintf(shape + length, sizeof shape - length, "%s%" PRIu64, d ? " x " : "", (uint64_t)extent[d]);
    }
    return HB_FAIL(HB_EDATA, "%s: has the shape %s; a table has 1 or 2 dimensions", table->name, shape);
}

static hb_status read_shape(h5_table *table)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    int rank;
    HB_TRY(HB_H5(table->space = H5Dget_space(table->dataset), HB_EDATA, "%s: has no shape", table->name));
    HB_TRY(HB_H5(rank = H5Sget_simple_extent_dims(table->space, extent, NULL), HB_EDATA, "%s: has no extents",
                 table->name));
    if (rank != 1 && rank != 2) {
        return refuse_shape(table, rank, extent);
    }
    uint64_t columns = rank == 2 ? extent[1] : 1;
    if (columns == 0) {
        return HB_FAIL(HB_EDATA, "%s: has no columns", table->name);
    }
    hb_schema *schema = &table->base.schema;
    HB_TRY(hb_schema_alloc(schema, extent[0], columns));
    schema->rank = (uint32_t)rank;
    for (uint64_t c = 0; c < columns; c++) {
        schema->column[c].is_signed = table->is_signed;
    }
    return HB_OK;
}

static hb_status open_dataset(h5_table *table, const char *file, const char *dataset)
{
    hid_t access;
    HB_TRY(HB_H5(table->file = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), HB_EDATA, "%s: cannot be opened as HDF5",
                 file));
    HB_TRY(HB_H5(access = H5Pcreate(H5P_DATASET_ACCESS), HB_ENOMEM, "%s: cannot make HDF5 properties", file));
    hb_status st = HB_H5(H5Pset_chunk_cache(access, CHUNK_CACHE_SLOTS, CHUNK_CACHE_BYTES, 1.0), HB_EINTERNAL,
                         "%s: HDF5 refuses a chunk cache", file);
    if (st == HB_OK) {
        st = HB_H5(table->dataset = H5Dopen2(table->file, dataset, access), HB_ENOINPUT, "%s: has no dataset '%s'",
                   file, dataset);
    }
    hb_h5_close(access);
    return st;
}

hb_status hb_table_open_h5(const char *file, const char *dataset, hb_table **out)
{
    hb_h5_quiet();
    h5_table *table = calloc(1, sizeof *table);
    if (!table) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file);
    }
    table->base.ops = &h5_ops;
    table->base.fd = -1;
    hb_status st = HB_OK;
    HB_GOTO(hb_table_open_file(&table->base, file)); /* tells a missing file from one that is no HDF5 */
    HB_GOTO(hb_path_with(file, ":", &table->name));
    char *name;
    HB_GOTO(hb_path_with(table->name, dataset, &name));
    free(table->name);
    table->base.name = table->name = name;
    HB_GOTO(open_dataset(table, file, dataset));
    HB_GOTO(read_type(table));
    HB_GOTO(read_shape(table));
    HB_GOTO(hb_h5_read_names(table->dataset, table->name, &table->base.schema));
    table->placed =
        hb_h5_place_find(table->dataset, &table->base.schema, table->is_signed, table->base.bytes, &table->place);
done:
    if (st == HB_OK) {
        *out = &table->base;
    } else {
        hb_table_close(&table->base);
    }
    return st;
}
