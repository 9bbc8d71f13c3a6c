#include "keyfile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "joint/session.h"
#include "key_content_private.h"
#include "params_h5_private.h"
#include "scheme/params.h"

/* Two components of 64 limbs of 2^17 residues of 60 bits, and some room for the rest. */
#define KEY_MOST_BYTES (((size_t)128 << 20) + ((size_t)1 << 20))

_Static_assert((int)HB_KEY_SECRET == (int)HB_KIND_SECRET && (int)HB_KEY_PUBLIC == (int)HB_KIND_PUBLIC,
               "kinds of keys have the numbers that stand in checksums");

void hb_keyfile_clear(hb_keyfile *key)
{
    if (key->ternary) {
        hb_wipe(key->ternary, key->spec.n);
        free(key->ternary);
    }
    if (key->root) {
        hb_wipe(key->root, sizeof *key->root);
        free(key->root);
    }
    if (key->seal) {
        free(key->seal->box);
        free(key->seal);
    }
    free(key->packed_b);
    free(key->packed_a);
    memset(key, 0, sizeof *key);
}

_Static_assert(sizeof(hb_key_root) == HB_SEED_BYTES + HB_DIGEST_BYTES, "it is written as it lies in memory");

static void sum_root(uint8_t sum[HB_DIGEST_BYTES], const hb_keyfile *key, const hb_seed *root)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch root");
    hb_digest_add(&state, key->key_id, sizeof key->key_id);
    hb_digest_add(&state, root->bytes, sizeof root->bytes);
    hb_digest_end(&state, sum);
    hb_wipe(&state, sizeof state);
}

hb_status hb_keyfile_set_root(hb_keyfile *key, const hb_seed *root)
{
    HB_ASSERT(key->kind == HB_KEY_SECRET && !key->root);
    key->root = malloc(sizeof *key->root);
    if (!key->root) {
        return HB_FAIL(HB_ENOMEM, "no memory for a key");
    }
    hb_lock(key->root, sizeof *key->root);
    key->root->seed = *root;
    sum_root(key->root->sum, key, root);
    return HB_OK;
}

hb_status hb_keyfile_check_root(const char *path, const hb_keyfile *key)
{
    uint8_t sum[HB_DIGEST_BYTES];
    if (!key->root) {
        return HB_OK;
    }
    sum_root(sum, key, &key->root->seed);
    return memcmp(sum, key->root->sum, sizeof sum) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: does not match its checksum: the file is damaged", path);
}

/* The same as attributes and bodies. For a key that is being read, the bodies have no data yet. seeded: of a secret, it
 * has its root; of a public key, a is expanded from a seed. */
static hb_key_content content_of(const hb_keyfile *key, bool seeded)
{
    hb_key_content content = {.kind = key->kind, .spec = &key->spec, .key_id = key->key_id, .bodies = 1};
    if (key->seal != NULL) {
        content.seal = key->seal;
        content.body[0] =
            (hb_key_body){"sealed", hb_h5_vector(H5T_STD_U8LE, hb_key_box_bytes(&key->spec)), key->seal->box};
        return content;
    }
    if (key->kind == HB_KEY_SECRET) {
        content.body[0] = (hb_key_body){"ternary", hb_h5_vector(H5T_STD_I8LE, key->spec.n), key->ternary};
        if (seeded) { /* not in the checksum, which older programs compute without it */
            content.aside = 1;
            content.body[content.bodies++] =
                (hb_key_body){"root", hb_h5_vector(H5T_STD_U8LE, sizeof *key->root), key->root};
        }
        return content;
    }
    const hb_h5_shape shape = hb_h5_vector(H5T_STD_U8LE, hb_spec_packed_bytes(&key->spec));
    content.body[0] = (hb_key_body){"b", shape, key->packed_b};
    if (seeded) {
        content.public_seed = &key->public_seed;
    } else {
        content.body[content.bodies++] = (hb_key_body){"a", shape, key->packed_a};
    }
    return content;
}

