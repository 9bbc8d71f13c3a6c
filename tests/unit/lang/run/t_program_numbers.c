/* Levels that numbers take beside products: a number goes where it takes none (lang/ir/multiples.h), and values are
 * those of the text (t_random_reals). */
#include <math.h>

#include "reals_world.h"
#include "unit/unit.h"

typedef struct level_case {
    const char *text;
    uint32_t down, products, numbers, plain;
} level_case;

static void assert_levels(world *w, const level_case *cases, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        assert_plan(w, cases[i].text);
        const uint32_t found[] = {w->params->data_limbs - w->program.outputs[0].limbs, count(w, HB_OP_MULTIPLY),
                                  count(w, HB_OP_MULTIPLY_NUMBER), count(w, HB_OP_MULTIPLY_PLAIN)};
        if (memcmp(found, &cases[i].down, sizeof found) != 0) {
            fail_msg("%s: %u levels, %u products, %u with numbers, %u with plain columns", cases[i].text, found[0],
                     found[1], found[2], found[3]);
        }
    }
}

/* A result at the level's scale takes a level for its number; all else puts the number into what is multiplied anyway.
 */
static void within_products(void **state)
{
    (void)state;
    static const level_case cases[] = {
        {"y = 0.5*x.p*x.q", 2, 1, 1, 0},
        {"y = 0.5*(x.p*x.q)", 2, 1, 1, 0},
        {"y = 2*(0.5*x.p*x.q)", 1, 1, 0, 0},
        {"y = 4*(x.p*(0.5*x.q))", 1, 1, 0, 0},
        {"y = 0.5*(0.25*x.p*x.q)", 2, 1, 1, 0},
        {"y = (0.5*x.p)*(0.25*x.q)*x.r", 2, 2, 1, 0},
        {"y = 0.5*x.p*x.q*x.r", 2, 2, 1, 0},
        {"y = (x.p*x.q)/4*x.r", 2, 2, 1, 0},
        {"y = x.r*(x.q*(0.3*x.p))", 2, 2, 1, 0},
        {"y = 0.5*x.p*x.q*x.r*x.q", 3, 3, 1, 0},
        {"y = -0.5*x.p*x.p*x.q", 2, 2, 1, 0},
        {"y = (0.5*x.p)^2*x.q", 2, 2, 1, 0},
        {"y = rotate(0.5*x.p*x.q, 1)*x.r", 2, 2, 1, 0},
        {"y = 0.5*low.q*x.p", 2, 1, 1, 0},
        {"y = x.p*(0.5*low.q)", 2, 1, 1, 0},
        {"y = 0.5*(x.p*low.q)", 2, 1, 1, 0},
        {"y = 0.5*((0.5*x.p + 0.25*x.q)*x.r)", 2, 1, 1, 0},
        {"a = 0.5*x.p*x.q; y = a*x.r", 2, 2, 1, 0},
        {"a = 0.5*x.p*x.q; b = a + 1; y = a*x.r + b", 3, 2, 2, 0}, /* a is there anyway */
    };
    world w;
    open_world(&w, "ckks-14", ROWS);
    assert_levels(&w, cases, sizeof cases / sizeof *cases);
    close_world(&w);
}

static void within_sums(void **state)
{
    (void)state;
    static const level_case cases[] = {
        {"y = (0.5*x.p*x.q + 0.25*x.r)*x.q", 2, 2, 2, 0},
        {"y = (0.5*x.p*x.q + x.r)*x.q", 2, 2, 2, 0},
        {"y = (x.r - 0.5*x.p*x.q)*x.q", 2, 2, 2, 0},
        {"y = (0.5*x.p*x.q - 1)*x.r", 2, 2, 1, 0},
        {"y = sum(0.5*x.p*x.q)", 2, 1, 1, 0},
        {"y = mean(0.5*x.p*x.q)", 2, 1, 1, 0},
        /* Sums whose products have other numbers keep them, and are relinearized once. */
        {"y = (0.5*x.p*x.q + 0.3*x.q*x.r)*x.p", 3, 3, 2, 0},
        /* The rest would be 10^4 times as large. */
        {"y = square(x.p - mean(x.q))", 2, 1, 2, 0},
    };
    world w;
    open_world(&w, "ckks-14", ROWS);
    assert_levels(&w, cases, sizeof cases / sizeof *cases);
    close_world(&w);
}

/* The columns are multiplied by the number in the clear. */
static void within_plain_columns(void **state)
{
    (void)state;
    static hb_number cells[ROWS * COLUMNS];
    static const level_case cases[] = {
        {"y = 0.5*x.p*t.q", 1, 0, 0, 1},         {"y = 0.5*(x.p*t.q)", 1, 0, 0, 1},
        {"y = t.q*(0.5*x.p)", 1, 0, 0, 1},       {"y = 0.5*(x.p*t.q + x.q*t.p)", 1, 0, 0, 2},
        {"y = 0.5*(x.p*t.q + x.r)", 2, 0, 2, 1}, {"y = 0.5*x.p*x.q*t.r", 2, 1, 0, 1},
    };
    static const level_case unknown[] = {{"y = 0.5*x.p*t.q", 2, 0, 1, 1}, {"y = 0.5*(x.p*t.q)", 2, 0, 1, 1}};
    world w;
    open_world(&w, "ckks-14", ROWS);
    assert_levels(&w, unknown, sizeof unknown / sizeof *unknown);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        cells[i].real = cos(i);
    }
    w.operand[3].cells = cells;
    assert_levels(&w, cases, sizeof cases / sizeof *cases);
    assert_plan(&w, "y = sigmoid(2*(x.p*t.p) - x.q*t.q)"); /* the interval's factor as well */
    assert_int_equal(count(&w, HB_OP_MULTIPLY_NUMBER), 0);
    close_world(&w);
}

/* A function's interval may be that of the rest; coefficients take powers of two. */
static void within_functions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t numbers, beside;
    } cases[] = {
        {"y = sigmoid(x.p*x.q)", 0, 1}, {"y = sigmoid(0.5*x.p*x.q)", 0, 1}, {"y = tanh(0.3*(x.p*x.q))", 0, 1},
        {"y = exp(-0.7*x.p)", 0, 0},    {"y = sigmoid(3*(x.p*x.q))", 0, 1},
    };
    world w;
    open_world(&w, "ckks-14", ROWS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_plan(&w, cases[i].text);
        const uint32_t levels = w.program.description.functions[0].levels,
                       down = w.params->data_limbs - w.program.outputs[0].limbs;
        if (count(&w, HB_OP_MULTIPLY_NUMBER) != cases[i].numbers || down != levels + cases[i].beside) {
            fail_msg("%s: %u levels, %u of the function", cases[i].text, down, levels);
        }
    }
    assert_plan(&w, "y = poly(0.5*x.p, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)");
    assert_int_equal(w.params->data_limbs - w.program.outputs[0].limbs, 3);
    assert_plan(&w, "y = poly(-0.25*x.p*x.q, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)");
    assert_int_equal(w.params->data_limbs - w.program.outputs[0].limbs, 4);
    assert_int_equal(count(&w, HB_OP_MULTIPLY_NUMBER), 0);
    close_world(&w);
}

HB_UNIT(program_numbers)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(within_products), cmocka_unit_test(within_sums),
                                       cmocka_unit_test(within_plain_columns), cmocka_unit_test(within_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
