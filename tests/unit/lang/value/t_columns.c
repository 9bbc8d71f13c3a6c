/* Columns of two values side by side: which are matched, which are noted and which are refused; columns that are picked
 * by name and by number. */
#include "reference/graph_values.h"
#include "unit/unit.h"

enum { ROWS = 4 };

typedef struct world {
    lowered l;
    graph_values v;
} world;

/* Cell i of column c of table t is 100 t + 10 c + i. */
static void open_world(world *w)
{
    static const char *const names[][3] = {
        {"p", "q", "odd name"}, {"p", "q", "odd name"}, {"q", "p", "odd name"}, {"u", "v", "w"}, {"q", "v", "w"}};
    static const char *const tables[] = {"a", "same", "turned", "other", "partly"};
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, "bfv-8192");
    for (uint32_t t = 0; t < 5; t++) {
        assert_int_equal(lowered_table(&w->l, tables[t], ROWS, true), t);
        for (uint32_t c = 0; c < 3; c++) {
            lowered_column(&w->l, t, names[t][c], (hb_meaning){0}, hb_interval_of(0, 400));
            for (int i = 0; i < ROWS; i++) {
                w->v.cell[t][c][i] = 100 * (int)t + 10 * (int)c + i;
            }
        }
    }
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

/* Columns of y are `sums` of rows 0. */
static void assert_sums(world *w, const char *text, uint32_t columns, const int64_t *sums, uint32_t noted)
{
    lowered_works(&w->l, text);
    assert_int_equal(hb_value_width(lowered_value(&w->l, "y")), columns);
    for (uint32_t c = 0; c < columns; c++) {
        const uint32_t y = lowered_node(&w->l, "y", c);
        values_find(&w->v, &w->l.lowering.graph, ROWS);
        if (values_integer(&w->v, y, 0) != sums[c]) {
            fail_msg("%s: column %u is %lld, and %lld is right", text, c, (long long)values_integer(&w->v, y, 0),
                     (long long)sums[c]);
        }
    }
    assert_int_equal(w->l.lowering.checked->types.match_count, noted);
}

static void columns_are_matched_by_position(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    assert_sums(&w, "y = a + same", 3, (const int64_t[]){100, 120, 140}, 0);
    assert_sums(&w, "y = a + other", 3, (const int64_t[]){300, 320, 340}, 1);
    assert_sums(&w, "y = a + other; z = other*a", 3, (const int64_t[]){300, 320, 340}, 1); /* told of once */
    assert_sums(&w, "y = a.p + turned.p", 1, (const int64_t[]){210}, 0);
    assert_sums(&w, "y = a + turned.q", 3, (const int64_t[]){200, 210, 220}, 0); /* one beside each */
    assert_sums(&w, "y = a + (other.w, other.u, other.v)", 3, (const int64_t[]){320, 310, 330}, 1);
    assert_sums(&w, "y = (a.p, a.q) + (a.q, a.p)", 2, (const int64_t[]){10, 10}, 0); /* listed on both sides */
    lowered_refused(&w.l, "y = a + turned",
                    "both sides have the same columns in another order, 'p' where the other has 'q'");
    lowered_refused(&w.l, "y = a*same - turned*turned", "in another order");
    lowered_refused(&w.l, "y = a + (same.p, same.q)", "character 7");
    close_world(&w);
}

/* All operations that match columns refuse another order, and columns that are on one side alone, also where ranges
 * decide a condition. */
static void all_that_match_columns_look_at_names(void **state)
{
    (void)state;
    static const struct {
        const char *side, *words;
    } sides[] = {
        {"turned", "both sides have the same columns in another order"},
        {"partly", "some columns are on both sides, as 'q', and others on one side alone, 'p' where the other has"},
        {"(a.q, other.v, a.p)", "some columns are on both sides, as '"}, /* the place of none is the same */
        {"(a.p, a.3, other.v)", "some columns are on both sides, as '"}, /* the place of one is the same */
    };
    static const char *const texts[] = {
        "y = a - %s",
        "y = a < %s",
        "y = a between %s and 400",
        "y = a between 0 and %s",
        "y = a < 3 and %s < 3",
        "y = a < 3 or a > 5 or %s < 3",
        "y = dot(a, %s)",
        "y = max(a, %s)",
        "y = min(a + 500, %s)",
        "y = where(a < 3, %s, 0)",
        "y = where(a < 3, 0, %s)",
        "y = where(a.p < 3, a, %s)",
        "y = where(a.p < 500, a, %s)",
        "y = where(a < 500, %s, 0)",
        "y = where(a < 500, 0, %s)",
        "y = rowsum(a*%s)",
        "repeat 2 { y = a + %s }",
    };
    char text[200];
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (size_t j = 0; j < sizeof sides / sizeof *sides; j++) {
            snprintf(text, sizeof text, texts[i], sides[j].side);
            lowered_refused(&w.l, text, sides[j].words);
        }
    }
    lowered_refused(&w.l, "y = turned @ a",
                    "'q' where the other has 'p'; pick those on the right by name, as in W "
                    "@ (x.age, x.cost)");
    lowered_works(&w.l, "y = turned @ (a.q, a.p, a.3)");
    lowered_works(&w.l, "y = same @ a");
    assert_int_equal(w.l.lowering.checked->types.match_count, 0);
    lowered_works(&w.l, "y = other @ a");
    assert_int_equal(w.l.lowering.checked->types.match_count, 1);
    lowered_works(&w.l, "y = where(a < 500, other, 0)");
    assert_int_equal(w.l.lowering.checked->types.match_count, 1);
    close_world(&w);
}

