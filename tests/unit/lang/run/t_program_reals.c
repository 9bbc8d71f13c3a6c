/* Plans of expressions on reals: levels, where products are rescaled and operands adjusted, keys, ranges, precision,
 * and refusals. */
#include <math.h>

#include "reals_world.h"
#include "scheme/slots.h"
#include "table/real_text.h"
#include "unit/unit.h"

/* Polynomials are one operation where that takes no more levels, with a key at the level of their operand. */
static void polynomials(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t down, operations, products;
    } cases[] = {
        {"y = poly(x.p, 0.5, 0.25, 1.5, 2.5)", 2, 1, 2},
        {"y = poly(x.p, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)", 3, 1, 5},
        {"y = poly(x.p, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5) + poly(x.p, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)", 3, 1,
         5},
        {"y = poly(x.p, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5) + poly(x.q, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)", 3, 2,
         10},
        {"y = poly(x.p*x.q, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)", 4, 1, 6},
        {"y = poly(3*x.p, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)", 3, 1, 5},
        /* The numbers take the map's: */
        {"y = poly(0.5*x.p + 0.75*x.q, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)", 4, 1, 5},
        {"y = poly(x.p, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 0.5)", 4, 1, 8},
    };
    world w;
    open_world(&w, "ckks-14", ROWS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_plan(&w, cases[i].text);
        const uint32_t found[] = {w.params->data_limbs - w.program.outputs[0].limbs, count(&w, HB_OP_POLYNOMIAL),
                                  w.program.products};
        if (memcmp(found, &cases[i].down, sizeof found) != 0) {
            fail_msg("%s: %u levels, %u polynomials, %u products", cases[i].text, found[0], found[1], found[2]);
        }
        if (found[1] > 0) {
            assert_int_equal(w.program.constants.polynomials.count, 1);
            assert_int_equal(w.program.keys.count, 1);
            /* Numbers take levels, and no key. */
            assert_int_equal(w.program.keys.request[0].limbs, w.program.outputs[0].limbs + w.program.depth);
        }
    }
    close_world(&w);
}

typedef struct level_case {
    const char *text;
    uint32_t down, products, numbers, rescales, adjusts, combinations;
} level_case;

/* Levels, products, rescales and adjustments of expressions. */
static void assert_levels(const level_case *cases, size_t number)
{
    world w;
    open_world(&w, "ckks-14", ROWS);
    for (size_t i = 0; i < number; i++) {
        assert_plan(&w, cases[i].text);
        const uint32_t found[] = {w.params->data_limbs - w.program.outputs[0].limbs,
                                  count(&w, HB_OP_MULTIPLY),
                                  count(&w, HB_OP_MULTIPLY_NUMBER),
                                  count(&w, HB_OP_RESCALE),
                                  count(&w, HB_OP_ADJUST),
                                  count(&w, HB_OP_COMBINE)};
        if (memcmp(found, &cases[i].down, sizeof found) != 0) {
            fail_msg("%s: %u levels, %u products, %u with numbers, %u rescales, %u adjustments, %u combinations",
                     cases[i].text, found[0], found[1], found[2], found[3], found[4], found[5]);
        }
        assert_int_equal(count(&w, HB_OP_RELINEARIZE), 0);
        assert_int_equal(count(&w, HB_OP_MOD_SWITCH), 0);
        assert_true(w.program.outputs[0].schema.column[0].cells == HB_CELL_REAL);
    }
    close_world(&w);
}

