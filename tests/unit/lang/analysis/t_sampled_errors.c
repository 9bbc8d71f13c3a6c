/* Proven errors of reals against errors that are put on operands, as large as their bounds allow, through plain
 * arithmetic: no result is further off than its bound, and no bound is far beyond the possible error. */
#include "lang/analysis/ciphertext_size.h"
#include "lang/analysis/data_passes.h"
#include "lang/analysis/error_analysis.h"
#include "lang/analysis/error_bits.h"
#include "lang/analysis/transfer_functions.h"
#include "reference/graph_values.h"
#include "reference/placed.h"
#include "unit/unit.h"

enum { ROWS = 48, COLUMNS = 3, X = 0, T, TRIES = 24 };

typedef struct world {
    lowered l;
    graph_values v;
    hb_facts facts;
    uint32_t y;
    bool seen[HB_OPCODES];
} world;

static uint64_t drawn = 20260509;

/* -1 .. 1 */
static long double draw(void)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (long double)(drawn >> 40) / (long double)(UINT64_C(1) << 23) - 1;
}

static void open_world(world *w)
{
    static const char *const names[] = {"p", "q", "r"};
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, "ckks-16");
    const uint32_t x = lowered_table(&w->l, "x", ROWS, true), t = lowered_table(&w->l, "t", ROWS, false);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        lowered_column(&w->l, x, names[c], (hb_meaning){0}, hb_interval_of_reals(-1, 1));
        lowered_column(&w->l, t, names[c], (hb_meaning){0}, hb_interval_of_reals(-1, 1));
    }
    w->l.operand[T].limbs = w->l.params->fresh_limbs;
}

/* Cells are random, or, for extremes, ends of their ranges. */
static void draw_cells(world *w, bool ends)
{
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (int i = 0; i < ROWS; i++) {
            const long double a = draw(), b = draw();
            w->v.cell[X][c][i] = ends ? copysignl(1, a) : a;
            w->v.cell[T][c][i] = ends ? copysignl(1, b) : b;
        }
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
    assert_int_equal(hb_facts_find_data_passes(&w->facts), HB_OK);
    if (hb_facts_find_errors(&w->facts, HB_QUALITY_EXPECTED) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
}

static void close_world(world *w)
{
    hb_facts_clear(&w->facts);
    free(w->v.node);
    lowered_close(&w->l);
}

static double bound_of(const world *w, uint32_t node)
{
    const hb_node *x = &w->v.graph->nodes[node];
    return x->shape.plain ? 0 : hb_node_error_value(w->v.graph, x, hb_node_quality(&w->facts, x).worst);
}

/* Puts an error on every row of node i: `place` of its bound, or as the draw says. */
static void disturb(world *w, uint32_t i, bool together)
{
    const long double bound = bound_of(w, i), sign = copysignl(1, draw());
    for (int row = 0; row < ROWS; row++) {
        w->v.node[i][row] += bound * (together ? sign : draw());
    }
}

/* Returns the largest error that node i has by the errors of its operands, over some tries. */
static long double largest_error(world *w, uint32_t i)
{
    const hb_node_list operands = hb_node_operands(w->v.graph, &w->v.graph->nodes[i]);
    long double(*kept)[VALUE_ROWS] = calloc(operands.count, sizeof *kept), largest = 0;
    assert_non_null(kept);
    for (uint32_t k = 0; k < operands.count; k++) {
        memcpy(kept[k], w->v.node[operands.node[k]], sizeof *kept);
    }
    for (int try = 0; try < TRIES; try++) {
        for (uint32_t k = 0; k < operands.count; k++) {
            if (k == 0 || operands.node[k] != operands.node[0]) {
                disturb(w, operands.node[k], try % 4 != 0);
            }
        }
        for (uint64_t row = 0; row < ROWS; row++) {
            const long double off = fabsl(values_step(&w->v, i, row) - w->v.node[i][row]);
            largest = off > largest ? off : largest;
        }
        for (uint32_t k = 0; k < operands.count; k++) {
            memcpy(w->v.node[operands.node[k]], kept[k], sizeof *kept);
        }
    }
    free(kept);
    return largest;
}

/* The error that an operation adds itself. */
static double own_of(world *w, uint32_t i)
{
    const hb_node *x = &w->v.graph->nodes[i];
    return hb_node_error_value(w->v.graph, x, hb_node_own_quality(&w->facts, x).worst);
}

/* Bounds of these are exactly the largest values times the largest errors, plus their own error. */
static bool is_tight(hb_opcode op)
{
    return op == HB_OP_ADD || op == HB_OP_SUBTRACT || op == HB_OP_NEGATE || op == HB_OP_MULTIPLY ||
           op == HB_OP_MULTIPLY_NUMBER || op == HB_OP_MULTIPLY_INTEGER || op == HB_OP_COMBINE || op == HB_OP_RESCALE ||
           op == HB_OP_ADD_NUMBER;
}

static void assert_bounds(world *w, const char *text)
{
    const hb_graph *g = &w->l.lowering.graph;
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        if (hb_operations[node->op].loads || !w->facts.size[i].used || node->range.steady) {
            continue; /* a stage of sign is compared with 1 and -1, not with its polynomial of its operand */
        }
        long double largest = 0;
        for (int ends = 0; ends < 2; ends++) {
            draw_cells(w, ends == 1);
            values_find(&w->v, g, ROWS);
            const long double found = largest_error(w, i);
            largest = found > largest ? found : largest;
        }
        const double bound = bound_of(w, i);
        if (!(largest <= bound * (1 + 1e-9))) {
            fail_msg("%s: node %u, a %s, is off by %Lg, and its bound is %g", text, i, hb_operations[node->op].name,
                     largest, bound);
        }
        if (is_tight(node->op) && !(bound <= 2 * ((double)largest + own_of(w, i)))) {
            fail_msg("%s: node %u, a %s, has a bound of %g, and is off by %Lg at most and %g by itself", text, i,
                     hb_operations[node->op].name, bound, largest, own_of(w, i));
        }
        w->seen[node->op] = true;
    }
}

