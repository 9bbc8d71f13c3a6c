/* Secrets decide neither a branch nor an address, as valgrind's memcheck shows (run). Seeds, keys and plaintexts are
 * marked as undefined memory, all data computed from them stays so, and memcheck reports a jump or an address that
 * depends on it (the idea of A. Langley's ctgrind). Data that becomes public is declared so at that place: public
 * seeds, from which anyone expands the same polynomials.
 *
 * constant_time [control]; control: takes a branch on a secret, which memcheck has to report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench.h"
#include "joint/bfv_pads.h"
#include "joint/contribution.h"
#include "joint/masks.h"
#include "joint/part.h"
#include "joint/party.h"
#include "joint/receiver.h"
#include "joint/sealing.h"
#include "joint/share.h"
#include "joint/sharing.h"
#include "rlwe/sparse_secret.h"
#include "rlwe/switch_key.h"
#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "scheme/sanitize.h"

/* --- the code under test */

/* Draws a key pair, and packs both halves as files have them. */
static void make_pair(const char *preset)
{
    bench b;
    open_keys(&b, preset);
    assert_true(is_secret(b.secret.s.data, bytes_of(&b, b.secret.s)));
    assert_true(is_secret(b.public_key.b.data, bytes_of(&b, b.public_key.b)));
    const size_t bytes = hb_packed_bytes(&b.params->ring, b.params->ids, b.params->key_limbs);
    uint8_t *packed = malloc(bytes), id[HB_KEY_ID_BYTES];
    assert_non_null(packed);
    assert_int_equal(hb_public_key_pack(&b.public_key, packed, NULL), HB_OK);
    PUBLIC(packed, bytes);
    hb_key_id(id, b.params, &(hb_seed){{7}}, packed, NULL);
    free(packed);
    close_bench(&b);
}

/* Makes a key that switches from s^2, and one for a rotation. */
static void make_switch_keys(const char *preset)
{
    bench b;
    open_keys(&b, preset);
    const uint32_t elements[] = {HB_RELINEARIZATION, 5};
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        hb_seed seeds[64], own;
        hb_switch_key key = {0};
        for (size_t j = 0; j < sizeof seeds / sizeof seeds[0]; j++) {
            seeds[j] = (hb_seed){{(uint8_t)j, (uint8_t)i}};
        }
        hb_switch_key_root(&own, &b.root, &b.params->spec, elements[i]);
        assert_int_equal(hb_switch_key_generate(&key, &b.secret, elements[i], &own, seeds), HB_OK);
        assert_true(is_secret(key.parts.data, b.params->ring.n * sizeof *key.parts.data));
        hb_switch_key_clear(&key);
    }
    close_bench(&b);
}

/* Makes the keys that switch from a secret to another one, and to the holder of a public key. */
static void make_rekeying_keys(const char *preset)
{
    bench b;
    open_keys(&b, preset);
    hb_seed seeds[64] = {{{0}}};
    hb_switch_key key = {0};
    const hb_key_purpose purpose = {.source = HB_FROM_SECRET, .other = &b.secret};
    assert_int_equal(hb_switch_key_generate_for(&key, &b.secret, &purpose, &b.root, seeds), HB_OK);
    assert_true(is_secret(key.parts.data, b.params->ring.n * sizeof *key.parts.data));
    hb_switch_key_clear(&key);
    PUBLIC(b.public_key.b.data, bytes_of(&b, b.public_key.b));
    assert_int_equal(hb_switch_key_encrypt(&key, &b.secret, &b.public_key, 0, &b.root), HB_OK);
    assert_true(is_secret(key.parts.data, b.params->ring.n * sizeof *key.parts.data));
    hb_switch_key_clear(&key);
    close_bench(&b);
}

/* Draws the sparse secret of bootstrapping. */
static void draw_sparse_secret(void)
{
    bench b;
    open_keys(&b, "boot-test");
    int8_t *ternary = malloc(b.params->ring.n);
    assert_non_null(ternary);
    hb_sparse_secret_draw(b.params, &b.root, ternary);
    assert_true(is_secret(ternary, b.params->ring.n));
    free(ternary);
    close_bench(&b);
}

