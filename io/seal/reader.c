/* Reads SEAL files (file.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/seed.h"
#include "file_private.h"
#include "io/files/durable.h"

/* `next` and `have` are the rest of the buffer, which holds bytes as they are in the file. */
struct hb_seal_reader {
    char *path;
    int fd;
    uint64_t file_bytes, file_at; /* of the file; how many of them went into the buffer so far */
    uint64_t position;            /* in the object as it is without compression */
    hb_seal_header outer;
    uint32_t depth; /* objects that are begun and not ended */
    hb_seal_version version;
    hb_seal_inflater inflater;
    const uint8_t *next;
    size_t have;
    uint8_t buffer[HB_SEAL_PIECE];
};

/* End of an outer object that is compressed: its size shows only at its end. */
#define UNKNOWN_END UINT64_MAX

const char *hb_seal_reader_path(const hb_seal_reader *reader)
{
    return reader->path;
}

hb_seal_version hb_seal_reader_version(const hb_seal_reader *reader)
{
    return reader->version;
}

/* Reads as many bytes as there are, up to `bytes`. */
static hb_status read_some(hb_seal_reader *r, uint8_t *to, size_t bytes, size_t *got)
{
    hb_seal_flow flow = {.to = to, .to_bytes = bytes};
    for (;;) {
        if (r->have == 0 && r->file_at < r->file_bytes) {
            const uint64_t left = r->file_bytes - r->file_at;
            r->have = left < sizeof r->buffer ? (size_t)left : sizeof r->buffer;
            HB_TRY(hb_read_at(r->fd, r->buffer, r->have, r->file_at, r->path));
            r->next = r->buffer;
            r->file_at += r->have;
        }
        const size_t before = flow.to_bytes;
        flow.from = r->next;
        flow.from_bytes = r->have;
        HB_TRY(hb_seal_inflate(&r->inflater, &flow, r->path));
        /* Nothing moved: the stream has ended, or wants bytes that the file does not have. */
        const bool stuck = flow.from_bytes == r->have && flow.to_bytes == before;
        r->next = flow.from;
        r->have = flow.from_bytes;
        /* Stuck without bytes in the buffer only means that more have to be read. */
        if (flow.to_bytes == 0 || (stuck && (r->have > 0 || r->file_at == r->file_bytes))) {
            break;
        }
    }
    *got = bytes - flow.to_bytes;
    r->position += *got;
    return HB_OK;
}

hb_status hb_seal_read(hb_seal_reader *reader, void *to, size_t bytes)
{
    size_t got;
    HB_TRY(read_some(reader, to, bytes, &got));
    return got == bytes ? HB_OK
                        : HB_FAIL(HB_EDATA, "%s: is cut short: it ends %zu bytes before the end that it states",
                                  reader->path, bytes - got);
}

hb_status hb_seal_read_u64(hb_seal_reader *reader, uint64_t *value)
{
    return hb_seal_read(reader, value, sizeof *value);
}

/* Puts the header of 3.4 into the form of the later ones: it has magic, a zero, compression, 32 bits of size, 8 bytes
 * reserved. */
static void modernize(hb_seal_header *header)
{
    uint8_t raw[HB_SEAL_HEADER_BYTES];
    uint32_t bytes;
    memcpy(raw, header, sizeof raw);
    memcpy(&bytes, raw + 4, sizeof bytes);
    *header = (hb_seal_header){HB_SEAL_MAGIC, HB_SEAL_HEADER_BYTES, 3, 4, raw[3], 0, bytes};
}

/* Checks a header, the outer one or one inside, and notes its version. */
static hb_status check_header(hb_seal_reader *r, hb_seal_header *header)
{
    if (header->magic != HB_SEAL_MAGIC) {
        return HB_FAIL(HB_EDATA,
                       r->depth > 0 ? "%s: an object inside is damaged: it has no header" : "%s: is no file of SEAL",
                       r->path);
    }
    /* Later versions have the size of the header where 3.4 has a zero. */
    if (header->header_bytes == 0) {
        modernize(header);
    }
    const bool known = (header->major == 3 && header->minor >= 4) || (header->major == 4 && header->minor <= 4);
    if (header->header_bytes != HB_SEAL_HEADER_BYTES || !known) {
        return HB_FAIL(HB_EDATA, "%s: was written by SEAL %d.%d; 3.4 to 4.4 can be read", r->path, header->major,
                       header->minor);
    }
    /* Only the outer object is compressed, with all that is in it. */
    if (header->compression > HB_SEAL_ZSTD || (r->depth > 0 && header->compression != HB_SEAL_PLAIN)) {
        return HB_FAIL(HB_EDATA, "%s: is compressed in a way that is not known (%d)", r->path, header->compression);
    }
    r->version = (hb_seal_version){header->major, header->minor};
    return HB_OK;
}

