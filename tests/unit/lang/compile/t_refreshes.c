/* Programs of integers that bootstrap their noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/compile/compile.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "unit/unit.h"

/* Two encrypted operands of integers, of one column each, with rows for some ciphertexts. */
typedef struct world {
    hb_params *params;
    hb_column column;
    hb_schema schema;
    hb_operand operands[2];
    hb_program_source source;
    hb_program program;
} world;

static void open_world(world *w, const char *preset, uint64_t plain)
{
    static const char *const outputs[] = {"y"}, *const names[] = {"x", "a"};
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    spec.bfv.plain = plain;
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    w->column = (hb_column){.name = (char *)"", .cells = HB_CELL_INTEGER};
    w->schema = (hb_schema){.rows = 3 * spec.n, .columns = 1, .rank = 2, .width = 8, .column = &w->column};
    for (int i = 0; i < 2; i++) {
        w->operands[i] = (hb_operand){.name = names[i],
                                      .schema = &w->schema,
                                      .encrypted = true,
                                      .encoding = HB_ENCODE_SLOTS,
                                      .limbs = w->params->fresh_limbs,
                                      .quality = hb_quality_fresh(w->params, true, HB_BINOMIAL),
                                      .loose = true};
    }
    w->source = (hb_program_source){.params = w->params,
                                    .operands = w->operands,
                                    .operand_count = 2,
                                    .outputs = outputs,
                                    .output_count = 1,
                                    .trust = HB_QUALITY_DRAWN};
}

static hb_status compile(world *w, const char *text)
{
    hb_program_clear(&w->program);
    w->source.text = text;
    return hb_program_compile(&w->program, &w->source);
}

static void close_world(world *w)
{
    hb_program_clear(&w->program);
    hb_params_close(w->params);
}

static uint32_t count_in(const hb_instruction *list, uint32_t count, hb_opcode op)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found += list[i].op == op;
    }
    return found;
}

/* Passes in row instructions, and in those of totals. */
static uint32_t count_passes(const world *w, uint32_t *totals)
{
    uint32_t rows = 0;
    *totals = 0;
    for (uint32_t p = 0; p < w->program.pass_count; p++) {
        const hb_pass *pass = &w->program.passes[p];
        rows += count_in(pass->rows, pass->row_count, HB_OP_REFRESH);
        *totals += count_in(pass->totals, pass->total_count, HB_OP_REFRESH);
    }
    return rows;
}

static const char rising[] = "z = x\nrepeat 60 { z = z * a }\ny = z";
static const char squares[] = "z = x\nrepeat 40 { z = z * z + a }\ny = z";

/* Passes over rows, of a program that is not refused; none over totals. */
static uint32_t row_passes(world *w, const char *text)
{
    uint32_t totals;
    if (compile(w, text) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
    const uint32_t rows = count_passes(w, &totals);
    assert_int_equal(totals, 0);
    return rows;
}

/* Where a chain without bootstraps suffices there is none. */
static void as_few_as_there_must_be(void **state)
{
    (void)state;
    world w;
    open_world(&w, "int-16", 786433);
    assert_int_equal(row_passes(&w, "y = x * a + x"), 0);
    assert_int_equal(row_passes(&w, "z = x\nrepeat 6 { z = z * a }\ny = z"), 0);
    assert_true(row_passes(&w, "z = x\nrepeat 9 { z = z * a }\ny = z") > 0);
    close_world(&w);
}

/* The budget of fresh ciphertexts, 19 bits a pass, and 33 to 36 a product with a fresh value (design section 5.1); a
 * product of two noisy ones, one of which is refreshed, takes one bit more, and up
 * to two where noise with several powers makes the factors count. */
static void long_chains_take_what_the_noise_does(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *text;
        uint64_t plain;
        double products, least, most, gain, fresh;
    } cases[] = {
        {"int-16", rising, 786433, 60, 33, 37.5, 19, 275},      {"int-16", squares, 786433, 40, 34, 39.5, 19, 275},
        {"int-16-sure", rising, 786433, 60, 33, 37.5, 18, 275}, {"int-16-deep", rising, 786433, 60, 33, 37.5, 19, 425},
        {"int-15", rising, 65537, 60, 28, 33, 13, 160},         {"int-16", rising, 1073479681, 60, 43.5, 48, 19, 265},
        {"int-test", rising, 786433, 60, 27, 31.5, 24, 275}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w, cases[i].preset, cases[i].plain);
        const double passes = row_passes(&w, cases[i].text),
                     least = (cases[i].products * cases[i].least - cases[i].fresh) / (cases[i].gain + 0.7),
                     most = (cases[i].products * cases[i].most - cases[i].fresh + 45) / cases[i].gain;
        if (passes < least || passes > most + 1) {
            fail_msg("%s, %s: %g passes, %g to %g are needed", cases[i].preset, cases[i].text, passes, least, most);
        }
        close_world(&w);
    }
}

/* The range of each pass follows from the bound before it: of the first one as many bits as there are above those that
 * EvalMod reads, and of each after it as many more as a pass gives, up to the largest that the chain keeps exact. */
