/* The text of a file as UTF-8, plain or compressed by gzip, at any offset of the text. A compressed file is never
 * written out: its text is plaintext, which a file beside it, or in a folder for temporary files, would leave on a
 * disk. Instead the decompressor's state is kept at some places, from which reading can continue. */
#ifndef HB_IO_TABLE_TEXT_FILE_H
#define HB_IO_TABLE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hb_gzip;
struct hb_decoder;

/* The encoding of a text. Own tables decode it, and not those of the C library, so that a file reads the same on every
 * machine. */
typedef enum hb_charset {
    HB_CHARSET_FOUND, /* UTF-8, or UTF-16 where the text begins with its byte-order mark */
    HB_CHARSET_UTF8,
    HB_CHARSET_LATIN1, /* ISO 8859-1 */
    HB_CHARSET_WINDOWS_1252,
    HB_CHARSET_UTF16, /* in the byte order of its mark; without a mark the low byte first, unless the
                         first character's is then 0 */
    HB_CHARSET_UTF16_BIG
} hb_charset;

/* One thread at a time uses it. */
typedef struct hb_text_file {
    int fd;                     /* borrowed */
    const char *path;           /* borrowed; for messages */
    uint64_t size;              /* of the file when it was opened; data appended later is not read */
    struct hb_gzip *gzip;       /* NULL: the bytes are the file */
    struct hb_decoder *decoder; /* NULL: the text is the bytes */
} hb_text_file;

/* Begins to read the file: one that begins like gzip is decompressed, under every name, and one in another encoding is
 * decoded: in the user's choice, or in UTF-16 where it has that byte-order mark. HB_ENOMEM, HB_EIO, and HB_EDATA for a
 * damaged beginning. hb_text_file_clear takes a zeroed struct, and wipes the text that it held. */
hb_status hb_text_file_init(hb_text_file *text, int fd, uint64_t size, const char *path, hb_charset said);
void hb_text_file_clear(hb_text_file *text);
/* Reads `want` bytes from `offset` of the text on; *got is less only where the text ends. In a compressed file reading
 * forward decompresses the bytes in between; reading backward begins at the last kept place: one every MiB for text up
 * to 256 MiB, in larger texts 1/256 to 1/128 of the text apart. HB_EDATA for a file that is damaged, cut, or shorter
 * than it was, and for bytes that are no character of its encoding; HB_EIO, HB_ENOMEM. */
hb_status hb_text_file_read(hb_text_file *text, uint64_t offset, char *to, size_t want, size_t *got);

/* foreign.c: returns, by its first bytes, the kind of a file of other programs and how it becomes a table as text;
 * NULL: it is of no kind that is known. */
const char *hb_foreign_file(const void *begin, size_t bytes);

#endif
