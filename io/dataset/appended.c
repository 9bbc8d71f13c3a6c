/* Which tables have been appended to a dataset, as its index says it: a job that runs again finds that it was done. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"

void hb_appended_clear(hb_appended *list)
{
    free(list->table);
    free(list->rows);
    free(list->time);
    *list = (hb_appended){.count = 0};
}

static hb_status alloc(hb_appended *list, uint64_t count)
{
    *list = (hb_appended){.table = calloc((size_t)count, sizeof *list->table),
                          .rows = calloc((size_t)count, sizeof *list->rows),
                          .time = calloc((size_t)count, sizeof *list->time),
                          .count = count};
    return list->table != NULL && list->rows != NULL && list->time != NULL
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for a list of %" PRIu64 " tables that were appended", count);
}

hb_status hb_appended_extend(hb_appended *list, const hb_appended *old, const uint8_t table[HB_DIGEST_BYTES],
                             uint64_t rows, uint64_t time)
{
    HB_TRY(alloc(list, old->count + 1));
    if (old->count > 0) {
        memcpy(list->table, old->table, (size_t)old->count * sizeof *list->table);
        memcpy(list->rows, old->rows, (size_t)old->count * sizeof *list->rows);
        memcpy(list->time, old->time, (size_t)old->count * sizeof *list->time);
    }
    memcpy(list->table[old->count], table, HB_DIGEST_BYTES);
    list->rows[old->count] = rows;
    list->time[old->count] = time;
    return HB_OK;
}

hb_appended_before hb_dataset_was_appended(const hb_dataset *dataset, const uint8_t table[HB_DIGEST_BYTES],
                                           uint64_t rows, uint64_t *time)
{
    static const uint8_t unnamed[HB_APPENDED_KEY_BYTES];
    const hb_appended *list = &dataset->appended;
    const bool asked = memcmp(table, unnamed, sizeof unnamed) != 0;
    hb_appended_before before = HB_APPENDED_NEVER;
    for (uint64_t i = list->count; i > 0; i--) {
        const uint8_t *entry = list->table[i - 1];
        const bool comparable = asked && memcmp(entry, table, HB_APPENDED_KEY_BYTES) == 0;
        if (list->rows[i - 1] != rows) {
            continue;
        }
        if (comparable && memcmp(entry, table, HB_DIGEST_BYTES) == 0) {
            *time = list->time[i - 1];
            return HB_APPENDED_BEFORE;
        }
        if (!comparable && before == HB_APPENDED_NEVER) {
            *time = list->time[i - 1];
            before = HB_APPENDED_PERHAPS;
        }
    }
    return before;
}

/* BLAKE2b(person "hebatch appended", data_sum of the index, tables, rows, times). */
static void digest_of(uint8_t digest[HB_DIGEST_BYTES], const hb_index *index)
{
    const hb_appended *list = &index->appended;
    uint8_t data_sum[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_data_digest(data_sum, index->digest, index->sums[0], hb_header_units(&index->header));
    hb_digest_begin(&state, "hebatch appended");
    hb_digest_add(&state, data_sum, sizeof data_sum);
    hb_digest_add(&state, list->table, (size_t)list->count * sizeof *list->table);
    hb_digest_add(&state, list->rows, (size_t)list->count * sizeof *list->rows);
    hb_digest_add(&state, list->time, (size_t)list->count * sizeof *list->time);
    hb_digest_end(&state, digest);
}

static hb_status put_list(hid_t group, const hb_index *index)
{
    const hb_appended *list = &index->appended;
    uint8_t digest[HB_DIGEST_BYTES];
    digest_of(digest, index);
    HB_TRY(hb_h5_put_dataset(group, "table", hb_h5_matrix(H5T_STD_U8LE, list->count, HB_DIGEST_BYTES), list->table));
    HB_TRY(hb_h5_put_dataset(group, "rows", hb_h5_vector(H5T_STD_U64LE, list->count), list->rows));
    HB_TRY(hb_h5_put_dataset(group, "time", hb_h5_vector(H5T_STD_U64LE, list->count), list->time));
    return hb_h5_put_bytes(group, "sum", digest, sizeof digest);
}

hb_status hb_appended_put(hid_t file, const hb_index *index)
{
    hid_t group;
    if (index->appended.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_h5_create_group(file, "appended", &group));
    const hb_status st = put_list(group, index);
    hb_h5_close(group);
    return st;
}

static hb_status get_list(hid_t group, const char *path, uint64_t file_bytes, hb_index *index)
{
    uint8_t digest[HB_DIGEST_BYTES], stored[HB_DIGEST_BYTES];
    hb_appended *list = &index->appended;
    uint64_t count;
    size_t element;
    HB_TRY(hb_h5_extent(group, "rows", path, file_bytes, &count, &element)); /* bounds the count by the file */
    if (count == 0) {
        return HB_FAIL(HB_EDATA, "%s: says that tables were appended, and names none", path);
    }
    HB_TRY(alloc(list, count));
    HB_TRY(hb_h5_get_dataset(group, "table", path, hb_h5_matrix(H5T_STD_U8LE, count, HB_DIGEST_BYTES), file_bytes,
                             list->table));
    HB_TRY(hb_h5_get_dataset(group, "rows", path, hb_h5_vector(H5T_STD_U64LE, count), file_bytes, list->rows));
    HB_TRY(hb_h5_get_dataset(group, "time", path, hb_h5_vector(H5T_STD_U64LE, count), file_bytes, list->time));
    HB_TRY(hb_h5_get_bytes(group, "sum", path, stored, sizeof stored));
    digest_of(digest, index);
    return memcmp(digest, stored, sizeof digest) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: its list of tables that were appended does not match its digest: the file is "
                         "damaged",
                         path);
}

hb_status hb_appended_get(hid_t file, const char *path, uint64_t file_bytes, hb_index *index)
{
    hid_t group;
    HB_TRY(hb_h5_open_group_if_any(file, "appended", path, &group));
    const hb_status st = group > 0 ? get_list(group, path, file_bytes, index) : HB_OK;
    hb_h5_close(group);
    return st;
}
