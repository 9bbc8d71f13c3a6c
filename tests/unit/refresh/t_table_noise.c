/* The noise behind a table: bounds against the budgets that the model's ciphertexts have (vectors/integers), the law of
 * the square, and everything that is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reference/int_vectors.h"
#include "refresh/table.h"
#include "rlwe/bounds.h"
#include "scheme/params.h"
#include "unit/unit.h"

static double log_modulus(const hb_params *params)
{
    return hb_log_modulus(params, hb_params_fresh_limbs(params));
}

/* Noise with a budget of so many bits, in all bounds. */
static hb_quality with_budget(const hb_params *params, double bits)
{
    const double noise = log_modulus(params) - 1 - bits;
    return (hb_quality){.worst = noise, .expected = noise, .powers = 1, .certainty = HB_CERTAINTY_DRAWN};
}

static double budget(const hb_params *params, double noise)
{
    return log_modulus(params) - 1 - noise;
}

static hb_params *open_chain(const char *name, uint64_t plain)
{
    hb_params_spec spec;
    hb_params *params = NULL;
    assert_int_equal(hb_params_preset(name, &spec), HB_OK);
    spec.bfv.plain = plain;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

/* No measured budget is below its bound, nor more than three bits above it. */
static void bounds_hold_for_the_models(void **state)
{
    const char *name;
    json_t *index = int_index_in(HB_TESTS_VECTORS "/integers/tables.json"), *json;
    size_t cases = 0;
    (void)state;
    json_object_foreach(index, name, json)
    {
        const int_case c = int_case_of(index, name);
        hb_params *params = NULL;
        hb_quality out;
        assert_int_equal(hb_params_open(&c.spec, &params), HB_OK);
        const double before = (double)int_number(int_item(&c, "operand"), "budget");
        const double after = (double)int_number(int_item(&c, "result"), "budget");
        const hb_status st = hb_refresh_table_noise(params, HB_CERTAINTY_DRAWN, with_budget(params, before), &out);
        assert_int_equal(st, HB_OK);
        assert_in_range((uint64_t)(1000 * (after + 1 - budget(params, out.worst))), 0, 4000);
        assert_true(out.expected <= out.worst && out.powers == 1);
        hb_params_close(params);
        cases++;
    }
    assert_int_equal(cases, 4);
    json_decref(index);
}

/* Each bit of budget more gives two, up to what the ciphertexts themselves add. */
static void noise_is_squared(void **state)
{
    static const struct {
        const char *name;
        uint64_t t;
        double most; /* of budget, all but 2^-64: 35.4 - 2 log2 t - log2(N / 1024) - 6.2 */
    } chains[] = {{"int-table-test", 256, 13.2},
                  {"int-16-table-8", 256, 7.2},
                  {"int-16-table-8", 16, 15.2},
                  {"int-16-table-4", 4, 19.2}};
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        hb_params *params = open_chain(chains[i].name, chains[i].t);
        hb_quality seven, eight, fresh;
        assert_int_equal(hb_refresh_table_noise(params, HB_CERTAINTY_DRAWN, with_budget(params, 60), &fresh), HB_OK);
        assert_true(fabs(budget(params, fresh.worst) - chains[i].most) < 0.01);
        assert_int_equal(hb_refresh_table_noise(params, HB_CERTAINTY_DRAWN, with_budget(params, 5.5), &seven), HB_OK);
        assert_int_equal(hb_refresh_table_noise(params, HB_CERTAINTY_DRAWN, with_budget(params, 6.5), &eight), HB_OK);
        const double gain = seven.worst - eight.worst;
        assert_true(gain > 1.5 && gain < 2.01);
        hb_params_close(params);
    }
}

static void expect_refused(hb_params *params, hb_certainty certainty, double bits, hb_status st, const char *words)
{
    hb_quality out;
    assert_int_equal(hb_refresh_table_noise(params, certainty, with_budget(params, bits), &out), st);
    if (strstr(hb_last_error()->text, words) == NULL) {
        fail_msg("'%s' is not in '%s'", words, hb_last_error()->text);
    }
    hb_params_close(params);
}

static void what_does_not_hold_is_refused(void **state)
{
    (void)state;
    expect_refused(open_chain("int-test", 256), HB_CERTAINTY_DRAWN, 20, HB_ECONFIG, "no levels for tables");
    expect_refused(open_chain("int-table-test", 0xc0001), HB_CERTAINTY_DRAWN, 20, HB_ECONFIG, "a power of two");
    expect_refused(open_chain("int-table-test", 255), HB_CERTAINTY_DRAWN, 20, HB_ECONFIG, "a power of two");
    expect_refused(open_chain("int-table-test", 512), HB_CERTAINTY_DRAWN, 20, HB_ECONFIG, "from 4 to 256");
    expect_refused(open_chain("int-16-table-4", 32), HB_CERTAINTY_DRAWN, 20, HB_ECONFIG, "from 4 to 16");
    expect_refused(open_chain("int-table-test", 2), HB_CERTAINTY_DRAWN, 20, HB_ECONFIG, "from 4 to 256");
    expect_refused(open_chain("int-table-test", 256), HB_CERTAINTY_PROVEN, 20, HB_ECONFIG, "is proven");
    /* The operand itself may be wrong, or a table's result. */
    expect_refused(open_chain("int-table-test", 256), HB_CERTAINTY_DRAWN, 0, HB_EDATA, "too little noise budget");
    expect_refused(open_chain("int-table-test", 256), HB_CERTAINTY_DRAWN, 4.2, HB_EDATA, "too little noise budget");
    hb_quality out;
    hb_params *params = open_chain("int-table-test", 256);
    assert_int_equal(hb_refresh_table_noise(params, HB_CERTAINTY_DRAWN, with_budget(params, 4.4), &out), HB_OK);
    hb_params_close(params);
}

HB_UNIT(table_noise)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_for_the_models),
        cmocka_unit_test(noise_is_squared),
        cmocka_unit_test(what_does_not_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