enum { COUNT = 2 };

/* Encodes and encrypts secret values, by the secret key or the public one, then decrypts and decodes them. */
static void encrypt_and_decrypt(const char *preset, hb_encoding encoding, bool by_public_key, hb_distribution errors)
{
    bench b;
    open_keys(&b, preset);
    const hb_params *p = b.params;
    const uint32_t limbs = p->fresh_limbs;
    hb_codec *codec;
    hb_encryptor *encryptor;
    hb_decryptor *decryptor;
    hb_batch values, plain, c0 = batch_of(&b, COUNT, limbs), c1 = batch_of(&b, COUNT, limbs),
                            phase = batch_of(&b, COUNT, limbs);
    hb_seed seeds[COUNT];
    assert_int_equal(hb_codec_open(b.engine, p, encoding, &codec), HB_OK);
    assert_int_equal(hb_values_alloc(&values, b.engine, p, COUNT), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, b.engine, p, limbs, COUNT), HB_OK);
    const size_t words = COUNT * hb_values_words(&p->spec);
    const bool real = hb_codec_cell_type(p->spec.scheme) == HB_CELL_REAL;
    for (size_t i = 0; i < words; i++) {
        const double value = 0.25 * (double)(i % 7);
        values.data[i] = i % 100;
        if (real) {
            memcpy(&values.data[i], &value, sizeof value);
        }
    }
    SECRET(values.data, words * sizeof *values.data);
    hb_codec_from_cells(&p->spec, (hb_cell_words){values.data, words, 1}, true);
    assert_int_equal(hb_encode(codec, plain, values), HB_OK);
    assert_int_equal(hb_encryptor_open(b.engine, by_public_key ? NULL : &b.secret, by_public_key ? &b.public_key : NULL,
                                       errors, COUNT, &encryptor),
                     HB_OK);
    PUBLIC(b.public_key.b.data, bytes_of(&b, b.public_key.b));
    assert_int_equal(hb_encrypt(encryptor, c0, by_public_key ? c1 : (hb_batch){0}, seeds, plain, &b.root, 11), HB_OK);
    assert_true(is_secret(c0.data, bytes_of(&b, c0)));
    PUBLIC(c0.data, bytes_of(&b, c0)); /* from here on it is a ciphertext of a file */
    PUBLIC(c1.data, bytes_of(&b, c1));
    assert_int_equal(hb_decryptor_open(b.engine, &b.secret, limbs, COUNT, &decryptor), HB_OK);
    assert_int_equal(by_public_key ? hb_phase(decryptor, phase, c0, c1) : hb_phase_seeded(decryptor, phase, c0, seeds),
                     HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
    assert_int_equal(hb_decode(codec, values, plain), HB_OK);
    hb_codec_to_cells(&p->spec, (hb_cell_words){values.data, words, 1}, true);
    assert_true(is_secret(values.data, words * sizeof *values.data));
    hb_decryptor_close(decryptor);
    hb_encryptor_close(encryptor);
    hb_codec_close(codec);
    hb_batch_free(b.engine, &values);
    hb_batch_free(b.engine, &plain);
    hb_batch_free(b.engine, &c0);
    hb_batch_free(b.engine, &c1);
    hb_batch_free(b.engine, &phase);
    close_bench(&b);
}

/* Draws the noise that hides the errors of results, and adds it. */
static void add_noise(void **state)
{
    (void)state;
    bench b;
    open_keys(&b, "boot-test");
    const uint32_t limbs = b.params->fresh_limbs;
    const hb_flood flood = {.sigma = 0x1p30, .bits = 10};
    hb_flooder *flooder;
    hb_batch plain = batch_of(&b, COUNT, limbs);
    memset(plain.data, 0, bytes_of(&b, plain));
    assert_int_equal(hb_flooder_open(b.engine, b.params, limbs, &flood, &flooder), HB_OK);
    assert_int_equal(hb_flooder_add(flooder, plain, &b.root, 0), HB_OK);
    assert_true(is_secret(plain.data, bytes_of(&b, plain)));
    hb_flooder_close(flooder);
    hb_batch_free(b.engine, &plain);
    close_bench(&b);
}

