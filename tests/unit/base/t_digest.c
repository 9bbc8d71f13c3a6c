/* Digests against Python's hashlib, for all cuts of the bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "reference/hex.h"
#include "unit/unit.h"

/* hashlib.blake2b(digest_size=32, person=b"hebatch row") over the digests with person=b"hebatch leaf" of 4096 bytes
 * each; byte i of the row is i^2 + 3i mod 256. */
static void test_rows(void **state)
{
    (void)state;
    static const struct {
        size_t bytes;
        const char *digest;
    } known[] = {
        {0, "4a7bf203668e8f312748a5ff547d4931f0c0ba4021e8683f9213087ec24ca4e3"},
        {1, "655886a61ab1ee70a9f8fd8dbc9338e519840a7a7726cde189dfcd3d3124ae8c"},
        {4096, "9fa40b5dcd80d3499b8fed11c4f880793520fe7d15547d210c16dec8e731db9d"},
        {4097, "b286aaa0f24ec1df5af801e1030dcf509e096dcb74f0c83f5d10462bee08b79e"},
        {10000, "418e630629aa7946645dbd1ee729512de190eb979569681155f210c7b595f492"},
    };
    static uint8_t row[10000];
    for (size_t i = 0; i < sizeof row; i++) {
        row[i] = (uint8_t)(i * i + 3 * i);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint8_t digest[HB_DIGEST_BYTES];
        hb_digest_row(digest, row, known[i].bytes);
        assert_hex(digest, sizeof digest, known[i].digest);
    }
}

static void test_running(void **state)
{
    (void)state;
    static const uint8_t zeros[1000];
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state running;

    hb_digest_begin(&running, "hebatch key");
    hb_digest_add(&running, "a", 1);
    hb_digest_add(&running, "bc", 2);
    hb_digest_add(&running, NULL, 0);
    hb_digest_add_u64(&running, UINT64_C(0x0123456789abcdef));
    hb_digest_add(&running, zeros, 1);
    hb_digest_add(&running, zeros, 999);
    hb_digest_end(&running, digest);
    assert_hex(digest, sizeof digest, "e071cc69facb079369cc1f1c03930070884481f9e7991b1326b4d19149e98702");

    hb_digest_begin(&running, "sixteen letters.");
    hb_digest_end(&running, digest);
    assert_hex(digest, sizeof digest, "36bf2b9e43ca9f43b2f1c67b621b3d2cb940e1f23ee7792f8f7d8785b2d54a85");

    hb_digest_begin(&running, ""); /* no person: plain BLAKE2b-256 */
    hb_digest_add(&running, "abc", 3);
    hb_digest_end(&running, digest);
    assert_hex(digest, sizeof digest, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

HB_UNIT(digest)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