static void levels_of_values(void **state)
{
    (void)state;
    static const level_case cases[] = {
        {"y = x.p + x.q", 0, 0, 0, 0, 0, 0},
        {"y = 3*x.p - 7*x.q + 0.5", 0, 0, 0, 0, 0, 0},
        {"y = 0.5*x.p", 1, 0, 1, 1, 0, 0},
        {"y = 0.5*x.p + 0.25*x.q - 1", 1, 0, 0, 1, 0, 1},
        {"y = 2*(0.5*(0.25*x.p))", 1, 0, 1, 1, 0, 0},
        {"y = 0.5*x.p + x.q", 1, 0, 0, 1, 0, 1},
        {"y = 0.5*x.p + 3*x.q", 1, 0, 0, 1, 0, 1},
        {"y = x.p*x.q + x.q*x.r + square(x.p)", 1, 3, 0, 1, 0, 0},
        {"y = x.p*x.q - 0.5*x.r", 1, 1, 1, 1, 0, 0},
        {"y = 0.5*x.p*x.q + x.r", 2, 1, 1, 2, 2, 0},
        {"y = 0.5*(x.p*x.q) + x.r", 2, 1, 1, 2, 1, 0},
        {"y = 0.5*x.p + 0.25*(x.q*x.r)", 2, 1, 0, 2, 1, 1},
        {"y = 0.5*x.p + x.q*low.r", 2, 1, 1, 1, 2, 0},
        {"y = poly(x.p, 0.5, 0.25, 1.5, 2.5)", 2, 0, 0, 0, 0, 0}, /* one operation, as x.p^7 is */
        {"y = x.p^2", 1, 1, 0, 1, 0, 0},
        {"y = x.p^4", 2, 2, 0, 2, 0, 0},
        {"y = x.p^7", 3, 0, 0, 0, 0, 0},
        {"y = x.p + low.p", 1, 0, 0, 0, 1, 0},
        {"y = x.p*low.p", 2, 1, 0, 1, 1, 0},
        {"y = x.p*low.p + x.p*low.q", 2, 2, 0, 1, 1, 0},
        {"y = modswitch(x.p)", 1, 0, 0, 0, 1, 0},
        {"y = modswitch(modswitch(x.p))", 2, 0, 0, 0, 1, 0},
        {"y = rotate(x.p*x.q, 3)", 1, 1, 0, 1, 0, 0},
        {"y = conj(x.p) + x.p", 0, 0, 0, 0, 0, 0},
        {"y = x.p*t.p + x.q*t.q + t.r", 1, 0, 0, 1, 0, 0},
    };
    assert_levels(cases, sizeof cases / sizeof *cases);
}

static void levels_of_totals_and_combinations(void **state)
{
    (void)state;
    static const level_case cases[] = {
        {"y = sum(x.p)", 0, 0, 0, 0, 0, 0},
        {"y = mean(x.p)", 1, 0, 1, 1, 0, 0},
        {"y = mean(0.5*x.p)", 1, 0, 1, 1, 0, 0},
        {"y = dot(x.p, x.q)", 1, 1, 0, 1, 0, 0},
        {"y = mean(x.p*x.p) - mean(x.p)^2", 2, 2, 2, 3, 0, 0},
        {"y = rowsum(x*x)", 1, 3, 0, 1, 0, 0},
        {"y = w @ x", 1, 0, 0, 2, 0, 2},
        {"y = 2*(w @ (0.5*x))", 1, 0, 0, 2, 0, 2},
        {"y = 0.5*x.p + 2*x.q - x.r", 1, 0, 0, 1, 0, 1},
        {"y = 2*x.q - x.r + 0.5*x.p", 1, 0, 0, 1, 0, 1},
        {"y = 0.5*x.p + 3 + 2*x.q - 0.25*(x.r - x.p) - 1", 1, 0, 0, 1, 0, 1},
        {"y = 0.5*(0.25*x.p - 0.75*x.q) - (x.r - 0.5*x.p)", 1, 0, 0, 1, 0, 1},
        {"y = -(0.5*x.p + 0.25*x.q)*3", 1, 0, 0, 1, 0, 1},
        {"y = x.p*x.q + 0.5*x.p - 0.25*x.r", 1, 1, 0, 1, 0, 1},
        {"y = 0.5*(x.p*x.q + 0.5*x.p - 0.25*x.r)", 2, 1, 1, 2, 0, 1},
        {"y = 0.5*x.p + 0.25*x.q - 0.5*x.p", 1, 0, 0, 1, 0, 1},
        {"y = 0.5*x.p + 0.25*x.q + 0.75*sum(x.r)", 1, 0, 1, 1, 0, 1},
        {"y = sum(0.5*x.p + 0.25*x.q)", 1, 0, 1, 1, 0, 0}, /* 0.25*sum(2*x.p + x.q) */
        {"y = sum(0.5*x.p + 0.3*x.q)", 1, 0, 0, 1, 0, 1},
        {"y = 0.5*x.p + 0.25*x.q + low.r", 1, 0, 0, 1, 0, 1},
        {"m = 0.5*x.p + 0.25*x.q; n = m + 0.125*x.r; y = n*m + m", 2, 1, 0, 3, 1, 2},
    };
    assert_levels(cases, sizeof cases / sizeof *cases);
}

