/* Sums of products with numbers as linear combinations, and factors that move down into nodes that absorb them: the
 * result is the same linear form, each term once, and takes no needless level. */
#include "lang/ir/scale_folding.h"
#include "reference/graph_values.h"
#include "unit/unit.h"

enum { ROWS = 16, COLUMNS = 3, RANDOM = 300 };

typedef struct world {
    lowered l;
    graph_values v;
} world;

static uint64_t drawn = 20260711;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(drawn >> 33) % below;
}

static void open_world(world *w)
{
    static const char *const names[] = {"p", "q", "r"};
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, "ckks-16");
    const uint32_t x = lowered_table(&w->l, "x", ROWS, true);
    for (int c = 0; c < COLUMNS; c++) {
        lowered_column(&w->l, x, names[c], (hb_meaning){0}, hb_interval_of_reals(-1, 1));
        for (int i = 0; i < ROWS; i++) {
            w->v.cell[x][c][i] = (long double)draw(2001) / 1000 - 1;
        }
    }
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

/* numbers[0 .. COLUMNS) of the columns, and a constant. */
typedef struct form {
    double numbers[COLUMNS + 1];
} form;

static void assert_form(world *w, const char *text, uint32_t node, const form *f)
{
    for (int row = 0; row < ROWS; row++) {
        long double sum = f->numbers[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
            sum += (long double)f->numbers[c] * w->v.cell[0][c][row];
        }
        if (!(fabsl(w->v.node[node][row] - sum) <= 1e-13L * (1 + fabsl(sum)))) {
            fail_msg("%s, row %d: %Lg, and %Lg is right", text, row, w->v.node[node][row], sum);
        }
    }
}

/* A node stands once in each combination. */
static void assert_terms_once(const hb_graph *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->nodes[i].op != HB_OP_COMBINE) {
            continue;
        }
        const hb_combination_terms terms = hb_node_combination(g, &g->nodes[i]);
        for (uint32_t a = 0; a < terms.count; a++) {
            for (uint32_t b = 0; b < a; b++) {
                assert_int_not_equal(g->combinations.term_nodes[terms.first + a],
                                     g->combinations.term_nodes[terms.first + b]);
            }
        }
    }
}

/* Levels that a node will be below its columns, at rest. */
static uint32_t levels_of(const world *w, uint32_t node)
{
    const hb_graph *g = &w->l.lowering.graph;
    return (w->l.params->fresh_limbs - hb_node_rest_limbs(g, node)) / hb_graph_level_limbs(g);
}

static void sums_are_collected(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        form f;
        uint32_t levels;
    } cases[] = {
        {"y = 0.5*x.p + 2*x.q - x.r", {{0.5, 2, -1, 0}}, 1},
        {"y = 0.5*(x.p + 0.5*(x.q - x.r)) + 0.25*x.r", {{0.5, 0.25, 0, 0}}, 1},
        {"y = 0.5*x.p + 0.25*x.p + 0.125*x.p", {{0.875, 0, 0, 0}}, 1},
        {"y = 0.3*(x.p - x.q) - 0.3*(x.p + x.q)", {{0, -0.6, 0, 0}}, 1},
        {"y = 2*x.p - 3*x.q + 1", {{2, -3, 0, 1}}, 0},
        {"y = -(0.1*x.p + 0.2) + 0.7", {{-0.1, 0, 0, 0.5}}, 1},
        {"s = 0.5*x.p + 0.5*x.q; t = 0.5*s - 0.25*x.p; y = t + x.r", {{0, 0.25, 1, 0}}, 1},
        {"y = x.p; repeat 4 { y = 0.5*y + x.q }", {{0.0625, 1.875, 0, 0}}, 1},
    };
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lowered_works(&w.l, cases[i].text);
        const uint32_t y = lowered_node(&w.l, "y", 0);
        values_find(&w.v, &w.l.lowering.graph, ROWS);
        assert_form(&w, cases[i].text, y, &cases[i].f);
        assert_terms_once(w.v.graph);
        if (levels_of(&w, y) > cases[i].levels) {
            fail_msg("%s takes %u levels, %u are enough", cases[i].text, levels_of(&w, y), cases[i].levels);
        }
    }
    close_world(&w);
}

