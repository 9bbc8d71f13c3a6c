/* Functions and conditions of integers: the values that their graphs come to modulo t, polynomials and all, against the
 * page's definition of each, for every pair of values of two columns. */
#include "reference/graph_values.h"
#include "unit/unit.h"

/* p is -4 .. 3 and q 0 .. 7, each pair in one row; b is a truth value, and k one of 2, 3, 5. */
enum { ROWS = 64, P = 0, Q, B, K };

typedef struct row {
    int64_t p, q, b, k;
} row;

static row row_of(int i)
{
    static const int64_t primes[] = {2, 3, 5};
    return (row){i % 8 - 4, i / 8, i * 7 / 3 % 2, primes[i * 11 % 7 % 3]};
}

typedef struct world {
    lowered l;
    graph_values v;
} world;

static void open_world_of(world *w, const char *preset)
{
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, preset);
    const uint32_t x = lowered_table(&w->l, "x", ROWS, true);
    lowered_column(&w->l, x, "p", (hb_meaning){0}, hb_interval_of(-4, 3));
    lowered_column(&w->l, x, "q", (hb_meaning){0}, hb_interval_of(0, 7));
    lowered_column(&w->l, x, "b", (hb_meaning){.kind = HB_MEANING_BOOL}, hb_interval_of(0, 1));
    lowered_column(&w->l, x, "k", (hb_meaning){0}, hb_interval_of(2, 5));
    for (int i = 0; i < ROWS; i++) {
        const row r = row_of(i);
        w->v.cell[x][P][i] = r.p;
        w->v.cell[x][Q][i] = r.q;
        w->v.cell[x][B][i] = r.b;
        w->v.cell[x][K][i] = r.k;
    }
}

