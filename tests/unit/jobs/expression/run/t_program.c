/* What expressions compile to: instructions, registers, passes, results, keys, noise; and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expression/compile/compile.h"
#include "expression/program/program.h"
#include "expression/program/range.h"

enum { A, B, D, L, S, C, P, E, T, V, W, X, OPERANDS };

typedef struct fixture {
    hb_params *params;
    hb_schema schema[OPERANDS];
    hb_operand operand[OPERANDS];
    hb_program program;
} fixture;

static hb_column wide[] = {
    {.name = (char *)"x"}, {.name = (char *)"y_1"}, {.name = (char *)"odd name", .is_signed = true}};
static hb_column other[] = {{.name = (char *)"p"}, {.name = (char *)"q"}, {.name = (char *)"r"}};
static hb_column turned[] = {{.name = (char *)"y_1"}, {.name = (char *)"odd name"}, {.name = (char *)"x"}};
static hb_column narrow[] = {{.name = (char *)""}}, negative[] = {{.name = (char *)"", .is_signed = true}};

static void add_operand(fixture *f, int i, const char *name, uint64_t rows, uint64_t columns, uint32_t width,
                        hb_column *column, bool encrypted)
{
    f->schema[i] = (hb_schema){.rows = rows,
                               .columns = columns,
                               .rank = 2,
                               .width = width,
                               .named = column[0].name[0] != '\0',
                               .column = column};
    f->operand[i] = (hb_operand){.name = name,
                                 .schema = &f->schema[i],
                                 .encrypted = encrypted,
                                 .limbs = f->params->data_limbs,
                                 .noise = hb_noise_fresh(f->params, true, HB_BINOMIAL)};
}

static void open_fixture(fixture *f, const char *preset, uint64_t rows)
{
    hb_params_spec spec;
    memset(f, 0, sizeof *f);
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    add_operand(f, A, "a", rows, 3, 1, wide, true);
    add_operand(f, B, "b", rows, 1, 1, narrow, true);
    add_operand(f, D, "d", rows, 1, 8, negative, true);
    add_operand(f, L, "low", rows, 1, 1, narrow, true);
    f->operand[L].limbs = f->params->data_limbs - 1;
    add_operand(f, S, "short_one", rows + 1, 1, 1, narrow, true);
    add_operand(f, C, "coefficients", rows, 1, 1, narrow, true);
    f->operand[C].encoding = HB_ENCODE_COEFFICIENTS;
    add_operand(f, P, "packed", rows, 3, 1, other, true);
    f->operand[P].order = HB_PACK_ROWS;
    add_operand(f, E, "e", rows, 3, 1, other, true);
    add_operand(f, T, "turned", rows, 3, 1, turned, true);
    add_operand(f, V, "v", rows, 1, 1, narrow, false);
    add_operand(f, W, "w", 1, 3, 1, wide, false);
    add_operand(f, X, "x_plain", rows + 7, 1, 1, narrow, false);
}

static void close_fixture(fixture *f)
{
    hb_program_clear(&f->program);
    hb_params_close(f->params);
}

/* The result is the name assigned last. */
static hb_status compile(fixture *f, const char *text)
{
    char **reads, **assigns;
    uint32_t last = 0;
    hb_program_clear(&f->program);
    assert_int_equal(hb_program_names(text, &reads, &assigns), HB_OK);
    while (assigns[last + 1] != NULL) {
        last++;
    }
    const char *const outputs[] = {assigns[last]};
    const hb_status st =
        hb_program_compile(&f->program, text, f->params, f->operand, OPERANDS, outputs, 1, HB_NOISE_WORST);
    hb_names_free(reads);
    hb_names_free(assigns);
    return st;
}

static void assert_compiles(fixture *f, const char *text)
{
    if (compile(f, text) != HB_OK) {
        fail_msg("%s", hb_last_error()->text);
    }
}

