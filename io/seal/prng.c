#include "prng.h"

#include <string.h>

/* --- SHAKE256 */

enum { RATE = 136 /* bytes: 200 - 2 * 256 / 8 */, LANES = 25, ROUNDS = 24 };

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return bits == 0 ? x : x << bits | x >> (64 - bits);
}

/* Step theta: every lane takes the parities of two columns. */
static void mix_columns(uint64_t a[LANES])
{
    uint64_t parity[5];
    for (unsigned x = 0; x < 5; x++) {
        parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    }
    for (unsigned i = 0; i < LANES; i++) {
        a[i] ^= parity[(i + 4) % 5] ^ rotate_left(parity[(i + 1) % 5], 1);
    }
}

/* Steps rho and pi: lanes rotate by the triangular numbers while they move along one cycle of 24. */
static void move_lanes(uint64_t a[LANES])
{
    unsigned x = 1, y = 0;
    uint64_t carried = a[1];
    for (unsigned t = 0; t < ROUNDS; t++) {
        const unsigned next_y = (2 * x + 3 * y) % 5;
        x = y;
        y = next_y;
        const uint64_t replaced = a[x + 5 * y];
        a[x + 5 * y] = rotate_left(carried, (t + 1) * (t + 2) / 2 % 64);
        carried = replaced;
    }
}

/* Step chi: every lane takes the product of the next two in its row, the first of them inverted. */
static void combine_rows(uint64_t a[LANES])
{
    for (unsigned y = 0; y < LANES; y += 5) {
        uint64_t row[5];
        memcpy(row, a + y, sizeof row);
        for (unsigned x = 0; x < 5; x++) {
            a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        }
    }
}

/* Step iota: the constant of a round is made of seven bits of a shift register of x^8 + x^6 + x^5 + x^4 + 1. */
static uint64_t round_constant(uint8_t *shift)
{
    uint64_t constant = 0;
    for (unsigned j = 0; j < 7; j++) {
        constant |= (uint64_t)(*shift & 1) << ((1u << j) - 1);
        *shift = (uint8_t)(*shift << 1 ^ (*shift >> 7) * 0x71);
    }
    return constant;
}

/* Keccak-f[1600]. */
static void permute(uint64_t a[LANES])
{
    uint8_t shift = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        mix_columns(a);
        move_lanes(a);
        combine_rows(a);
        a[0] ^= round_constant(&shift);
    }
}

/* Computes SHAKE256 (FIPS 202) of the seed and 8 bytes, 4096 bytes long. */
static void seal_shake256(uint8_t block[HB_SEAL_BLOCK_BYTES], const uint8_t seed[HB_SEAL_SEED_BYTES], uint64_t message)
{
    uint64_t state[LANES] = {0};
    uint8_t input[RATE] = {0};
    memcpy(input, seed, HB_SEAL_SEED_BYTES);
    memcpy(input + HB_SEAL_SEED_BYTES, &message, sizeof message);
    input[HB_SEAL_SEED_BYTES + sizeof message] = 0x1f; /* the suffix of SHAKE, 1111, and the first bit of the padding */
    input[RATE - 1] ^= 0x80;                           /* its last bit */
    memcpy(state, input, RATE);
    /* Each permutation yields as many bytes as the rate; the first one takes the input in. */
    for (size_t done = 0; done < HB_SEAL_BLOCK_BYTES;) {
        permute(state);
        const size_t left = HB_SEAL_BLOCK_BYTES - done, some = left < RATE ? left : RATE;
        memcpy(block + done, state, some);
        done += some;
    }
}

/* --- BLAKE2Xb */

enum { DIGEST = 64, INPUT = 128 }; /* bytes of a digest, and of a block of input */

/* The parameter block as it lies in memory. */
typedef struct parameters {
    uint8_t digest_length, key_length, fanout, depth;
    uint32_t leaf_length, node_offset, xof_length;
    uint8_t node_depth, inner_length, zeros[46];
} parameters;
_Static_assert(sizeof(parameters) == 64, "eight words are added to the initial value");

