#include "keyfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"
#include "format_private.h"
#include "h5_private.h"
#include "params_h5_private.h"

/* 64 limbs of 2^17 residues of 60 bits, and some room for the rest. */
#define KEY_MOST_BYTES (((size_t)64 << 20) + ((size_t)1 << 20))

static const char *const kinds[] = {[HB_KEY_SECRET] = "secret", [HB_KEY_PUBLIC] = "public"};

void hb_keyfile_clear(hb_keyfile *key)
{
    if (key->ternary) {
        hb_wipe(key->ternary, key->spec.n);
        free(key->ternary);
    }
    free(key->packed_b);
    memset(key, 0, sizeof *key);
}

static size_t packed_bytes_of(const hb_params_spec *spec)
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < spec->key_limbs; l++) {
        bytes += hb_spec_row_bytes(spec, l);
    }
    return bytes;
}

/* The dataset of the key itself. */
static const char *body_name(hb_key_kind kind)
{
    return kind == HB_KEY_SECRET ? "ternary" : "b";
}

static hb_h5_shape body_shape(hb_key_kind kind, const hb_params_spec *spec)
{
    return kind == HB_KEY_SECRET ? hb_h5_vector(H5T_STD_I8LE, spec->n)
                                 : hb_h5_vector(H5T_STD_U8LE, packed_bytes_of(spec));
}

static void checksum(uint8_t digest[HB_DIGEST_BYTES], const hb_keyfile *key, const uint8_t *body, size_t bytes)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch keyfile");
    hb_digest_add_u64(&state, HB_KEY_VERSION);
    hb_digest_add_u64(&state, (uint64_t)key->kind);
    hb_spec_add(&state, &key->spec);
    hb_digest_add(&state, key->key_id, sizeof key->key_id);
    if (key->kind == HB_KEY_PUBLIC) {
        hb_digest_add(&state, key->public_seed.bytes, sizeof key->public_seed.bytes);
    }
    hb_digest_add(&state, body, bytes);
    hb_digest_end(&state, digest);
    hb_wipe(&state, sizeof state);
}

static hb_status put_content(hid_t file, const hb_keyfile *key, const uint8_t sum[HB_DIGEST_BYTES])
{
    HB_TRY(hb_h5_put_text(file, "format", HB_KEY_FORMAT));
    HB_TRY(hb_h5_put_u64(file, "version", HB_KEY_VERSION));
    HB_TRY(hb_h5_put_text(file, "tool", "hebatch " HEBATCH_VERSION));
    HB_TRY(hb_h5_put_text(file, "kind", kinds[key->kind]));
    HB_TRY(hb_h5_put_bytes(file, "key_id", key->key_id, sizeof key->key_id));
    HB_TRY(hb_h5_put_bytes(file, "checksum", sum, HB_DIGEST_BYTES));
    if (key->kind == HB_KEY_PUBLIC) {
        HB_TRY(hb_h5_put_bytes(file, "public_seed", key->public_seed.bytes, sizeof key->public_seed.bytes));
    }
    HB_TRY(hb_spec_put(file, &key->spec));
    return hb_h5_put_dataset(file, body_name(key->kind), body_shape(key->kind, &key->spec), NULL);
}

/* The file with its body still empty, and where the body goes: a secret never enters HDF5, whose buffers are not
 * wiped. */
static hb_status make_image(const char *path, const hb_keyfile *key, const uint8_t sum[HB_DIGEST_BYTES],
                            hb_h5_image *image, uint64_t *offset)
{
    hid_t file;
    HB_TRY(hb_h5_image_begin(image, 6, &file)); /* 5 of parameters and the body */
    hb_status st = HB_OK;
    HB_GOTO(put_content(file, key, sum));
    HB_GOTO(hb_h5_locate(file, body_name(key->kind), path, body_shape(key->kind, &key->spec), UINT64_MAX, offset));
    st = hb_h5_image_end(image, file);
done:
    if (st != HB_OK) {
        hb_h5_close(file);
        hb_h5_image_clear(image);
    }
    return st;
}

static hb_status write_partial(const char *partial, const hb_keyfile *key, const hb_h5_image *image,
                               const uint8_t *body, size_t bytes, uint64_t offset)
{
    int fd = -1;
    HB_TRY(hb_create_file(partial, key->kind == HB_KEY_SECRET ? 0600 : 0644, false, &fd));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_image_write(image, fd, partial));
    HB_GOTO(hb_write_at(fd, body, bytes, offset, partial));
    st = hb_sync(fd, partial);
done:
    close(fd);
    if (st != HB_OK) {
        unlink(partial);
    }
    return st;
}