static uint32_t count_of(const hb_program *p, hb_opcode op)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->pass_count; i++) {
        for (uint32_t j = 0; j < p->passes[i].row_count; j++) {
            count += p->passes[i].rows[j].op == op;
        }
        for (uint32_t j = 0; j < p->passes[i].total_count; j++) {
            count += p->passes[i].totals[j].op == op;
        }
    }
    return count;
}

static void instructions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t loads, products, relinearizations, passes;
    } cases[] = {
        {"y = a.1 + b", 2, 0, 0, 1},
        {"y = b*d + d*b", 2, 1, 1, 1},                                /* one product */
        {"y = (b + d)*(d + b) + (b + d)^2", 2, 1, 1, 1},              /* the same, as a square */
        {"y = b*d + a.1*b - a.2*d", 4, 3, 1, 1},                      /* relinearized together */
        {"p = b*d; q = p + a.1*d; y = rotate(p, 1) + q", 3, 2, 2, 1}, /* p by itself, then everywhere */
        {"p = b*d; q = p + a.1; y = p*a.2 + q*b", 4, 3, 2, 1},        /* q needs no other one */
        {"y = dot(b, d)", 2, 1, 1, 1},                                /* of the total */
        {"y = sum(b*d) + sum(b)", 2, 1, 1, 1},
        {"y = rowsum(a*a)", 3, 3, 1, 1},
        {"y = rowsum(a*w)", 3, 0, 0, 1},
        {"y = sum(b) + b", 2, 0, 0, 2}, /* loaded again for the second pass */
        {"m = sum(b); y = sum(square(b - m))", 2, 1, 1, 2},
        {"m = sum(b); y = sum(b*m)*sum(b - sum(d*m))", 4, 3, 3, 3},
        {"y = b^2", 1, 1, 1, 1},
        {"y = b^7 + b^4", 1, 4, 4, 1}, /* of b^2, b^3, b^4 for b^7, and of the result */
        {"y = b^15", 1, 6, 6, 1},
        {"z = b^5; y = b", 1, 0, 0, 1}, /* what nobody stores is not computed */
        {"y = -(-b) + 0*1 + 1*d", 2, 0, 0, 1},
    };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_compiles(&f, cases[i].text);
        const hb_program *p = &f.program;
        if (count_of(p, HB_OP_LOAD) != cases[i].loads || count_of(p, HB_OP_MULTIPLY) != cases[i].products ||
            count_of(p, HB_OP_RELINEARIZE) != cases[i].relinearizations || p->pass_count != cases[i].passes) {
            fail_msg("%s: %u loads, %u products, %u relinearizations, %u passes", cases[i].text,
                     count_of(p, HB_OP_LOAD), count_of(p, HB_OP_MULTIPLY), count_of(p, HB_OP_RELINEARIZE),
                     p->pass_count);
        }
        assert_int_equal(p->relinearizes, cases[i].relinearizations > 0);
    }
    close_fixture(&f);
}

/* Many columns take few registers: each is finished before the next one is loaded. */
static void registers(void **state)
{
    (void)state;
    enum { COLUMNS = 200 };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    hb_column columns[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        columns[i] = (hb_column){.name = (char *)""};
    }
    f.schema[A].columns = COLUMNS;
    f.schema[A].named = false;
    f.schema[A].column = columns;
    assert_compiles(&f, "y = a*b - a + 3");
    assert_int_equal(count_of(&f.program, HB_OP_LOAD), COLUMNS + 1);
    assert_int_equal(count_of(&f.program, HB_OP_STORE), COLUMNS);
    assert_in_range(f.program.register_count, 3, 4); /* b, a column, their product, the result */
    assert_compiles(&f, "y = rowsum(a*a)");
    assert_in_range(f.program.register_count, 3, 4);
    assert_compiles(&f, "s = sum(a); y = sum(a*a) - s*s");
    uint32_t rows = 0;
    for (uint32_t i = 0; i < f.program.register_count; i++) {
        rows += !f.program.registers[i].total;
    }
    assert_in_range(rows, 2, 3);
    /* Rotations of one value stand side by side. */
    assert_compiles(&f, "y = rotate(b,1) + 2*rotate(b,2) + 3*rotate(b,-3)*rotate(b, 1)");
    const hb_instruction *row = f.program.passes[0].rows;
    for (uint32_t i = 0; i < f.program.passes[0].row_count; i++) {
        if (row[i].op == HB_OP_ROTATE) {
            assert_true(row[i + 1].op == HB_OP_ROTATE && row[i + 2].op == HB_OP_ROTATE);
            assert_true(row[i].a == row[i + 1].a && row[i].a == row[i + 2].a);
            break;
        }
    }
    assert_int_equal(count_of(&f.program, HB_OP_ROTATE), 3);
    close_fixture(&f);
}