/* Functions: levels beside those of their polynomials, which the factors of intervals take or do not; polynomials, and
 * approximations that were found. */
static void functions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t beside, polynomials, found;
    } cases[] = {
        {"y = sigmoid(x.p)", 0, 1, 1},              /* [-1, 1] as it is */
        {"y = exp(0.5 + x.p)", 0, 1, 1},            /* 2 wide */
        {"y = sigmoid(2.5*x.p)", 0, 1, 1},          /* of 2.5 and the interval 1 */
        {"y = sigmoid(4*x.p)", 0, 1, 1},            /* likewise */
        {"y = sigmoid(4*x.p + 1)", 1, 1, 1},        /* 4 takes none, the interval one */
        {"y = sigmoid(w @ x + 3)", 1, 2, 1},        /* the weights take it; of both rows one function */
        {"y = tanh(1.5*x.p*x.q - 2*x.r)", 2, 1, 1}, /* one factor of the product, and the other term */
        {"y = sigmoid(x.p) + sigmoid(x.q)", 0, 2, 1},
        {"y = tanh(x.p)*tanh(x.p)", 1, 1, 1}, /* each node once */
        {"y = sigmoid(low.p)", 1, 1, 1},
        {"y = sum(sigmoid(x.p))", 0, 1, 1}, /* 0 in slots without rows: no mask */
        {"y = log(x.p + 2) - 1/(x.q + 3)", 0, 2, 2},
        {"y = sigmoid(x.p/2, -1, 1)", 1, 1, 1},
        {"y = cheb(x.p, -1, 1, 0.5, 0, 0, 1)", 2, 1, 0},
        {"y = 2/(x.p + 2)", 0, 1, 1}, /* the 2 is in its coefficients */
    };
    world w;
    open_world(&w, "ckks-14", ROWS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_plan(&w, cases[i].text);
        const hb_program *p = &w.program;
        uint32_t levels = 0;
        for (uint32_t j = 0; j < p->description.function_count; j++) {
            const hb_function_note *f = &p->description.functions[j];
            levels = f->levels > levels ? f->levels : levels;
            assert_true(f->error > 0 && f->error <= 0x1p-16 && f->low < f->high && f->stages == 1 && f->gap == 0);
        }
        const uint32_t found[] = {w.params->data_limbs - p->outputs[0].limbs - levels, count(&w, HB_OP_POLYNOMIAL),
                                  p->description.function_count};
        if (memcmp(found, &cases[i].beside, sizeof found) != 0) {
            fail_msg("%s: %u levels more, %u polynomials, %u functions", cases[i].text, found[0], found[1], found[2]);
        }
        if ((p->outputs[0].approximate > 0) != (p->description.function_count > 0)) {
            fail_msg("%s: %g of its error by approximation", cases[i].text, p->outputs[0].approximate);
        }
        assert_int_equal(count(&w, HB_OP_MASK_SCALED), 0);
    }
    assert_int_equal(compile_bits(&w, "y = sigmoid(2*x.p, -1, 1)", 0), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "can be -2 .. 2, and its interval is -1 .. 1"));
    w.operand[0].ranged = false;
    assert_int_equal(compile_bits(&w, "y = sigmoid(x.p)", 0), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "the range of the argument of sigmoid in"));
    assert_int_equal(compile_bits(&w, "y = digits(2, x.p, x.q) < 3", 0), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "digits works on integers (BFV)"));
    close_world(&w);
}

enum { WIDE = 784, OUTPUTS = 128 };

