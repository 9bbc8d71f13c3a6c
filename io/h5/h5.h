/* HDF5 for the rooms of io: one checking macro, and the few shapes that the formats use. Each shape is checked before
 * memory is allocated for it.
 *
 * HDF5 itself is called from one thread at a time. The rows of a dataset bypass it: pread and pwrite transfer them at
 * offsets that were checked against the size of the file when it was opened. Nothing here is collective. The caller
 * closes the identifiers (hid_t) that a function returns with hb_h5_close; `path` is for messages alone unless said
 * otherwise. */
#ifndef HB_IO_H5_H5_H
#define HB_IO_H5_H5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed rows are stored as they lie in memory");

/* Is HB_OK where `call` succeeds; else fails with `code` and the given text, followed by the innermost message of HDF5.
 * `call` may be an assignment. */
#define HB_H5(call, code, ...) ((call) < 0 ? hb_h5_fail((code), __FILE__, __LINE__, __VA_ARGS__) : HB_OK)
hb_status hb_h5_fail(hb_status code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), warn_unused_result));

/* Closes any identifier; 0 and H5I_INVALID_HID are ignored. The result is dropped, so this is for clean-up after a
 * failure and for objects that were only read: a file that was written is closed with HB_H5. */
void hb_h5_close(hid_t id);
/* Closes a dataset or an attribute that was written, which makes HDF5 write its buffers: HB_ENOMEM where that fails.
 * Returns the earlier status `st` if that is a failure. 0 and H5I_INVALID_HID are ignored. */
hb_status hb_h5_close_written(hid_t id, const char *name, hb_status st) __attribute__((warn_unused_result));

/* --- files */

#define HB_H5_SUPERBLOCK 48  /* bytes of a superblock of version 2 or 3 */
#define HB_H5_END_OF_FILE 28 /* where in it the length of the file stands, 8 bytes */
/* The name of a file in memory. HDF5 insists that no file of the name exists: it stands below something that is no
 * folder. */
#define HB_H5_NOWHERE "/dev/null/image"

/* Checks the facts that HDF5 must not be trusted with: the signature at byte 0, and a superblock of version 2 or 3 with
 * 8-byte offsets that states the file's true size. `head`: the first head_bytes bytes of the file. Returns HB_EDATA. */
hb_status hb_h5_check_superblock(const uint8_t *head, size_t head_bytes, uint64_t file_bytes, const char *path);
/* Opens the file at `path`, which hebatch wrote, for reading, after that check; returns its length as well.
 * HB_ENOINPUT, HB_EDATA. */
hb_status hb_h5_open_ours(const char *path, hid_t *file, uint64_t *file_bytes);
/* Opens the file of a descriptor that has `bytes` bytes, after that check, and no other: its name, `path`, may lead to
 * another by now, or to a pipe, for which HDF5 would wait. HB_EDATA, HB_EIO. */
hb_status hb_h5_open_descriptor(int fd, const char *path, uint64_t bytes, hid_t *file);
/* Makes access properties for hebatch's files: object headers with checksums (file format of HDF5 1.8 to 1.10),
 * datasets of 16 KiB or more aligned to pages, no locks by HDF5. HB_ENOMEM. */
hb_status hb_h5_access(hid_t *properties);
/* Prepares HDF5. Call it before HDF5 opens or makes a file (hb_h5_access does so); it may be called any number of
 * times. It turns off HDF5's own printing, and its clean-up at the end of the program, which crashes if memory has run
 * out. It checks that memory suffices for HDF5's many small allocations, as HDF5 crashes where one of them fails.
 * Returns HB_ENOMEM. */
