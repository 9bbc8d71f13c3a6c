#include "party_file.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"
#include "io/files/pending.h"
#include "io/h5/h5.h"
#include "io/keys/key_content_private.h"
#include "kind_private.h"

/* The root, or its sealed box. */
enum { BOX_BYTES = HB_SEED_BYTES + crypto_aead_xchacha20poly1305_ietf_ABYTES, MOST_BYTES = 1 << 20 };

hb_status hb_party_file_init(hb_party_file *party, const char *name, const hb_seed *root)
{
    hb_owner_card card;
    memset(party, 0, sizeof *party);
    HB_TRY(hb_party_card(&card, root, name));
    memcpy(party->name, card.name, sizeof party->name);
    hb_card_fingerprint(party->card, &card);
    hb_lock(&party->root, sizeof party->root);
    party->root = *root;
    return HB_OK;
}

void hb_party_file_clear(hb_party_file *party)
{
    if (party->seal != NULL) {
        free(party->seal->box);
        free(party->seal);
    }
    hb_wipe(party, sizeof *party);
}

/* --- seals */

/* All other contents of the file. */
static void surroundings(uint8_t digest[HB_DIGEST_BYTES], const hb_party_file *party, const hb_key_seal_how *how)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch party");
    hb_digest_add_text(&state, party->name);
    hb_digest_add(&state, party->card, sizeof party->card);
    hb_digest_add_u64(&state, how->passes);
    hb_digest_add_u64(&state, how->memory);
    hb_digest_add(&state, how->salt, sizeof how->salt);
    hb_digest_end(&state, digest);
}

hb_status hb_party_file_seal(hb_party_file *party, const hb_key_seal_how *how, const hb_seed *with)
{
    HB_ASSERT(party->seal == NULL);
    uint8_t digest[HB_DIGEST_BYTES];
    hb_key_seal *seal = calloc(1, sizeof *seal);
    uint8_t *box = malloc(BOX_BYTES);
    if (seal == NULL || box == NULL) {
        free(seal);
        free(box);
        return HB_FAIL(HB_ENOMEM, "no memory for a key");
    }
    seal->how = *how;
    seal->box = box;
    randombytes_buf(seal->nonce, sizeof seal->nonce);
    surroundings(digest, party, how);
    /* It cannot fail. */
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt(box, NULL, party->root.bytes, sizeof party->root, digest,
                                                     sizeof digest, NULL, seal->nonce, with->bytes);
    hb_wipe(&party->root, sizeof party->root);
    party->seal = seal;
    return HB_OK;
}

/* The root is that of the card whose fingerprint stands beside it. */
static hb_status check_root(const char *path, const hb_party_file *party, const hb_seed *root)
{
    hb_owner_card card;
    uint8_t print[HB_DIGEST_BYTES] = {0};
    if (hb_party_card(&card, root, party->name) == HB_OK) {
        hb_card_fingerprint(print, &card);
    }
    return memcmp(print, party->card, sizeof print) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its secret is not that of its card: the file is damaged", path);
}

hb_status hb_party_file_unseal(hb_party_file *party, const char *path, const hb_seed *with)
{
    HB_ASSERT(party->seal != NULL);
    const hb_key_seal *seal = party->seal;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_seed root;
    hb_lock(&party->root, sizeof party->root);
    surroundings(digest, party, &seal->how);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(root.bytes, NULL, NULL, seal->box, BOX_BYTES, digest, sizeof digest,
                                                   seal->nonce, with->bytes) != 0) {
        return HB_FAIL(HB_EPERM, "%s: the passphrase is not that of this key", path);
    }
    const hb_status st = check_root(path, party, &root);
    if (st == HB_OK) {
        party->root = root;
        free(party->seal->box);
        free(party->seal);
        party->seal = NULL;
    }
    hb_wipe(&root, sizeof root);
    return st;
}

/* --- files */

static hb_h5_shape secret_shape(const hb_party_file *party)
{
    return hb_h5_vector(H5T_STD_U8LE, party->seal != NULL ? BOX_BYTES : HB_SEED_BYTES);
}

static const char *secret_name(const hb_party_file *party)
{
    return party->seal != NULL ? "sealed" : "root";
}

