/* Facts about the nodes of a graph, at every value of their columns: no value leaves its range, and a node that counts
 * as a polynomial or a power of another one equals it. Expressions are random ones and a list. */
#include "reference/graph_values.h"
#include "unit/unit.h"

enum { SIDE = 8, ROWS = SIDE * SIDE, RANDOM = 300 };

typedef struct world {
    lowered l;
    graph_values v;
    bool reals;
} world;

/* p and q; their values are set by set_ranges. */
static void open_world(world *w, bool reals)
{
    memset(w, 0, sizeof *w);
    w->reals = reals;
    lowered_open(&w->l, reals ? "ckks-16" : "bfv-8192");
    const uint32_t x = lowered_table(&w->l, "x", ROWS, true);
    lowered_column(&w->l, x, "p", (hb_meaning){0}, hb_interval_of(0, 1));
    lowered_column(&w->l, x, "q", (hb_meaning){0}, hb_interval_of(0, 1));
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

/* Rows are all pairs of SIDE values from the ends of both on. */
static void set_ranges(world *w, const double low[2], const double high[2])
{
    for (int c = 0; c < 2; c++) {
        w->l.range[0][c] =
            w->reals ? hb_interval_of_reals(low[c], high[c]) : hb_interval_of((int64_t)low[c], (int64_t)high[c]);
        for (int i = 0; i < ROWS; i++) {
            const int place = c == 0 ? i % SIDE : i / SIDE;
            w->v.cell[0][c][i] = low[c] + (long double)(high[c] - low[c]) * place / (SIDE - 1);
        }
    }
}

/* The difference by rounding between doubles and long doubles. */
static long double slack(const world *w, long double x)
{
    return w->reals ? 1e-12L * (1 + fabsl(x)) : 0;
}

static void assert_within_range(const world *w, const char *text, uint32_t node, uint64_t row)
{
    const hb_node *x = &w->v.graph->nodes[node];
    const hb_interval range = hb_interval_to_reals(x->range.interval);
    const long double value = w->v.node[node][row], off = slack(w, value);
    if (range.known && !(value >= (long double)range.low - off && value <= (long double)range.high + off)) {
        fail_msg("%s: node %u, a %s, is %Lg in row %d, and its range %g .. %g", text, node, hb_operations[x->op].name,
                 value, (int)row, range.low, range.high);
    }
    assert_true(fabsl(value) <= (long double)x->range.magnitude + off);
}

/* A node is said to be each of its polynomials, of nodes before it: coefficients lie between bounds. */
static void assert_polynomials(const world *w, const char *text, uint32_t node, uint64_t row)
{
    const hb_graph *g = w->v.graph;
    const hb_node_form *form = &g->nodes[node].form;
    const long double value = w->v.node[node][row];
    for (uint32_t i = 0; i < form->symbolic_count; i++) {
        const hb_symbolic_polynomial *p = &g->symbolic.list[form->symbolic + i];
        const long double x = w->v.node[p->base][row];
        long double low = 0, high = 0, power = 1, size = 0;
        assert_true(p->base < node && p->degree <= HB_SYMBOLIC_DEGREE);
        for (uint32_t k = 0; k <= p->degree; k++, power *= x) {
            low += (power < 0 ? p->c[k].high : p->c[k].low) * power;
            high += (power < 0 ? p->c[k].low : p->c[k].high) * power;
            size += fabsl(p->c[k].high * power);
        }
        const long double off = slack(w, size);
        if (!(value >= low - off && value <= high + off)) {
            fail_msg("%s: node %u is %Lg in row %d, and its polynomial of node %u %Lg .. %Lg", text, node, value,
                     (int)row, p->base, low, high);
        }
    }
    if (form->exponent > 0) {
        long double power = 1;
        for (uint32_t k = 0; k < form->exponent; k++) {
            power *= w->v.node[form->root][row];
        }
        assert_true(fabsl(power - value) <= slack(w, power));
    }
}

static void assert_nodes(world *w, const char *text)
{
    values_find_modulo(&w->v, &w->l.lowering.graph, ROWS, 0);
    for (uint32_t i = 0; i < w->v.graph->count; i++) {
        if (w->v.graph->nodes[i].shape.plain) {
            continue;
        }
        for (uint64_t row = 0; row < ROWS; row++) {
            assert_within_range(w, text, i, row);
            assert_polynomials(w, text, i, row);
        }
    }
}

static const double lows[][2] = {{0, 0}, {-3, 2}, {-7, -5}, {-1, -9}}, highs[][2] = {{7, 7}, {4, 9}, {0, 2}, {6, -2}};

static void of_a_list(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "y = x.p*x.p - x.p",
        "y = (x.p + x.q)^2 - (x.p - x.q)^2",
        "y = x.p^3 - 2*x.p^2 + x.q",
        "y = (x.p - 1)*(x.p - 1)*(x.p - 1)",
        "y = poly(x.p, 1, 0, -3, 1)*x.q",
        "y = sum(x.p*x.q) - x.p",
        "y = x.q - sum(x.p)*x.q",
        "y = -(x.p^5) + 3",
        "y = x.p; repeat 3 { y = 2*y - x.q }",
        "s = x.p + x.q; y = s*s - s*x.p",
        "y = rowsum((x.p, x.q, 3*x.p))*x.q",
        "y = x.p*(x.q + 7*x.p - x.q)",
    };
    for (int reals = 0; reals < 2; reals++) {
        world w;
        open_world(&w, reals);
        for (size_t r = 0; r < sizeof lows / sizeof *lows; r++) {
            set_ranges(&w, lows[r], highs[r]);
            for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
                lowered_works(&w.l, texts[i]);
                assert_nodes(&w, texts[i]);
            }
        }
        close_world(&w);
    }
}

