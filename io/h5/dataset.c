#include "h5.h"

#include <inttypes.h>

hb_h5_shape hb_h5_vector(hid_t type, uint64_t count)
{
    return (hb_h5_shape){.type = type, .rank = 1, .extent = {count, 1}};
}

hb_h5_shape hb_h5_matrix(hid_t type, uint64_t rows, uint64_t columns)
{
    return (hb_h5_shape){.type = type, .rank = 2, .extent = {rows, columns}};
}

hb_status hb_h5_dataset_properties(hid_t *properties)
{
    hid_t creation;
    HB_TRY(HB_H5(creation = H5Pcreate(H5P_DATASET_CREATE), HB_ENOMEM, "cannot make HDF5 properties"));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(H5Pset_layout(creation, H5D_CONTIGUOUS), HB_EINTERNAL, "HDF5 refuses a contiguous layout"));
    /* Early, so that the place of the rows is known before any is written; never filled, so that the image of the file
     * does not grow to hold them. */
    HB_GOTO(HB_H5(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), HB_EINTERNAL, "HDF5 refuses early allocation"));
    HB_GOTO(HB_H5(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), HB_EINTERNAL, "HDF5 refuses a fill time"));
    /* Equal content makes equal files. */
    HB_GOTO(HB_H5(H5Pset_obj_track_times(creation, false), HB_EINTERNAL, "HDF5 refuses to drop times"));
    *properties = creation;
    creation = 0;
done:
    hb_h5_close(creation);
    return st;
}

hb_status hb_h5_put_dataset(hid_t at, const char *name, hb_h5_shape shape, const void *values)
{
    hid_t space = 0, creation = 0, dataset = 0;
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(space = H5Screate_simple(shape.rank, shape.extent, NULL), HB_EIO, "dataset '%s': bad extents", name));
    /* Allocated early: without values the dataset still has its place in the file. */
    HB_GOTO(hb_h5_dataset_properties(&creation));
    HB_GOTO(HB_H5(dataset = H5Dcreate2(at, name, shape.type, space, H5P_DEFAULT, creation, H5P_DEFAULT), HB_EIO,
                  "dataset '%s': cannot be created", name));
    if (values) {
        st = HB_H5(H5Dwrite(dataset, shape.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), HB_EIO,
                   "dataset '%s': cannot be written", name);
    }
done:
    st = hb_h5_close_written(dataset, name, st);
    hb_h5_close(creation);
    hb_h5_close(space);
    return st;
}

/* A dataset that was opened and found to be of ours: contiguous, inside its file, of rank 1 or 2. close_dataset closes
 * it. */
typedef struct opened {
    hid_t dataset, type;
    int rank;
    hsize_t extent[2];
    uint64_t offset; /* 0 when it has no bytes */
} opened;

static void close_dataset(opened *d)
{
    hb_h5_close(d->type);
    hb_h5_close(d->dataset);
}

/* Asks for the rank first: the extents are written into an array of two. */
static hb_status read_shape(const char *name, const char *path, opened *d)
{
    hid_t space;
    HB_TRY(HB_H5(space = H5Dget_space(d->dataset), HB_EDATA, "%s: dataset '%s' has no shape", path, name));
    hb_status st = HB_OK;
    /* A 1-D dataset is one column here, as in hb_h5_vector. */
    d->extent[0] = d->extent[1] = 1;
    d->rank = H5Sget_simple_extent_type(space) == H5S_SIMPLE ? H5Sget_simple_extent_ndims(space) : 0;
    if (d->rank != 1 && d->rank != 2) {
        st = HB_FAIL(HB_EDATA, "%s: dataset '%s' is neither 1-D nor 2-D", path, name);
    } else {
        st = HB_H5(H5Sget_simple_extent_dims(space, d->extent, NULL), HB_EDATA, "%s: dataset '%s' has no extents", path,
                   name);
    }
    hb_h5_close(space);
    return st;
}

/* External files and chunks could point anywhere; files of ours have neither. */
static hb_status check_layout(const char *name, const char *path, const opened *d)
{
    hid_t creation;
    HB_TRY(HB_H5(creation = H5Dget_create_plist(d->dataset), HB_EDATA, "%s: dataset '%s' has no layout", path, name));
    bool plain = H5Pget_layout(creation) == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0;
    hb_h5_close(creation);
    return plain ? HB_OK : HB_FAIL(HB_EDATA, "%s: dataset '%s' is not contiguous in the file", path, name);
}