static void polynomials(void **state)
{
    (void)state;
    static const struct {
        uint32_t degree, products, depth;
    } cases[] = {{1, 0, 0},  {2, 1, 1},  {3, 2, 2},   {4, 3, 2},   {5, 3, 3},    {6, 4, 3},
                 {7, 4, 3},  {8, 5, 3},  {9, 5, 4},   {12, 6, 4},  {15, 7, 4},   {16, 8, 4},
                 {17, 8, 5}, {23, 9, 5}, {31, 11, 5}, {63, 16, 6}, {127, 24, 7}, {255, 33, 8}};
    fixture f;
    open_fixture(&f, "bfv-32768", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048], *at = text + sprintf(text, "y = poly(b");
        for (uint32_t c = 0; c <= cases[i].degree; c++) {
            at += sprintf(at, ",%u", c * c % 251 + 1 + c);
        }
        strcpy(at, ")");
        assert_compiles(&f, text);
        assert_int_equal(f.program.products, cases[i].products);
        assert_int_equal(f.program.depth, cases[i].depth);
    }
    /* Sparse: only the powers that are there. */
    assert_compiles(&f, "y = poly(b, 1, 0, 0, 0, 0, 0, 0, 0, 5)");
    assert_int_equal(f.program.products, 3);
    assert_compiles(&f, "y = poly(b, 0, 3, 0, 0)");
    assert_int_equal(f.program.products, 0);
    assert_int_equal(compile(&f, "y = poly(b, 3, 0, 0)"), HB_EUSAGE);
    assert_int_equal(compile(&f, "y = poly(b, d)"), HB_EUSAGE);
    close_fixture(&f);
}