static void open_world(world *w)
{
    open_world_of(w, "bfv-8192");
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

/* Lowers a text, and finds its values. Returns column `column` of y. */
static uint32_t find(world *w, const char *text, uint32_t column)
{
    lowered_works(&w->l, text);
    const uint32_t y = lowered_node(&w->l, "y", column);
    values_find(&w->v, &w->l.lowering.graph, ROWS);
    return y;
}

/* No value leaves the range of its node: the known truth of a condition rests on it. */
static void assert_value(const world *w, const char *text, uint32_t node, int i, int64_t expected)
{
    const hb_interval range = w->v.graph->nodes[node].range.interval;
    const int64_t found = values_integer(&w->v, node, (uint64_t)i);
    if (found != expected) {
        fail_msg("%s, row %d: %lld, and %lld is right", text, i, (long long)found, (long long)expected);
    }
    if (range.known && !hb_interval_within(hb_interval_of(expected, expected), range)) {
        fail_msg("%s, row %d: %lld is not in %lld .. %lld", text, i, (long long)expected, (long long)range.least,
                 (long long)range.most);
    }
}

/* --- functions of each row */

static int64_t maximum(row r)
{
    return r.p > r.q ? r.p : r.q;
}
static int64_t minimum(row r)
{
    return r.p < r.q ? r.p : r.q;
}
static int64_t minimum_of_number(row r)
{
    return r.p < -1 ? r.p : -1;
}
static int64_t absolute(row r)
{
    return r.p < 0 ? -r.p : r.p;
}
static int64_t absolute_difference(row r)
{
    return r.p < r.q ? r.q - r.p : r.p - r.q;
}
static int64_t below(row r)
{
    return r.p < r.q;
}
static int64_t below_or_equal(row r)
{
    return r.p <= r.q;
}
static int64_t equal(row r)
{
    return r.p == r.q;
}
static int64_t unequal_to_number(row r)
{
    return r.p != 2;
}
static int64_t above_number(row r)
{
    return r.q > 4;
}
static int64_t three_conditions(row r)
{
    return r.p < 0 && r.q >= 3 && r.b;
}
static int64_t one_of_three_conditions(row r)
{
    return r.p == -2 || r.q == 5 || !r.b;
}
static int64_t mixed_conditions(row r)
{
    return (r.p < 0 && r.q < 4) || (!(r.p < 0) && r.q >= 6);
}
static int64_t chosen(row r)
{
    return r.p < r.q ? r.p : 3 * r.q;
}
static int64_t chosen_number(row r)
{
    return r.b ? r.p : -9;
}
static int64_t among(row r)
{
    return r.q == 1 || r.q == 3 || (r.q >= 5 && r.q <= 6);
}
static int64_t not_among(row r)
{
    return !(r.p == -4 || r.p == 0);
}
static int64_t between(row r)
{
    return r.p >= -2 && r.p <= 1;
}
static int64_t between_columns(row r)
{
    return r.q >= r.p && r.q <= r.p + 4;
}
static int64_t looked_up(row r)
{
    return r.q == 0 ? 7 : r.q <= 3 ? -2 : r.q == 6 ? 100 : 0;
}
static int64_t looked_up_first(row r)
{
    return r.q <= 4 ? 1 : 2; /* the first entry counts */
}
static int64_t cube_and_more(row r)
{
    return 5 - 2 * r.p + r.p * r.p * r.p;
}
static int64_t ninth_power(row r)
{
    int64_t power = 1;
    for (int i = 0; i < 9; i++) {
        power *= r.p;
    }
    return power;
}
static int64_t row_sum(row r)
{
    return r.p + r.q + r.k;
}
static int64_t repeated(row r)
{
    return r.p + 3 * (r.q + 1);
}

static void of_each_row(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t (*value)(row r);
    } cases[] = {
        {"y = max(x.p, x.q)", maximum},
        {"y = min(x.p, x.q)", minimum},
        {"y = min(-1, x.p)", minimum_of_number},
        {"y = abs(x.p)", absolute},
        {"y = abs(x.p - x.q)", absolute_difference},
        {"y = x.p < x.q", below},
        {"y = not (x.p >= x.q)", below},
        {"y = x.q > x.p", below},
        {"y = x.p <= x.q", below_or_equal},
        {"y = x.p == x.q", equal},
        {"y = x.p != 2", unequal_to_number},
        {"y = x.q > 4", above_number},
        {"y = 5 <= x.q", above_number},
        {"y = x.p < 0 and x.q >= 3 and x.b", three_conditions},
        {"y = x.p == -2 or x.q == 5 or not x.b", one_of_three_conditions},
        {"y = x.p < 0 and x.q < 4 or not (x.p < 0) and x.q >= 6", mixed_conditions},
        {"y = where(x.p < x.q, x.p, 3*x.q)", chosen},
        {"y = where(x.b, x.p, -9)", chosen_number},
        {"y = x.q in (1, 3, 5..6)", among},
        {"y = x.p not in (-4, 0)", not_among},
        {"y = x.p between -2 and 1", between},
        {"y = x.q between x.p and x.p + 4", between_columns},
        {"y = lookup(x.q, 0:7, 1..3:-2, 6:100, 0)", looked_up},
        {"y = lookup(x.q, 0..4:1, 3..7:2)", looked_up_first},
        {"y = lookup(x.q, 0..4:1, 2)", looked_up_first},
        {"y = poly(x.p, 5, -2, 0, 1)", cube_and_more},
        {"y = 5 - 2*x.p + x.p^3", cube_and_more},
        {"y = x.p^9", ninth_power},
        {"y = rowsum((x.p, x.q, x.k))", row_sum},
        {"y = x.p; repeat 3 { y = y + x.q + 1 }", repeated},
    };
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t y = find(&w, cases[i].text, 0);
        for (int j = 0; j < ROWS; j++) {
            assert_value(&w, cases[i].text, y, j, cases[i].value(row_of(j)));
        }
    }
    close_world(&w);
}

