/* Constants in every place: alone, among plain values, beside encrypted ones, in the place of conditions, against the
 * same of plain rows; public numbers, and refusals. */
#include "reference/graph_values.h"
#include "unit/unit.h"

enum { ROWS = 24, X = 0, W };

typedef struct row {
    int64_t p, b, q, i;
} row;

static row row_of(int k)
{
    return (row){k * 7 % 23 - 11, k % 5, (k % 7 - 3) * INT64_C(1000000000000000), k % 5 - 2};
}

typedef struct world {
    lowered l;
    graph_values v;
    hb_number cells[ROWS][3];
} world;

/* x.p and x.b are encrypted; w.q, far beyond t, w.i and w.z, 0 in every row, are plain. */
static void open_world(world *w, bool reals)
{
    static const char *const names[] = {"q", "i", "z"};
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, reals ? "ckks-16" : "bfv-8192");
    const hb_meaning number = {0};
    assert_int_equal(lowered_table(&w->l, "x", ROWS, true), X);
    assert_int_equal(lowered_table(&w->l, "w", ROWS, false), W);
    lowered_column(&w->l, X, "p", number, reals ? hb_interval_of_reals(-11, 11) : hb_interval_of(-11, 11));
    lowered_column(&w->l, X, "b", number, reals ? hb_interval_of_reals(0, 4) : hb_interval_of(0, 4));
    for (int c = 0; c < 3; c++) {
        lowered_column(&w->l, W, names[c], number, (hb_interval){.known = false});
    }
    for (int k = 0; k < ROWS; k++) {
        const row r = row_of(k);
        const int64_t plain[3] = {r.q, r.i, 0};
        w->v.cell[X][0][k] = r.p;
        w->v.cell[X][1][k] = r.b;
        for (int c = 0; c < 3; c++) {
            w->cells[k][c] = (hb_number){.integer = plain[c], .real = (double)plain[c]};
            w->v.cell[W][c][k] = plain[c];
        }
    }
    w->l.operand[W].cells = w->cells[0];
    w->l.operand[W].limbs = reals ? w->l.params->fresh_limbs : 0;
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

static int64_t own(row r)
{
    return r.p;
}
static int64_t other(row r)
{
    return r.b;
}
static int64_t twice(row r)
{
    return 2 * r.p;
}
static int64_t thrice(row r)
{
    return 3 * r.p;
}
static int64_t both(row r)
{
    return r.p + r.b;
}
static int64_t chosen_large(row r)
{
    return (r.q > INT64_C(1000000000000000)) * r.p;
}
static int64_t chosen(row r)
{
    return (r.i > 0) * r.p;
}
static int64_t chosen_within(row r)
{
    return (r.i < 0 || r.i > 1) * r.p;
}
static int64_t plus_count(row r)
{
    return r.p + ROWS;
}

static const struct {
    const char *text;
    int64_t (*value)(row r);
} cases[] = {
    /* among plain values constants and values are larger than t */
    {"y = (w.q > 1000000000000000)*x.p", chosen_large},
    {"v = w.i*4503599627370496; y = (v > 0)*x.p", chosen},
    {"y = (w.i*1000000*1000000 > 1000000 - 1)*x.p", chosen},
    {"y = (w.i in (1..5000000000, 7000000000))*x.p", chosen},
    {"y = (w.i not between 0 and 1 or w.q > 10000000000000000)*x.p", chosen_within},
    {"y = (where(w.i > 0, 5000000000, 7) - max(7, 5000000000*(w.i > 0)) + 1)*x.p", own},
    {"y = x.p*(-5000000000 + count() < 3)", own},
    /* alone */
    {"y = abs(-3)*x.p", thrice},
    {"y = max(3, -4)*x.p", thrice},
    {"y = min(3, 4)*x.p", thrice},
    {"y = square(2)*x.p - poly(2, -4, 1, 1/1)*x.b*0 - x.p*1^3", thrice},
    {"y = where(1 < 2, 2, 3)*x.p", twice},
    {"y = where(1 > 2, 2, 3)*x.p", thrice},
    {"y = (1 < 2 and not 3 > 4)*x.p", own},
    {"y = x.p*(2 <= 1 or -3 == 0 - 3 or 1 != 1)", own},
    {"y = (2.5 between 2 and 3)*x.p*(3 in (1, 2..4))*(not 3 in (1, 4..6, -3))", own},
    {"y = where(2.5 >= 2.50, x.p, x.b)", own},
    {"y = re(2)*x.p + im(2)*x.b", twice},
    {"y = abs2(conj(1))*x.p", own},
    {"c = 3; d = max(c, 2 - 7); y = d*x.p", thrice},
    /* with numbers of rows */
    {"y = (count() > 2)*x.p", own},
    {"y = where(count() == 24, x.p, x.b)", own},
    {"y = where(count() in (1, 3..7) or count() between 25 and 30, x.p, x.b)", other},
    {"y = x.p + max(count(), 2)", plus_count},
    {"y = x.p + abs(2 - count()) + min(count() - 22, 5)", plus_count},
    /* in the place of conditions */
    {"y = where(1 < 2, x.p, 5)", own},
    {"y = where(2 < 1, 5, x.p)", own},
    {"y = where(1 < 2, w.i, x.p) - w.i + x.b", other},
    {"y = where(1 < 2, x.p, w.i)", own},
    {"y = (1 < 2 and w.i > 0)*x.p", chosen},
    {"y = (w.i > 0 or 1 > 2)*x.p", chosen},
    {"y = (w.i > 0 or 1 < 2)*x.p", own},
    /* 0 for all encrypted values, beside another term */
    {"y = 0*x.p + x.b", other},
    {"y = x.p*0 + x.b", other},
    {"y = (1 - 1)*x.p + x.b", other},
    {"y = x.p - x.p + x.b", other},
    {"y = 0*sum(x.p) + x.b", other},
    {"y = x.p*(w.z + 0) + x.b", other},
    {"y = 0*x.p*x.b + x.b - 0*x.p^3", other},
    {"y = (0*x.p + 1)*x.p + x.b", both},
    {"y = square(0*x.p) + poly(0*x.p, 0, 1, 2) + x.b", other},
    {"y = rowsum((x.p, 0*x.b))", own},
};