static void results(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t rows, columns;
        uint32_t rank;
        const char *name; /* of the first column; NULL: they have none */
        bool is_signed, stray;
    } cases[] = {
        {"y = a", 100000, 3, 2, "x", false, false},
        {"y = a.y_1*3", 100000, 1, 2, "y", false, false},
        {"y = a.\"odd name\"", 100000, 1, 2, "y", true, false},
        {"y = a + b", 100000, 3, 2, "x", false, false},
        {"y = a*w", 100000, 3, 2, "x", false, false},
        {"y = e + a", 100000, 3, 2, NULL, false, false},
        {"y = b*b", 100000, 1, 1, "y", false, false},
        {"y = b - 300", 100000, 1, 1, "y", true, false},
        {"y = square(b - 300)", 100000, 1, 1, "y", false, false}, /* known not to be negative */
        {"y = d*2", 100000, 1, 1, "y", true, false},
        {"y = rotate(b, 1)", 100000, 1, 1, "y", false, true},
        {"y = sum(a)", 1, 3, 2, "x", false, true},
        {"y = sum(a.x)", 1, 1, 2, "y", false, true},
        {"y = rowsum(a)", 100000, 1, 1, "y", true, false},
        {"y = sum(b)*b", 100000, 1, 1, "y", false, false},
        {"y = sum(b) + b", 100000, 1, 1, "y", false, true},
    };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_compiles(&f, cases[i].text);
        const hb_output *o = &f.program.outputs[0];
        assert_string_equal(o->name, "y");
        assert_int_equal(o->at, 1);
        assert_int_equal(o->schema.rows, cases[i].rows);
        assert_int_equal(o->schema.columns, cases[i].columns);
        assert_int_equal(o->schema.rank, cases[i].rank);
        assert_int_equal(o->schema.width, 8);
        assert_int_equal(o->schema.named, cases[i].name != NULL);
        assert_string_equal(o->schema.column[0].name, cases[i].name != NULL ? cases[i].name : "");
        assert_int_equal(o->schema.column[0].is_signed, cases[i].is_signed);
        assert_int_equal(o->stray, cases[i].stray);
        assert_int_equal(o->total, cases[i].rows == 1);
    }
    close_fixture(&f);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"y = a + c", "character 9 of 'y = a + c': nothing is bound to 'c'"},
        {"total = b + 1; y = b*totl", "nothing is bound to 'totl'; did you mean total?"},
        {"y = b*p", "character 7 of 'y = b*p': nothing is bound to 'p'; it is a column of packed: write packed.p"},
        {"y = turned + a", "character 12 of 'y = turned + a': both sides have the same columns in another order, 'y_1' "
                           "where the other has 'x'; pick them by name"},
        {"y = dot(a, turned)", "character 5 of 'y = dot(a, turned)': both sides have the same columns"},
        {"y = a.x + turned.x", NULL},
        {"y = turned + e", NULL},
        {"y = shortone", "nothing is bound to 'shortone'; did you mean short_one?"},
        {"y = b + short_one", "character 9 of 'y = b + short_one': short_one has 100001 rows, and b has 100000"},
        {"y = b*x_plain",
         "character 6 of 'y = b*x_plain': x_plain has 100007 rows, and b has 100000; expected as many"},
        {"z = rowsum(a)\ny = a + (z + w)*e - a.1*b", NULL},
        {"y = a.4", "character 7 of 'y = a.4': there is no column 4; it has 3"},
        {"y = a.y1", "character 7 of 'y = a.y1': there is no column 'y1'; did you mean y_1?"},
        {"y = b.x", "character 7 of 'y = b.x': its columns have no names"},
        {"y = packed + 1", "character 5 of 'y = packed + 1': packed was encrypted row by row"},
        {"y = b + coefficients",
         "character 9 of 'y = b + coefficients': coefficients and b are encoded in different ways"},
        {"y = coefficients*coefficients",
         "character 17 of 'y = coefficients*coefficients': a product of values acts on"},
        {"y = coefficients*v", "character 17 of 'y = coefficients*v': a product with a table acts on slots"},
        {"y = rotate(coefficients, 1)", "a rotation acts on slots"},
        {"y = swap(coefficients)", "a swap of rows acts on slots"},
        {"y = sum(coefficients)", "a sum of rows acts on slots"},
        {"y = 2*coefficients + v - 3", NULL},
        {"y = 0*b", "character 6 of 'y = 0*b': a product with 0"},
        {"y = b - b", "character 7 of 'y = b - b': nothing encrypted is left"},
        {"y = 3*b - b - 2*b + 1", "character 13 of 'y = 3*b - b - 2*b + 1': nothing encrypted is left"},
        {"y = v*(b + d) - v*b - v*d", "character 21 of"},
        {"y = b*b - b*b", "character 9 of"},
        {"y = 3 - 3*1", "character 1 of 'y = 3 - 3*1': nothing is encrypted in y"},
        {"y = v + w", "character 7 of 'y = v + w': nothing is encrypted on either side"},
        {"y = -v", "character 5 of 'y = -v': - works on encrypted values, and this is a plain table"},
        {"y = sum(3)", "sum works on encrypted values, and this is a number"},
        {"y = b*786433", "character 7 of 'y = b*786433': the constant is not between -786432 and 786432"},
        {"y = b*(1000*1000)", "character 12 of 'y = b*(1000*1000)': the constant is not between"},
        {"y = b*(2000000*2000000*2000000)", "the constant is not between"},
        {"y = b^0", "character 6 of 'y = b^0': expected a constant exponent from 1"},
        {"y = b^(1-2)", "expected a constant exponent from 1"},
        {"y = b^1000000", "the constant is not between"}, /* mod t, as every number */
        {"y = b^70000", "expected a constant exponent from 1 to 65536"},
        {"y = rotate(b, 8192)", "character 5 of 'y = rotate(b, 8192)': a rotation by 8192"},
        {"y = rotate(b, d)", "the step of a rotation is a constant integer"},
        {"b = a", "character 1 of 'b = a': b is bound to an input"},
        {"y = modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(modswitch(b))))))))",
         "there is no level below this one"},
    };
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_status st = compile(&f, cases[i].text);
        assert_int_equal(st, cases[i].part == NULL ? HB_OK : HB_EUSAGE);
        const char *text = hb_last_error()->text;
        if (cases[i].part != NULL && strstr(text, cases[i].part) == NULL) {
            fail_msg("'%s' is not in '%s'", cases[i].part, text);
        }
    }
    const char *const unknown[] = {"z"}, *const read[] = {"b"};
    assert_int_equal(hb_program_compile(&f.program, "y = b", f.params, f.operand, OPERANDS, unknown, 1, HB_NOISE_WORST),
                     HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "assigns nothing to 'z'"));
    hb_program_clear(&f.program);
    assert_int_equal(hb_program_compile(&f.program, "y = b", f.params, f.operand, OPERANDS, read, 1, HB_NOISE_WORST),
                     HB_EUSAGE);
    hb_program_clear(&f.program);
    assert_int_equal(hb_program_compile(&f.program, "y = b", f.params, f.operand, OPERANDS, NULL, 0, HB_NOISE_WORST),
                     HB_EUSAGE);
    close_fixture(&f);
}

