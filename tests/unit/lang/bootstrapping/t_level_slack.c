/* Levels that bootstrapped values are given and nothing takes: all of them can go at once, and not one more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "placement_world.h"
#include "unit/unit.h"

/* Finds levels where bootstrapped values have `less` levels each than they might. Returns whether steps still have
 * their levels, and whether values that are stored, or that no step takes, keep theirs. */
static bool suffices(const world *w, const hb_placement *x, const uint32_t *less)
{
    static int levels[MOST_STEPS], full[MOST_STEPS];
    static bool taken[MOST_STEPS];
    bool good = true;
    for (uint32_t i = 0; i < w->p.count; i++) {
        const hb_placement_step *step = &w->steps[i];
        int lowest = INT32_MAX, lowest_full = INT32_MAX;
        taken[i] = false;
        for (uint32_t j = 0; j < step->operand_count; j++) {
            const uint32_t a = step->operands[j];
            const bool bootstrapped = x->from[a] <= i;
            const int level = bootstrapped ? (int)w->p.result - (int)less[a] : levels[a],
                      before = bootstrapped ? (int)w->p.result : full[a];
            lowest = level < lowest ? level : lowest;
            lowest_full = before < lowest_full ? before : lowest_full;
            taken[a] = true;
            good = good && level >= (int)w->steps[a].least;
        }
        levels[i] = step->operand_count == 0 ? (int)step->levels : lowest - (int)step->levels;
        full[i] = step->operand_count == 0 ? (int)step->levels : lowest_full - (int)step->levels;
        good = good && levels[i] >= (int)step->least &&
               (x->from[i] == HB_PLACEMENT_NEVER || levels[i] >= (int)w->p.operand);
    }
    for (uint32_t i = 0; i < w->p.count; i++) {
        good = good && (levels[i] == full[i] || (taken[i] && !w->steps[i].stored));
    }
    return good;
}

/* Each step at the level that is enough for its operands: these are there, and results keep their levels. */
static void assert_enough(const world *w, const hb_placement *x)
{
    static int full[MOST_STEPS];
    static bool taken[MOST_STEPS];
    for (uint32_t i = 0; i < w->p.count; i++) {
        const hb_placement_step *step = &w->steps[i];
        int lowest = step->operand_count == 0 ? (int)step->levels : INT32_MAX;
        for (uint32_t j = 0; j < step->operand_count; j++) {
            const uint32_t a = step->operands[j];
            const bool bootstrapped = x->from[a] <= i;
            const uint32_t own = w->steps[a].operand_count == 0 ? 0 : w->steps[a].levels;
            const uint32_t there = bootstrapped ? w->p.result - x->spare[a] : x->enough[a] - own;
            const int level = bootstrapped ? (int)w->p.result : full[a];
            assert_true(there >= x->enough[i]);
            lowest = level < lowest ? level : lowest;
            taken[a] = true;
        }
        taken[i] = false;
        full[i] = step->operand_count == 0 ? lowest : lowest - (int)step->levels;
        assert_true(x->enough[i] <= (uint32_t)lowest);
        assert_true(x->from[i] == HB_PLACEMENT_NEVER || x->enough[i] >= w->p.operand);
    }
    for (uint32_t i = 0; i < w->p.count; i++) {
        const uint32_t own = w->steps[i].operand_count == 0 ? 0 : w->steps[i].levels;
        const uint32_t lowered = x->enough[i] - own;
        assert_true(lowered >= w->steps[i].least);
        assert_true(lowered == (uint32_t)full[i] || (taken[i] && !w->steps[i].stored));
    }
}

/* Returns how many levels are spare. */
static uint32_t assert_spare(const world *w, hb_placement *x)
{
    uint32_t all = 0;
    assert_true(suffices(w, x, x->spare));
    assert_enough(w, x);
    for (uint32_t i = 0; i < w->p.count; i++) {
        all += x->spare[i];
        if (x->from[i] == HB_PLACEMENT_NEVER) {
            assert_int_equal(x->spare[i], 0);
            continue;
        }
        x->spare[i]++;
        assert_false(suffices(w, x, x->spare));
        x->spare[i]--;
    }
    return all;
}

/* Steps of 4 use 12 of the 14 levels between two bootstraps. */
static void steps_that_do_not_divide_the_levels_leave_some(void **state)
{
    world *w = *state;
    hb_placement x;
    for (int stored = 0; stored < 2; stored++) {
        begin(w, 3, 17);
        uint32_t last = add(w, 17, 0, 0, 0), bootstrapped = 0;
        for (uint32_t i = 0; i < 20; i++) {
            last = add(w, 4, 1, last, 0);
        }
        w->steps[9].stored = stored;
        assert_int_equal(hb_placement_solve(&w->p, &x), HB_OK);
        for (uint32_t i = 0; i < w->p.count; i++) {
            if (x.from[i] == HB_PLACEMENT_NEVER) {
                continue;
            }
            bootstrapped++;
            bool next = false; /* one is bootstrapped behind it, and nothing is stored before that */
            for (uint32_t k = i + 1; k < w->p.count && !next && !w->steps[k].stored; k++) {
                next = x.from[k] != HB_PLACEMENT_NEVER;
            }
            assert_int_equal(x.spare[i], next ? 2 : 0);
        }
        assert_true(bootstrapped > 4);
        (void)assert_spare(w, &x);
        hb_placement_clear(&x);
    }
}

static void random_graphs_keep_what_they_need(void **state)
{
    world *w = *state;
    uint32_t solutions = 0, spare = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        hb_placement x;
        random_graph(w, 4 + draw(w, 40));
        for (uint32_t k = 0; k < w->p.count; k++) {
            w->steps[k].stored = draw(w, 8) == 0;
        }
        if (hb_placement_solve(&w->p, &x) == HB_OK) {
            solutions++;
            spare += assert_spare(w, &x);
        }
        hb_placement_clear(&x);
    }
    assert_true(solutions > 1000 && spare > 500);
}

HB_UNIT(level_slack)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_that_do_not_divide_the_levels_leave_some),
                                       cmocka_unit_test(random_graphs_keep_what_they_need)};
    return cmocka_run_group_tests(tests, open_world, close_world);
}
