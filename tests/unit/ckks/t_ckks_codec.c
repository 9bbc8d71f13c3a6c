/* From reals to plaintexts of CKKS and back: the model's words and doubles, on an engine and on members that share
 * limbs; round trips at all sizes; refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ckks/codec.h"
#include "ckks/presets.h"
#include "ckks/repeated.h"
#include "reference/ckks_model.h"
#include "reference/counting_engine.h"
#include "reference/slots.h"
#include "ring/real_ops.h"
#include "scheme/codec.h"
#include "unit/unit.h"

enum { VECTORS = 3, TOP = 7 };

static double vector_slots[VECTORS][MODEL_N], decoded[MODEL_N];
static int64_t vector_coefficients[VECTORS][MODEL_N];

static int read_vectors(void **state)
{
    (void)state;
    slots_vector(HB_TESTS_VECTORS, "slots.f64", vector_slots, sizeof vector_slots);
    slots_vector(HB_TESTS_VECTORS, "coefficients_0.i64", vector_coefficients[0], sizeof vector_coefficients[0]);
    slots_vector(HB_TESTS_VECTORS, "coefficients_1.i64", vector_coefficients[1], sizeof vector_coefficients[1]);
    slots_vector(HB_TESTS_VECTORS, "coefficients_2.i64", vector_coefficients[2], sizeof vector_coefficients[2]);
    slots_vector(HB_TESTS_VECTORS, "decoded_0.f64", decoded, sizeof decoded);
    return hb_seed_start() != HB_OK;
}

static hb_status expect_same_words(const side *s, const char *what, hb_batch a, hb_batch b)
{
    const size_t words = hb_limbs_here(s->engine, a.ids, a.limbs) * s->params->ring.n;
    for (size_t c = 0; c < a.count; c++) {
        if (memcmp(a.data + c * a.stride, b.data + c * b.stride, words * sizeof *a.data) != 0) {
            return HB_FAIL(HB_DIFFERS, "%s: polynomial %zu differs", what, c);
        }
    }
    return HB_OK;
}

/* Values `repeats` times, so that they are more than one piece. */
static hb_batch values_of(side *s, size_t repeats)
{
    const hb_batch values = take(s, VECTORS * repeats, 1, &s->params->common_id, 0);
    for (size_t i = 0; i < repeats; i++) {
        memcpy(values.data + i * VECTORS * MODEL_N, vector_slots, sizeof vector_slots);
    }
    return values;
}

/* Plaintexts of the model's coefficients. */
static hb_status expected_plaintexts(side *s, hb_batch plain)
{
    for (size_t c = 0; c < plain.count; c++) {
        HB_TRY(put_integers(s, hb_batch_slice(plain, c, 1), vector_coefficients[c % VECTORS]));
    }
    return HB_OK;
}

static void put_vector(const void *context, size_t i, double *slots)
{
    (void)context;
    memcpy(slots, vector_slots[i % VECTORS], sizeof vector_slots[0]);
}

static hb_status play_model(side *s, const void *with)
{
    const size_t repeats = *(const size_t *)with;
    const hb_params *p = s->params;
    hb_codec *codec;
    hb_refusal refusal;
    const hb_batch values = values_of(s, repeats), back = take(s, values.count, 1, &p->common_id, 0);
    const hb_batch plain = model_take(s, values.count, TOP), expected = model_take(s, values.count, TOP);
    const hb_batch all = take(s, values.count, STREAM_PRIMES, p->ids, 0),
                   every = take(s, values.count, STREAM_PRIMES, p->ids, 0);
    HB_TRY(hb_codec_open(s->engine, p, HB_ENCODE_SLOTS, &codec));
    HB_TRY(expected_plaintexts(s, expected));
    HB_TRY(expected_plaintexts(s, every));
    HB_TRY(hb_encode(codec, plain, values));
    HB_TRY(expect_same_words(s, "encoded", plain, expected));
    HB_TRY(expect_batch(s, "encoded", plain));
    /* Every prime, the special ones too. */
    const hb_batch whole = hb_repeated_on(s->engine, all.data, all.count, all.limbs, all.ids, MODEL_N);
    size_t refused;
    hb_repeated *encoder;
    HB_TRY(hb_repeated_open(s->engine, p, whole, &encoder));
    const hb_status st = hb_repeated_encode(encoder, whole, hb_ckks_scale(p, TOP), put_vector, NULL, &refused);
    hb_repeated_close(encoder);
    HB_TRY(st);
    HB_ASSERT(refused == all.count);
    HB_TRY(expect_same_words(s, "encoded with special primes", all, every));
    HB_TRY(hb_codec_refused(codec, &refusal));
    HB_ASSERT(!refusal.any);
    HB_TRY(hb_decode(codec, back, plain));
    HB_ASSERT(memcmp(back.data, decoded, sizeof decoded) == 0);
    HB_TRY(expect_batch(s, "decoded", back));
    hb_codec_close(codec);
    return HB_OK;
}

