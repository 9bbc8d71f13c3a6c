#include "seed.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* Attempts share the nonce's first word with the purpose: 24 bits are left for them. */
#define ATTEMPT_LIMIT (UINT32_C(1) << 24)
#define BLOCK_BYTES 64 /* one block of ChaCha20: 8 words */
#define WORDS_PER_BLOCK (BLOCK_BYTES / sizeof(uint64_t))

/* Byte order is spelled out: keystreams and nonces are the same on every machine. */
static void store_le(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t load_le64(const uint8_t *from)
{
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof value; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

/* Writes `bytes` bytes of the keystream of (draw, attempt) from block `block` on. */
static void keystream_from(uint8_t *out, size_t bytes, hb_draw draw, uint32_t attempt, uint32_t block)
{
    HB_ASSERT(attempt < ATTEMPT_LIMIT);
    /* The layout of the nonce stands in seed.h; it is part of the file format. */
    uint8_t nonce[crypto_stream_chacha20_ietf_NONCEBYTES];
    store_le(nonce, (uint32_t)draw.purpose + 256 * attempt, 4);
    store_le(nonce + 4, draw.item, 8);
    /* libsodium XORs the keystream onto its input from a chosen block, so zeros in place give the keystream itself. */
    memset(out, 0, bytes);
    /* It fails only for lengths that the callers exclude; zeros in place of a keystream would be no secret. */
    HB_ASSERT(crypto_stream_chacha20_ietf_xor_ic(out, out, bytes, nonce, block, draw.seed->bytes) == 0);
}

hb_status hb_seed_start(void)
{
    if (sodium_init() < 0) {
        return HB_FAIL(HB_EUNAVAILABLE, "the operating system's random source cannot be used");
    }
    return HB_OK;
}

void hb_seed_random(hb_seed *seed)
{
    randombytes_buf(seed->bytes, sizeof seed->bytes);
}

void hb_seed_derive(hb_seed *derived, const hb_seed *root, const char *label)
{
    size_t length = strlen(label);
    HB_ASSERT(length <= 64);
    int failed = crypto_generichash_blake2b(derived->bytes, sizeof derived->bytes, (const unsigned char *)label, length,
                                            root->bytes, sizeof root->bytes);
    HB_ASSERT(failed == 0); /* only wrong lengths fail */
}

void hb_seed_derive_for(hb_seed *derived, const char *label, const hb_seed *root, const uint8_t digest[HB_DIGEST_BYTES])
{
    _Static_assert(HB_SEED_BYTES == HB_DIGEST_BYTES, "a digest is a seed");
    hb_digest_state state;
    hb_digest_begin(&state, label);
    hb_digest_add(&state, root->bytes, sizeof root->bytes);
    hb_digest_add(&state, digest, HB_DIGEST_BYTES);
    hb_digest_end(&state, derived->bytes);
    hb_wipe(&state, sizeof state); /* it has seen the root */
}

void hb_seed_public(hb_seed *seeds, size_t count, const hb_seed *root, uint64_t first)
{
    for (size_t i = 0; i < count; i++) {
        /* Every ciphertext has a stream of its own, so its seed does not depend on how many are made. */
        hb_draw draw = {.seed = root, .purpose = HB_DRAW_PUBLIC_SEED, .item = first + i};
        hb_keystream(seeds[i].bytes, sizeof seeds[i].bytes, draw, 0);
    }
}

void hb_keystream(uint8_t *out, size_t bytes, hb_draw draw, uint32_t attempt)
{
    /* 2^36 bytes are 2^30 blocks: the 32-bit counter cannot wrap. */
    HB_ASSERT((uint64_t)bytes <= UINT64_C(1) << 36);
    keystream_from(out, bytes, draw, attempt, 0);
}

uint64_t hb_keystream_word(hb_draw draw, uint32_t attempt, size_t i)
{
    HB_ASSERT(i / WORDS_PER_BLOCK <= UINT32_MAX);
    uint8_t block[BLOCK_BYTES];
    keystream_from(block, sizeof block, draw, attempt, (uint32_t)(i / WORDS_PER_BLOCK));
    uint64_t word = load_le64(block + i % WORDS_PER_BLOCK * sizeof word);
    /* The other seven words of the block are secret as well, and stay on the stack otherwise. */
    hb_wipe(block, sizeof block);
    return word;
}

void hb_lock(void *memory, size_t bytes)
{
    /* Callers report errno of the call before: a refused lock must not replace it. */
    const int saved = errno, locked = sodium_mlock(memory, bytes);
    (void)locked; /* a key that could be swapped is better than none: README says so */
    errno = saved;
}

void hb_lock_short(void *memory, size_t bytes)
{
    if (bytes < HB_LOCK_SHORT) {
        hb_lock(memory, bytes);
    }
}

void hb_wipe(void *memory, size_t bytes)
{
    sodium_memzero(memory, bytes);
}

void *hb_wipe_and_grow(void *memory, size_t used, size_t held, size_t bytes)
{
    HB_ASSERT(used <= held && used <= bytes);
    void *more = malloc(bytes);
    if (more == NULL || memory == NULL) {
        return more;
    }
    memcpy(more, memory, used);
    hb_wipe(memory, held);
    free(memory);
    return more;
}