/* Opens the file and reads the header that tells how everything behind it is compressed. */
static hb_status open_outer(hb_seal_reader *r)
{
    mode_t mode;
    HB_TRY(hb_open_file(r->path, true, &r->fd, &r->file_bytes, &mode));
    size_t got = 0;
    /* The header itself is never compressed: the inflater still copies. */
    if (r->file_bytes >= sizeof r->outer) {
        HB_TRY(read_some(r, (uint8_t *)&r->outer, sizeof r->outer, &got));
    }
    if (got < sizeof r->outer) {
        return HB_FAIL(HB_EDATA, "%s: is no file of SEAL: it has only %" PRIu64 " bytes", r->path, r->file_bytes);
    }
    HB_TRY(check_header(r, &r->outer));
    if (r->outer.bytes != r->file_bytes) {
        return HB_FAIL(HB_EDATA, "%s: says that it has %" PRIu64 " bytes, but has %" PRIu64 ": it is %s", r->path,
                       r->outer.bytes, r->file_bytes,
                       r->outer.bytes > r->file_bytes ? "cut short" : "followed by something else");
    }
    /* From here on bytes are as they are without compression. */
    return hb_seal_inflater_init(&r->inflater, (hb_seal_compression)r->outer.compression);
}

hb_status hb_seal_reader_open(const char *path, hb_seal_reader **out)
{
    hb_seal_reader *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
    }
    /* From here on closing works, also after a failure. */
    r->fd = -1;
    r->path = strdup(path);
    hb_status st = r->path != NULL ? open_outer(r) : HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
    if (st != HB_OK) {
        hb_seal_reader_close(r);
        return st;
    }
    *out = r;
    return HB_OK;
}

void hb_seal_reader_close(hb_seal_reader *r)
{
    if (r == NULL) {
        return;
    }
    hb_seal_inflater_clear(&r->inflater);
    if (r->fd >= 0) {
        close(r->fd);
    }
    free(r->path);
    hb_wipe(r, sizeof *r);
    free(r);
}

hb_status hb_seal_object_begin(hb_seal_reader *r, uint64_t *end)
{
    if (r->depth++ == 0) {
        *end = r->outer.compression == HB_SEAL_PLAIN ? r->outer.bytes : UNKNOWN_END;
        return HB_OK;
    }
    /* Counted without compression, as sizes inside are. */
    const uint64_t start = r->position;
    hb_seal_header header;
    HB_TRY(hb_seal_read(r, &header, sizeof header));
    HB_TRY(check_header(r, &header));
    if (header.bytes < sizeof header || header.bytes > UINT64_MAX - 1 - start ||
        (r->outer.compression == HB_SEAL_PLAIN && header.bytes > r->file_bytes - start)) {
        return HB_FAIL(HB_EDATA, "%s: an object inside says that it has %" PRIu64 " bytes, which it cannot", r->path,
                       header.bytes);
    }
    /* No overflow: the check above has seen to that. */
    *end = start + header.bytes;
    return HB_OK;
}

/* Asks for one byte more, which also lets a compressed stream come to its end. */
static hb_status check_whole(hb_seal_reader *r)
{
    uint8_t more;
    size_t got;
    HB_TRY(read_some(r, &more, sizeof more, &got));
    if (got > 0 || r->have > 0 || r->file_at < r->file_bytes) {
        return HB_FAIL(HB_EDATA, "%s: there is more in it than the object that it holds", r->path);
    }
    return r->inflater.ended ? HB_OK : HB_FAIL(HB_EDATA, "%s: its compressed stream is cut short", r->path);
}

hb_status hb_seal_object_end(hb_seal_reader *r, uint64_t end)
{
    if (end != UNKNOWN_END && r->position != end) {
        return HB_FAIL(HB_EDATA, "%s: an object in it does not have the size that its header says", r->path);
    }
    r->depth--;
    return r->depth == 0 ? check_whole(r) : HB_OK;
}
