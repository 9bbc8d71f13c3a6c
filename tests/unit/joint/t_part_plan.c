/* Plans of parts by the formulae, the noise of parts word for word, and the contexts that it follows from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "joint/part.h"
#include "reference/joint_world.h"
#include "reference/slow.h"
#include "scheme/quality.h"
#include "unit/unit.h"

enum { COUNT = 2 };
static const joint_chain small = {1024, {45, 45, 45, 45, 45, 46}, 6, 1032193};

/* --- the plan */

/* By the formulae of part_plan.h in Python. */
static const struct {
    size_t n;
    double noise;
    uint32_t owners;
    uint64_t results;
    uint32_t u, w;
    double distance, worst;
} plans[] = {
    {1024, 65.60, 5, 64, 46, 51, -40.832743, 119.299209},
    {1024, 20.00, 2, 1, 2, 48, -40.870909, 70.977281},
    {1024, 100.25, 64, 1048576, 81, 58, -40.750834, 164.977281},
    {8192, 65.60, 5, 10000, 46, 56, -40.629447, 124.299209},
    {8192, 31.90, 2, 20000, 12, 56, -40.129447, 88.977281},
};

static void plans_follow_the_formulae(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const joint_chain chain = {plans[i].n, {55, 55, 55, 55, 56}, 5, 1032193};
        joint_world w;
        hb_part_plan plan;
        joint_world_open(&w, &chain, 2, 1);
        assert_int_equal(hb_part_plan_make(w.params, 4, plans[i].noise, plans[i].owners, plans[i].results, 0, &plan),
                         HB_OK);
        assert_int_equal(plan.flood.u, plans[i].u);
        assert_int_equal(plan.flood.w, plans[i].w);
        assert_true(fabs(plan.distance - plans[i].distance) < 1e-5 && plan.distance <= -HB_PART_DISTANCE_BITS);
        assert_true(fabs(plan.worst - plans[i].worst) < 1e-5);
        joint_world_close(&w);
    }
}

/* Widths, and what is left of the budget. */
static void parts_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    joint_world w;
    hb_part_plan plan;
    joint_world_open(&w, &small, 2, 1);
    assert_int_equal(hb_part_plan_make(w.params, 5, 40, 2, 0, 0, &plan), HB_EUSAGE);
    assert_int_equal(hb_part_plan_make(w.params, 5, 40, 2, (uint64_t)1 << 40, 0, &plan), HB_EUSAGE);
    double noise = 40;
    while (hb_part_plan_make(w.params, 5, noise, 2, 100, 0, &plan) == HB_OK) {
        assert_true(hb_quality_bits(w.params, 5, plan.worst) >= 1);
        noise += 0.25;
    }
    assert_int_equal(hb_part_plan_make(w.params, 5, noise, 2, 100, 0, &plan), HB_EDATA);
    assert_true(noise > 150 && noise < 225); /* bits of the data primes, less the width */
    assert_int_equal(hb_part_plan_make(w.params, 2, 60, 2, 100, 0, &plan), HB_EDATA);
    joint_world_close(&w);
}

/* Plans parts of every noise, for so many owners of a receiving key; `needed` bits of budget are enough, and few of
 * them more than needed. */
static void check_budget(const hb_params *params, uint32_t receiving)
{
    const hb_joint_spec *joint = &params->spec.joint;
    const double needed = hb_part_budget(params);
    hb_part_plan plan;
    uint32_t more = 0;
    for (double noise = 21; noise < 220; noise += 0.11) {
        const double bits = hb_quality_bits(params, 5, noise);
        const hb_status st = hb_part_plan_make(params, 5, noise, joint->threshold, joint->results, receiving, &plan);
        assert_true(st == HB_OK || bits < needed);
        if (st == HB_OK && receiving > 0) {
            assert_true(hb_quality_from_file(hb_quality_to_file(plan.worst)) == plan.worst);
        }
        more += st == HB_OK && bits < needed;
    }
    assert_true(more > 0 && more < 4 / 0.11);
}

/* Also for most owners of the receiving key, in the largest ring. */
static void the_budget_is_enough(void **state)
{
    (void)state;
    static const uint64_t results[] = {1, 100, 20000};
    for (uint32_t owners = 2; owners <= HB_MOST_OWNERS; owners *= 2) {
        joint_world w;
        joint_world_open(&w, &small, 2, 1);
        hb_params *params = w.params;
        for (size_t r = 0; r < sizeof results / sizeof *results; r++) {
            params->spec.joint = (hb_joint_spec){.owners = owners, .threshold = owners, .results = results[r]};
            check_budget(params, 0);
            check_budget(params, HB_MOST_OWNERS);
            const size_t n = params->spec.n;
            params->spec.n = (size_t)1 << HB_RING_MAX_LOG_N; /* plans go by it alone */
            check_budget(params, HB_MOST_OWNERS);
            params->spec.n = n;
        }
        params->spec.joint.results = (uint64_t)1 << 40;
        assert_true(isinf(hb_part_budget(params)));
        params->spec.joint = (hb_joint_spec){.owners = 0};
        assert_true(hb_part_budget(params) == 0);
        joint_world_close(&w);
    }
}

/* --- the noise */

