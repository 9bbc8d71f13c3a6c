/* ChaCha20 as RFC 8439 section 2.3 writes it, and the addressing of base/seed.h on top of it. */
#ifndef HB_TESTS_CHACHA_H
#define HB_TESTS_CHACHA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t chacha_rotate(uint32_t x, unsigned by)
{
    return (x << by) | (x >> (32 - by));
}

static inline void chacha_quarter(uint32_t *s, int a, int b, int c, int d)
{
    s[a] += s[b], s[d] = chacha_rotate(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = chacha_rotate(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = chacha_rotate(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = chacha_rotate(s[b] ^ s[c], 7);
}

/* One block as sixteen 32-bit words. */
static inline void chacha_block(uint32_t out[16], const uint8_t key[32], uint32_t counter, const uint32_t nonce[3])
{
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; /* "expand 32-byte k" */
    memcpy(start + 4, key, 32);
    start[12] = counter;
    memcpy(start + 13, nonce, 12);
    memcpy(out, start, sizeof start);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++) {
            chacha_quarter(out, i, 4 + i, 8 + i, 12 + i);
        }
        for (int i = 0; i < 4; i++) {
            chacha_quarter(out, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
        }
    }
    for (int i = 0; i < 16; i++) {
        out[i] += start[i];
    }
}

/* Word i of the stream of (key, purpose, item, attempt). */
static inline uint64_t chacha_word(const uint8_t key[32], uint32_t purpose, uint64_t item, uint32_t attempt, size_t i)
{
    uint32_t block[16], nonce[3] = {purpose + (attempt << 8), (uint32_t)item, (uint32_t)(item >> 32)};
    chacha_block(block, key, (uint32_t)(i / 8), nonce);
    return block[2 * (i % 8)] | (uint64_t)block[2 * (i % 8) + 1] << 32;
}

#endif