static void expressions(void **state)
{
    (void)state;
    for (int reals = 0; reals < 2; reals++) {
        world w;
        open_world(&w, reals);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            if (reals == 0 && strchr(cases[c].text, '/') != NULL) {
                continue;
            }
            lowered_works(&w.l, cases[c].text);
            const uint32_t y = lowered_node(&w.l, "y", 0);
            values_find(&w.v, &w.l.lowering.graph, ROWS);
            for (int k = 0; k < ROWS; k++) {
                if (values_integer(&w.v, y, (uint64_t)k) != cases[c].value(row_of(k))) {
                    fail_msg("%s, row %d: %Lg", cases[c].text, k, w.v.node[y][k]);
                }
            }
        }
        close_world(&w);
    }
}

static void aggregates(void **state)
{
    (void)state;
    static const char *const texts[] = {"y = sum(x.p where 1 < 2)", "y = sum(x.p where w.i > 9 or 1 < 2)",
                                        "y = sum(x.p where 1 < 2 and count() > 3)",
                                        "y = sum(x.p) + sum(w.i where 1 > 2)"};
    int64_t sum = 0;
    for (int k = 0; k < ROWS; k++) {
        sum += row_of(k).p;
    }
    for (int reals = 0; reals < 2; reals++) {
        world w;
        open_world(&w, reals);
        for (size_t c = 0; c < sizeof texts / sizeof *texts; c++) {
            lowered_works(&w.l, texts[c]);
            const uint32_t y = lowered_node(&w.l, "y", 0);
            values_find(&w.v, &w.l.lowering.graph, ROWS);
            assert_int_equal(values_integer(&w.v, y, 0), sum);
        }
        lowered_works(&w.l, "y = mean(x.p where 1 < 2)");
        lowered_works(&w.l, "y = mean(x.p where 1 > 2)");
        close_world(&w);
    }
}

/* Functions of reals, as doubles have them. */
static void functions_of_reals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } functions[] = {{"exp(1)", 2.718281828459045},
                     {"log(exp(2))", 2},
                     {"sqrt(2)", 1.4142135623730951},
                     {"rsqrt(16)", 0.25},
                     {"tanh(0.5)", 0.46211715726000973},
                     {"sigmoid(0)", 0.5},
                     {"erf(1)", 0.84270079294971487},
                     {"inv(-4)", -0.25},
                     {"gelu(1)", 0.84134474606854293},
                     {"silu(-1, -3, 3)", -0.2689414213699951},
                     {"sign(-2.5)", -1},
                     {"sign(0)", 0},
                     {"step(0.25)", 1},
                     {"relu(-3) + relu(2.5)", 2.5},
                     {"cheb(0.5, -1, 1, 1, 2, 3, 4)", 1 + 2 * 0.5 + 3 * (2 * 0.25 - 1) + 4 * (4 * 0.125 - 1.5)},
                     {"abs2(3 + 4i)", 25},
                     {"im(3 - 4i) + 7/2", -0.5}};
    world w;
    open_world(&w, true);
    for (size_t c = 0; c < sizeof functions / sizeof *functions; c++) {
        char text[100];
        snprintf(text, sizeof text, "c = %s; y = x.p", functions[c].text);
        lowered_works(&w.l, text);
        const hb_value *made = lowered_value(&w.l, "c");
        assert_int_equal(made->kind, HB_TYPE_NUMBER);
        if (fabs(made->number.real - functions[c].value) > 1e-15 * (1 + fabs(functions[c].value))) {
            fail_msg("%s: %.17g", functions[c].text, made->number.real);
        }
    }
    close_world(&w);
}

