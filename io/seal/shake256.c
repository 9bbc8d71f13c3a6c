/* SHAKE256 (FIPS 202) of an input shorter than its rate. */
#include <string.h>

#include "prng_private.h"

enum { RATE = 136 /* bytes: 200 - 2 * 256 / 8 */, LANES = 25, ROUNDS = 24 };

static uint64_t rotate(uint64_t x, unsigned bits)
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
        a[i] ^= parity[(i + 4) % 5] ^ rotate(parity[(i + 1) % 5], 1);
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
        a[x + 5 * y] = rotate(carried, (t + 1) * (t + 2) / 2 % 64);
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

void hb_seal_shake256(uint8_t block[HB_SEAL_BLOCK_BYTES], const uint8_t seed[HB_SEAL_SEED_BYTES], uint64_t message)
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
