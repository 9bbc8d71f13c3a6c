/* HDF5 for this folder: one checking macro, and the few shapes that the formats use, each checked against what is
 * expected before memory is taken for it.
 *
 * HDF5 itself is called from one thread at a time. The rows of a dataset do not pass through it: they are read and
 * written with pread and pwrite at offsets that were checked against the size of the file when it was opened. */
#ifndef HB_IO_H5_H5_H
#define HB_IO_H5_H5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed rows are stored as they lie in memory");

/* HB_OK, or HB_FAIL with the text given and the innermost message of HDF5 behind it. `call` may be an assignment. */
#define HB_H5(call, code, ...) ((call) < 0 ? hb_h5_fail((code), __FILE__, __LINE__, __VA_ARGS__) : HB_OK)
hb_status hb_h5_fail(hb_status code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), warn_unused_result));

/* Any identifier; 0 and H5I_INVALID_HID are ignored. The result is dropped: for clean-up behind a failure, and for what
 * was only read. */
void hb_h5_close(hid_t id);

/* --- files ------------------------------------------------------------------------------------------------------- */

#define HB_H5_SUPERBLOCK 48  /* bytes of a superblock of version 2 or 3 */
#define HB_H5_END_OF_FILE 28 /* where in it the length of the file stands, 8 bytes */

/* Looks at what HDF5 should not be given unseen: the signature at byte 0, superblock version 2 or 3 with 8-byte offsets
 * that says the file's true size. HB_EDATA. */
hb_status hb_h5_check_superblock(const uint8_t *head, size_t head_bytes, uint64_t file_bytes, const char *path);
/* A file of ours for reading, after that check. */
hb_status hb_h5_open_ours(const char *path, hid_t *file, uint64_t *file_bytes);
/* Access properties of files that we write: object headers with checksums (file format of HDF5 1.8 to 1.10), large
 * datasets aligned to pages. */
hb_status hb_h5_access(hid_t *properties);
/* To be called before HDF5 is, by whoever opens or makes a file (hb_h5_access does it): turns off HDF5's own printing,
 * and its clean-up at the end of the program, which crashes where memory ended before; and looks whether there is
 * memory for what HDF5 takes piece by piece, as it crashes where that ends in the middle. HB_ENOMEM. */
hb_status hb_h5_begin(void);
/* A new group. No times are stored in files of ours: equal content makes equal files. */
hb_status hb_h5_create_group(hid_t at, const char *name, hid_t *group);
hb_status hb_h5_open_group(hid_t at, const char *name, const char *path, hid_t *group);
/* HB_EDATA unless `name` is a member of its own: no soft or external link. */
hb_status hb_h5_check_link(hid_t at, const char *name, const char *path);

/* --- files in memory --------------------------------------------------------------------------------------------- */

typedef struct hb_h5_image {
    uint8_t *data;       /* [bytes]; owned */
    size_t bytes;        /* what lies behind them, up to file_bytes, was allocated in the file and never written */
    uint64_t file_bytes; /* length that the file has on disk */
} hb_h5_image;

/* A new file that will have so many datasets: there is room for all object headers at its front, so that nothing which
 * HDF5 writes comes to lie behind large datasets, if these are made last. */
hb_status hb_h5_image_begin(hb_h5_image *image, uint32_t datasets, hid_t *file);
/* Closes it and takes its image. After a failure before this, hb_h5_close the file, then clear the image. */
hb_status hb_h5_image_end(hb_h5_image *image, hid_t file);
/* Makes the file on disk, at its full length; no space is taken for what was never written. */
hb_status hb_h5_image_write(const hb_h5_image *image, int fd, const char *path);
void hb_h5_image_clear(hb_h5_image *image); /* wipes it */
/* Opens a file of ours that was read into memory, after the same check as hb_h5_open_ours. The bytes stay the caller's;
 * HDF5's own copies are wiped. `path` is for messages. */
hb_status hb_h5_image_open(const uint8_t *image, size_t bytes, const char *path, hid_t *file);

/* --- attributes: scalars and byte strings ------------------------------------------------------------------------ */

hb_status hb_h5_put_u64(hid_t at, const char *name, uint64_t value);
hb_status hb_h5_put_f64(hid_t at, const char *name, double value);
hb_status hb_h5_put_text(hid_t at, const char *name, const char *text);
hb_status hb_h5_put_bytes(hid_t at, const char *name, const uint8_t *bytes, size_t count);
/* The attribute must be an integer of 64 bits, unsigned, little-endian, scalar, and at most `most`; text of fewer than
 * `capacity` bytes; u8 [count]. `path` is for the message. HB_EDATA. */
hb_status hb_h5_get_u64(hid_t at, const char *name, const char *path, uint64_t most, uint64_t *value);
hb_status hb_h5_get_f64(hid_t at, const char *name, const char *path, double *value);
hb_status hb_h5_get_bool(hid_t at, const char *name, const char *path, bool *value);
hb_status hb_h5_get_text(hid_t at, const char *name, const char *path, char *text, size_t capacity);
hb_status hb_h5_get_bytes(hid_t at, const char *name, const char *path, uint8_t *bytes, size_t count);

/* Attributes format and version, least to most, of a file of ours. HB_EDATA when they are others. */
hb_status hb_h5_get_format(hid_t file, const char *path, const char *format, uint32_t least, uint32_t most,
                           uint32_t *version);

/* --- datasets: contiguous, early allocated, never filled, 1-D or 2-D --------------------------------------------- */

typedef struct hb_h5_shape {
    hid_t type; /* borrowed */
    int rank;   /* 1 or 2 */
    hsize_t extent[2];
} hb_h5_shape;

hb_h5_shape hb_h5_vector(hid_t type, uint64_t count);
hb_h5_shape hb_h5_matrix(hid_t type, uint64_t rows, uint64_t columns);

/* The type of strings of exactly `bytes` bytes, padded with zeros, of the character set H5T_CSET_ASCII or
 * H5T_CSET_UTF8; the caller closes it. */
hb_status hb_h5_name_type(size_t bytes, H5T_cset_t characters, hid_t *type);
/* Creation properties of such a dataset. */
hb_status hb_h5_dataset_properties(hid_t *properties);
/* Makes a dataset and, unless `values` is NULL, writes it. */
hb_status hb_h5_put_dataset(hid_t at, const char *name, hb_h5_shape shape, const void *values);
/* Where a dataset of exactly this type and shape lies; the whole of it is inside the file's `file_bytes`. 0 for a
 * dataset without elements. HB_EDATA. */
hb_status hb_h5_locate(hid_t at, const char *name, const char *path, hb_h5_shape shape, uint64_t file_bytes,
                       uint64_t *offset);
/* The same, then reads all of it into `values`, which has room. */
hb_status hb_h5_get_dataset(hid_t at, const char *name, const char *path, hb_h5_shape shape, uint64_t file_bytes,
                            void *values);
/* Extent of a 1-D dataset of u8, u64 or fixed-length strings (its element bytes in *element), located in the same way.
 * What it holds is at most the file's size, so it bounds what a caller may allocate. */
hb_status hb_h5_extent(hid_t at, const char *name, const char *path, uint64_t file_bytes, uint64_t *count,
                       size_t *element);

#endif