static hb_key_content whole_content(const hb_keyfile *key)
{
    const bool secret = key->kind == HB_KEY_SECRET;
    const hb_key_content content = content_of(key, secret ? key->root != NULL : key->packed_a == NULL);
    HB_ASSERT(content.body[0].data && (secret || key->packed_bytes == hb_spec_packed_bytes(&key->spec)));
    return content;
}

hb_status hb_keyfile_write(const char *path, const hb_keyfile *key)
{
    const hb_key_content content = whole_content(key);
    return hb_key_content_write(path, &content);
}

hb_status hb_keyfile_prepare(const char *path, const hb_keyfile *key, hb_pending *pending)
{
    const hb_key_content content = whole_content(key);
    return hb_key_content_prepare(path, &content, pending);
}

hb_status hb_keyfile_replace(const char *path, const hb_keyfile *key)
{
    char *beside;
    HB_TRY(hb_path_with(path, ".new", &beside));
    (void)!unlink(beside); /* the rest of a killed run */
    hb_status st = hb_keyfile_write(beside, key);
    st = st == HB_OK ? hb_rename(beside, path, true) : st;
    free(beside);
    return st;
}

static hb_status get_kind(hid_t file, const char *path, mode_t mode, hb_key_kind *kind)
{
    uint32_t read;
    HB_TRY(hb_key_kind_get(file, path, &read));
    if (read != HB_KIND_SECRET && read != HB_KIND_PUBLIC) {
        return HB_FAIL(HB_EDATA, "%s: is a key for computing, where a secret or a public key is needed", path);
    }
    *kind = read == HB_KIND_SECRET ? HB_KEY_SECRET : HB_KEY_PUBLIC;
    if (*kind == HB_KEY_SECRET && (mode & 077) != 0) {
        return HB_FAIL(HB_EPERM, "%s: is a secret key that others can read (mode %04o): chmod 600 it", path,
                       (unsigned)mode);
    }
    return HB_OK;
}

/* Takes a body from the image, not through HDF5, whose buffers are not wiped. */
static hb_status get_body(hid_t file, const char *path, const uint8_t *image, size_t bytes, const hb_key_body *body,
                          void **data)
{
    uint64_t offset;
    HB_TRY(hb_h5_locate(file, body->name, path, body->shape, bytes, &offset));
    const size_t body_bytes = hb_key_body_bytes(body);
    void *taken = malloc(body_bytes);
    if (!taken) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a key of %zu bytes", path, body_bytes);
    }
    hb_lock_short(taken, body_bytes); /* a secret one is short */
    memcpy(taken, image + offset, body_bytes);
    *data = taken;
    return HB_OK;
}

static hb_status get_bodies(hid_t file, const char *path, const uint8_t *image, size_t bytes, bool seeded,
                            hb_keyfile *key)
{
    const hb_key_content empty = content_of(key, seeded);
    void *data[2] = {NULL, NULL};
    hb_status st = get_body(file, path, image, bytes, &empty.body[0], &data[0]);
    if (st == HB_OK && empty.bodies > 1) {
        st = get_body(file, path, image, bytes, &empty.body[1], &data[1]);
    }
    if (key->seal != NULL) {
        key->seal->box = data[0];
    } else if (key->kind == HB_KEY_SECRET) {
        key->ternary = data[0];
        key->root = data[1];
    } else {
        key->packed_b = data[0];
        key->packed_a = data[1];
        key->packed_bytes = hb_spec_packed_bytes(&key->spec);
    }
    HB_TRY(st);
    hb_key_content content = content_of(key, seeded);
    uint8_t sum[HB_DIGEST_BYTES];
    HB_TRY(hb_key_version_get(file, path, &content.version));
    HB_TRY(hb_key_sum_get(file, path, sum));
    HB_TRY(hb_key_content_check(path, &content, NULL, NULL, sum));
    memcpy(key->sum, sum, sizeof key->sum);
    return HB_OK;
}

