/* Operations on plain values and constants, before they meet encrypted ones, against the same of plain rows; decimals
 * side by side, one row beside others, and refusals. */
#include "reference/graph_values.h"
#include "unit/unit.h"

enum { ROWS = 40, X = 0, W, ONE, SHORT };

typedef struct row {
    int64_t p, u, v;
} row;

static row row_of(int i)
{
    return (row){i * 7 % 23 - 11, (i * i + i / 7) % 9 - 4, i * 3 / 4 % 5};
}

typedef struct world {
    lowered l;
    graph_values v;
    hb_number cells[3][2 * ROWS];
} world;

/* x.p is encrypted; w.u and w.v, one.a and one.b, short.u are plain. */
static void open_world(world *w, bool reals)
{
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, reals ? "ckks-16" : "bfv-8192");
    const hb_meaning whole = {0};
    const hb_interval unknown = {.known = false};
    assert_int_equal(lowered_table(&w->l, "x", ROWS, true), X);
    assert_int_equal(lowered_table(&w->l, "w", ROWS, false), W);
    assert_int_equal(lowered_table(&w->l, "one", 1, false), ONE);
    assert_int_equal(lowered_table(&w->l, "short", 7, false), SHORT);
    lowered_column(&w->l, X, "p", whole, reals ? hb_interval_of_reals(-11, 11) : hb_interval_of(-11, 11));
    lowered_column(&w->l, W, "u", whole, unknown);
    lowered_column(&w->l, W, "v", whole, unknown);
    lowered_column(&w->l, ONE, "a", whole, unknown);
    lowered_column(&w->l, ONE, "b", whole, unknown);
    lowered_column(&w->l, SHORT, "u", whole, unknown);
    for (int i = 0; i < ROWS; i++) {
        const row r = row_of(i);
        w->v.cell[X][0][i] = r.p;
        w->cells[0][2 * i] = (hb_number){.integer = r.u, .real = (double)r.u};
        w->cells[0][2 * i + 1] = (hb_number){.integer = r.v, .real = (double)r.v};
        w->v.cell[W][0][i] = r.u;
        w->v.cell[W][1][i] = r.v;
    }
    w->cells[1][0] = (hb_number){.integer = 3, .real = 3};
    w->cells[1][1] = (hb_number){.integer = -2, .real = -2};
    w->v.cell[ONE][0][0] = 3;
    w->v.cell[ONE][1][0] = -2;
    for (uint32_t t = W; t <= SHORT; t++) {
        w->l.operand[t].cells = w->cells[t - W];
        w->l.operand[t].limbs = reals ? w->l.params->fresh_limbs : 0;
    }
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

static int64_t negative(row r)
{
    return -r.u * r.p;
}
static int64_t multiple(row r)
{
    return 17 * r.u * r.p;
}
static int64_t difference(row r)
{
    return (r.u - r.v) * r.p + 2 * r.u;
}
static int64_t power(row r)
{
    return r.u * r.u * r.u * r.u * r.u * r.p - r.v * r.v;
}
static int64_t beside_one(row r)
{
    return (3 * r.u - -2) * r.p - 6;
}
static int64_t condition(row r)
{
    return (r.u + r.v > 3) * r.p + 3 * (2 * r.u < r.v || r.v == 1);
}
static int64_t choice(row r)
{
    return (r.v == 2 ? r.u : 2 * r.v) * r.p;
}
static int64_t chosen(row r)
{
    return r.u > 0 ? 2 * r.u : r.p;
}
static int64_t opposite(row r)
{
    return (1 - (r.v == 3)) * r.p;
}

static int64_t extremes(row r)
{
    return (r.u > r.v ? r.u : r.v) * r.p + (r.u < 2 ? r.u : 2) - (r.u < 0 ? -r.u : r.u) * r.p;
}
static int64_t polynomial(row r)
{
    return (3 - r.u + 2 * r.u * r.u * r.u) * r.p + (r.u + r.v);
}
static int64_t side_by_side(row r)
{
    return (r.u + 1) * r.p + r.v * r.p;
}

