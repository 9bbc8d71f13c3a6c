/* Digits of several primes at every level: which parameters have them, and words that an independent program computed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/engine.h"
#include "reference/streams.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1 << STREAM_LOG_N, SPECIAL = 2, DATA = STREAM_PRIMES - SPECIAL };

static hb_params_spec stream_spec(uint32_t special, uint32_t alpha)
{
    hb_params_spec spec = {.n = N,
                           .key_limbs = STREAM_PRIMES,
                           .special_limbs = special,
                           .digit_limbs = alpha,
                           .security = {.level = 128},
                           .insecure = true,
                           .bfv.plain = 12289};
    memcpy(spec.primes, stream_primes, sizeof stream_primes);
    return spec;
}

static hb_params *open_parameters(uint32_t special, uint32_t alpha)
{
    hb_params *params = NULL;
    const hb_params_spec spec = stream_spec(special, alpha);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

static void check_level(const hb_params *p, uint32_t k)
{
    const hb_gadget *gadget = &p->gadget;
    const hb_gadget_level *level = &gadget->levels[k];
    uint32_t limbs = 0;
    assert_int_equal(level->limbs, k);
    assert_int_equal(level->switch_limbs, k + p->special_limbs);
    assert_int_equal(level->digits, (k + gadget->alpha - 1) / gadget->alpha);
    for (uint32_t l = 0; l < level->switch_limbs; l++) {
        assert_int_equal(level->switch_ids[l], l < k ? l : p->data_limbs + l - k);
    }
    for (uint32_t j = 0; j < level->digits; j++) {
        assert_int_equal(hb_gadget_first(gadget, j), limbs);
        limbs += hb_gadget_limbs(gadget, j, k);
        assert_true((level->up != NULL) == gadget->centred);
        assert_true(level->up == NULL || level->up[j].first + level->up[j].limbs == limbs);
    }
    assert_int_equal(limbs, k);
    assert_int_equal(level->down.limbs, k);
    assert_int_equal(level->down.dropped, p->special_limbs);
}

static void test_levels(void **state)
{
    (void)state;
    static const uint32_t kinds[][4] = {/* special, alpha: as asked for, and as they are */
                                        {0, 0, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}, {2, 0, 2, 2},
                                        {2, 1, 2, 1}, {3, 3, 3, 3}, {3, 2, 3, 2}, {2, 2, 2, 2}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        hb_params *p = open_parameters(kinds[i][0], kinds[i][1]);
        assert_int_equal(p->special_limbs, kinds[i][2]);
        assert_int_equal(p->data_limbs, STREAM_PRIMES - kinds[i][2]);
        assert_int_equal(p->gadget.alpha, kinds[i][3]);
        assert_int_equal(p->gadget.centred, kinds[i][2] > 1 || kinds[i][3] > 1);
        assert_true(p->key_switch_integer.basis.limbs == 0 || !p->gadget.centred);
        for (uint32_t k = 1; k <= p->data_limbs; k++) {
            check_level(p, k);
        }
        hb_params_close(p);
    }
}

/* Keys and ciphertexts depend on it, so it is in the digest; 0 and 1 mean the same. */
static void test_digests(void **state)
{
    (void)state;
    uint8_t digests[5][HB_DIGEST_BYTES];
    static const uint32_t kinds[5][2] = {{0, 0}, {1, 1}, {2, 2}, {2, 1}, {3, 2}};
    for (int i = 0; i < 5; i++) {
        hb_params *p = open_parameters(kinds[i][0], kinds[i][1]);
        memcpy(digests[i], p->digest, sizeof digests[i]);
        hb_params_close(p);
        const hb_params_spec a = stream_spec(kinds[i][0], kinds[i][1]), first = stream_spec(0, 0);
        assert_int_equal(hb_params_same(&a, &first), i < 2);
        for (int j = 0; j < i; j++) {
            assert_int_equal(memcmp(digests[i], digests[j], HB_DIGEST_BYTES) == 0, i == 1 && j == 0);
        }
    }
}

