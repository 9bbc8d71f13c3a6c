/* Decimals against exact rationals: a stored integer over its scale is the value that arithmetic on fractions gives,
 * and comparisons with numbers of any number of digits are true for the same stored values as of fractions. */
#include "reference/graph_values.h"
#include "unit/unit.h"

enum { LEAST = -30, MOST = 30, VALUES = MOST - LEAST + 1, TRIES = 400 };

__extension__ typedef __int128 signed_wide;

/* num / 10^digits */
typedef struct decimal {
    signed_wide num;
    int digits;
} decimal;

static signed_wide power_of_ten(int digits)
{
    signed_wide power = 1;
    for (int i = 0; i < digits; i++) {
        power *= 10;
    }
    return power;
}

/* Columns n, d, e of 0, 1 and 2 digits. */
static void open_world(lowered *l, graph_values *v)
{
    static const char *const names[] = {"n", "d", "e"};
    lowered_open(l, "bfv-8192");
    memset(v, 0, sizeof *v);
    const uint32_t x = lowered_table(l, "x", VALUES, true);
    for (uint32_t c = 0; c < 3; c++) {
        lowered_column(l, x, names[c], (hb_meaning){.scale = (uint64_t)power_of_ten((int)c)},
                       hb_interval_of(LEAST, MOST));
        for (int i = 0; i < VALUES; i++) { /* each value once, in another order in each column */
            v->cell[x][c][i] = LEAST + (i * (int)(2 * c + 1) + (int)c * 7) % VALUES;
        }
    }
}

static void close_world(lowered *l, graph_values *v)
{
    free(v->node);
    lowered_close(l);
}

/* --- arithmetic */

static uint64_t drawn = 20260131;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(drawn >> 33) % below;
}

/* A random expression: its text, its exact value in each row, and whether a column is in it. */
typedef struct tree {
    char text[256];
    decimal value[VALUES];
    bool column;
} tree;

static decimal combined(char op, decimal a, decimal b)
{
    const int digits = a.digits > b.digits ? a.digits : b.digits;
    if (op == '*') {
        return (decimal){a.num * b.num, a.digits + b.digits};
    }
    const signed_wide x = a.num * power_of_ten(digits - a.digits), y = b.num * power_of_ten(digits - b.digits);
    return (decimal){op == '+' ? x + y : x - y, digits};
}

static void draw_leaf(const graph_values *v, tree *out)
{
    static const char *const numbers[] = {"2", "3", "1.5", "0.25", "0.2", "7"};
    static const decimal values[] = {{2, 0}, {3, 0}, {15, 1}, {25, 2}, {2, 1}, {7, 0}};
    const uint32_t c = draw(5), k = draw(6);
    out->column = c < 3;
    snprintf(out->text, sizeof out->text, "%s%s", c < 3 ? "x." : "",
             c < 3 ? (c == 0   ? "n"
                      : c == 1 ? "d"
                               : "e")
                   : numbers[k]);
    for (int i = 0; i < VALUES; i++) {
        out->value[i] = c < 3 ? (decimal){(signed_wide)v->cell[0][c][i], (int)c} : values[k];
    }
}

static void draw_tree(const graph_values *v, int depth, tree *out)
{
    if (depth == 0 || draw(5) == 0) {
        draw_leaf(v, out);
        return;
    }
    tree *a = calloc(2, sizeof *a), *b = a + 1;
    assert_non_null(a);
    const char op = "+-*"[draw(3)];
    draw_tree(v, depth - 1, a);
    draw_tree(v, depth - 1, b);
    const int length = snprintf(out->text, sizeof out->text, "(%s %c %s)", a->text, op, b->text);
    assert_true(length > 0 && (size_t)length < sizeof out->text);
    for (int i = 0; i < VALUES; i++) {
        out->value[i] = combined(op, a->value[i], b->value[i]);
    }
    out->column = a->column || b->column;
    free(a);
}

/* num modulo t, 0 .. t - 1 */
static uint64_t residue(signed_wide num, uint64_t t)
{
    const signed_wide rest = num % (signed_wide)t;
    return (uint64_t)(rest < 0 ? rest + t : rest);
}

static void arithmetic_is_that_of_fractions(void **state)
{
    (void)state;
    lowered l;
    graph_values v;
    tree *y = calloc(1, sizeof *y);
    char text[300];
    uint32_t compared = 0;
    assert_non_null(y);
    open_world(&l, &v);
    for (int i = 0; i < TRIES; i++) {
        draw_tree(&v, 3, y);
        snprintf(text, sizeof text, "r = %s", y->text);
        if (!y->column) { /* a constant */
            continue;
        }
        lowered_works(&l, text);
        const hb_value *r = lowered_value(&l, "r");
        if (r->whole != NULL || r->columns == 0) {
            continue;
        }
        const int digits = hb_scale_digits(hb_meaning_scale(hb_value_meaning(r, 0)));
        assert_true(digits >= y->value[0].digits || y->value[0].num == 0);
        values_find(&v, &l.lowering.graph, VALUES);
        for (int row = 0; row < VALUES; row++) {
            const signed_wide exact = y->value[row].num * power_of_ten(digits - y->value[row].digits);
            const uint64_t found = (uint64_t)v.node[l.lowering.pool[r->first]][row];
            if (found != residue(exact, v.modulus)) {
                fail_msg("%s, row %d: %llu is stored at %d digits", text, row, (unsigned long long)found, digits);
            }
        }
        compared++;
    }
    assert_true(compared > TRIES / 2);
    free(y);
    close_world(&l, &v);
}

