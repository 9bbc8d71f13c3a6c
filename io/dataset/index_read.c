#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"

void hb_index_clear(hb_index *index)
{
    hb_header_clear(&index->header);
    free(index->first_unit);
    free(index->units);
    free(index->sums);
    free(index->number);
    free(index->held);
    free(index->headers);
    free(index->summands.sum);
    hb_appended_clear(&index->appended);
    memset(index, 0, sizeof *index);
}

uint64_t hb_index_number(const hb_index *index, uint64_t p)
{
    return index->number != NULL ? index->number[p] : p;
}

static hb_status check_tiling(const char *path, const hb_index *index)
{
    uint64_t next = 0, total = hb_header_units(&index->header);
    for (uint64_t p = 0; p < index->parts; p++) {
        if (index->first_unit[p] != next || index->units[p] > total - next) {
            return HB_FAIL(HB_EDATA, "%s: shard %" PRIu64 " does not follow the one before it", path, p);
        }
        next += index->units[p];
    }
    return next == total ? HB_OK
                         : HB_FAIL(HB_EDATA, "%s: its shards hold %" PRIu64 " of %" PRIu64 " units", path, next, total);
}

/* Numbers go up, so that no two shards are one file. */
static hb_status check_numbers(const char *path, const hb_index *index)
{
    for (uint64_t p = 0; p < index->parts; p++) {
        if (index->number[p] >= HB_MAX_NUMBER || (p > 0 && index->number[p] <= index->number[p - 1])) {
            return HB_FAIL(HB_EDATA, "%s: the number of shard %" PRIu64 " cannot be", path, p);
        }
    }
    return HB_OK;
}

/* Ciphertexts in the files of shards; indexes of older programs do not tell. */
static hb_status get_held(hid_t group, const char *path, uint64_t file_bytes, hb_index *index)
{
    bool there;
    HB_TRY(hb_h5_has(group, "held", path, &there));
    if (!there) {
        return HB_OK;
    }
    index->held = calloc((size_t)index->parts + 1, sizeof *index->held);
    if (!index->held) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " shards", path, index->parts);
    }
    return hb_h5_get_dataset(group, "held", path, hb_h5_vector(H5T_STD_U64LE, index->parts), file_bytes, index->held);
}

/* A shard holds the ciphertexts that the index takes from it, and at most those from its first one to the dataset's
 * end: an append may have replaced its last ones, and never takes any away. */
static hb_status check_held(const char *path, const hb_index *index)
{
    for (uint64_t p = 0; index->held != NULL && p < index->parts; p++) {
        uint64_t first, count;
        hb_header_units_range(&index->header, index->first_unit[p], index->units[p], &first, &count);
        if (index->held[p] < count || index->held[p] > index->header.ciphertexts - first) {
            return HB_FAIL(HB_EDATA, "%s: the number of ciphertexts of shard %" PRIu64 " cannot be", path, p);
        }
    }
    return HB_OK;
}

/* Attributes of shards of a dataset that grew. */
static hb_status get_grown(hid_t group, const char *path, uint64_t file_bytes, hb_index *index)
{
    bool there = index->header.version >= HB_FORMAT_GROWN;
    if (index->header.version > HB_FORMAT_GROWN) {
        HB_TRY(hb_h5_has(group, "number", path, &there));
    }
    if (!there) {
        return HB_OK;
    }
    index->number = calloc((size_t)index->parts + 1, sizeof *index->number);
    index->headers = calloc((size_t)index->parts + 1, sizeof *index->headers);
    if (!index->number || !index->headers) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " shards", path, index->parts);
    }
    HB_TRY(
        hb_h5_get_dataset(group, "number", path, hb_h5_vector(H5T_STD_U64LE, index->parts), file_bytes, index->number));
    HB_TRY(hb_h5_get_dataset(group, "header", path, hb_h5_matrix(H5T_STD_U8LE, index->parts, HB_DIGEST_BYTES),
                             file_bytes, index->headers));
    HB_TRY(get_held(group, path, file_bytes, index));
    return check_numbers(path, index);
}

static hb_status get_parts(hid_t group, const char *path, uint64_t file_bytes, hb_index *index)
{
    size_t element;
    HB_TRY(hb_h5_extent(group, "units", path, file_bytes, &index->parts, &element));
    if (index->parts > HB_MAX_PARTS) {
        return HB_FAIL(HB_EDATA, "%s: names %" PRIu64 " shards, above %" PRIu64, path, index->parts, HB_MAX_PARTS);
    }
    hb_h5_shape shape = hb_h5_vector(H5T_STD_U64LE, index->parts);
    index->first_unit = calloc((size_t)index->parts + 1, sizeof *index->first_unit);
    index->units = calloc((size_t)index->parts + 1, sizeof *index->units);
    if (!index->first_unit || !index->units) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " shards", path, index->parts);
    }
    HB_TRY(hb_h5_get_dataset(group, "first_unit", path, shape, file_bytes, index->first_unit));
    HB_TRY(hb_h5_get_dataset(group, "units", path, shape, file_bytes, index->units));
    HB_TRY(get_grown(group, path, file_bytes, index));
    HB_TRY(check_tiling(path, index));
    return check_held(path, index); /* after the tiling: it counts ciphertexts of these units */
}

