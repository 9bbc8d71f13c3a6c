/* Tables of reals for expressions, and their plans. */
#ifndef TESTS_REALS_WORLD_H
#define TESTS_REALS_WORLD_H

#include "program_fixture.h"

enum { ROWS = 10000, COLUMNS = 3, MOST_COLUMNS = 4 };

/* Operands, the weights of one of them, and the last program that was compiled with them. */
typedef struct world {
    hb_params *params;
    hb_schema schema[4];
    hb_column column[4][MOST_COLUMNS];
    hb_number weights[2 * MOST_COLUMNS];
    hb_operand operand[4];
    hb_program program;
} world;

/* A table of values in [-1, 1]; limbs: of its ciphertexts, 0: it is plain. */
static inline void add_table(world *w, int i, const char *name, uint64_t rows, uint32_t columns, hb_halves halves,
                             uint32_t limbs)
{
    static char *const names[] = {(char *)"p", (char *)"q", (char *)"r", (char *)"s"};
    for (uint32_t c = 0; c < columns; c++) {
        w->column[i][c] = (hb_column){.name = names[c],
                                      .cells = HB_CELL_REAL,
                                      .halves = halves,
                                      .ranged = true,
                                      .least = hb_real_word(-1),
                                      .most = hb_real_word(1)};
    }
    w->schema[i] =
        (hb_schema){.rows = rows, .columns = columns, .rank = 2, .width = 8, .named = true, .column = w->column[i]};
    w->operand[i] = (hb_operand){.name = name,
                                 .schema = &w->schema[i],
                                 .encrypted = limbs > 0,
                                 .limbs = limbs,
                                 .quality = hb_quality_fresh(w->params, true, HB_BINOMIAL),
                                 .ranged = true,
                                 .values = hb_interval_of_reals(-1, 1)};
}

/* Without operands. */
static inline void open_empty(world *w, const char *preset)
{
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
}

/* Two tables of three columns, one of them a level lower, plain weights, and a plain table. */
static inline void open_world(world *w, const char *preset, uint64_t rows)
{
    open_empty(w, preset);
    const uint32_t fresh = w->params->fresh_limbs;
    add_table(w, 0, "x", rows, COLUMNS, HB_HALVES_REAL, fresh);
    add_table(w, 1, "low", rows, COLUMNS, HB_HALVES_REAL, fresh - 1);
    add_table(w, 2, "w", 2, COLUMNS, HB_HALVES_REAL, 0);
    add_table(w, 3, "t", rows, COLUMNS, HB_HALVES_REAL, 0);
    static const double weights[] = {0.5, -2, 0, 1, 1, 0.25};
    for (int i = 0; i < 2 * COLUMNS; i++) {
        w->weights[i] = (hb_number){.integer = 0, .real = weights[i]};
    }
    w->operand[2].cells = w->weights;
}

static inline void close_world(world *w)
{
    hb_program_clear(&w->program);
    hb_params_close(w->params);
}

static inline hb_status compile_bits(world *w, const char *text, double bits)
{
    static const char *const outputs[] = {"y"};
    const hb_program_source source = {.text = text,
                                      .params = w->params,
                                      .operands = w->operand,
                                      .operand_count = 4,
                                      .outputs = outputs,
                                      .output_count = 1,
                                      .trust = HB_QUALITY_WORST,
                                      .bits = bits};
    hb_program_clear(&w->program);
    return hb_program_compile_with_hint(&w->program, &source);
}

static inline void assert_plan(world *w, const char *text)
{
    if (compile_bits(w, text, 0) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
}

static inline uint32_t count(const world *w, hb_opcode op)
{
    return count_of(&w->program, op);
}

#endif
