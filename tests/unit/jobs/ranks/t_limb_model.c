/* The model of transfers between members, against those that the divided engine asks for; and its predictions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those four */
#include <cmocka.h>

#include "bench/limbs_private.h"
#include "lang/cost/op_cost.h"
#include "unit/unit.h"

static const hb_exchange_cost costs[] = {
    {.start = {0, 0, 0}, .byte = {1e-9, 1e-3, 1e-9}, .visible = 1}, /* slices are never worth it ... */
    {.start = {0, 0, 0}, .byte = {1e-3, 1e-9, 1e-9}, .visible = 1}, /* ... always ... */
    {.start = {1e-4, 1e-4, 1e-4}, .byte = {1e-9, 1e-9, 1e-9}, .visible = 1},
};

static hb_params *open_params(uint64_t n, uint32_t limbs, uint32_t bits)
{
    const hb_bench_limbs_words words = {.n = n, .limbs = limbs, .bits = bits, .insecure = true};
    hb_params *params = NULL;
    assert_int_equal(hb_limbs_params_open(&words, &params), HB_OK);
    assert_int_equal(params->data_limbs, limbs);
    return params;
}

/* A device where a transform of a limb takes as long as 12 such limbs of the cheapest pattern. */
static const hb_speed speed = {.each = {{[HB_COST_TRANSFORMS] = 1e-4}}};

static hb_limb_case case_of(const hb_params *params, uint32_t k, hb_exchange_cost cost)
{
    return (hb_limb_case){.params = params,
                          .dealt = {k, HB_USUAL_TRAVEL, HB_LIMBS_MIRRORED},
                          .conversions = HB_DIVIDE_BY_COST,
                          .cost = cost};
}

/* Every operation of one member, on so many ciphertexts, which fit the workspace of an exchange. */
static void check_count(hb_params *params, uint32_t k, uint32_t member, hb_division division, hb_exchange_cost cost,
                        size_t count)
{
    const hb_device cpu = {0};
    const hb_bench_limbs_options options = {
        .params = params, .device = &cpu, .limbs = {.exchange = "auto"}, .speed = speed};
    const hb_limbs_shape shape = {
        .k = k, .member = member, .division = division, .queues = 1, .count = count, .keys = true};
    hb_limbs_rig rig = {0};
    assert_int_equal(hb_limbs_rig_open(&rig, NULL, &options, &shape, &cost), HB_OK);
    rig.count = shape.count;
    for (int o = 0; o < HB_LIMB_OPERATIONS; o++) {
        rig.operation = (hb_limb_operation)o;
        if (!hb_limbs_possible(params, rig.operation)) {
            continue;
        }
        hb_recorder_begin(rig.recorder);
        assert_int_equal(hb_limbs_issue(&rig, &rig.worker[0]), HB_OK);
        assert_int_equal(hb_recorder_end(rig.recorder), HB_OK);
        const hb_limb_traffic seen = hb_recorder_traffic(rig.recorder);
        const hb_limb_case c = {params, params->division, division, cost};
        const hb_limb_traffic model = hb_limb_traffic_of(&c, member, rig.operation, shape.count);
        for (int p = 0; p < HB_PATTERNS; p++) {
            if (seen.bytes[p] != model.bytes[p] || seen.transfers[p] != model.transfers[p]) {
                fail_msg("operation %d on member %u of %u, division %d, pattern %d: %.0f bytes in %.0f transfers, by "
                         "the model %.0f in %.0f",
                         o, member, k, (int)division, p, seen.bytes[p], seen.transfers[p], model.bytes[p],
                         model.transfers[p]);
            }
        }
    }
    hb_limbs_rig_clear(&rig);
}

static void check_member(hb_params *params, uint32_t k, uint32_t member, hb_division division, hb_exchange_cost cost)
{
    check_count(params, k, member, division, cost, 3);
}

static void traffic_is_what_the_engine_moves(void **state)
{
    (void)state;
    hb_params *params = open_params(1024, 5, 40);
    for (uint32_t k = 2; k <= 5; k++) {
        for (uint32_t member = 0; member < k; member++) {
            check_member(params, k, member, HB_DIVIDE_BY_GATHERING, costs[0]);
            check_member(params, k, member, HB_DIVIDE_BY_SLICES, costs[0]);
        }
    }
    hb_params_close(params);
}