/* Makes both contributions to a joint relinearization key. */
static void contribute(const bench *b, const hb_seed *own)
{
    const uint8_t id[HB_DIGEST_BYTES] = {1}, inputs[HB_DIGEST_BYTES] = {2};
    const size_t bytes = b->params->ring.n * sizeof(uint64_t);
    hb_switch_key first, second;
    assert_int_equal(hb_owner_relin_first(&first, &b->secret, own, id, b->params->data_limbs), HB_OK);
    assert_true(is_secret(first.parts.data, bytes));
    assert_int_equal(hb_owner_relin_second(&second, &b->secret, own, &first, inputs), HB_OK);
    assert_true(is_secret(second.parts.data, bytes));
    hb_switch_key_clear(&first);
    hb_switch_key_clear(&second);
}

/* Deals shares of the secret, and blinds what they lie on. */
static void deal(const bench *b, const hb_seed *own)
{
    enum { THRESHOLD = 3 };
    const uint8_t inputs[HB_DIGEST_BYTES] = {4};
    const hb_share_test test = {1, inputs};
    const uint32_t limbs = b->params->key_limbs, checks = hb_sharing_checks(b->params);
    hb_batch shares = batch_of(b, 1 + checks, limbs), blinded = batch_of(b, THRESHOLD, limbs);
    assert_int_equal(hb_owner_deal(shares, &b->secret, own, THRESHOLD, 5), HB_OK);
    assert_true(is_secret(shares.data, bytes_of(b, hb_batch_slice(shares, 0, 1))));
    assert_int_equal(hb_owner_blind(blinded, &b->secret, own, &test), HB_OK);
    assert_true(is_secret(blinded.data, bytes_of(b, hb_batch_slice(blinded, 0, 1))));
    hb_batch_free(b->engine, &shares);
    hb_batch_free(b->engine, &blinded);
}

/* Seals a share for another owner and opens it, keeps it and takes it out, and makes the secret of a set's parts of
 * it. */
static void keep_share(const bench *b, const hb_seed *own, hb_secret_key *key)
{
    const uint8_t id[HB_DIGEST_BYTES] = {1}, inputs[HB_DIGEST_BYTES] = {4};
    const hb_seed roots[2] = {{{6}}, {{7}}};
    const uint32_t points[] = {2, 3, 5}, limbs = b->params->key_limbs;
    const size_t bytes = hb_packed_bytes(&b->params->ring, b->params->ids, limbs);
    uint64_t factors[HB_MAX_LIMBS];
    uint8_t *share = malloc(bytes), *box = malloc(bytes + HB_SEAL_BYTES);
    hb_owner_card cards[2];
    hb_batch shares = batch_of(b, 1 + hb_sharing_checks(b->params), limbs);
    assert_true(share != NULL && box != NULL);
    assert_int_equal(hb_party_card(&cards[0], &roots[0], "alice"), HB_OK);
    assert_int_equal(hb_party_card(&cards[1], &roots[1], "bob"), HB_OK);
    assert_int_equal(hb_owner_deal(shares, &b->secret, own, 3, 5), HB_OK);
    assert_int_equal(hb_share_pack(b->engine, b->params, share, hb_batch_slice(shares, 0, 1)), HB_OK);
    assert_true(is_secret(share, bytes));
    const hb_share_way way = {id, &cards[0], &cards[1]};
    assert_int_equal(hb_share_seal(box, &roots[0], &way, share, bytes), HB_OK);
    PUBLIC(box, bytes + HB_SEAL_BYTES); /* of a file that everybody may read */
    assert_int_equal(hb_share_unseal(share, &roots[1], &way, box, bytes), HB_OK);
    SECRET(share, bytes);
    hb_share_keep(box, own, inputs, share, bytes);
    PUBLIC(box, bytes + HB_SEAL_BYTES);
    hb_seed opener = *own;
    PUBLIC(&opener, sizeof opener); /* or that the box opens with it would be secret */
    assert_int_equal(hb_share_take(share, &opener, inputs, box, bytes), HB_OK);
    SECRET(share, bytes);
    hb_lagrange_factors(factors, b->params, limbs, points, 3, 5);
    assert_int_equal(hb_share_load(key, b->engine, b->params, share, factors), HB_OK);
    assert_true(is_secret(key->s.data, bytes_of(b, key->s)));
    free(share);
    free(box);
    hb_batch_free(b->engine, &shares);
}

