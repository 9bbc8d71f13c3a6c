/* The file of a shard without its rows and sums: a pure function of the header and the range of units. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "io/files/durable.h"
#include "io/keys/params_h5_private.h"

void hb_part_name(char name[HB_PART_NAME], uint32_t residue, uint64_t part)
{
    HB_ASSERT(residue < HB_MOST_RESIDUES);
    if (residue == 0) {
        snprintf(name, HB_PART_NAME, "part-%05" PRIu32 ".h5", (uint32_t)part);
    } else {
        snprintf(name, HB_PART_NAME, "part-%" PRIu32 "-%05" PRIu32 ".h5", residue % 10, (uint32_t)part);
    }
}

hb_status hb_shard_path(const char *folder, uint32_t residue, uint64_t part, char **path)
{
    char name[HB_PART_NAME + 1] = "/";
    hb_part_name(name + 1, residue, part);
    return hb_path_with(folder, name, path);
}

hb_status hb_index_path(const char *folder, uint32_t residue, char **path)
{
    char name[32] = "/" HB_INDEX_NAME;
    if (residue > 0) {
        snprintf(name, sizeof name, "/index-%" PRIu32 ".h5", residue);
    }
    return hb_path_with(folder, name, path);
}

/* The link names of rows hold their group. */
hb_status hb_rows_put(hid_t ct, const hb_header *header, hb_rows_put_one put, const void *context)
{
    for (uint32_t c = 0; c < hb_header_stored(header); c++) {
        hid_t group;
        HB_TRY(hb_h5_create_group(ct, hb_rows_group(header, c), &group));
        hb_h5_close(group);
        for (uint32_t l = 0; l < header->limbs; l++) {
            char name[HB_ROWS_NAME];
            hb_rows_name(name, header, c, l);
            HB_TRY(put(context, ct, name, H5T_STD_U64LE, hb_header_stored_row_bytes(header, c, l) / sizeof(uint64_t)));
        }
    }
    return header->seeded ? put(context, ct, "seed", H5T_STD_U8LE, HB_SEED_BYTES) : HB_OK;
}

static hb_status put_own(const void *context, hid_t ct, const char *name, hid_t type, uint64_t width)
{
    const hb_shard *shard = context;
    return hb_h5_put_dataset(ct, name, hb_h5_matrix(type, shard->count, width), NULL);
}

static hb_status put_unit(hid_t file, uint64_t first_unit, uint64_t units)
{
    hid_t group;
    HB_TRY(hb_h5_create_group(file, "unit", &group));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_put_u64(group, "first", first_unit));
    HB_GOTO(hb_h5_put_u64(group, "units", units));
    st = hb_h5_put_dataset(group, "sum", hb_h5_matrix(H5T_STD_U8LE, units, HB_DIGEST_BYTES), NULL);
done:
    hb_h5_close(group);
    return st;
}

/* The contents of a new file. */
typedef struct making {
    const hb_header *header;
    hb_shard *shard;
    bool complete;
} making;

/* Puts all into the file but rows and sums, which get their places. */
static hb_status fill(hid_t file, void *context)
{
    const making *x = context;
    hid_t ct = 0;
    hb_status st = HB_OK;
    HB_GOTO(hb_header_put(file, x->header, &ct));
    HB_GOTO(hb_h5_put_u64(file, "complete", x->complete));
    HB_GOTO(put_unit(file, x->shard->first_unit, x->shard->units));
    HB_GOTO(hb_rows_put(ct, x->header, put_own, x->shard));
    st = hb_shard_locate(file, x->header, UINT64_MAX, x->shard);
done:
    hb_h5_close(ct);
    return st;
}

static hb_status make_image(const hb_header *header, hb_shard *shard, bool complete, hb_h5_image *image)
{
    making x = {header, shard, complete};
    /* rows, parameters, columns, seeds, sums; the history */
    const uint32_t datasets = hb_header_stored(header) * header->limbs + hb_spec_datasets(&header->spec) +
                              hb_columns_datasets(&header->schema) + hb_part_datasets(header) + 2 +
                              (header->past.steps > 0 ? 4 : 0);
    return hb_h5_image_make(image, datasets, fill, &x);
}

/* The mark is an attribute, under the checksum of its object header. The bytes that setting it changes are found by
 * making the file both ways, so that HDF5 need not open it again. */
static hb_status find_mark(const char *path, const hb_h5_image *without, const hb_h5_image *with, hb_shard_mark *mark)
{
    HB_ASSERT(without->bytes == with->bytes && without->file_bytes == with->file_bytes);
    size_t first = 0, end = with->bytes;
    while (first < end && without->data[first] == with->data[first]) {
        first++;
    }
    while (end > first && without->data[end - 1] == with->data[end - 1]) {
        end--;
    }
    HB_ASSERT(first < end);
    *mark = (hb_shard_mark){.offset = first, .bytes = end - first};
    mark->unset = malloc(mark->bytes);
    mark->set = malloc(mark->bytes);
    if (!mark->unset || !mark->set) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to write it", path);
    }
    memcpy(mark->unset, without->data + first, mark->bytes);
    memcpy(mark->set, with->data + first, mark->bytes);
    return HB_OK;
}

void hb_shard_mark_clear(hb_shard_mark *mark)
{
    free(mark->unset);
    free(mark->set);
    memset(mark, 0, sizeof *mark);
}

/* Sizes that no file can have are refused before HDF5 multiplies them. */
static hb_status check_size(const char *path, const hb_header *header, uint64_t count)
{
    if (count > INT64_MAX / 2 / hb_header_ciphertext_bytes(header)) {
        return HB_FAIL(HB_ECREATE, "%s: %" PRIu64 " ciphertexts are more than a file can hold", path, count);
    }
    return HB_OK;
}

hb_status hb_shard_make(const hb_header *header, hb_shard *shard, hb_h5_image *image, hb_shard_mark *mark)
{
    hb_h5_image complete = {.data = NULL};
    HB_TRY(hb_header_check(header, shard->path));
    HB_TRY(check_size(shard->path, header, shard->count));
    HB_TRY(make_image(header, shard, false, image));
    hb_status st = make_image(header, shard, true, &complete);
    if (st == HB_OK) {
        st = find_mark(shard->path, image, &complete, mark);
    }
    hb_h5_image_clear(&complete);
    if (st != HB_OK) {
        hb_h5_image_clear(image);
        hb_shard_mark_clear(mark);
    }
    return st;
}
