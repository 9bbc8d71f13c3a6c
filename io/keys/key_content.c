#include "key_content_private.h"

#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"
#include "io/h5/format.h"
#include "params_h5_private.h"

static const char *const kinds[HB_KINDS] = {[HB_KIND_SECRET] = "secret",
                                            [HB_KIND_PUBLIC] = "public",
                                            [HB_KIND_RELINEARIZATION] = "relinearization",
                                            [HB_KIND_GALOIS] = "galois",
                                            [HB_KIND_TO_SPARSE] = "to sparse secret",
                                            [HB_KIND_FROM_SPARSE] = "from sparse secret",
                                            [HB_KIND_REKEY] = "rekey"};

size_t hb_spec_packed_bytes(const hb_params_spec *spec)
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < spec->key_limbs; l++) {
        bytes += hb_spec_row_bytes(spec, l);
    }
    return bytes;
}

size_t hb_key_body_bytes(const hb_key_body *body)
{
    return (size_t)(body->shape.extent[0] * body->shape.extent[1]);
}

/* Whether the key is of others than the owner of one pair alone: its version says so, and no other key's does. */
static bool tells_parties(const hb_key_content *content)
{
    return hb_spec_owners(content->spec) > 1 || content->rekey != NULL;
}

static uint64_t version_of(const hb_key_content *content)
{
    if (tells_parties(content)) {
        return HB_KEY_VERSION_PARTIES;
    }
    if (content->seal != NULL) {
        return HB_KEY_VERSION_SEALED;
    }
    if (content->row_sums) {
        return HB_KEY_VERSION_ROWS;
    }
    return !hb_spec_is_early(content->spec)     ? HB_KEY_VERSION_ANY
           : hb_spec_names_table(content->spec) ? HB_KEY_VERSION_TABLE
                                                : HB_KEY_VERSION;
}

/* Begins the checksum with all but the bodies. */
static void checksum_begin(hb_digest_state *state, const hb_key_content *content)
{
    hb_digest_begin(state, "hebatch keyfile");
    hb_digest_add_u64(state, version_of(content));
    hb_digest_add_u64(state, content->kind);
    hb_spec_add(state, content->spec);
    hb_digest_add(state, content->key_id, HB_KEY_ID_BYTES);
    if (content->public_seed) {
        hb_digest_add(state, content->public_seed->bytes, sizeof content->public_seed->bytes);
    }
    if (content->kind == HB_KIND_GALOIS) {
        hb_digest_add_u64(state, content->element);
    }
    if (content->limbs != 0) {
        hb_digest_add_u64(state, content->limbs);
    }
    if (content->rekey != NULL) {
        hb_digest_add(state, content->rekey->from, sizeof content->rekey->from);
        hb_digest_add_u64(state, content->rekey->another);
        hb_digest_add_u64(state, content->rekey->error);
    }
    if (content->seal != NULL) {
        const hb_key_seal_how *how = &content->seal->how;
        hb_digest_add_u64(state, how->passes);
        hb_digest_add_u64(state, how->memory);
        hb_digest_add(state, how->salt, sizeof how->salt);
        hb_digest_add(state, content->seal->nonce, sizeof content->seal->nonce);
    }
}

static hb_status checksum(uint8_t digest[HB_DIGEST_BYTES], const hb_key_content *content, hb_key_add_bodies *add,
                          void *context)
{
    hb_digest_state state;
    checksum_begin(&state, content);
    for (uint32_t i = 0; add == NULL && i + content->aside < content->bodies; i++) {
        hb_digest_add(&state, content->body[i].data, hb_key_body_bytes(&content->body[i]));
    }
    const hb_status st = add != NULL ? add(context, &state) : HB_OK;
    hb_digest_end(&state, digest);
    hb_wipe(&state, sizeof state);
    return st;
}