static void test_model(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    const size_t repeats[] = {1, 50};
    for (uint32_t members = 1; members <= 3; members++) {
        for (size_t i = 0; i < 2; i++) {
            meeting at;
            meeting_init(&at, members);
            performance p = {.spec = &spec, .play = play_model, .with = &repeats[i], .members = members, .queues = 1};
            if (perform(&p, &at, NULL) != HB_OK) {
                fail_msg("%u members: %s", members, hb_last_error()->text);
            }
            meeting_clear(&at);
        }
    }
}

typedef struct rig {
    hb_params *params;
    hb_engine *engine;
    hb_codec *codec;
    hb_batch values, plain;
} rig;

static void rig_open(rig *r, const hb_params_spec *spec, hb_encoding encoding, uint32_t limbs, size_t count)
{
    if (hb_params_open(spec, &r->params) != HB_OK) {
        fail_msg("%s", hb_last_error()->text);
    }
    assert_int_equal(hb_cpu_engine_open(&r->params->ring, &r->engine), HB_OK);
    assert_int_equal(hb_codec_open(r->engine, r->params, encoding, &r->codec), HB_OK);
    assert_int_equal(hb_values_alloc(&r->values, r->engine, r->params, count), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&r->plain, r->engine, r->params, limbs, count), HB_OK);
    assert_int_equal(r->values.stride, hb_values_words(spec));
}

static void rig_close(rig *r)
{
    hb_batch_free(r->engine, &r->values);
    hb_batch_free(r->engine, &r->plain);
    hb_codec_close(r->codec);
    hb_engine_close(r->engine);
    hb_params_close(r->params);
}

static double *reals_of(const rig *r, size_t c)
{
    return (double *)(void *)(r->values.data + c * r->values.stride);
}

/* Returns the largest error of encoding and decoding values in [-size, size]. */
static double round_trip(const rig *r, double size)
{
    const size_t n = r->params->spec.n;
    uint64_t random = n;
    double *before = malloc(n * sizeof *before), worst = 0;
    for (size_t j = 0; j < n; j++) {
        before[j] = size * slots_random(&random);
    }
    memcpy(reals_of(r, 0), before, n * sizeof *before);
    assert_int_equal(hb_encode(r->codec, r->plain, r->values), HB_OK);
    assert_memory_equal(reals_of(r, 0), before, n * sizeof *before);
    assert_int_equal(hb_decode(r->codec, r->values, r->plain), HB_OK);
    for (size_t j = 0; j < n; j++) {
        worst = fmax(worst, fabs(reals_of(r, 0)[j] - before[j]));
    }
    free(before);
    return worst;
}

/* Rounding moves coefficients by 1/2 at most, 1/12 of variance each; a transform errs by 2^-53 sqrt(2 log2 n) of the
 * root mean square, twice. The largest of n is within 8 times that. */
static double bound_of(const hb_params *p, uint32_t limbs, double size)
{
    const double n = (double)p->spec.n;
    return 8 * (sqrt(n / 12) / hb_exact_scale_double(hb_ckks_scale(p, limbs)) + 2 * 0x1p-53 * sqrt(2 * log2(n)) * size);
}

static void test_round_trips(void **state)
{
    (void)state;
    for (uint32_t log_n = 10; log_n <= 16; log_n++) {
        hb_params_spec spec = {
            .scheme = HB_CKKS, .n = (size_t)1 << log_n, .security = {.level = 128}, .insecure = true};
        const hb_ckks_chain chain = {50, 34 + (log_n - 10), 4, 2};
        assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
        for (uint32_t limbs = 1; limbs <= 5; limbs += 2) {
            rig r;
            rig_open(&r, &spec, HB_ENCODE_SLOTS, limbs, 1);
            const double sizes[] = {1, 0x1p-10, 30, limbs > 1 ? hb_real_of(hb_ckks_cell_range(&spec).most) : 2};
            for (size_t i = 0; i < 4; i++) {
                const double error = round_trip(&r, sizes[i]), bound = bound_of(r.params, limbs, sizes[i]);
                if (!(error < bound && error > 0)) {
                    fail_msg("N = 2^%u, %u limbs, values of %g: %g, below %g", log_n, limbs, sizes[i], error, bound);
                }
            }
            rig_close(&r);
        }
    }
}