/* Conditions of every constant: conditions that are the same for all values are numbers, and no others. */
static void comparisons_with_every_number(void **state)
{
    (void)state;
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    world w;
    char text[64];
    open_world(&w);
    for (int64_t c = -6; c <= 5; c++) {
        for (int s = 0; s < 6; s++) {
            bool expected[ROWS];
            int held = 0;
            for (int i = 0; i < ROWS; i++) {
                const int64_t p = row_of(i).p;
                const bool each[] = {p<c, p <= c, p> c, p >= c, p == c, p != c};
                expected[i] = each[s];
                held += each[s];
            }
            snprintf(text, sizeof text, "y = x.p %s %lld", signs[s], (long long)c);
            const uint32_t y = find(&w, text, 0);
            assert_int_equal(hb_node_is_known(w.v.graph, y), held == 0 || held == ROWS);
            for (int i = 0; i < ROWS; i++) {
                assert_value(&w, text, y, i, expected[i]);
            }
        }
    }
    close_world(&w);
}

static void several_columns(void **state)
{
    (void)state;
    world w;
    static const char one_hot[] = "y = onehot(x.k, 2..4, 5)", conditions[] = "y = (x.p, x.q) < 2";
    open_world(&w);
    for (uint32_t column = 0; column < 4; column++) {
        const uint32_t y = find(&w, one_hot, column);
        for (int i = 0; i < ROWS; i++) {
            assert_value(&w, one_hot, y, i, row_of(i).k == column + 2);
        }
    }
    assert_int_equal(hb_value_width(lowered_value(&w.l, "y")), 4);
    for (uint32_t column = 0; column < 2; column++) {
        const uint32_t y = find(&w, conditions, column);
        for (int i = 0; i < ROWS; i++) {
            assert_value(&w, conditions, y, i, (column == 0 ? row_of(i).p : row_of(i).q) < 2);
        }
    }
    close_world(&w);
}

/* A number by its digits, the highest first, as it is compared with numbers and with other digits. */
static void digits_are_compared_as_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t low, high; /* 1 from low to high */
    } cases[] = {{"y = digits(8, x.b, x.q) < 11", 0, 10},
                 {"y = digits(8, x.b, x.q) >= 7", 7, 15},
                 {"y = digits(8, x.b, x.q) == 9", 9, 9},
                 {"y = digits(8, x.b, x.q) between 3 and 12", 3, 12},
                 {"y = digits(8, x.b, x.q) in (4..5, 6..8)", 4, 8}};
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t y = find(&w, cases[i].text, 0);
        for (int j = 0; j < ROWS; j++) {
            const int64_t number = 8 * row_of(j).b + row_of(j).q;
            assert_value(&w, cases[i].text, y, j, number >= cases[i].low && number <= cases[i].high);
        }
    }
    static const char two[] = "y = digits(8, x.k, x.q) > digits(8, x.q, x.k)";
    const uint32_t y = find(&w, two, 0);
    for (int j = 0; j < ROWS; j++) {
        assert_value(&w, two, y, j, row_of(j).k > row_of(j).q);
    }
    close_world(&w);
}

/* --- totals */

static void of_all_rows(void **state)
{
    (void)state;
    world w;
    int64_t sum = 0, selected = 0, counted = 0, dot = 0, squares = 0;
    for (int i = 0; i < ROWS; i++) {
        const row r = row_of(i);
        sum += r.p;
        dot += r.p * r.q;
        counted += r.p < r.q;
        selected += r.b && r.p < r.q ? r.q : 0;
        squares += (r.p + 1) * (r.p + 1);
    }
    const struct {
        const char *text;
        int64_t value;
    } cases[] = {{"y = sum(x.p)", sum},
                 {"y = dot(x.p, x.q)", dot},
                 {"y = count(x.p < x.q)", counted},
                 {"y = sum(x.q where x.b and x.p < x.q)", selected},
                 {"y = sum(square(x.p + 1))", squares},
                 {"y = 3*sum(x.p) - 2*dot(x.q, x.p)", 3 * sum - 2 * dot}};
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t y = find(&w, cases[i].text, 0);
        assert_value(&w, cases[i].text, y, 0, cases[i].value);
        assert_int_equal(lowered_value(&w.l, "y")->kind, HB_TYPE_TOTALS);
    }
    /* The result of adding a total to rows. */
    static const char apart[] = "y = 64*x.p - sum(x.p)";
    const uint32_t y = find(&w, apart, 0);
    for (int i = 0; i < ROWS; i++) {
        assert_value(&w, apart, y, i, 64 * row_of(i).p - sum);
    }
    close_world(&w);
}

