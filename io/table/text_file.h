/* The bytes of a text file, plain or compressed by gzip, at any offset of the text. A compressed file is never written
 * out: its text is plaintext, which a file beside it, or in a folder for temporary files, would leave on a disk.
 * Instead the decompressor's state is kept at some places, from which reading can continue. */
#ifndef HB_IO_TABLE_TEXT_FILE_H
#define HB_IO_TABLE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hb_gzip;

/* One thread at a time uses it. */
typedef struct hb_text_file {
    int fd;               /* borrowed */
    const char *path;     /* borrowed; for messages */
    uint64_t size;        /* of the file when it was opened; data appended later is not read */
    struct hb_gzip *gzip; /* NULL: the text is the file */
} hb_text_file;

/* Begins to read the file: one that begins as gzip does is decompressed, whatever its name. HB_ENOMEM, HB_EIO.
 * hb_text_file_clear takes a zeroed struct, and wipes the text that it held. */
hb_status hb_text_file_init(hb_text_file *text, int fd, uint64_t size, const char *path);
void hb_text_file_clear(hb_text_file *text);
/* Reads `want` bytes from `offset` of the text on; *got is less only where the text ends. In a compressed file reading
 * forward decompresses the bytes in between; reading backward begins at the last kept place: one every MiB for text up
 * to 256 MiB, in larger texts 1/256 to 1/128 of the text apart. HB_EDATA for a file that is damaged, cut, or shorter
 * than it was; HB_EIO, HB_ENOMEM. */
hb_status hb_text_file_read(hb_text_file *text, uint64_t offset, char *to, size_t want, size_t *got);

/* foreign.c: returns, by its first bytes, the kind of a file of other programs and how it becomes a table as text;
 * NULL: it is of no kind that is known. */
const char *hb_foreign_file(const void *begin, size_t bytes);

#endif
