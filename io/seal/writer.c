/* Writes SEAL files (file.h). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/seed.h"
#include "file_private.h"
#include "io/files/durable.h"

/* A file that is being written; the buffer holds bytes as they go to the file. */
struct hb_seal_writer {
    char *path;
    int fd;
    bool finished;
    hb_seal_style style;
    uint64_t bytes, given; /* of the object without compression; how many were written so far */
    uint64_t file_at;      /* end of the file */
    hb_seal_deflater deflater;
    size_t have;                   /* bytes in the buffer */
    uint8_t buffer[HB_SEAL_PIECE]; /* the next bytes for the file */
};

hb_seal_version hb_seal_writer_version(const hb_seal_writer *writer)
{
    return writer->style.version;
}

/* Returns the header of an object of `bytes` bytes in the style of the file. */
static hb_seal_header header_of(const hb_seal_writer *w, hb_seal_compression compression, uint64_t bytes)
{
    return (hb_seal_header){.magic = HB_SEAL_MAGIC,
                            .header_bytes = HB_SEAL_HEADER_BYTES,
                            .major = w->style.version.major,
                            .minor = w->style.version.minor,
                            .compression = (uint8_t)compression,
                            .bytes = bytes};
}

hb_status hb_seal_writer_open(const char *path, hb_seal_style style, mode_t mode, uint64_t bytes, hb_seal_writer **out)
{
    hb_seal_writer *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to write it", path);
    }
    w->fd = -1;
    w->style = style;
    w->bytes = bytes;
    /* The header comes last, when its size is known. */
    w->given = w->file_at = HB_SEAL_HEADER_BYTES;
    hb_status st;
    HB_GOTO(hb_path_with(path, "", &w->path));
    HB_GOTO(hb_create_file(path, mode, false, &w->fd));
    st = hb_seal_deflater_init(&w->deflater, style.compression);
done:
    if (st != HB_OK) {
        hb_seal_writer_close(w);
        return st;
    }
    *out = w;
    return HB_OK;
}

void hb_seal_writer_close(hb_seal_writer *w)
{
    if (w == NULL) {
        return;
    }
    if (w->fd >= 0) {
        close(w->fd);
        /* A file without its header must not stay: its name would be taken. */
        if (!w->finished) {
            unlink(w->path);
        }
    }
    hb_seal_deflater_clear(&w->deflater);
    free(w->path);
    hb_wipe(w, sizeof *w);
    free(w);
}

static hb_status flush(hb_seal_writer *w)
{
    HB_TRY(hb_write_at(w->fd, w->buffer, w->have, w->file_at, w->path));
    w->file_at += w->have;
    w->have = 0;
    return HB_OK;
}

/* Compresses bytes into the buffer, which goes to the file whenever it is full. */
static hb_status pass_on(hb_seal_writer *w, const uint8_t *data, size_t bytes, bool last)
{
    hb_seal_flow flow = {.from = data, .from_bytes = bytes};
    /* The last call goes on until the library has given out all that it kept. */
    for (bool done = false; !done && (last || flow.from_bytes > 0);) {
        flow.to = w->buffer + w->have;
        flow.to_bytes = sizeof w->buffer - w->have;
        HB_TRY(hb_seal_deflate(&w->deflater, &flow, last, &done));
        w->have = sizeof w->buffer - flow.to_bytes;
        if (w->have == sizeof w->buffer) {
            HB_TRY(flush(w));
        }
    }
    return HB_OK;
}

hb_status hb_seal_write(hb_seal_writer *w, const void *data, size_t bytes)
{
    HB_ASSERT(bytes <= w->bytes - w->given);
    /* Counted here, as the size of the compressed output does not tell it. */
    w->given += bytes;
    return pass_on(w, data, bytes, false);
}

hb_status hb_seal_write_u64(hb_seal_writer *w, uint64_t value)
{
    return hb_seal_write(w, &value, sizeof value);
}

hb_status hb_seal_write_header(hb_seal_writer *w, uint64_t bytes)
{
    const hb_seal_header header = header_of(w, HB_SEAL_PLAIN, bytes);
    return hb_seal_write(w, &header, sizeof header);
}

hb_status hb_seal_writer_finish(hb_seal_writer *w)
{
    HB_ASSERT(w->given == w->bytes);
    const uint8_t nothing = 0;
    HB_TRY(pass_on(w, &nothing, 0, true));
    HB_TRY(flush(w));
    /* Until it has this header the file is no file of SEAL. */
    const hb_seal_header header = header_of(w, w->style.compression, w->file_at);
    HB_TRY(hb_write_at(w->fd, &header, sizeof header, 0, w->path));
    HB_TRY(hb_sync(w->fd, w->path));
    w->finished = true;
    return HB_OK;
}