/* One row of weights for x: w in another order, v in the same, u with other names. */
static void weights_are_matched(const char *preset, uint64_t block)
{
    static const char *const names[][3] = {
        {"age", "temp", "cost"}, {"cost", "temp", "age"}, {"age", "temp", "cost"}, {"r", "s", "t"}};
    static const char *const tables[] = {"x", "w", "v", "u"};
    static const struct {
        const char *text;
        bool refused;
        uint32_t noted;
    } cases[] = {
        {"y = w @ x", true, 0},          {"y = (2*w) @ x", true, 0},       {"y = (w + v) @ x", true, 0},
        {"y = v @ x", false, 0},         {"y = u @ x", false, 1},          {"y = (2*u) @ x", false, 1},
        {"z = 2*x; y = w @ z", true, 0}, {"y = w.age @ x.cost", false, 0}, /* the pick decides */
    };
    static const hb_number numbers[] = {
        {.integer = 1, .real = 1}, {.integer = 2, .real = 2}, {.integer = 3, .real = 3}};
    lowered l;
    lowered_open(&l, preset);
    const hb_interval integers = hb_interval_of(0, 9), reals = hb_interval_of_reals(0, 9);
    const bool real = hb_semantics_of(l.params->spec.scheme)->reals;
    for (uint32_t t = 0; t < 4; t++) {
        const uint32_t i = lowered_table(&l, tables[t], t == 0 ? ROWS : 1, t == 0);
        for (uint32_t c = 0; c < 3; c++) {
            lowered_column(&l, i, names[t][c], (hb_meaning){0}, real ? reals : integers);
        }
        l.operand[i].cells = t == 0 ? NULL : numbers;
        l.operand[i].block = t == 0 && block > 1 ? (uint32_t)block : 0;
    }
    l.block = block;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].refused) {
            lowered_refused(&l, cases[i].text, "same columns in another order, ");
            continue;
        }
        lowered_works(&l, cases[i].text);
        if (l.lowering.checked->types.match_count != cases[i].noted) {
            fail_msg("%s: %u notes", cases[i].text, l.lowering.checked->types.match_count);
        }
    }
    if (!real) {
        lowered_refused(&l, "y = lookup(x.age, (w.cost, w.age))", "here the second is called 'age'");
        lowered_works(&l, "y = lookup(x.age, (w.age, w.cost), 0); z = lookup(x.temp, (w.age, w.cost), 0)");
    }
    if (block == 1) { /* rows within slots have no columns of results */
        lowered_works(&l, "y = w @ (x.cost, x.temp, x.age); z = (w.age, w.temp, w.cost) @ x");
        assert_int_equal(l.lowering.checked->types.match_count, 0);
    }
    lowered_refused(&l, "y = w @ x",
                    block > 1 ? "'cost' where the other has 'age'; write the columns of the weights into their file"
                              : "'cost' where the other has 'age'; pick the weights by name, as in (W.age, W.cost) @");
    lowered_close(&l);
}

static void weights_are_matched_with_columns(void **state)
{
    (void)state;
    weights_are_matched("bfv-8192", 1);
    weights_are_matched("ckks-14", 1);
    weights_are_matched("ckks-14", 4);
}

static void columns_are_picked(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    assert_sums(&w, "y = a.q + 0", 1, (const int64_t[]){10}, 0);
    assert_sums(&w, "y = a.3 + 1", 1, (const int64_t[]){21}, 0);
    assert_sums(&w, "y = 2*a.\"odd name\"", 1, (const int64_t[]){40}, 0);
    assert_sums(&w, "s = a + same; y = s.q + s.3", 1, (const int64_t[]){260}, 0);
    lowered_refused(&w.l, "y = a.4", "character 7");
    lowered_refused(&w.l, "y = a.z", "character 7");
    lowered_refused(&w.l, "y = 2*a.odd", "there is no column 'odd'; did you mean a.\"odd name\"?");
    lowered_refused(&w.l, "y = a.\"odd nam\"", "did you mean a.\"odd name\"?");
    lowered_refused(&w.l, "y = sum(a.p where true)", "leave out a condition that every row meets, as in sum(x)");
    lowered_refused(&w.l, "y = a.p/2", "or write a constant factor as a decimal, 0.5*x");
    lowered_refused(&w.l, "y = p", "character 5");
    close_world(&w);
}

HB_UNIT(columns)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_matched_by_position), cmocka_unit_test(all_that_match_columns_look_at_names),
        cmocka_unit_test(weights_are_matched_with_columns), cmocka_unit_test(columns_are_picked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
