#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataset_private.h"
#include "durable.h"

struct hb_shard_writer {
    hb_header header; /* without the columns of its schema */
    hb_shard shard;
    uint64_t sums_offset;
    uint8_t *mark; /* [mark_bytes] at mark_offset: what completes the file */
    size_t mark_bytes, mark_offset;
    bool *written; /* [units] */
    int fd;
};

void hb_rows_name(char name[HB_ROWS_NAME], uint32_t component, uint32_t limb)
{
    snprintf(name, HB_ROWS_NAME, "c%u/q%02u", component % 10, limb % 100);
}

void hb_part_name(char name[HB_PART_NAME], uint64_t part)
{
    snprintf(name, HB_PART_NAME, "part-%05" PRIu32 ".h5", (uint32_t)part);
}

hb_status hb_shard_path(const char *folder, uint64_t part, char **path)
{
    char name[HB_PART_NAME + 1] = "/";
    hb_part_name(name + 1, part);
    return hb_path_with(folder, name, path);
}

/* One dataset of `count` rows for every stored component and limb, and one of seeds; the link names of rows hold their
 * group. */
static hb_status put_rows(hid_t ct, const hb_header *header, uint64_t count)
{
    for (uint32_t c = 0; c < hb_header_stored(header); c++) {
        hid_t group;
        HB_TRY(hb_h5_create_group(ct, c == 0 ? "c0" : "c1", &group));
        hb_h5_close(group);
        for (uint32_t l = 0; l < header->limbs; l++) {
            char name[HB_ROWS_NAME];
            hb_rows_name(name, c, l);
            uint64_t words = hb_header_row_bytes(header, l) / sizeof(uint64_t);
            HB_TRY(hb_h5_put_dataset(ct, name, hb_h5_matrix(H5T_STD_U64LE, count, words), NULL));
        }
    }
    return header->seeded ? hb_h5_put_dataset(ct, "seed", hb_h5_matrix(H5T_STD_U8LE, count, HB_SEED_BYTES), NULL)
                          : HB_OK;
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

/* The file but for rows and sums, which get their places. */
static hb_status make_image(const hb_header *header, hb_shard *shard, bool complete, hb_h5_image *image,
                            uint64_t *sums_offset)
{
    hid_t file, ct = 0;
    uint32_t rows = hb_header_stored(header) * header->limbs;
    HB_TRY(hb_h5_image_begin(image, rows + 9, &file)); /* 5 of parameters, 2 of the table, seeds, sums */
    hb_status st = HB_OK;
    HB_GOTO(hb_header_put(file, header, &ct));
    HB_GOTO(hb_h5_put_u64(file, "complete", complete));
    HB_GOTO(put_unit(file, shard->first_unit, shard->units));
    HB_GOTO(put_rows(ct, header, shard->count));
    HB_GOTO(hb_shard_locate(file, header, UINT64_MAX, shard, sums_offset));
    hb_h5_close(ct);
    ct = 0;
    st = hb_h5_image_end(image, file);
done:
    hb_h5_close(ct);
    if (st != HB_OK) {
        hb_h5_close(file);
        hb_h5_image_clear(image);
    }
    return st;
}

/* The mark is an attribute, under the checksum of its object header. The bytes that setting it changes are found by
 * making the file both ways, so that HDF5 need not open it again. */
static hb_status make_mark(hb_shard_writer *writer, const hb_h5_image *without, const hb_h5_image *with)
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
    writer->mark = malloc(end - first);
    if (!writer->mark) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to write it", writer->shard.path);
    }
    memcpy(writer->mark, with->data + first, end - first);
    writer->mark_offset = first;
    writer->mark_bytes = end - first;
    return HB_OK;
}

static hb_status make_file(const hb_header *header, hb_shard_writer *writer)
{
    hb_shard *shard = &writer->shard;
    hb_h5_image image = {.data = NULL}, complete = {.data = NULL};
    hb_status st = HB_OK;
    HB_GOTO(make_image(header, shard, false, &image, &writer->sums_offset));
    HB_GOTO(make_image(header, shard, true, &complete, &writer->sums_offset));
    HB_GOTO(make_mark(writer, &image, &complete));
    HB_GOTO(hb_create_file(shard->path, 0666, false, &writer->fd));
    st = hb_h5_image_write(&image, writer->fd, shard->path);
done:
    hb_h5_image_clear(&image);
    hb_h5_image_clear(&complete);
    return st;
}

