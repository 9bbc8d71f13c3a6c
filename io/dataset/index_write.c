#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dataset_private.h"
#include "io/files/durable.h"
#include "io/keys/params_h5_private.h"

/* Maps the rows of every shard that has some into a virtual dataset of all rows. */
static hb_status map_parts(hid_t creation, hid_t space, const hb_index *index, const char *dataset, uint64_t width)
{
    for (uint64_t p = 0; p < index->parts; p++) {
        uint64_t first, count;
        hb_header_units_range(&index->header, index->first_unit[p], index->units[p], &first, &count);
        if (count == 0) {
            continue;
        }
        char name[HB_PART_NAME];
        hb_part_name(name, hb_spec_residue(&index->header.spec), hb_index_number(index, p));
        const uint64_t all = index->held != NULL ? index->held[p] : count;
        const hsize_t start[2] = {first, 0}, extent[2] = {count, width}, held[2] = {all, width}, from[2] = {0, 0};
        HB_TRY(HB_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL), HB_EIO,
                     "dataset '%s': cannot select rows", dataset));
        hid_t source;
        HB_TRY(HB_H5(source = H5Screate_simple(2, held, NULL), HB_ENOMEM, "dataset '%s': no memory", dataset));
        hb_status st = HB_OK;
        if (all > count) {
            st = HB_H5(H5Sselect_hyperslab(source, H5S_SELECT_SET, from, NULL, extent, NULL), HB_EIO,
                       "dataset '%s': cannot select rows", dataset);
        }
        if (st == HB_OK) {
            st = HB_H5(H5Pset_virtual(creation, space, name, dataset, source), HB_EIO, "dataset '%s': cannot map %s",
                       dataset, name);
        }
        hb_h5_close(source);
        HB_TRY(st);
    }
    return HB_OK;
}

/* A dataset of all rows that lies in the shards. A shard that is missing reads as all ones: out of every modulus,
 * where zeros would pass for ciphertexts. */
static hb_status put_virtual(const void *context, hid_t ct, const char *name, hid_t type, uint64_t width)
{
    const hb_index *index = context;
    const uint64_t rows = index->header.ciphertexts, ones = UINT64_MAX;
    if (rows == 0) {
        return hb_h5_put_dataset(ct, name, hb_h5_matrix(type, 0, width), NULL);
    }
    const hsize_t extent[2] = {rows, width};
    char source[HB_ROWS_NAME + 8];
    snprintf(source, sizeof source, "/ct/%s", name);
    hid_t space = 0, creation = 0, dataset = 0;
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(space = H5Screate_simple(2, extent, NULL), HB_EIO, "dataset '%s': bad extents", name));
    HB_GOTO(HB_H5(creation = H5Pcreate(H5P_DATASET_CREATE), HB_ENOMEM, "cannot make HDF5 properties"));
    HB_GOTO(HB_H5(H5Pset_obj_track_times(creation, false), HB_EINTERNAL, "HDF5 refuses to drop times"));
    HB_GOTO(HB_H5(H5Pset_fill_value(creation, type, &ones), HB_EINTERNAL, "dataset '%s': bad fill value", name));
    HB_GOTO(map_parts(creation, space, index, source, width));
    HB_GOTO(HB_H5(H5Sselect_all(space), HB_EINTERNAL, "dataset '%s': bad extents", name));
    st = HB_H5(dataset = H5Dcreate2(ct, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), HB_EIO,
               "dataset '%s': cannot be created", name);
done:
    hb_h5_close(dataset);
    hb_h5_close(creation);
    hb_h5_close(space);
    return st;
}

static hb_status put_names(hid_t group, const hb_index *index)
{
    const uint64_t parts = index->parts;
    char(*names)[HB_PART_NAME] = calloc((size_t)parts + 1, sizeof *names);
    if (!names) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " shards", parts);
    }
    for (uint64_t p = 0; p < parts; p++) {
        hb_part_name(names[p], hb_spec_residue(&index->header.spec), hb_index_number(index, p));
    }
    const hb_h5_names all = {H5T_CSET_ASCII, parts, HB_PART_NAME, names[0]};
    const hb_status st = hb_h5_put_names(group, "name", &all);
    free(names);
    return st;
}