/* Extents and offset are numbers of a file that may be damaged: callers take memory by them, and read there
 * themselves. */
static hb_status check_place(const char *name, const char *path, uint64_t file_bytes, opened *d)
{
    uint64_t element = H5Tget_size(d->type);
    uint64_t count = 0, bytes = 0;
    /* HDF5 must have stored as much as the shape says, or rows would be read that were never allocated. */
    if (element == 0 || __builtin_mul_overflow(d->extent[0], d->extent[1], &count) ||
        __builtin_mul_overflow(count, element, &bytes) || bytes > file_bytes ||
        H5Dget_storage_size(d->dataset) != bytes) {
        return HB_FAIL(HB_EDATA, "%s: the size of dataset '%s' cannot be right", path, name);
    }
    if (bytes == 0) {
        return HB_OK;
    }
    haddr_t offset = H5Dget_offset(d->dataset);
    /* bytes is at most file_bytes here, so the difference does not wrap. */
    if (offset == HADDR_UNDEF || offset < HB_H5_SUPERBLOCK || offset > file_bytes - bytes) {
        return HB_FAIL(HB_EDATA, "%s: dataset '%s' does not lie inside the file", path, name);
    }
    d->offset = offset;
    return HB_OK;
}

/* After a failure nothing is open. */
static hb_status open_dataset(hid_t at, const char *name, const char *path, uint64_t file_bytes, opened *d)
{
    *d = (opened){0};
    HB_TRY(hb_h5_check_link(at, name, path));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(d->dataset = H5Dopen2(at, name, H5P_DEFAULT), HB_EDATA, "%s: cannot open dataset '%s'", path, name));
    HB_GOTO(HB_H5(d->type = H5Dget_type(d->dataset), HB_EDATA, "%s: dataset '%s' has no type", path, name));
    /* In this order, as each check relies on those before it: the place needs type and extents. */
    HB_GOTO(read_shape(name, path, d));
    HB_GOTO(check_layout(name, path, d));
    st = check_place(name, path, file_bytes, d);
done:
    if (st != HB_OK) {
        close_dataset(d);
    }
    return st;
}

/* Opens a dataset of exactly this type and shape; hb_h5_vector has a second extent of 1, as read_shape gives to a 1-D
 * one. */
static hb_status open_as(hid_t at, const char *name, const char *path, hb_h5_shape shape, uint64_t file_bytes,
                         opened *d)
{
    HB_TRY(open_dataset(at, name, path, file_bytes, d));
    if (d->rank == shape.rank && d->extent[0] == shape.extent[0] && d->extent[1] == shape.extent[1] &&
        H5Tequal(d->type, shape.type) > 0) {
        return HB_OK;
    }
    close_dataset(d);
    return HB_FAIL(HB_EDATA, "%s: dataset '%s' has another type or shape than the header says", path, name);
}

hb_status hb_h5_locate(hid_t at, const char *name, const char *path, hb_h5_shape shape, uint64_t file_bytes,
                       uint64_t *offset)
{
    opened d;
    HB_TRY(open_as(at, name, path, shape, file_bytes, &d));
    *offset = d.offset;
    close_dataset(&d);
    return HB_OK;
}

hb_status hb_h5_get_dataset(hid_t at, const char *name, const char *path, hb_h5_shape shape, uint64_t file_bytes,
                            void *values)
{
    opened d;
    HB_TRY(open_as(at, name, path, shape, file_bytes, &d));
    hb_status st = HB_H5(H5Dread(d.dataset, shape.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), HB_EDATA,
                         "%s: cannot read dataset '%s'", path, name);
    close_dataset(&d);
    return st;
}

hb_status hb_h5_extent(hid_t at, const char *name, const char *path, uint64_t file_bytes, uint64_t *count,
                       size_t *element)
{
    opened d;
    HB_TRY(open_dataset(at, name, path, file_bytes, &d));
    hb_status st = d.rank == 1 ? HB_OK : HB_FAIL(HB_EDATA, "%s: dataset '%s' is not 1-D", path, name);
    *count = d.extent[0];
    *element = H5Tget_size(d.type);
    close_dataset(&d);
    return st;
}
