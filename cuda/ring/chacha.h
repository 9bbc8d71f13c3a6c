/* ChaCha20 (RFC 8439), one block at a time, addressed as base/seed.h says. C and CUDA: the CPU's tests run it too. */
#ifndef HB_CUDA_RING_CHACHA_H
#define HB_CUDA_RING_CHACHA_H

#include <stdint.h>

#include "base/hostdevice.h"
#include "base/sample.h"

#define HB_CHACHA_WORDS 8 /* 64-bit words of a block: those of as many neighbouring coefficients */

/* Names the keystreams of one polynomial; there is one keystream for each attempt. */
typedef struct hb_chacha_streams {
    uint32_t key[8];
    uint32_t purpose;
    uint64_t item;
} hb_chacha_streams;

/* Returns x rotated to the left. */
HB_FN uint32_t hb_chacha_rotate(uint32_t x, uint32_t by)
{
    return (x << by) | (x >> (32 - by));
}

/* The quarter round (section 2.1). */
HB_FN void hb_chacha_quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b, *d = hb_chacha_rotate(*d ^ *a, 16);
    *c += *d, *b = hb_chacha_rotate(*b ^ *c, 12);
    *a += *b, *d = hb_chacha_rotate(*d ^ *a, 8);
    *c += *d, *b = hb_chacha_rotate(*b ^ *c, 7);
}

/* Returns element i of 16 of a block's input (RFC 8439, section 2.3): constants, key, block counter, nonce. */
HB_FN uint32_t hb_chacha_input(const hb_chacha_streams *s, uint32_t attempt, uint32_t block, int i)
{
    switch (i) {
    case 0:
        return 0x61707865; /* "expa" */
    case 1:
        return 0x3320646e; /* "nd 3" */
    case 2:
        return 0x79622d32; /* "2-by" */
    case 3:
        return 0x6b206574; /* "te k" */
    case 12:
        return block;
    case 13:
        return s->purpose + (attempt << 8);
    case 14:
        return (uint32_t)s->item;
    case 15:
        return (uint32_t)(s->item >> 32);
    default:
        return s->key[i - 4];
    }
}

/* Computes words 8 block .. 8 block + 7 of the stream of one attempt, little-endian pairs of the block's 32-bit
 * words. */
HB_FN void hb_chacha_block(uint64_t words[HB_CHACHA_WORDS], const hb_chacha_streams *s, uint32_t attempt,
                           uint32_t block)
{
    uint32_t x[16];
    /* The state is 16 local variables once all loops over it are unrolled: on a GPU it never leaves registers. */
    HB_UNROLL
    for (int i = 0; i < 16; i++) {
        x[i] = hb_chacha_input(s, attempt, block, i);
    }
    for (int round = 0; round < 20; round += 2) {
        /* A double round: the four columns of the 4 by 4 state, then its four diagonals (section 2.3.1). */
        HB_UNROLL
        for (int i = 0; i < 4; i++) {
            hb_chacha_quarter_round(&x[i], &x[4 + i], &x[8 + i], &x[12 + i]);
        }
        HB_UNROLL
        for (int i = 0; i < 4; i++) {
            hb_chacha_quarter_round(&x[i], &x[4 + (i + 1) % 4], &x[8 + (i + 2) % 4], &x[12 + (i + 3) % 4]);
        }
    }
    HB_UNROLL
    for (int i = 0; i < HB_CHACHA_WORDS; i++) {
        /* The input is added to the permuted state. It is computed again rather than kept, which would take 16 more
         * registers. */
        uint32_t low = x[2 * i] + hb_chacha_input(s, attempt, block, 2 * i);
        uint32_t high = x[2 * i + 1] + hb_chacha_input(s, attempt, block, 2 * i + 1);
        words[i] = low | (uint64_t)high << 32;
    }
}

/* Draws the words of coefficients 8 block .. 8 block + 7: each gets the first of its words that the rule takes. A
 * further attempt makes the whole block again, for all coefficients that still wait: under the worst rule, which
 * rejects one half, a warp of the GPU makes 9 or 10 blocks. Whether another attempt follows is all that time shows of a
 * word. */
HB_FN void hb_chacha_draw(uint64_t words[HB_CHACHA_WORDS], const hb_chacha_streams *s, uint32_t block,
                          hb_acceptance rule)
{
    uint32_t waiting = (1u << HB_CHACHA_WORDS) - 1; /* bit i: coefficient i */
    for (uint32_t attempt = 0; waiting != 0; attempt++) {
        uint64_t drawn[HB_CHACHA_WORDS];
        hb_chacha_block(drawn, s, attempt, block);
        HB_UNROLL
        for (int i = 0; i < HB_CHACHA_WORDS; i++) {
            /* Selected without a branch: a word that was taken before is kept, and accepting it again changes
             * nothing. */
            words[i] = waiting >> i & 1 ? drawn[i] : words[i];
            waiting &= ~((uint32_t)hb_accepts(rule, words[i]) << i);
        }
    }
}

#endif