/* A matrix for many columns: one combination a row, all of them one after another, over the same registers. */
static void wide_matrix(void **state)
{
    (void)state;
    static char *const name = (char *)"c";
    static hb_column columns[WIDE];
    static hb_number weights[OUTPUTS * WIDE];
    world w;
    open_world(&w, "ckks-14", ROWS);
    for (uint32_t c = 0; c < WIDE; c++) {
        columns[c] = w.column[0][0];
        columns[c].name = name;
    }
    for (uint32_t i = 0; i < OUTPUTS * WIDE; i++) {
        weights[i].real = i % 5 == 3 ? 0 : ((double)(i * 31 % 1001) - 500.5) / 1000;
    }
    w.schema[0].columns = w.schema[2].columns = WIDE;
    w.schema[0].column = w.schema[2].column = columns;
    w.schema[2].rows = OUTPUTS;
    w.operand[2].cells = weights;
    assert_plan(&w, "y = square(w @ x + 0.5)");
    const hb_pass *pass = &w.program.passes[0];
    uint32_t first = 0;
    while (pass->rows[first].op != HB_OP_COMBINE) {
        first++;
    }
    assert_int_equal(first, WIDE); /* loads */
    assert_int_equal(w.program.combination_count, OUTPUTS);
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        assert_true(pass->rows[first + o].op == HB_OP_COMBINE);
        const hb_linear_terms *terms = &w.program.combinations[pass->rows[first + o].number];
        assert_true(terms->count == WIDE && terms->reals != NULL && terms->integers == NULL);
        for (uint32_t i = 0; i < WIDE; i++) {
            assert_true(terms->registers[i] == w.program.combinations[pass->rows[first].number].registers[i]);
            assert_true(terms->registers[i] != pass->rows[first + o].to);
        }
    }
    assert_true(w.program.register_count <= WIDE + OUTPUTS + 4);
    close_world(&w);
}

/* Slots without a row hold remains of totals: within the interval of sign, and of each of its stages. */
static void sign_beside_totals(void **state)
{
    (void)state;
    static const char *const texts[] = {"y = sign(x.p - mean(x.q))", "y = max(x.p - mean(x.q), x.r)",
                                        "y = x.p < mean(x.p)"};
    world w;
    open_world(&w, "ckks-16", ROWS);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_plan(&w, texts[i]);
        assert_true(w.program.description.function_count == 1 && w.program.description.functions[0].stages > 1);
    }
    close_world(&w);
}

/* Every register has the components and limbs of its instructions, before and after. */
static void registers(void **state)
{
    (void)state;
    static const char *const texts[] = {"m = mean(x.p); y = sum(square(x.p - m))*x.q + rotate(x.r, 1)*t.p",
                                        "y = 0.5*x*low + w @ x.p - t.r", "y = x.p^9*dot(x.q, low.q)",
                                        "y = x.p*t.p + modswitch(x.q)*t.p"};
    world w;
    open_world(&w, "ckks-15", ROWS);
    w.schema[2].columns = 1; /* two weights for one column: two columns */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        w.schema[2].rows = i == 1 ? 1 : 2;
        assert_plan(&w, texts[i]);
        const hb_program *p = &w.program;
        for (uint32_t k = 0; k < 2 * p->pass_count; k++) {
            const hb_pass *pass = &p->passes[k / 2];
            const hb_instruction *code = k % 2 == 0 ? pass->rows : pass->totals;
            const uint32_t length = k % 2 == 0 ? pass->row_count : pass->total_count;
            for (uint32_t j = 0; j < length; j++) {
                const hb_register *to = &p->registers[code[j].to], *a = &p->registers[code[j].a],
                                  *b = &p->registers[code[j].b];
                switch (code[j].op) {
                case HB_OP_RESCALE:
                    assert_true(to->limbs + 1 == a->limbs && to->size == 2);
                    break;
                case HB_OP_ADJUST:
                    assert_true(to->limbs < a->limbs && to->limbs == code[j].number && a->size == 2);
                    break;
                case HB_OP_MULTIPLY:
                    assert_true(to->limbs == a->limbs && a->limbs == b->limbs && to->size == 3 && a->size == 2);
                    break;
                case HB_OP_MULTIPLY_PLAIN:
                case HB_OP_ADD_PLAIN:
                case HB_OP_SUBTRACT_PLAIN:
                    assert_true(b->plain && b->limbs == a->limbs && to->limbs == a->limbs);
                    break;
                case HB_OP_LOAD_PLAIN:
                    assert_true(to->plain && to->limbs == code[j].number);
                    break;
                case HB_OP_ADD:
                case HB_OP_SUBTRACT:
                    assert_true(to->limbs == a->limbs && a->limbs == b->limbs);
                    break;
                case HB_OP_ACCUMULATE:
                    assert_true(to->limbs == a->limbs && to->size == a->size);
                    break;
                case HB_OP_STORE:
                    assert_true(a->size == 2 && a->limbs == p->outputs[code[j].operand].limbs);
                    break;
                default:
                    break;
                }
            }
        }
    }
    close_world(&w);
}

