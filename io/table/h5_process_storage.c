/* Where the numbers of a dataset lie, in the reader's process: what HDF5 would fill in without a word, or fetch from
 * files that nobody named, is refused here. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "h5_process_source_private.h"
#include "h5_process_storage_private.h"
#include "io/files/durable.h"
#include "io/h5/h5.h"
#include "table_private.h"

hb_status hb_storage_fail_missing(const hb_looked_at *x, const char *other)
{
    return HB_FAIL(HB_ENOINPUT, "%s: its data is in %.200s, which is not there or is cut off", x->name, other);
}

/* --- data in other files as they are */

/* One of its files, from which no more than `left` bytes are read. */
static hb_status check_external_file(const hb_looked_at *x, unsigned i, hsize_t *left)
{
    char other[HB_FILE_NAME_MOST] = "";
    off_t offset = 0;
    hsize_t bytes = 0;
    struct stat info;
    HB_TRY(HB_H5(H5Pget_external(x->creation, i, sizeof other, other, &offset, &bytes), HB_EDATA,
                 "%s: its data is in other files, which cannot be found", x->name));
    const bool whole = memchr(other, '\0', sizeof other) != NULL; /* a longer name is cut off */
    other[sizeof other - 1] = '\0';
    if (!x->follows) {
        return hb_h5_process_refuse_other(x->name, other);
    }
    if (whole && hb_h5_process_is_special(other)) {
        return hb_h5_process_refuse_special(x->name, other);
    }
    const hsize_t needed = bytes < *left ? bytes : *left; /* H5F_UNLIMITED is the largest number */
    const bool there = whole && stat(other, &info) == 0 && offset >= 0 && info.st_size >= offset &&
                       (hsize_t)(info.st_size - offset) >= needed;
    *left -= needed;
    return there ? HB_OK : hb_storage_fail_missing(x, other);
}

/* HDF5 takes what they do not have as 0. */
static hb_status check_external(const hb_looked_at *x, int count)
{
    hsize_t left = count > 0 ? H5Dget_storage_size(x->dataset) : 0;
    for (int i = 0; i < count; i++) {
        HB_TRY(check_external_file(x, (unsigned)i, &left));
    }
    return left == 0 ? HB_OK : hb_storage_fail_missing(x, "files that are too short");
}

/* --- what is stored */

static hb_status check_filters(const hb_looked_at *x)
{
    int count;
    HB_TRY(HB_H5(count = H5Pget_nfilters(x->creation), HB_EDATA, "%s: its filters are unknown", x->name));
    for (int i = 0; i < count; i++) {
        char name[64] = "";
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t filter;
        HB_TRY(
            HB_H5(filter = H5Pget_filter2(x->creation, (unsigned)i, &flags, &values, NULL, sizeof name, name, &config),
                  HB_EDATA, "%s: its filters are unknown", x->name));
        if (H5Zfilter_avail(filter) <= 0) {
            return HB_FAIL(HB_EDATA,
                           "%s: is stored through the filter %s%s%d, which HDF5 does not have here; HDF5_PLUGIN_PATH "
                           "says where its plugin is, and h5repack -f GZIP=4 makes a copy that needs none",
                           x->name, name, name[0] != '\0' ? ", number " : "number ", (int)filter);
        }
    }
    return HB_OK;
}

/* How many chunks a dataset has when all of it was written; the number that it has is in *there. */
static bool count_chunks(const hb_looked_at *x, hid_t space, hsize_t *all, hsize_t *there)
{
    hsize_t extent[H5S_MAX_RANK] = {0}, chunk[H5S_MAX_RANK] = {0};
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    if (rank < 1 || H5Pget_chunk(x->creation, H5S_MAX_RANK, chunk) != rank) {
        return false;
    }
    *all = 1;
    for (int d = 0; d < rank; d++) {
        if (chunk[d] == 0 || __builtin_mul_overflow(*all, extent[d] / chunk[d] + (extent[d] % chunk[d] != 0), all)) {
            return false;
        }
    }
    return H5Dget_num_chunks(x->dataset, space, there) >= 0;
}

