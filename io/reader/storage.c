/* The storage of a dataset's numbers, in the reader's process. Numbers that HDF5 would silently fill in, or fetch from
 * unnamed files, are refused here. */
#include <hdf5.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "io/files/durable.h"
#include "io/h5/h5.h"
#include "source_private.h"

/* A dataset to check: a table, or a source of a virtual one. All names are borrowed. */
typedef struct looked_at {
    hid_t dataset, creation;
    const char *table; /* the name of the table, and ... */
    const char *name;  /* ... of this dataset, for messages */
    const char *file;  /* that it is in */
    bool follows;      /* its data may be in others */
    int depth;         /* virtual datasets from the table to this one */
} looked_at;

/* Makes all checks of hb_h5_process_check_storage on such a dataset, whose `creation` is not set yet; `file` is the one
 * that it must be in, unless `follows`. */
static hb_status check_storage(const looked_at *x);
/* Returns HB_ENOINPUT for data that should be in `other`. */
static hb_status fail_missing(const looked_at *x, const char *other);

/* --- virtual datasets: their numbers are those of other datasets, the sources, which may be virtual themselves
 *
 * HDF5 silently fills in numbers that have no source, and numbers that a source lacks. */

enum { NAME_MOST = 4096 /* bytes of a name, with its zero */, MOST_DEPTH = 8 /* virtual datasets of virtual ones */ };

/* One part of a virtual dataset: numbers that are `selected` of its source go to its `place`. */
typedef struct virtual_part {
    char file[NAME_MOST], dataset[NAME_MOST];
    bool own; /* the file is that of the virtual dataset */
    hid_t selected, place;
} virtual_part;

/* A name as HDF5 looks for it beside the file. */
static hb_status beside(const looked_at *x, const char *other, char **path)
{
    const char *slash = strrchr(x->file, '/');
    const size_t folder = other[0] == '/' || slash == NULL ? 0 : (size_t)(slash - x->file) + 1;
    *path = malloc(folder + strlen(other) + 1);
    if (*path == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a name", x->name);
    }
    memcpy(*path, x->file, folder);
    strcpy(*path + folder, other);
    return HB_OK;
}

/* --- which of its numbers have a source */

static bool cover_blocks(hid_t covered, hid_t place, int rank)
{
    const hssize_t count = H5Sget_select_hyper_nblocks(place);
    hsize_t extent[H5S_MAX_RANK];
    hsize_t *corner = count <= 0 ? NULL : calloc((size_t)count, 2 * (size_t)rank * sizeof *corner);
    bool done = corner != NULL && H5Sget_select_hyper_blocklist(place, 0, (hsize_t)count, corner) >= 0;
    for (hssize_t i = 0; i < count && done; i++) {
        const hsize_t *first = corner + i * 2 * rank, *last = first + rank;
        for (int d = 0; d < rank; d++) {
            extent[d] = last[d] - first[d] + 1;
        }
        done = H5Sselect_hyperslab(covered, H5S_SELECT_OR, first, NULL, extent, NULL) >= 0;
    }
    free(corner);
    return done;
}

/* Adds a place to the covered ones; false for one of another shape, or without an end. */
static bool cover(hid_t covered, hid_t place)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    const H5S_sel_type kind = H5Sget_select_type(place);
    const int rank = H5Sget_simple_extent_ndims(place);
    if (kind == H5S_SEL_ALL) {
        return H5Sselect_all(covered) >= 0;
    }
    if (kind != H5S_SEL_HYPERSLABS || rank <= 0 || rank != H5Sget_simple_extent_ndims(covered)) {
        return false;
    }
    if (H5Sis_regular_hyperslab(place) <= 0) {
        return cover_blocks(covered, place, rank);
    }
    return H5Sget_regular_hyperslab(place, start, stride, count, block) >= 0 &&
           H5Sselect_hyperslab(covered, H5S_SELECT_OR, start, stride, count, block) >= 0;
}

