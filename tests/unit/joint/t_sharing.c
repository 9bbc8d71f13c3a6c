/* Shares of secrets: any T of them give the sum of the secrets, fewer do not, and wrong ones are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/joint_shares.h"
#include "reference/slow.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {36, 40, 50}, 3, 65537};

static void open_world(joint_world *w, uint32_t owners, uint32_t threshold)
{
    joint_world_open(w, &chain, owners, 4);
    joint_threshold(w, threshold, 4);
}

static size_t words_of(const joint_world *w)
{
    return w->params->key_limbs * w->params->spec.n;
}

/* Whether the shares of a set add up to the sum of the secrets. */
static bool gives_secret(const joint_world *w, const joint_shares *s, uint32_t bits)
{
    const joint_set set = joint_set_of(bits);
    hb_batch sum = joint_polynomials(w, 1);
    assert_int_equal(hb_clear(w->engine, sum), HB_OK);
    for (uint32_t k = 0; k < set.count; k++) {
        hb_secret_key key = joint_share_key(w, s, &set, k);
        assert_int_equal(hb_add(w->engine, sum, sum, key.s), HB_OK);
        hb_secret_key_clear(&key);
    }
    const bool same = memcmp(sum.data, w->sum.s.data, words_of(w) * sizeof(uint64_t)) == 0;
    hb_batch_free(w->engine, &sum);
    return same;
}

