/* Likely values, against the means of random rows; and the nodes that are relinearized, and the passes over the data
 * that have them, against counts by hand. */
#include "lang/analysis/ciphertext_size.h"
#include "lang/analysis/data_passes.h"
#include "lang/analysis/transfer_functions.h"
#include "reference/graph_values.h"
#include "reference/placed.h"
#include "unit/unit.h"

enum { ROWS = 64, COLUMNS = 4, DRAWS = 1000 };

typedef struct world {
    lowered l;
    graph_values v;
    hb_facts facts;
    uint32_t y;
} world;

static uint64_t drawn = 20261027;

static long double draw(long double low, long double high)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (long double)(drawn >> 32) / (long double)UINT32_MAX;
}

static const double lows[] = {-1, 0, 0.5, -2}, highs[] = {1, 1, 1.5, 0};

static void open_world(world *w, const char *preset, uint64_t rows)
{
    static const char *const names[] = {"p", "q", "r", "s"};
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, preset);
    const uint32_t x = lowered_table(&w->l, "x", rows, true);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        lowered_column(&w->l, x, names[c], (hb_meaning){0},
                       w->l.params->spec.scheme == HB_CKKS ? hb_interval_of_reals(lows[c], highs[c])
                                                           : hb_interval_of(0, 3));
    }
}

static void find(world *w, const char *text)
{
    lowered_works(&w->l, text);
    w->y = placed_node(&w->l, "y", 0);
    hb_facts_clear(&w->facts);
    assert_int_equal(hb_facts_init(&w->facts, &w->l.lowering.graph), HB_OK);
    hb_facts_need(&w->facts, &w->y, 1);
    hb_facts_find_sizes(&w->facts);
}

static void close_world(world *w)
{
    hb_facts_clear(&w->facts);
    free(w->v.node);
    lowered_close(&w->l);
}

/* --- moments */

typedef struct means {
    long double mean, square, largest;
} means;

/* Sampled over DRAWS tables. */
static means *sample(world *w)
{
    const hb_graph *g = &w->l.lowering.graph;
    means *all = calloc(g->count, sizeof *all);
    assert_non_null(all);
    for (int i = 0; i < DRAWS; i++) {
        for (uint32_t c = 0; c < COLUMNS; c++) {
            for (int row = 0; row < ROWS; row++) {
                w->v.cell[0][c][row] = draw(lows[c], highs[c]);
            }
        }
        values_find(&w->v, g, ROWS);
        for (uint32_t k = 0; k < g->count; k++) {
            for (int row = 0; row < ROWS; row++) {
                const long double value = w->v.node[k][row];
                all[k].mean += value / (ROWS * DRAWS);
                all[k].square += value * value / (ROWS * DRAWS);
                all[k].largest = fmaxl(all[k].largest, fabsl(value));
            }
        }
    }
    return all;
}

static void moments_are_means(void **state)
{
    (void)state;
    /* Columns are independent: each stands only once in a product or a sum. */
    static const char *const texts[] = {
        "y = x.p + x.q",          "y = x.p - x.q*x.r",         "y = 3*x.p - 0.5*x.s + 0.25",
        "y = x.p*x.q*x.r*x.s",    "y = -(x.q + x.r)*x.s",      "y = x.q^2",
        "y = x.p^2*x.q",          "y = (x.p + 0.5)*x.r - x.s", "y = sum(x.r)",
        "y = x.p*sum(x.r) + x.q", "y = mean(x.s)*x.q",         "y = -(0.3*x.p)"};
    world w;
    open_world(&w, "ckks-16", ROWS);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        find(&w, texts[i]);
        for (uint32_t k = 0; k < w.facts.count; k++) { /* the whole analysis follows slots, which raise them */
            hb_facts_find_error(&w.facts, &w.l.lowering.graph.nodes[k]);
        }
        means *all = sample(&w);
        for (uint32_t k = 0; k < w.v.graph->count; k++) {
            const hb_node *node = &w.v.graph->nodes[k];
            if (!w.facts.size[k].used || node->shape.plain || hb_operations[node->op].loads) {
                continue;
            }
            const hb_moments m = hb_facts_error(&w.facts, node)->moments;
            const double root = sqrt((double)all[k].square);
            if (!(fabs(m.mean - (double)all[k].mean) <= 0.03 * root && fabs(sqrt(m.square) - root) <= 0.03 * root)) {
                fail_msg("%s: node %u, a %s: %g and %g, sampled %Lg and %Lg", texts[i], k, hb_operations[node->op].name,
                         m.mean, m.square, all[k].mean, all[k].square);
            }
            assert_true(m.peak >= root * 0.99);
            assert_true(m.common <= m.square * (1 + 1e-9));
        }
        free(all);
    }
    close_world(&w);
}

/* --- sizes */

static uint32_t relinearized(const world *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->facts.count; i++) {
        const hb_node *node = &w->l.lowering.graph.nodes[i];
        count += w->facts.size[i].used && hb_node_relinearizes(&w->facts, node);
    }
    return count;
}