static hb_status put_parts(hid_t file, const hb_index *index)
{
    hid_t group;
    HB_TRY(hb_h5_create_group(file, "shards", &group));
    hb_status st = HB_OK;
    HB_GOTO(put_names(group, index));
    HB_GOTO(hb_h5_put_dataset(group, "first_unit", hb_h5_vector(H5T_STD_U64LE, index->parts), index->first_unit));
    HB_GOTO(hb_h5_put_dataset(group, "units", hb_h5_vector(H5T_STD_U64LE, index->parts), index->units));
    if (index->number != NULL) {
        HB_GOTO(hb_h5_put_dataset(group, "number", hb_h5_vector(H5T_STD_U64LE, index->parts), index->number));
        HB_GOTO(hb_h5_put_dataset(group, "header", hb_h5_matrix(H5T_STD_U8LE, index->parts, HB_DIGEST_BYTES),
                                  index->headers));
        st = hb_h5_put_dataset(group, "held", hb_h5_vector(H5T_STD_U64LE, index->parts), index->held);
    }
done:
    hb_h5_close(group);
    return st;
}

static hb_status put_sums(hid_t file, const hb_index *index)
{
    hid_t group;
    uint64_t units = hb_header_units(&index->header);
    uint8_t data_sum[HB_DIGEST_BYTES];
    hb_data_digest(data_sum, index->digest, index->sums[0], units);
    HB_TRY(hb_h5_put_bytes(file, "data_sum", data_sum, sizeof data_sum));
    HB_TRY(hb_h5_create_group(file, "unit", &group));
    hb_status st = hb_h5_put_dataset(group, "sum", hb_h5_matrix(H5T_STD_U8LE, units, HB_DIGEST_BYTES), index->sums);
    hb_h5_close(group);
    return st;
}

/* Attributes that connect the residues of one dataset. */
static hb_status put_residues(hid_t file, const hb_index *index)
{
    hid_t group;
    if (!hb_index_is_last(&index->header)) {
        return HB_OK;
    }
    HB_TRY(hb_h5_create_group(file, "residues", &group));
    const uint32_t count = hb_spec_residues(&index->header.spec);
    const hb_status st =
        hb_h5_put_dataset(group, "data_sum", hb_h5_matrix(H5T_STD_U8LE, count, HB_DIGEST_BYTES), index->residue_sums);
    hb_h5_close(group);
    return st;
}

static hb_status put_signature(hid_t file, const hb_index *index)
{
    return index->header.part != NULL && hb_spec_last_residue(&index->header.spec)
               ? hb_h5_put_bytes(file, "signature", index->signature, sizeof index->signature)
               : HB_OK;
}

static hb_status put_summands(hid_t file, const hb_index *index)
{
    hid_t group;
    uint8_t digest[HB_DIGEST_BYTES];
    const hb_summands list = index->summands;
    if (list.count == 0) {
        return HB_OK;
    }
    hb_summands_digest(digest, index);
    HB_TRY(hb_h5_create_group(file, "summands", &group));
    hb_status st =
        hb_h5_put_dataset(group, "data_sum", hb_h5_matrix(H5T_STD_U8LE, list.count, HB_DIGEST_BYTES), list.sum);
    st = st == HB_OK ? hb_h5_put_u64(group, "count", list.count) : st;
    st = st == HB_OK ? hb_h5_put_u64(group, "traced", list.traced) : st;
    st = st == HB_OK ? hb_h5_put_bytes(group, "sum", digest, sizeof digest) : st;
    hb_h5_close(group);
    return st;
}

static hb_status fill(hid_t file, void *context)
{
    const hb_index *index = *(const hb_index *const *)context;
    hid_t ct = 0;
    hb_status st = HB_OK;
    HB_GOTO(hb_header_put(file, &index->header, &ct));
    HB_GOTO(hb_rows_put(ct, &index->header, put_virtual, index));
    HB_GOTO(put_parts(file, index));
    HB_GOTO(put_sums(file, index));
    HB_GOTO(put_residues(file, index));
    HB_GOTO(put_signature(file, index));
    HB_GOTO(put_summands(file, index));
    st = hb_appended_put(file, index);
done:
    hb_h5_close(ct);
    return st;
}

hb_status hb_index_write(const char *path, const hb_index *index)
{
    /* rows, parameters, columns, 6 of shards, seeds, sums, residues, summands, 3 of tables that were appended; the
     * history */
    const uint32_t datasets = hb_header_stored(&index->header) * index->header.limbs +
                              hb_spec_datasets(&index->header.spec) + hb_columns_datasets(&index->header.schema) +
                              hb_part_datasets(&index->header) + 13 + (index->header.past.steps > 0 ? 4 : 0);
    hb_h5_image image = {.data = NULL};
    int fd = -1;
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_image_make(&image, datasets, fill, &index));
    HB_GOTO(hb_create_file(path, 0666, true, &fd));
    HB_GOTO(hb_h5_image_write(&image, fd, path));
    HB_GOTO(hb_sync(fd, path));
    st = hb_sync_folder_of(path);
done:
    if (fd >= 0) {
        close(fd);
    }
    hb_h5_image_clear(&image);
    return st;
}
