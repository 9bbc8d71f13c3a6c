/* A source is tried several times, and results that all attempts share are found once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lang/compile/cache.h"
#include "lang/compile/compile.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "unit/unit.h"

/* How often passes ran. */
static struct {
    int parse, types, lower;
} ran;

static void count_pass(const char *pass, double begun, double ended)
{
    assert_true(begun <= ended);
    ran.parse += strcmp(pass, "parse") == 0;
    ran.types += strcmp(pass, "types") == 0;
    ran.lower += strcmp(pass, "lower") == 0;
}

/* One encrypted column. */
typedef struct world {
    hb_params *params;
    hb_column column;
    hb_schema schema;
    hb_operand operand;
    hb_program_source source;
} world;

static void open_world(world *w, const char *preset, hb_interval values)
{
    static const char *const outputs[] = {"y"};
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    memset(&ran, 0, sizeof ran);
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    w->column = (hb_column){.name = (char *)"", .cells = values.real ? HB_CELL_REAL : HB_CELL_INTEGER};
    w->schema = (hb_schema){.rows = 1000, .columns = 1, .rank = 2, .width = 8, .column = &w->column};
    w->operand = (hb_operand){.name = "r",
                              .schema = &w->schema,
                              .encrypted = true,
                              .limbs = w->params->fresh_limbs,
                              .quality = hb_quality_fresh(w->params, true, HB_BINOMIAL),
                              .ranged = true,
                              .least = values.least,
                              .most = values.most,
                              .values = values};
    w->source = (hb_program_source){.params = w->params,
                                    .operands = &w->operand,
                                    .operand_count = 1,
                                    .outputs = outputs,
                                    .output_count = 1,
                                    .trust = HB_QUALITY_WORST,
                                    .ran = count_pass};
}

static hb_status compile(world *w)
{
    hb_program program;
    memset(&ran, 0, sizeof ran);
    const hb_status st = hb_program_compile(&program, &w->source);
    hb_program_clear(&program);
    return st;
}

static void a_text_is_parsed_and_checked_once(void **state)
{
    (void)state;
    world w;
    open_world(&w, "ckks-14", hb_interval_of_reals(-4, 4));
    w.source.text = "y = sigmoid(r)";
    w.source.bits = 14; /* which functions of more bits have */
    assert_int_equal(compile(&w), HB_OK);
    assert_true(ran.lower > 1);
    assert_int_equal(ran.parse, 1);
    assert_int_equal(ran.types, 1);
    w.source.bits = 60; /* all attempts are refused */
    assert_int_equal(compile(&w), HB_EDATA);
    assert_true(ran.lower > 5 && ran.parse == 1 && ran.types == 1);
    hb_params_close(w.params);
}

/* Where ranges tell a number in the place of a result, all attempts are made anew, and from the same types. */
static void other_attempts_take_the_same_types(void **state)
{
    (void)state;
    world w;
    open_world(&w, "ckks-16", hb_interval_of_reals(1, 4));
    w.source.text = "y = sign(r)";
    assert_int_equal(compile(&w), HB_OK);
    assert_true(ran.lower == 2 && ran.types == 1);
    w.source.text = "y = r*(";
    assert_int_equal(compile(&w), HB_EUSAGE);
    assert_int_equal(ran.types, 0);
    w.source.text = "y = r + q";
    assert_int_equal(compile(&w), HB_EUSAGE); /* a fault of types ends the search */
    assert_int_equal(ran.lower, 0);
    hb_params_close(w.params);
}

/* A kept graph needs no new types, and keeps those that it was made of. */
static void kept_graphs_keep_their_types(void **state)
{
    (void)state;
    world w;
    hb_compile_cache *cache;
    open_world(&w, "bfv-8192", hb_interval_of(0, 20));
    assert_int_equal(hb_compile_cache_open(&cache), HB_OK);
    w.source.cache = cache;
    w.source.text = "y = r*r + 1";
    for (int i = 0; i < 3; i++) {
        assert_int_equal(compile(&w), HB_OK);
        assert_int_equal(ran.types, i == 0);
        assert_int_equal(cache->parsed, 1);
    }
    hb_compile_cache_close(cache);
    hb_params_close(w.params);
}

/* Compiles by itself and with the cache: the text forms, with numbers, are the same. */
static void compile_both(const world *w, hb_compile_cache *cache)
{
    hb_program alone, cached;
    hb_program_source source = w->source;
    source.listing = HB_LISTING_WITH_NUMBERS;
    source.cache = NULL;
    assert_int_equal(hb_program_compile(&alone, &source), HB_OK);
    source.cache = cache;
    assert_int_equal(hb_program_compile(&cached, &source), HB_OK);
    assert_string_equal(cached.description.listing, alone.description.listing);
    assert_null(cached.constants.derived.known);
    hb_program_clear(&alone);
    hb_program_clear(&cached);
}

/* Columns that are computed from plain tables are looked at once for a text and its tables, and anew for others. */
static void derived_columns_are_found_once(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    static hb_number cells[2][ROWS];
    static hb_column column = {.name = (char *)"", .cells = HB_CELL_REAL};
    const hb_schema schema = {.rows = ROWS, .columns = 1, .rank = 2, .width = 8, .column = &column};
    world w;
    hb_compile_cache *cache;
    open_world(&w, "ckks-14", hb_interval_of_reals(-4, 4));
    for (int i = 0; i < ROWS; i++) {
        cells[0][i].real = i % 7;
        cells[1][i].real = -(i % 5);
    }
    hb_operand operands[2] = {w.operand, {.name = "v", .schema = &schema, .cells = cells[0], .limbs = w.operand.limbs}};
    w.source.operands = operands;
    w.source.operand_count = 2;
    assert_int_equal(hb_compile_cache_open(&cache), HB_OK);
    w.source.text = "y = sigmoid(r)*(2*v - 1) + (v > 3)*sum(3*v)";
    w.source.bits = 10;
    compile_both(&w, cache);
    const uint32_t found = cache->derived.count;
    assert_true(found > 3 && cache->derived.column[found - 1].rows > 0);
    compile_both(&w, cache);
    assert_int_equal(cache->derived.count, found);
    operands[1].cells = cells[1];
    compile_both(&w, cache);
    operands[1].cells = cells[0];
    compile_both(&w, cache);
    w.source.text = "y = r*(v + 1)";
    compile_both(&w, cache);
    assert_true(cache->derived.count < found);
    hb_compile_cache_close(cache);
    hb_params_close(w.params);
}

HB_UNIT(attempts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_parsed_and_checked_once), cmocka_unit_test(other_attempts_take_the_same_types),
        cmocka_unit_test(kept_graphs_keep_their_types), cmocka_unit_test(derived_columns_are_found_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
