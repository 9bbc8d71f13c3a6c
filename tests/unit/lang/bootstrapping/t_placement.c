/* Which values are bootstrapped: against all choices that there are, on chains, on pieces in series and in parallel,
 * and on random graphs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "placement_world.h"
#include "unit/unit.h"

/* The level of a step whose operands have these; -1: it is too low. */
static int level_of(const hb_placement_step *step, const int *levels)
{
    int level = step->operand_count == 0 ? (int)step->levels : INT32_MAX;
    for (uint32_t j = 0; j < step->operand_count; j++) {
        const int own = levels[step->operands[j]] - (int)step->levels;
        level = own < level ? own : level;
    }
    return level >= (int)step->least ? level : -1;
}

/* The cost of bootstrapping a set of values, where levels then suffice; else infinite. */
static double cost_of(const world *w, uint32_t set)
{
    int levels[32];
    double cost = 0;
    for (uint32_t i = 0; i < w->p.count; i++) {
        levels[i] = level_of(&w->steps[i], levels);
        if (levels[i] < 0) {
            return HUGE_VAL;
        }
        if (set >> i & 1) {
            if (levels[i] < (int)w->p.operand) {
                return HUGE_VAL;
            }
            cost += w->steps[i].values.times * w->steps[i].values.complex;
            levels[i] = levels[i] > (int)w->p.result ? levels[i] : (int)w->p.result;
        }
    }
    return cost;
}

static double least_of_all(const world *w)
{
    double least = HUGE_VAL;
    for (uint32_t set = 0; set < UINT32_C(1) << w->p.count; set++) {
        least = fmin(least, cost_of(w, set));
    }
    return least;
}

/* Checks levels of a solution, and returns the cost of its bootstraps. */
static double assert_solution(const world *w, const hb_placement *x)
{
    static int levels[MOST_STEPS];
    double cost = 0;
    for (uint32_t i = 0; i < w->p.count; i++) {
        const hb_placement_step *step = &w->steps[i];
        levels[i] = replayed_level(w, x->from, levels, i);
        assert_true(levels[i] >= (int)step->least);
        if (x->from[i] != HB_PLACEMENT_NEVER) {
            assert_true(levels[i] >= (int)w->p.operand);
            cost += step->values.times * step->values.complex;
        }
    }
    return cost;
}

/* Returns the cost of the solution. */
static double solved(const world *w, bool *best)
{
    hb_placement x;
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    *best = x.best;
    assert_true(fabs(assert_solution(w, &x) - x.cost) < 1e-9 * (x.cost + 1));
    const double cost = x.cost;
    hb_placement_clear(&x);
    return cost;
}

static void chains_take_no_more_than_they_must(void **state)
{
    world *w = *state;
    for (uint32_t length = 1; length < 200; length += 7) {
        bool best;
        begin(w, 3, 17);
        uint32_t x = add(w, 19, 0, 0, 0);
        for (uint32_t i = 0; i < length; i++) {
            x = add(w, 1, 1, x, 0);
        }
        /* 16 levels before the first, 14 between two, 17 behind the last. */
        const double least = length <= 19 ? 0 : ceil(((double)length - 16 - 17) / 14) + 1;
        assert_true(solved(w, &best) == least);
        assert_true(best);
    }
}

/* y = f(x) with x and x^2 below it, fifty times: one value a turn is enough, and where. */
static void loops_bootstrap_one_value_a_turn(void **state)
{
    world *w = *state;
    bool best;
    begin(w, 3, 17);
    uint32_t x = add(w, 17, 0, 0, 0);
    for (uint32_t i = 0; i < 50; i++) {
        const uint32_t square = add(w, 1, 1, x, 0), half = add(w, 1, 1, x, 0), cube = add(w, 1, 2, square, half),
                       more = add(w, 1, 1, x, 0);
        x = add(w, 0, 2, cube, more);
    }
    assert_true(solved(w, &best) == 6); /* 100 levels: 14, six times 14 but the last 17 */
    assert_true(best);
}

static void values_before_a_fan_out_are_bootstrapped(void **state)
{
    world *w = *state;
    bool best;
    begin(w, 1, 6);
    const uint32_t x = add(w, 4, 0, 0, 0), y = add(w, 1, 1, x, 0);
    for (uint32_t i = 0; i < 10; i++) {
        add(w, 4, 1, y, 0);
    }
    assert_true(solved(w, &best) == 1 && best);
    /* Each branch alone has levels enough for its own bootstrap: three ciphertexts before, one behind. */
    begin(w, 1, 6);
    uint32_t sum = add(w, 6, 0, 0, 0);
    w->steps[0].values = (hb_placement_values){.complex = 3, .times = 1};
    sum = add(w, 4, 1, sum, 0);
    add(w, 4, 1, sum, 0);
    assert_true(solved(w, &best) == 1 && best);
}

