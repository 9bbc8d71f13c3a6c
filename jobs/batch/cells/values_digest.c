#include "values_digest.h"

#include <sodium.h>
#include <string.h>

#include "base/status.h"

_Static_assert(sizeof(crypto_onetimeauth_poly1305_state) <= sizeof(((hb_values_digest *)0)->opaque),
               "no room for a Poly1305");

static crypto_onetimeauth_poly1305_state *poly(hb_values_digest *running)
{
    return (crypto_onetimeauth_poly1305_state *)(void *)running->opaque;
}

void hb_values_digest_begin(hb_values_digest *running, const hb_seed *root)
{
    hb_seed key;
    hb_seed_derive(&key, root, "hash of values");
    _Static_assert(sizeof key.bytes == crypto_onetimeauth_poly1305_KEYBYTES, "a seed is a key");
    running->root = *root;
    crypto_onetimeauth_poly1305_init(poly(running), key.bytes);
    hb_wipe(&key, sizeof key);
}

/* The host's byte order: ranks that share limbs have it in common, as all that they exchange is in it. */
void hb_values_digest_add(hb_values_digest *running, const void *values, size_t bytes)
{
    crypto_onetimeauth_poly1305_update(poly(running), values, bytes);
}

void hb_values_digest_end(hb_values_digest *running, uint8_t digest[HB_DIGEST_BYTES])
{
    unsigned char hash[crypto_onetimeauth_poly1305_BYTES];
    hb_seed key;
    hb_digest_state state;
    crypto_onetimeauth_poly1305_final(poly(running), hash);
    hb_seed_derive(&key, &running->root, "digest of values");
    hb_digest_begin(&state, "hebatch values");
    hb_digest_add(&state, key.bytes, sizeof key.bytes); /* nothing can be appended to a BLAKE2b: a prefix is a key */
    /* A Poly1305 told by itself would give its key away, and with it which values have equal ones. */
    hb_digest_add(&state, hash, sizeof hash);
    hb_digest_end(&state, digest);
    hb_wipe(hash, sizeof hash);
    hb_wipe(&state, sizeof state);
    hb_wipe(&key, sizeof key);
    hb_wipe(running, sizeof *running);
}

void hb_values_digest_of(uint8_t digest[HB_DIGEST_BYTES], const hb_seed *root, const uint64_t *values, size_t count)
{
    hb_values_digest running;
    hb_values_digest_begin(&running, root);
    hb_values_digest_add(&running, values, count * sizeof *values);
    hb_values_digest_end(&running, digest);
}