static hb_status get_sums(hid_t group, const char *path, uint64_t file_bytes, hb_index *index)
{
    uint64_t units = hb_header_units(&index->header), offset;
    hb_h5_shape shape = hb_h5_matrix(H5T_STD_U8LE, units, HB_DIGEST_BYTES);
    HB_TRY(hb_h5_locate(group, "sum", path, shape, file_bytes, &offset)); /* bounds `units` by the file */
    index->sums = calloc((size_t)units + 1, sizeof *index->sums);
    if (!index->sums) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the sums of %" PRIu64 " units", path, units);
    }
    return hb_h5_get_dataset(group, "sum", path, shape, file_bytes, index->sums);
}

bool hb_index_is_last(const hb_header *header)
{
    return hb_spec_residues(&header->spec) > 1 && hb_spec_last_residue(&header->spec);
}

static hb_status get_residues(hid_t file, const char *path, uint64_t file_bytes, hb_index *index)
{
    hid_t group;
    if (!hb_index_is_last(&index->header)) {
        return HB_OK;
    }
    HB_TRY(hb_h5_open_group(file, "residues", path, &group));
    const hb_h5_shape shape = hb_h5_matrix(H5T_STD_U8LE, hb_spec_residues(&index->header.spec), HB_DIGEST_BYTES);
    const hb_status st = hb_h5_get_dataset(group, "data_sum", path, shape, file_bytes, index->residue_sums);
    hb_h5_close(group);
    return st;
}

static hb_status get_listed(hid_t group, const char *path, uint64_t file_bytes, hb_index *index)
{
    uint8_t digest[HB_DIGEST_BYTES], stored[HB_DIGEST_BYTES];
    hb_summands *list = &index->summands;
    uint64_t offset;
    HB_TRY(hb_h5_get_u64(group, "count", path, UINT64_MAX / HB_DIGEST_BYTES, &list->count));
    const hb_h5_shape shape = hb_h5_matrix(H5T_STD_U8LE, list->count, HB_DIGEST_BYTES);
    HB_TRY(hb_h5_locate(group, "data_sum", path, shape, file_bytes, &offset)); /* bounds the count by the file */
    list->sum = calloc((size_t)list->count + 1, sizeof *list->sum);
    if (list->sum == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the sums of %" PRIu64 " datasets", path, list->count);
    }
    HB_TRY(hb_h5_get_dataset(group, "data_sum", path, shape, file_bytes, list->sum));
    HB_TRY(hb_h5_get_bool(group, "traced", path, &list->traced));
    HB_TRY(hb_h5_get_bytes(group, "sum", path, stored, sizeof stored));
    hb_summands_digest(digest, index);
    return memcmp(digest, stored, sizeof digest) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its list of summands does not match its digest: the file is damaged", path);
}

static hb_status get_summands(hid_t file, const char *path, uint64_t file_bytes, hb_index *index)
{
    hid_t group;
    HB_TRY(hb_h5_open_group_if_any(file, "summands", path, &group));
    const hb_status st = group > 0 ? get_listed(group, path, file_bytes, index) : HB_OK;
    hb_h5_close(group);
    return st;
}

static hb_status read_index(hid_t file, const char *path, uint64_t file_bytes, hb_index *index)
{
    hid_t group;
    uint8_t sum[HB_DIGEST_BYTES], stored[HB_DIGEST_BYTES];
    HB_TRY(hb_header_get(file, path, file_bytes, &index->header, index->digest));
    HB_TRY(hb_h5_open_group(file, "unit", path, &group));
    hb_status st = get_sums(group, path, file_bytes, index);
    hb_h5_close(group);
    HB_TRY(st);
    HB_TRY(hb_h5_get_bytes(file, "data_sum", path, stored, sizeof stored));
    hb_data_digest(sum, index->digest, index->sums[0], hb_header_units(&index->header));
    if (memcmp(sum, stored, sizeof sum) != 0) {
        return HB_FAIL(HB_EDATA, "%s: its checksums do not match their sum: the file is damaged", path);
    }
    HB_TRY(get_residues(file, path, file_bytes, index));
    if (index->header.part != NULL && hb_spec_last_residue(&index->header.spec)) {
        HB_TRY(hb_h5_get_bytes(file, "signature", path, index->signature, sizeof index->signature));
    }
    HB_TRY(get_summands(file, path, file_bytes, index));
    HB_TRY(hb_appended_get(file, path, file_bytes, index));
    HB_TRY(hb_h5_open_group(file, "shards", path, &group));
    st = get_parts(group, path, file_bytes, index);
    hb_h5_close(group);
    return st;
}

hb_status hb_index_read(const char *path, hb_index *index)
{
    hid_t file;
    uint64_t file_bytes;
    memset(index, 0, sizeof *index);
    HB_TRY(hb_h5_open_ours(path, &file, &file_bytes));
    hb_status st = read_index(file, path, file_bytes, index);
    hb_h5_close(file);
    return st;
}
