/* HDF5 files in memory. HDF5 never writes to a disk for us: when the disk is full, 1.10 fails to close its file and
 * ends in a crash. It makes an image, which is written with our own calls. Key files are also read as an image, once,
 * from one descriptor, leaving no copy behind. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/seed.h"
#include "h5.h"
#include "io/files/durable.h"

#define GROWTH ((size_t)16 << 10) /* bytes by which HDF5 lengthens a file in memory */
/* An object header of a dataset takes some 130 bytes, its link some 20; all else in our files takes less than 8 KiB. */
#define METADATA_BYTES ((hsize_t)8 << 10)
#define DATASET_METADATA_BYTES ((hsize_t)192)

/* --- access to a file in memory */

static void *same_context(void *context)
{
    return context;
}

static herr_t keep_context(void *context)
{
    (void)context;
    return 0;
}

/* Access properties of a file in memory without one on disk: of these callbacks, whose context is taken as it is, and
 * longer by `growth` bytes at a time. */
static hb_status memory_access(H5FD_file_image_callbacks_t *callbacks, size_t growth, hid_t *properties)
{
    hid_t access;
    HB_TRY(hb_h5_access(&access));
    hb_status st = HB_OK;
    callbacks->udata_copy = same_context;
    callbacks->udata_free = keep_context;
    /* false: nothing of it ever goes to a file of HDF5's own. */
    HB_GOTO(HB_H5(H5Pset_fapl_core(access, growth, false), HB_EINTERNAL, "HDF5 refuses a file in memory"));
    HB_GOTO(HB_H5(H5Pset_file_image_callbacks(access, callbacks), HB_EINTERNAL, "HDF5 refuses an image"));
    *properties = access;
    access = 0;
done:
    hb_h5_close(access);
    return st;
}

/* --- images that are made, or read whole */

/* Memory of an image, as HDF5 is given it: its length stands before it, so that it can be wiped when HDF5 frees it. */
typedef struct block {
    _Alignas(16) size_t bytes;
    unsigned char data[];
} block;

static block *block_of(void *data)
{
    return (block *)(void *)((unsigned char *)data - offsetof(block, data));
}

/* The three functions that HDF5 calls for memory of an image; the operation, for which it calls them, does not
 * matter. */
static void *block_malloc(size_t bytes, H5FD_file_image_op_t operation, void *context)
{
    (void)operation;
    (void)context;
    block *made = bytes > SIZE_MAX - sizeof *made ? NULL : malloc(sizeof *made + bytes);
    if (!made) {
        return NULL;
    }
    made->bytes = bytes;
    hb_lock_short(made->data, bytes); /* it may hold a key */
    return made->data;
}

static void block_free(void *data)
{
    if (data) {
        hb_wipe(data, block_of(data)->bytes);
        free(block_of(data));
    }
}

/* Grows or shrinks as realloc does; the old memory is wiped. */
static void *block_realloc(void *data, size_t bytes, H5FD_file_image_op_t operation, void *context)
{
    /* Not realloc, which may leave a copy of a key behind where it moves memory. */
    unsigned char *made = block_malloc(bytes, operation, context);
    if (made && data) {
        size_t held = block_of(data)->bytes;
        memcpy(made, data, held < bytes ? held : bytes);
        block_free(data);
    }
    return made;
}

/* The memory of a file that is closed goes to anyone who began it (`context`), if anyone did. */
static herr_t give_or_free(void *data, H5FD_file_image_op_t operation, void *context)
{
    hb_h5_image *image = context;
    /* The first memory that is freed by closing is the file; later there is only HDF5's own. */
    if (image && operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE && !image->data) {
        image->data = data;
        image->bytes = data ? block_of(data)->bytes : 0;
    } else {
        block_free(data);
    }
    return 0;
}

void hb_h5_image_clear(hb_h5_image *image)
{
    block_free(image->data);
    memset(image, 0, sizeof *image);
}

