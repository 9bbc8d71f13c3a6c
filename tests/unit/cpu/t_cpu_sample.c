/* The CPU engine's draws, word by word, against keystreams made by the RFC's text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/cpu_private.h"
#include "reference/chacha.h"
#include "reference/toy.h"
#include "unit/unit.h"

/* The definition of a uniform residue: the first attempt whose masked word is below m. */
static uint64_t slow_uniform(const hb_seed *seed, uint16_t id, size_t j, uint64_t m)
{
    uint64_t mask = 0;
    while (mask < m - 1) {
        mask = 2 * mask + 1;
    }
    for (uint32_t attempt = 0;; attempt++) {
        uint64_t word = chacha_word(seed->bytes, HB_DRAW_UNIFORM, id, attempt, j) & mask;
        if (word < m) {
            return word;
        }
    }
}

/* Rejecting nothing, almost nothing, one word in 100 (single blocks) and almost one half (whole streams). */
static const uint64_t moduli[] = {
    2, 1ull << 10, (1ull << 43) - 57, (1ull << 60) - 93, 1014,
    3, 257,        (1ull << 43) + 29, (1ull << 60) + 33, (1ull << 61) - 1,
};
enum { MODULI = sizeof moduli / sizeof *moduli, COUNT = 3, GAP = 3 };

static void check_uniform(uint32_t log_n)
{
    toy t;
    toy_open(&t, log_n, moduli, MODULI, false);
    const uint16_t ids[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}; /* the stream follows the id, not the place of the limb */
    const hb_seed seeds[COUNT] = {{{1}}, {{2}}, {{3, 3, 3}}};
    hb_batch r = toy_batch(&t, COUNT, MODULI, ids, GAP);
    assert_int_equal(hb_sample_uniform(t.engine, r, seeds), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (uint32_t l = 0; l < MODULI; l++) {
            for (size_t j = 0; j < t.ring.n; j++) {
                assert_true(*toy_at(&t, r, c, l, j) == slow_uniform(&seeds[c], ids[l], j, moduli[ids[l]]));
            }
        }
    }
    toy_assert_gaps(&t, r);
    toy_free(r);
    toy_close(&t);
}

static void test_uniform(void **state)
{
    (void)state;
    check_uniform(1);
    check_uniform(4);
    check_uniform(10);
}

/* A zero word never comes up, so the ternary rule is moved to reject a word that does. */
static void test_redrawn_word(void **state)
{
    (void)state;
    enum { N = 64, AT = 37 };
    toy t;
    toy_open(&t, 6, moduli, 1, false);
    const hb_seed seed = {{5}};
    const hb_draw draw = {.seed = &seed, .purpose = HB_DRAW_TERNARY, .item = 8};
    hb_acceptance rule = hb_accept_ternary();
    rule.offset += chacha_word(seed.bytes, HB_DRAW_TERNARY, 8, 0, AT);
    uint64_t words[N];
    hb_cpu_draw((hb_cpu_engine *)(void *)t.engine, words, N, draw, rule);
    for (size_t j = 0; j < N; j++) {
        assert_true(words[j] == chacha_word(seed.bytes, HB_DRAW_TERNARY, 8, j == AT ? 1 : 0, j));
    }
    toy_close(&t);
}

static int64_t sample(hb_distribution distribution, uint64_t word)
{
    switch (distribution) {
    case HB_TERNARY:
        return hb_sample_ternary(word);
    case HB_GAUSSIAN:
        return hb_sample_gaussian(word, hb_gaussian_thresholds);
    default:
        return hb_sample_binomial(word);
    }
}

static void check_small(hb_distribution distribution, const uint64_t *chain, uint32_t limbs)
{
    toy t;
    toy_open(&t, 9, chain, limbs, false);
    const hb_seed seed = {{7, 7}};
    const hb_draw draw = {.seed = &seed, .purpose = HB_DRAW_ERROR_1, .item = UINT32_MAX};
    hb_batch r = toy_batch(&t, COUNT, limbs, t.ids, GAP);
    assert_int_equal(hb_sample_small(t.engine, r, distribution, draw), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (size_t j = 0; j < t.ring.n; j++) {
            int64_t x = sample(distribution, chacha_word(seed.bytes, HB_DRAW_ERROR_1, draw.item + c, 0, j));
            for (uint32_t l = 0; l < limbs; l++) {
                int64_t residue = x < 0 ? x + (int64_t)chain[l] : x;
                assert_true(*toy_at(&t, r, c, l, j) == (uint64_t)residue);
            }
        }
    }
    toy_assert_gaps(&t, r);
    toy_free(r);
    toy_close(&t);
}

static void test_small(void **state)
{
    (void)state;
    const uint64_t chain[] = {22, 97, (1ull << 43) - 57, (1ull << 61) - 1}; /* each above every sample */
    check_small(HB_TERNARY, chain, 4);
    check_small(HB_GAUSSIAN, chain, 4);
    check_small(HB_BINOMIAL, chain, 4);
    const uint64_t two[] = {2};
    check_small(HB_TERNARY, two, 1);
}

/* The fused operations are their parts, one after the other. */
static void test_fused(void **state)
{
    (void)state;
    enum { LIMBS = 3 };
    const uint64_t chain[] = {(1ull << 43) - 57, 97, (1ull << 61) - 1};
    const hb_seed seeds[COUNT] = {{{1}}, {{2}}, {{3}}};
    const hb_draw draw = {.seed = &seeds[1], .purpose = HB_DRAW_ERROR_0, .item = 40};
    uint64_t random = 5;
    toy t;
    toy_open(&t, 6, chain, LIMBS, false);
    hb_batch r = toy_batch(&t, COUNT, LIMBS, t.ids, 5), parts = toy_batch(&t, COUNT, LIMBS, t.ids, 5);
    hb_batch b = toy_batch(&t, COUNT, LIMBS, t.ids, 1);
    toy_fill(&t, b, &random);
    for (size_t count = 1; count <= COUNT; count += COUNT - 1) {
        hb_batch of_b = hb_batch_slice(b, 0, count);
        assert_int_equal(hb_mul_uniform(t.engine, r, seeds, of_b), HB_OK);
        assert_int_equal(hb_sample_uniform(t.engine, parts, seeds), HB_OK);
        assert_int_equal(hb_mul(t.engine, parts, parts, of_b), HB_OK);
        assert_memory_equal(r.data, parts.data, COUNT * r.stride * sizeof *r.data);
    }
    for (int sign = HB_PLUS; sign <= HB_MINUS; sign++) {
        assert_int_equal(hb_add_small(t.engine, r, HB_GAUSSIAN, draw, (hb_sign)sign), HB_OK);
        assert_int_equal(hb_sample_small(t.engine, b, HB_GAUSSIAN, draw), HB_OK);
        assert_int_equal((sign == HB_PLUS ? hb_add : hb_sub)(t.engine, parts, parts, b), HB_OK);
        assert_memory_equal(r.data, parts.data, COUNT * r.stride * sizeof *r.data);
    }
    toy_free(r);
    toy_free(parts);
    toy_free(b);
    toy_close(&t);
}

HB_UNIT(cpu_sample)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_redrawn_word),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_fused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