static void bounds_hold(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "y = x.p + x.q",
        "y = x.p - x.q*x.r",
        "y = -(x.p + x.q)*3 + 1.5",
        "y = 0.5*x.p + 0.3*x.q - 2*x.r",
        "y = 0.7*x.p",
        "y = x.p^5 - x.q",
        "y = (x.p + x.q)*(x.p - x.r)*x.r",
        "y = x.p*t.q + t.r",
        "y = (x.p - t.p)^2",
        "y = sum(x.p*x.q)",
        "y = x.p - mean(x.p)",
        "y = modswitch(x.p)*x.q",
        "y = poly(x.p, 0.5, -1, 0, 2, 0, 1)",
        "y = sigmoid(4*x.p)",
        "y = x.p*exp(x.q)",
        "y = sign(x.p)",
        "y = x.p; repeat 3 { y = 1.5*y - 0.5*y^3 }",
    };
    static const hb_opcode all[] = {HB_OP_ADD,       HB_OP_SUBTRACT,   HB_OP_NEGATE,         HB_OP_MULTIPLY,
                                    HB_OP_COMBINE,   HB_OP_RESCALE,    HB_OP_MULTIPLY_PLAIN, HB_OP_ADD_NUMBER,
                                    HB_OP_ADD_PLAIN, HB_OP_POLYNOMIAL, HB_OP_SUM_SLOTS,      HB_OP_MULTIPLY_NUMBER};
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        find(&w, texts[i]);
        assert_bounds(&w, texts[i]);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!w.seen[all[i]]) {
            fail_msg("no %s was tried", hb_operations[all[i]].name);
        }
    }
    close_world(&w);
}

/* --- functions */

static long double logistic(long double x)
{
    return 1 / (1 + expl(-4 * x));
}
static long double exponential(long double x)
{
    return expl(x);
}
static long double hyperbolic(long double x)
{
    return tanhl(2 * x);
}
static long double inverse(long double x)
{
    return 1 / (x + 3);
}
static long double root(long double x)
{
    return sqrtl(x + 1.5L);
}
static long double logarithm(long double x)
{
    return logl(x + 2);
}

/* Where a function is approximated, the bound of the result includes the polynomial's error; without that error it is
 * smaller by as much. */
static void what_approximations_miss_is_in_the_bound(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long double (*value)(long double x);
    } cases[] = {{"y = sigmoid(4*x.p)", logistic}, {"y = exp(x.p)", exponential}, {"y = tanh(2*x.p)", hyperbolic},
                 {"y = inv(x.p + 3)", inverse},    {"y = sqrt(x.p + 1.5)", root}, {"y = log(x.p + 2)", logarithm}};
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long double missed = 0;
        find(&w, cases[i].text);
        for (int part = 0; part < 40; part++) {
            for (int row = 0; row < ROWS; row++) {
                w.v.cell[X][0][row] = 2 * (long double)(part * ROWS + row) / (40 * ROWS - 1) - 1;
            }
            values_find(&w.v, &w.l.lowering.graph, ROWS);
            for (int row = 0; row < ROWS; row++) {
                missed = fmaxl(missed, fabsl(w.v.node[w.y][row] - cases[i].value(w.v.cell[X][0][row])));
            }
        }
        const hb_node *y = &w.v.graph->nodes[w.y];
        const double bound = bound_of(&w, w.y);
        if (!(missed > 0 && missed <= bound && missed <= 0x1p-15L)) {
            fail_msg("%s misses %Lg, and its bound is %g", cases[i].text, missed, bound);
        }
        hb_facts ideal = w.facts;
        ideal.without_approximation = true;
        ideal.error = calloc(ideal.count, sizeof *ideal.error);
        assert_non_null(ideal.error);
        for (uint32_t k = 0; k < ideal.count; k++) {
            hb_facts_find_error(&ideal, &w.v.graph->nodes[k]);
        }
        const double without = hb_node_error_value(w.v.graph, y, hb_node_quality(&ideal, y).worst);
        assert_true(without < bound && (double)missed <= (bound - without) * (1 + 1e-6));
        free(ideal.error);
    }
    close_world(&w);
}