/* A public key must be the one that its identity names: datasets are matched with keys by it. */
static hb_status check_key_id(const char *path, const hb_keyfile *key)
{
    hb_params *params;
    hb_status st = hb_params_open(&key->spec, &params);
    if (st == HB_ECONFIG) {
        return HB_FAIL(HB_EDATA, "%s: its parameters are not usable: %.300s", path, hb_last_error()->text);
    }
    HB_TRY(st);
    uint8_t id[HB_KEY_ID_BYTES];
    hb_key_id(id, params, &key->public_seed, key->packed_b, key->packed_a);
    hb_params_close(params);
    return memcmp(id, key->key_id, sizeof id) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its identity is not that of the key in it", path);
}

/* Component 1 of a public key of several owners is nobody's choice: it follows from their session. Under another one
 * ciphertexts can be such that a part of their decryption tells its owner's secret. */
static hb_status check_joint(const char *path, const hb_keyfile *key)
{
    hb_seed seed;
    if (hb_spec_owners(&key->spec) < 2) {
        return HB_OK;
    }
    hb_joint_public_seed(&seed, key->spec.joint.session);
    return key->packed_a == NULL && memcmp(&seed, &key->public_seed, sizeof seed) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: is a public key of several owners, and its component 1 is not that of their session: "
                         "somebody made it up; take the key that the owners compared (hebatch keygen --check)",
                         path);
}

static hb_status get_content(hid_t file, const char *path, const uint8_t *image, size_t bytes, mode_t mode,
                             hb_keyfile *key)
{
    HB_TRY(get_kind(file, path, mode, &key->kind));
    HB_TRY(hb_spec_get(file, path, bytes, &key->spec));
    HB_TRY(hb_h5_get_bytes(file, "key_id", path, key->key_id, sizeof key->key_id));
    const bool secret = key->kind == HB_KEY_SECRET;
    if (secret && hb_spec_owners(&key->spec) > 1) {
        return HB_FAIL(HB_EDATA, "%s: is a secret key of several owners, which nobody has", path);
    }
    if (secret && H5Lexists(file, "sealed", H5P_DEFAULT) > 0) {
        key->seal = calloc(1, sizeof *key->seal);
        if (key->seal == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for a key", path);
        }
        HB_TRY(hb_key_seal_get(file, path, key->seal));
        return get_bodies(file, path, image, bytes, false, key);
    }
    const bool seeded = secret ? H5Lexists(file, "root", H5P_DEFAULT) > 0 : H5Lexists(file, "a", H5P_DEFAULT) <= 0;
    if (seeded && !secret) {
        HB_TRY(hb_h5_get_bytes(file, "public_seed", path, key->public_seed.bytes, sizeof key->public_seed.bytes));
    }
    HB_TRY(get_bodies(file, path, image, bytes, seeded, key));
    if (secret) {
        return hb_keyfile_check_root(path, key);
    }
    HB_TRY(check_joint(path, key));
    return check_key_id(path, key);
}

/* Wipes and frees the image. */
static hb_status read_image(const char *path, uint8_t *image, size_t bytes, mode_t mode, hb_keyfile *key)
{
    hb_keyfile read = {.spec = {.n = 0}};
    hid_t file;
    hb_status st = hb_h5_image_open(image, bytes, path, &file);
    if (st == HB_OK) {
        st = get_content(file, path, image, bytes, mode, &read);
        hb_h5_close(file);
    }
    hb_wipe(image, bytes);
    free(image);
    if (st == HB_OK) {
        *key = read;
    } else {
        hb_keyfile_clear(&read);
    }
    return st;
}

hb_status hb_keyfile_read(const char *path, hb_keyfile *key)
{
    uint8_t *image;
    size_t bytes;
    mode_t mode;
    HB_TRY(hb_read_file(path, KEY_MOST_BYTES, &image, &bytes, &mode));
    return read_image(path, image, bytes, mode, key);
}

hb_status hb_keyfile_read_stream(int fd, const char *name, hb_keyfile *key)
{
    uint8_t *image;
    size_t bytes;
    mode_t mode;
    HB_TRY(hb_read_stream(fd, name, KEY_MOST_BYTES, &image, &bytes, &mode));
    return read_image(name, image, bytes, mode, key);
}
