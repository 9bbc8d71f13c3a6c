/* The check of an engine on a sample of limbs: a limb that is wrong is found wherever it is, and the sample changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prime.h"
#include "check/check.h"
#include "cpu/engine.h"
#include "ring/ring_ops.h"
#include "scheme/params.h"
#include "unit/unit.h"

static const hb_engine_ops *cpu; /* the CPU engine's operations */
static uint16_t broken_limb;     /* by id */
static uint64_t tried_limbs;     /* bit i: of id i */

static hb_status ntt_wrong_in_one_limb(hb_engine *e, hb_batch x)
{
    const hb_status st = cpu->ntt->ntt(e, x);
    for (uint32_t l = 0; l < x.limbs && st == HB_OK; l++) {
        x.data[l * (x.limb_stride != 0 ? x.limb_stride : e->ring->n)] ^= x.ids[l] == broken_limb;
    }
    return st;
}

/* Encryption negates polynomials of all limbs. */
static hb_status note_negation(hb_engine *e, hb_batch r, hb_batch a)
{
    for (uint32_t l = 0; l < a.limbs && a.limbs <= 4; l++) {
        tried_limbs |= UINT64_C(1) << a.ids[l];
    }
    return cpu->ring->negate(e, r, a);
}

/* Checks the sample of a day with one of two operations in the place of the CPU engine's own; NULL: none. */
static hb_status check_on(const hb_params *params, uint64_t day, hb_status (*ntt)(hb_engine *e, hb_batch x),
                          hb_status (*negate)(hb_engine *e, hb_batch r, hb_batch a))
{
    hb_engine *engine;
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    cpu = engine->ops;
    hb_engine_ops ops = *cpu;
    hb_ntt_ops transforms = *cpu->ntt;
    hb_ring_ops words = *cpu->ring;
    transforms.ntt = ntt != NULL ? ntt : transforms.ntt;
    words.negate = negate != NULL ? negate : words.negate;
    ops.ntt = &transforms;
    ops.ring = &words;
    engine->ops = &ops;
    const hb_status st = hb_engine_check(engine, params, (hb_check_sample){true, day});
    engine->ops = cpu;
    hb_engine_close(engine);
    return st;
}

/* Operations on a sample of limbs, encryption on all: a limb that is wrong is found wherever it is. Each limb is in the
 * sample of some day. */
static void check_samples(size_t n)
{
    enum { LIMBS = 6, DAYS = 24 };
    hb_params_spec spec = {
        .n = n, .key_limbs = LIMBS, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    const uint32_t bits[LIMBS] = {60, 40, 40, 40, 50, 60};
    assert_int_equal(hb_create_primes(spec.n, bits, LIMBS, spec.primes), HB_OK);
    hb_params *params = NULL;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    uint64_t all = 0, ever = 0;
    for (uint32_t i = 0; i < LIMBS; i++) {
        all |= UINT64_C(1) << params->ids[i];
        broken_limb = params->ids[i];
        assert_int_equal(check_on(params, 20000, ntt_wrong_in_one_limb, NULL), HB_EUNAVAILABLE);
    }
    for (uint64_t day = 20000; day < 20000 + DAYS && (ever & all) != all; day++) {
        tried_limbs = 0;
        assert_int_equal(check_on(params, day, NULL, note_negation), HB_OK);
        assert_int_equal(__builtin_popcountll(tried_limbs & all), 4);
        ever |= tried_limbs;
    }
    assert_int_equal(ever & all, all);
    hb_params_close(params);
}

/* The smallest rings that take about a second on all limbs, and larger ones. */
static void test_sample(void **state)
{
    (void)state;
    check_samples((size_t)1 << 14);
    check_samples((size_t)1 << 15);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(check_sample)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sample)};
    return cmocka_run_group_tests(tests, start, NULL);
}
