/* Plans of expressions on complex values and pairs: which results are real, complex or pairs, ranges as moduli, levels,
 * keys of conjugation, and refusals. */
#include <math.h>

#include "program_fixture.h"
#include "scheme/slots.h"
#include "table/real_text.h"
#include "unit/unit.h"

enum { ROWS = 10000, COLUMNS = 4 };

/* A table of a real column r, a complex one z, a pair p and another pair q of other columns. */
typedef struct world {
    hb_params *params;
    hb_schema schema;
    hb_column column[COLUMNS];
    hb_operand operand;
    hb_program program;
} world;

static void open_world(world *w, const char *preset)
{
    static char names[COLUMNS][2] = {"r", "z", "p", "q"};
    static char parts[4][2] = {"a", "b", "c", "d"};
    static const hb_halves halves[COLUMNS] = {HB_HALVES_REAL, HB_HALVES_COMPLEX, HB_HALVES_PAIR, HB_HALVES_PAIR};
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    for (int c = 0; c < COLUMNS; c++) {
        w->column[c] = (hb_column){.name = names[c], .cells = HB_CELL_REAL, .halves = halves[c]};
        for (int h = 0; h < 2 && c >= 2; h++) {
            w->column[c].part[h] = parts[2 * (c - 2) + h];
        }
    }
    w->schema =
        (hb_schema){.rows = ROWS, .columns = COLUMNS, .rank = 2, .width = 8, .named = true, .column = w->column};
    w->operand = (hb_operand){.name = "t",
                              .schema = &w->schema,
                              .encrypted = true,
                              .limbs = w->params->data_limbs,
                              .quality = hb_quality_fresh(w->params, true, HB_BINOMIAL),
                              .ranged = true,
                              .values = hb_interval_of_reals(-1, 2)};
}

static void close_world(world *w)
{
    hb_program_clear(&w->program);
    hb_params_close(w->params);
}

static hb_status compile_y(world *w, const char *text)
{
    static const char *const outputs[] = {"y"};
    const hb_program_source source = {.text = text,
                                      .params = w->params,
                                      .operands = &w->operand,
                                      .operand_count = 1,
                                      .outputs = outputs,
                                      .output_count = 1,
                                      .trust = HB_QUALITY_WORST};
    hb_program_clear(&w->program);
    return hb_program_compile_with_hint(&w->program, &source);
}

typedef struct kind_case {
    const char *text;
    hb_halves halves;
    double low, high;
    uint32_t down, conjugations, turns;
} kind_case;

static void assert_kind(world *w, const kind_case *c)
{
    if (compile_y(w, c->text) != HB_OK) {
        fail_msg("%s: %s", c->text, hb_last_error()->text);
    }
    const hb_output *output = &w->program.outputs[0];
    const hb_column *column = &output->schema.column[0];
    const double low = hb_real_of(column->least), high = hb_real_of(column->most);
    const uint32_t found[] = {w->params->data_limbs - output->limbs, count_of(&w->program, HB_OP_CONJUGATE),
                              count_of(&w->program, HB_OP_TIMES_I)};
    const bool near = fabs(low - c->low) < 1e-9 && fabs(high - c->high) < 1e-9;
    if (!column->ranged || !near || column->halves != c->halves || low > c->low || high < c->high ||
        memcmp(found, &c->down, sizeof found) != 0) {
        fail_msg("%s: kind %d, %.17g .. %.17g, %u levels, %u conjugations, %u times i", c->text, (int)column->halves,
                 low, high, found[0], found[1], found[2]);
    }
    assert_int_equal(column->part[0] != NULL, column->halves == HB_HALVES_PAIR);
    if (column->halves == HB_HALVES_PAIR) {
        assert_string_equal(column->part[0], "a");
        assert_string_equal(column->part[1], "b");
    }
}

/* Results have their kind, range, levels, conjugations and products with i. The range of r is -1..2; moduli of all
 * others are at most 2. */