static void any_t_shares_give_the_secret(void **state)
{
    (void)state;
    static const uint32_t cases[][2] = {{3, 2}, {5, 3}, {5, 4}, {6, 2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t owners = cases[c][0], threshold = cases[c][1];
        joint_world w;
        joint_shares s;
        open_world(&w, owners, threshold);
        joint_deal(&w, &s);
        for (uint32_t bits = 1; bits < 1u << owners; bits++) {
            /* More than T are on the polynomial, too. */
            assert_int_equal(gives_secret(&w, &s, bits), joint_set_of(bits).count >= threshold);
        }
        joint_shares_free(&w, &s);
        joint_world_close(&w);
    }
}

/* Against Fermat's inverses of the whole products, worked out by slow arithmetic. */
static void lagrange_factors_are_right(void **state)
{
    (void)state;
    static const uint32_t points[] = {1, 5, 7, 64};
    joint_world w;
    open_world(&w, 3, 2);
    for (size_t i = 0; i < 4; i++) {
        uint64_t factors[HB_MAX_LIMBS];
        hb_lagrange_factors(factors, w.params, 3, points, 4, points[i]);
        for (uint32_t l = 0; l < 3; l++) {
            const uint64_t q = w.params->ring.moduli[w.params->ids[l]].value;
            uint64_t left = factors[l], right = 1;
            for (size_t j = 0; j < 4; j++) {
                if (j != i) {
                    left = slow_mul(left, (points[j] + q - points[i]) % q, q);
                    right = slow_mul(right, points[j], q);
                }
            }
            assert_int_equal(left, right);
        }
    }
    joint_world_close(&w);
}

static void checks_have_72_bits(void **state)
{
    (void)state;
    static const struct {
        joint_chain chain;
        uint32_t checks;
    } cases[] = {{{1024, {36, 40, 50}, 3, 65537}, 2},
                 {{1024, {35, 40, 50}, 3, 65537}, 3},
                 {{1024, {40, 24, 50}, 3, 65537}, 3},
                 {{1024, {23, 40, 50}, 3, 65537}, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        joint_world w;
        joint_world_open(&w, &cases[i].chain, 2, 4);
        assert_int_equal(hb_sharing_checks(w.params), cases[i].checks);
        joint_world_close(&w);
    }
}

/* Whether shares of owner 0, dealt to a point, agree with all of his blinded polynomials. */
static bool agrees(const joint_world *w, hb_batch dealt, hb_batch *blinded, uint32_t point, const uint8_t *inputs)
{
    bool all = true;
    for (uint32_t r = 0; r < hb_sharing_checks(w->params); r++) {
        const hb_share_test test = {r, inputs};
        bool good;
        assert_int_equal(hb_share_compare(&good, w->params, dealt, blinded[r], point, &test, w->engine), HB_OK);
        all &= good;
    }
    return all;
}

static void wrong_shares_are_found(void **state)
{
    (void)state;
    enum { T = 3, CHECKS = 2 };
    const uint8_t inputs[HB_DIGEST_BYTES] = {7}, other[HB_DIGEST_BYTES] = {8};
    joint_world w;
    open_world(&w, 5, T);
    const joint_owner *o = &w.owner[0];
    const size_t words = words_of(&w);
    hb_batch dealt = joint_polynomials(&w, 1 + CHECKS), blinded[CHECKS];
    for (uint32_t r = 0; r < CHECKS; r++) {
        const hb_share_test test = {r, inputs};
        blinded[r] = joint_polynomials(&w, T);
        assert_int_equal(hb_owner_blind(blinded[r], &o->secret, &o->own, &test), HB_OK);
    }
    for (uint32_t point = 1; point <= 5; point++) {
        assert_int_equal(hb_owner_deal(dealt, &o->secret, &o->own, T, point), HB_OK);
        assert_true(agrees(&w, dealt, blinded, point, inputs));
        assert_false(agrees(&w, dealt, blinded, point, other));
        assert_false(agrees(&w, dealt, blinded, point % 5 + 1, inputs));
        static const size_t places[] = {0, 1023, 1024, 3071};
        for (size_t i = 0; i < 4 * (1 + CHECKS); i++) { /* one number of any polynomial */
            uint64_t *at = &dealt.data[i / 4 * words + places[i % 4]];
            *at ^= 1;
            assert_false(agrees(&w, dealt, blinded, point, inputs));
            *at ^= 1;
        }
        blinded[1].data[words + 5] ^= 1;
        assert_false(agrees(&w, dealt, blinded, point, inputs));
        blinded[1].data[words + 5] ^= 1;
    }
    /* Dealt again it is the same, and a blinded polynomial has nothing of s alone. */
    hb_batch again = joint_polynomials(&w, 1 + CHECKS);
    assert_int_equal(hb_owner_deal(again, &o->secret, &o->own, T, 5), HB_OK);
    assert_memory_equal(again.data, dealt.data, (1 + CHECKS) * words * sizeof(uint64_t));
    for (uint32_t r = 0; r < CHECKS; r++) {
        assert_memory_not_equal(blinded[r].data, o->secret.s.data, words * sizeof(uint64_t));
        hb_batch_free(w.engine, &blinded[r]);
    }
    hb_batch_free(w.engine, &again);
    hb_batch_free(w.engine, &dealt);
    joint_world_close(&w);
}

/* Against the definition, a byte at a time. */
static void challenges_are_numbers_of_all_inputs(void **state)
{
    (void)state;
    joint_world w;
    uint64_t rho[2][HB_MAX_LIMBS];
    uint8_t inputs[HB_DIGEST_BYTES] = {7};
    open_world(&w, 2, 2);
    for (uint32_t r = 0; r < 2; r++) {
        hb_share_challenge(rho[r], w.params, &(hb_share_test){r, inputs});
        for (uint32_t l = 0; l < 3; l++) {
            const uint64_t q = w.params->ring.moduli[w.params->ids[l]].value;
            uint8_t digest[HB_DIGEST_BYTES];
            uint64_t number = 0;
            hb_digest_state x;
            hb_digest_begin(&x, "hebatch dealt");
            hb_digest_add(&x, inputs, sizeof inputs);
            hb_digest_add_u64(&x, r);
            hb_digest_add_u64(&x, q);
            hb_digest_end(&x, digest);
            for (size_t i = 16; i-- > 0;) {
                number = (slow_mul(number, 256, q) + digest[i]) % q;
            }
            assert_int_equal(rho[r][l], number);
        }
    }
    assert_memory_not_equal(rho[0], rho[1], 3 * sizeof(uint64_t));
    joint_world_close(&w);
}

static void shares_out_of_range_are_refused(void **state)
{
    (void)state;
    joint_world w;
    joint_shares s;
    hb_secret_key key;
    uint64_t ones[HB_MAX_LIMBS] = {1, 1, 1};
    open_world(&w, 3, 2);
    joint_deal(&w, &s);
    const hb_params *p = w.params;
    const size_t bytes = hb_packed_bytes(&p->ring, p->ids, p->key_limbs);
    uint8_t *packed = malloc(bytes);
    assert_int_equal(hb_share_pack(w.engine, p, packed, s.share[1]), HB_OK);
    assert_int_equal(hb_share_load(&key, w.engine, p, packed, ones), HB_OK);
    assert_memory_equal(key.s.data, s.share[1].data, words_of(&w) * sizeof(uint64_t));
    hb_secret_key_clear(&key);
    memset(packed + bytes - 8, 0xff, 8);
    assert_int_equal(hb_share_load(&key, w.engine, p, packed, ones), HB_EDATA);
    assert_null(key.engine);
    free(packed);
    joint_shares_free(&w, &s);
    joint_world_close(&w);
}

HB_UNIT(sharing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_t_shares_give_the_secret),
        cmocka_unit_test(lagrange_factors_are_right),
        cmocka_unit_test(checks_have_72_bits),
        cmocka_unit_test(wrong_shares_are_found),
        cmocka_unit_test(challenges_are_numbers_of_all_inputs),
        cmocka_unit_test(shares_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