/* Access properties of an image that is kept. No image: copies of HDF5 are wiped when they are freed. */
static hb_status kept_access(hb_h5_image *image, hid_t *properties)
{
    H5FD_file_image_callbacks_t callbacks = {
        .image_malloc = block_malloc, .image_realloc = block_realloc, .image_free = give_or_free, .udata = image};
    return memory_access(&callbacks, GROWTH, properties);
}

hb_status hb_h5_image_open(const uint8_t *image, size_t bytes, const char *path, hid_t *file)
{
    HB_TRY(hb_h5_check_superblock(image, bytes, bytes, path));
    hid_t access;
    HB_TRY(kept_access(NULL, &access));
    hb_status st = HB_OK;
    /* HDF5 copies the image; its prototype has no const before 1.14 */
    union {
        const uint8_t *given;
        void *taken;
    } pointer = {.given = image};
    HB_GOTO(HB_H5(H5Pset_file_image(access, pointer.taken, bytes), HB_ENOMEM, "%s: no memory to open it", path));
    st = HB_H5(*file = H5Fopen(HB_H5_NOWHERE, H5F_ACC_RDONLY, access), HB_EDATA, "%s: cannot be opened as HDF5", path);
done:
    hb_h5_close(access);
    return st;
}

/* Creates the file. *image must stay where it is until the end. */
static hb_status begin(hb_h5_image *image, uint32_t datasets, hid_t *file)
{
    *image = (hb_h5_image){.data = NULL};
    hid_t access = 0, creation = 0;
    hb_status st = HB_OK;
    HB_GOTO(kept_access(image, &access));
    /* Bytes behind the last one written take no memory, so all metadata goes into one block at the front. */
    const hsize_t metadata = METADATA_BYTES + (hsize_t)datasets * DATASET_METADATA_BYTES;
    HB_GOTO(HB_H5(H5Pset_meta_block_size(access, metadata), HB_EINTERNAL, "HDF5 refuses a metadata block"));
    /* For the root group, which is made with the file: no times. */
    HB_GOTO(HB_H5(creation = H5Pcreate(H5P_FILE_CREATE), HB_ENOMEM, "cannot make HDF5 properties"));
    HB_GOTO(HB_H5(H5Pset_obj_track_times(creation, false), HB_EINTERNAL, "HDF5 refuses to drop times"));
    hid_t made;
    HB_GOTO(HB_H5(made = H5Fcreate(HB_H5_NOWHERE, H5F_ACC_TRUNC, creation, access), HB_ENOMEM,
                  "cannot make a file in memory"));
    *file = made;
    /* Our datasets have no attributes, for which HDF5 would leave 280 bytes in each header. */
    st = HB_H5(H5Fset_dset_no_attrs_hint(made, true), HB_EINTERNAL, "HDF5 refuses short headers");
    if (st != HB_OK) {
        hb_h5_close(made);
    }
done:
    hb_h5_close(creation);
    hb_h5_close(access);
    return st;
}

/* Closes the file and takes its image. */
static hb_status end(hb_h5_image *image, hid_t file)
{
    HB_TRY(HB_H5(H5Fclose(file), HB_ENOMEM, "cannot finish a file in memory"));
    if (!image->data || image->bytes < HB_H5_SUPERBLOCK) {
        return HB_FAIL(HB_EINTERNAL, "HDF5 gave no image of a file in memory");
    }
    memcpy(&image->file_bytes, image->data + HB_H5_END_OF_FILE, sizeof image->file_bytes);
    return hb_h5_check_superblock(image->data, image->bytes, image->file_bytes, "a file in memory");
}

hb_status hb_h5_image_make(hb_h5_image *image, uint32_t datasets, hb_status (*fill)(hid_t file, void *context),
                           void *context)
{
    hid_t file;
    HB_TRY(begin(image, datasets, &file));
    hb_status st = fill(file, context);
    if (st == HB_OK) {
        st = end(image, file);
    }
    if (st != HB_OK) {
        hb_h5_close(file);
        hb_h5_image_clear(image);
    }
    return st;
}

