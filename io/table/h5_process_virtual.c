/* Virtual datasets, in the reader's process: their numbers are those of other datasets, the sources, which may be
 * virtual themselves. HDF5 fills in what has no source, and what a source lacks, without a word. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "h5_process_source_private.h"
#include "h5_process_storage_private.h"
#include "io/h5/h5.h"
#include "table_private.h"

enum { NAME_MOST = 4096 /* bytes of a name, with its zero */, MOST_DEPTH = 8 /* virtual datasets of virtual ones */ };

/* One part of a virtual dataset: numbers that are `selected` of its source go to its `place`. */
typedef struct virtual_part {
    char file[NAME_MOST], dataset[NAME_MOST];
    bool own; /* the file is that of the virtual dataset */
    hid_t selected, place;
} virtual_part;

/* A name as HDF5 looks for it beside the file. */
static hb_status beside(const hb_looked_at *x, const char *other, char **path)
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

/* Adds a place to those that are covered; false for one of another shape, or without an end. */
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
static hb_status check_cover(const hb_looked_at *x, hid_t covered, hssize_t points)
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

/* Whether a source has all that is taken of it: what is selected, or, where nothing is said of that, as many numbers
 * as there are in the place that they go to. */
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

/* Finds which numbers of a dataset stand for missing cells, whatever its columns are called. */
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

/* Refuses gaps that only a source says: when cells are read, nobody looks at the attributes of a source. */
static hb_status check_gaps(const hb_looked_at *x, const hb_looked_at *source)
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
static hb_status open_file(const hb_looked_at *x, const virtual_part *part, hid_t *file)
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

static hb_status check_source(const hb_looked_at *x, const virtual_part *part, const char *name)
{
    hb_looked_at of = {.table = x->table, .name = name, .file = x->file, .follows = x->follows, .depth = x->depth + 1};
    hid_t file = 0;
    hb_status st = HB_OK;
    HB_GOTO(open_file(x, part, &file));
    if (file >= 0) {
        HB_GOTO(hb_h5_process_open_object(file, part->dataset, name, x->follows, &of.dataset));
    }
    if (file < 0 || of.dataset < 0 || H5Iget_type(of.dataset) != H5I_DATASET ||
        !holds(of.dataset, part->selected, part->place)) {
        HB_GOTO(hb_storage_fail_missing(x, part->own ? part->dataset : part->file));
    }
    if (!are_alike(x->dataset, of.dataset)) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: holds values of another type than the virtual dataset", name));
    }
    HB_GOTO(check_gaps(x, &of));
    st = hb_storage_check(&of);
done:
    hb_h5_close(of.dataset);
    hb_h5_close(file);
    return st;
}

/* Finds names and selections of a part; the caller closes these, also after a failure. */
static hb_status find_part(const hb_looked_at *x, size_t i, virtual_part *part)
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
               : hb_storage_fail_missing(x, part->own ? part->dataset : part->file);
}

static hb_status check_part(const hb_looked_at *x, size_t i, hid_t covered, hssize_t *points)
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

hb_status hb_storage_check_virtual(const hb_looked_at *x)
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
