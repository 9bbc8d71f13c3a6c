/* Noise that hides errors: its size, the remaining bits, and the noise in polynomials, the same in all limbs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/gaussian.h"
#include "ckks/error.h"
#include "ckks/presets.h"
#include "cpu/engine.h"
#include "ring/ring_ops.h"
#include "scheme/cipher.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024, COUNT = 3 };

/* A scale of 2^48 has room for noise. */
static void open_params(hb_params **params)
{
    hb_params_spec spec = {.n = N, .security = {.level = 128}, .insecure = true};
    const hb_ckks_chain chain = {.first_bits = 50, .scale_bits = 48, .levels = 2, .special_limbs = 1};
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    if (hb_params_open(&spec, params) != HB_OK) {
        fail_msg("%s", hb_last_error()->text);
    }
}

static void test_plan(void **state)
{
    (void)state;
    hb_params *p, *small;
    hb_params_spec spec;
    hb_flood one, many;
    open_params(&p);
    const hb_quality fresh = hb_error_fresh(p, false, HB_BINOMIAL);
    assert_int_equal(hb_flood_plan(p, 3, fresh, 1, &one), HB_OK);
    assert_int_equal(hb_flood_plan(p, 3, fresh, 100, &many), HB_OK);
    assert_true(fabs(one.sigma / (sqrt(12) * 32768 * exp2(fresh.norm)) - 1) < 1e-9);
    assert_true(fabs(many.sigma / one.sigma - 10) < 1e-6);
    assert_true(one.bits >= many.bits + 3 && one.bits <= many.bits + 4);
    /* The largest slot of the noise, at a guess, and the error are within half of the rounding unit, or nearly. */
    const double slots = log2(one.sigma * sqrt(N) * 4);
    assert_true(hb_error_bits(p, 3, slots) >= one.bits && hb_error_bits(p, 3, slots) < one.bits + 1.1);

    /* Without the norm, as files may be, the largest slot serves. */
    hb_quality unknown = fresh;
    unknown.norm = 0;
    hb_flood more;
    assert_int_equal(hb_flood_plan(p, 3, unknown, 1, &more), HB_OK);
    assert_true(more.sigma > one.sigma);

    assert_int_equal(hb_flood_plan(p, 3, fresh, UINT64_C(1) << 40, &many), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "bits of precision"));
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &small), HB_OK);
    assert_int_equal(hb_flood_plan(small, 2, hb_error_fresh(small, true, HB_BINOMIAL), 1, &one), HB_EDATA);
    hb_params_close(small);
    hb_params_close(p);

    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &small), HB_OK);
    assert_int_equal(hb_flood_plan(small, 2, fresh, 1, &one), HB_EUSAGE);
    hb_params_close(small);
}

static int64_t centred(uint64_t x, uint64_t q)
{
    return x > q / 2 ? (int64_t)x - (int64_t)q : (int64_t)x;
}

static void test_noise(void **state)
{
    (void)state;
    hb_params *p;
    hb_engine *engine;
    hb_batch plain;
    hb_flooder *flooder;
    const hb_flood flood = {.sigma = 0x1p40, .bits = 8};
    const hb_seed root = {{9}};
    open_params(&p);
    assert_int_equal(hb_cpu_engine_open(&p->ring, &engine), HB_OK);
    assert_int_equal(hb_batch_alloc(engine, &plain, COUNT, 3, p->ids), HB_OK);
    assert_int_equal(hb_flooder_open(engine, p, 3, &flood, &flooder), HB_OK);
    for (size_t i = 0; i < (size_t)COUNT * 3 * N; i++) {
        plain.data[i] = i % 1000; /* in NTT form */
    }
    hb_batch before;
    assert_int_equal(hb_batch_alloc(engine, &before, COUNT, 3, p->ids), HB_OK);
    assert_int_equal(hb_copy(engine, before, plain), HB_OK);
    assert_int_equal(hb_flooder_add(flooder, plain, &root, 7), HB_OK);
    assert_int_equal(hb_sub(engine, plain, plain, before), HB_OK);
    assert_int_equal(hb_intt(engine, plain), HB_OK);
    double squares = 0, other = 0;
    for (size_t c = 0; c < COUNT; c++) {
        for (size_t i = 0; i < N; i++) {
            const int64_t x = centred(plain.data[3 * c * N + i], p->ring.moduli[p->ids[0]].value);
            for (size_t l = 1; l < 3; l++) {
                assert_true(centred(plain.data[(3 * c + l) * N + i], p->ring.moduli[p->ids[l]].value) == x);
            }
            squares += ldexp((double)x, -40) * ldexp((double)x, -40);
            other += x == centred(plain.data[i], p->ring.moduli[p->ids[0]].value);
        }
    }
    assert_true(fabs(squares / (COUNT * N) - 1) < 5 * sqrt(2.0 / (COUNT * N)));
    assert_true(other < N + 5); /* polynomials have noise of their own */
    /* It depends on its item alone, not on earlier ones. */
    int64_t drawn[N];
    hb_wide_gaussian(drawn, N, flood.sigma, (hb_draw){&root, HB_DRAW_FLOOD, 9});
    for (size_t i = 0; i < N; i++) {
        assert_true(drawn[i] == centred(plain.data[6 * N + i], p->ring.moduli[p->ids[0]].value));
    }
    hb_flooder_close(flooder);
    hb_flooder_close(NULL);
    hb_batch_free(engine, &before);
    hb_batch_free(engine, &plain);
    hb_engine_close(engine);
    hb_params_close(p);
}

static void test_round(void **state)
{
    (void)state;
    const hb_params_spec spec = {.scheme = HB_CKKS, .n = N};
    const hb_flood flood = {.bits = 3};
    double values[] = {1.0625, -1.07, 0.0624, 1e300, -0.0, 5.1875};
    const double rounded[] = {1, -1.125, 0, 1e300, 0, 5.25};
    uint64_t words[6];
    memcpy(words, values, sizeof words);
    hb_flood_round(&spec, &flood, words, 6);
    memcpy(values, words, sizeof values);
    for (int i = 0; i < 6; i++) {
        assert_true(values[i] == rounded[i]);
    }
}

HB_UNIT(flood)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan), cmocka_unit_test(test_noise),
                                       cmocka_unit_test(test_round)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
