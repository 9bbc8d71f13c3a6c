/* Shards to be written: made, or found as an earlier process left them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dataset_private.h"
#include "io/files/durable.h"

/* A writer without its sums. *image: the file as it begins; the caller clears it. */
static hb_status new_writer(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit,
                            uint64_t units, hb_h5_image *image, hb_shard_writer **out)
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
    writer->header.schema.grouping = NULL;
    shard->first_unit = first_unit;
    shard->units = units;
    hb_header_units_range(header, first_unit, units, &shard->first, &shard->count);
    HB_GOTO(hb_path_with(name, ".partial", &folder));
    HB_GOTO(hb_shard_path(folder, hb_spec_residue(&header->spec), part, &shard->path));
    st = hb_shard_make(header, shard, image, &writer->mark);
    writer->file_bytes = image->file_bytes;
done:
    free(folder);
    if (st == HB_OK) {
        *out = writer;
    } else {
        hb_shard_writer_close(writer);
    }
    return st;
}

static hb_status make_file(hb_shard_writer *writer, const hb_h5_image *image, bool fresh)
{
    hb_shard *shard = &writer->shard;
    shard->sums = calloc((size_t)shard->units + 1, sizeof *shard->sums);
    if (!shard->sums) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " units", shard->path, shard->units);
    }
    HB_TRY(hb_create_file(shard->path, 0666, fresh, &writer->fd));
    HB_TRY(hb_h5_image_write(image, writer->fd, shard->path));
    return hb_shard_sync(writer);
}

static hb_status create(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                        bool fresh, hb_shard_writer **out)
{
    hb_h5_image image = {.data = NULL};
    hb_shard_writer *writer;
    HB_TRY(new_writer(name, header, part, first_unit, units, &image, &writer));
    hb_status st = make_file(writer, &image, fresh);
    hb_h5_image_clear(&image);
    if (st == HB_OK) {
        *out = writer;
    } else {
        hb_shard_writer_close(writer);
    }
    return st;
}

hb_status hb_shard_create(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                          hb_shard_writer **out)
{
    return create(name, header, part, first_unit, units, false, out);
}

/* Another version of this program or of HDF5 may lay a file out in another way; then its mark cannot be set by us. */
static hb_status check_mark(hb_shard_writer *writer)
{
    const hb_shard_mark *mark = &writer->mark;
    uint8_t *found = malloc(mark->bytes);
    if (!found) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", writer->shard.path);
    }
    hb_status st = HB_OK;
    HB_GOTO(hb_shard_use(writer));
    HB_GOTO(hb_read_at(writer->fd, found, mark->bytes, mark->offset, writer->shard.path));
    if (memcmp(found, mark->unset, mark->bytes) != 0 && memcmp(found, mark->set, mark->bytes) != 0) {
        st = HB_FAIL(HB_EDATA, "%s: was not laid out by this version", writer->shard.path);
    }
done:
    free(found);
    hb_shard_close_file(writer);
    return st;
}

/* The file that is there must be the one that we would make, but for rows, sums and mark. Takes its sums. */
static hb_status check_there(const hb_header *ours, hb_shard *shard)
{
    hb_header header;
    hb_shard there;
    uint8_t found[HB_DIGEST_BYTES], expected[HB_DIGEST_BYTES];
    hb_header_digest(expected, ours);
    hb_status st = hb_shard_inspect(shard->path, &header, found, &there);
    if (st == HB_OK && (memcmp(found, expected, sizeof found) != 0 || there.first_unit != shard->first_unit ||
                        there.units != shard->units || there.places.seeds != shard->places.seeds ||
                        memcmp(there.places.offsets, shard->places.offsets, sizeof there.places.offsets) != 0 ||
                        there.sums_offset != shard->sums_offset)) {
        st = HB_FAIL(HB_EDATA, "%s: is not this part of this dataset", shard->path);
    }
    if (st == HB_OK) {
        shard->sums = there.sums;
        there.sums = NULL;
    }
    hb_header_clear(&header);
    hb_shard_clear(&there);
    return st;
}

hb_status hb_shard_join(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                        hb_shard_writer **out)
{
    hb_h5_image image = {.data = NULL};
    hb_shard_writer *writer;
    HB_TRY(new_writer(name, header, part, first_unit, units, &image, &writer));
    hb_h5_image_clear(&image);
    hb_status st = check_there(header, &writer->shard);
    if (st == HB_OK) {
        st = check_mark(writer);
    }
    if (st == HB_OK) {
        *out = writer;
    } else {
        hb_shard_writer_close(writer);
    }
    return st;
}

static bool is_missing(const char *name, uint32_t residue, uint32_t part)
{
    char *folder = NULL, *path = NULL;
    struct stat info;
    bool missing = hb_path_with(name, ".partial", &folder) == HB_OK &&
                   hb_shard_path(folder, residue, part, &path) == HB_OK && lstat(path, &info) < 0 && errno == ENOENT;
    free(folder);
    free(path);
    return missing;
}

hb_status hb_shard_ensure(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                          hb_shard_writer **out)
{
    if (is_missing(name, hb_spec_residue(&header->spec), part)) {
        return create(name, header, part, first_unit, units, false, out);
    }
    hb_status st = hb_shard_join(name, header, part, first_unit, units, out);
    if (st != HB_EDATA) { /* a file that cannot be opened just now may hold work */
        return st;
    }
    hb_clear_error();
    return create(name, header, part, first_unit, units, true, out);
}