hb_status hb_h5_begin(void);
/* Makes a group. Hebatch's files store no times, so that equal content makes equal files. HB_EIO. */
hb_status hb_h5_create_group(hid_t at, const char *name, hid_t *group);
/* Opens a group that is a hard link (hb_h5_check_link). HB_EDATA. */
hb_status hb_h5_open_group(hid_t at, const char *name, const char *path, hid_t *group);
/* The same of a group that may be missing: *group is then 0, which hb_h5_close takes. HB_EDATA. */
hb_status hb_h5_open_group_if_any(hid_t at, const char *name, const char *path, hid_t *group);
/* Sets *there to whether a group has a member of that name. HB_EDATA. */
hb_status hb_h5_has(hid_t at, const char *name, const char *path, bool *there);
/* Returns HB_EDATA unless `name` exists and is a hard link: neither a soft nor an external one. */
hb_status hb_h5_check_link(hid_t at, const char *name, const char *path);

/* --- files in memory */

/* An HDF5 file in memory. hb_h5_image_make makes it, hb_h5_image_clear frees it. */
typedef struct hb_h5_image {
    uint8_t *data;       /* [bytes]; owned */
    size_t bytes;        /* held here; the file's later bytes, up to file_bytes, are allocated but never written */
    uint64_t file_bytes; /* length of the file on disk */
} hb_h5_image;

/* Makes a file in memory that will have `datasets` datasets; `fill` writes its whole content. All object headers get
 * their space at its front, so that nothing that HDF5 writes lies behind large datasets, if these are made last; the
 * image then stays small. After a failure nothing is left. HB_ENOMEM, HB_EINTERNAL, or the failure of `fill`. */
hb_status hb_h5_image_make(hb_h5_image *image, uint32_t datasets, hb_status (*fill)(hid_t file, void *context),
                           void *context);
/* Writes the image to the open file and gives it its full length; bytes that were never written take no space.
 * HB_EIO. */
hb_status hb_h5_image_write(const hb_h5_image *image, int fd, const char *path);
void hb_h5_image_clear(hb_h5_image *image); /* Wipes and frees the image; a zeroed one is fine. */
/* Opens a hebatch file that was read into memory, after the same check as hb_h5_open_ours. The caller keeps the bytes;
 * HDF5 makes copies, which are wiped when it frees them. HB_EDATA, HB_ENOMEM. */
hb_status hb_h5_image_open(const uint8_t *image, size_t bytes, const char *path, hid_t *file);

/* --- files that are known by their first bytes */

#define HB_H5_HEAD ((size_t)32 << 10) /* in which hebatch writes all that HDF5 reads of a key file */

/* Reads parts of an open file. `known`: HDF5 sees the first so many bytes of it, and zeros behind them, so a dataset
 * that is read lies in these; metadata that does not is refused, as it has checksums. */
typedef hb_status hb_h5_look(hid_t file, uint64_t known, void *context);

/* Opens the hebatch file of a descriptor for `look`, after the same check as hb_h5_open_ours: by its first HB_H5_HEAD
 * bytes, so that no name is opened again; where `look` fails on these, as the file is arranged in another way or is
 * damaged, the whole file, and `look` starts again. HB_EDATA, HB_ENOMEM, HB_EIO, and as `look` fails. */
hb_status hb_h5_look_into(int fd, const char *path, uint64_t file_bytes, hb_h5_look *look, void *context);

/* --- attributes: scalars and byte strings */

/* Create an attribute, which must not exist yet, and write it: a scalar; text with its terminating zero; u8 [count].
 * They return HB_EIO, or HB_ENOMEM. */
hb_status hb_h5_put_u64(hid_t at, const char *name, uint64_t value);
hb_status hb_h5_put_f64(hid_t at, const char *name, double value);
hb_status hb_h5_put_text(hid_t at, const char *name, const char *text);
hb_status hb_h5_put_bytes(hid_t at, const char *name, const uint8_t *bytes, size_t count);
/* Read an attribute, which must have exactly the type and shape that hb_h5_put_... gives it: a u64 of at most `most`, a
 * f64, a u64 that is 0 or 1, text of fewer than `capacity` bytes without the 0 behind it (the rest of `text` becomes
 * zeros), u8 [count]. They return HB_EDATA. */
