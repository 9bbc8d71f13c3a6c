#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "io/files/durable.h"

void hb_shard_clear(hb_shard *shard)
{
    free(shard->path);
    free(shard->sums);
    memset(shard, 0, sizeof *shard);
}

const char *hb_rows_group(const hb_header *header, uint32_t component)
{
    static const char *const components[] = {"c0", "c1"}, *const of_parts[] = {"h0", "h1"};
    return header->part != NULL ? of_parts[component] : components[component];
}

void hb_rows_name(char name[HB_ROWS_NAME], const hb_header *header, uint32_t component, uint32_t limb)
{
    snprintf(name, HB_ROWS_NAME, "%s/q%02u", hb_rows_group(header, component), limb % 100);
}

static hb_status locate_rows(hid_t ct, const hb_header *header, uint64_t file_bytes, hb_shard *shard)
{
    for (uint32_t c = 0; c < hb_header_stored(header); c++) {
        hid_t group; /* checks the link on the way to the rows */
        HB_TRY(hb_h5_open_group(ct, hb_rows_group(header, c), shard->path, &group));
        hb_h5_close(group);
        for (uint32_t l = 0; l < header->limbs; l++) {
            char name[HB_ROWS_NAME];
            hb_rows_name(name, header, c, l);
            uint64_t words = hb_header_stored_row_bytes(header, c, l) / sizeof(uint64_t);
            HB_TRY(hb_h5_locate(ct, name, shard->path, hb_h5_matrix(H5T_STD_U64LE, shard->count, words), file_bytes,
                                &shard->places.offsets[c][l]));
        }
    }
    return header->seeded
               ? hb_h5_locate(ct, "seed", shard->path, hb_h5_matrix(H5T_STD_U8LE, shard->count, HB_SEED_BYTES),
                              file_bytes, &shard->places.seeds)
               : HB_OK;
}

static hb_h5_shape sums_shape(const hb_shard *shard)
{
    return hb_h5_matrix(H5T_STD_U8LE, shard->units, HB_DIGEST_BYTES);
}

hb_status hb_shard_locate(hid_t file, const hb_header *header, uint64_t file_bytes, hb_shard *shard)
{
    hid_t ct = 0, unit = 0;
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_open_group(file, "ct", shard->path, &ct));
    HB_GOTO(locate_rows(ct, header, file_bytes, shard));
    HB_GOTO(hb_h5_open_group(file, "unit", shard->path, &unit));
    st = hb_h5_locate(unit, "sum", shard->path, sums_shape(shard), file_bytes, &shard->sums_offset);
done:
    hb_h5_close(unit);
    hb_h5_close(ct);
    return st;
}

/* The range of units, checked against the header, and their sums. */
static hb_status get_units(hid_t file, const hb_header *header, uint64_t file_bytes, hb_shard *shard)
{
    hid_t unit;
    HB_TRY(hb_h5_open_group(file, "unit", shard->path, &unit));
    hb_status st = HB_OK;
    uint64_t total = hb_header_units(header);
    HB_GOTO(hb_h5_get_u64(unit, "first", shard->path, total, &shard->first_unit));
    HB_GOTO(hb_h5_get_u64(unit, "units", shard->path, total - shard->first_unit, &shard->units));
    HB_GOTO(hb_h5_locate(unit, "sum", shard->path, sums_shape(shard), file_bytes, &shard->sums_offset));
    shard->sums = calloc((size_t)shard->units + 1, sizeof *shard->sums);
    if (!shard->sums) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for the sums of %" PRIu64 " units", shard->path, shard->units));
    }
    HB_GOTO(hb_h5_get_dataset(unit, "sum", shard->path, sums_shape(shard), file_bytes, shard->sums));
    hb_header_units_range(header, shard->first_unit, shard->units, &shard->first, &shard->count);
done:
    hb_h5_close(unit);
    return st;
}

static hb_status read_shard(hid_t file, uint64_t file_bytes, hb_header *header, uint8_t digest[HB_DIGEST_BYTES],
                            hb_shard *shard)
{
    HB_TRY(hb_header_get(file, shard->path, file_bytes, header, digest));
    HB_TRY(hb_h5_get_bool(file, "complete", shard->path, &shard->complete));
    HB_TRY(get_units(file, header, file_bytes, shard));
    return hb_shard_locate(file, header, file_bytes, shard);
}

hb_status hb_shard_inspect(const char *path, hb_header *header, uint8_t digest[HB_DIGEST_BYTES], hb_shard *shard)
{
    hid_t file;
    uint64_t file_bytes;
    memset(header, 0, sizeof *header);
    *shard = (hb_shard){.path = strdup(path)};
    if (!shard->path) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", path);
    }
    HB_TRY(hb_h5_open_ours(path, &file, &file_bytes));
    shard->places.file_bytes = file_bytes;
    hb_status st = read_shard(file, file_bytes, header, digest, shard);
    hb_h5_close(file);
    return st;
}

hb_status hb_shard_open(const char *path, hb_header *header, uint8_t digest[HB_DIGEST_BYTES], hb_shard *shard)
{
    HB_TRY(hb_shard_inspect(path, header, digest, shard));
    return shard->complete ? HB_OK
                           : HB_FAIL(HB_EDATA, "%s: is not complete: the job that wrote it did not finish", path);
}

/* Rows of one limb, whole ones, of which the file may have the beginning alone. */
static hb_status read_rows(int fd, const char *path, uint8_t *to, uint64_t count, size_t row, size_t stored,
                           uint64_t at)
{
    if (stored == row) {
        return hb_read_at(fd, to, (size_t)count * row, at, path);
    }
    for (uint64_t i = 0; i < count; i++, to += row) {
        HB_TRY(hb_read_at(fd, to, stored, at + i * stored, path));
        memset(to + stored, 0, row - stored);
    }
    return HB_OK;
}

/* rows->count of them, from ciphertext `skip` of the shard on. */
static hb_status read_component(int fd, const hb_header *header, const hb_shard *shard, uint32_t component,
                                const hb_rows *rows, uint64_t skip)
{
    uint8_t *to = component == 0 ? rows->c0 : rows->c1;
    for (uint32_t l = 0; l < header->limbs; l++) {
        if (hb_rows_have(rows, l)) {
            const size_t row = hb_header_row_bytes(header, l);
            const size_t stored = hb_header_stored_row_bytes(header, component, l);
            HB_TRY(read_rows(fd, shard->path, to, rows->count, row, stored,
                             shard->places.offsets[component][l] + skip * stored));
            to += (size_t)rows->count * row;
        }
    }
    return HB_OK;
}

hb_status hb_shard_read_rows(int fd, const hb_header *header, const hb_shard *shard, uint64_t u, hb_rows *rows)
{
    HB_ASSERT(u >= shard->first_unit && u - shard->first_unit < shard->units);
    uint64_t first;
    hb_header_unit_range(header, u, &first, &rows->count);
    uint64_t skip = first - shard->first;
    HB_TRY(read_component(fd, header, shard, 0, rows, skip));
    if (hb_header_stored(header) > 1) {
        return read_component(fd, header, shard, 1, rows, skip);
    }
    return header->seeded ? hb_read_at(fd, rows->seeds, (size_t)rows->count * HB_SEED_BYTES,
                                       shard->places.seeds + skip * HB_SEED_BYTES, shard->path)
                          : HB_OK;
}
