/* Rows of reals that a condition selects: the sums of their cells, found from a graph, show these rows. */
#include "reference/graph_values.h"
#include "table/grouping.h"
#include "unit/unit.h"

enum { ROWS = 60, ON = 0, A, B };

typedef struct world {
    lowered l;
    graph_values v;
} world;

static void open_world(world *w)
{
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, "ckks-15");
    const uint32_t x = lowered_table(&w->l, "p", ROWS, true);
    lowered_column(&w->l, x, "on", (hb_meaning){.kind = HB_MEANING_BOOL}, hb_interval_of_reals(0, 1));
    lowered_column(&w->l, x, "a", (hb_meaning){0}, hb_interval_of_reals(-2, 2));
    lowered_column(&w->l, x, "b", (hb_meaning){0}, hb_interval_of_reals(0, 8));
    for (int i = 0; i < ROWS; i++) {
        w->v.cell[x][A][i] = i % 5 / 2.0L - 1;
        w->v.cell[x][B][i] = i / 8.0L;
    }
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

/* The sums of y as words. The caller frees. */
static uint64_t *words_of(world *w, const hb_value *y)
{
    uint64_t *words = malloc(y->columns * sizeof *words);
    assert_non_null(words);
    for (uint32_t c = 0; c < y->columns; c++) {
        const uint32_t node = w->l.lowering.pool[y->first + c];
        words[c] = hb_real_word((double)w->v.node[node][0]);
    }
    return words;
}

/* A schema of the sums, as a result has them. */
static hb_schema schema_of(const hb_value *y)
{
    hb_schema schema = {.rows = 1, .rank = 2, .width = 8, .named = true};
    assert_int_equal(hb_schema_alloc(&schema, 1, y->columns), HB_OK);
    for (uint32_t c = 0; c < y->columns; c++) {
        schema.column[c].cells = HB_CELL_REAL;
    }
    assert_int_equal(hb_grouping_copy(y->grouping, &schema.grouping), HB_OK);
    return schema;
}

/* Selects every row of `step` rows, of which up to `most` are fetched, and compares. */
static void fetched(uint32_t step, uint32_t most, bool whole)
{
    world w;
    char text[64];
    open_world(&w);
    uint32_t selected = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        w.v.cell[0][ON][i] = i % step == 1;
        selected += i % step == 1;
    }
    snprintf(text, sizeof text, "y = fetch((p.b, p.a) where p.on, %u)", most);
    lowered_works(&w.l, text);
    values_find(&w.v, &w.l.lowering.graph, ROWS);
    const hb_value *y = lowered_value(&w.l, "y");
    hb_schema schema = schema_of(y);
    uint64_t *words = words_of(&w, y), shown[ROWS * 2], rows;
    assert_int_equal(hb_grouping_check(&schema, "y"), HB_OK);
    assert_int_equal(schema.grouping->unit, 8); /* no value is larger */
    schema.grouping->error = 0x1p-20;
    assert_int_equal(hb_grouping_show(&schema, words, shown, &rows), whole ? HB_OK : HB_EDATA);
    for (uint64_t i = 0; i < (whole ? rows : 0); i++) {
        const uint64_t row = i * step + 1;
        assert_true(hb_real_of(shown[2 * i]) == (double)w.v.cell[0][B][row]);
        assert_true(hb_real_of(shown[2 * i + 1]) == (double)w.v.cell[0][A][row]);
    }
    assert_int_equal(whole ? rows : selected, selected);
    free(words);
    hb_schema_clear(&schema);
    close_world(&w);
}

static void rows_are_shown(void **state)
{
    (void)state;
    fetched(61, 1, true);
    fetched(20, 3, true);
    fetched(7, 9, true);
    fetched(2, 30, true);
}

static void more_rows_are_refused(void **state)
{
    (void)state;
    fetched(30, 1, false);
    fetched(7, 8, false);
    fetched(2, 5, false);
}

/* Schemas whose parts are not the sums of their cells. */
static void other_parts_are_refused(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    lowered_works(&w.l, "y = fetch(p.a where p.on, 2)");
    hb_schema schema = schema_of(lowered_value(&w.l, "y"));
    hb_grouping *g = schema.grouping;
    assert_int_equal(hb_grouping_check(&schema, "y"), HB_OK);
    g->unit = 0;
    assert_int_equal(hb_grouping_check(&schema, "y"), HB_EDATA);
    g->unit = (UINT64_C(1) << 52) + 1;
    assert_int_equal(hb_grouping_check(&schema, "y"), HB_EDATA);
    g->unit = 2;
    g->cells++;
    assert_int_equal(hb_grouping_check(&schema, "y"), HB_EDATA);
    g->cells = UINT64_MAX;
    assert_int_equal(hb_grouping_check(&schema, "y"), HB_EDATA);
    g->cells = 0;
    assert_int_equal(hb_grouping_check(&schema, "y"), HB_EDATA);
    hb_schema_clear(&schema);
    close_world(&w);
}

HB_UNIT(fetch)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_shown), cmocka_unit_test(more_rows_are_refused),
                                       cmocka_unit_test(other_parts_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
