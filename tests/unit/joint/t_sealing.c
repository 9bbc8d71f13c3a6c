/* Secrets between owners: the same from both sides, for one way alone, against libsodium's own calls; nothing opens
 * that was changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "base/status.h"
#include "joint/sealing.h"
#include "unit/unit.h"

enum { OWNERS = 3, BYTES = 40 };

typedef struct owners {
    hb_seed root[OWNERS];
    hb_owner_card card[OWNERS];
} owners;

static owners make_owners(void)
{
    static const char *const names[OWNERS] = {"alice", "bob", "carol"};
    owners r;
    memset(&r, 0, sizeof r);
    for (uint32_t i = 0; i < OWNERS; i++) {
        r.root[i].bytes[0] = (uint8_t)(i + 1);
        assert_int_equal(hb_party_card(&r.card[i], &r.root[i], names[i]), HB_OK);
    }
    return r;
}

/* The secret key of a card, as libsodium has it. */
static void box_key_of(uint8_t key[crypto_box_SECRETKEYBYTES], const hb_seed *root)
{
    uint8_t public_key[crypto_box_PUBLICKEYBYTES];
    hb_seed seed;
    hb_seed_derive(&seed, root, "box");
    assert_int_equal(crypto_box_seed_keypair(public_key, key, seed.bytes), 0);
}

static void pairs_have_one_secret(void **state)
{
    (void)state;
    owners o = make_owners();
    hb_pair_secret ab, ba, ac;
    uint8_t key[crypto_box_SECRETKEYBYTES], direct[crypto_scalarmult_BYTES];
    assert_int_equal(hb_pair_secret_make(&ab, &o.root[0], &o.card[1]), HB_OK);
    assert_int_equal(hb_pair_secret_make(&ba, &o.root[1], &o.card[0]), HB_OK);
    assert_int_equal(hb_pair_secret_make(&ac, &o.root[0], &o.card[2]), HB_OK);
    assert_memory_equal(&ab, &ba, sizeof ab);
    assert_memory_not_equal(&ab, &ac, sizeof ab);
    box_key_of(key, &o.root[0]);
    assert_int_equal(crypto_scalarmult(direct, key, o.card[1].box), 0);
    assert_memory_equal(&ab, direct, sizeof ab);
}

static void keys_of_low_order_are_refused(void **state)
{
    (void)state;
    owners o = make_owners();
    hb_pair_secret secret;
    const uint8_t session[HB_DIGEST_BYTES] = {9}, message[BYTES] = {1};
    uint8_t box[BYTES + HB_SEAL_BYTES];
    const hb_share_way way = {session, &o.card[0], &o.card[1]};
    for (uint8_t low = 0; low < 2; low++) { /* points of order 4 and 1 */
        memset(o.card[1].box, 0, sizeof o.card[1].box);
        o.card[1].box[0] = low;
        assert_int_equal(hb_pair_secret_make(&secret, &o.root[0], &o.card[1]), HB_EDATA);
        assert_non_null(strstr(hb_last_error()->text, "the card of bob has a key of low order"));
        assert_int_equal(hb_share_seal(box, &o.root[0], &way, message, sizeof message), HB_EDATA);
    }
}

static void shares_open_for_one_owner(void **state)
{
    (void)state;
    owners o = make_owners();
    const uint8_t session[HB_DIGEST_BYTES] = {9}, other[HB_DIGEST_BYTES] = {8};
    uint8_t message[BYTES], read[BYTES], box[BYTES + HB_SEAL_BYTES], again[sizeof box], key[crypto_box_SECRETKEYBYTES],
        nonce[HB_DIGEST_BYTES];
    const hb_share_way way = {session, &o.card[0], &o.card[1]}, elsewhere = {other, &o.card[0], &o.card[1]},
                       back = {session, &o.card[1], &o.card[0]}, theirs = {session, &o.card[0], &o.card[2]};
    memset(message, 0x5a, sizeof message);
    assert_int_equal(hb_share_seal(box, &o.root[0], &way, message, sizeof message), HB_OK);
    assert_int_equal(hb_share_seal(again, &o.root[0], &way, message, sizeof message), HB_OK);
    assert_memory_equal(box, again, sizeof box);
    assert_int_equal(hb_share_unseal(read, &o.root[1], &way, box, sizeof read), HB_OK);
    assert_memory_equal(read, message, sizeof read);
    assert_int_equal(hb_share_unseal(read, &o.root[1], &elsewhere, box, sizeof read), HB_EDATA);
    assert_int_equal(hb_share_unseal(read, &o.root[0], &back, box, sizeof read), HB_EDATA);
    assert_int_equal(hb_share_unseal(read, &o.root[2], &theirs, box, sizeof read), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "the share that alice dealt does not open"));
    for (size_t i = 0; i < sizeof box; i++) {
        box[i] ^= 4;
        assert_int_equal(hb_share_unseal(read, &o.root[1], &way, box, sizeof read), HB_EDATA);
        box[i] ^= 4;
    }
    /* The box as header and libsodium say. */
    hb_digest_state x;
    hb_digest_begin(&x, "hebatch share");
    hb_digest_add(&x, session, sizeof session);
    hb_digest_add_u64(&x, 5);
    hb_digest_add(&x, "alice", 5);
    hb_digest_add_u64(&x, 3);
    hb_digest_add(&x, "bob", 3);
    hb_digest_end(&x, nonce);
    box_key_of(key, &o.root[1]);
    assert_int_equal(crypto_box_open_easy(read, box, sizeof box, nonce, o.card[0].box, key), 0);
    assert_memory_equal(read, message, sizeof read);
}

static void kept_shares_open_with_the_root(void **state)
{
    (void)state;
    const hb_seed own = {{1}}, other = {{2}};
    const uint8_t inputs[HB_DIGEST_BYTES] = {3}, others[HB_DIGEST_BYTES] = {4};
    uint8_t share[BYTES], read[BYTES], box[BYTES + HB_SEAL_BYTES], again[sizeof box];
    memset(share, 0x77, sizeof share);
    hb_share_keep(box, &own, inputs, share, sizeof share);
    hb_share_keep(again, &own, others, share, sizeof share);
    assert_memory_not_equal(box, again, sizeof box);
    assert_int_equal(hb_share_take(read, &own, inputs, box, sizeof read), HB_OK);
    assert_memory_equal(read, share, sizeof read);
    assert_int_equal(hb_share_take(read, &other, inputs, box, sizeof read), HB_EDATA);
    assert_int_equal(hb_share_take(read, &own, others, box, sizeof read), HB_EDATA);
    for (size_t i = 0; i < sizeof box; i++) {
        box[i] ^= 1;
        assert_int_equal(hb_share_take(read, &own, inputs, box, sizeof read), HB_EDATA);
        box[i] ^= 1;
    }
}

HB_UNIT(sealing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_one_secret),
        cmocka_unit_test(keys_of_low_order_are_refused),
        cmocka_unit_test(shares_open_for_one_owner),
        cmocka_unit_test(kept_shares_open_with_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
