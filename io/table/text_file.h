/* The bytes of a text file, plain or compressed by gzip, at any offset of the text. A compressed file is never written
 * out: its text is plaintext, which a file beside it, or in a folder for temporary files, would leave on a disk.
 * Instead the state of the decompression is kept at some places, from which a text goes on. */
#ifndef HB_IO_TABLE_TEXT_FILE_H
#define HB_IO_TABLE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hb_gzip;

/* One thread at a time. */
typedef struct hb_text_file {
    int fd;               /* borrowed */
    const char *path;     /* borrowed; for messages */
    uint64_t size;        /* of the file when it was opened; what is appended later is not read */
    struct hb_gzip *gzip; /* NULL: the text is the file */
} hb_text_file;

/* Begins to read the file: one that begins as gzip does is taken for that, whatever it is called. HB_ENOMEM, HB_EIO.
 * hb_text_file_clear takes a zeroed struct, and wipes what it held of the text. */
hb_status hb_text_file_init(hb_text_file *text, int fd, uint64_t size, const char *path);
void hb_text_file_clear(hb_text_file *text);
/* Reads `want` bytes from `offset` of the text on; *got is less only where the text ends. Forward it costs the bytes in
 * between, backward at most those from the place before it that is kept: of text up to 256 MiB every MiB is, of larger
 * ones a 256th to a 128th of it apart. HB_EDATA for a file that is damaged, cut, or shorter than it was; HB_EIO,
 * HB_ENOMEM. */
hb_status hb_text_file_read(hb_text_file *text, uint64_t offset, char *to, size_t want, size_t *got);

#endif