/* Hides slots that are no cell. */
static void pad(const bench *b, hb_batch h, const hb_seed *seeds)
{
    hb_pads *pads;
    hb_batch strays;
    assert_int_equal(hb_values_alloc(&strays, b->engine, b->params, 1), HB_OK);
    for (size_t i = 0; i < b->params->ring.n; i++) {
        strays.data[i] = i % 3 == 0;
    }
    assert_int_equal(hb_pads_open(b->engine, b->params, h.limbs, HB_ENCODE_SLOTS, COUNT, &pads), HB_OK);
    assert_int_equal(hb_pads_add(pads, h, strays, seeds), HB_OK);
    assert_true(is_secret(h.data, bytes_of(b, h)));
    hb_pads_close(pads);
    hb_batch_free(b->engine, &strays);
}

/* Masks parts, for two owners. */
static void mask(const bench *b, hb_batch h)
{
    const uint8_t contexts[COUNT][HB_DIGEST_BYTES] = {{5}};
    const hb_seed roots[2] = {{{6}}, {{7}}};
    hb_owner_card cards[2];
    hb_masks *masks;
    assert_int_equal(hb_party_card(&cards[0], &roots[0], "alice"), HB_OK);
    assert_int_equal(hb_party_card(&cards[1], &roots[1], "bob"), HB_OK);
    const hb_mask_owners owners = {cards, 2, 1, &roots[1]};
    assert_int_equal(hb_masks_open(b->engine, b->params, h.limbs, &owners, COUNT, &masks), HB_OK);
    assert_int_equal(hb_masks_add(masks, h, contexts[0], sizeof contexts[0]), HB_OK);
    assert_true(is_secret(h.data, bytes_of(b, h)));
    hb_masks_close(masks);
}

/* Makes parts of decryptions, and turns them to a key. */
static void joint_keys(void **state)
{
    (void)state;
    bench b;
    const uint8_t context[HB_DIGEST_BYTES] = {3};
    const hb_exact_flood flood = {.u = 70, .w = 56};
    hb_receiver *receiver;
    hb_secret_key share;
    hb_seed own, seeds[COUNT];
    open_keys(&b, "bfv-4096");
    const uint32_t limbs = b.params->data_limbs;
    hb_batch h0 = batch_of(&b, COUNT, limbs), h1 = batch_of(&b, COUNT, limbs);
    memset(h0.data, 0, bytes_of(&b, h0));
    hb_owner_root(&own, &b.root, context);
    contribute(&b, &own);
    deal(&b, &own);
    for (size_t c = 0; c < COUNT; c++) {
        hb_part_seed(&seeds[c], &own, context);
    }
    assert_true(is_secret(seeds, sizeof seeds));
    assert_int_equal(hb_part_make(b.engine, &b.secret, flood, h0, h0, seeds), HB_OK);
    assert_true(is_secret(h0.data, bytes_of(&b, h0)));
    keep_share(&b, &own, &share);
    PUBLIC(h0.data, bytes_of(&b, h0)); /* as a component 1 of anybody's */
    assert_int_equal(hb_part_make(b.engine, &share, flood, h0, h0, seeds), HB_OK);
    assert_true(is_secret(h0.data, bytes_of(&b, h0)));
    pad(&b, h0, seeds);
    mask(&b, h0);
    assert_int_equal(hb_receiver_open(b.engine, &b.public_key, limbs, COUNT, &receiver), HB_OK);
    assert_int_equal(hb_receiver_turn(receiver, h0, h1, seeds), HB_OK);
    assert_true(is_secret(h1.data, bytes_of(&b, h1)));
    hb_receiver_close(receiver);
    hb_secret_key_clear(&share);
    hb_batch_free(b.engine, &h0);
    hb_batch_free(b.engine, &h1);
    close_bench(&b);
}