hb_status hb_h5_get_u64(hid_t at, const char *name, const char *path, uint64_t most, uint64_t *value);
hb_status hb_h5_get_f64(hid_t at, const char *name, const char *path, double *value);
hb_status hb_h5_get_bool(hid_t at, const char *name, const char *path, bool *value);
hb_status hb_h5_get_text(hid_t at, const char *name, const char *path, char *text, size_t capacity);
hb_status hb_h5_get_bytes(hid_t at, const char *name, const char *path, uint8_t *bytes, size_t count);
/* Reads text that must be one of `count` words, which have at most 90 bytes with ", " between them; sets *word to its
 * index. HB_EDATA naming them all. */
hb_status hb_h5_get_word(hid_t at, const char *name, const char *path, const char *const *words, uint32_t count,
                         uint32_t *word);

/* Reads the attributes `format` and `version` of a hebatch file. Returns HB_EDATA when the format differs, or the
 * version is not from `least` to `most`. */
hb_status hb_h5_get_format(hid_t file, const char *path, const char *format, uint32_t least, uint32_t most,
                           uint32_t *version);

/* --- datasets: contiguous, early allocated, never filled, 1-D or 2-D */

/* Type and extents that a dataset has, or must have. */
typedef struct hb_h5_shape {
    hid_t type; /* borrowed */
    int rank;   /* 1 or 2 */
    hsize_t extent[2];
} hb_h5_shape;

/* Shapes of [count] and of [rows][columns]; `type` stays the caller's. */
hb_h5_shape hb_h5_vector(hid_t type, uint64_t count);
hb_h5_shape hb_h5_matrix(hid_t type, uint64_t rows, uint64_t columns);

/* Makes the creation properties of such a dataset; the caller closes them. HB_ENOMEM. */
hb_status hb_h5_dataset_properties(hid_t *properties);
/* Makes a dataset and, unless `values` is NULL, writes all of it. HB_EIO. */
hb_status hb_h5_put_dataset(hid_t at, const char *name, hb_h5_shape shape, const void *values);
/* Returns in *offset the place in the file of a dataset of exactly this type and shape; 0 for one without elements. It
 * must lie wholly inside the file's `file_bytes` bytes, else HB_EDATA. */
hb_status hb_h5_locate(hid_t at, const char *name, const char *path, hb_h5_shape shape, uint64_t file_bytes,
                       uint64_t *offset);
/* Checks the dataset as hb_h5_locate does, then reads all of it into `values`, which the caller has made large enough.
 * HB_EDATA. */
hb_status hb_h5_get_dataset(hid_t at, const char *name, const char *path, hb_h5_shape shape, uint64_t file_bytes,
                            void *values);
/* Returns the extent of a 1-D dataset of any type, and the bytes of an element in *element, after the same checks of
 * its place. Its bytes do not exceed the size of the file, so the product bounds an allocation. HB_EDATA. */
hb_status hb_h5_extent(hid_t at, const char *name, const char *path, uint64_t file_bytes, uint64_t *count,
                       size_t *element);

/* --- datasets of texts, all of one length, padded with zeros */

typedef struct hb_h5_names {
    H5T_cset_t characters; /* H5T_CSET_ASCII or H5T_CSET_UTF8 */
    uint64_t count;        /* 1 or more */
    size_t bytes;          /* of each, 1 or more */
    char *text;            /* [count][bytes] */
} hb_h5_names;

/* Make a 1-D dataset of names; of `count` texts in UTF-8, at the length of the longest, where NULL is "". HB_EIO,
 * HB_ENOMEM. */
hb_status hb_h5_put_names(hid_t at, const char *name, const hb_h5_names *names);
hb_status hb_h5_put_texts(hid_t at, const char *name, const char *const *text, uint64_t count);
/* Reads such a dataset, whose characters, count and bytes are known (hb_h5_extent): sets names->text, which the caller
 * frees, also after a failure. HB_EDATA, HB_ENOMEM. */
hb_status hb_h5_get_names(hid_t at, const char *name, const char *path, uint64_t file_bytes, hb_h5_names *names);

#endif