static void ranges_and_precision(void **state)
{
    (void)state;
    world w;
    open_world(&w, "ckks-14", ROWS);
    assert_plan(&w, "y = 0.5*x.p*x.q - x.r");
    const hb_output *y = &w.program.outputs[0];
    assert_true(y->values.real && y->values.low == -1.5 && y->values.high == 1.5);
    assert_true(y->schema.column[0].ranged && hb_real_of(y->schema.column[0].least) == -1.5);
    assert_false(y->schema.column[0].may_wrap);
    assert_int_equal(w.program.description.note_count, 1);
    const hb_node_note *note = &w.program.description.notes[0];
    assert_true(note->worst > 5 && note->worst < note->expected && note->expected < 40);
    assert_true(note->values.high == 1.5);
    const double worst = note->worst;
    assert_int_equal(compile_bits(&w, "y = 0.5*x.p*x.q - x.r", floor(worst)), HB_OK);
    assert_int_equal(compile_bits(&w, "y = 0.5*x.p*x.q - x.r", worst + 1), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "are wanted"));
    assert_plan(&w, "m = x.p*x.q; y = m - x.r"); /* m is never rescaled by itself */
    assert_int_equal(w.program.description.note_count, 2);
    const double m = w.program.description.notes[0].worst, y_bits = w.program.description.notes[1].worst;
    assert_true(m > y_bits && m < y_bits + 5);
    assert_plan(&w, "y = sum(square(x.p))");
    assert_true(w.program.outputs[0].values.low == 0 && w.program.outputs[0].values.high == ROWS);
    assert_plan(&w, "y = rotate(x.p + 3, 1)"); /* the slots without rows are 0 */
    assert_true(w.program.outputs[0].values.low == 0 && w.program.outputs[0].values.high == 4);
    assert_plan(&w, "y = sum(rotate(x.p, 1) + 5)"); /* masked before */
    assert_int_equal(count(&w, HB_OP_MASK_SCALED), 1);
    assert_true(w.program.outputs[0].values.high == 6.0 * ROWS);
    close_world(&w);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
        hb_status status;
    } cases[] = {
        {"y = x.p^256", "no level is left for this product", HB_EDATA},
        {"y = 0.5*x.p^128", "; ckks-15 would do; hebatch params suggest looks for others", HB_EDATA},
        {"y = x.p^128", "", HB_OK},
        {"y = (600*x.p)^20", "the values of", HB_EDATA},
        {"y = 0*x.p", "character 6 of 'y = 0*x.p': nothing encrypted is left here: this is 0 whatever", HB_EUSAGE},
        {"y = 1e-30*x.p", "character 10 of 'y = 1e-30*x.p': a product with 1e-30", HB_EUSAGE},
        {"y = x.p - x.p", "nothing encrypted is left", HB_EUSAGE},
        {"y = modswitch(x.p) - x.p", "nothing encrypted is left here: this is 0", HB_EUSAGE},
        {"y = modswitch(x.p*x.q) - x.p*x.q", "nothing encrypted is left here: this is 0", HB_EUSAGE},
        {"y = modswitch(x.p) - x.p + x.q", "", HB_OK},
        {"y = x.p^0.5", "expected a constant exponent from 1", HB_EUSAGE},
        {"y = x.p^(1.5)", "expected a constant exponent", HB_EUSAGE},
        {"y = rotate(x.p, 0.5)", "the step of a rotation is a constant integer", HB_EUSAGE},
        {"y = rotate(x.p, 8192)", "a rotation by 8192; the rows of a ciphertext have 8192 slots", HB_EUSAGE},
        {"y = swap(x.p)", "CKKS has no swap of rows", HB_EUSAGE},
        {"y = x.p*1e308*1e308", "the values of", HB_EDATA},
        {"y = (1e308*10)*x.p", "the constant is larger than any double", HB_EUSAGE},
        {"y = x @ x", "x stands on the left of @, so its rows are weights", HB_EUSAGE},
        {"y = (x + 1) @ x", "on the left of @ stands a plain table", HB_EUSAGE},
        {"y = w @ x.p", "w has weights for 3 columns in a row, and the right side has 1 column", HB_EUSAGE},
        {"y = modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(x.p))))))))",
         "there is no level below this one", HB_EUSAGE},
    };
    world w;
    open_world(&w, "ckks-14", ROWS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_status st = compile_bits(&w, cases[i].text, 0);
        if (st != cases[i].status || (st != HB_OK && strstr(hb_last_error()->text, cases[i].part) == NULL)) {
            fail_msg("%s: %d, '%s' is not in '%s'", cases[i].text, (int)st, cases[i].part, hb_last_error()->text);
        }
    }
    close_world(&w);
}

