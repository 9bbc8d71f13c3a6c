/* Sanitized ciphertexts: plans against their conditions, values and noise against plans. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/sanitize_world.h"
#include "unit/unit.h"

static const joint_chain chains[] = {
    {1024, {45, 45, 45, 45, 45, 46}, 6, 1032193},
    {2048, {49, 50, 50, 50, 50, 51}, 6, 786433},
    {4096, {55, 55, 55, 55, 56}, 5, 65537},
};
enum { CHAINS = sizeof chains / sizeof *chains };

/* --- plans */

static double budget(const hb_params *p, uint32_t limbs, double noise)
{
    return hb_quality_bits(p, limbs, noise);
}

static double after(const hb_params *p, hb_quality noise, hb_exact_flood f)
{
    const double t = (double)p->spec.bfv.plain;
    const double before = hb_quality_add(p, noise, hb_quality_fresh(p, true, HB_BINOMIAL)).worst;
    return log2(exp2(before) + t * exp2(f.u) * (exp2(f.w) + 1));
}

static hb_quality at_limbs(const hb_params *p, hb_quality noise, uint32_t from, uint32_t to)
{
    for (; from > to; from--) {
        noise = hb_quality_mod_switch(p, from, noise, 2);
    }
    return noise;
}

/* Whether noise that hides and leaves so many bits fits. */
static bool fits(const hb_params *p, hb_quality noise, uint32_t limbs, uint32_t w, uint32_t leave)
{
    const double before = hb_quality_add(p, noise, hb_quality_fresh(p, true, HB_BINOMIAL)).worst;
    const hb_exact_flood f = {hb_exact_flood_least_shift(before, p->spec.bfv.plain), w};
    return after(p, noise, f) <= budget(p, limbs, 0) - leave;
}

static void check_plan(const hb_params *p, uint32_t limbs, hb_quality noise, uint64_t count, uint32_t bits,
                       uint32_t leave)
{
    hb_sanitize_plan plan;
    const hb_status st = hb_sanitize_plan_make(p, limbs, noise, (hb_sanitize_request){count, bits, leave}, &plan);
    const uint32_t w = hb_exact_flood_least_width(log2((double)p->spec.n * (double)count), bits);
    if (w > HB_EXACT_FLOOD_MOST_WIDTH) {
        assert_int_equal(st, HB_EUSAGE);
        return;
    }
    /* 2^-10 of a bit is kept for the noise that is hidden: here it is neither side's. */
    const bool room = fits(p, noise, limbs, w, leave);
    assert_int_equal(st, room ? HB_OK : HB_EDATA);
    if (!room) {
        assert_non_null(strstr(hb_last_error()->text, "sanitizing needs "));
        return;
    }
    const hb_quality there = at_limbs(p, noise, limbs, plan.limbs);
    assert_true(plan.from == limbs && plan.flood.w == w && plan.distance <= -(double)bits && !plan.open);
    assert_true(after(p, there, plan.flood) <= budget(p, plan.limbs, 0) - leave);
    assert_true(plan.flood.u >=
                hb_exact_flood_least_shift(hb_quality_add(p, there, hb_quality_fresh(p, true, HB_BINOMIAL)).worst,
                                           p->spec.bfv.plain));
    plan.flood.u++;
    assert_true(after(p, there, plan.flood) > budget(p, plan.limbs, 0) - leave - 0.001);
    assert_true(plan.limbs == 1 || !fits(p, at_limbs(p, noise, limbs, plan.limbs - 1), plan.limbs - 1, w, leave));
    hb_quality left = {.worst = budget(p, plan.limbs, 0) - leave, .powers = 1};
    left.expected = left.worst;
    const hb_quality lower = at_limbs(p, left, plan.limbs, plan.to);
    assert_true(plan.quality.worst == lower.worst && plan.quality.expected == lower.expected);
    assert_true(plan.quality.certainty == noise.certainty); /* no more certain than the noise that is hidden */
    assert_true(budget(p, plan.to, lower.worst) >= leave - 1);
    assert_true(plan.to == 1 || budget(p, plan.to - 1, at_limbs(p, lower, plan.to, plan.to - 1).worst) < leave - 1);
}