/* Scales of two primes lose nothing of doubles that are not far below 1. */
static void test_wide_round_trips(void **state)
{
    (void)state;
    for (uint32_t log_n = 10; log_n <= 16; log_n += 2) {
        hb_params_spec spec = {.n = (size_t)1 << log_n, .security = {.level = 128}, .insecure = true};
        const hb_ckks_chain chain = {50, 80 + (log_n - 10) * 5 / 2, 1, 1};
        assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
        for (uint32_t limbs = 2; limbs <= 4; limbs += 2) {
            for (int encoding = HB_ENCODE_SLOTS; encoding <= HB_ENCODE_COEFFICIENTS; encoding++) {
                const double most = hb_real_of(hb_ckks_cell_range(&spec).most);
                rig r;
                rig_open(&r, &spec, (hb_encoding)encoding, limbs, 1);
                assert_true(most == ldexp(1, 124 - (int)chain.scale_bits));
                assert_true(round_trip(&r, 1) == 0);
                assert_true(round_trip(&r, limbs > 2 ? most : 2) == 0);
                rig_close(&r);
            }
        }
    }
}

/* Value i is coefficient i, as exact as a double and the scale are. */
static void test_coefficients(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    rig r;
    rig_open(&r, &spec, HB_ENCODE_COEFFICIENTS, TOP, 1);
    assert_int_equal(hb_codec_capacity(&spec, HB_ENCODE_COEFFICIENTS), MODEL_N);
    const double error = round_trip(&r, 1), half = 0.5 / hb_exact_scale_double(hb_ckks_scale(r.params, TOP));
    assert_true(error > 0 && error <= half * 1.001);
    memset(reals_of(&r, 0), 0, MODEL_N * sizeof(double));
    reals_of(&r, 0)[5] = 1;
    assert_int_equal(hb_encode(r.codec, r.plain, r.values), HB_OK);
    assert_int_equal(hb_intt(r.engine, r.plain), HB_OK);
    for (size_t j = 0; j < MODEL_N; j++) {
        assert_true((r.plain.data[j] != 0) == (j == 5));
    }
    rig_close(&r);
}

/* All values in the range are encoded. A value beyond it by more than the slack of complex numbers, or NaN, is refused,
 * and its plaintext and place are named. */
static void test_refusal(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    const double most = hb_real_of(hb_ckks_cell_range(&spec).most);
    const double bad[] = {NAN, INFINITY, -INFINITY, 3 * most, -3 * most, 1e300};
    const size_t first[] = {2, 130}; /* beyond one piece, too */
    hb_refusal refusal;
    rig r;
    assert_true(most == 0x1p61 / 0x1p41 && hb_real_of(hb_ckks_cell_range(&spec).least) == -most);
    for (int encoding = HB_ENCODE_SLOTS; encoding <= HB_ENCODE_COEFFICIENTS; encoding++) {
        rig_open(&r, &spec, (hb_encoding)encoding, 2, 140);
        for (size_t i = 0; i < 140 * MODEL_N; i++) {
            reals_of(&r, 0)[i] = i % 3 == 0 ? most : -most;
        }
        for (size_t j = 0; j < MODEL_N; j++) {
            reals_of(&r, 7)[j] = most; /* a constant is one coefficient of either part */
        }
        assert_int_equal(hb_encode(r.codec, r.plain, r.values), HB_OK);
        assert_int_equal(hb_codec_refused(r.codec, &refusal), HB_OK);
        assert_false(refusal.any);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            const size_t at = first[i % 2];
            for (size_t j = 0; j < MODEL_N; j++) {
                reals_of(&r, at)[j] = encoding == HB_ENCODE_SLOTS ? bad[i] : j == 9 ? bad[i] : 1;
            }
            assert_int_equal(hb_encode(r.codec, r.plain, r.values), HB_OK);
            assert_int_equal(hb_codec_refused(r.codec, &refusal), HB_OK);
            assert_true(refusal.any && refusal.plaintext == at);
            assert_int_equal(refusal.coefficient, encoding == HB_ENCODE_SLOTS ? 0 : 9);
            assert_int_equal(hb_codec_refused(r.codec, &refusal), HB_OK); /* forgotten */
            assert_false(refusal.any);
            for (size_t j = 0; j < MODEL_N; j++) {
                reals_of(&r, at)[j] = 0;
            }
        }
        rig_close(&r);
    }
}