/* Fractional parts of the square roots of the first eight primes, as in SHA-512. */
static const uint64_t initial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

static const uint8_t order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint64_t rotate_right(uint64_t x, unsigned bits)
{
    return x >> bits | x << (64 - bits);
}

/* The function G of RFC 7693, 3.1. */
static void mix(uint64_t v[16], unsigned a, unsigned b, unsigned c, unsigned d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = rotate_right(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotate_right(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 63);
}

/* The function F of RFC 7693, 3.2. taken: bytes of all input up to the end of this block, without padding. */
static void compress(uint64_t state[8], const uint8_t input[INPUT], uint64_t taken, int last)
{
    uint64_t m[16], v[16];
    memcpy(m, input, sizeof m);
    memcpy(v, state, sizeof initial);
    memcpy(v + 8, initial, sizeof initial);
    v[12] ^= taken;
    v[14] ^= last ? UINT64_MAX : 0;
    for (unsigned round = 0; round < 12; round++) {
        const uint8_t *s = order[round % 10];
        for (unsigned i = 0; i < 4; i++) { /* columns */
            mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
        }
        for (unsigned i = 0; i < 4; i++) { /* diagonals */
            mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[2 * i + 8]], m[s[2 * i + 9]]);
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        state[i] ^= v[i] ^ v[i + 8];
    }
}

/* The first step of RFC 7693, 3.3: the parameter block goes into the initial value. */
static void begin(uint64_t state[8], const parameters *p)
{
    uint64_t words[8];
    memcpy(words, p, sizeof words);
    for (unsigned i = 0; i < 8; i++) {
        state[i] = initial[i] ^ words[i];
    }
}

/* Computes BLAKE2Xb (Aumasson, Neves, Wilcox-O'Hearn, Winnerlein: BLAKE2X, 2016) of an 8-byte message under a 64-byte
 * key, 4096 bytes long. */
static void seal_blake2xb(uint8_t block[HB_SEAL_BLOCK_BYTES], const uint8_t key[HB_SEAL_SEED_BYTES], uint64_t message)
{
    uint64_t root[8], piece[8];
    uint8_t input[INPUT] = {0};
    const parameters of_root = {.digest_length = DIGEST,
                                .key_length = HB_SEAL_SEED_BYTES,
                                .fanout = 1,
                                .depth = 1,
                                .xof_length = HB_SEAL_BLOCK_BYTES};
    /* The root digest is of key and message; each piece of the output is a digest of the root digest, under its
     * number. */
    begin(root, &of_root);
    memcpy(input, key, HB_SEAL_SEED_BYTES); /* a key is a first block of its own, padded with zeros */
    compress(root, input, INPUT, 0);
    memset(input, 0, sizeof input);
    memcpy(input, &message, sizeof message);
    compress(root, input, INPUT + sizeof message, 1);

    memset(input, 0, sizeof input);
    memcpy(input, root, sizeof root);
    for (uint32_t i = 0; i < HB_SEAL_BLOCK_BYTES / DIGEST; i++) {
        const parameters of_piece = {.digest_length = DIGEST,
                                     .leaf_length = DIGEST,
                                     .node_offset = i,
                                     .xof_length = HB_SEAL_BLOCK_BYTES,
                                     .inner_length = DIGEST};
        begin(piece, &of_piece);
        compress(piece, input, DIGEST, 1);
        memcpy(block + (size_t)i * DIGEST, piece, DIGEST);
    }
}

/* --- generators */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words of the stream are read as they lie in memory");

void hb_seal_prng_block(uint8_t block[HB_SEAL_BLOCK_BYTES], const hb_seal_seed *seed, uint64_t counter)
{
    if (seed->kind == HB_SEAL_SHAKE256) {
        seal_shake256(block, seed->bytes, counter);
    } else {
        seal_blake2xb(block, seed->bytes, counter);
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