/* A chain whose keys are integers: the model has the base that suits so many members, in halves and not. */
static void integers_are_the_engine_s(void **state)
{
    (void)state;
    hb_params *params = open_params(1024, 23, 50);
    uint32_t paid = 0;
    for (uint32_t k = 2; k <= 5; k++) {
        for (uint32_t member = 0; member < k; member++) {
            check_count(params, k, member, HB_DIVIDE_BY_COST, costs[member % 3], 1);
            /* Where the bytes of slices cost most, keys stay modulo each prime. */
            const bool pays = hb_params_integers(params, k).limbs > 0;
            assert_true(member % 3 != 0 || !pays);
            paid += pays;
        }
    }
    assert_true(paid >= 2);
    hb_params_close(params);
}

/* Divides for a device where a transform takes so long, over that network; returns whether keys are integers. */
static bool integers_at(hb_params *params, uint32_t k, double transform, size_t network, double visible)
{
    hb_exchange_cost cost;
    const hb_speed device = {.each = {{[HB_COST_TRANSFORMS] = transform}}};
    (void)hb_limb_network(network, &cost);
    cost.visible = visible;
    assert_int_equal(hb_limb_divide(params, k, &device, &cost), HB_OK);
    assert_true(params->map.members == k && params->division.order < HB_LIMB_ORDERS);
    return hb_params_switch_by_integers(params);
}

/* Integers bring more limbs and take fewer transforms: not where a byte takes too long beside a transform. */
static void integers_pay_where_links_are_fast(void **state)
{
    (void)state;
    enum { NVLINK = 0, ETHERNET = 3 };
    hb_params *params = open_params(1 << 15, 30, 50), *few = open_params(1024, 5, 40);
    const double gpu = 0.22e-6, core = 100e-6; /* seconds of a transform */
    for (uint32_t k = 2; k <= 4; k++) {
        assert_true(integers_at(params, k, gpu, NVLINK, 0.25));
        assert_false(integers_at(few, k, gpu, NVLINK, 0.25));
        assert_false(integers_at(params, k, gpu, ETHERNET, 0.5));
        assert_true(integers_at(params, k, core, ETHERNET, 0.5)); /* a core computes longer */
    }
    (void)integers_at(params, 2, gpu, NVLINK, 0.5);
    const double hidden = params->division.travel;
    (void)integers_at(params, 2, gpu, NVLINK, 1);
    assert_true(params->division.travel == 2 * hidden); /* all of a transfer is waited for */
    hb_params_close(params);
    hb_params_close(few);
}

/* Digits of several primes, divided by several special ones: all digits at once, in halves and not. */
static void reals_are_the_engine_s(void **state)
{
    static const char *const names[] = {"ckks-13", "ckks-14"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const hb_bench_limbs_words words = {.preset = names[i]};
        hb_params *params = NULL;
        assert_int_equal(hb_limbs_params_open(&words, &params), HB_OK);
        for (uint32_t k = 2; k <= 3; k++) {
            for (uint32_t c = 0; c < sizeof costs / sizeof costs[0]; c++) {
                check_count(params, k, c % k, HB_DIVIDE_BY_COST, costs[c], 1);
            }
        }
        hb_params_close(params);
    }
}

static void choice_is_the_engine_s(void **state)
{
    (void)state;
    hb_params *params = open_params(1024, 6, 50);
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        for (uint32_t k = 2; k <= 4; k += 2) {
            check_member(params, k, 0, HB_DIVIDE_BY_COST, costs[i]);
            check_member(params, k, k - 1, HB_DIVIDE_BY_COST, costs[i]);
        }
    }
    hb_params_close(params);
}

/* Also where both ways cost nearly the same, as ranks may measure it. */
static void choice_is_the_engine_s_in_between(void **state)
{
    (void)state;
    const uint32_t limbs[] = {3, 5, 6}, members[] = {3, 2, 4};
    for (size_t i = 0; i < sizeof limbs / sizeof limbs[0]; i++) {
        hb_params *params = open_params(1024, limbs[i], 40);
        for (double ratio = 0.5; ratio < 4; ratio *= 1.04) {
            const hb_exchange_cost cost = {.start = {1e-5, 1.3e-5, 1e-5}, .byte = {1e-9, ratio * 1e-9, 1e-9}};
            check_member(params, members[i], 0, HB_DIVIDE_BY_COST, cost);
        }
        hb_params_close(params);
    }
}

