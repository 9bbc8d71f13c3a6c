#include "digest.h"

#include <sodium.h>
#include <string.h>

#include "status.h"

_Static_assert(sizeof(crypto_generichash_blake2b_state) <= sizeof(((hb_digest_state *)0)->opaque),
               "the state of BLAKE2b does not fit");
_Static_assert(_Alignof(crypto_generichash_blake2b_state) <= _Alignof(hb_digest_state),
               "the state of BLAKE2b needs a stricter alignment");
_Static_assert(HB_DIGEST_BYTES == crypto_generichash_blake2b_BYTES, "BLAKE2b-256");

/* The header does not include sodium.h; the assertions above make this cast right. */
static crypto_generichash_blake2b_state *blake2b(hb_digest_state *state)
{
    return (crypto_generichash_blake2b_state *)(void *)state->opaque;
}

void hb_digest_begin(hb_digest_state *state, const char *person)
{
    /* libsodium reads all 16 bytes of a person: shorter ones are filled with zeros. */
    unsigned char padded[crypto_generichash_blake2b_PERSONALBYTES] = {0};
    size_t length = strlen(person);
    HB_ASSERT(length <= sizeof padded);
    memcpy(padded, person, length);
    int failed = crypto_generichash_blake2b_init_salt_personal(blake2b(state), NULL, 0, HB_DIGEST_BYTES, NULL, padded);
    HB_ASSERT(failed == 0); /* only wrong lengths fail */
}

void hb_digest_add(hb_digest_state *state, const void *data, size_t bytes)
{
    (void)crypto_generichash_blake2b_update(blake2b(state), data, bytes); /* never fails */
}

void hb_digest_add_u64(hb_digest_state *state, uint64_t value)
{
    unsigned char little_endian[sizeof value];
    for (size_t i = 0; i < sizeof value; i++) {
        little_endian[i] = (unsigned char)(value >> (8 * i));
    }
    hb_digest_add(state, little_endian, sizeof little_endian);
}

void hb_digest_add_text(hb_digest_state *state, const char *text)
{
    hb_digest_add_u64(state, strlen(text));
    hb_digest_add(state, text, strlen(text));
}

void hb_digest_end(hb_digest_state *state, uint8_t digest[HB_DIGEST_BYTES])
{
    int failed = crypto_generichash_blake2b_final(blake2b(state), digest, HB_DIGEST_BYTES);
    HB_ASSERT(failed == 0); /* it fails only when the state was ended before */
}

void hb_digest_row(uint8_t digest[HB_DIGEST_BYTES], const uint8_t *row, size_t bytes)
{
    hb_digest_state leaf, leaves;
    uint8_t leaf_digest[HB_DIGEST_BYTES];
    hb_digest_begin(&leaves, HB_DIGEST_ROW_PERSON);
    for (size_t at = 0; at < bytes; at += HB_DIGEST_LEAF) {
        /* The last leaf may be shorter. */
        size_t piece = bytes - at < HB_DIGEST_LEAF ? bytes - at : HB_DIGEST_LEAF;
        hb_digest_begin(&leaf, HB_DIGEST_LEAF_PERSON);
        hb_digest_add(&leaf, row + at, piece);
        hb_digest_end(&leaf, leaf_digest);
        hb_digest_add(&leaves, leaf_digest, sizeof leaf_digest);
    }
    hb_digest_end(&leaves, digest);
}
