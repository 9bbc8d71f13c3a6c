/* Matrices within a sample, and softmax and layernorm of their rows: the values that graphs come to, against loops over
 * entries, and the types that do not match. */
#include "reference/graph_values.h"
#include "unit/unit.h"

/* A table a of 12 columns, values of which lie in -1 .. 1, or of integers in -9 .. 9. */
enum { ROWS = 16, ENTRIES = 12 };

typedef struct world {
    lowered l;
    graph_values v;
} world;

static void open_world(world *w, const char *preset, double most)
{
    static const char *const names[ENTRIES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    memset(w, 0, sizeof *w);
    lowered_open(&w->l, preset);
    const uint32_t x = lowered_table(&w->l, "x", ROWS, true);
    const bool reals = most <= 1;
    for (uint32_t c = 0; c < ENTRIES; c++) {
        lowered_column(&w->l, x, names[c], (hb_meaning){0},
                       reals ? hb_interval_of_reals(-most, most) : hb_interval_of(-9, 9));
        for (int i = 0; i < ROWS; i++) {
            const int drawn = (i * 31 + (int)c * 17 + i * (int)c * 7) % 19 - 9;
            w->v.cell[x][c][i] = reals ? most * drawn / 9 : drawn;
        }
    }
}

static void close_world(world *w)
{
    free(w->v.node);
    lowered_close(&w->l);
}

static long double entry(const world *w, int sample, uint32_t i)
{
    return w->v.cell[0][i][sample];
}

/* Entry i of y in a sample, of the text that was lowered last. */
static long double result(world *w, uint32_t i, int sample)
{
    return w->v.node[lowered_node(&w->l, "y", i)][sample];
}

static void find(world *w, const char *text)
{
    lowered_works(&w->l, text);
    values_find_modulo(&w->v, &w->l.lowering.graph, ROWS, 0);
}

static void products_are_those_of_entries(void **state)
{
    (void)state;
    world w;
    open_world(&w, "bfv-8192", 9);
    find(&w, "y = matrix(x, 4, 3) @ transpose(matrix(x, 4, 3))");
    for (int s = 0; s < ROWS; s++) {
        for (uint32_t i = 0; i < 4; i++) {
            for (uint32_t j = 0; j < 4; j++) {
                long double sum = 0;
                for (uint32_t k = 0; k < 3; k++) {
                    sum += entry(&w, s, 3 * i + k) * entry(&w, s, 3 * j + k);
                }
                assert_true(result(&w, 4 * i + j, s) == sum);
            }
        }
    }
    find(&w, "y = transpose(matrix(x, 2, 6)) + x.a");
    for (uint32_t i = 0; i < ENTRIES; i++) {
        assert_true(result(&w, i, 3) == entry(&w, 3, i % 2 * 6 + i / 2) + entry(&w, 3, 0));
    }
    find(&w, "y = matrix(x, 1, 12) @ x");
    long double square = 0;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        square += entry(&w, 5, i) * entry(&w, 5, i);
    }
    assert_true(result(&w, 0, 5) == square);
    close_world(&w);
}

static void shapes_that_do_not_match_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"y = matrix(x, 4, 3) @ matrix(x, 4, 3)", "a matrix of 4 x 3 times one of 4 x 3"},
        {"y = matrix(x, 4, 3) @ x", "a matrix of 4 x 3 times a vector of 12 x 1"},
        {"y = matrix(x, 4, 3) - matrix(x, 3, 4)", "a matrix of 4 x 3 and one of 3 x 4"},
        {"y = where(x.a > 0, matrix(x, 4, 3), matrix(x, 2, 6))", "a matrix of 4 x 3 and one of 2 x 6"},
        {"y = matrix(x, 5, 2)", "a matrix of 5 x 2 stands in 10 columns, row by row, and here are 12"},
        {"y = transpose(square(matrix(x, 4, 3))) @ square(x) + matrix(x, 4, 3)", "a vector of 12 x 1"},
        {"y = x @ matrix(x, 12, 1)", "its rows are weights"},
    };
    world w;
    open_world(&w, "bfv-8192", 9);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        lowered_refused(&w.l, cases[c].text, cases[c].part);
    }
    close_world(&w);
}

static void rows_of_matrices_are_groups(void **state)
{
    (void)state;
    world w;
    open_world(&w, "ckks-16", 1);
    find(&w, "y = softmax(matrix(x, 3, 4))");
    for (int s = 0; s < ROWS; s++) {
        for (uint32_t i = 0; i < ENTRIES; i++) {
            long double sum = 0;
            for (uint32_t j = 0; j < 4; j++) {
                sum += expl(entry(&w, s, i / 4 * 4 + j));
            }
            assert_true(fabsl(result(&w, i, s) - expl(entry(&w, s, i)) / sum) < 0x1p-14);
        }
    }
    find(&w, "y = layernorm(matrix(x, 3, 4), 0.05, 1, 0.01)");
    for (int s = 0; s < ROWS; s++) {
        for (uint32_t i = 0; i < ENTRIES; i++) {
            long double mean = 0, squares = 0;
            for (uint32_t j = 0; j < 4; j++) {
                mean += entry(&w, s, i / 4 * 4 + j) / 4;
            }
            for (uint32_t j = 0; j < 4; j++) {
                squares += powl(entry(&w, s, i / 4 * 4 + j) - mean, 2) / 4;
            }
            if (squares >= 0.05L) { /* as it is said to be */
                assert_true(fabsl(result(&w, i, s) - (entry(&w, s, i) - mean) / sqrtl(squares + 0.01L)) < 0x1p-14);
            }
        }
    }
    close_world(&w);
}

HB_UNIT(matrices)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_entries),
        cmocka_unit_test(shapes_that_do_not_match_are_refused),
        cmocka_unit_test(rows_of_matrices_are_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