static uint32_t products(const world *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->facts.count; i++) {
        count += w->facts.size[i].used && w->l.lowering.graph.nodes[i].op == HB_OP_MULTIPLY;
    }
    return count;
}

/* Products are relinearized once, and products that are only added up, once for all of them. */
static void relinearizations_are_as_few_as_counted(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t products, relinearized;
    } cases[] = {
        {"y = x.p + x.q", 0, 0},
        {"y = x.p*x.q", 1, 1},
        {"y = x.p*x.q + x.r*x.s", 2, 1},
        {"y = x.p*x.q + x.r*x.s - 3*x.p*x.r", 3, 1},
        {"y = x.p*x.q + x.r", 1, 1},
        {"y = sum(x.p*x.q)", 1, 1},
        {"y = sum(x.p*x.q) + sum(x.r*x.s)", 2, 2}, /* a sum of slots rotates */
        {"y = (x.p*x.q + x.r*x.s)*x.p", 3, 2},
        {"y = (x.p*x.q)*(x.r*x.s)", 3, 3},
        {"s = x.p*x.q; y = s*x.r + s*x.s", 3, 2}, /* a factor of both */
        {"y = rotate(x.p*x.q, 1)", 1, 1},
        {"y = rotate(x.p*x.q + x.r^2, 1) + x.p*x.s", 3, 2},
        {"y = modswitch(x.p*x.q)", 1, 1},
        {"y = -(x.p*x.q)*5", 1, 1},
        {"y = x.p^4", 2, 2},
    };
    static const char *const presets[] = {"bfv-8192", "ckks-16"};
    for (int i = 0; i < 2; i++) {
        world w;
        open_world(&w, presets[i], 1000);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            find(&w, cases[k].text);
            const bool reals = i == 1;
            if ((!reals && products(&w) != cases[k].products) || relinearized(&w) > cases[k].relinearized ||
                (relinearized(&w) == 0) != (cases[k].relinearized == 0)) {
                fail_msg("%s: %u products and %u relinearizations", cases[k].text, products(&w), relinearized(&w));
            }
            assert_int_equal(w.facts.size[w.y].size, 2);
        }
        close_world(&w);
    }
}

/* --- passes */

static void each_sum_in_rows_is_a_pass(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t passes;
    } cases[] = {
        {"y = x.p*x.q", 1},
        {"y = sum(x.p)", 1},
        {"y = sum(x.p) + sum(x.q*x.q)", 1}, /* totals of one pass */
        {"y = x.p - sum(x.p)", 2},
        {"y = sum(x.p) - x.p", 2}, /* in every order */
        {"y = sum(x.q)*x.p + x.r", 2},
        {"y = sum(x.p - sum(x.p))", 2},
        {"a = x.p - sum(x.p); b = a*a - sum(a*a); y = b", 3},
        {"y = x.p - sum(x.q*sum(x.r*sum(x.s)))", 4},
        {"y = (x.p - sum(x.p))*(x.q - sum(x.q))", 2}, /* side by side */
        {"y = sum(x.p)*sum(x.q)", 1},
        {"y = x.p; repeat 5 { y = y + sum(y) }", 6},
        {"a = sum(x.p - sum(x.p)); y = x.q", 1}, /* a is no result */
    };
    world w;
    open_world(&w, "bfv-8192", 1000);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lowered_works(&w.l, cases[k].text);
        const hb_value *y = lowered_value(&w.l, "y");
        if (y->whole != NULL || y->columns == 0) {
            fail_msg("%s: y is no column", cases[k].text);
        }
        find(&w, cases[k].text);
        assert_int_equal(hb_facts_find_data_passes(&w.facts), HB_OK);
        if (w.facts.passes != cases[k].passes) {
            fail_msg("%s: %u passes", cases[k].text, w.facts.passes);
        }
        for (uint32_t i = 0; i < w.facts.count; i++) { /* results of a pass are taken in the next */
            const hb_graph *g = &w.l.lowering.graph;
            const hb_node_list operands = hb_node_operands(g, &g->nodes[i]);
            for (uint32_t j = 0; j < operands.count; j++) {
                const bool waits = g->nodes[operands.node[j]].shape.total && !g->nodes[i].shape.total;
                assert_true(w.facts.size[i].pass >= w.facts.size[operands.node[j]].pass + waits);
            }
        }
    }
    find(&w, "y = x.p; repeat 99 { y = y + sum(y) }");
    assert_int_equal(hb_facts_find_data_passes(&w.facts), HB_OK);
    assert_int_equal(w.facts.passes, HB_MAX_DATA_PASSES);
    find(&w, "y = x.p; repeat 100 { y = y + sum(y) }");
    assert_int_equal(hb_facts_find_data_passes(&w.facts), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "more than 100 passes"));
    close_world(&w);
}

HB_UNIT(moments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moments_are_means),
                                       cmocka_unit_test(relinearizations_are_as_few_as_counted),
                                       cmocka_unit_test(each_sum_in_rows_is_a_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
