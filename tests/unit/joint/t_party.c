/* Cards and signatures: those of a root are always the same, and a signature is for its facts alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "joint/party.h"
#include "reference/hex.h"
#include "unit/unit.h"

static const hb_seed root = {{1, 2, 3}}, other_root = {{1, 2, 4}};
static const uint8_t session[HB_DIGEST_BYTES] = {7}, body[HB_DIGEST_BYTES] = {8}, zeros[HB_DIGEST_BYTES];

static void cards_follow_from_roots(void **state)
{
    (void)state;
    hb_owner_card card, again, other, named;
    uint8_t prints[3][HB_DIGEST_BYTES];
    assert_int_equal(hb_party_card(&card, &root, "alice"), HB_OK);
    assert_int_equal(hb_party_card(&again, &root, "alice"), HB_OK);
    assert_memory_equal(&card, &again, sizeof card);
    assert_int_equal(hb_party_card(&other, &other_root, "alice"), HB_OK);
    assert_int_equal(hb_party_card(&named, &root, "alice-2"), HB_OK);
    assert_memory_not_equal(card.sign, other.sign, sizeof card.sign);
    assert_memory_not_equal(card.box, other.box, sizeof card.box);
    assert_memory_not_equal(card.nonce, other.nonce, sizeof card.nonce);
    assert_memory_not_equal(card.sign, card.box, sizeof card.sign);
    hb_card_fingerprint(prints[0], &card);
    hb_card_fingerprint(prints[1], &other);
    hb_card_fingerprint(prints[2], &named);
    assert_memory_not_equal(prints[0], prints[1], sizeof prints[0]);
    assert_memory_not_equal(prints[0], prints[2], sizeof prints[0]);
    static const char *const bad[] = {"", "Alice", "al ice", "a/b", "..", "012345678901234567890123456789012"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(hb_party_card(&again, &root, bad[i]), HB_EUSAGE);
    }
    assert_int_equal(hb_party_card(&again, &root, "01234567890123456789012345678901"), HB_OK);
}

/* Python's cryptography, of OpenSSL, and hashlib make the same of the same root. */
static void keys_are_of_another_library(void **state)
{
    (void)state;
    hb_owner_card card;
    uint8_t signature[HB_SIGNATURE_BYTES], print[HB_DIGEST_BYTES];
    const hb_signed_facts facts = {"first", session, "alice", body};
    assert_int_equal(hb_party_card(&card, &root, "alice"), HB_OK);
    hb_party_sign(signature, &root, &facts);
    hb_card_fingerprint(print, &card);
    assert_hex(card.sign, sizeof card.sign, "f241a0af31ef43cecb1a491207ef3a9ff6a87c4ba589442be27b88b70767bafe");
    assert_hex(card.box, sizeof card.box, "36391bfd8e605abc153ffc012a9005cad6d879a4f040899f7d49dd7b52aef908");
    assert_hex(signature, sizeof signature,
               "20883fb062dd87b584a74ab7b7f3d2b1078dedac2120d9073ae8c14bd75f482a"
               "39ec83f79bdd8bfcfbb873014d313006965e1b344f54b538c087c372c8e5400e");
    assert_hex(print, sizeof print, "5815afacb917cc5baf00b4e34719a493c9e76663bfd60acc8e3d983775d1d5bd");
}

static void signatures_are_for_their_facts(void **state)
{
    (void)state;
    hb_owner_card card, other;
    uint8_t signature[HB_SIGNATURE_BYTES];
    const hb_signed_facts facts = {"first", session, "alice", body};
    assert_int_equal(hb_party_card(&card, &root, "alice"), HB_OK);
    assert_int_equal(hb_party_card(&other, &other_root, "alice"), HB_OK);
    hb_party_sign(signature, &root, &facts);
    assert_true(hb_card_signed(&card, signature, &facts));
    assert_false(hb_card_signed(&other, signature, &facts));
    const hb_signed_facts wrong[] = {{"second", session, "alice", body},
                                     {"first", zeros, "alice", body},
                                     {"first", session, "bob", body},
                                     {"first", session, "alice", zeros}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(hb_card_signed(&card, signature, &wrong[i]));
    }
    for (size_t bit = 0; bit < 8 * sizeof signature; bit += 7) {
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(hb_card_signed(&card, signature, &facts));
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    strcpy(card.name, "bob"); /* signed by alice's key, in another name */
    assert_false(hb_card_signed(&card, signature, &facts));
}

static void commitments_and_inputs_depend_on_all(void **state)
{
    (void)state;
    uint8_t c[8][HB_DIGEST_BYTES], bodies[3 * HB_DIGEST_BYTES] = {1};
    hb_joint_commitment(c[0], session, "alice", body);
    hb_joint_commitment(c[1], zeros, "alice", body);
    hb_joint_commitment(c[2], session, "alicf", body);
    hb_joint_commitment(c[3], session, "alice", zeros);
    hb_joint_bodies_digest(c[4], session, 3, bodies);
    hb_joint_bodies_digest(c[5], session, 2, bodies);
    hb_joint_bodies_digest(c[6], zeros, 3, bodies);
    bodies[3 * HB_DIGEST_BYTES - 1] = 1;
    hb_joint_bodies_digest(c[7], session, 3, bodies);
    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(c[i], c[j], sizeof c[i]);
        }
    }
}

HB_UNIT(party)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cards_follow_from_roots),
        cmocka_unit_test(keys_are_of_another_library),
        cmocka_unit_test(signatures_are_for_their_facts),
        cmocka_unit_test(commitments_and_inputs_depend_on_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