/* Word i of a stream. */
static uint64_t word_of(const hb_seed *seed, uint64_t item, size_t i, uint32_t bits)
{
    const uint64_t word = hb_keystream_word((hb_draw){seed, HB_DRAW_EXACT_FLOOD, item}, 0, i);
    return bits < 64 ? word & (((uint64_t)1 << bits) - 1) : word;
}

/* 2^u (A - B) + U - 2^(u - 1) modulo q, of coefficient i. */
static uint64_t flood_modulo(const hb_seed *seed, const hb_part_plan *plan, size_t i, uint64_t q)
{
    const uint64_t a = word_of(seed, 0, i, plan->flood.w) % q, b = word_of(seed, 1, i, plan->flood.w) % q;
    uint64_t f = slow_mul((a + q - b) % q, slow_pow(2, plan->flood.u, q), q);
    for (uint32_t k = 0; 64 * k < plan->flood.u; k++) {
        const uint32_t bits = plan->flood.u - 64 * k < 64 ? plan->flood.u - 64 * k : 64;
        f = (f + slow_mul(word_of(seed, 2 + k, i, bits) % q, slow_pow(2, 64 * k, q), q)) % q;
    }
    return (f + q - slow_pow(2, plan->flood.u - 1, q)) % q;
}

/* The part of a secret that is 0 is its noise. */
static void noise_is_its_definition(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 20, 63, 64, 65, 100, 128, 190};
    joint_world w;
    joint_world_open(&w, &small, 2, 3);
    const size_t n = w.params->spec.n;
    const uint32_t limbs = w.params->data_limbs;
    int8_t *zeros = calloc(n, 1);
    hb_secret_key zero;
    hb_batch h;
    hb_seed seeds[COUNT] = {{{1}}, {{2}}};
    assert_int_equal(hb_secret_key_load(&zero, w.engine, w.params, zeros), HB_OK);
    assert_int_equal(hb_batch_alloc(w.engine, &h, COUNT, limbs, w.params->ids), HB_OK);
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        const hb_part_plan plan = {.flood = {widths[k], k % 2 == 0 ? 62 : 40}};
        memset(h.data, 0, COUNT * h.stride * sizeof *h.data);
        assert_int_equal(hb_part_make(w.engine, &zero, plan.flood, h, h, seeds), HB_OK);
        for (size_t c = 0; c < COUNT; c++) {
            for (uint32_t l = 0; l < limbs; l++) {
                for (size_t i = 0; i < n; i += 1 + i / 7) {
                    assert_int_equal(h.data[c * h.stride + l * n + i],
                                     flood_modulo(&seeds[c], &plan, i, w.params->ring.moduli[l].value));
                }
            }
        }
    }
    hb_batch_free(w.engine, &h);
    hb_secret_key_clear(&zero);
    free(zeros);
    joint_world_close(&w);
}

/* Noise follows from the context alone, and every part of a request is in the context. */
static void contexts_depend_on_every_field(void **state)
{
    (void)state;
    enum { CONTEXTS = 11 };
    const uint8_t id[HB_DIGEST_BYTES] = {1}, other[HB_DIGEST_BYTES] = {2};
    uint8_t rows[2 * HB_DIGEST_BYTES] = {3}, digest[HB_DIGEST_BYTES], contexts[CONTEXTS][HB_DIGEST_BYTES];
    hb_owner_card cards[3] = {{.name = "a"}, {.name = "ab"}, {.name = "c"}};
    for (int i = 0; i < CONTEXTS; i++) {
        hb_part_request request = {
            .session_id = i == 1 ? other : id, .owners = cards, .count = 2, .plan.flood = {50, 51}};
        request.count += i == 2;
        request.plan.flood.u += i == 3;
        request.plan.flood.w += i == 4;
        request.cells[31] = i == 5;
        request.receiver[15] = i == 6;
        rows[0] = i == 7 ? 4 : 3;
        cards[1].name[1] = i == 8 ? 'c' : 'b';
        request.owners += i == 9;
        hb_part_c1_digest(digest, i == 10 ? 1 : 2, rows);
        hb_part_context(contexts[i], &request, digest);
        for (int j = 0; j < i; j++) {
            assert_memory_not_equal(contexts[i], contexts[j], sizeof contexts[i]);
        }
    }
    hb_seed seed, again;
    const hb_seed own = {{1}}, another = {{2}};
    hb_part_seed(&seed, &own, contexts[0]);
    hb_part_seed(&again, &own, contexts[0]);
    assert_memory_equal(&seed, &again, sizeof seed);
    hb_part_seed(&again, &another, contexts[0]);
    assert_memory_not_equal(&seed, &again, sizeof seed);
}

static void bounds_that_are_none_are_refused(void **state)
{
    (void)state;
    const double wrong[] = {NAN, INFINITY, 1e9, 0x1p33};
    joint_world w;
    joint_world_open(&w, &small, 2, 3);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hb_part_plan plan;
        assert_int_equal(hb_part_plan_make(w.params, w.params->data_limbs, wrong[i], 2, 9, 0, &plan), HB_EDATA);
        assert_non_null(strstr(hb_last_error()->text, "no parts that hide it"));
    }
    joint_world_close(&w);
}

HB_UNIT(part_plan)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_follow_the_formulae),      cmocka_unit_test(parts_that_do_not_fit_are_refused),
        cmocka_unit_test(the_budget_is_enough),           cmocka_unit_test(noise_is_its_definition),
        cmocka_unit_test(contexts_depend_on_every_field), cmocka_unit_test(bounds_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