static const struct {
    const char *text;
    int64_t (*value)(row r);
} cases[] = {{"y = -w.u*x.p", negative},
             {"y = 17*w.u*x.p", multiple},
             {"y = x.p*(10*w.u + 7*w.u)", multiple},
             {"d = w.u - w.v; y = d*x.p + 2*w.u", difference},
             {"y = 2*w.u - (w.v - w.u)*x.p", difference},
             {"y = w.u^5*x.p - w.v^2", power},
             {"y = square(w.u)*w.u^3*x.p - square(w.v)", power},
             {"y = (one.a*w.u - one.b)*x.p + one.a*one.b", beside_one},
             {"y = (w.u + w.v > 3)*x.p + 3*(2*w.u < w.v or w.v == 1)", condition},
             {"y = x.p*(not w.u + w.v <= 3) + 3*(w.v > 2*w.u or w.v in (1, 77..80))", condition},
             {"y = where(w.v == 2, w.u, 2*w.v)*x.p", choice},
             {"y = where(w.u > 0, 2*w.u, x.p)", chosen},
             {"y = (1 - (w.v == 3))*x.p", opposite},
             {"y = (not w.v == 3)*x.p", opposite},
             {"y = max(w.u, w.v)*x.p + min(2, w.u) - abs(w.u)*x.p", extremes},
             {"y = poly(w.u, 3, -1, 0, 2)*x.p + rowsum(w)", polynomial},
             {"y = rowsum((w.u + 1, w.v)*x.p)", side_by_side}};

static void expressions(void **state)
{
    (void)state;
    for (int reals = 0; reals < 2; reals++) {
        world w;
        open_world(&w, reals);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            lowered_works(&w.l, cases[c].text);
            const uint32_t y = lowered_node(&w.l, "y", 0);
            values_find(&w.v, &w.l.lowering.graph, ROWS);
            for (int i = 0; i < ROWS; i++) {
                if (values_integer(&w.v, y, (uint64_t)i) != cases[c].value(row_of(i))) {
                    fail_msg("%s, row %d: %Lg", cases[c].text, i, w.v.node[y][i]);
                }
            }
        }
        close_world(&w);
    }
}

/* Ranges are those of the rows, and no more. */
static void ranges_are_of_rows(void **state)
{
    (void)state;
    world w;
    open_world(&w, false);
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int i = 0; i < ROWS; i++) {
        const int64_t u = row_of(i).u, value = u * u - 2 * u;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    lowered_works(&w.l, "y = x.p + (w.u*w.u - 2*w.u)");
    const hb_interval y = w.l.lowering.graph.nodes[lowered_node(&w.l, "y", 0)].range.interval;
    assert_true(y.known && y.least == least - 11 && y.most == most + 11);
    lowered_works(&w.l, "y = x.p*(w.u - w.u)"); /* 0 for all encrypted values */
    assert_true(hb_node_is_known(&w.l.lowering.graph, lowered_node(&w.l, "y", 0)));
    close_world(&w);
}

static void decimals_have_one_scale(void **state)
{
    (void)state;
    world w;
    open_world(&w, false);
    w.l.column[W][0].meaning.scale = 10; /* tenths of u */
    w.l.column[W][1].meaning.scale = 1000;
    lowered_works(&w.l, "y = x.p + w.u; z = (w.u - w.v)*x.p; c = (w.u < w.v)*x.p; h = (w.u + 0.5)*x.p");
    static const struct {
        const char *name;
        uint64_t scale;
    } results[] = {{"y", 10}, {"z", 1000}, {"c", 1}, {"h", 10}};
    values_find(&w.v, &w.l.lowering.graph, ROWS);
    for (size_t k = 0; k < 4; k++) {
        const hb_value *value = lowered_value(&w.l, results[k].name);
        assert_int_equal(hb_meaning_scale(hb_means_of(value->means, 0)), results[k].scale);
        for (int i = 0; i < ROWS; i++) {
            const row r = row_of(i);
            const int64_t right[] = {10 * r.p + r.u, (100 * r.u - r.v) * r.p, (100 * r.u < r.v) * r.p, (r.u + 5) * r.p};
            assert_int_equal(values_integer(&w.v, lowered_node(&w.l, results[k].name, 0), (uint64_t)i), right[k]);
        }
    }
    close_world(&w);
}

