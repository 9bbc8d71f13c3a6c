/* The walk from a text to values: names that are assigned again, loops, refusals and their places. */
#include "reference/graph_values.h"
#include "unit/unit.h"

enum { ROWS = 9 };

typedef struct world {
    lowered l;
    graph_values v;
} world;

static void open_world(world *w, const char *preset)
{
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, preset);
    const bool reals = hb_semantics_of(w->l.params->spec.scheme)->reals;
    const uint32_t x = lowered_table(&w->l, "x", ROWS, true);
    lowered_column(&w->l, x, "p", (hb_meaning){0}, reals ? hb_interval_of_reals(0, 8) : hb_interval_of(0, 8));
    for (int i = 0; i < ROWS; i++) {
        w->v.cell[x][0][i] = i;
    }
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

/* Column y is c0 + c1 p + c2 p^2. */
static void assert_polynomial(world *w, const char *text, int64_t c0, int64_t c1, int64_t c2)
{
    lowered_works(&w->l, text);
    const uint32_t y = lowered_node(&w->l, "y", 0);
    values_find(&w->v, &w->l.lowering.graph, ROWS);
    for (int i = 0; i < ROWS; i++) {
        if (values_integer(&w->v, y, (uint64_t)i) != c0 + c1 * i + c2 * i * i) {
            fail_msg("%s is %lld in row %d", text, (long long)values_integer(&w->v, y, (uint64_t)i), i);
        }
    }
}

static void the_last_assignment_counts(void **state)
{
    (void)state;
    world w;
    open_world(&w, "bfv-8192");
    assert_polynomial(&w, "y = x.p + 1; y = y + y", 2, 2, 0);
    assert_polynomial(&w, "a = x.p; y = a*a; a = 5*a; b = a", 0, 0, 1); /* y keeps the a of before */
    assert_polynomial(&w, "y = x.p; repeat 3 { y = y + 2 }", 6, 1, 0);
    assert_polynomial(&w, "y = x.p; repeat 2 { y = 2*y; repeat 3 { y = y + 1 } }", 9, 4, 0);
    assert_polynomial(&w, "a = x.p; b = 1 + 0*2; y = a + b; repeat 4 { y = y + b; b = b + 1 }", 11, 1, 0);
    close_world(&w);
}

/* Constants are computed before anything is, and exactly. */
static void numbers_are_folded(void **state)
{
    (void)state;
    world w;
    open_world(&w, "bfv-8192");
    lowered_works(&w.l, "y = (2 + 3)*x.p - (7 - 2*3)*x.p");
    uint32_t constants = 0;
    for (uint32_t i = 0; i < w.l.lowering.graph.count; i++) {
        constants += hb_operations[w.l.lowering.graph.nodes[i].op].constant;
    }
    assert_true(constants <= 1);
    assert_polynomial(&w, "y = (2 + 3)*x.p - (7 - 2*3)*x.p", 0, 4, 0);
    assert_polynomial(&w, "y = x.p^(1 + 1) - -(-3)", -3, 0, 1);
    assert_polynomial(&w, "n = count(); m = n; y = 2*x.p + m", ROWS, 2, 0);
    close_world(&w);
}

static void what_has_no_place_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } integers[] =
        {
            {"x = 3", "character 1 of 'x = 3': x is bound to an input; choose another name for the result"},
            {"y = 'a'", "character 5 of 'y = 'a'': a text is no value by itself"},
            {"y = x.p + 2i", "constants are integers; complex numbers are for values that are reals"},
            {"y = x.p*0.1234567890123456789", "more than 18 digits behind the point"},
            {"y = x.p + 99999999999999", "the constant is not between"},
            {"y = x.p + z", "character 11"},
            {"y = x.q", "character 7"},
            {"y = sigmoid(x.p)", "there is no function 'sigmoid'"},
            {"a = x.p\nb = (a +\n  missing)", "line 3, character 3 of '  missing)'"},
            {"y = x.p; b = 1; repeat 4 { y = y + x.p*b; b = 90*b }; repeat 9 { b = 99*b }", "(in iteration "},
        },
      reals[] = {
          {"y = x.p == 2", "character 9"},
          {"y = onehot(x.p, 1..3)", "onehot works on integers (BFV) alone: reals are right only up to an error"},
          {"y = digits(8, x.p, x.p) < 3", "works on integers"},
      };
    world w;
    open_world(&w, "bfv-8192");
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        lowered_refused(&w.l, integers[i].text, integers[i].part);
    }
    close_world(&w);
    open_world(&w, "ckks-16");
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        lowered_refused(&w.l, reals[i].text, reals[i].part);
    }
    close_world(&w);
}

HB_UNIT(lower)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_assignment_counts),
                                       cmocka_unit_test(numbers_are_folded),
                                       cmocka_unit_test(what_has_no_place_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