/* `points`: of all places. */
static hb_status check_cover(const looked_at *x, hid_t covered, hssize_t points)
{
    const hssize_t all = H5Sget_simple_extent_npoints(covered), there = H5Sget_select_npoints(covered);
    if (all < 0 || there != all || H5Sselect_valid(covered) <= 0) {
        return HB_FAIL(HB_EDATA,
                       "%s: is virtual, and parts of it have no source: they would be read as a value that nobody put "
                       "there; copy its sources into one dataset",
                       x->name);
    }
    return points == all ? HB_OK
                         : HB_FAIL(HB_EDATA,
                                   "%s: is virtual, and parts of it have several sources; copy the right ones into one "
                                   "dataset",
                                   x->name);
}

/* --- sources */

/* Whether a source has all numbers that are taken from it: the selected ones, or, without a selection, as many as the
 * target place has. */
static bool holds(hid_t source, hid_t selected, hid_t place)
{
    hsize_t low[H5S_MAX_RANK] = {0}, high[H5S_MAX_RANK] = {0}, extent[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(source);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, extent, NULL);
    bool all = false;
    if (rank >= 0 && H5Sget_select_type(selected) == H5S_SEL_ALL) { /* it may have no extent then */
        all = H5Sget_simple_extent_npoints(space) == H5Sget_select_npoints(place);
    } else if (rank > 0 && H5Sget_simple_extent_ndims(selected) == rank) {
        all = H5Sget_select_bounds(selected, low, high) >= 0;
        for (int d = 0; d < rank && all; d++) {
            all = high[d] < extent[d];
        }
    }
    hb_h5_close(space);
    return all;
}

/* Whether numbers of one dataset are of the type of the other, up to the order of bytes: HDF5 converts those of a
 * source without regard to the type that the virtual dataset says. */
static bool are_alike(hid_t dataset, hid_t source)
{
    const hid_t a = H5Dget_type(dataset), b = H5Dget_type(source);
    const H5T_class_t class = a < 0 ? H5T_NO_CLASS : H5Tget_class(a);
    bool alike = a >= 0 && b >= 0 && H5Tequal(a, b) > 0;
    if (!alike && b >= 0 && (class == H5T_INTEGER || class == H5T_FLOAT)) {
        alike = H5Tget_class(b) == class && H5Tget_size(a) == H5Tget_size(b) &&
                (class == H5T_FLOAT || H5Tget_sign(a) == H5Tget_sign(b));
    }
    hb_h5_close(b);
    hb_h5_close(a);
    return alike;
}

/* Finds the numbers of a dataset that mean missing cells, for any names of columns. */
static hb_status find_gaps(hid_t dataset, const char *name, hb_h5_gaps *gaps)
{
    hid_t type;
    HB_TRY(HB_H5(type = H5Dget_type(dataset), HB_EDATA, "%s: has no type", name));
    const H5T_class_t class = H5Tget_class(type);
    const hb_gaps_of of = {.table = name,
                           .column = "1",
                           .bits = class == H5T_FLOAT ? hb_h5_float_bits(type) : 0,
                           .is_signed = class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2,
                           .numbers = class == H5T_INTEGER || class == H5T_FLOAT};
    hb_h5_close(type);
    return hb_h5_process_find_gaps(&of, dataset, gaps);
}

/* Whether all numbers that `there` says stand for missing cells do so by `here`. */
static bool has_gaps(const hb_h5_gaps *here, const hb_h5_gaps *there)
{
    bool has = there->bounds == 0 ||
               (there->bounds == here->bounds && there->least == here->least && there->most == here->most);
    for (uint32_t i = 0; i < there->count && has; i++) {
        uint32_t at = 0;
        while (at < here->count && here->word[at] != there->word[i]) {
            at++;
        }
        has = at < here->count;
    }
    return has;
}

