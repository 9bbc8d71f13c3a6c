/* Programs of integers that bootstrap their noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/compile/cache.h"
#include "lang/compile/compile.h"
#include "bootstrapping/eval_mod.h"
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
                                    .trust = HB_QUALITY_DRAWN,
                                    .listing = HB_LISTING_WITH_NUMBERS};
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

static void look(void **state)
{
    (void)state;
    static const char *const presets[] = {"int-test", "int-16", "int-16-sure", "int-16-deep", "int-15"};
    static const uint64_t plains[] = {65537, 786433, 1073479681};
    static const char *const texts[] = {"y = x * a + x",
                                        "z = x\nrepeat 8 { z = z * z + a }\ny = z",
                                        "z = x\nrepeat 40 { z = z * z + a }\ny = z",
                                        "z = x\nrepeat 60 { z = z * a }\ny = z",
                                        "z = x\nrepeat 60 { z = z * x }\ny = z",
                                        "z = x\nrepeat 12 { z = z * z }\ny = sum(z * z * a)",
                                        "z = sum(x)\nrepeat 20 { z = z * z + 1 }\ny = z * x",
                                        "z = x\nw = a\nrepeat 15 { t = z * w\n w = z + w\n z = t }\ny = z * w"};
    for (size_t p = 0; p < 5; p++) {
        for (size_t q = 0; q < 3; q++) {
            world w;
            if (strcmp(presets[p], "int-16") >= 0 && strncmp(presets[p], "int-16", 6) == 0 && q == 0) {
                continue;
            }
            open_world(&w, presets[p], plains[q]);
            for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
                const hb_status st = compile(&w, texts[i]);
                uint32_t totals = 0;
                const uint32_t rows = st == HB_OK ? count_passes(&w, &totals) : 0;
                printf("%-12s %10lu %s: %d: %u %u%s%s\n", presets[p], (unsigned long)plains[q], texts[i], st, rows,
                       totals, st != HB_OK ? " " : "", st != HB_OK ? hb_last_error()->text : "");
            }
            close_world(&w);
        }
    }
}

HB_UNIT(refreshes)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(look)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
