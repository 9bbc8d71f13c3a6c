#include "sealing.h"

#include <sodium.h>
#include <string.h>

_Static_assert(HB_SEAL_BYTES == crypto_box_MACBYTES && HB_SEAL_BYTES == crypto_secretbox_MACBYTES,
               "boxes are libsodium's");
_Static_assert(sizeof(hb_pair_secret) == crypto_scalarmult_BYTES, "secrets are X25519's");
_Static_assert(HB_DIGEST_BYTES >= crypto_box_NONCEBYTES && HB_DIGEST_BYTES == crypto_secretbox_KEYBYTES,
               "digests are nonces and keys");

static void box_key(uint8_t secret[crypto_box_SECRETKEYBYTES], const hb_seed *root)
{
    uint8_t public_key[crypto_box_PUBLICKEYBYTES];
    hb_seed seed;
    hb_seed_derive(&seed, root, "box");
    HB_ASSERT(crypto_box_seed_keypair(public_key, secret, seed.bytes) == 0);
    hb_wipe(&seed, sizeof seed);
}

static hb_status refuse_key(const hb_owner_card *card)
{
    return HB_FAIL(HB_EDATA, "the card of %s has a key of low order: begin again without %s, or with another card",
                   card->name, card->name);
}

hb_status hb_pair_secret_make(hb_pair_secret *secret, const hb_seed *root, const hb_owner_card *other)
{
    uint8_t own[crypto_box_SECRETKEYBYTES];
    box_key(own, root);
    const int failed = crypto_scalarmult(secret->bytes, own, other->box);
    hb_wipe(own, sizeof own);
    if (failed != 0) {
        hb_wipe(secret, sizeof *secret);
        return refuse_key(other);
    }
    return HB_OK;
}

static void share_nonce(uint8_t digest[HB_DIGEST_BYTES], const hb_share_way *way)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch share");
    hb_digest_add(&state, way->session, HB_DIGEST_BYTES);
    hb_digest_add_text(&state, way->from->name);
    hb_digest_add_text(&state, way->to->name);
    hb_digest_end(&state, digest);
}

hb_status hb_share_seal(uint8_t *box, const hb_seed *root, const hb_share_way *way, const uint8_t *message,
                        size_t bytes)
{
    uint8_t own[crypto_box_SECRETKEYBYTES], nonce[HB_DIGEST_BYTES];
    share_nonce(nonce, way);
    box_key(own, root);
    const int failed = crypto_box_easy(box, message, bytes, nonce, way->to->box, own);
    hb_wipe(own, sizeof own);
    return failed == 0 ? HB_OK : refuse_key(way->to);
}

hb_status hb_share_unseal(uint8_t *message, const hb_seed *root, const hb_share_way *way, const uint8_t *box,
                          size_t bytes)
{
    uint8_t own[crypto_box_SECRETKEYBYTES], nonce[HB_DIGEST_BYTES];
    share_nonce(nonce, way);
    box_key(own, root);
    const int failed = crypto_box_open_easy(message, box, bytes + HB_SEAL_BYTES, nonce, way->from->box, own);
    hb_wipe(own, sizeof own);
    return failed == 0 ? HB_OK
                       : HB_FAIL(HB_EDATA,
                                 "the share that %s dealt does not open: begin again without %s, or with "
                                 "another card",
                                 way->from->name, way->from->name);
}

/* The key is for one message alone, whose nonce may be any. */
static const uint8_t no_nonce[crypto_secretbox_NONCEBYTES];

void hb_share_keep(uint8_t *box, const hb_seed *own, const uint8_t inputs[HB_DIGEST_BYTES], const uint8_t *share,
                   size_t bytes)
{
    hb_seed key;
    hb_seed_derive_for(&key, "hebatch kept", own, inputs);
    HB_ASSERT(crypto_secretbox_easy(box, share, bytes, no_nonce, key.bytes) == 0);
    hb_wipe(&key, sizeof key);
}

hb_status hb_share_take(uint8_t *share, const hb_seed *own, const uint8_t inputs[HB_DIGEST_BYTES], const uint8_t *box,
                        size_t bytes)
{
    hb_seed key;
    hb_seed_derive_for(&key, "hebatch kept", own, inputs);
    const int failed = crypto_secretbox_open_easy(share, box, bytes + HB_SEAL_BYTES, no_nonce, key.bytes);
    hb_wipe(&key, sizeof key);
    return failed == 0 ? HB_OK : HB_FAIL(HB_EDATA, "the share of the secret is not what this owner kept");
}
