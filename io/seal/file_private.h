/* Compressed streams of SEAL files, in steps. */
#ifndef HB_IO_SEAL_FILE_PRIVATE_H
#define HB_IO_SEAL_FILE_PRIVATE_H

#include <zlib.h>
#include <zstd.h>

#include "file.h"

#define HB_SEAL_PIECE ((size_t)1 << 16) /* bytes of a buffer */
#define HB_SEAL_MAGIC 0xA15E            /* in front of every object */

/* The header of every object, as it lies in memory. */
typedef struct hb_seal_header {
    uint16_t magic;
    uint8_t header_bytes, major, minor, compression;
    uint16_t reserved;
    uint64_t bytes;
} hb_seal_header;
_Static_assert(sizeof(hb_seal_header) == HB_SEAL_HEADER_BYTES, "the fields follow one another");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fields are stored as they lie in memory");

/* Bytes that move from one buffer to another: the rest to take, and the room to fill. */
typedef struct hb_seal_flow {
    const uint8_t *from;
    size_t from_bytes;
    uint8_t *to;
    size_t to_bytes;
} hb_seal_flow;

/* A stream that is being read. Zeroed: not compressed. */
typedef struct hb_seal_inflater {
    hb_seal_compression kind;
    bool zlib_open, ended; /* ended: the stream is complete */
    z_stream zlib;
    ZSTD_DCtx *zstd;
} hb_seal_inflater;
/* Begins a stream; the caller clears it, also after a failure. HB_ENOMEM. */
hb_status hb_seal_inflater_init(hb_seal_inflater *x, hb_seal_compression kind);
void hb_seal_inflater_clear(hb_seal_inflater *x);
/* Moves bytes from one buffer to the other until either is exhausted; nothing moves when the stream has ended or needs
 * more input. `path` is for messages. HB_EDATA, HB_ENOMEM. */
hb_status hb_seal_inflate(hb_seal_inflater *x, hb_seal_flow *flow, const char *path);

/* A stream that is being written. */
typedef struct hb_seal_deflater {
    hb_seal_compression kind;
    bool zlib_open;
    z_stream zlib;
    ZSTD_CCtx *zstd;
} hb_seal_deflater;
/* Begins a stream; the caller clears it, also after a failure. HB_ENOMEM. */
hb_status hb_seal_deflater_init(hb_seal_deflater *x, hb_seal_compression kind);
void hb_seal_deflater_clear(hb_seal_deflater *x);
/* Does the same for a stream that is written. last: nothing follows; *done is then true once all of it has been output.
 * HB_ENOMEM, HB_EINTERNAL. */
hb_status hb_seal_deflate(hb_seal_deflater *x, hb_seal_flow *flow, bool last, bool *done);

#endif