hb_status hb_key_seal_put(hid_t file, const hb_key_seal *seal)
{
    HB_TRY(hb_h5_put_u64(file, "passes", seal->how.passes));
    HB_TRY(hb_h5_put_u64(file, "memory", seal->how.memory));
    HB_TRY(hb_h5_put_bytes(file, "salt", seal->how.salt, sizeof seal->how.salt));
    return hb_h5_put_bytes(file, "nonce", seal->nonce, sizeof seal->nonce);
}

hb_status hb_key_seal_get(hid_t file, const char *path, hb_key_seal *seal)
{
    const uint64_t most_passes = 64, least_memory = 8192, most_memory = (uint64_t)4 << 30;
    hb_key_seal_how *how = &seal->how;
    HB_TRY(hb_h5_get_u64(file, "passes", path, most_passes, &how->passes));
    HB_TRY(hb_h5_get_u64(file, "memory", path, most_memory, &how->memory));
    if (how->passes == 0 || how->memory < least_memory) {
        return HB_FAIL(HB_EDATA, "%s: the cost of its passphrase is less than any can be", path);
    }
    HB_TRY(hb_h5_get_bytes(file, "salt", path, how->salt, sizeof how->salt));
    return hb_h5_get_bytes(file, "nonce", path, seal->nonce, sizeof seal->nonce);
}

static hb_status put_rekey(hid_t file, const hb_rekey_facts *rekey)
{
    HB_TRY(hb_h5_put_bytes(file, "from_key_id", rekey->from, sizeof rekey->from));
    HB_TRY(hb_h5_put_u64(file, "another", rekey->another));
    return hb_h5_put_u64(file, "error", rekey->error);
}

static hb_status put_content(hid_t file, const hb_key_content *content, const uint8_t sum[HB_DIGEST_BYTES])
{
    HB_TRY(hb_h5_put_text(file, "format", HB_KEY_FORMAT));
    HB_TRY(hb_h5_put_u64(file, "version", version_of(content)));
    HB_TRY(hb_h5_put_text(file, "tool", "hebatch " HEBATCH_VERSION));
    HB_TRY(hb_h5_put_text(file, "kind", kinds[content->kind]));
    HB_TRY(hb_h5_put_bytes(file, "key_id", content->key_id, HB_KEY_ID_BYTES));
    HB_TRY(hb_h5_put_bytes(file, "checksum", sum, HB_DIGEST_BYTES));
    if (content->public_seed) {
        HB_TRY(hb_h5_put_bytes(file, "public_seed", content->public_seed->bytes, sizeof content->public_seed->bytes));
    }
    if (content->kind == HB_KIND_GALOIS) {
        HB_TRY(hb_h5_put_u64(file, "element", content->element));
    }
    if (content->limbs != 0) {
        HB_TRY(hb_h5_put_u64(file, "limbs", content->limbs));
    }
    if (content->rekey != NULL) {
        HB_TRY(put_rekey(file, content->rekey));
    }
    if (content->seal != NULL) {
        HB_TRY(hb_key_seal_put(file, content->seal));
    }
    HB_TRY(hb_spec_put(file, content->spec));
    for (uint32_t i = 0; i < content->bodies; i++) {
        HB_TRY(hb_h5_put_dataset(file, content->body[i].name, content->body[i].shape, NULL));
    }
    return HB_OK;
}

/* The contents of a new file, and the places of its bodies. */
typedef struct making {
    const char *path;
    const hb_key_content *content;
    uint64_t *offsets;
} making;

/* Fills the file, with its bodies still empty: a secret never enters HDF5, whose buffers are not wiped, and the
 * gigabytes of other keys need no copy. */
static hb_status fill(hid_t file, void *context)
{
    const making *x = context;
    uint8_t sum[HB_DIGEST_BYTES];
    HB_TRY(checksum(sum, x->content, NULL, NULL));
    HB_TRY(put_content(file, x->content, sum));
    for (uint32_t i = 0; i < x->content->bodies; i++) {
        const hb_key_body *body = &x->content->body[i];
        HB_TRY(hb_h5_locate(file, body->name, x->path, body->shape, UINT64_MAX, &x->offsets[i]));
    }
    return HB_OK;
}