static uint64_t drawn = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    return (uint32_t)(drawn >> 33) % below;
}

/* An expression of p and q; `out` has room for 5 * 3^depth characters and more. */
static void draw_text(int depth, char *out, size_t size)
{
    static const char *const leaves[] = {"x.p", "x.q", "x.p", "2", "3", "x.q"};
    char a[256], b[256];
    const uint32_t kind = depth == 0 ? 0 : draw(7);
    if (kind == 0) {
        snprintf(out, size, "%s", leaves[draw(6)]);
        return;
    }
    draw_text(depth - 1, a, sizeof a);
    draw_text(depth - 1, b, sizeof b);
    const int length = kind == 6 ? snprintf(out, size, "(%s)^%u", a, 2 + draw(2))
                                 : snprintf(out, size, "(%s %c %s)", a, "+-*+-"[kind - 1], b);
    assert_true(length > 0 && (size_t)length < size);
}

static void of_random_ones(void **state)
{
    (void)state;
    for (int reals = 0; reals < 2; reals++) {
        uint32_t made = 0;
        world w;
        open_world(&w, reals);
        for (int i = 0; i < RANDOM; i++) {
            char text[256], tree[240];
            draw_text(3, tree, sizeof tree);
            snprintf(text, sizeof text, "y = %s", tree);
            set_ranges(&w, lows[i % 4], highs[i % 4]);
            if (strstr(text, "x.") == NULL || lowered_text(&w.l, text) != HB_OK) {
                continue; /* nothing is encrypted, or the result is public */
            }
            assert_nodes(&w, text);
            made++;
        }
        assert_true(made > RANDOM / 2);
        close_world(&w);
    }
}

/* Polynomials of one value reach the ends of their ranges, unless the real polynomial turns between two whole
 * numbers. */
static void ends_are_met(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t low, high, least, most;
    } cases[] = {
        {"y = x.p*x.p - x.p", 0, 1, 0, 0},        {"y = x.p*x.p - x.p", -3, 4, 0, 12},
        {"y = x.p^3 - x.p", -2, 2, -6, 6},        {"y = (x.p - 2)^2", 0, 7, 0, 25},
        {"y = x.p^2*x.p^2", -3, 2, 0, 81},        {"y = 4*x.p - x.p^2", 0, 5, -5, 4},
        {"y = (x.p + 1)^3", -4, 1, -27, 8},       {"y = x.p^3 - 3*x.p^2", -1, 3, -4, 0},
        {"s = x.p^2; y = s*s - s", -2, 2, 0, 12}, {"y = 3*(x.p - 1) - 2*x.p", -5, 5, -8, 2},
        {"y = -(x.p^2)", -3, 1, -9, 0},           {"y = 0 - x.p*x.p*x.p", 1, 2, -8, -1},
    };
    world w;
    open_world(&w, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double low[] = {(double)cases[i].low, 0}, high[] = {(double)cases[i].high, 1};
        set_ranges(&w, low, high);
        lowered_works(&w.l, cases[i].text);
        const hb_interval range = w.l.lowering.graph.nodes[lowered_node(&w.l, "y", 0)].range.interval;
        if (range.least != cases[i].least || range.most != cases[i].most) {
            fail_msg("%s of %lld .. %lld: %lld .. %lld", cases[i].text, (long long)cases[i].low,
                     (long long)cases[i].high, (long long)range.least, (long long)range.most);
        }
    }
    close_world(&w);
}

HB_UNIT(node_ranges)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_list), cmocka_unit_test(of_random_ones),
                                       cmocka_unit_test(ends_are_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