/* Refuses gaps that only a source declares: reading cells does not look at the attributes of sources. */
static hb_status check_gaps(const looked_at *x, const looked_at *source)
{
    hb_h5_gaps here, there;
    HB_TRY(find_gaps(x->dataset, x->name, &here));
    HB_TRY(find_gaps(source->dataset, source->name, &there));
    return has_gaps(&here, &there)
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: has numbers for missing cells that the virtual dataset does not say: give that the same "
                         "attributes (_FillValue, missing_value, valid_range) or fill value",
                         source->name);
}

/* Opens the file of a source, which the caller closes; *file is negative where it is not there. */
static hb_status open_file(const looked_at *x, const virtual_part *part, hid_t *file)
{
    char *path = NULL;
    *file = H5I_INVALID_HID;
    if (part->own) {
        *file = H5Iget_file_id(x->dataset);
        return HB_OK;
    }
    HB_TRY(beside(x, part->file, &path));
    const hb_status st = hb_h5_process_is_special(path) ? hb_h5_process_refuse_special(x->name, part->file) : HB_OK;
    if (st == HB_OK && access(path, F_OK) == 0) {
        *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    free(path);
    return st;
}

static hb_status check_source(const looked_at *x, const virtual_part *part, const char *name)
{
    looked_at of = {.table = x->table, .name = name, .file = x->file, .follows = x->follows, .depth = x->depth + 1};
    hid_t file = 0;
    hb_status st = HB_OK;
    HB_GOTO(open_file(x, part, &file));
    if (file >= 0) {
        HB_GOTO(hb_h5_process_open_object(file, part->dataset, name, x->follows, &of.dataset));
    }
    if (file < 0 || of.dataset < 0 || H5Iget_type(of.dataset) != H5I_DATASET ||
        !holds(of.dataset, part->selected, part->place)) {
        HB_GOTO(fail_missing(x, part->own ? part->dataset : part->file));
    }
    if (!are_alike(x->dataset, of.dataset)) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: holds values of another type than the virtual dataset", name));
    }
    HB_GOTO(check_gaps(x, &of));
    st = check_storage(&of);
done:
    hb_h5_close(of.dataset);
    hb_h5_close(file);
    return st;
}

/* Finds names and selections of a part; the caller closes these, also after a failure. */
static hb_status find_part(const looked_at *x, size_t i, virtual_part *part)
{
    const ssize_t file = H5Pget_virtual_filename(x->creation, i, part->file, sizeof part->file);
    const ssize_t dataset = H5Pget_virtual_dsetname(x->creation, i, part->dataset, sizeof part->dataset);
    HB_TRY(HB_H5(part->selected = H5Pget_virtual_srcspace(x->creation, i), HB_EDATA,
                 "%s: is virtual, without a selection of a source", x->name));
    HB_TRY(HB_H5(part->place = H5Pget_virtual_vspace(x->creation, i), HB_EDATA,
                 "%s: is virtual, without a place of a source", x->name));
    if (file <= 0 || file >= NAME_MOST || dataset <= 0 || dataset >= NAME_MOST) {
        return HB_FAIL(HB_EDATA, "%s: is virtual, and its sources cannot be found", x->name);
    }
    part->own = strcmp(part->file, ".") == 0;
    if (!part->own && !x->follows) {
        return hb_h5_process_refuse_other(x->name, part->file);
    }
    /* Names that are made of numbers have no end that could be looked for. */
    return strchr(part->file, '%') == NULL && strchr(part->dataset, '%') == NULL
               ? HB_OK
               : fail_missing(x, part->own ? part->dataset : part->file);
}

static hb_status check_part(const looked_at *x, size_t i, hid_t covered, hssize_t *points)
{
    virtual_part part = {.own = false};
    char *name = NULL;
    hb_status st = HB_OK;
    HB_GOTO(find_part(x, i, &part));
    if (asprintf(&name, "%.200s: its source %.100s%s%.100s", x->table, part.own ? "" : part.file, part.own ? "" : ":",
                 part.dataset) < 0) {
        name = NULL;
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for a name", x->name));
    }
    HB_GOTO(check_source(x, &part, name));
    const hssize_t more = H5Sget_select_npoints(part.place);
    if (more < 0 || !cover(covered, part.place) || __builtin_add_overflow(*points, more, points)) {
        st = HB_FAIL(HB_EDATA, "%s: is virtual, with a source whose place is not inside it", x->name);
    }
done:
    free(name);
    hb_h5_close(part.place);
    hb_h5_close(part.selected);
    return st;
}