static void levels(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    assert_compiles(&f, "y = b + low");
    assert_int_equal(count_of(&f.program, HB_OP_MOD_SWITCH), 1);
    assert_int_equal(f.program.outputs[0].limbs, f.params->data_limbs - 1);
    assert_compiles(&f, "z = b*low; y = modswitch(b)*low + z"); /* the same node */
    assert_int_equal(count_of(&f.program, HB_OP_MOD_SWITCH), 1);
    assert_int_equal(count_of(&f.program, HB_OP_MULTIPLY), 1);
    assert_compiles(&f, "y = modswitch(modswitch(b*d)) + low");
    assert_int_equal(count_of(&f.program, HB_OP_MOD_SWITCH), 3);
    assert_int_equal(f.program.outputs[0].limbs, f.params->data_limbs - 2);
    close_fixture(&f);
}

static void noise(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-4096", 1000);
    assert_compiles(&f, "y = b + d");
    assert_int_equal(f.program.note_count, 1);
    assert_true(f.program.notes[0].worst > 0 && f.program.notes[0].worst <= f.program.notes[0].expected);
    assert_string_equal(f.program.notes[0].text, "y = b + d");
    assert_compiles(&f, "z = 3*b + d; y = modswitch(-z) + 1"); /* nearest to its end is -z, switched */
    assert_int_equal(f.program.note_count, 2);
    assert_string_equal(f.program.notes[0].text, "y = modswitch(-z) + 1");
    assert_string_equal(f.program.notes[1].text, "z = 3*b + d");
    assert_true(f.program.notes[0].limbs == 1 && f.program.notes[0].worst <= f.program.notes[1].worst);
    assert_int_equal(compile(&f, "z = b + d; y = 3 + (z*b)^2"), HB_EDATA);
    const char *text = hb_last_error()->text;
    assert_non_null(
        strstr(text, "character 22 of 'z = b + d; y = 3 + (z*b)^2': no noise budget is left after (z*b): "));
    assert_non_null(strstr(text, "; bfv-8192 would do"));
    assert_int_equal(compile(&f, "y = b^60000"), HB_EDATA);
    assert_non_null(
        strstr(hb_last_error()->text, "with this t none of the presets would do; hebatch params suggest finds"));
    close_fixture(&f);
    /* The preset that is named does. */
    char named[32];
    open_fixture(&f, "bfv-8192", 1000);
    assert_int_equal(compile(&f, "y = b^32"), HB_EDATA);
    assert_int_equal(sscanf(strstr(hb_last_error()->text, "; bfv-"), "; %31s", named), 1);
    close_fixture(&f);
    assert_string_equal(named, "bfv-16384");
    open_fixture(&f, named, 1000);
    assert_compiles(&f, "y = b^32");
    close_fixture(&f);
}