/* A declared range of a name narrows its expected error, and no proven one. */
static void ranges_that_are_said_bound_what_is_expected(void **state)
{
    (void)state;
    static const double widths[] = {1, 0x1p-20, 0x1p-30, 0x1p-40};
    static const char text[] = "y = 0.5*x.p*x.q*x.r";
    world w;
    open_world(&w);
    find(&w, text);
    w.v.graph = &w.l.lowering.graph;
    const double worst = bound_of(&w, w.y);
    static const hb_schema none = {.rows = ROWS};
    bool narrowed = false;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        w.l.operand[2] = (hb_operand){
            .name = "y", .schema = &none, .believed = true, .values = hb_interval_of_reals(0.25, 0.25 + widths[i])};
        w.l.tables = 3;
        find(&w, text);
        const hb_node *node = &w.l.lowering.graph.nodes[w.y];
        assert_int_equal(node->op, HB_OP_RESCALE);
        node = &w.l.lowering.graph.nodes[node->a]; /* the node with the declared range */
        const hb_quality quality = hb_node_quality(&w.facts, node);
        const double expected = hb_node_error_value(&w.l.lowering.graph, node, quality.expected);
        if (!(expected <= widths[i] * (1 + 1e-9))) {
            fail_msg("%g is expected of %g", expected, widths[i]);
        }
        narrowed = narrowed || expected >= widths[i] * (1 - 1e-9);
        assert_true(hb_node_error_value(&w.l.lowering.graph, node, quality.worst) <= worst * (1 + 1e-9));
        assert_true(hb_node_error_value(&w.l.lowering.graph, node, quality.worst) >= worst / 2);
    }
    assert_true(narrowed);
    close_world(&w);
}

static double expected_of(world *w, const char *text)
{
    find(w, text);
    const hb_graph *g = &w->l.lowering.graph;
    const hb_node *y = &g->nodes[w->y];
    return hb_node_error_value(g, y, hb_node_quality(&w->facts, y).expected);
}

/* n and w of Nesterov's gradient have nearly the same error, so 1.9*n - 0.9*w has it too. The error that a step
 * adds grows to 1 + 0.9 + 0.81 + .. times as much. Independent errors would grow by the root of 1.9^2 + 0.9^2 in each
 * step. A bit is left in hand. */
static void errors_that_cancel_do_not_grow(void **state)
{
    (void)state;
    static const char first[] = "n = mean(x.p*x.q); w = n; ", last[] = "y = n",
                      step[] = "v = 1.9*n - 0.9*w; w = n; n = v + 0.01*mean(x.p*v); ";
    enum { STEPS = 6 };
    char text[sizeof first + STEPS * sizeof step + sizeof last];
    world w;
    open_world(&w);
    const double before = expected_of(&w, "y = mean(x.p*x.q)");
    double grown = 0, squares = 1;
    for (size_t steps = 1; steps <= STEPS; steps++) {
        grown = 1 + 0.9 * grown;
        squares += grown * grown;
        size_t length = (size_t)snprintf(text, sizeof text, "%s", first);
        for (size_t i = 0; i < steps; i++) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", step);
        }
        snprintf(text + length, sizeof text - length, "%s", last);
        const double after = expected_of(&w, text);
        if (!(after > before && after <= 2 * sqrt(squares) * before)) {
            fail_msg("%zu steps: an error of %g is expected, and of the first mean %g", steps, after, before);
        }
    }
    close_world(&w);
}

HB_UNIT(sampled_errors)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold),
                                       cmocka_unit_test(what_approximations_miss_is_in_the_bound),
                                       cmocka_unit_test(ranges_that_are_said_bound_what_is_expected),
                                       cmocka_unit_test(errors_that_cancel_do_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
