/* Conditions on plain tables and groups by their columns, which are found in the clear, and real functions, against the
 * same of plain rows. */
#include <math.h>

#include "reference/graph_values.h"
#include "table/grouping.h"
#include "unit/unit.h"

enum { ROWS = 40, X = 0, W, ONE };

typedef struct row {
    int64_t p, ward, kind;
} row;

static row row_of(int i)
{
    return (row){i * 7 % 23 - 11, (i * i + i / 7) % 5, i * 3 / 4 % 3};
}

typedef struct world {
    lowered l;
    graph_values v;
    hb_plain_source source;
    int64_t words[2][ROWS];
    double reals[2][ROWS];
} world;

static hb_status read_column(hb_plain_source *source, uint32_t column, hb_plain_cells *cells)
{
    const world *w = (const world *)(const void *)((const char *)source - offsetof(world, source));
    const bool reals = hb_semantics_of(w->l.params->spec.scheme)->reals;
    *cells = reals ? (hb_plain_cells){HB_PLAIN_REALS, ROWS, w->reals[column]}
                   : (hb_plain_cells){HB_PLAIN_WORDS, ROWS, w->words[column]};
    return HB_OK;
}

/* x.p is encrypted, w.ward and w.kind are plain. */
static void open_world(world *w, bool reals)
{
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, reals ? "ckks-16" : "bfv-8192");
    w->source.column = read_column;
    const uint32_t x = lowered_table(&w->l, "x", ROWS, true), plain = lowered_table(&w->l, "w", ROWS, false);
    lowered_column(&w->l, x, "p", (hb_meaning){0}, reals ? hb_interval_of_reals(-11, 11) : hb_interval_of(-11, 11));
    lowered_column(&w->l, plain, "ward", (hb_meaning){0}, (hb_interval){.known = false});
    lowered_column(&w->l, plain, "kind", (hb_meaning){0}, (hb_interval){.known = false});
    w->l.operand[plain].source = &w->source;
    w->l.operand[plain].limbs = reals ? w->l.params->fresh_limbs : 0;
    for (int i = 0; i < ROWS; i++) {
        const row r = row_of(i);
        w->v.cell[x][0][i] = r.p;
        w->v.cell[plain][0][i] = r.ward;
        w->v.cell[plain][1][i] = r.kind;
        w->reals[0][i] = (double)(w->words[0][i] = r.ward);
        w->reals[1][i] = (double)(w->words[1][i] = r.kind);
    }
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

/* --- conditions */

static bool is_two(row r)
{
    return r.ward == 2;
}
static bool is_not_two(row r)
{
    return r.ward != 2;
}
static bool is_some(row r)
{
    return r.ward == 0 || r.ward >= 3;
}
static bool is_both(row r)
{
    return r.ward < 3 && r.kind != 1;
}
static bool is_either(row r)
{
    return r.ward > 3 || r.kind == 0;
}
static bool is_larger(row r)
{
    return r.ward > r.kind;
}
static bool is_between(row r)
{
    return r.ward >= 1 && r.ward <= 3 && r.kind <= 1;
}
static bool is_all(row r)
{
    return r.ward < 9;
}

static const struct {
    const char *text;
    bool (*holds)(row r);
} conditions[] = {{"w.ward == 2", is_two},
                  {"not w.ward != 2", is_two},
                  {"w.ward != 2", is_not_two},
                  {"w.ward in (0, 3..4)", is_some},
                  {"w.ward < 3 and w.kind != 1", is_both},
                  {"w.ward > 3 or w.kind == 0", is_either},
                  {"w.ward > w.kind", is_larger},
                  {"w.ward between 1 and 3 and 1 >= w.kind", is_between},
                  {"w.ward < 9", is_all}};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

static void rows_are_selected(void **state)
{
    (void)state;
    for (int reals = 0; reals < 2; reals++) {
        world w;
        char text[96];
        open_world(&w, reals);
        for (int c = 0; c < CONDITIONS; c++) {
            snprintf(text, sizeof text, "y = x.p*(%s)", conditions[c].text);
            lowered_works(&w.l, text);
            const uint32_t y = lowered_node(&w.l, "y", 0);
            values_find(&w.v, &w.l.lowering.graph, ROWS);
            for (int i = 0; i < ROWS; i++) {
                const row r = row_of(i);
                if (values_integer(&w.v, y, (uint64_t)i) != (conditions[c].holds(r) ? r.p : 0)) {
                    fail_msg("%s, row %d: %Lg", text, i, w.v.node[y][i]);
                }
            }
        }
        lowered_works(&w.l, "y = x.p*(w.ward == 7)"); /* no row: 0 for all encrypted values */
        assert_true(hb_node_is_known(&w.l.lowering.graph, lowered_node(&w.l, "y", 0)));
        lowered_refused(&w.l, "y = x.p*(w.ward and w.kind == 1)", "and takes conditions");
        close_world(&w);
    }
}