static void one_rank_exchanges_nothing(void **state)
{
    (void)state;
    hb_params *params = open_params(1024, 3, 40);
    for (int o = 0; o < HB_LIMB_OPERATIONS; o++) {
        const hb_limb_case c = case_of(params, 1, costs[0]);
        const hb_limb_traffic t = hb_limb_traffic_of(&c, 0, (hb_limb_operation)o, 7);
        assert_true(hb_limb_bytes(&t) == 0 && hb_limb_exchange_seconds(&t, &costs[2]) == 0);
    }
    hb_params_close(params);
}

/* By hand: a rotation of 4 ciphertexts of 5 limbs, on member 1 of 2, which has limbs 1, 3 and, in this order of limbs,
 * the special one. */
static void rotation_by_hand(void **state)
{
    (void)state;
    hb_params *params = open_params(1024, 5, 40);
    const hb_limb_case c = case_of(params, 2, costs[2]);
    const hb_limb_traffic t = hb_limb_traffic_of(&c, 1, HB_LIMB_ROTATE, 4);
    const double limb = 1024 * 8;
    assert_true(t.bytes[HB_ALL_GATHER] == 4 * 3 * limb && t.transfers[HB_ALL_GATHER] == 1);
    assert_true(t.bytes[HB_BROADCAST] == 0 && t.transfers[HB_BROADCAST] == 1);
    const double expected = 12 * limb * 1e-9 + 2 * 1e-4;
    assert_true(fabs(hb_limb_exchange_seconds(&t, &costs[2]) - expected) < 1e-12);
    hb_params_close(params);
}

static void predictions_are_ordered(void **state)
{
    (void)state;
    hb_params *params = open_params(1 << 15, 30, 50);
    hb_exchange_cost cost;
    double last = 0;
    size_t networks = 0;
    for (; hb_limb_network(networks, &cost) != NULL; networks++) { /* the fastest first */
        const hb_limb_case c = case_of(params, 8, cost);
        const hb_limb_traffic t = hb_limb_traffic_most(&c, HB_LIMB_PRODUCT, 16);
        assert_true(hb_limb_exchange_seconds(&t, &cost) > last);
        last = hb_limb_exchange_seconds(&t, &cost);
    }
    assert_int_equal(networks, 4);
    hb_params_close(params);
}

/* By hand: transfers of 1 s and of 2 s of bytes, three starts. */
static void exchanges_hide_behind_computing(void **state)
{
    (void)state;
    hb_exchange_cost cost = {.start = {0.1, 0.1, 0.1}, .byte = {1, 2, 4}, .visible = 1};
    const hb_limb_traffic t = {.bytes = {1, 1, 0}, .transfers = {2, 1, 0}};
    const double exchange = 1 + 2 + 3 * 0.1;
    assert_true(fabs(hb_limb_exchange_seconds(&t, &cost) - exchange) < 1e-12);
    assert_true(fabs(hb_limb_seconds(10, &t, &cost) - (10 + exchange)) < 1e-12); /* nothing travels meanwhile */
    cost.visible = 0.25;
    assert_true(fabs(hb_limb_seconds(10, &t, &cost) - (10 + 0.25 * exchange)) < 1e-12);
    assert_true(fabs(hb_limb_seconds(0.4, &t, &cost) - (0.1 + exchange)) < 1e-12); /* too little to do */
}

/* Keys take most memory, and each member has its share of them. */
static void more_ranks_need_less_memory(void **state)
{
    (void)state;
    hb_params *params = open_params(1 << 15, 30, 50);
    const hb_device cpu = {0};
    const hb_bench_limbs_options options = {.params = params, .device = &cpu};
    hb_limbs_shape shape = {.queues = 1, .count = 1, .keys = true};
    uint64_t last = UINT64_MAX;
    for (shape.k = 1; shape.k <= 8; shape.k *= 2) {
        assert_int_equal(hb_params_divide(params, shape.k), HB_OK);
        const uint64_t bytes = hb_limbs_bytes(&options, &shape);
        assert_true(bytes < last && bytes > 2 * hb_switch_key_bytes(params));
        last = bytes;
    }
    hb_params_close(params);
}

