/* BLAKE2b-256 (RFC 7693) with a person, for messages that are whole pairs of words. C and CUDA: the CPU's tests run
 * it. */
#ifndef HB_CUDA_ROWS_BLAKE2B_H
#define HB_CUDA_ROWS_BLAKE2B_H

#include <stdint.h>

#include "base/hostdevice.h"

/* Two words, 16 bytes, little-endian, that are loaded at once. */
typedef struct hb_u64x2 {
    uint64_t x, y;
} __attribute__((aligned(16))) hb_u64x2;

/* Returns x rotated to the right. */
HB_FN uint64_t hb_blake2b_rotate(uint64_t x, uint32_t by)
{
    return (x >> by) | (x << (64 - by));
}

/* The mixing function G (section 3.1). */
HB_FN void hb_blake2b_mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x, uint64_t y)
{
    *a += *b + x, *d = hb_blake2b_rotate(*d ^ *a, 32);
    *c += *d, *b = hb_blake2b_rotate(*b ^ *c, 24);
    *a += *b + y, *d = hb_blake2b_rotate(*d ^ *a, 16);
    *c += *d, *b = hb_blake2b_rotate(*b ^ *c, 63);
}

/* Returns an initial value: the first 64 bits of the fractional part of the square root of the i-th prime, 2 .. 19. */
HB_FN uint64_t hb_blake2b_start(int i)
{
    const uint64_t values[8] = {
        UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
        UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
        UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179),
    };
    return values[i];
}

/* Returns which word of a block goes to place i in a round: sigma (section 2.7), digit i from the left. The compiler
 * knows both numbers once loops are unrolled. */
HB_FN int hb_blake2b_word(int round, int i)
{
    const uint64_t sigma[10] = {
        UINT64_C(0x0123456789abcdef), UINT64_C(0xea489fd61c02b753), UINT64_C(0xb8c052fdae367194),
        UINT64_C(0x7931dcbe265a40f8), UINT64_C(0x905724afe1bc683d), UINT64_C(0x2c6a0b834d75fe19),
        UINT64_C(0xc51fed4a0763928b), UINT64_C(0xdb7ec13950f4862a), UINT64_C(0x6fe9b308c2d714a5),
        UINT64_C(0xa2847615fb9e3cd0),
    };
    return (int)(sigma[round % 10] >> (60 - 4 * i) & 15);
}

/* Compresses one block into the state h (section 3.2). `bytes` counts the message so far with this block; `last` is all
 * ones in the last block, else 0. */
HB_FN void hb_blake2b_compress(uint64_t h[8], const uint64_t m[16], uint64_t bytes, uint64_t last)
{
    uint64_t v[16];
    HB_UNROLL
    for (int i = 0; i < 8; i++) {
        v[i] = h[i];
        v[8 + i] = hb_blake2b_start(i);
    }
    v[12] ^= bytes;
    v[14] ^= last;
    /* Twelve rounds: the four columns of the 4 by 4 state, then its four diagonals. */
    HB_UNROLL
    for (int r = 0; r < 12; r++) {
        HB_UNROLL
        for (int i = 0; i < 4; i++) {
            hb_blake2b_mix(&v[i], &v[4 + i], &v[8 + i], &v[12 + i], m[hb_blake2b_word(r, 2 * i)],
                           m[hb_blake2b_word(r, 2 * i + 1)]);
        }
        HB_UNROLL
        for (int i = 0; i < 4; i++) {
            hb_blake2b_mix(&v[i], &v[4 + (i + 1) % 4], &v[8 + (i + 2) % 4], &v[12 + (i + 3) % 4],
                           m[hb_blake2b_word(r, 8 + 2 * i)], m[hb_blake2b_word(r, 9 + 2 * i)]);
        }
    }
    HB_UNROLL
    for (int i = 0; i < 8; i++) {
        h[i] ^= v[i] ^ v[8 + i];
    }
}

/* Computes the digest of `pairs` pairs of words, without key and salt; the person is 16 bytes, padded with zeros. */
HB_FN void hb_blake2b_256(hb_u64x2 digest[2], hb_u64x2 person, const hb_u64x2 *message, uint32_t pairs)
{
    uint64_t h[8];
    HB_UNROLL
    for (int i = 0; i < 8; i++) {
        h[i] = hb_blake2b_start(i);
    }
    /* The parameter block (section 2.5). */
    h[0] ^= 32 | 1 << 16 | 1 << 24; /* bytes of the digest, fanout 1, depth 1 */
    h[6] ^= person.x;
    h[7] ^= person.y;
    uint32_t done = 0;
    do {
        uint64_t m[16];
        HB_UNROLL
        for (uint32_t i = 0; i < 8; i++) {
            /* The last block is padded with zeros, which `bytes` does not count; an empty message is one block of
             * them. */
            const hb_u64x2 zeros = {0, 0};
            const hb_u64x2 pair = done + i < pairs ? message[done + i] : zeros;
            m[2 * i] = pair.x;
            m[2 * i + 1] = pair.y;
        }
        done = done + 8 < pairs ? done + 8 : pairs;
        hb_blake2b_compress(h, m, (uint64_t)done * sizeof *message, done == pairs ? UINT64_MAX : 0);
    } while (done < pairs);
    digest[0].x = h[0], digest[0].y = h[1];
    digest[1].x = h[2], digest[1].y = h[3];
}

#endif