/* --- comparisons */

static const char *const comparisons[] = {"<", ">", "<=", ">=", "==", "!="};

static bool is_true(int comparison, signed_wide a, signed_wide b)
{
    const bool results[] = {a<b, a> b, a <= b, a >= b, a == b, a != b};
    return results[comparison];
}

/* Rows of r are 1 or 0 as `expected` says. */
static void assert_rows(lowered *l, graph_values *v, const char *text, const bool *expected, bool refused)
{
    const hb_status st = lowered_text(l, text);
    if (refused) {
        assert_int_not_equal(st, HB_OK);
        return;
    }
    if (st != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
    const uint32_t r = lowered_node(l, "r", 0);
    values_find(v, &l->lowering.graph, VALUES);
    for (int row = 0; row < VALUES; row++) {
        if (v->node[r][row] != expected[row]) {
            fail_msg("%s, row %d: %Lg", text, row, v->node[r][row]);
        }
    }
}

static void orders_are_those_of_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        decimal value;
    } numbers[] = {{"1", {1, 0}},         {"-1.5", {-15, 1}}, {"0.25", {25, 2}},
                   {"-0.125", {-125, 3}}, {"0.2", {2, 1}},    {"2.9", {29, 1}}};
    lowered l;
    graph_values v;
    bool expected[VALUES];
    char text[64];
    open_world(&l, &v);
    for (uint32_t c = 0; c < 3; c++) {
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            const decimal number = numbers[k].value;
            const signed_wide b = number.num * power_of_ten(3 - number.digits);
            const bool representable = b % power_of_ten(3 - (int)c) == 0;
            for (int op = 0; op < 6; op++) {
                for (int turned = 0; turned < 2; turned++) {
                    for (int row = 0; row < VALUES; row++) {
                        const signed_wide a = (signed_wide)v.cell[0][c][row] * power_of_ten(3 - (int)c);
                        expected[row] = turned ? is_true(op, b, a) : is_true(op, a, b);
                    }
                    const char column[] = {'x', '.', "nde"[c], '\0'};
                    snprintf(text, sizeof text, "r = %s %s %s", turned ? numbers[k].text : column, comparisons[op],
                             turned ? column : numbers[k].text);
                    assert_rows(&l, &v, text, expected, op >= 4 && !representable);
                }
            }
        }
    }
    close_world(&l, &v);
}

/* Ends of ranges that the column does not store lie between two values that it does. */
static void ranges_hold_what_lies_between_their_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t low, high; /* in thousandths, twice: of `or` */
        int64_t other_low, other_high;
        bool none; /* a range in which no whole number lies */
    } cases[] = {{"between -0.15 and 0.25", -150, 250, 1, 0, false},
                 {"between -1.5 and 2.5", -1500, 2500, 1, 0, false},
                 {"in (0.05..0.25)", 50, 250, 1, 0, true},
                 {"in (-0.299..-0.1, 0.2..7)", -299, -100, 200, 7000, true},
                 {"in (-2, 1..1.75)", -2000, -2000, 1000, 1750, false}};
    lowered l;
    graph_values v;
    bool expected[VALUES];
    char text[64];
    open_world(&l, &v);
    for (uint32_t c = 0; c < 3; c++) {
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            for (int row = 0; row < VALUES; row++) {
                const int64_t a = (int64_t)v.cell[0][c][row] * (int64_t)power_of_ten(3 - (int)c);
                expected[row] =
                    (a >= cases[k].low && a <= cases[k].high) || (a >= cases[k].other_low && a <= cases[k].other_high);
            }
            snprintf(text, sizeof text, "r = x.%c %s", "nde"[c], cases[k].text);
            if (cases[k].none && c == 0) {
                lowered_refused(&l, text, "no value of the column lies in this range");
                continue;
            }
            assert_rows(&l, &v, text, expected, false);
        }
    }
    lowered_refused(&l, "r = x.n in (7..5)", "a range goes from its least to its most");
    close_world(&l, &v);
}

/* Two columns of different scales. */
static void columns_are_compared_as_fractions(void **state)
{
    (void)state;
    lowered l;
    graph_values v;
    bool expected[VALUES];
    char text[64];
    open_world(&l, &v);
    for (uint32_t a = 0; a < 3; a++) {
        for (uint32_t b = 0; b < 3; b++) {
            for (int op = 0; op < 6 && a != b; op++) {
                for (int row = 0; row < VALUES; row++) {
                    expected[row] = is_true(op, (signed_wide)v.cell[0][a][row] * power_of_ten(2 - (int)a),
                                            (signed_wide)v.cell[0][b][row] * power_of_ten(2 - (int)b));
                }
                snprintf(text, sizeof text, "r = x.%c %s x.%c", "nde"[a], comparisons[op], "nde"[b]);
                assert_rows(&l, &v, text, expected, false);
            }
        }
    }
    close_world(&l, &v);
}

HB_UNIT(decimals)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic_is_that_of_fractions),
                                       cmocka_unit_test(orders_are_those_of_fractions),
                                       cmocka_unit_test(ranges_hold_what_lies_between_their_ends),
                                       cmocka_unit_test(columns_are_compared_as_fractions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