/* A random linear expression and its form. */
static void draw_form(int depth, char *out, size_t size, form *f)
{
    static const char *const names[] = {"x.p", "x.q", "x.r"};
    static const double numbers[] = {0.5, -1.25, 2, 3, 0.1};
    static const char *const texts[] = {"0.5", "-1.25", "2", "3", "0.1"};
    char a[512], b[512];
    form left, right;
    memset(f, 0, sizeof *f);
    if (depth == 0) {
        const uint32_t c = draw(COLUMNS);
        f->numbers[c] = 1;
        snprintf(out, size, "%s", names[c]);
        return;
    }
    draw_form(depth - 1, a, sizeof a, &left);
    draw_form(depth - 1, b, sizeof b, &right);
    const uint32_t kind = draw(6) % 4, k = draw(5); /* differences are rarer: many cancel */
    const double number = kind == 2 ? numbers[k] : 1, sign = kind == 3 ? -1 : 1;
    const int length = kind == 2 ? snprintf(out, size, "(%s*%s + %s)", texts[k], a, b)
                                 : snprintf(out, size, "(%s %c %s)", a, kind == 3 ? '-' : '+', b);
    assert_true(length > 0 && (size_t)length < size);
    for (int c = 0; c <= COLUMNS; c++) {
        f->numbers[c] = number * left.numbers[c] + sign * right.numbers[c];
    }
}

static void random_sums_are_collected(void **state)
{
    (void)state;
    world w;
    uint32_t made = 0, combined = 0;
    open_world(&w);
    for (int i = 0; i < RANDOM; i++) {
        char text[600], tree[580];
        form f;
        draw_form(4, tree, sizeof tree, &f);
        snprintf(text, sizeof text, "y = %s", tree);
        lowered_works(&w.l, text);
        if (lowered_value(&w.l, "y")->whole != NULL) {
            continue;
        }
        const uint32_t y = lowered_node(&w.l, "y", 0);
        values_find(&w.v, &w.l.lowering.graph, ROWS);
        assert_form(&w, text, y, &f);
        assert_terms_once(w.v.graph);
        assert_true(hb_node_is_known(w.v.graph, y) ||
                    levels_of(&w, y) <= 1); /* a linear form is one product with numbers */
        combined += w.v.graph->combinations.count > 0;
        made++;
    }
    assert_true(made > RANDOM / 3 && combined > RANDOM / 10);
    close_world(&w);
}

/* A factor of a node with numbers takes no level; of another node it takes one unless it is whole. */
static void factors_fold(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool folds;
    } cases[] = {
        {"y = 0.5*x.p", true},
        {"y = x.p + 0*x.q + x.r", false},
        {"y = 0.5*x.p - 0.25*x.q", true},
        {"y = -(0.5*x.p)", true},
        {"y = 0.5*x.p + 1", true},
        {"y = x.p*x.q", false},
        {"y = (0.5*x.p + 0.1*x.q)*x.r", true},
        {"y = x.r*(0.5*x.p + 0.1*x.q) + 0.5*x.r*x.p", true},
        {"y = x.p^2", false},
        {"y = sum(0.5*x.p)", true},
        {"y = sum(x.p)", false},
    };
    static const double factors[] = {0.37, -2.5, 1e-3}, offsets[] = {0, 0.75};
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strstr(cases[i].text, "0*x.q") != NULL) {
            lowered_works(&w.l, "y = x.p + x.r");
        } else {
            lowered_works(&w.l, cases[i].text);
        }
        hb_graph *g = &w.l.lowering.graph;
        const uint32_t y = lowered_node(&w.l, "y", 0);
        if (g->nodes[y].shape.scale_folds != cases[i].folds) {
            fail_msg("%s: a factor %s a level", cases[i].text, cases[i].folds ? "takes" : "takes no");
        }
        for (size_t f = 0; f < 6; f++) {
            const double factor = factors[f % 3], offset = offsets[f / 3];
            uint32_t out;
            g->position.item = &w.l.syntax.items[0];
            assert_int_equal(hb_graph_affine(g, y, factor, offset, &out), HB_OK);
            assert_int_equal(hb_graph_gather(g, out, &out), HB_OK);
            values_find(&w.v, g, ROWS);
            for (int row = 0; row < ROWS; row++) {
                const long double right = factor * w.v.node[y][row] + offset;
                assert_true(fabsl(w.v.node[out][row] - right) <= 1e-12L * (1 + fabsl(right)));
            }
            assert_int_equal(levels_of(&w, out), levels_of(&w, y) + !cases[i].folds);
        }
    }
    close_world(&w);
}

HB_UNIT(linear)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_collected),
                                       cmocka_unit_test(random_sums_are_collected), cmocka_unit_test(factors_fold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
