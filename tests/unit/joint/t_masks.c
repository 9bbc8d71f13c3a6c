/* Parts of decryptions by T of n owners: those of any T decrypt as the sum of all secrets, of fewer they are noise; and
 * what parts without masks tell. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/joint_cipher.h"
#include "reference/joint_shares.h"
#include "unit/unit.h"

static const joint_chain chains[] = {
    {1024, {45, 45, 45, 45, 45, 46}, 6, 1032193},
    {2048, {49, 50, 50, 50, 50, 51}, 6, 786433},
};

static void open_world(joint_world *w, joint_shares *s, const joint_chain *chain, uint32_t owners, uint32_t threshold)
{
    joint_world_open(w, chain, owners, 6);
    joint_threshold(w, threshold, 6);
    joint_make_keys(w);
    joint_deal(w, s);
}

static void cards_of(const joint_world *w, const joint_set *set, hb_owner_card *cards)
{
    for (uint32_t i = 0; i < set->count; i++) {
        cards[i] = w->cards[set->owner[i]];
    }
}

/* The contexts of parts of these ciphertexts by a set. */
static void make_contexts(const joint_world *w, const joint_set *set, const hb_part_plan *plan, hb_batch c1,
                          uint8_t contexts[COUNT][HB_DIGEST_BYTES])
{
    hb_owner_card cards[JOINT_MOST];
    uint8_t digests[COUNT][HB_DIGEST_BYTES];
    const hb_part_request request = {.session_id = w->id, .owners = cards, .count = set->count, .plan = *plan};
    cards_of(w, set, cards);
    joint_c1_digests(w, c1, digests);
    for (size_t c = 0; c < COUNT; c++) {
        hb_part_context(contexts[c], &request, digests[c]);
    }
}

/* How a part is made; the second is insecure. */
typedef enum way { MASKED, WITHOUT_MASKS } way;

static void add_masks(const joint_world *w, const joint_set *set, uint32_t k, hb_batch h,
                      uint8_t contexts[COUNT][HB_DIGEST_BYTES])
{
    hb_owner_card cards[JOINT_MOST];
    hb_masks *masks;
    cards_of(w, set, cards);
    const hb_mask_owners owners = {cards, set->count, k, &w->owner[set->owner[k]].root};
    assert_int_equal(hb_masks_open(w->engine, w->params, h.limbs, &owners, COUNT, &masks), HB_OK);
    assert_int_equal(hb_masks_add(masks, h, contexts[0], sizeof contexts[0]), HB_OK);
    hb_masks_close(masks);
}

/* The part of member k of a set, h: [COUNT], which held component 1. */
static void make_part(const joint_world *w, const joint_shares *s, const joint_set *set, uint32_t k,
                      const hb_part_plan *plan, hb_batch h, way how)
{
    const joint_owner *o = &w->owner[set->owner[k]];
    uint8_t contexts[COUNT][HB_DIGEST_BYTES];
    hb_seed seeds[COUNT];
    hb_secret_key key = joint_share_key(w, s, set, k);
    make_contexts(w, set, plan, h, contexts);
    for (size_t c = 0; c < COUNT; c++) {
        hb_part_seed(&seeds[c], &o->own, contexts[c]);
    }
    assert_int_equal(hb_part_make(w->engine, &key, plan->flood, h, h, seeds), HB_OK);
    if (how == MASKED) {
        add_masks(w, set, k, h, contexts);
    }
    hb_secret_key_clear(&key);
}

/* Component 0 and the parts of the first `parts` members of a set. */
static hb_batch add_parts(const joint_world *w, const joint_shares *s, const sealed *a, const joint_set *set,
                          uint32_t parts, const hb_part_plan *plan)
{
    hb_batch phase, h;
    copy_pair(w, a, &phase, &h);
    for (uint32_t k = 0; k < parts; k++) {
        assert_int_equal(hb_copy(w->engine, h, hb_ciphertexts_component(a->c, 1)), HB_OK);
        make_part(w, s, set, k, plan, h, MASKED);
        assert_int_equal(hb_add(w->engine, phase, phase, h), HB_OK);
    }
    hb_batch_free(w->engine, &h);
    return phase;
}

