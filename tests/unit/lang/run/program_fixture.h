/* Operands of every shape for expressions to be compiled with. */
#ifndef HB_TESTS_PROGRAM_FIXTURE_H
#define HB_TESTS_PROGRAM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/compile/compile.h"
#include "lang/program/program.h"
#include "lang/program/range.h"
#include "scheme/params.h"
#include "scheme/quality.h"

enum { A, B, D, L, S, C, P, E, T, V, W, X, OPERANDS };

/* Operands of every shape, and the last program that was compiled with them. */
typedef struct fixture {
    hb_params *params;
    hb_schema schema[OPERANDS];
    hb_operand operand[OPERANDS];
    hb_program program;
} fixture;

/* Names of their columns. */
static hb_column wide[] = {
    {.name = (char *)"x"}, {.name = (char *)"y_1"}, {.name = (char *)"odd name", .is_signed = true}};
static hb_column other[] = {{.name = (char *)"p"}, {.name = (char *)"q"}, {.name = (char *)"r"}};
static hb_column turned[] = {{.name = (char *)"y_1"}, {.name = (char *)"odd name"}, {.name = (char *)"x"}};
static hb_column narrow[] = {{.name = (char *)""}}, negative[] = {{.name = (char *)"", .is_signed = true}};

static inline void add_operand(fixture *f, int i, const char *name, uint64_t rows, uint64_t columns, uint32_t width,
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
                                 .quality = hb_quality_fresh(f->params, true, HB_BINOMIAL)};
}

static inline void open_fixture(fixture *f, const char *preset, uint64_t rows)
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

static inline void close_fixture(fixture *f)
{
    hb_program_clear(&f->program);
    hb_params_close(f->params);
}

/* The result is the name assigned last. */
static inline hb_status compile(fixture *f, const char *text)
{
    char **reads, **assigns;
    uint32_t last = 0;
    hb_program_clear(&f->program);
    assert_int_equal(hb_program_names(text, &reads, &assigns), HB_OK);
    while (assigns[last + 1] != NULL) {
        last++;
    }
    const char *const outputs[] = {assigns[last]};
    const hb_program_source source = {.text = text,
                                      .params = f->params,
                                      .operands = f->operand,
                                      .operand_count = OPERANDS,
                                      .outputs = outputs,
                                      .output_count = 1,
                                      .trust = HB_QUALITY_WORST};
    const hb_status st = hb_program_compile_with_hint(&f->program, &source);
    hb_names_free(reads);
    hb_names_free(assigns);
    return st;
}

static inline void assert_compiles(fixture *f, const char *text)
{
    if (compile(f, text) != HB_OK) {
        fail_msg("%s", hb_last_error()->text);
    }
}

/* Instructions of that kind in all passes. */
static inline uint32_t count_of(const hb_program *p, hb_opcode op)
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

#endif