static hb_status write_all(const hb_pending *pending, const hb_key_content *content, const hb_h5_image *image,
                           const uint64_t *offsets)
{
    HB_TRY(hb_h5_image_write(image, pending->fd, pending->partial));
    for (uint32_t i = 0; i < content->bodies; i++) {
        const hb_key_body *body = &content->body[i];
        HB_TRY(hb_write_at(pending->fd, body->data, hb_key_body_bytes(body), offsets[i], pending->partial));
    }
    return hb_sync(pending->fd, pending->partial);
}

static hb_status refuse_existing(const char *path)
{
    bool there;
    if (hb_path_is_there(path, &there) != HB_OK) {
        return HB_FAIL(HB_ECREATE, "%s", hb_last_error()->text);
    }
    return there ? HB_FAIL(HB_ECREATE, "%s: exists already; a key is never replaced", path) : HB_OK;
}

hb_status hb_key_content_prepare(const char *path, const hb_key_content *content, hb_pending *pending)
{
    uint64_t offsets[HB_KEY_BODIES] = {0};
    making x = {path, content, offsets};
    hb_h5_image image = {.data = NULL};
    hb_status st = HB_OK;
    HB_GOTO(refuse_existing(path));
    HB_GOTO(hb_h5_image_make(&image, hb_spec_datasets(content->spec) + content->bodies, fill, &x));
    const bool private = content->kind == HB_KIND_SECRET || content->rekey != NULL;
    HB_GOTO(hb_pending_create(pending, path, private ? 0600 : 0644));
    st = write_all(pending, content, &image, offsets);
    if (st != HB_OK) {
        hb_pending_drop(pending);
    }
done:
    hb_h5_image_clear(&image);
    return st;
}

hb_status hb_key_content_write(const char *path, const hb_key_content *content)
{
    hb_pending pending;
    HB_TRY(hb_key_content_prepare(path, content, &pending));
    const hb_status st = hb_pending_commit(&pending);
    hb_pending_drop(&pending);
    return st;
}

hb_status hb_key_kind_get(hid_t file, const char *path, uint32_t *kind)
{
    char text[32];
    uint32_t version;
    HB_TRY(hb_h5_get_format(file, path, HB_KEY_FORMAT, HB_KEY_VERSION, HB_KEY_VERSION_NEWEST, &version));
    HB_TRY(hb_h5_get_text(file, "kind", path, text, sizeof text));
    for (uint32_t i = 0; i < HB_KINDS; i++) {
        if (strcmp(text, kinds[i]) == 0) {
            *kind = i;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EDATA, "%s: is a key of unknown kind '%s'", path, text);
}

hb_status hb_key_version_get(hid_t file, const char *path, uint64_t *version)
{
    return hb_h5_get_u64(file, "version", path, HB_KEY_VERSION_NEWEST, version);
}

hb_status hb_key_sum_get(hid_t file, const char *path, uint8_t sum[HB_DIGEST_BYTES])
{
    return hb_h5_get_bytes(file, "checksum", path, sum, HB_DIGEST_BYTES);
}

hb_status hb_key_content_check(const char *path, const hb_key_content *content, hb_key_add_bodies *add, void *context,
                               const uint8_t sum[HB_DIGEST_BYTES])
{
    uint8_t own[HB_DIGEST_BYTES];
    const uint64_t version = version_of(content);
    HB_TRY(checksum(own, content, add, context));
    if (memcmp(own, sum, sizeof own) != 0) {
        return HB_FAIL(HB_EDATA, "%s: does not match its checksum: the file is damaged", path);
    }
    return content->version == version
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: says that it is of version %u, and has the parts of version %u: it is damaged",
                         path, (unsigned)content->version, (unsigned)version);
}