/* Whether the parts of the first `parts` members give the table; noise above what the plan proves is noticed. */
static bool decrypts(const joint_world *w, const joint_shares *s, const sealed *a, const joint_set *set, uint32_t parts)
{
    const hb_params *p = w->params;
    const size_t bytes = COUNT * p->spec.n * sizeof(uint64_t);
    hb_part_plan plan;
    hb_decryptor *combiner;
    hb_codec *codec;
    hb_batch plain, values;
    uint32_t budgets[COUNT];
    assert_int_equal(
        hb_part_plan_make(p, p->data_limbs, a->noise.worst, w->session.threshold, w->session.results, 0, &plan), HB_OK);
    hb_batch phase = add_parts(w, s, a, set, parts, &plan);
    assert_int_equal(hb_combiner_open(w->engine, p, p->data_limbs, COUNT, &combiner), HB_OK);
    assert_int_equal(hb_codec_open(w->engine, p, HB_ENCODE_SLOTS, &codec), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, p, p->data_limbs, COUNT), HB_OK);
    assert_int_equal(hb_values_alloc(&values, w->engine, p, COUNT), HB_OK);
    const hb_status st = hb_combiner_decrypt(combiner, plain, phase, &plan, 0, budgets);
    assert_true(st == HB_OK || st == HB_EDATA);
    if (st == HB_OK) {
        /* No bound is far from what was measured. */
        assert_true(budgets[0] <= hb_quality_bits(p, p->data_limbs, plan.worst) + 3);
        assert_int_equal(hb_decode(codec, values, plain), HB_OK);
        assert_memory_equal(values.data, a->values, bytes);
    }
    hb_batch_free(w->engine, &phase);
    hb_batch_free(w->engine, &plain);
    hb_batch_free(w->engine, &values);
    hb_codec_close(codec);
    hb_decryptor_close(combiner);
    return st == HB_OK;
}