/* Ciphertexts hold all values that columns may have: with one prime as far as it goes, values in coefficients, all of
 * which may be the largest, come back. */
static void test_few_bits(void **state)
{
    (void)state;
    const double wanted[] = {0x1p8, 0x1p21}; /* of primes of 50, 50 + 40 bits at 2^40 */
    for (uint32_t levels = 0; levels < 2; levels++) {
        hb_params_spec spec = {.scheme = HB_CKKS, .n = 1024, .security = {.level = 128}, .insecure = true};
        const hb_ckks_chain chain = {50, 40, levels, 1};
        assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
        const double most = hb_real_of(hb_ckks_cell_range(&spec).most);
        assert_true(most == wanted[levels]);
        rig r;
        rig_open(&r, &spec, HB_ENCODE_COEFFICIENTS, levels + 1, 1);
        for (size_t j = 0; j < spec.n; j++) {
            reals_of(&r, 0)[j] = j % 2 == 0 ? most : -most;
        }
        assert_int_equal(hb_encode(r.codec, r.plain, r.values), HB_OK);
        assert_int_equal(hb_decode(r.codec, r.values, r.plain), HB_OK);
        for (size_t j = 0; j < spec.n; j++) {
            assert_true(fabs(reals_of(&r, 0)[j] - (j % 2 == 0 ? most : -most)) < 1e-6 * most);
        }
        rig_close(&r);
    }
}

/* The slots of literals like SEAL's are in powers of 3: the polynomial X has them for values. */
static void test_like_seal(void **state)
{
    (void)state;
    hb_params_spec spec = model_spec();
    spec.key_limbs--;
    spec.special_limbs = spec.digit_limbs = 1;
    spec.ckks.like_seal = true;
    spec.ckks.stated_limbs = 3;
    spec.ckks.stated_scale = (double)(UINT64_C(1) << MODEL_SCALE_BITS);
    rig r;
    rig_open(&r, &spec, HB_ENCODE_SLOTS, 3, 1);
    uint32_t power = 1;
    for (size_t j = 0; j < MODEL_N / 2; j++) {
        const double angle = acos(-1) * power / MODEL_N;
        reals_of(&r, 0)[j] = cos(angle);
        reals_of(&r, 0)[MODEL_N / 2 + j] = sin(angle);
        power = 3 * power % (2 * MODEL_N);
    }
    assert_int_equal(hb_encode(r.codec, r.plain, r.values), HB_OK);
    assert_int_equal(hb_intt(r.engine, r.plain), HB_OK);
    for (size_t j = 0; j < MODEL_N; j++) {
        assert_true(r.plain.data[j] == (j == 1 ? (uint64_t)1 << MODEL_SCALE_BITS : 0));
    }
    rig_close(&r);
}

/* All members have all reals: each takes the memory that an engine with all limbs takes, and no more. */
static void test_memory_of_members(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    uint64_t whole = 0;
    for (uint32_t members = 1; members <= 4; members++) {
        hb_params *params;
        hb_engine *engine;
        hb_exchange *exchange = NULL;
        hb_codec *codec;
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        assert_int_equal(hb_params_divide(params, members), HB_OK);
        assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
        if (members > 1) {
            assert_int_equal(hb_exchange_open_alone(members - 1, members, &exchange), HB_OK);
            assert_int_equal(hb_divided_engine_open(engine, &params->map, exchange, HB_DIVIDE_BY_COST, 0, &engine),
                             HB_OK);
        }
        count_on(engine);
        assert_int_equal(hb_codec_open(engine, params, HB_ENCODE_SLOTS, &codec), HB_OK);
        count_off(engine);
        whole = members == 1 ? counted.bytes : whole;
        assert_true(counted.bytes == whole && whole <= hb_codec_bytes(&params->spec, HB_ENCODE_SLOTS));
        hb_codec_close(codec);
        hb_engine_close(engine);
        hb_exchange_close(exchange);
        hb_params_close(params);
    }
}

HB_UNIT(ckks_codec)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),       cmocka_unit_test(test_wide_round_trips),
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_coefficients),
        cmocka_unit_test(test_refusal),     cmocka_unit_test(test_few_bits),
        cmocka_unit_test(test_like_seal),   cmocka_unit_test(test_memory_of_members),
    };
    return cmocka_run_group_tests(tests, read_vectors, NULL);
}