/* By chunks where there are such: the bytes that HDF5 compares are fewer where they are compressed. */
static hb_status check_written(const hb_looked_at *x, H5D_layout_t layout)
{
    H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
    hsize_t all = 0, there = 0;
    const hid_t space = H5Dget_space(x->dataset);
    const hssize_t cells = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    bool whole = cells == 0;
    if (!whole && layout == H5D_CHUNKED) {
        whole = count_chunks(x, space, &all, &there) && there >= all;
    } else if (!whole) {
        whole = H5Dget_space_status(x->dataset, &status) >= 0 && status == H5D_SPACE_STATUS_ALLOCATED;
    }
    hb_h5_close(space);
    return whole ? HB_OK
                 : HB_FAIL(HB_EDATA,
                           "%s: parts of it were never written, and would be read as a value that nobody put there: "
                           "write them, also where they are 0",
                           x->name);
}

hb_status hb_storage_check(const hb_looked_at *of)
{
    char file[HB_FILE_NAME_MOST];
    hb_looked_at x = *of;
    HB_TRY(hb_h5_process_find_file(x.dataset, x.name, x.file, x.follows, file));
    x.file = file;
    HB_TRY(HB_H5(x.creation = H5Dget_create_plist(x.dataset), HB_EDATA, "%s: cannot be opened", x.name));
    hb_status st = HB_OK;
    H5D_layout_t layout;
    int files = 0;
    HB_GOTO(HB_H5(layout = H5Pget_layout(x.creation), HB_EDATA, "%s: its storage is unknown", x.name));
    HB_GOTO(HB_H5(files = H5Pget_external_count(x.creation), HB_EDATA, "%s: its storage is unknown", x.name));
    HB_GOTO(check_external(&x, files));
    HB_GOTO(layout == H5D_VIRTUAL ? hb_storage_check_virtual(&x) : HB_OK);
    HB_GOTO(check_filters(&x));
    HB_GOTO(layout == H5D_VIRTUAL || files > 0 ? HB_OK : check_written(&x, layout));
    st = hb_h5_process_check_attributes(x.dataset, x.name);
done:
    hb_h5_close(x.creation);
    return st;
}

hb_status hb_h5_process_check_storage(hid_t dataset, const char *name, const char *file, bool follows)
{
    return hb_storage_check(
        &(hb_looked_at){.dataset = dataset, .table = name, .name = name, .file = file, .follows = follows});
}

/* --- cells one after another */

/* Not in chunks, through filters, or in another file. */
static bool is_in_one_piece(hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const bool plain = creation >= 0 && H5Pget_layout(creation) == H5D_CONTIGUOUS &&
                       H5Pget_external_count(creation) == 0 && H5Pget_nfilters(creation) == 0;
    hb_h5_close(creation);
    return plain;
}

bool hb_h5_process_find_place(hid_t dataset, const hb_schema *schema, const hb_h5_type *of, uint64_t file_bytes,
                              hb_h5_place *place)
{
    uint64_t cells, bytes;
    const hid_t type = H5Dget_type(dataset);
    const bool plain = type >= 0 && hb_h5_is_plain(type, of) && is_in_one_piece(dataset);
    hb_h5_close(type);
    const uint64_t width = (uint64_t)of->width * (of->is_complex ? 2 : 1);
    if (!plain || __builtin_mul_overflow(schema->rows, schema->columns, &cells) ||
        __builtin_mul_overflow(cells, width, &bytes)) {
        return false;
    }
    /* It may be undefined, for a dataset that was never written, or anything at all in a damaged file. */
    const haddr_t offset = H5Dget_offset(dataset);
    *place = (hb_h5_place){offset, *of};
    return offset != HADDR_UNDEF && offset <= file_bytes && bytes <= file_bytes - offset;
}
