#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset_private.h"
#include "io/files/durable.h"

/* Opens an existing regular file, no symbolic link, to read and write. HB_EIO. */
static hb_status open_to_write(const char *path, int *out)
{
    struct stat info;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return HB_FAIL(HB_EIO, "%s: cannot open it to write: %s", path, strerror(errno));
    }
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return HB_FAIL(HB_EIO, "%s: is no regular file", path);
    }
    *out = fd;
    return HB_OK;
}

hb_status hb_shard_use(hb_shard_writer *writer)
{
    return writer->fd >= 0 ? HB_OK : open_to_write(writer->shard.path, &writer->fd);
}

void hb_shard_close_file(hb_shard_writer *writer)
{
    if (writer->fd >= 0) {
        close(writer->fd);
        writer->fd = -1;
    }
}

hb_status hb_shard_reserve(const hb_shard_writer *writer)
{
    const char *path = writer->shard.path;
    int fd = -1;
    HB_TRY(open_to_write(path, &fd));
    const hb_status st = hb_reserve(fd, writer->file_bytes, path);
    close(fd);
    return st;
}

/* Tells the system to begin writing: at the final sync most of it is then on the disk already. */
static hb_status write_rows(const hb_shard_writer *writer, const void *from, size_t bytes, uint64_t offset)
{
    HB_TRY(hb_write_at(writer->fd, from, bytes, offset, writer->shard.path));
    hb_begin_writing(writer->fd, bytes, offset);
    return HB_OK;
}

/* Rows of one component, limb by limb: c0 or c1 of `rows`, from ciphertext `skip` of the shard on. */
static hb_status write_component(const hb_shard_writer *writer, uint32_t component, const hb_rows *rows, uint64_t skip)
{
    const hb_shard *shard = &writer->shard;
    const uint8_t *from = component == 0 ? rows->c0 : rows->c1;
    for (uint32_t l = 0; l < writer->header.limbs; l++) {
        if (hb_rows_have(rows, l)) {
            const size_t row = hb_header_row_bytes(&writer->header, l);
            const size_t stored = hb_header_stored_row_bytes(&writer->header, component, l);
            const uint64_t at = shard->places.offsets[component][l] + skip * stored;
            /* The whole rows of all ciphertexts, or the beginning of each. */
            const uint64_t parts = stored == row ? 1 : rows->count;
            for (uint64_t i = 0; i < parts; i++) {
                HB_TRY(write_rows(writer, from + i * row, rows->count / parts * stored, at + i * stored));
            }
            from += rows->count * row;
        }
    }
    return HB_OK;
}

/* Writes the parts that a unit has once, not for each limb. */
static hb_status write_shared(const hb_shard_writer *writer, const hb_rows *rows, uint64_t skip, uint64_t slot,
                              const uint8_t sum[HB_DIGEST_BYTES])
{
    const hb_shard *shard = &writer->shard;
    if (writer->header.seeded) {
        HB_TRY(hb_write_at(writer->fd, rows->seeds, (size_t)rows->count * HB_SEED_BYTES,
                           shard->places.seeds + skip * HB_SEED_BYTES, shard->path));
    }
    return hb_write_at(writer->fd, sum, HB_DIGEST_BYTES, shard->sums_offset + slot * HB_DIGEST_BYTES, shard->path);
}

hb_status hb_shard_write(hb_shard_writer *writer, uint64_t u, const hb_rows *rows, const uint8_t sum[HB_DIGEST_BYTES])
{
    const hb_shard *shard = &writer->shard;
    HB_ASSERT(u >= shard->first_unit && u - shard->first_unit < shard->units);
    uint64_t first, count, slot = u - shard->first_unit;
    hb_header_unit_range(&writer->header, u, &first, &count);
    HB_ASSERT(rows->count == count);
    uint64_t skip = first - shard->first;
    HB_TRY(hb_shard_use(writer));
    HB_TRY(write_component(writer, 0, rows, skip));
    if (hb_header_stored(&writer->header) > 1) {
        HB_TRY(write_component(writer, 1, rows, skip));
    }
    if (hb_rows_have(rows, 0)) {
        HB_TRY(write_shared(writer, rows, skip, slot, sum));
    }
    memcpy(shard->sums[slot], sum, HB_DIGEST_BYTES);
    return HB_OK;
}

hb_status hb_shard_read(hb_shard_writer *writer, uint64_t u, hb_rows *rows)
{
    HB_TRY(hb_shard_use(writer));
    return hb_shard_read_rows(writer->fd, &writer->header, &writer->shard, u, rows);
}

const uint8_t *hb_shard_sum(const hb_shard_writer *writer, uint64_t u)
{
    static const uint8_t none[HB_DIGEST_BYTES];
    const hb_shard *shard = &writer->shard;
    HB_ASSERT(u >= shard->first_unit && u - shard->first_unit < shard->units);
    const uint8_t *sum = shard->sums[u - shard->first_unit];
    return memcmp(sum, none, sizeof none) != 0 ? sum : NULL;
}

hb_status hb_shard_sync(hb_shard_writer *writer)
{
    if (writer->fd < 0) {
        return HB_OK;
    }
    hb_status st = hb_sync(writer->fd, writer->shard.path);
    hb_shard_close_file(writer);
    return st;
}

hb_status hb_shard_finish(hb_shard_writer *writer)
{
    const hb_shard *shard = &writer->shard;
    HB_TRY(hb_shard_use(writer));
    HB_TRY(
        hb_read_at(writer->fd, shard->sums, (size_t)shard->units * HB_DIGEST_BYTES, shard->sums_offset, shard->path));
    for (uint64_t i = 0; i < shard->units; i++) {
        if (!hb_shard_sum(writer, shard->first_unit + i)) {
            return HB_FAIL(HB_EINTERNAL, "%s: unit %" PRIu64 " was not written", shard->path, shard->first_unit + i);
        }
    }
    /* Rows and sums before the mark: a marked unit is whole, also after a power failure. */
    HB_TRY(hb_sync(writer->fd, shard->path));
    HB_TRY(hb_write_at(writer->fd, writer->mark.set, writer->mark.bytes, writer->mark.offset, shard->path));
    return hb_shard_sync(writer);
}

void hb_shard_writer_close(hb_shard_writer *writer)
{
    if (writer) {
        hb_shard_close_file(writer);
        hb_shard_clear(&writer->shard);
        hb_shard_mark_clear(&writer->mark);
        free(writer);
    }
}
