/* Comparisons and look-ups of integers in coefficients: the tables that programs have, entry by entry, how many of
 * them, where passes over noise stand between, the bounds behind them, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lang/compile/compile.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "unit/unit.h"

/* Two encrypted operands in coefficients, x of bytes and s of signed ones, of one column each. */
typedef struct world {
    hb_params *params;
    hb_column columns[2];
    hb_schema schemas[2];
    hb_operand operands[2];
    hb_program_source source;
    hb_program program;
} world;

static void open_world(world *w, const char *preset, uint64_t plain)
{
    static const char *const outputs[] = {"y"}, *const names[] = {"x", "s"};
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    spec.bfv.plain = plain;
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    for (int i = 0; i < 2; i++) {
        w->columns[i] = (hb_column){.name = (char *)"", .cells = HB_CELL_INTEGER, .is_signed = i == 1};
        w->schemas[i] = (hb_schema){.rows = 3 * spec.n, .columns = 1, .rank = 2, .width = 8, .column = &w->columns[i]};
        w->operands[i] = (hb_operand){.name = names[i],
                                      .schema = &w->schemas[i],
                                      .encrypted = true,
                                      .encoding = HB_ENCODE_COEFFICIENTS,
                                      .limbs = w->params->fresh_limbs,
                                      .quality = hb_quality_fresh(w->params, true, HB_BINOMIAL)};
    }
    w->source = (hb_program_source){.params = w->params,
                                    .operands = w->operands,
                                    .operand_count = 2,
                                    .outputs = outputs,
                                    .output_count = 1,
                                    .trust = HB_QUALITY_DRAWN};
}

static void close_world(world *w)
{
    hb_program_clear(&w->program);
    hb_params_close(w->params);
}

static hb_status compile(world *w, const char *text)
{
    hb_program_clear(&w->program);
    w->source.text = text;
    return hb_program_compile(&w->program, &w->source);
}

static uint32_t count(const world *w, hb_opcode op)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < w->program.passes[0].row_count; i++) {
        found += w->program.passes[0].rows[i].op == op;
    }
    return found;
}

/* Compiles to one look-up in a table that has f(z) mod t for every z modulo t, the centred one where values are signed;
 * without a single product. */
static void expect_table(world *w, const char *text, int64_t (*f)(int64_t z), bool is_signed)
{
    const int64_t t = (int64_t)w->params->spec.bfv.plain;
    if (compile(w, text) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
    assert_int_equal(count(w, HB_OP_LOOKUP), 1);
    assert_int_equal(count(w, HB_OP_MULTIPLY) + count(w, HB_OP_REFRESH), 0);
    assert_int_equal(w->program.constants.tables.count, 1);
    const hb_bootstrap_table *table = &w->program.constants.tables.table[0];
    assert_int_equal((int64_t)1 << table->bits, t);
    for (int64_t m = 0; m < t; m++) {
        const int64_t z = is_signed && m > t / 2 ? m - t : m;
        if ((int64_t)table->entries[m] != (f(z) % t + t) % t) {
            fail_msg("%s: entry %lld is %llu", text, (long long)z, (unsigned long long)table->entries[m]);
        }
    }
    /* Whatever the operand has, a table leaves this much of 16 and 256 values. */
    assert_true(w->program.outputs[0].quality.certainty == HB_CERTAINTY_DRAWN);
}

static int64_t is_seven(int64_t z)
{
    return z == 7;
}

static int64_t is_below_five(int64_t z)
{
    return z < 5;
}

static int64_t in_bands(int64_t z)
{
    return z < 3 ? 9 : z < 6 ? 4 : 1;
}

static int64_t of_sign(int64_t z)
{
    return z < 0 ? -2 : z == 0 ? 0 : 3;
}

static void tables_have_every_value(void **state)
{
    static const struct {
        const char *preset;
        uint64_t t;
    } chains[] = {{"int-table-test", 256}, {"int-table-test", 16}, {"int-16-table-4", 16}};
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        world w;
        open_world(&w, chains[i].preset, chains[i].t);
        expect_table(&w, "y = x == 7", is_seven, false);
        expect_table(&w, "y = x < 5", is_below_five, false);
        expect_table(&w, "y = lookup(x, 0..2:9, 3..5:4, 1)", in_bands, false);
        expect_table(&w, "y = lookup(s, -1000..-1:-2, 0:0, 3)", of_sign, true);
        close_world(&w);
    }
}

