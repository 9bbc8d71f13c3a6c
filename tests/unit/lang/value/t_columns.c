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
        {"p", "q", "odd name"}, {"p", "q", "odd name"}, {"q", "p", "odd name"}, {"u", "v", "w"}};
    static const char *const tables[] = {"a", "same", "turned", "other"};
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, "bfv-8192");
    for (uint32_t t = 0; t < 4; t++) {
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
    assert_int_equal(w->l.lowering.notes.match_count, noted);
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
    lowered_refused(&w.l, "y = a + turned",
                    "both sides have the same columns in another order, 'p' where the other has 'q'");
    lowered_refused(&w.l, "y = a*same - turned*turned", "in another order");
    lowered_refused(&w.l, "y = a + (same.p, same.q)", "character 7");
    close_world(&w);
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
    lowered_refused(&w.l, "y = p", "character 5");
    close_world(&w);
}

HB_UNIT(columns)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_matched_by_position),
                                       cmocka_unit_test(columns_are_picked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