static void kinds(void **state)
{
    (void)state;
    static const kind_case cases[] = {
        {"y = t.r", HB_HALVES_REAL, -1, 2, 0, 0, 0},
        {"y = t.z", HB_HALVES_COMPLEX, -2, 2, 0, 0, 0},
        {"y = t.z + t.r", HB_HALVES_COMPLEX, -4, 4, 0, 0, 0},
        {"y = t.z*t.r", HB_HALVES_COMPLEX, -4, 4, 1, 0, 0},
        {"y = t.z*t.z", HB_HALVES_COMPLEX, -4, 4, 1, 0, 0},
        {"y = t.z^3", HB_HALVES_COMPLEX, -8, 8, 2, 0, 0},
        {"y = re(t.z)", HB_HALVES_REAL, -2, 2, 1, 1, 0},
        {"y = im(t.z)", HB_HALVES_REAL, -2, 2, 1, 1, 1},
        {"y = 2*re(t.z)", HB_HALVES_REAL, -4, 4, 0, 1, 0},
        {"y = 6*im(t.z) + 4*re(t.z)", HB_HALVES_REAL, -20, 20, 0, 1, 1},
        {"y = 0.25*re(0.5*t.z)", HB_HALVES_REAL, -0.25, 0.25, 1, 1, 0},
        {"y = mean(re(t.z))", HB_HALVES_REAL, -2, 2, 1, 1, 0},
        {"y = re(t.r)", HB_HALVES_REAL, -1, 2, 0, 0, 0},
        {"y = abs2(t.z)", HB_HALVES_REAL, 0, 4, 1, 1, 0},
        {"y = abs2(t.r)", HB_HALVES_REAL, 0, 4, 1, 0, 0},
        {"y = conj(t.z)", HB_HALVES_COMPLEX, -2, 2, 0, 1, 0},
        {"y = conj(t.r)", HB_HALVES_REAL, -1, 2, 0, 1, 0},
        {"y = conj(0.5*t.z)", HB_HALVES_COMPLEX, -1, 1, 1, 1, 0},
        {"y = 1i*t.r", HB_HALVES_COMPLEX, -2, 2, 0, 0, 1},
        {"y = 1i*(1i*t.r)", HB_HALVES_REAL, -2, 1, 0, 0, 0},
        {"y = 2i*(t.z - 1i*t.r)", HB_HALVES_COMPLEX, -8, 8, 0, 0, 2},
        {"y = (3 - 4i)*t.z", HB_HALVES_COMPLEX, -14, 14, 0, 0, 1},
        {"y = 0.5i*t.z + 0.5*t.z", HB_HALVES_COMPLEX, -2, 2, 1, 0, 1},
        {"y = (1 + 2i)*(3 - 1i)*(0 + 1i)*1i*t.r", HB_HALVES_COMPLEX, -20, 20, 0, 0, 1},
        {"y = t.r + 2i", HB_HALVES_COMPLEX, -4, 4, 0, 0, 2},
        {"y = 2i^2*t.r", HB_HALVES_REAL, -8, 4, 0, 0, 0},
        {"y = 3*t.p - 0.5*t.p", HB_HALVES_PAIR, -5, 5, 1, 0, 0},
        {"y = t.p + t.p*t.r", HB_HALVES_PAIR, -6, 6, 1, 0, 0},
        {"y = rotate(mean(t.p) - t.p, 3)", HB_HALVES_PAIR, -4, 4, 1, 0, 0},
        {"y = t.p + t.q", HB_HALVES_COMPLEX, -4, 4, 0, 0, 0},
        {"y = t.p + 1", HB_HALVES_COMPLEX, -3, 3, 0, 0, 0},
        {"y = t.p*t.p", HB_HALVES_COMPLEX, -4, 4, 1, 0, 0},
        {"y = conj(t.p)", HB_HALVES_COMPLEX, -2, 2, 0, 1, 0},
        {"y = re(t.p) + im(t.p)", HB_HALVES_REAL, -4, 4, 1, 1, 1},
    };
    world w;
    open_world(&w, "ckks-14");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_kind(&w, &cases[i]);
    }
    close_world(&w);
}

/* Keys are asked for before the columns are known: of values that may be complex. */
static void keys(void **state)
{
    (void)state;
    static const char *const conjugating[] = {"y = re(a.z)", "y = im(a)", "y = abs2(a.z)", "y = conj(a)"};
    hb_params_spec spec;
    assert_int_equal(hb_params_preset("ckks-14", &spec), HB_OK);
    for (size_t i = 0; i < sizeof conjugating / sizeof *conjugating; i++) {
        hb_key_requests requests;
        assert_int_equal(hb_program_keys(&requests, conjugating[i], &spec, &(hb_keys_operands){0}), HB_OK);
        bool found = false;
        for (uint32_t r = 0; r < requests.count; r++) {
            found = found || requests.request[r].element == hb_slots_swap(&spec);
        }
        assert_true(found);
        hb_key_requests_clear(&requests);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *text, *part;
    } cases[] = {
        {"ckks-14", "y = im(t.r)", "character 5 of 'y = im(t.r)': im of real values is 0"},
        {"ckks-14", "y = t.z - t.z", "nothing encrypted is left"},
        {"ckks-14", "y = 1i*t.z - 1i*t.z", "nothing encrypted is left"},
        {"ckks-14", "y = 1i*(1i*t.z) + t.z", "nothing encrypted is left"},
        {"ckks-14", "y = 0i*t.z", "this is 0 whatever is encrypted"},
        {"ckks-14", "y = t.z^2i", "a constant exponent"},
        {"ckks-14", "y = rotate(t.z, 1i)", "a constant integer"},
        {"ckks-14", "y = t.2i", "the name of a column"},
        {"ckks-14", "y = 2ix*t.z", "a number and a name with nothing between"},
        {"ckks-14", "y = 1e-30i*t.z", "of which little or nothing is left"},
        {"seal-ckks-16384", "y = 1i*t.z", "have no i"},
        {"seal-ckks-16384", "y = im(t.z)", "have no i"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w, cases[i].preset);
        const hb_status st = compile_y(&w, cases[i].text);
        if (st == HB_OK || strstr(hb_last_error()->text, cases[i].part) == NULL) {
            fail_msg("%s: %s", cases[i].text, st == HB_OK ? "is taken" : hb_last_error()->text);
        }
        close_world(&w);
    }
}

HB_UNIT(program_complex)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(keys), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
