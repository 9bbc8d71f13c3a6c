/* Files of Microsoft SEAL as streams of bytes and nested objects: headers, versions, compression. object.h reads and
 * writes the contents of objects. Rank-local; one thread at a time uses a reader or a writer.
 *
 * Nothing is read ahead of the caller's requests: a compressed file of any size gives only the bytes that the checked
 * parameters call for, and at the end one more, to see that there is none. Memory is bounded: two small buffers and the
 * libraries' windows. Messages name the file. */
#ifndef HB_IO_SEAL_FILE_H
#define HB_IO_SEAL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

#define HB_SEAL_HEADER_BYTES 16

/* How the content of a file is compressed. Values are those of the files. */
typedef enum hb_seal_compression { HB_SEAL_PLAIN = 0, HB_SEAL_ZLIB = 1, HB_SEAL_ZSTD = 2 } hb_seal_compression;

/* The release of SEAL that wrote a file, or that it imitates. Objects of 3.4 to 3.7 equal those of 4.x, except for one
 * field of ciphertexts. SEAL 4.3 reads 3.4 to 3.7 and 4.3; 4.4 reads all earlier versions: so files of 3.7 have most
 * readers. */
typedef struct hb_seal_version {
    uint8_t major, minor;
} hb_seal_version;

/* --- reading */

/* A file that is being read. */
typedef struct hb_seal_reader hb_seal_reader;

/* Opens a regular file, also through a symbolic link. Checks the outer header, and that it counts the bytes of the
 * file. The caller closes *out. HB_ENOINPUT; HB_EDATA: no SEAL file, cut short, bytes after its end, or a version
 * outside 3.4 to 4.4. */
hb_status hb_seal_reader_open(const char *path, hb_seal_reader **out);
/* Closes. It wipes its buffers, which may have held a key, but cannot wipe the windows of zlib and zstd. NULL is
 * allowed. */
void hb_seal_reader_close(hb_seal_reader *reader);
const char *hb_seal_reader_path(const hb_seal_reader *reader);
/* Returns the version in the header of the object begun last. */
hb_seal_version hb_seal_reader_version(const hb_seal_reader *reader);

/* Begins the next object: first that of the file, then those inside, each with its own header. *end is for
 * hb_seal_object_end. HB_EDATA. */
hb_status hb_seal_object_begin(hb_seal_reader *reader, uint64_t *end);
/* Ends the object begun last. HB_EDATA unless exactly the bytes that its header counts were read; for the outer one,
 * unless that was the whole file. */
hb_status hb_seal_object_end(hb_seal_reader *reader, uint64_t end);
/* Reads exactly so many bytes. HB_EDATA when there are fewer, or when a compressed stream is damaged; HB_EIO,
 * HB_ENOMEM. */
hb_status hb_seal_read(hb_seal_reader *reader, void *to, size_t bytes);
hb_status hb_seal_read_u64(hb_seal_reader *reader, uint64_t *value);

/* --- writing */

/* How a file is to be written. */
typedef struct hb_seal_style {
    hb_seal_compression compression;
    hb_seal_version version;
} hb_seal_style;

/* A file that is being written. */
typedef struct hb_seal_writer hb_seal_writer;

/* Makes a new file for one object of `bytes` bytes, counted with its header and without compression. The caller writes
 * the object without that header, finishes, and closes *out. HB_ECREATE when the file exists. */
hb_status hb_seal_writer_open(const char *path, hb_seal_style style, mode_t mode, uint64_t bytes, hb_seal_writer **out);
hb_seal_version hb_seal_writer_version(const hb_seal_writer *writer);
/* Writes the header of an inner object of `bytes` bytes, header included. HB_EIO, HB_ENOMEM. */
hb_status hb_seal_write_header(hb_seal_writer *writer, uint64_t bytes);
/* Write bytes, or one word; never more in all than were announced (HB_ASSERT). HB_EIO. */
hb_status hb_seal_write(hb_seal_writer *writer, const void *data, size_t bytes);
hb_status hb_seal_write_u64(hb_seal_writer *writer, uint64_t value);
/* Completes the file, after all bytes were written (HB_ASSERT), and brings it to the disk. HB_EIO. */
hb_status hb_seal_writer_finish(hb_seal_writer *writer);
/* Closes, and removes a file that is not finished. Wipes the buffers; NULL is allowed. */
void hb_seal_writer_close(hb_seal_writer *writer);

#endif