static void any_t_owners_decrypt(void **state)
{
    (void)state;
    static const uint32_t cases[][3] = {{3, 2, 0}, {5, 3, 0}, {4, 3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t owners = cases[i][0], threshold = cases[i][1];
        joint_world w;
        joint_shares s;
        open_world(&w, &s, &chains[cases[i][2]], owners, threshold);
        sealed a = encrypt(&w, 11);
        for (uint32_t bits = 0; bits < 1u << owners; bits++) {
            const joint_set set = joint_set_of(bits);
            if (set.count == threshold) {
                assert_true(decrypts(&w, &s, &a, &set, threshold));
                assert_false(decrypts(&w, &s, &a, &set, threshold - 1));
            }
        }
        const joint_set fewer = joint_set_of((1u << (threshold - 1)) - 1);
        assert_false(decrypts(&w, &s, &a, &fewer, fewer.count)); /* whose factors are those of a smaller set */
        sealed_free(&w, &a);
        joint_shares_free(&w, &s);
        joint_world_close(&w);
    }
}

/* The masks of the last member, of contexts with others between them, are `wanted`. */
static void check_spaced(const joint_world *w, const joint_set *set, hb_batch wanted,
                         uint8_t contexts[COUNT][HB_DIGEST_BYTES])
{
    uint8_t spaced[COUNT][2][HB_DIGEST_BYTES] = {{{7}, {7}}, {{7}, {7}}};
    hb_owner_card cards[JOINT_MOST];
    hb_masks *masks;
    hb_batch h;
    cards_of(w, set, cards);
    const hb_mask_owners owners = {cards, set->count, set->count - 1, &w->owner[set->owner[set->count - 1]].root};
    for (size_t c = 0; c < COUNT; c++) {
        memcpy(spaced[c][1], contexts[c], HB_DIGEST_BYTES);
    }
    assert_int_equal(hb_batch_alloc(w->engine, &h, COUNT, wanted.limbs, w->params->ids), HB_OK);
    assert_int_equal(hb_clear(w->engine, h), HB_OK);
    assert_int_equal(hb_masks_open(w->engine, w->params, h.limbs, &owners, COUNT, &masks), HB_OK);
    assert_int_equal(hb_masks_add(masks, h, spaced[0][1], sizeof spaced[0]), HB_OK);
    assert_memory_equal(h.data, wanted.data, COUNT * h.stride * sizeof(uint64_t));
    hb_masks_close(masks);
    hb_batch_free(w->engine, &h);
}

/* Masks of all members add up to nothing; of fewer they are uniform, and other contexts or sets have others. Contexts
 * may have anything between them. */
static void masks_cancel(void **state)
{
    (void)state;
    joint_world w;
    joint_shares s;
    uint8_t contexts[COUNT][HB_DIGEST_BYTES] = {{1}, {2}};
    open_world(&w, &s, &chains[0], 5, 4);
    const joint_set set = joint_set_of(0x1d); /* 0, 2, 3, 4 */
    const uint32_t limbs = w.params->data_limbs;
    const size_t words = COUNT * limbs * w.params->spec.n;
    hb_batch sum, one, again;
    assert_int_equal(hb_batch_alloc(w.engine, &sum, COUNT, limbs, w.params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(w.engine, &one, COUNT, limbs, w.params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(w.engine, &again, COUNT, limbs, w.params->ids), HB_OK);
    assert_int_equal(hb_clear(w.engine, sum), HB_OK);
    for (uint32_t k = 0; k < set.count; k++) {
        uint64_t zeros;
        assert_int_equal(hb_clear(w.engine, one), HB_OK);
        add_masks(&w, &set, k, one, contexts);
        assert_int_equal(hb_add(w.engine, sum, sum, one), HB_OK);
        assert_int_equal(hb_count_zeros(w.engine, &zeros, sum), HB_OK);
        assert_true(k + 1 == set.count ? zeros == words : zeros < 3);
    }
    contexts[1][31] ^= 1;
    assert_int_equal(hb_clear(w.engine, again), HB_OK);
    add_masks(&w, &set, 3, again, contexts);
    assert_memory_equal(one.data, again.data, words / COUNT * sizeof(uint64_t));
    assert_memory_not_equal(one.data + words / COUNT, again.data + words / COUNT, 64 * sizeof(uint64_t));
    contexts[1][31] ^= 1;
    const joint_set other = joint_set_of(0x17); /* 0, 1, 2, 4: its last member is the same owner */
    assert_int_equal(hb_clear(w.engine, again), HB_OK);
    add_masks(&w, &other, 3, again, contexts);
    for (size_t c = 0; c < COUNT; c++) {
        assert_memory_not_equal(one.data + c * (words / COUNT), again.data + c * (words / COUNT),
                                64 * sizeof(uint64_t));
    }
    check_spaced(&w, &set, one, contexts);
    hb_batch_free(w.engine, &sum);
    hb_batch_free(w.engine, &one);
    hb_batch_free(w.engine, &again);
    joint_shares_free(&w, &s);
    joint_world_close(&w);
}

/* --- an attack on parts without masks */

enum { SMALL = 5 };

/* Centred integers of one polynomial modulo SMALL: by mixed radix, whose last digit tells the sign of what is far below
 * the product of the primes. */
static void centred_small(const joint_world *w, const uint64_t *words, uint32_t *r)
{
    const size_t n = w->params->spec.n;
    const uint32_t limbs = w->params->data_limbs;
    for (size_t i = 0; i < n; i++) {
        uint64_t digit[HB_MAX_LIMBS], value = 0, radix = 1;
        for (uint32_t l = 0; l < limbs; l++) {
            const uint64_t q = w->params->ring.moduli[w->params->ids[l]].value;
            digit[l] = words[l * n + i];
            for (uint32_t k = 0; k < l; k++) {
                const uint64_t p = w->params->ring.moduli[w->params->ids[k]].value;
                digit[l] = slow_mul((digit[l] + q - digit[k] % q) % q, slow_pow(p % q, q - 2, q), q);
            }
            value = (value + digit[l] % SMALL * radix) % SMALL;
            radix = radix * (q % SMALL) % SMALL;
            if (l + 1 == limbs && digit[l] > q / 2) {
                value = (value + SMALL - radix) % SMALL;
            }
        }
        r[i] = (uint32_t)value;
    }
}

/* 5 h - 9 known, of which the attackers know everything; with `known` = -c_0 - (l_4 S_4 + l_5 S_5) c_1 of encryptions
 * of zero, l of the set of 1, 4 and 5. Returns how many coefficients of ciphertext 0 it tells, divided by 9, right. */
static size_t attack(const joint_world *w, const joint_shares *s, const sealed *a, const uint32_t *truth, way how)
{
    hb_engine *e = w->engine;
    const joint_set set = joint_set_of(0x07), theirs = joint_set_of(0x19); /* 1, 2, 3; 1, 4, 5 */
    const size_t n = w->params->spec.n;
    const uint32_t limbs = w->params->data_limbs;
    uint64_t five[HB_MAX_LIMBS], nine[HB_MAX_LIMBS];
    hb_part_plan plan;
    hb_batch known, h, work;
    size_t right = 0;
    uint32_t *found = malloc(n * sizeof *found);
    for (uint32_t l = 0; l < limbs; l++) {
        five[l] = 5;
        nine[l] = 9;
    }
    assert_int_equal(hb_part_plan_make(w->params, limbs, a->noise.worst, 3, w->session.results, 0, &plan), HB_OK);
    copy_pair(w, a, &known, &h);
    assert_int_equal(hb_negate(e, known, known), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &work, COUNT, limbs, w->params->ids), HB_OK);
    for (uint32_t k = 1; k < 3; k++) {
        hb_secret_key key = joint_share_key(w, s, &theirs, k);
        assert_int_equal(hb_ntt_mul(e, work, h, hb_batch_limbs(e, key.s, 0, limbs)), HB_OK);
        assert_int_equal(hb_intt(e, work), HB_OK);
        assert_int_equal(hb_sub(e, known, known, work), HB_OK);
        hb_secret_key_clear(&key);
    }
    make_part(w, s, &set, 0, &plan, h, how);
    assert_int_equal(hb_scale(e, h, h, five), HB_OK);
    assert_int_equal(hb_scale(e, known, known, nine), HB_OK);
    assert_int_equal(hb_sub(e, h, h, known), HB_OK);
    centred_small(w, h.data, found);
    for (size_t i = 0; i < n; i++) {
        right += found[i] * 4 % SMALL == truth[i]; /* 4 is 1 / 9 */
    }
    hb_batch_free(e, &known);
    hb_batch_free(e, &h);
    hb_batch_free(e, &work);
    free(found);
    return right;
}

/* Owners 4 and 5 of 5 look at the part that owner 1 makes for a decryption by 1, 2 and 3. Flooding does not help: of
 * the error d of a phase they know d modulo 5, which is linear in s. Masks do. */
static void parts_without_masks_tell_errors(void **state)
{
    (void)state;
    joint_world w;
    joint_shares s;
    hb_batch phase, c1;
    hb_decryptor *decryptor;
    open_world(&w, &s, &chains[0], 5, 3);
    const size_t n = w.params->spec.n;
    uint32_t *truth = malloc(n * sizeof *truth);
    sealed a = encrypt_of(&w, 12, ZEROS);
    copy_pair(&w, &a, &phase, &c1);
    assert_int_equal(hb_decryptor_open(w.engine, &w.sum, w.params->data_limbs, COUNT, &decryptor), HB_OK);
    assert_int_equal(hb_phase(decryptor, phase, phase, c1), HB_OK); /* of zero: the error itself */
    centred_small(&w, phase.data, truth);
    assert_int_equal(attack(&w, &s, &a, truth, WITHOUT_MASKS), n);
    const double by_chance = (double)attack(&w, &s, &a, truth, MASKED) / (double)n;
    assert_true(fabs(by_chance - 0.2) < 0.06);
    hb_decryptor_close(decryptor);
    hb_batch_free(w.engine, &phase);
    hb_batch_free(w.engine, &c1);
    sealed_free(&w, &a);
    joint_shares_free(&w, &s);
    joint_world_close(&w);
    free(truth);
}

HB_UNIT(masks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_t_owners_decrypt),
        cmocka_unit_test(masks_cancel),
        cmocka_unit_test(parts_without_masks_tell_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