hb_status hb_h5_image_write(const hb_h5_image *image, int fd, const char *path)
{
    HB_TRY(hb_set_length(fd, image->file_bytes, path));
    size_t bytes = image->file_bytes < image->bytes ? (size_t)image->file_bytes : image->bytes;
    return hb_write_at(fd, image->data, bytes, 0, path);
}

/* --- files that are known by their first bytes */

/* A file that is known by its first bytes. HDF5 opens a file by its name, which a file server counts as another
 * opening: so it is given the bytes in memory. It would copy a whole image several times: all its copies are this. */
typedef struct head {
    hid_t file;
    uint8_t *image; /* [bytes], of which `known` are the file's */
    size_t bytes, known;
} head;

/* HDF5 asks for memory for a copy of the image, which is never written: it gets the image itself. */
static void *same_image(size_t bytes, H5FD_file_image_op_t operation, void *context)
{
    const head *h = context;
    (void)operation;
    return bytes == h->bytes ? h->image : NULL;
}

static void *no_copy(void *to, const void *from, size_t bytes, H5FD_file_image_op_t operation, void *context)
{
    (void)bytes;
    (void)operation;
    (void)context;
    return to == from ? to : NULL;
}

static void *no_growth(void *data, size_t bytes, H5FD_file_image_op_t operation, void *context)
{
    (void)data;
    (void)bytes;
    (void)operation;
    (void)context;
    return NULL;
}

static herr_t no_free(void *data, H5FD_file_image_op_t operation, void *context)
{
    (void)data;
    (void)operation;
    (void)context;
    return 0;
}

static hb_status open_image(head *h, const char *path)
{
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = same_image,
                                             .image_memcpy = no_copy,
                                             .image_realloc = no_growth,
                                             .image_free = no_free,
                                             .udata = h};
    hid_t access;
    HB_TRY(memory_access(&callbacks, HB_H5_HEAD, &access));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(H5Pset_file_image(access, h->image, h->bytes), HB_ENOMEM, "%s: no memory to open it", path));
    st =
        HB_H5(h->file = H5Fopen(HB_H5_NOWHERE, H5F_ACC_RDONLY, access), HB_EDATA, "%s: cannot be opened as HDF5", path);
done:
    hb_h5_close(access);
    return st;
}

static hb_status open_head(head *h, int fd, const char *path, uint64_t file_bytes)
{
    *h = (head){.bytes = (size_t)file_bytes, .known = file_bytes < HB_H5_HEAD ? (size_t)file_bytes : HB_H5_HEAD};
    if (h->known < HB_H5_SUPERBLOCK) {
        return HB_FAIL(HB_EDATA, "%s: is no HDF5 file", path);
    }
    /* HDF5 wants a file of its full length: behind the first bytes are zeros that take no memory. */
    void *image = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (image == MAP_FAILED) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", path);
    }
    h->image = image;
    HB_TRY(hb_read_at(fd, h->image, h->known, 0, path));
    HB_TRY(hb_h5_check_superblock(h->image, h->known, file_bytes, path));
    return open_image(h, path);
}

static void close_head(head *h)
{
    hb_h5_close(h->file);
    if (h->image != NULL) {
        munmap(h->image, h->bytes);
    }
}

hb_status hb_h5_look_into(int fd, const char *path, uint64_t file_bytes, hb_h5_look *look, void *context)
{
    head h;
    hid_t file;
    hb_status st = open_head(&h, fd, path, file_bytes);
    st = st == HB_OK ? look(h.file, h.known, context) : st;
    close_head(&h);
    if (st == HB_OK) {
        return HB_OK;
    }
    hb_clear_error();
    HB_TRY(hb_h5_open_descriptor(fd, path, file_bytes, &file));
    st = look(file, file_bytes, context);
    hb_h5_close(file);
    return st;
}