static void expect_refusal(hb_params_spec spec, const char *words)
{
    hb_params *params = NULL;
    assert_int_equal(hb_params_open(&spec, &params), HB_ECONFIG);
    if (strstr(hb_last_error()->text, words) == NULL) {
        fail_msg("'%s', not '%s'", hb_last_error()->text, words);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    hb_params_spec few = stream_spec(2, 2), small = few, wide = stream_spec(2, 3), plain = few;
    few.key_limbs = 1;
    expect_refusal(few, "of 1 primes 2 are special; at most 0 can be");
    small.primes[STREAM_PRIMES - 1] = 1073479681; /* 30 bits */
    expect_refusal(small,
                   "is one of several special ones and not above 2^32; the nearest unused prime = 1 mod 2N is 42949");
    expect_refusal(wide,
                   "the 3 primes of a digit of key switching from q_0 on have 132 bits, the special primes only 100: "
                   "take digits of fewer primes, or more special ones");
    plain.key_limbs = 3;
    plain.primes[1] = stream_primes[7];
    plain.primes[2] = stream_primes[8];
    plain.primes[0] = 12289;
    plain.bfv.plain = 65537;
    expect_refusal(plain, "2 primes of a digit: there are 1 beside the special ones, so at most these");
    plain.digit_limbs = 0;
    expect_refusal(plain, "of 3 primes 2 are special, and the others are too few for a ciphertext");
}

/* Uniform polynomials modulo the limbs of b: polynomial c of stream (part, c / 2, c % 2, id), or (part, id). */
static void fill(const hb_params *p, hb_batch b, uint64_t part)
{
    for (size_t c = 0; c < b.count; c++) {
        for (uint32_t l = 0; l < b.limbs; l++) {
            const uint64_t one[] = {part, b.ids[l]}, many[] = {part, c / 2, c % 2, b.ids[l]};
            stream_uniform(b.data + c * b.stride + l * N, N, p->ring.moduli[b.ids[l]].value, b.count > 1 ? many : one,
                           b.count > 1 ? 4 : 2);
        }
    }
}

typedef struct words {
    uint32_t level; /* its number is one less than its limbs */
    const char *digits, *products, *divided, *divided_and_rescaled;
} words;

static void check_words(const hb_params *p, hb_engine *e, hb_batch key, const words *expected)
{
    const uint32_t k = expected->level + 1;
    const hb_gadget_level *level = &p->gadget.levels[k];
    char hex[2 * HB_DIGEST_BYTES + 1];
    hb_batch a, ntt, made, products, copy, quotients;
    assert_int_equal(hb_batch_alloc(e, &a, 1, k, p->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &ntt, 1, k, p->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &made, level->digits, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &products, 2, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &copy, 2, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &quotients, 2, k, p->ids), HB_OK);
    fill(p, ntt, 101);
    assert_int_equal(hb_copy(e, a, ntt), HB_OK);
    assert_int_equal(hb_intt(e, a), HB_OK);
    const hb_digits digits = hb_digits_on(e, &p->gadget, k, made.data, 1);
    assert_int_equal(hb_digits_make(e, digits, ntt, a, HB_NTT_FORM), HB_OK);
    assert_string_equal(words_digest(made.data, made.count * made.stride, hex), expected->digits);
    memset(made.data, 1, made.count * made.stride * sizeof *made.data);
    /* The memory for coefficients is undefined by now. */
    assert_int_equal(hb_copy(e, a, ntt), HB_OK);
    assert_int_equal(hb_intt(e, a), HB_OK);
    assert_int_equal(hb_digits_make(e, digits, a, (hb_batch){.data = NULL}, HB_COEFFICIENT_FORM),
                     HB_OK); /* the long way */
    assert_string_equal(words_digest(made.data, made.count * made.stride, hex), expected->digits);
    assert_int_equal(hb_key_products(e, products, digits.all, key, 2, 2), HB_OK);
    assert_string_equal(words_digest(products.data, products.count * products.stride, hex), expected->products);
    assert_int_equal(hb_copy(e, copy, products), HB_OK);
    assert_int_equal(
        hb_mod_down_apply(e, quotients, (hb_batch){.data = NULL}, copy, quotients, &level->down, HB_NTT_FORM), HB_OK);
    assert_string_equal(words_digest(quotients.data, quotients.count * quotients.stride, hex), expected->divided);
    if (expected->divided_and_rescaled != NULL) {
        hb_mod_down both; /* P and the last prime of the level at once */
        assert_int_equal(hb_mod_down_init(&both, &p->ring, level->switch_ids, k - 1, SPECIAL + 1), HB_OK);
        const hb_batch less = hb_batch_on(e, quotients.data, 2, k - 1, p->ids);
        assert_int_equal(hb_mod_down_apply(e, less, (hb_batch){.data = NULL}, products, less, &both, HB_NTT_FORM),
                         HB_OK);
        assert_string_equal(words_digest(less.data, less.count * less.stride, hex), expected->divided_and_rescaled);
        hb_mod_down_clear(&both);
    }
    hb_batch *const all[] = {&a, &ntt, &made, &products, &copy, &quotients};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_free(e, all[i]);
    }
}

/* Digits, their inner products with a key of uniform words, and these divided, at three levels of a chain of digits of
 * two primes and two special primes. */
static void test_words(void **state)
{
    (void)state;
    static const words expected[] = {
        {6, "2e3dc852793b3d8723ff14f41747a254f9ebccc78fd02d8fc5df72359c39a507",
         "e0fb12fb74a99c56a825a0891e85361cbfacc511683517d9f7c1f1916188275c",
         "872db3c90f9f42ee825d26f334859b9e2eca21b5a9a036b9c3e36feeb315bcfd",
         "5e0b2c15e34c2d2f62d8c6379836cd3d3d4e3dacef1a10d64606efa0f6530cf2"},
        {4, "f29b0a9bfc244809061d9d51d29c7b3f5f10f75f6630242199aa7ba86c37c41a",
         "5af6bab711de4dda572783dfabf907c9888d80159ab68b91456aff62f574247e",
         "0190cea81cb23649d643bb46ddf194665bd82e68bdab6439a1763152163e39eb",
         "7d5ef6665875d8e05109dabbd4ddf65b52d673468e6422544975501ca28105d6"},
        {0, "48c29903213cfcf569785384e5cba3e73d5cecdfba27a1e73e8e471da637676e",
         "013f30b152f8917233ec44705e39a0267531c860606076305d147a7e5c59dae5",
         "3fe108cac7206e086348337f4cb2f3b7bb3d5bd0a22662b1c645a848b22ec54c", NULL},
    };
    hb_params *p = open_parameters(SPECIAL, 2);
    hb_engine *e;
    hb_batch key;
    assert_int_equal(hb_cpu_engine_open(&p->ring, &e), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &key, 2 * (size_t)p->gadget.digits.count, p->key_limbs, p->ids), HB_OK);
    fill(p, key, 102);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        check_words(p, e, key, &expected[i]);
    }
    hb_batch_free(e, &key);
    hb_engine_close(e);
    hb_params_close(p);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(gadget)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_digests),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