static void reals_go_in_pairs(void **state)
{
    world *w = *state;
    hb_placement x;
    begin(w, 1, 4);
    const uint32_t a = add(w, 2, 0, 0, 0), b = add(w, 2, 0, 0, 0);
    add(w, 4, 2, a, b);
    w->steps[a].values = w->steps[b].values = (hb_placement_values){.reals = 1, .times = 1};
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.cost == 1 && x.from[a] == 2 && x.from[b] == 2);
    hb_placement_clear(&x);
    w->steps[b].values.kind = 1;
    w->steps[b].values.total = true; /* one ciphertext beside as many as there are row blocks */
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.cost == 1.5);
    hb_placement_clear(&x);
    w->steps[a].values.reals = 3;
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.cost == 2.5);
    hb_placement_clear(&x);
    w->p.real[0] = 0.5; /* two row blocks together */
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.cost == 2.25);
    hb_placement_clear(&x);
}

/* Two reals that different steps take first, at levels that suffice only together. */
static void two_that_are_taken_apart_go_in_a_pair(void **state)
{
    world *w = *state;
    hb_placement x;
    begin(w, 1, 6);
    const uint32_t a = add(w, 3, 0, 0, 0), b = add(w, 3, 0, 0, 0), c = add(w, 4, 1, a, 0);
    add(w, 1, 2, b, c);
    const uint32_t last = add(w, 4, 1, b, 0);
    w->steps[a].values = w->steps[b].values = (hb_placement_values){.reals = 1, .times = 1};
    w->steps[c].values = (hb_placement_values){0};
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.cost == 1 && x.best && x.from[a] == c && x.from[b] == c);
    hb_placement_clear(&x);
    w->steps[b].values.kind = 1; /* of another range */
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.cost == 1.5 && x.from[a] == c && x.from[b] == last);
    hb_placement_clear(&x);
    w->steps[b].values = (hb_placement_values){.reals = 2, .times = 1}; /* a pair already */
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.cost == 1.75 && x.from[b] == last);
    hb_placement_clear(&x);
    w->steps[b].values = (hb_placement_values){.reals = 1, .times = 1};
    w->p.real[0] = 0.5; /* row blocks are pairs themselves */
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.cost == 1 && x.from[b] == last);
    hb_placement_clear(&x);
}

static void work_at_high_levels_counts(void **state)
{
    world *w = *state;
    double costs[HB_PLACEMENT_LEVELS];
    hb_placement x;
    for (int i = 0; i < HB_PLACEMENT_LEVELS; i++) {
        costs[i] = i;
    }
    begin(w, 1, 8);
    const uint32_t a = add(w, 8, 0, 0, 0), b = add(w, 2, 1, a, 0), c = add(w, 2, 1, b, 0);
    add(w, 8, 1, c, 0);
    for (uint32_t i = 0; i < w->p.count; i++) {
        w->steps[i].costs = costs;
        w->steps[i].weight = 1;
    }
    /* Bootstrapped as late as levels allow: of c, not of b. */
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    assert_true(x.from[a] == HB_PLACEMENT_NEVER && x.from[b] == HB_PLACEMENT_NEVER && x.from[c] == 3);
    assert_true(x.cost == 1 + 8 + 6 + 4 + 0);
    hb_placement_clear(&x);
}

static void what_cannot_be_is_refused(void **state)
{
    world *w = *state;
    hb_placement x;
    begin(w, 3, 17);
    const uint32_t a = add(w, 17, 0, 0, 0), b = add(w, 10, 1, a, 0), c = add(w, 7, 1, b, 0);
    add(w, 1, 1, c, 0);
    w->steps[b].values = (hb_placement_values){.times = 1}; /* whose range is unknown */
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_EDATA);
    assert_int_equal(x.stuck, b);
    hb_placement_clear(&x);
    begin(w, 3, 17);
    add(w, 18, 1, add(w, 19, 0, 0, 0), 0);
    add(w, 1, 1, 1, 0); /* behind a step that no bootstrapped value has the levels for, and too low itself */
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
    hb_placement_clear(&x);
    add(w, 1, 1, 2, 0);
    assert_int_equal(hb_placement_solve(&w->p, &x), HB_EDATA);
    hb_placement_clear(&x);
}

/* The cost of bootstrapping values from these steps on, for reals of one kind; infinite where levels do not suffice. */
static double cost_from(const world *w, const uint32_t *from)
{
    int levels[32];
    uint32_t reals[32] = {0};
    double cost = 0;
    for (uint32_t i = 0; i < w->p.count; i++) {
        const hb_placement_step *step = &w->steps[i];
        levels[i] = replayed_level(w, from, levels, i);
        if (levels[i] < (int)step->least ||
            (from[i] != HB_PLACEMENT_NEVER && (levels[i] < (int)w->p.operand || levels[i] >= (int)w->p.result))) {
            return HUGE_VAL;
        }
        reals[from[i] != HB_PLACEMENT_NEVER ? from[i] : 31] += step->values.reals;
    }
    for (uint32_t i = 0; i < w->p.count; i++) {
        cost += reals[i] / 2 * w->p.complex + reals[i] % 2 * w->p.real[0];
    }
    return cost;
}

