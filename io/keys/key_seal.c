#include "key_seal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "key_content_private.h"
#include "params_h5_private.h"

const char *const hb_seal_cost_names[HB_SEAL_COSTS] = {"interactive", "moderate", "sensitive"};

_Static_assert(HB_KEY_SALT_BYTES == crypto_pwhash_argon2id_SALTBYTES, "a salt is Argon2id's");
_Static_assert(HB_KEY_NONCE_BYTES == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES, "a nonce is XChaCha20's");
_Static_assert(HB_SEED_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "a key is a seed");

void hb_key_seal_begin(hb_key_seal_how *how, hb_seal_cost cost)
{
    static const struct {
        uint64_t passes, memory;
    } limits[HB_SEAL_COSTS] = {
        {crypto_pwhash_argon2id_OPSLIMIT_INTERACTIVE, crypto_pwhash_argon2id_MEMLIMIT_INTERACTIVE},
        {crypto_pwhash_argon2id_OPSLIMIT_MODERATE, crypto_pwhash_argon2id_MEMLIMIT_MODERATE},
        {crypto_pwhash_argon2id_OPSLIMIT_SENSITIVE, crypto_pwhash_argon2id_MEMLIMIT_SENSITIVE},
    };
    *how = (hb_key_seal_how){.passes = limits[cost].passes, .memory = limits[cost].memory};
    randombytes_buf(how->salt, sizeof how->salt);
}

hb_status hb_key_seal_derive(const hb_key_seal_how *how, const hb_passphrase *passphrase, hb_seed *key)
{
    hb_lock(key, sizeof *key);
    if (crypto_pwhash_argon2id(key->bytes, sizeof key->bytes, passphrase->text, passphrase->length, how->salt,
                               how->passes, (size_t)how->memory, crypto_pwhash_argon2id_ALG_ARGON2ID13) != 0) {
        return HB_FAIL(HB_ENOMEM, "no memory for a passphrase: it takes %llu MiB for a moment",
                       (unsigned long long)(how->memory >> 20));
    }
    return HB_OK;
}

bool hb_keyfile_is_sealed(const hb_keyfile *key)
{
    return key->seal != NULL;
}

/* The sealed text: whether there is a root, the secret, and the root or zeros in its place. */
static size_t plain_bytes(const hb_keyfile *key)
{
    return hb_key_box_bytes(&key->spec) - crypto_aead_xchacha20poly1305_ietf_ABYTES;
}

size_t hb_key_box_bytes(const hb_params_spec *spec)
{
    return 1 + spec->n + sizeof(hb_key_root) + crypto_aead_xchacha20poly1305_ietf_ABYTES;
}

/* All other contents of the file: so a sealed secret cannot get other parameters, or another name. */
static void surroundings(uint8_t digest[HB_DIGEST_BYTES], const hb_keyfile *key, const hb_key_seal_how *how)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch sealed");
    hb_spec_add(&state, &key->spec);
    hb_digest_add(&state, key->key_id, sizeof key->key_id);
    hb_digest_add_u64(&state, how->passes);
    hb_digest_add_u64(&state, how->memory);
    hb_digest_add(&state, how->salt, sizeof how->salt);
    hb_digest_end(&state, digest);
}

static void drop_secret(hb_keyfile *key)
{
    hb_wipe(key->ternary, key->spec.n);
    free(key->ternary);
    if (key->root != NULL) {
        hb_wipe(key->root, sizeof *key->root);
        free(key->root);
    }
    key->ternary = NULL;
    key->root = NULL;
}

hb_status hb_keyfile_seal(hb_keyfile *key, const hb_key_seal_how *how, const hb_seed *with)
{
    HB_ASSERT(key->kind == HB_KEY_SECRET && key->ternary != NULL && key->seal == NULL);
    const size_t n = key->spec.n, bytes = plain_bytes(key);
    uint8_t digest[HB_DIGEST_BYTES], *plain = calloc(1, bytes);
    hb_key_seal *seal = calloc(1, sizeof *seal);
    uint8_t *box = malloc(hb_key_box_bytes(&key->spec));
    if (plain == NULL || seal == NULL || box == NULL) {
        free(plain);
        free(seal);
        free(box);
        return HB_FAIL(HB_ENOMEM, "no memory for a key");
    }
    hb_lock(plain, bytes);
    plain[0] = key->root != NULL;
    memcpy(plain + 1, key->ternary, n);
    if (key->root != NULL) {
        memcpy(plain + 1 + n, key->root, sizeof *key->root);
    }
    seal->how = *how;
    seal->box = box;
    randombytes_buf(seal->nonce, sizeof seal->nonce);
    surroundings(digest, key, how);
    /* It cannot fail. */
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt(box, NULL, plain, bytes, digest, sizeof digest, NULL, seal->nonce,
                                                     with->bytes);
    hb_wipe(plain, bytes);
    free(plain);
    drop_secret(key);
    key->seal = seal;
    return HB_OK;
}

/* Takes the secret out of the opened text. */
static hb_status take_secret(hb_keyfile *key, const char *name, const uint8_t *plain)
{
    const size_t n = key->spec.n;
    key->ternary = malloc(n);
    key->root = plain[0] != 0 ? malloc(sizeof *key->root) : NULL;
    if (key->ternary == NULL || (plain[0] != 0 && key->root == NULL)) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a key", name);
    }
    hb_lock(key->ternary, n);
    memcpy(key->ternary, plain + 1, n);
    if (key->root != NULL) {
        hb_lock(key->root, sizeof *key->root);
        memcpy(key->root, plain + 1 + n, sizeof *key->root);
    }
    return hb_keyfile_check_root(name, key);
}

hb_status hb_keyfile_unseal(hb_keyfile *key, const char *name, const hb_seed *with)
{
    HB_ASSERT(hb_keyfile_is_sealed(key) && key->ternary == NULL && key->root == NULL);
    const hb_key_seal *seal = key->seal;
    const size_t bytes = plain_bytes(key);
    uint8_t digest[HB_DIGEST_BYTES], *plain = malloc(bytes);
    if (plain == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a key", name);
    }
    hb_lock(plain, bytes);
    surroundings(digest, key, &seal->how);
    hb_status st;
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain, NULL, NULL, seal->box, hb_key_box_bytes(&key->spec), digest,
                                                   sizeof digest, seal->nonce, with->bytes) != 0) {
        st = HB_FAIL(HB_EPERM, "%s: the passphrase is not that of this key", name);
    } else {
        st = take_secret(key, name, plain);
    }
    hb_wipe(plain, bytes);
    free(plain);
    if (st != HB_OK) {
        if (key->ternary != NULL) {
            drop_secret(key);
        }
        return st;
    }
    free(key->seal->box);
    free(key->seal);
    key->seal = NULL;
    return HB_OK;
}