/* The contents of a new file, and the place of its secret, which never enters HDF5. */
typedef struct making {
    const hb_party_file *party;
    uint64_t offset;
} making;

static hb_status fill(hid_t file, void *context)
{
    making *x = context;
    const hb_party_file *party = x->party;
    HB_TRY(hb_joint_kind_put(file, "party"));
    HB_TRY(hb_h5_put_text(file, "name", party->name));
    HB_TRY(hb_h5_put_bytes(file, "card", party->card, sizeof party->card));
    if (party->seal != NULL) {
        HB_TRY(hb_key_seal_put(file, party->seal));
    }
    HB_TRY(hb_h5_put_dataset(file, secret_name(party), secret_shape(party), NULL));
    return hb_h5_locate(file, secret_name(party), HB_PARTY_FILE, secret_shape(party), UINT64_MAX, &x->offset);
}

hb_status hb_party_file_write(const char *path, const hb_party_file *party)
{
    making x = {.party = party};
    hb_h5_image image = {.data = NULL};
    hb_pending pending = {.path = NULL};
    hb_status st;
    const uint8_t *secret = party->seal != NULL ? party->seal->box : party->root.bytes;
    HB_GOTO(hb_h5_image_make(&image, 1, fill, &x));
    HB_GOTO(hb_pending_create(&pending, path, 0600));
    HB_GOTO(hb_h5_image_write(&image, pending.fd, pending.partial));
    HB_GOTO(hb_write_at(pending.fd, secret, secret_shape(party).extent[0], x.offset, pending.partial));
    HB_GOTO(hb_sync(pending.fd, pending.partial));
    st = hb_pending_commit(&pending);
done:
    hb_pending_drop(&pending);
    hb_h5_image_clear(&image);
    return st;
}

/* Takes the secret from the image, not through HDF5, whose buffers are not wiped. */
static hb_status get_secret(hid_t file, const char *path, const uint8_t *image, size_t bytes, hb_party_file *party)
{
    uint64_t offset;
    HB_TRY(hb_h5_locate(file, secret_name(party), path, secret_shape(party), bytes, &offset));
    if (party->seal == NULL) {
        memcpy(party->root.bytes, image + offset, sizeof party->root);
        return check_root(path, party, &party->root);
    }
    party->seal->box = malloc(BOX_BYTES);
    if (party->seal->box == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a key", path);
    }
    memcpy(party->seal->box, image + offset, BOX_BYTES);
    return HB_OK;
}

static hb_status get_content(hid_t file, const char *path, const uint8_t *image, size_t bytes, hb_party_file *party)
{
    bool sealed;
    HB_TRY(hb_h5_get_text(file, "name", path, party->name, sizeof party->name));
    HB_TRY(hb_h5_get_bytes(file, "card", path, party->card, sizeof party->card));
    HB_TRY(hb_h5_has(file, "sealed", path, &sealed));
    if (sealed) {
        party->seal = calloc(1, sizeof *party->seal);
        if (party->seal == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for a key", path);
        }
        HB_TRY(hb_key_seal_get(file, path, party->seal));
    }
    return get_secret(file, path, image, bytes, party);
}

hb_status hb_party_file_read(const char *path, hb_party_file *party)
{
    uint8_t *image;
    size_t bytes;
    mode_t mode;
    hid_t file = 0;
    hb_status st;
    memset(party, 0, sizeof *party);
    HB_TRY(hb_read_file(path, MOST_BYTES, &image, &bytes, &mode));
    hb_lock(&party->root, sizeof party->root);
    HB_GOTO(hb_h5_image_open(image, bytes, path, &file));
    HB_GOTO(hb_joint_kind_check(file, path, "party")); /* a card may be read by all */
    HB_GOTO((mode & 077) == 0 ? HB_OK
                              : HB_FAIL(HB_EPERM, "%s: is a secret key that others can read (mode %04o): chmod 600 it",
                                        path, (unsigned)mode));
    st = get_content(file, path, image, bytes, party);
done:
    hb_h5_close(file);
    hb_wipe(image, bytes);
    free(image);
    if (st != HB_OK) {
        hb_party_file_clear(party);
    }
    return st;
}