/* The least of all choices of the values behind `i`. */
static double least_from(const world *w, uint32_t *from, uint32_t i)
{
    if (i == w->p.count) {
        return cost_from(w, from);
    }
    from[i] = HB_PLACEMENT_NEVER;
    double least = least_from(w, from, i + 1);
    for (from[i] = i + 1; from[i] < w->p.count; from[i]++) {
        const double own = least_from(w, from, i + 1);
        least = own < least ? own : least;
    }
    from[i] = HB_PLACEMENT_NEVER;
    return least;
}

static void random_graphs_of_reals_cost_least(void **state)
{
    world *w = *state;
    uint32_t paired = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t from[32];
        hb_placement x;
        random_graph(w, 6 + draw(w, 2));
        w->p.operand = 0;
        w->p.result = 2 + draw(w, 2);
        for (uint32_t k = 0; k < w->p.count; k++) {
            w->steps[k].levels = draw(w, 3);
            w->steps[k].least = 0;
            w->steps[k].values = (hb_placement_values){.reals = 1 + draw(w, 2), .times = 1};
        }
        const double least = least_from(w, from, 0);
        const hb_status st = hb_placement_solve(&w->p, &x);
        assert_int_equal(st, isinf(least) ? HB_EDATA : HB_OK);
        if (st == HB_OK) {
            assert_true(x.best && fabs(x.cost - least) < 1e-9);
            assert_true(fabs(cost_from(w, x.from) - x.cost) < 1e-9);
            for (uint32_t k = 0; k < w->p.count;
                 k++) { /* a value that the step does not take is beside one that it does */
                bool taken = x.from[k] == HB_PLACEMENT_NEVER;
                for (uint32_t j = 0; !taken && j < w->steps[x.from[k]].operand_count; j++) {
                    taken = w->operands[x.from[k]][j] == k;
                }
                paired += !taken;
            }
        }
        hb_placement_clear(&x);
    }
    assert_true(paired > 20);
}

static void random_graphs_cost_least(void **state)
{
    world *w = *state;
    uint32_t solutions = 0, bootstrapped = 0, given_up = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        random_graph(w, 4 + draw(w, 8));
        const double least = least_of_all(w);
        hb_placement x;
        if (isinf(least)) {
            assert_int_equal(hb_placement_solve(&w->p, &x), HB_EDATA);
            hb_placement_clear(&x);
            continue;
        }
        bool best;
        w->p.most = 0;
        assert_true(fabs(solved(w, &best) - least) < 1e-9);
        assert_true(best);
        solutions++;
        bootstrapped += least > 0;
        w->p.most = 1; /* with too few states it is some solution, and does not say that it is the best */
        const double cost = solved(w, &best);
        assert_true(cost >= least - 1e-9 && (!best || cost <= least + 1e-9));
        given_up += cost > least + 1e-9;
    }
    assert_true(solutions > 300 && bootstrapped > 100);
    assert_true(given_up > 0 && given_up < solutions / 4);
}

/* Many values at a time, each with levels of its own: some solution, quickly. */
static void wide_graphs_are_solved(void **state)
{
    world *w = *state;
    enum { WIDTH = 40, TURNS = 40 };
    bool best;
    begin(w, 2, 10);
    uint32_t x[WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++) {
        x[i] = add(w, 5 + i % 6, 0, 0, 0);
    }
    for (uint32_t t = 0; t < TURNS; t++) {
        for (uint32_t i = 0; i < WIDTH; i++) {
            x[i] = add(w, 1, 1, x[i], 0);
        }
    }
    const double cost = solved(w, &best);
    /* 40 levels of each: at least four times, 10 at the end. */
    assert_true(cost >= WIDTH * 4 && cost <= WIDTH * 6);
}

/* --- bootstraps that add a number of levels, as often as is useful */

/* The least cost of steps i and behind, of all choices of how often each operand is bootstrapped before its step. */
static double least_raised(const world *w, const int *before, uint32_t i, uint32_t operand, double spent, double best)
{
    int levels[32];
    memcpy(levels, before, sizeof levels);
    if (spent >= best || i == w->p.count) {
        return spent < best ? spent : best;
    }
    const hb_placement_step *step = &w->steps[i];
    if (operand == step->operand_count) {
        levels[i] = level_of(step, levels);
        return levels[i] < 0 ? best : least_raised(w, levels, i + 1, 0, spent, best);
    }
    const uint32_t x = step->operands[operand];
    const double each = w->steps[x].values.times * w->steps[x].values.complex;
    for (uint32_t times = 0;; times++) {
        best = least_raised(w, levels, i, operand + 1, spent + times * each, best);
        if (levels[x] < (int)w->p.operand || levels[x] >= (int)w->p.result) {
            return best;
        }
        levels[x] = (int)fmin(levels[x] + (int)w->p.gain, (int)w->p.result);
    }
}