static void plans_meet_their_conditions(void **state)
{
    (void)state;
    for (size_t c = 0; c < CHAINS; c++) {
        joint_world w;
        joint_world_open(&w, &chains[c], 1, 1);
        for (uint32_t bits = HB_SANITIZE_LEAST_BITS; bits <= HB_SANITIZE_MOST_BITS; bits += 10) {
            for (double noise = 20; noise < 240; noise += 13.7) {
                for (uint32_t limbs = w.params->data_limbs; limbs > 0; limbs -= 2) {
                    const hb_quality q = {.worst = noise,
                                          .expected = noise - 4,
                                          .powers = 2,
                                          .certainty = limbs % 3 == 0 ? HB_CERTAINTY_DRAWN : HB_CERTAINTY_PROVEN};
                    check_plan(w.params, limbs, q, (uint64_t)1 << (bits % 4 * 8), bits, 2 + bits % 3 * 20);
                    if (limbs < 3) {
                        break;
                    }
                }
            }
        }
        joint_world_close(&w);
    }
}

/* Asks for the widest noise, on results that were switched to `limbs` limbs, of any noise from there on: those that
 * keep enough bits have plans, and `enough` is few bits more than needed. */
static void check_enough(const hb_params *p, uint32_t limbs, uint32_t bits, uint32_t leave)
{
    const uint32_t enough = HB_SANITIZE_ENOUGH - HB_SANITIZE_LEAVE + leave;
    const hb_quality none = {.powers = 1}, switched = hb_quality_mod_switch(p, limbs + 1, none, 2);
    hb_sanitize_request request = {1, bits, leave};
    uint32_t with = 0, without = 0;
    while (hb_exact_flood_least_width(log2((double)p->spec.n * (double)request.count * 2), bits) <=
           HB_EXACT_FLOOD_MOST_WIDTH) {
        request.count *= 2;
    }
    for (double noise = switched.worst; noise < switched.worst + 200; noise += 0.03) {
        hb_sanitize_plan plan;
        const double left = budget(p, limbs, noise);
        const hb_quality q = {.worst = noise, .expected = noise, .powers = 1};
        const hb_status st = hb_sanitize_plan_make(p, limbs, q, request, &plan);
        assert_true(st == HB_OK || left < enough);
        assert_true(st != HB_OK || plan.flood.w == HB_EXACT_FLOOD_MOST_WIDTH);
        with += st == HB_OK && left >= enough;
        without += st == HB_OK && left < enough;
    }
    assert_true(with > 0 && without > 0 && without < 4 / 0.03);
}

static void enough_budget_is_enough(void **state)
{
    (void)state;
    for (size_t c = 0; c < CHAINS; c++) {
        for (uint32_t owners = 1; owners <= 3; owners += 2) {
            joint_world w;
            joint_world_open(&w, &chains[c], owners, 1);
            for (uint32_t bits = 30; bits <= 50; bits += 10) { /* of less the widest noise has more than 2^64 */
                check_enough(w.params, 3, bits, HB_SANITIZE_LEAVE);
                check_enough(w.params, w.params->data_limbs - 1, bits, HB_SANITIZE_LEAVE + 20);
            }
            joint_world_close(&w);
        }
    }
}

/* A plan says nothing of a computation but its limbs. */
static void plans_forget_the_noise(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chains[0], 1, 1);
    hb_sanitize_plan first = {.from = 0};
    uint32_t compared = 0, kinds = 0;
    for (double noise = 25; noise < 100; noise += 0.7) {
        hb_sanitize_plan plan;
        const hb_quality q = {.worst = noise, .expected = noise / 2, .powers = (uint32_t)noise % 5};
        assert_int_equal(
            hb_sanitize_plan_make(w.params, 5, q, (hb_sanitize_request){100, 40, HB_SANITIZE_LEAVE}, &plan), HB_OK);
        if (plan.limbs != first.limbs) {
            first = plan;
            kinds++;
            continue;
        }
        compared++;
        assert_memory_equal(&plan.flood, &first.flood, sizeof plan.flood);
        assert_true(plan.to == first.to && plan.quality.worst == first.quality.worst &&
                    plan.quality.expected == first.quality.expected && plan.quality.powers == first.quality.powers);
    }
    assert_true(compared > 100 && kinds <= 3);
    joint_world_close(&w);
}