static void assert_warns(fixture *f, const char *text, uint32_t count, const char *part)
{
    assert_compiles(f, text);
    if (f->program.warning_count != count || (count > 0 && strstr(f->program.warnings[count - 1], part) == NULL)) {
        fail_msg("%s: %u warnings, %s", text, f->program.warning_count,
                 f->program.warning_count > 0 ? f->program.warnings[f->program.warning_count - 1] : "");
    }
}

/* Ranges of single columns, and of the others. */
static void column_ranges(void **state)
{
    (void)state;
    fixture f;
    hb_range *ranges = NULL;
    uint32_t count = 0;
    hb_interval columns[3];
    open_fixture(&f, "bfv-16384", 1000);
    f.schema[A].width = 8;
    assert_int_equal(hb_ranges_parse("a.\"odd name\"=-5..7,a.1=0..1,a=100..200,b=0..9", &ranges, &count), HB_OK);
    assert_int_equal(hb_ranges_apply(ranges, count, &f.operand[A], columns), HB_OK);
    assert_string_equal(hb_ranges_stranger(ranges, count, f.operand, 1), "b");
    assert_null(hb_ranges_stranger(ranges, count, f.operand, OPERANDS));
    assert_compiles(&f, "y = a.3 + a.x");
    assert_true(f.program.outputs[0].least == -5 && f.program.outputs[0].most == 8);
    assert_compiles(&f, "y = a.y_1");
    assert_true(f.program.outputs[0].least == 100 && f.program.outputs[0].most == 200);
    assert_true(!f.program.outputs[0].schema.column[0].is_signed);
    hb_ranges_free(ranges, count);
    /* one that is not known among others that are */
    f.operand[A].ranged = false;
    columns[1].known = false;
    assert_warns(&f, "y = a*2", 1,
                 "not known of a.y_1, so results may wrap around mod t = 786433 unseen; to have it checked: "
                 "--range a.y_1=LEAST..MOST");
    assert_warns(&f, "y = a*200000", 2,
                 "y.\"odd name\" may leave the plain range: the values can be -1000000 .. 1400000");
    assert_warns(&f, "y = a*786432 + 1", 2,
                 "y.x and 1 more column may leave the plain range: the values can be -3932159 .. 5505025");
    static const char *const wrong[] = {"a.4=1..2", "a.z=1..2", "a.1=1..2,a.x=1..2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(hb_ranges_parse(wrong[i], &ranges, &count), HB_OK);
        assert_int_equal(hb_ranges_apply(ranges, count, &f.operand[A], columns), HB_EUSAGE);
        hb_ranges_free(ranges, count);
    }
    close_fixture(&f);
}

static void matching(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 1000);
    assert_warns(&f, "y = a + e", 1,
                 "columns are matched by position (character 7): 'x' with 'p', 'y_1' with 'q', 'odd name' "
                 "with 'r'");
    assert_warns(&f, "y = a + e + a*e", 1, "matched by position (character 7)"); /* once */
    assert_warns(&f, "y = a.x + e.p", 0, NULL);
    assert_warns(&f, "y = a*2 + a", 0, NULL);
    assert_warns(&f, "y = a*w + b", 0, NULL);
    close_fixture(&f);
}