/* Sanitizes ciphertexts by a secret root. Uniform values of strays are drawn as those of public seeds are, with
 * rejection, which says nothing of words that are taken. */
static void sanitize_results(void **state)
{
    (void)state;
    bench b;
    open_keys(&b, "bfv-8192");
    const hb_params *p = b.params;
    const uint32_t limbs = p->fresh_limbs;
    const hb_filled_slots cells[COUNT] = {{100, 1, 1}, {0, 0, 1}};
    hb_sanitize_plan plan;
    hb_sanitizer *sanitizer;
    hb_ciphertexts a;
    const hb_quality noise = hb_quality_fresh(p, true, HB_BINOMIAL);
    PUBLIC(b.public_key.b.data, bytes_of(&b, b.public_key.b));
    assert_int_equal(hb_sanitize_plan_make(p, limbs, noise, (hb_sanitize_request){COUNT, 40, HB_SANITIZE_LEAVE}, &plan),
                     HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&a, b.engine, p, 2, COUNT, limbs), HB_OK);
    memset(a.all.data, 0, bytes_of(&b, a.all));
    const hb_ciphertexts r = hb_ciphertexts_view(a, b.engine, p, 2, COUNT, plan.to);
    assert_int_equal(hb_sanitizer_open(b.engine, &b.public_key, HB_ENCODE_SLOTS, &plan, COUNT, &sanitizer), HB_OK);
    assert_int_equal(hb_sanitize(sanitizer, r, a, cells, &b.root, 3), HB_OK);
    assert_true(is_secret(r.all.data, bytes_of(&b, r.all)));
    hb_sanitizer_close(sanitizer);
    hb_batch_free(b.engine, &a.all);
    close_bench(&b);
}

static void key_pairs(void **state)
{
    (void)state;
    make_pair("bfv-4096");
    make_pair("boot-test");
}

static void switch_keys(void **state)
{
    (void)state;
    make_switch_keys("bfv-4096");
    make_switch_keys("boot-test");
}

static void rekeying_keys(void **state)
{
    (void)state;
    make_rekeying_keys("bfv-4096");
    make_rekeying_keys("boot-test");
}

static void sparse_secrets(void **state)
{
    (void)state;
    draw_sparse_secret();
}

static void ciphertexts(void **state)
{
    (void)state;
    encrypt_and_decrypt("bfv-4096", HB_ENCODE_SLOTS, false, HB_GAUSSIAN);
    encrypt_and_decrypt("bfv-4096", HB_ENCODE_COEFFICIENTS, true, HB_BINOMIAL);
    encrypt_and_decrypt("boot-test", HB_ENCODE_SLOTS, false, HB_GAUSSIAN);
    encrypt_and_decrypt("boot-test", HB_ENCODE_COEFFICIENTS, true, HB_GAUSSIAN);
    encrypt_and_decrypt(NULL, HB_ENCODE_SLOTS, true, HB_GAUSSIAN);
}

/* A branch on a secret. */
static int control(void)
{
    bench b;
    volatile int ones = 0;
    open_keys(&b, "bfv-4096");
    for (size_t i = 0; i < b.params->ring.n; i++) {
        if (b.ternary[i] == 1) {
            ones++;
        }
    }
    close_bench(&b);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(key_pairs),     cmocka_unit_test(switch_keys),
                                       cmocka_unit_test(rekeying_keys), cmocka_unit_test(sparse_secrets),
                                       cmocka_unit_test(ciphertexts),   cmocka_unit_test(add_noise),
                                       cmocka_unit_test(joint_keys),    cmocka_unit_test(sanitize_results)};
    assert_int_equal(hb_seed_start(), HB_OK);
    if (argc > 1 && strcmp(argv[1], "control") == 0) {
        return control();
    }
    if (RUNNING_ON_VALGRIND == 0) {
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
