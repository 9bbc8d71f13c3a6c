/* Keystreams against RFC 8439 and against its text as a program; derived seeds against Python's hashlib. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/seed.h"
#include "reference/chacha.h"
#include "reference/hex.h"
#include "reference/slow.h"
#include "unit/unit.h"

static hb_seed counting_seed(void)
{
    hb_seed seed;
    for (size_t i = 0; i < sizeof seed.bytes; i++) {
        seed.bytes[i] = (uint8_t)i; /* the key of both of the RFC's examples */
    }
    return seed;
}

/* The RFC's nonces as an address: first word = purpose + 256 attempt, the others = item; its counter starts at 1. */
static void test_rfc8439(void **state)
{
    (void)state;
    const hb_seed seed = counting_seed();
    const hb_draw draw = {.seed = &seed, .purpose = (hb_purpose)0, .item = 0x4a000000}; /* 00 00 00 4a 00 00 00 00 */
    uint8_t stream[192];

    hb_keystream(stream, 128, draw, 0x090000); /* section 2.3.2: first word 00 00 00 09 */
    assert_hex(stream + 64, 64,
               "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
               "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");

    hb_keystream(stream, 192, draw, 0); /* section 2.4.2 */
    assert_hex(stream + 64, 114,
               "224f51f3401bd9e12fde276fb8631ded8c131f823d2c06e27e4fcaec9ef3cf788a3b0aa372600a92b57974cded2b"
               "9334794cba40c63e34cdea212c4cf07d41b769a6749f3f630f4122cafe28ec4dc47e26d4346d70b98c73f3e9c53a"
               "c40c5945398b6eda1a832c89c167eacd901d7e2bf363");
}

static void test_addressing(void **state)
{
    (void)state;
    enum { WORDS = 100 };
    uint64_t random = 1;
    for (int round = 0; round < 20; round++) {
        hb_seed seed;
        for (size_t i = 0; i < sizeof seed.bytes; i++) {
            seed.bytes[i] = (uint8_t)slow_random(&random);
        }
        hb_draw draw = {.seed = &seed,
                        .purpose = (hb_purpose)(1 + slow_random(&random) % 6),
                        .item = round % 2 ? slow_random(&random) : (uint64_t)round};
        uint32_t attempt = (uint32_t)slow_random(&random) >> (8 + round);
        uint8_t stream[8 * WORDS];
        hb_keystream(stream, sizeof stream, draw, attempt);
        for (size_t i = 0; i < WORDS; i++) {
            uint64_t expected = chacha_word(seed.bytes, draw.purpose, draw.item, attempt, i), word = 0;
            for (size_t k = 8; k-- > 0;) {
                word = word << 8 | stream[8 * i + k];
            }
            assert_true(word == expected);
            assert_true(hb_keystream_word(draw, attempt, i) == expected);
        }
        size_t far = (size_t)slow_random(&random) >> 30;
        assert_true(hb_keystream_word(draw, attempt, far) ==
                    chacha_word(seed.bytes, draw.purpose, draw.item, attempt, far));
    }
}

static void test_derived(void **state)
{
    (void)state;
    const hb_seed root = counting_seed();
    hb_seed seed;
    hb_seed_derive(&seed, &root, "uniform");
    assert_hex(seed.bytes, 32, "fd51dda5e97195dacb8d14c4b20f495d48f8d82379365591effb8509b0001ed8");
    hb_seed_derive(&seed, &root, "");
    assert_hex(seed.bytes, 32, "4e51e7a913fc80137da52880fecca175bf81e117d5c68126dc2774033517ea0d");
    hb_seed_derive(&seed, &root, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    assert_hex(seed.bytes, 32, "5657695be62abf524675e0af9a53c9e42b5c887cfa15222248eaa2271c100e51");
    uint8_t digest[HB_DIGEST_BYTES];
    for (size_t i = 0; i < sizeof digest; i++) {
        digest[i] = (uint8_t)(255 - i);
    }
    hb_seed_derive_for(&seed, "hebatch own", &root, digest);
    assert_hex(seed.bytes, 32, "2bdec414a8194118ff46b1340f28109de895a58eadf30d1fcb8cca9d61475f0f");
}

static void test_public_seeds(void **state)
{
    (void)state;
    enum { COUNT = 5 };
    const uint64_t first = UINT64_C(0xfffffffe); /* crosses into the item's second word */
    const hb_seed root = counting_seed();
    hb_seed seeds[COUNT];
    hb_seed_public(seeds, COUNT, &root, first);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < 4; k++) {
            uint64_t word;
            memcpy(&word, seeds[i].bytes + 8 * k, sizeof word);
            assert_true(word == chacha_word(root.bytes, HB_DRAW_PUBLIC_SEED, first + i, 0, k));
        }
    }
}

static void test_fresh_and_wiped(void **state)
{
    (void)state;
    static const hb_seed zero;
    hb_seed a = zero, b = zero;
    hb_seed_random(&a);
    hb_seed_random(&b);
    assert_memory_not_equal(&a, &b, sizeof a);
    assert_memory_not_equal(&a, &zero, sizeof a);
    hb_wipe(&a, sizeof a);
    assert_memory_equal(&a, &zero, sizeof a);
}

static void test_grown(void **state)
{
    (void)state;
    char *text = hb_wipe_and_grow(NULL, 0, 0, 4);
    assert_non_null(text);
    memcpy(text, "abcd", 4);
    text = hb_wipe_and_grow(text, 3, 4, 100);
    assert_non_null(text);
    assert_memory_equal(text, "abc", 3);
    text[99] = 'z'; /* it is there */
    free(text);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() == HB_OK ? 0 : -1;
}

HB_UNIT(seed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc8439),      cmocka_unit_test(test_addressing),      cmocka_unit_test(test_derived),
        cmocka_unit_test(test_public_seeds), cmocka_unit_test(test_fresh_and_wiped), cmocka_unit_test(test_grown),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