/* Levels that are none of users': those of bootstrapping, and those of keys. */
static void other_levels_are_refused(void **state)
{
    static const char *const presets[] = {"int-test", "bfv-4096"};
    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const hb_sanitize_request requests[] = {{1, 40, HB_SANITIZE_LEAVE}, {1, 0, HB_SANITIZE_LEAVE}};
        hb_params_spec spec;
        hb_params *params;
        hb_sanitize_plan plan;
        assert_int_equal(hb_params_preset(presets[i], &spec), HB_OK);
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        const hb_quality q = hb_quality_fresh(params, true, HB_BINOMIAL);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(hb_sanitize_plan_make(params, params->fresh_limbs + 1, q, requests[k], &plan), HB_EDATA);
            assert_non_null(strstr(hb_last_error()->text, "no ciphertexts of"));
        }
        assert_int_equal(hb_sanitize_plan_make(params, params->fresh_limbs, q, requests[1], &plan), HB_OK);
        hb_params_close(params);
    }
}

static void other_schemes_are_refused(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *params;
    hb_sanitize_plan plan;
    assert_int_equal(hb_params_preset("ckks-14", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    const hb_quality q = hb_quality_fresh(params, true, HB_BINOMIAL);
    assert_int_equal(hb_sanitize_plan_make(params, 2, q, (hb_sanitize_request){1, 40, HB_SANITIZE_LEAVE}, &plan),
                     HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "decrypt --share"));
    assert_int_equal(hb_sanitize_plan_make(params, 2, q, (hb_sanitize_request){.bits = 0}, &plan), HB_EDATA);
    hb_params_close(params);
}

/* --- ciphertexts */

enum { COUNT = 3 };

/* Squares every value; in slots. */
static void square(const joint_world *w, sealed *a)
{
    const hb_params *p = w->params;
    const size_t count = hb_ciphertexts_count(a->c);
    const hb_evaluator_requirements requirements = {
        .limbs = p->data_limbs, .count = count, .size = 2, .switching = true};
    hb_evaluator *x;
    hb_ciphertexts wide;
    assert_int_equal(hb_evaluator_open(w->engine, p, &requirements, &x), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&wide, w->engine, p, 3, count, p->data_limbs), HB_OK);
    assert_int_equal(hb_evaluator_multiply(x, wide, a->c, a->c), HB_OK);
    assert_int_equal(hb_evaluator_relinearize(x, a->c, wide, &w->relin), HB_OK);
    const hb_quality_factor f = {.quality = a->noise, .size = 2};
    a->noise = hb_quality_switch(p, p->data_limbs, hb_quality_square(p, p->data_limbs, f), HB_SWITCH_RELIN);
    hb_batch_free(w->engine, &wide.all);
    hb_evaluator_close(x);
}

/* Cells in rectangles of several shapes: all slots, some, none of a ciphertext. */
static void cells_of(size_t n, hb_filled_slots cells[COUNT])
{
    cells[0] = (hb_filled_slots){n, 1, 1};
    cells[1] = (hb_filled_slots){10, 3, 7};
    cells[2] = (hb_filled_slots){0, 0, 1};
}

static bool is_cell(hb_filled_slots cells, size_t i)
{
    return i / cells.stride < cells.rows && i % cells.stride < cells.columns;
}

/* Values in cells are kept; what stood elsewhere is found there as often as by chance. */
static void check_values(const hb_params *p, const uint64_t *before, const uint64_t *now, const hb_filled_slots *cells)
{
    const size_t n = p->spec.n;
    size_t same = 0;
    for (size_t i = 0; i < COUNT * n; i++) {
        const bool cell = is_cell(cells[i / n], i % n);
        assert_true(!cell || before[i] == now[i]);
        same += !cell && before[i] == now[i];
    }
    assert_true(same < 10);
}