/* Returns the seconds of exchanges that the cost model counts for an operation on one ciphertext of a batch. */
static double counted(const hb_params *params, hb_opcode op, const hb_exchange_cost *cost, size_t count)
{
    const hb_op_cost x = {.op = op, .limbs = params->fresh_limbs, .to_limbs = params->fresh_limbs};
    hb_cost amounts = {{0}};
    hb_speed s = speed;
    hb_op_cost_add(params, &x, &amounts);
    hb_speed_divide(params, cost, false, &s);
    return amounts.of[HB_COST_GATHERED] * s.each.of[HB_COST_GATHERED] +
           amounts.of[HB_COST_SLICED] * s.each.of[HB_COST_SLICED] +
           amounts.of[HB_COST_TRANSFERS] * s.each.of[HB_COST_TRANSFERS] / (double)count;
}

/* Whole jobs are predicted by counts that come within an eighth of what moves, whatever the chain, and however limbs
 * and keys are divided. */
static void jobs_count_what_the_engine_moves(void **state)
{
    (void)state;
    const char *const names[] = {"bfv-8192", "bfv-32768", "ckks-14"};
    static const struct {
        hb_opcode op;
        hb_limb_operation operation;
    } pairs[] = {{HB_OP_MULTIPLY, HB_LIMB_MULTIPLY},
                 {HB_OP_RELINEARIZE, HB_LIMB_RELINEARIZE},
                 {HB_OP_ROTATE, HB_LIMB_ROTATE},
                 {HB_OP_RESCALE, HB_LIMB_MOD_SWITCH},
                 {HB_OP_ADD, HB_LIMB_ADD}};
    const hb_exchange_cost cost = {.start = {1e-9, 1e-9, 1e-9}, .byte = {1e-9, 1e-9, 1e-9}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const hb_bench_limbs_words words = {.preset = names[i]};
        hb_params *params = NULL;
        assert_int_equal(hb_limbs_params_open(&words, &params), HB_OK);
        for (uint32_t k = 1; k <= 4 && k <= params->data_limbs; k++) {
            for (double travel = 0.1; travel < 1e3; travel *= 1e3) {
                assert_int_equal(hb_params_divide_as(params, &(hb_params_division){k, travel, HB_LIMB_ORDERS}), HB_OK);
                const hb_limb_case c = {params, params->division, HB_DIVIDE_BY_COST, cost};
                for (size_t o = 0; o < sizeof pairs / sizeof *pairs; o++) {
                    const hb_limb_traffic t = hb_limb_traffic_most(&c, pairs[o].operation, 16);
                    const double exact = hb_limb_exchange_seconds(&t, &cost) / 16;
                    const double found = counted(params, pairs[o].op, &cost, 16);
                    if (fabs(found - exact) > exact / 8) {
                        fail_msg("%s, %u members at %g: operation %d counts %g s, and moves %g s", names[i], k, travel,
                                 (int)pairs[o].op, found, exact);
                    }
                }
            }
        }
        hb_params_close(params);
    }
}

/* The price where nothing was measured is that of direct copies, of which as much shows as elsewhere. */
static void usual_price(void **state)
{
    (void)state;
    const hb_exchange_cost usual = hb_limb_usual_cost(true);
    assert_true(usual.visible == HB_VISIBLE_DIRECT && HB_USUAL_TRAVEL == 4 * usual.visible);
    assert_true(hb_limb_usual_cost(false).visible == HB_VISIBLE_MPI);
}

HB_UNIT(limb_model)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(traffic_is_what_the_engine_moves),
                                       cmocka_unit_test(integers_are_the_engine_s),
                                       cmocka_unit_test(integers_pay_where_links_are_fast),
                                       cmocka_unit_test(reals_are_the_engine_s),
                                       cmocka_unit_test(choice_is_the_engine_s),
                                       cmocka_unit_test(choice_is_the_engine_s_in_between),
                                       cmocka_unit_test(one_rank_exchanges_nothing),
                                       cmocka_unit_test(rotation_by_hand),
                                       cmocka_unit_test(predictions_are_ordered),
                                       cmocka_unit_test(exchanges_hide_behind_computing),
                                       cmocka_unit_test(jobs_count_what_the_engine_moves),
                                       cmocka_unit_test(more_ranks_need_less_memory),
                                       cmocka_unit_test(usual_price)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