static void warnings(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 1000); /* t = 786433; b in [0, 255], d of 8 bytes */
    assert_warns(&f, "y = b*b*12", 0, "");
    assert_warns(&f, "y = b*b*13", 1,
                 "y may leave the plain range: the values can be 0 .. 845325, and mod t = 786433 "
                 "there are 0 .. 786432; what is outside wraps around; hebatch params suggest finds a "
                 "t that holds it");
    assert_warns(&f, "y = b*b*6 - 1", 0, "");
    assert_warns(&f, "y = -b*b*7", 1, "can be -455175 .. 0, and mod t = 786433 there are -393216 .. 393216");
    assert_warns(&f, "y = 786432*b - 786431*b", 1, "y may leave");
    assert_warns(&f, "y = sum(b)", 0, "");
    assert_warns(&f, "y = sum(b*b)", 1, "can be 0 .. 65025000");
    assert_warns(&f, "y = sum(b*b) - sum(b*b*2) - sum(b)", 1, "can be -130305000 .. 65025000"); /* of the result */
    assert_warns(&f, "y = b^40", 1,
                 "can be 0 .. more than 2^62, and mod t = 786433 there are 0 .. 786432; what is outside "
                 "wraps around; no t holds that");
    assert_warns(&f, "y = w*b*10", 0, NULL);
    assert_warns(&f, "y = d*b", 1, "the range of values is not known of d, so");
    f.schema[A].width = f.schema[V].width = 8;
    assert_warns(&f, "y = a + d*v", 1,
                 "not known of a, d, v, so results may wrap around mod t = 786433 unseen; to have it "
                 "checked: --range a=LEAST..MOST,d=LEAST..MOST,v=LEAST..MOST");
    assert_warns(&f, "y = a.y_1*b", 1, "not known of a.y_1, so");
    assert_warns(&f, "z = b; y = b", 1, "z (character 1) is neither used nor stored");
    f.operand[D].ranged = true;
    f.operand[D].least = -1000;
    f.operand[D].most = 1000;
    assert_warns(&f, "y = d*b", 0, "");
    assert_warns(&f, "y = d*d*b", 1, "y may leave the plain range: the values can be 0 .. 255000000");
    close_fixture(&f);
}

/* No rows at all: everything but a sum. */
static void empty(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-8192", 0);
    assert_compiles(&f, "y = a*3 + b*d - rotate(b, 1)");
    assert_int_equal(f.program.rows, 0);
    assert_int_equal(compile(&f, "y = sum(b)"), HB_EUSAGE);
    close_fixture(&f);
}

static void hostile(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-8192", 1000);
    char *text = malloc(1 << 17), *at = text;
    assert_non_null(text);
    /* each sum inside another value with rows: as many passes */
    at += sprintf(at, "s = b");
    for (int i = 0; i < 150; i++) {
        at += sprintf(at, "; s = b - sum(s)");
    }
    assert_int_equal(compile(&f, text), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "more than 100 passes"));
    /* a long chain is no deep one */
    at = text + sprintf(text, "y = b");
    for (int i = 1; i < 5000; i++) {
        at += sprintf(at, "+%d*d", i);
    }
    assert_compiles(&f, text);
    /* rows of earlier passes again and again */
    at = text + sprintf(text, "x0 = b");
    for (int i = 1; i < 90; i++) {
        at += sprintf(at, "; x%d = x%d + sum(x%d)", i, i - 1, i - 1);
    }
    const hb_status st = compile(&f, text);
    assert_true(st == HB_OK || st == HB_EDATA);
    free(text);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions), cmocka_unit_test(registers),     cmocka_unit_test(polynomials),
        cmocka_unit_test(results),      cmocka_unit_test(refusals),      cmocka_unit_test(levels),
        cmocka_unit_test(noise),        cmocka_unit_test(column_ranges), cmocka_unit_test(matching),
        cmocka_unit_test(warnings),     cmocka_unit_test(empty),         cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