static bool asks_for(const hb_key_requests *keys, uint32_t element, uint32_t limbs)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keys->request[i].element == element) {
            return keys->request[i].limbs == limbs;
        }
    }
    return false;
}

static bool is_spare(const hb_key_requests *keys, uint32_t element)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keys->request[i].element == element) {
            return keys->request[i].spare;
        }
    }
    return false;
}

static void keys(void **state)
{
    (void)state;
    world w;
    open_world(&w, "ckks-14", ROWS);
    const hb_params_spec *spec = &w.params->spec;
    const uint32_t top = w.params->data_limbs;
    assert_plan(&w, "y = rotate(0.5*x.p, 5) + conj(low.q)*modswitch(modswitch(x.r))");
    assert_int_equal(w.program.keys.count, 3);
    assert_true(asks_for(&w.program.keys, HB_RELINEARIZATION, top - 2));
    assert_true(asks_for(&w.program.keys, hb_slots_rotation(spec, 5), top - 1));
    assert_true(asks_for(&w.program.keys, (uint32_t)(2 * spec->n - 1), top - 1));
    assert_plan(&w, "y = 0.5*x.p + x.q*t.q");
    assert_int_equal(w.program.keys.count, 0);
    assert_plan(&w, "y = dot(x.p, x.q)");
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t rotations = hb_slots_sum_steps(spec, steps), spare = rotations / 2;
    assert_int_equal(w.program.keys.count, rotations + spare + 1);
    for (uint32_t i = 0; i + 1 < rotations; i += 2) { /* three times every second step */
        assert_true(is_spare(&w.program.keys, hb_slots_rotation(spec, 3 * steps[i])));
        assert_false(is_spare(&w.program.keys, hb_slots_rotation(spec, steps[i])));
    }
    assert_true(asks_for(&w.program.keys, HB_RELINEARIZATION, top));
    assert_true(asks_for(&w.program.keys, hb_slots_rotation(spec, steps[0]), top - 1));
    /* Without operands: any level, and as many keys. */
    hb_key_requests any;
    assert_int_equal(hb_program_keys(&any, "y = mean(x*x) - mean(x)^2; z = conj(0.5*rotate(x, 2)); v = w @ x", spec,
                                     &(hb_keys_operands){0}),
                     HB_OK);
    assert_int_equal(any.count, 1 + rotations + spare + 1 + (steps[0] == 2 || steps[1] == 2 ? 0 : 1));
    assert_true(asks_for(&any, HB_RELINEARIZATION, 0));
    hb_key_requests_clear(&any);
    close_world(&w);
}

HB_UNIT(program_reals)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(polynomials),
                                       cmocka_unit_test(levels_of_values),
                                       cmocka_unit_test(levels_of_totals_and_combinations),
                                       cmocka_unit_test(functions),
                                       cmocka_unit_test(wide_matrix),
                                       cmocka_unit_test(registers),
                                       cmocka_unit_test(ranges_and_precision),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(keys),
                                       cmocka_unit_test(sign_beside_totals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
