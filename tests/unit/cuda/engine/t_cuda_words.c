/* The computations of one GPU thread in samplers, bit packing and digests: on the host, against other
 * implementations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/seed.h"
#include "cuda/ring/chacha.h"
#include "cuda/rows/bit_fields.h"
#include "cuda/rows/blake2b.h"
#include "reference/chacha.h"
#include "reference/slow.h"
#include "unit/unit.h"

/* The definition: of each coefficient the word of the first attempt that the rule takes. */
static void check_draw(hb_acceptance rule, uint64_t item, uint32_t first_block)
{
    const hb_seed seed = {{1, 2, 3, 254, 255}};
    hb_chacha_streams streams = {.purpose = HB_DRAW_ERROR_1, .item = item};
    memcpy(streams.key, seed.bytes, sizeof streams.key);
    for (uint32_t block = first_block; block < first_block + 64; block++) {
        uint64_t words[HB_CHACHA_WORDS];
        hb_chacha_draw(words, &streams, block, rule);
        for (uint32_t i = 0; i < HB_CHACHA_WORDS; i++) {
            const size_t j = (size_t)HB_CHACHA_WORDS * block + i;
            uint32_t attempt = 0;
            uint64_t word;
            do {
                word = chacha_word(seed.bytes, HB_DRAW_ERROR_1, item, attempt++, j);
            } while (!hb_accepts(rule, word));
            assert_true(words[i] == word);
        }
    }
}

static void test_draw(void **state)
{
    (void)state;
    check_draw(hb_accept_all(), 0, 0);
    check_draw(hb_accept_ternary(), UINT32_MAX, 1u << 14);
    check_draw(hb_accept_uniform(1014, 10), 7, 3);                                /* takes 99 of 100 */
    check_draw(hb_accept_uniform((UINT64_C(1) << 60) + 33, 61), UINT64_MAX, 100); /* takes one half */
    check_draw(hb_accept_uniform(257, 9), 1, 0);
}

static hb_u64x2 person_of(const char *name)
{
    hb_u64x2 person = {0, 0};
    memcpy(&person, name, strlen(name));
    return person;
}

static void check_row(const hb_u64x2 *row, uint32_t pairs)
{
    enum { LEAF_PAIRS = HB_DIGEST_LEAF / sizeof(hb_u64x2) };
    hb_u64x2 leaves[8], digest[2];
    uint32_t count = 0;
    for (uint32_t at = 0; at < pairs; at += LEAF_PAIRS) {
        uint32_t piece = pairs - at < LEAF_PAIRS ? pairs - at : LEAF_PAIRS;
        hb_blake2b_256(&leaves[2 * count++], person_of("hebatch leaf"), row + at, piece);
    }
    hb_blake2b_256(digest, person_of("hebatch row"), leaves, 2 * count);
    uint8_t expected[HB_DIGEST_BYTES];
    hb_digest_row(expected, (const uint8_t *)row, pairs * sizeof *row);
    assert_memory_equal(digest, expected, sizeof expected);
}

static void test_digest(void **state)
{
    (void)state;
    static hb_u64x2 row[1000];
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        row[i].x = slow_random(&random);
        row[i].y = slow_random(&random);
    }
    const uint32_t lengths[] = {0, 1, 7, 8, 9, 16, 255, 256, 257, 512, 1000}; /* a block is 8, a leaf 256 */
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        check_row(row, lengths[i]);
    }
}

static void test_fields(void **state)
{
    (void)state;
    enum { FIELDS = 1024, WIDEST = 61 };
    uint64_t x[FIELDS], words[FIELDS / 64 * WIDEST], random = 2;
    for (uint32_t bits = 1; bits <= WIDEST; bits++) {
        for (size_t j = 0; j < FIELDS; j++) {
            x[j] = slow_random(&random) >> (64 - bits);
        }
        const uint32_t count = FIELDS / 64 * bits;
        for (uint32_t k = 0; k < count; k++) {
            words[k] = hb_word_of_fields(x, bits, k);
        }
        for (uint32_t bit = 0; bit < FIELDS * bits; bit++) {
            assert_true((words[bit / 64] >> bit % 64 & 1) == (x[bit / bits] >> bit % bits & 1));
        }
        for (uint32_t j = 0; j < FIELDS; j++) {
            assert_true(hb_field_of_words(words, count - 1, bits, j) == x[j]);
        }
    }
}

HB_UNIT(cuda_words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draw),
        cmocka_unit_test(test_digest),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