static void ranges_follow_from_bounds(void **state)
{
    (void)state;
    world w;
    open_world(&w, "int-16", 786433);
    (void)row_passes(&w, squares);
    uint32_t most;
    assert_int_equal(hb_quality_refresh_bits(w.params, HB_CERTAINTY_DRAWN, (hb_quality){.worst = 1}, &most), HB_OK);
    const hb_description *d = &w.program.description;
    assert_true(d->bootstrap_count > 10);
    for (uint32_t i = 0; i < d->bootstrap_count; i++) {
        const hb_bootstrap_note *note = &d->bootstraps[i];
        const double first = note->worst_before - 4;
        assert_true(note->passes >= 1 && note->values == 1 && note->ranges[0] <= first + 1.01 &&
                    note->ranges[0] >= first - 0.01);
        for (uint32_t j = 1; j < note->passes; j++) {
            const uint32_t next = note->ranges[j - 1] + 19;
            assert_int_equal(note->ranges[j], next < most ? next : most);
        }
        assert_true(note->worst_after >= note->worst_before + 18 * note->passes - 1 &&
                    note->expected_after >= note->worst_after && note->expected_before >= note->worst_before);
        assert_true(note->limbs_after == w.params->fresh_limbs);
    }
    close_world(&w);
}

/* A total is one ciphertext, and its rows are many; a value that several take is refreshed once. */
static void cuts_are_where_few_values_are(void **state)
{
    (void)state;
    world w;
    uint32_t totals;
    open_world(&w, "int-16", 786433);
    assert_int_equal(compile(&w, "z = sum(x)\nrepeat 20 { z = z * z + 1 }\ny = z * x"), HB_OK);
    assert_int_equal(count_passes(&w, &totals), 0);
    assert_true(totals > 10);
    /* Eight products of one value: it is refreshed before them, and not each of them. */
    static const char early[] = "z = x^64 * a\ny = z*x + z*(x+1)*a + z*(x+2)*(a+1) + z*(x+3)*(a+2)";
    const uint32_t shared = row_passes(&w, early);
    assert_true(shared >= 1 && shared <= 4);
    close_world(&w);
}

/* By proven bounds a pass gives fewer bits, and products take more. */
static void proven_bounds_take_more_passes(void **state)
{
    (void)state;
    static const char text[] = "z = x\nrepeat 12 { z = z * a }\ny = z";
    /* A form that loses a ciphertext in 2^72 proves nothing, also by the bounds that would be proven. */
    const struct {
        const char *preset;
        hb_certainty certainty;
    } cases[] = {{"int-16-sure", HB_CERTAINTY_PROVEN}, {"int-16", HB_CERTAINTY_DRAWN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w, cases[i].preset, 786433);
        const uint32_t drawn = row_passes(&w, text);
        w.source.trust = HB_QUALITY_WORST;
        const uint32_t proven = row_passes(&w, text);
        assert_true(proven > drawn && proven < 4 * drawn);
        assert_true(w.program.outputs[0].quality.certainty == cases[i].certainty);
        assert_true(hb_quality_bits(w.params, w.program.outputs[0].limbs, w.program.outputs[0].quality.worst) >= 1);
        close_world(&w);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    world w;
    open_world(&w, "int-15", UINT64_C(36028797018652673)); /* 55 bits: no product from what a pass leaves */
    assert_int_equal(compile(&w, rising), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "bootstrapping cannot help: it leaves values "));
    close_world(&w);
    open_world(&w, "int-16", 786433);
    w.source.bootstrap = HB_BOOTSTRAP_NEVER;
    assert_int_equal(compile(&w, rising), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "no noise budget is left"));
    close_world(&w);
}

/* Programs of several columns, outputs and levels hold what the exact analysis says. */
static void many_programs_are_planned(void **state)
{
    (void)state;
    static const char *const presets[] = {"int-test", "int-16", "int-16-sure", "int-16-deep", "int-15"};
    static const uint64_t plains[] = {65537, 786433, 1073479681};
    static const char *const texts[] = {"z = x\nrepeat 12 { z = z * z }\ny = sum(z * z * a)",
                                        "z = x\nw = a\nrepeat 15 { t = z * w\n w = z + w\n z = t }\ny = z * w",
                                        "z = x\nrepeat 10 { z = z * z * x + a }\ny = z + modswitch(x)",
                                        "y = poly(x, 1, 2, 3, 4, 5, 6, 7, 8, 9)^16",
                                        "z = x\nrepeat 10 { z = (z + a) * (z - a) }\ny = z * x"};
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        for (size_t q = 0; q < sizeof plains / sizeof *plains; q++) {
            world w;
            open_world(&w, presets[p], plains[q]);
            for (size_t i = 0; i < sizeof texts / sizeof *texts && hb_params_has_slots(w.params); i++) {
                if (compile(&w, texts[i]) != HB_OK) {
                    fail_msg("%s: %s", texts[i], hb_last_error()->text);
                }
                const hb_output *y = &w.program.outputs[0];
                assert_true(hb_quality_bits(w.params, y->limbs, y->likely) >= 1);
            }
            close_world(&w);
        }
    }
}

HB_UNIT(refreshes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_few_as_there_must_be),        cmocka_unit_test(long_chains_take_what_the_noise_does),
        cmocka_unit_test(ranges_follow_from_bounds),      cmocka_unit_test(cuts_are_where_few_values_are),
        cmocka_unit_test(proven_bounds_take_more_passes), cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(many_programs_are_planned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
