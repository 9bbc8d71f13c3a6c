#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/files/pending.h"
#include "round_keys_private.h"

/* Elements and limbs, in two datasets; none where there are no rotations. */
static hb_status put_rotations(hid_t file, const hb_joint_session *session)
{
    const uint32_t count = session->rotation_count;
    if (count == 0) {
        return HB_OK;
    }
    uint64_t *words = calloc(2 * (size_t)count, sizeof *words);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the keys of a session");
    }
    for (uint32_t i = 0; i < count; i++) {
        words[i] = session->rotations[i].element;
        words[count + i] = session->rotations[i].limbs;
    }
    const hb_h5_shape shape = hb_h5_vector(H5T_STD_U64LE, count);
    hb_status st = hb_h5_put_dataset(file, "elements", shape, words);
    st = st == HB_OK ? hb_h5_put_dataset(file, "levels", shape, words + count) : st;
    free(words);
    return st;
}

hb_status hb_round_keys_put(hid_t file, const hb_joint_session *session)
{
    HB_TRY(hb_h5_put_u64(file, "relin", session->relin_limbs));
    HB_TRY(hb_h5_put_bytes(file, "nonce", session->nonce, sizeof session->nonce));
    return put_rotations(file, session);
}

/* words: [2][count], elements and limbs. */
static hb_status take_rotations(const char *path, const uint64_t *words, uint32_t count, hb_joint_rotation *rotations,
                                size_t n)
{
    for (uint32_t i = 0; i < count; i++) {
        if (words[i] >= 2 * n || words[count + i] > HB_MAX_LIMBS) {
            return HB_FAIL(HB_EDATA, "%s: rotation %" PRIu32 " has an element or limbs out of range", path, i);
        }
        rotations[i] = (hb_joint_rotation){(uint32_t)words[i], (uint32_t)words[count + i]};
    }
    return HB_OK;
}

static hb_status get_rotations(hid_t file, const char *path, uint64_t known, hb_joint_session *session,
                               hb_joint_rotation **rotations, size_t n)
{
    bool there;
    uint64_t count;
    size_t element;
    HB_TRY(hb_h5_has(file, "elements", path, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(hb_h5_extent(file, "elements", path, known, &count, &element));
    if (count < 1 || count > n) { /* odd elements below 2 N */
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " rotations, where there are 1 to %zu", path, count, n);
    }
    uint64_t *words = calloc(2 * (size_t)count, sizeof *words);
    *rotations = calloc(count, sizeof **rotations);
    const hb_h5_shape shape = hb_h5_vector(H5T_STD_U64LE, count);
    hb_status st = words != NULL && *rotations != NULL
                       ? HB_OK
                       : HB_FAIL(HB_ENOMEM, "%s: no memory for the keys of a session", path);
    HB_GOTO(st);
    HB_GOTO(hb_h5_get_dataset(file, "elements", path, shape, known, words));
    HB_GOTO(hb_h5_get_dataset(file, "levels", path, shape, known, words + count));
    HB_GOTO(take_rotations(path, words, (uint32_t)count, *rotations, n));
    session->rotation_count = (uint32_t)count;
    session->rotations = *rotations;
done:
    free(words);
    return st;
}

hb_status hb_round_keys_get(hid_t file, const char *path, uint64_t known, hb_joint_session *session,
                            hb_joint_rotation **rotations, size_t n)
{
    uint64_t limbs;
    HB_TRY(hb_h5_get_u64(file, "relin", path, HB_MAX_LIMBS, &limbs));
    HB_TRY(hb_h5_get_bytes(file, "nonce", path, session->nonce, sizeof session->nonce));
    session->relin_limbs = (uint32_t)limbs;
    return get_rotations(file, path, known, session, rotations, n);
}

static hb_status write_image(const char *path, const hb_h5_image *image)
{
    hb_pending pending;
    hb_status st;
    HB_TRY(hb_pending_create(&pending, path, 0644));
    HB_GOTO(hb_h5_image_write(image, pending.fd, pending.partial));
    HB_GOTO(hb_sync(pending.fd, pending.partial));
    st = hb_pending_commit(&pending);
done:
    hb_pending_drop(&pending);
    return st;
}

hb_status hb_round_image_write(const char *path, uint32_t datasets, hb_status (*fill)(hid_t, void *), void *context)
{
    hb_h5_image image = {.data = NULL};
    HB_TRY(hb_h5_image_make(&image, datasets, fill, context));
    const hb_status st = write_image(path, &image);
    hb_h5_image_clear(&image);
    return st;
}

hb_status hb_round_file_look(const char *path, hb_status (*look)(hid_t, uint64_t, void *), void *context)
{
    int fd;
    uint64_t bytes;
    mode_t mode;
    HB_TRY(hb_open_file(path, false, &fd, &bytes, &mode));
    const hb_status st = hb_h5_look_into(fd, path, bytes, look, context);
    (void)close(fd);
    return st;
}
