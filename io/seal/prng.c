#include "prng.h"

#include <string.h>

#include "prng_private.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words of the stream are read as they lie in memory");

void hb_seal_prng_block(uint8_t block[HB_SEAL_BLOCK_BYTES], const hb_seal_seed *seed, uint64_t counter)
{
    if (seed->kind == HB_SEAL_SHAKE256) {
        hb_seal_shake256(block, seed->bytes, counter);
    } else {
        hb_seal_blake2xb(block, seed->bytes, counter);
    }
}

/* A stream of bytes, a block at a time. */
typedef struct stream {
    const hb_seal_seed *seed;
    uint64_t counter; /* of the next block */
    size_t used;      /* bytes taken of the block that is here */
    uint8_t block[HB_SEAL_BLOCK_BYTES];
} stream;

/* Copies the next bytes of the stream, making blocks as they are used up. */
static void draw(stream *s, void *to, size_t bytes)
{
    for (uint8_t *out = to; bytes > 0;) {
        if (s->used == sizeof s->block) {
            hb_seal_prng_block(s->block, s->seed, s->counter++);
            s->used = 0;
        }
        const size_t left = sizeof s->block - s->used, some = bytes < left ? bytes : left;
        memcpy(out, s->block + s->used, some);
        s->used += some;
        out += some;
        bytes -= some;
    }
}

void hb_seal_sample_uniform(uint64_t *words, size_t n, const uint64_t *primes, uint32_t limbs, const hb_seal_seed *seed)
{
    stream s = {.seed = seed, .used = sizeof s.block};
    /* SEAL draws all words first, then replaces refused ones. */
    draw(&s, words, limbs * n * sizeof *words);
    for (uint32_t l = 0; l < limbs; l++) {
        /* One less than the largest multiple of q, as SEAL has it. Words that replace refused ones come after all
         * others. */
        const uint64_t q = primes[l], limit = UINT64_MAX - UINT64_MAX % q - 1;
        for (size_t i = l * n; i < (l + 1) * n; i++) {
            while (words[i] >= limit) {
                draw(&s, &words[i], sizeof words[i]);
            }
            words[i] %= q;
        }
    }
}