/* Sizes that no file can have are refused before HDF5 multiplies them. */
static hb_status check_size(const char *path, const hb_header *header, uint64_t count)
{
    if (count > INT64_MAX / 2 / hb_header_ciphertext_bytes(header)) {
        return HB_FAIL(HB_ECREATE, "%s: %" PRIu64 " ciphertexts are more than a file can hold", path, count);
    }
    return HB_OK;
}

hb_status hb_shard_create(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                          hb_shard_writer **out)
{
    uint64_t total = hb_header_units(header);
    HB_ASSERT(units <= total && first_unit <= total - units);
    char *folder = NULL;
    hb_status st = HB_OK;
    hb_shard_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to write it", name);
    }
    hb_shard *shard = &writer->shard;
    writer->fd = -1;
    writer->header = *header;
    writer->header.schema.column = NULL;
    shard->first_unit = first_unit;
    shard->units = units;
    hb_header_units_range(header, first_unit, units, &shard->first, &shard->count);
    HB_GOTO(hb_path_with(name, ".partial", &folder));
    HB_GOTO(hb_shard_path(folder, part, &shard->path));
    HB_GOTO(hb_header_check(header, shard->path));
    HB_GOTO(check_size(shard->path, header, shard->count));
    shard->sums = calloc((size_t)units + 1, sizeof *shard->sums);
    writer->written = calloc((size_t)units + 1, sizeof *writer->written);
    if (!shard->sums || !writer->written) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " units", shard->path, units));
    }
    st = make_file(header, writer);
done:
    free(folder);
    if (st == HB_OK) {
        *out = writer;
    } else {
        hb_shard_writer_close(writer);
    }
    return st;
}

/* Rows of one component, limb by limb: c0 or c1 of `rows`, from ciphertext `skip` of the shard on. */
static hb_status write_component(const hb_shard_writer *writer, uint32_t component, const uint8_t *from, uint64_t skip,
                                 uint64_t count)
{
    const hb_shard *shard = &writer->shard;
    for (uint32_t l = 0; l < writer->header.limbs; l++) {
        size_t row = hb_header_row_bytes(&writer->header, l);
        HB_TRY(
            hb_write_at(writer->fd, from, (size_t)count * row, shard->offsets[component][l] + skip * row, shard->path));
        from += count * row;
    }
    return HB_OK;
}

hb_status hb_shard_write(hb_shard_writer *writer, uint64_t u, const hb_rows *rows, const uint8_t sum[HB_DIGEST_BYTES])
{
    const hb_shard *shard = &writer->shard;
    HB_ASSERT(u >= shard->first_unit && u - shard->first_unit < shard->units);
    uint64_t first, count, slot = u - shard->first_unit;
    hb_header_unit_range(&writer->header, u, &first, &count);
    HB_ASSERT(rows->count == count && !writer->written[slot]);
    uint64_t skip = first - shard->first;
    HB_TRY(write_component(writer, 0, rows->c0, skip, count));
    if (writer->header.seeded) {
        HB_TRY(hb_write_at(writer->fd, rows->seeds, (size_t)count * HB_SEED_BYTES, shard->seeds + skip * HB_SEED_BYTES,
                           shard->path));
    } else {
        HB_TRY(write_component(writer, 1, rows->c1, skip, count));
    }
    memcpy(shard->sums[slot], sum, HB_DIGEST_BYTES);
    writer->written[slot] = true;
    return HB_OK;
}

hb_status hb_shard_finish(hb_shard_writer *writer)
{
    const hb_shard *shard = &writer->shard;
    for (uint64_t i = 0; i < shard->units; i++) {
        if (!writer->written[i]) {
            return HB_FAIL(HB_EINTERNAL, "%s: unit %" PRIu64 " was not written", shard->path, shard->first_unit + i);
        }
    }
    /* Rows before sums, sums before the mark: what is marked is whole, whenever the power fails. */
    HB_TRY(hb_sync(writer->fd, shard->path));
    HB_TRY(
        hb_write_at(writer->fd, shard->sums, (size_t)shard->units * HB_DIGEST_BYTES, writer->sums_offset, shard->path));
    HB_TRY(hb_sync(writer->fd, shard->path));
    HB_TRY(hb_write_at(writer->fd, writer->mark, writer->mark_bytes, writer->mark_offset, shard->path));
    return hb_sync(writer->fd, shard->path);
}

void hb_shard_writer_close(hb_shard_writer *writer)
{
    if (writer) {
        if (writer->fd >= 0) {
            close(writer->fd);
        }
        hb_shard_clear(&writer->shard);
        free(writer->mark);
        free(writer->written);
        free(writer);
    }
}