/* Checks all sources of a virtual one in the same way, and that each of its numbers has one source, of its type:
 * HB_EDATA. */
static hb_status check_virtual(const looked_at *x)
{
    size_t count = 0;
    hssize_t points = 0;
    hid_t covered;
    if (x->depth == MOST_DEPTH) {
        return HB_FAIL(HB_EDATA, "%s: is virtual within itself, or through more than %d others", x->name, MOST_DEPTH);
    }
    HB_TRY(HB_H5(covered = H5Dget_space(x->dataset), HB_EDATA, "%s: has no shape", x->name));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(H5Sselect_none(covered), HB_EDATA, "%s: has no shape", x->name));
    HB_GOTO(HB_H5(H5Pget_virtual_count(x->creation, &count), HB_EDATA, "%s: is virtual, without sources", x->name));
    if (count == 0) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: is virtual, without sources", x->name));
    }
    for (size_t i = 0; i < count; i++) {
        HB_GOTO(check_part(x, i, covered, &points));
    }
    st = check_cover(x, covered, points);
done:
    hb_h5_close(covered);
    return st;
}

static hb_status fail_missing(const looked_at *x, const char *other)
{
    return HB_FAIL(HB_ENOINPUT, "%s: its data is in %.200s, which is not there or is cut off", x->name, other);
}

/* --- data in other files as they are */

/* One of its files, from which no more than `left` bytes are read. */
static hb_status check_external_file(const looked_at *x, unsigned i, hsize_t *left)
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
    return there ? HB_OK : fail_missing(x, other);
}

/* HDF5 reads missing numbers as 0. */
static hb_status check_external(const looked_at *x, int count)
{
    hsize_t left = count > 0 ? H5Dget_storage_size(x->dataset) : 0;
    for (int i = 0; i < count; i++) {
        HB_TRY(check_external_file(x, (unsigned)i, &left));
    }
    return left == 0 ? HB_OK : fail_missing(x, "files that are too short");
}

/* --- stored numbers */

static hb_status check_filters(const looked_at *x)
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
static bool count_chunks(const looked_at *x, hid_t space, hsize_t *all, hsize_t *there)
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
static hb_status check_written(const looked_at *x, H5D_layout_t layout)
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

static hb_status check_storage(const looked_at *of)
{
    char file[HB_FILE_NAME_MOST];
    looked_at x = *of;
    HB_TRY(hb_h5_process_find_file(x.dataset, x.name, x.file, x.follows, file));
    x.file = file;
    HB_TRY(HB_H5(x.creation = H5Dget_create_plist(x.dataset), HB_EDATA, "%s: cannot be opened", x.name));
    hb_status st = HB_OK;
    H5D_layout_t layout;
    int files = 0;
    HB_GOTO(HB_H5(layout = H5Pget_layout(x.creation), HB_EDATA, "%s: its storage is unknown", x.name));
    HB_GOTO(HB_H5(files = H5Pget_external_count(x.creation), HB_EDATA, "%s: its storage is unknown", x.name));
    HB_GOTO(check_external(&x, files));
    HB_GOTO(layout == H5D_VIRTUAL ? check_virtual(&x) : HB_OK);
    HB_GOTO(check_filters(&x));
    HB_GOTO(layout == H5D_VIRTUAL || files > 0 ? HB_OK : check_written(&x, layout));
    st = hb_h5_process_check_attributes(x.dataset, x.name);
done:
    hb_h5_close(x.creation);
    return st;
}

hb_status hb_h5_process_check_storage(hid_t dataset, const char *name, const char *file, bool follows)
{
    return check_storage(
        &(looked_at){.dataset = dataset, .table = name, .name = name, .file = file, .follows = follows});
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