static void decimals_keep_their_scale(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t integer;
        uint64_t scale;
    } constants[] = {{"min(2.5, 3)", 25, 10},
                     {"max(2.5, 3.125)", 3125, 1000},
                     {"abs(-0.25)", 25, 100},
                     {"square(0.5)", 25, 100},
                     {"where(1 < 2, 1, 0.01)", 100, 100},
                     {"2.5 > 2.49", 1, 1},
                     {"poly(0.5, 1, 2)", 20, 10},
                     {"-2.5*3", -75, 10},
                     {"(2.5)", 25, 10},
                     {"((0.25) + 1)*1", 125, 100},
                     {"0*2.5", 0, 10}};
    world w;
    open_world(&w, false);
    for (size_t c = 0; c < sizeof constants / sizeof *constants; c++) {
        char text[100];
        snprintf(text, sizeof text, "c = %s; y = 0*x.p*c + x.b", constants[c].text);
        lowered_works(&w.l, text);
        const hb_value *made = lowered_value(&w.l, "c");
        if (made->number.integer != constants[c].integer ||
            hb_meaning_scale(hb_value_meaning(made, 0)) != constants[c].scale) {
            fail_msg("%s: %lld", text, (long long)made->number.integer);
        }
        assert_int_equal(hb_meaning_scale(hb_value_meaning(lowered_value(&w.l, "y"), 0)), constants[c].scale);
    }
    close_world(&w);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        bool reals;
        const char *text, *part;
    } texts[] = {
        {false, "y = 5000000000*x.p", "character 5 of 'y = 5000000000*x.p': the constant is not between -"},
        {false, "y = x.p + (2 - 5000000000)", "and here -4999999998 stands beside an encrypted value"},
        {false, "y = where(x.p > 0, 5000000000, w.i)", "the constant is not between"},
        {false, "y = max(x.p, -5000000000)", "the constant is not between"},
        {false, "y = poly(x.p, 1, 5000000000)", "the constant is not between"},
        {false, "y = lookup(x.b, 1:5000000000)", "the constant is not between"},
        {false, "y = count()*1000000*x.p", "24000000 stands beside an encrypted value"},
        {false, "y = 9223372036854775807*2*w.i + x.p", "the constant is beyond -2^63 .. 2^63 - 1"},
        {false, "y = abs(-9223372036854775807 - 1)*w.i + x.p", "the constant is beyond -2^63 .. 2^63 - 1"},
        {false, "y = where(count(), x.p, x.b)", "where takes conditions, and this is a number"},
        {false, "y = not 3", "not takes conditions, and this is a number"},
        {false, "y = 'a' == 'a'", "a text stands for a value of the column beside it"},
        {false, "y = 'a' in ('a')", "expected a value to look for"},
        {false, "y = exp(1)*x.p", "there is no function 'exp'"},
        {true, "y = (9007199254740993)*1e-12*x.p", "no double is this integer"},
        {true, "y = log(-1)*x.p", "log of values that may be 0 or less"},
        {true, "y = exp(1000)*x.p", "the constant is larger than any double"},
        {true, "y = step(0)*x.p", "step jumps at 0"},
        {true, "y = max(1i, 2)*x.p", "this takes real numbers"},
        {true, "y = (1i < 2)*x.p", "this takes real numbers"},
        {true, "y = cheb(2, -1, 1, 1, 2)*x.p", "an x between low and high"},
        {true, "y = (count()/0)*x.p", "a division by 0"},
    };
    world w;
    for (size_t c = 0; c < sizeof texts / sizeof *texts; c++) {
        open_world(&w, texts[c].reals);
        lowered_refused(&w.l, texts[c].text, texts[c].part);
        close_world(&w);
    }
}

/* A constant that is another one mod t is compared only with values that are known to be below t. */
static void comparisons_are_not_mod_t(void **state)
{
    (void)state;
    world w;
    open_world(&w, false);
    const int64_t t = (int64_t)w.l.params->spec.bfv.plain;
    char text[100];
    snprintf(text, sizeof text, "y = x.p == %lld", (long long)t + 3);
    lowered_works(&w.l, text);
    const hb_graph *g = &w.l.lowering.graph;
    assert_true(hb_node_is_known(g, lowered_node(&w.l, "y", 0)));
    w.l.range[X][0] = (hb_interval){.known = false};
    lowered_refused(&w.l, text, "range");
    lowered_works(&w.l, "y = x.p == 3");
    close_world(&w);
}

HB_UNIT(constants)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions),        cmocka_unit_test(aggregates),
        cmocka_unit_test(functions_of_reals), cmocka_unit_test(decimals_keep_their_scale),
        cmocka_unit_test(refusals),           cmocka_unit_test(comparisons_are_not_mod_t)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
