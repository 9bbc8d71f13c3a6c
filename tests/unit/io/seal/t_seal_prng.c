/* SEAL's byte streams and uniform sampling: answers of SEAL itself, and a sampler that draws word by word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/seal/prng.h"
#include "reference/hex.h"
#include "unit/unit.h"

enum { N = 4096 };

/* Bytes 0, 1, 2 ... 63. */
static hb_seal_seed counting_seed(hb_seal_prng_kind kind)
{
    hb_seal_seed seed = {.kind = kind};
    for (size_t i = 0; i < sizeof seed.bytes; i++) {
        seed.bytes[i] = (uint8_t)i;
    }
    return seed;
}

static void check_bytes(const hb_seal_seed *seed, size_t at, const char *hex)
{
    uint8_t stream[2 * HB_SEAL_BLOCK_BYTES];
    hb_seal_prng_block(stream, seed, 0);
    hb_seal_prng_block(stream + HB_SEAL_BLOCK_BYTES, seed, 1);
    assert_hex(stream + at, strlen(hex) / 2, hex);
}

static void known_streams(void **state)
{
    (void)state;
    const hb_seal_seed blake = counting_seed(HB_SEAL_BLAKE2XB), shake = counting_seed(HB_SEAL_SHAKE256);
    check_bytes(&blake, 0, "17b9767f6395a77a3d0f2f2bd234d8c6702918e8698e87a33e7d5a5ad6d37d67");
    check_bytes(&shake, 0, "50a1cb963bec11dc066324b416d0a141a8c29d169aa5c2d0640419cb820eb38b");
    /* From one block to the next. */
    check_bytes(&blake, 4064,
                "80f729d95b7b4cdd987522eba7966ff14554cc7a50bad941b8dc6f875e709445"
                "55e60aa1ba585070041fe56e25e0542e297bf5c7da1c73126f313b2b4c4a182a");
    check_bytes(&shake, 4064,
                "b732409ac1c57b8395135850729c1086bfaed19b2a9c30f1747c1bd48c829dd7"
                "4b5dc993542541753b9f72e391c0a73ab4e3b4682287a34e61f7319f74bd7864");
    const hb_seal_seed zero = {.kind = HB_SEAL_BLAKE2XB};
    check_bytes(&zero, 0, "881fc3cb56026ecb0a1d5ad59a95f74e6e4c6f94d03104eb28dbc0176cfce0f4");
}

static void known_samples(void **state)
{
    (void)state;
    static const uint64_t primes[3] = {0xffffee001, 0xffffc4001, 0x1ffffe0001};
    static const uint64_t wanted[2][3][4] = {{{13973864247, 57234623249, 40377610194, 60696528396},
                                              {68582999532, 6440458191, 37960179936, 27551392899},
                                              {89847150272, 53365102303, 1160297574, 18691160799}},
                                             {{20614799765, 17464993211, 33189402468, 17442078369},
                                              {62351489604, 9227589734, 67621720743, 57852523143},
                                              {44012051317, 12581095030, 66966027676, 36974836163}}};
    static uint64_t words[3 * N];
    for (int kind = HB_SEAL_BLAKE2XB; kind <= HB_SEAL_SHAKE256; kind++) {
        const hb_seal_seed seed = counting_seed((hb_seal_prng_kind)kind);
        hb_seal_sample_uniform(words, N, primes, 3, &seed);
        for (size_t l = 0; l < 3; l++) {
            for (size_t i = 0; i < 4; i++) {
                assert_int_equal(words[l * N + (i < 3 ? i : N - 1)], wanted[kind - 1][l][i]);
            }
        }
    }
}

/* Word `i` of a stream. */
static uint64_t word_of(const hb_seal_seed *seed, size_t i)
{
    enum { WORDS = HB_SEAL_BLOCK_BYTES / 8 };
    uint64_t block[WORDS];
    hb_seal_prng_block((uint8_t *)block, seed, i / WORDS);
    return block[i % WORDS];
}

/* With moduli that refuse one word in forty and in sixteen, which default primes practically never do. */
static void refused_words(void **state)
{
    (void)state;
    enum { SMALL = 1024 };
    static const uint64_t moduli[3] = {818574268270550113, (uint64_t)1 << 60, 97};
    static uint64_t words[3 * SMALL];
    const hb_seal_seed seed = counting_seed(HB_SEAL_BLAKE2XB);
    hb_seal_sample_uniform(words, SMALL, moduli, 3, &seed);
    size_t next = 3 * SMALL;
    for (size_t i = 0; i < 3 * SMALL; i++) {
        const uint64_t q = moduli[i / SMALL], limit = UINT64_MAX - UINT64_MAX % q - 1;
        uint64_t word = word_of(&seed, i);
        while (word >= limit) {
            word = word_of(&seed, next++);
        }
        assert_int_equal(words[i], word % q);
    }
    assert_true(next > 3 * SMALL + 10); /* else nothing was tested */
}

HB_UNIT(seal_prng)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_streams), cmocka_unit_test(known_samples),
                                       cmocka_unit_test(refused_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