/* Checks levels of a solution, and returns the cost of its bootstraps. */
static double assert_raised(const world *w, const hb_placement *x)
{
    static int levels[MOST_STEPS];
    static uint32_t times[MOST_STEPS];
    double cost = 0;
    memset(times, 0, sizeof times);
    for (uint32_t i = 0; i < w->p.count; i++) {
        const hb_placement_step *step = &w->steps[i];
        for (uint32_t j = 0; j < step->operand_count; j++) {
            const uint32_t a = step->operands[j], wanted = hb_placement_times(x, a, i);
            assert_true(wanted >= times[a]);
            for (; times[a] < wanted; times[a]++) {
                assert_true(levels[a] >= (int)w->p.operand && levels[a] < (int)w->p.result);
                levels[a] = (int)fmin(levels[a] + (int)w->p.gain, (int)w->p.result);
                cost += w->steps[a].values.times * w->steps[a].values.complex;
            }
        }
        levels[i] = level_of(step, levels);
        assert_true(levels[i] >= (int)step->least);
    }
    return cost;
}

/* The cost of the best solution; infinite: there is none. */
static double solved_raised(const world *w, bool *best)
{
    hb_placement x;
    const hb_status st = hb_placement_solve(&w->p, &x);
    assert_true(st == HB_OK || st == HB_EDATA);
    const double cost = st == HB_OK ? x.cost : HUGE_VAL;
    *best = x.best;
    if (st == HB_OK) {
        assert_true(fabs(assert_raised(w, &x) - cost) < 1e-9 * (cost + 1));
    }
    hb_placement_clear(&x);
    return cost;
}

static void raised_values_cost_least(void **state)
{
    world *w = *state;
    const int none[32] = {0};
    uint32_t raised = 0, refused = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        bool best;
        random_graph(w, 3 + draw(w, 5));
        w->p.operand = draw(w, 3);
        w->p.result = 4 + draw(w, 5);
        w->p.gain = 1 + draw(w, 3);
        const double least = least_raised(w, none, 0, 0, 0, HUGE_VAL), found = solved_raised(w, &best);
        refused += isinf(least) != 0;
        raised += least > 0 && isfinite(least);
        if (isinf(least) != isinf(found) || (best && isfinite(least) && fabs(found - least) > 1e-9 * (least + 1))) {
            fail_msg("graph %u: %g, and the best is %g", i, found, least);
        }
    }
    assert_true(raised > 500 && refused < 2000);
}

/* As noise of integers: 35 bits a product, 19 a pass, 230 at most: as many passes as bits are missing, and one value a
 * turn though two are needed. */
static void chains_take_the_bits_they_miss(void **state)
{
    world *w = *state;
    for (uint32_t length = 5; length < 150; length += 12) {
        bool best;
        begin(w, 4, 230);
        w->p.gain = 19;
        uint32_t x = add(w, 239, 0, 0, 0);
        const uint32_t a = add(w, 239, 0, 0, 0);
        for (uint32_t i = 0; i < length; i++) {
            const uint32_t square = add(w, 35, 1, x, 0);
            x = add(w, 1, 2, square, a);
            w->steps[square].least = w->steps[x].least = 2;
        }
        const double missing = 36.0 * length + 2 - 239;
        assert_true(solved_raised(w, &best) == (missing > 0 ? ceil(missing / 19) : 0));
        assert_true(best);
    }
}

HB_UNIT(placement)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_take_no_more_than_they_must),
                                       cmocka_unit_test(loops_bootstrap_one_value_a_turn),
                                       cmocka_unit_test(values_before_a_fan_out_are_bootstrapped),
                                       cmocka_unit_test(reals_go_in_pairs),
                                       cmocka_unit_test(two_that_are_taken_apart_go_in_a_pair),
                                       cmocka_unit_test(work_at_high_levels_counts),
                                       cmocka_unit_test(what_cannot_be_is_refused),
                                       cmocka_unit_test(random_graphs_cost_least),
                                       cmocka_unit_test(random_graphs_of_reals_cost_least),
                                       cmocka_unit_test(raised_values_cost_least),
                                       cmocka_unit_test(chains_take_the_bits_they_miss),
                                       cmocka_unit_test(wide_graphs_are_solved)};
    return cmocka_run_group_tests(tests, open_world, close_world);
}