static void what_they_do_not_take_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"y = sigmoid(x.p)", "there is no function 'sigmoid'"},
        {"y = onehot((x.p, x.q), 1..3)", "onehot takes one column, and here are 2"},
        {"y = onehot(x.p, 1:2)", "entries are for lookup"},
        {"y = rotate(1, 2)", "rotate works on encrypted values, and this is a number"},
        {"y = not x.q", "not takes conditions, which are 0 or 1, and the values here are 0 .. 7"},
        {"y = where(x.q, 1, 2)", "where takes conditions"},
        {"y = where(3, x.p, x.q)", "where takes conditions, and this is a number"},
        {"y = digits(8, x.b, x.q) + 1", "digits can only be compared"},
        {"y = digits(8, x.b, x.q) == digits(16, x.b, x.q)", "character"},
        {"y = x.p in (x.q, 2)", "in takes constants, as 1, 3, 5..9"},
        {"y = lookup(x.q, 1:x.p)", "entries, as 1:10, are of constants"},
        {"y = lookup(x.q, 0:7, 1..3:-2, 6:100)", "no entry for 3 values that the column may have (4, 5, 7)"},
        {"y = lookup(x.q, 0..6:1)", "no entry for 1 value that the column may have (7)"},
        {"y = lookup(x.q, 0..6:1, 7)(", "character"},
        {"y = lookup(x.q, 0..6:1, x.p)", "lookup takes entries"},
        {"y = lookup(x.q, 0..6:1, 2, 8:1)", "one value for all others behind them"},
        {"y = x.p / 2", "character 9"},
        {"m = mean(x.p); y = m + 1", "means are worked out when they are decrypted"},
        {"y = x.p^0", "exponent"},
    };
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lowered_refused(&w.l, cases[i].text, cases[i].part);
    }
    close_world(&w);
}

/* The same of columns in coefficients, by tables modulo 256, which is no prime: no product is there, but a comparison
 * of two columns is one with a number. */
static void tables_of_coefficients(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t (*value)(row r);
    } cases[] = {{"y = max(x.p, x.q)", maximum}, {"y = min(x.p, x.q)", minimum},
                 {"y = x.p < x.q", below},       {"y = x.p <= x.q", below_or_equal},
                 {"y = x.p == x.q", equal},      {"y = x.p != 2", unequal_to_number},
                 {"y = x.q > 4", above_number}};
    world w;
    open_world_of(&w, "int-table-test");
    w.l.operand[0].encoding = HB_ENCODE_COEFFICIENTS;
    for (size_t c = 2; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t y = find(&w, cases[c].text, 0);
        for (int i = 0; i < ROWS; i++) {
            assert_value(&w, cases[c].text, y, i, cases[c].value(row_of(i)));
        }
        for (uint32_t i = 0; i < w.v.graph->count; i++) {
            assert_int_not_equal(w.v.graph->nodes[i].op, HB_OP_MULTIPLY);
        }
    }
    for (size_t c = 0; c < 2; c++) { /* a product of a condition and a value */
        lowered_refused(&w.l, cases[c].text, "holds its values as coefficients");
    }
    close_world(&w);
}

HB_UNIT(integer_functions)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_each_row),
        cmocka_unit_test(comparisons_with_every_number),
        cmocka_unit_test(several_columns),
        cmocka_unit_test(digits_are_compared_as_numbers),
        cmocka_unit_test(of_all_rows),
        cmocka_unit_test(what_they_do_not_take_is_refused),
        cmocka_unit_test(tables_of_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