hb_status hb_keyfile_write(const char *path, const hb_keyfile *key)
{
    bool secret = key->kind == HB_KEY_SECRET;
    const uint8_t *body = secret ? (const uint8_t *)key->ternary : key->packed_b;
    size_t bytes = secret ? key->spec.n : packed_bytes_of(&key->spec);
    HB_ASSERT(body && (secret || key->packed_bytes == bytes));
    struct stat info;
    if (lstat(path, &info) == 0) {
        return HB_FAIL(HB_ECREATE, "%s: exists already; a key is never replaced", path);
    }
    char *partial;
    uint8_t sum[HB_DIGEST_BYTES];
    uint64_t offset = 0;
    hb_h5_image image = {.data = NULL};
    HB_TRY(hb_path_with(path, ".partial", &partial));
    checksum(sum, key, body, bytes);
    hb_status st = HB_OK;
    HB_GOTO(make_image(path, key, sum, &image, &offset));
    HB_GOTO(write_partial(partial, key, &image, body, bytes, offset));
    st = hb_rename(partial, path, false);
    if (st != HB_OK) {
        unlink(partial);
    }
done:
    hb_h5_image_clear(&image);
    free(partial);
    return st;
}

static hb_status get_kind(hid_t file, const char *path, mode_t mode, hb_key_kind *kind)
{
    char text[16];
    HB_TRY(hb_h5_check_format(file, path, HB_KEY_FORMAT, HB_KEY_VERSION));
    HB_TRY(hb_h5_get_text(file, "kind", path, text, sizeof text));
    if (strcmp(text, kinds[HB_KEY_SECRET]) != 0 && strcmp(text, kinds[HB_KEY_PUBLIC]) != 0) {
        return HB_FAIL(HB_EDATA, "%s: is a key of unknown kind '%s'", path, text);
    }
    *kind = strcmp(text, kinds[HB_KEY_SECRET]) == 0 ? HB_KEY_SECRET : HB_KEY_PUBLIC;
    if (*kind == HB_KEY_SECRET && (mode & 077) != 0) {
        return HB_FAIL(HB_EPERM, "%s: is a secret key that others can read (mode %04o): chmod 600 it", path,
                       (unsigned)mode);
    }
    return HB_OK;
}

/* Takes the body from the image, not through HDF5, whose buffers are not wiped. */
static hb_status get_body(hid_t file, const char *path, const uint8_t *image, size_t bytes, hb_keyfile *key)
{
    uint64_t offset;
    HB_TRY(hb_h5_locate(file, body_name(key->kind), path, body_shape(key->kind, &key->spec), bytes, &offset));
    bool secret = key->kind == HB_KEY_SECRET;
    size_t body_bytes = secret ? key->spec.n : packed_bytes_of(&key->spec);
    uint8_t *body = malloc(body_bytes);
    if (!body) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a key of %zu bytes", path, body_bytes);
    }
    memcpy(body, image + offset, body_bytes);
    if (secret) {
        key->ternary = (int8_t *)body;
    } else {
        key->packed_b = body;
        key->packed_bytes = body_bytes;
    }
    uint8_t sum[HB_DIGEST_BYTES], stored[HB_DIGEST_BYTES];
    HB_TRY(hb_h5_get_bytes(file, "checksum", path, stored, sizeof stored));
    checksum(sum, key, body, body_bytes);
    return memcmp(sum, stored, sizeof sum) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: does not match its checksum: the file is damaged", path);
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
    hb_key_id(id, params, &key->public_seed, key->packed_b);
    hb_params_close(params);
    return memcmp(id, key->key_id, sizeof id) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its identity is not that of the key in it", path);
}

static hb_status get_content(hid_t file, const char *path, const uint8_t *image, size_t bytes, mode_t mode,
                             hb_keyfile *key)
{
    HB_TRY(get_kind(file, path, mode, &key->kind));
    HB_TRY(hb_spec_get(file, path, bytes, &key->spec));
    HB_TRY(hb_h5_get_bytes(file, "key_id", path, key->key_id, sizeof key->key_id));
    if (key->kind == HB_KEY_PUBLIC) {
        HB_TRY(hb_h5_get_bytes(file, "public_seed", path, key->public_seed.bytes, sizeof key->public_seed.bytes));
    }
    HB_TRY(get_body(file, path, image, bytes, key));
    return key->kind == HB_KEY_PUBLIC ? check_key_id(path, key) : HB_OK;
}

hb_status hb_keyfile_read(const char *path, hb_keyfile *key)
{
    uint8_t *image;
    size_t bytes;
    mode_t mode;
    HB_TRY(hb_read_file(path, KEY_MOST_BYTES, &image, &bytes, &mode));
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