static void check_computation(const joint_world *w, hb_encoding encoding, uint32_t squares, uint32_t leave)
{
    const hb_params *p = w->params;
    const size_t n = p->spec.n;
    uint64_t *values = malloc(COUNT * n * sizeof *values), *now = malloc(COUNT * n * sizeof *now), seed = squares;
    hb_filled_slots cells[COUNT];
    hb_sanitize_plan plan;
    for (size_t i = 0; i < COUNT * n; i++) {
        values[i] = slow_random(&seed) % p->spec.bfv.plain;
    }
    cells_of(n, cells);
    sealed a = encrypt(w, values, COUNT, encoding, 7);
    for (uint32_t k = 0; k < squares; k++) {
        square(w, &a);
        for (size_t i = 0; i < COUNT * n; i++) {
            values[i] = slow_mul(values[i], values[i], p->spec.bfv.plain);
        }
    }
    assert_int_equal(hb_sanitize_plan_make(p, p->data_limbs, a.noise, (hb_sanitize_request){COUNT, 40, leave}, &plan),
                     HB_OK);
    const hb_ciphertexts r = sanitize(w, &a, encoding, &plan, cells, 9);
    const double measured = decrypt(w, r, encoding, now), proven = budget(p, plan.to, plan.quality.worst);
    check_values(p, values, now, cells);
    assert_true(measured >= proven && measured <= proven + 2); /* the largest of many is near the bound */
    hb_batch_free(w->engine, &a.c.all);
    free(values);
    free(now);
}

static void values_are_kept_and_noise_is_bounded(void **state)
{
    (void)state;
    for (size_t c = 0; c < CHAINS; c++) {
        for (uint32_t owners = 1; owners <= 3; owners += 2) {
            joint_world w;
            joint_world_open(&w, &chains[c], owners, (int)c);
            joint_make_keys(&w);
            check_computation(&w, HB_ENCODE_SLOTS, 0, HB_SANITIZE_LEAVE);
            check_computation(&w, HB_ENCODE_COEFFICIENTS, 0, 40);
            check_computation(&w, HB_ENCODE_SLOTS, 1, HB_SANITIZE_LEAVE);
            check_computation(&w, HB_ENCODE_SLOTS, 1, 60);
            joint_world_close(&w);
        }
    }
}

/* The same root and numbers give the same words, others give others; and opened ones are a sum that all can make. */
static void draws_follow_from_the_root(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chains[0], 1, 4);
    joint_make_keys(&w);
    const hb_params *p = w.params;
    const size_t n = p->spec.n;
    uint64_t *values = calloc(COUNT * n, sizeof *values);
    hb_filled_slots cells[COUNT];
    hb_sanitize_plan plans[2];
    cells_of(n, cells);
    const hb_quality fresh = hb_quality_fresh(p, true, HB_BINOMIAL);
    assert_int_equal(
        hb_sanitize_plan_make(p, p->data_limbs, fresh, (hb_sanitize_request){COUNT, 40, HB_SANITIZE_LEAVE}, &plans[0]),
        HB_OK);
    assert_int_equal(hb_sanitize_plan_make(p, p->data_limbs, fresh, (hb_sanitize_request){.bits = 0}, &plans[1]),
                     HB_OK);
    for (int k = 0; k < 2; k++) {
        sealed a[3];
        hb_ciphertexts r[3];
        for (uint8_t i = 0; i < 3; i++) {
            a[i] = encrypt(&w, values, COUNT, HB_ENCODE_SLOTS, 1);
            r[i] = sanitize(&w, &a[i], HB_ENCODE_SLOTS, &plans[k], cells, i == 2);
        }
        const size_t words = 2 * COUNT * n * r[0].all.limbs;
        size_t same = 0;
        assert_memory_equal(r[0].all.data, r[1].all.data, words * sizeof(uint64_t));
        for (size_t i = 0; i < words; i++) {
            same += r[0].all.data[i] == r[2].all.data[i];
        }
        assert_true(same < 3);
        uint64_t *now = malloc(COUNT * n * sizeof *now);
        const uint32_t least = decrypt(&w, r[0], HB_ENCODE_SLOTS, now);
        assert_true(least >= budget(p, plans[k].to, plans[k].quality.worst));
        assert_true(k == 0 || memcmp(now, values, COUNT * n * sizeof *now) == 0);
        free(now);
        for (int i = 0; i < 3; i++) {
            hb_batch_free(w.engine, &a[i].c.all);
        }
    }
    free(values);
    joint_world_close(&w);
}

HB_UNIT(sanitize)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_meet_their_conditions), cmocka_unit_test(plans_forget_the_noise),
        cmocka_unit_test(enough_budget_is_enough),     cmocka_unit_test(other_levels_are_refused),
        cmocka_unit_test(other_schemes_are_refused),   cmocka_unit_test(values_are_kept_and_noise_is_bounded),
        cmocka_unit_test(draws_follow_from_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