/* Sums of selected rows, also of plain groups, whose number of rows is public. */
static void selected_rows_are_added_up(void **state)
{
    (void)state;
    world w;
    char text[96];
    open_world(&w, false);
    for (int c = 0; c < CONDITIONS; c++) {
        int64_t sum = 0;
        for (int i = 0; i < ROWS; i++) {
            sum += conditions[c].holds(row_of(i)) ? row_of(i).p : 0;
        }
        snprintf(text, sizeof text, "y = sum(x.p where %s)", conditions[c].text);
        lowered_works(&w.l, text);
        const uint32_t y = lowered_node(&w.l, "y", 0);
        values_find(&w.v, &w.l.lowering.graph, ROWS);
        assert_int_equal(values_integer(&w.v, y, 0), sum);
    }
    lowered_works(&w.l, "y = groupby((w.kind, w.ward), sum(x.p), mean(x.p))");
    values_find(&w.v, &w.l.lowering.graph, ROWS);
    const hb_value *y = lowered_value(&w.l, "y");
    const hb_grouping *g = y->grouping;
    uint64_t rows_of_all = 0;
    for (uint64_t group = 0; group < g->keys.rows; group++) {
        const int64_t kind = (int64_t)g->values[2 * group], ward = (int64_t)g->values[2 * group + 1];
        int64_t sum = 0, rows = 0;
        for (int i = 0; i < ROWS; i++) {
            const row r = row_of(i);
            rows += r.kind == kind && r.ward == ward;
            sum += r.kind == kind && r.ward == ward ? r.p : 0;
        }
        assert_true(rows > 0); /* groups that are there alone */
        rows_of_all += (uint64_t)rows;
        const uint32_t node = w.l.lowering.pool[y->first + group * g->parts + g->column[0].part[0]];
        assert_int_equal(values_integer(&w.v, node, 0), sum);
        assert_int_equal(g->column[1].part[0], g->column[0].part[0]); /* the mean takes the same sum */
        assert_true(g->column[1].part[1] >= g->parts);
        assert_int_equal(hb_grouping_known(g, group, g->column[1].part[1]), rows);
    }
    assert_int_equal(rows_of_all, ROWS);
    close_world(&w);
}

/* --- functions of reals, where they are not continuous: beside a gap about the corner */

static long double sign_of(long double x)
{
    return x > 0 ? 1 : -1;
}
static long double step_of(long double x)
{
    return x > 0 ? 1 : 0;
}
static long double relu_of(long double x)
{
    return x > 0 ? x : 0;
}
static long double absolute_of(long double x)
{
    return fabsl(x);
}
static long double above_three(long double x)
{
    return x > 3 ? 1 : 0;
}
static long double larger_of(long double x)
{
    return x > 2 ? x : 2;
}
static long double clipped(long double x)
{
    return x < 5 ? x : 5;
}

static void corners_and_jumps(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long double (*value)(long double x);
        long double corner, most; /* a corner is as blunt as half of the gap, 2^-8 of the largest value */
    } cases[] = {{"y = sign(x.p)", sign_of, 0, 0x1p-12L},      {"y = step(x.p)", step_of, 0, 0x1p-12L},
                 {"y = relu(x.p)", relu_of, 0, 11 * 0x1p-9L},  {"y = abs(x.p)", absolute_of, 0, 11 * 0x1p-9L},
                 {"y = x.p > 3", above_three, 3, 0x1p-12L},    {"y = max(x.p, 2)", larger_of, 2, 13 * 0x1p-9L},
                 {"y = min(5, x.p)", clipped, 5, 16 * 0x1p-9L}};
    world w;
    open_world(&w, true);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lowered_works(&w.l, cases[k].text);
        const uint32_t y = lowered_node(&w.l, "y", 0);
        for (int i = 0; i < ROWS; i++) { /* some 22/39 apart, none nearer to a corner than a tenth */
            long double x = -11 + 22 * (long double)i / (ROWS - 1);
            x += fabsl(x - cases[k].corner) < 0.1L ? 0.2L : 0;
            w.v.cell[X][0][i] = x;
        }
        values_find(&w.v, &w.l.lowering.graph, ROWS);
        for (int i = 0; i < ROWS; i++) {
            const long double x = w.v.cell[X][0][i], right = cases[k].value(x);
            if (!(fabsl(w.v.node[y][i] - right) <= cases[k].most)) {
                fail_msg("%s of %Lg: %Lg, and %Lg is right", cases[k].text, x, w.v.node[y][i], right);
            }
        }
    }
    close_world(&w);
}

HB_UNIT(plain_conditions)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_selected),
                                       cmocka_unit_test(selected_rows_are_added_up),
                                       cmocka_unit_test(corners_and_jumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
