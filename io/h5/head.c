/* Files that are known by their first bytes. HDF5 opens a file by its name, which a file server counts as another
 * opening, so it is given the bytes in memory instead; and as it would copy a whole image several times, all of its
 * copies are the one image here. */
#include <string.h>
#include <sys/mman.h>

#include "h5.h"
#include "io/files/durable.h"

/* HDF5 asks for memory for a copy of the image, which is never written: it gets the image itself. */
static void *same_image(size_t bytes, H5FD_file_image_op_t operation, void *context)
{
    hb_h5_head *head = context;
    (void)operation;
    return bytes == head->bytes ? head->image : NULL;
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

static void *same_context(void *context)
{
    return context;
}

static herr_t keep_context(void *context)
{
    (void)context;
    return 0;
}

static hb_status open_image(hb_h5_head *head, const char *path)
{
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = same_image,
                                             .image_memcpy = no_copy,
                                             .image_realloc = no_growth,
                                             .image_free = no_free,
                                             .udata_copy = same_context,
                                             .udata_free = keep_context,
                                             .udata = head};
    hid_t access;
    HB_TRY(hb_h5_access(&access));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(H5Pset_fapl_core(access, HB_H5_HEAD, false), HB_EINTERNAL, "HDF5 refuses a file in memory"));
    HB_GOTO(HB_H5(H5Pset_file_image_callbacks(access, &callbacks), HB_EINTERNAL, "HDF5 refuses an image"));
    HB_GOTO(HB_H5(H5Pset_file_image(access, head->image, head->bytes), HB_ENOMEM, "%s: no memory to open it", path));
    st = HB_H5(head->file = H5Fopen(HB_H5_NOWHERE, H5F_ACC_RDONLY, access), HB_EDATA, "%s: cannot be opened as HDF5",
               path);
done:
    hb_h5_close(access);
    return st;
}

hb_status hb_h5_head_open(hb_h5_head *head, int fd, const char *path, uint64_t file_bytes)
{
    *head =
        (hb_h5_head){.bytes = (size_t)file_bytes, .known = file_bytes < HB_H5_HEAD ? (size_t)file_bytes : HB_H5_HEAD};
    if (head->known < HB_H5_SUPERBLOCK) {
        return HB_FAIL(HB_EDATA, "%s: is no HDF5 file", path);
    }
    /* HDF5 wants a file of its full length: what lies behind the first bytes is zeros that take no memory. */
    void *image = mmap(NULL, head->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (image == MAP_FAILED) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", path);
    }
    head->image = image;
    hb_status st = hb_read_at(fd, head->image, head->known, 0, path);
    st = st == HB_OK ? hb_h5_check_superblock(head->image, head->known, file_bytes, path) : st;
    st = st == HB_OK ? open_image(head, path) : st;
    if (st != HB_OK) {
        hb_h5_head_close(head);
    }
    return st;
}

void hb_h5_head_close(hb_h5_head *head)
{
    hb_h5_close(head->file);
    if (head->image != NULL) {
        munmap(head->image, head->bytes);
    }
    memset(head, 0, sizeof *head);
}