static void refusals(void **state)
{
    (void)state;
    world w;
    open_world(&w, false);
    lowered_refused(&w.l, "y = (w.u + short.u)*x.p",
                    "w.u has 40 rows, and short.u has 7; expected as many, or one row");
    lowered_refused(&w.l, "y = (2*w.u < -short.u)*x.p", "2*w.u has 40 rows, and -short.u has 7; expected as many");
    lowered_refused(&w.l, "y = (one.a < 5 and one.a < w.u and short.u < 3)*x.p",
                    "w.u has 40 rows, and short.u < 3 has 7");
    lowered_refused(&w.l, "y = (one.a between w.u and short.u)*x.p", "w.u has 40 rows, and short.u has 7");
    lowered_refused(&w.l, "y = where(w.u > 1, short.u, 2)*x.p", "has 40 rows, and short.u has 7");
    lowered_refused(&w.l, "y = max(short.u, w.u)*x.p", "short.u has 7 rows, and w.u has 40");
    lowered_refused(&w.l, "z = 2*(w.u, short.u); y = x.p", "w.u has 40 rows, and short.u has 7");
    lowered_refused(&w.l, "y = rowsum((w.u, short.u))*x.p", "w.u has 40 rows, and short.u has 7");
    lowered_refused(&w.l, "y = groupby((w.u, short.u), sum(x.p))", "w.u has 40 rows, and short.u has 7");
    lowered_refused(&w.l, "y = groupby(short.u, sum(x.p))",
                    "short has 7 rows, and x has 40; expected as many, or one row");
    lowered_refused(&w.l, "y = groupby(w.u, sum(x.p where short.u == 0))", "w has 40 rows, and short has 7");
    lowered_refused(&w.l, "y = sum(x.p where short.u == 0)", "short has 7 rows, and x has 40");
    lowered_refused(&w.l, "y = mean(x.p where short.u == 0)", "short has 7 rows, and x has 40");
    lowered_refused(&w.l, "y = fetch(x.p where short.u == 0, 12)", "short has 7 rows, and x has 40");
    lowered_refused(&w.l, "y = 2*short.u*x.p", "short has 7 rows, and x has 40");
    lowered_refused(&w.l, "y = (w.u, short.u)*x.p", "w.u has 40 rows, and short.u has 7");
    lowered_refused(&w.l, "y = (w.u, short.u) @ (x.p, x.p)", "w.u has 40 rows, and short.u has 7");
    lowered_refused(&w.l, "y = (w.u^64 > 3)*x.p", "row 1 of the plain table: a number is beyond the 128 bits");
    assert_true(w.l.lowering.hopeless); /* and would be so with any parameters */
    lowered_refused(&w.l, "y = (w.u^40, w.v) @ (x.p, x.p)", "a number has more than 64 bits");
    lowered_refused(&w.l, "y = w.u/2*x.p", "there is no division of integers");
    lowered_refused(&w.l, "y = (w.u and w.v == 1)*x.p", "and takes conditions");
    lowered_refused(&w.l, "y = rotate(2*w.u, 1)*x.p", "rotate works on encrypted values, and this is a plain table");
    w.l.operand[W].ranged = true;
    w.l.operand[W].values = hb_interval_of(0, 3);
    lowered_refused(&w.l, "y = 2*w.u*x.p", "w.u has values outside the range that was declared, 0..3");
    close_world(&w);
    open_world(&w, true);
    lowered_refused(&w.l, "y = x.p/w.v", "row 1 of the plain table: a division by 0");
    lowered_refused(&w.l, "y = (1e200*w.u)^2*x.p", "a number is larger than any double");
    lowered_refused(&w.l, "y = (1e200*w.u)*x.p", "and plaintexts hold numbers up to");
    lowered_refused(&w.l, "y = (1i*w.u > 2)*x.p", "complex numbers are not compared");
    close_world(&w);
}

/* Tables of which other rows were left out have as many rows, which do not belong together wherever they meet. */
static void left_out_rows_are_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {"y = x.p*w.u",
                                        "y = x.p + w.u",
                                        "y = dot(x.p, w.u)",
                                        "y = where(w.u == 1, x.p, 2)",
                                        "y = sum(x.p where w.u == 1)",
                                        "y = mean(x.p where w.u == 1)",
                                        "y = count(x.p < 3 where w.u == 1)",
                                        "y = fetch(x.p where w.u == 1, 12)",
                                        "y = groupby(w.u, sum(x.p))",
                                        "y = groupby(w.u, count(), mean(x.p))",
                                        "y = groupby(x.p, -1..1, sum(x.p where w.u == 1))"};
    world w;
    open_world(&w, false);
    for (int same = 0; same < 2; same++) {
        w.l.schema[W].left_out = w.l.schema[X].left_out = (hb_left_out){0};
        hb_left_out_add(&w.l.schema[X].left_out, 5);
        hb_left_out_add(&w.l.schema[W].left_out, same != 0 ? 5 : 3);
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            if (same != 0) {
                lowered_works(&w.l, texts[i]);
            } else {
                lowered_refused(&w.l, texts[i], "their rows do not belong together");
            }
        }
    }
    close_world(&w);
}

HB_UNIT(plain)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(expressions), cmocka_unit_test(ranges_are_of_rows),
                                       cmocka_unit_test(decimals_have_one_scale), cmocka_unit_test(refusals),
                                       cmocka_unit_test(left_out_rows_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