/* The opposite of a comparison is made of its table; one table serves two columns, and a number is no table. */
static void tables_are_shared(void **state)
{
    world w;
    (void)state;
    open_world(&w, "int-table-test", 256);
    assert_int_equal(compile(&w, "y = x >= 5"), HB_OK);
    assert_int_equal(count(&w, HB_OP_LOOKUP), 1);
    assert_int_equal(compile(&w, "y = (x == 7) + 2 * (x == 7)"), HB_OK);
    assert_int_equal(count(&w, HB_OP_LOOKUP), 1);
    assert_int_equal(compile(&w, "y = x + (x < 300)"), HB_OK); /* always true */
    assert_int_equal(count(&w, HB_OP_LOOKUP), 0);
    close_world(&w);
}

/* A second table finds what the first one leaves; where sums leave too little, a pass comes before it. */
static void passes_stand_between(void **state)
{
    world w;
    (void)state;
    open_world(&w, "int-16-table-8", 256);
    assert_int_equal(compile(&w, "y = lookup(lookup(x, 0..99:7, 9), 7:1, 8..9:3)"), HB_OK);
    assert_int_equal(count(&w, HB_OP_LOOKUP), 2);
    const uint32_t before = count(&w, HB_OP_REFRESH);
    assert_int_equal(compile(&w, "y = lookup(100 * lookup(x, 0..99:1, 2), 100:1, 200:3, 5)"), HB_OK);
    assert_int_equal(count(&w, HB_OP_LOOKUP), 2);
    assert_true(count(&w, HB_OP_REFRESH) >= 1 && count(&w, HB_OP_REFRESH) >= before);
    assert_true(hb_program_lookups_over(&w.program, 3) == 6);
    assert_true(hb_program_passes_over(&w.program, 3) == 3 * (2.0 + count(&w, HB_OP_REFRESH)));
    /* Never: nothing is put between. */
    w.source.bootstrap = HB_BOOTSTRAP_NEVER;
    assert_int_equal(compile(&w, "y = lookup(100 * lookup(x, 0..99:1, 2), 100:1, 200:3, 5)"), HB_EDATA);
    close_world(&w);
}

static void expect_refused(world *w, const char *text, hb_status st, const char *words)
{
    assert_int_equal(compile(w, text), st);
    if (strstr(hb_last_error()->text, words) == NULL) {
        fail_msg("'%s' is not in '%s'", words, hb_last_error()->text);
    }
}

static void others_are_refused(void **state)
{
    world w;
    (void)state;
    open_world(&w, "int-table-test", 256);
    expect_refused(&w, "y = x * s", HB_EUSAGE, "holds its values as coefficients");
    expect_refused(&w, "y = sum(x)", HB_EUSAGE, "holds its values as coefficients");
    expect_refused(&w, "y = x < s", HB_EUSAGE, "are more than t = 256 tells apart");
    expect_refused(&w, "y = lookup(x, 1:2)", HB_EDATA, "no entry for 255 values");
    w.source.trust = HB_QUALITY_WORST;
    expect_refused(&w, "y = x == 7", HB_ECONFIG, "is proven");
    close_world(&w);
    open_world(&w, "int-test", 256);
    w.operands[0].ranged = true;
    w.operands[0].most = 9;
    expect_refused(&w, "y = x == 7", HB_ECONFIG, "have no levels for tables");
    close_world(&w);
}

HB_UNIT(coefficient_tables)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_have_every_value), cmocka_unit_test(tables_are_shared),
                                       cmocka_unit_test(passes_stand_between), cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
