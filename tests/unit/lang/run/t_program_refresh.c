/* Programs of integers that bootstrap their noise, on ciphertexts: random ones of up to 60 products in a row, whose
 * results are compared with those modulo t, and whose noise is held against its bounds. PROGRAMS in the environment
 * says how many of each plain modulus, SEED which. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/modarith.h"
#include "check/fixture.h"
#include "cpu/engine.h"
#include "lang/compile/compile.h"
#include "lang/run/runner.h"
#include "reference/slow.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "unit/unit.h"

enum { N = 1024, BLOCKS = 2, ROWS = BLOCKS * N, VALUES = 80, TABLES = 2 };

typedef struct value {
    uint64_t slot[ROWS];
    bool total;
} value;

typedef struct world {
    hb_params *params;
    hb_engine *engine;
    hb_fixture f;
    hb_column column;
    hb_schema schema;
    hb_operand operand[TABLES];
    hb_batch table[TABLES][2]; /* [BLOCKS] of both components */
    hb_program program;
    char text[8192];
    value *value; /* [VALUES] tables, and what is assigned */
    uint32_t count;
    uint64_t state;
    uint64_t *stored;   /* [ROWS] decrypted */
    uint32_t passes;    /* of all programs */
    double most, least; /* measured bits above the expected ones */
} world;

static uint64_t t_of(const world *w)
{
    return w->params->spec.bfv.plain;
}

static void encrypt_table(world *w, int i)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        w->value[i].slot[row] = slow_random(&w->state) % t_of(w);
        w->f.values.data[row] = w->value[i].slot[row];
    }
    assert_int_equal(hb_encode(w->f.codec, w->f.plain, w->f.values), HB_OK);
    for (int c = 0; c < 2; c++) {
        assert_int_equal(hb_batch_alloc(w->engine, &w->table[i][c], BLOCKS, w->params->fresh_limbs, w->params->ids),
                         HB_OK);
    }
    assert_int_equal(hb_encrypt(w->f.with_public, w->table[i][0], w->table[i][1], NULL, w->f.plain, &w->f.root,
                                (uint64_t)i * BLOCKS),
                     HB_OK);
}

static void add_keys(world *w)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const hb_params_spec *spec = &w->params->spec;
    const uint32_t count = hb_slots_sum_steps(spec, steps);
    assert_int_equal(hb_fixture_add_bootstrap_keys(&w->f), HB_OK);
    assert_int_equal(hb_fixture_add_key(&w->f, HB_RELINEARIZATION), HB_OK);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = hb_slots_rotation(spec, steps[i]);
        if (hb_switch_keys_find(&w->f.keys, element) == NULL) { /* maps of bootstrapping have many */
            assert_int_equal(hb_fixture_add_key(&w->f, element), HB_OK);
        }
    }
    assert_int_equal(hb_fixture_add_key(&w->f, hb_slots_swap(spec)), HB_OK);
}

static void open_world(world *w, hb_eval_mod form, uint64_t plain)
{
    static const char *const names[TABLES] = {"x", "a"};
    const hb_seed root = {{3}};
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    w->state = 11;
    w->least = HUGE_VAL;
    w->most = -HUGE_VAL;
    assert_int_equal(hb_params_preset("int-test", &spec), HB_OK);
    spec.bfv.plain = plain;
    spec.bootstrapping.eval_mod = form;
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&w->params->ring, &w->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&w->f, w->engine, w->params, &root, BLOCKS), HB_OK);
    add_keys(w);
    w->value = calloc(VALUES, sizeof *w->value);
    w->stored = calloc(ROWS, sizeof *w->stored);
    assert_true(w->value != NULL && w->stored != NULL);
    w->column = (hb_column){.name = (char *)""};
    w->schema = (hb_schema){.rows = ROWS, .columns = 1, .rank = 2, .width = 8, .column = &w->column};
    for (int i = 0; i < TABLES; i++) {
        encrypt_table(w, i);
        w->operand[i] = (hb_operand){.name = names[i],
                                     .schema = &w->schema,
                                     .encrypted = true,
                                     .encoding = HB_ENCODE_SLOTS,
                                     .limbs = w->params->fresh_limbs,
                                     .quality = hb_quality_fresh(w->params, true, HB_GAUSSIAN),
                                     .loose = true};
    }
}

static void close_world(world *w)
{
    hb_program_clear(&w->program);
    for (int i = 0; i < TABLES; i++) {
        hb_batch_free(w->engine, &w->table[i][0]);
        hb_batch_free(w->engine, &w->table[i][1]);
    }
    free(w->value);
    free(w->stored);
    hb_fixture_clear(&w->f);
    hb_engine_close(w->engine);
    hb_params_close(w->params);
}

/* --- programs and what they come to */

static uint32_t draw(world *w, uint32_t below)
{
    return (uint32_t)(slow_random(&w->state) % below);
}

static void say(world *w, const char *format, uint32_t to, uint32_t a, uint32_t b)
{
    char line[128];
    snprintf(line, sizeof line, format, to, a, b);
    strcat(w->text, line);
}

static uint64_t computed(char op, uint64_t a, uint64_t b, uint64_t t)
{
    return op == '*' ? (uint64_t)((hb_u128)a * b % t) : op == '+' ? (a + b) % t : (a + t - b) % t;
}

/* Adds a statement with one operation on values, b a value or, of a number, that. */
static void add_statement(world *w, char op, uint32_t a, uint32_t b, bool number)
{
    const uint32_t to = w->count++;
    value *r = &w->value[to];
    const value *x = &w->value[a], *y = &w->value[number ? 0 : b];
    char format[] = "v%u = v%u * v%u\n", with_number[] = "v%u = v%u * %u\n";
    format[10] = with_number[10] = op;
    say(w, number ? with_number : format, to, a, b);
    r->total = x->total && (number || y->total);
    for (uint32_t i = 0; i < ROWS; i++) {
        r->slot[i] = computed(op, x->slot[i], number ? b : y->slot[i], t_of(w));
    }
}

static void add_sum(world *w, uint32_t a)
{
    const uint32_t to = w->count++;
    value *r = &w->value[to];
    uint64_t sum = 0;
    say(w, "v%u = sum(v%u)\n", to, a, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        sum = (sum + w->value[a].slot[i]) % t_of(w);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        r->slot[i] = sum;
    }
    r->total = true;
}

static void begin_text(world *w)
{
    strcpy(w->text, "v0 = x\nv1 = a\n");
    w->count = TABLES;
}

/* So many statements on recent values, mostly products; the first values live long. */
static void draw_program(world *w, uint32_t statements)
{
    static const char ops[] = "*****+-";
    begin_text(w);
    for (uint32_t i = 0; i < statements; i++) {
        const uint32_t a = w->count - 1 - draw(w, w->count < 3 ? w->count : 3), kind = draw(w, 12);
        const uint32_t b = kind < 2 ? a : kind < 4 ? draw(w, w->count) : w->count - 1 - draw(w, 2);
        const char op = ops[draw(w, 7)];
        if (kind == 4 && !w->value[a].total) {
            add_sum(w, a);
        } else if (kind == 5) {
            add_statement(w, op, a, 1 + draw(w, 9), true);
        } else if (op == '*' || a != b) {
            add_statement(w, op, a, b, false);
        }
    }
}

/* --- runs */

static hb_status load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    const world *w = context;
    (void)column;
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch part = hb_ciphertexts_component(to, c);
        HB_TRY(hb_copy(w->engine, part, hb_batch_slice(w->table[operand][c], first, part.count)));
    }
    return HB_OK;
}

/* Decrypts, and holds the noise against its bounds. */
static hb_status store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    world *w = context;
    const hb_output *o = &w->program.outputs[output];
    const double likely = hb_quality_bits(w->params, o->limbs, hb_quality_likely(w->params, o->quality));
    const double expected = hb_quality_bits(w->params, o->limbs, o->quality.expected);
    (void)column;
    assert_int_equal(o->limbs, w->params->fresh_limbs);
    for (size_t i = 0; i < hb_ciphertexts_count(from); i++) {
        const hb_batch c0 = hb_batch_slice(hb_ciphertexts_component(from, 0), i, 1),
                       c1 = hb_batch_slice(hb_ciphertexts_component(from, 1), i, 1),
                       phase = hb_batch_slice(w->f.phase, 0, 1), plain = hb_batch_slice(w->f.plain, 0, 1),
                       values = hb_batch_slice(w->f.values, 0, 1);
        uint32_t budget = 0;
        HB_TRY(hb_phase(w->f.decryptor, phase, c0, c1));
        HB_TRY(hb_decrypt(w->f.decryptor, plain, phase));
        HB_TRY(hb_decode(w->f.codec, values, plain));
        memcpy(w->stored + (first + i) * N, values.data, N * sizeof *w->stored);
        HB_TRY(hb_decryptor_measure(w->f.decryptor, &budget, phase));
        if (strstr(w->text, "sum(") == NULL) { /* which multiplies the noise of one coefficient, large or not, by N */
            w->most = fmax(w->most, budget - expected);
            w->least = fmin(w->least, budget - expected);
        }
        if (budget < likely || budget < hb_quality_bits(w->params, o->limbs, o->quality.worst)) {
            fail_msg("%u bits of budget instead of %.0f (expected %.0f) of\n%s", budget, likely, expected, w->text);
        }
    }
    return HB_OK;
}

static hb_status compile(world *w, hb_quality_trust trust)
{
    const char *outputs[] = {"y"};
    const hb_program_source source = {.text = w->text,
                                      .params = w->params,
                                      .operands = w->operand,
                                      .operand_count = TABLES,
                                      .outputs = outputs,
                                      .output_count = 1,
                                      .trust = trust};
    hb_program_clear(&w->program);
    return hb_program_compile(&w->program, &source);
}

static uint32_t count_passes(const hb_program *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->pass_count; i++) {
        for (uint32_t j = 0; j < p->passes[i].row_count; j++) {
            count += p->passes[i].rows[j].op == HB_OP_REFRESH;
        }
        for (uint32_t j = 0; j < p->passes[i].total_count; j++) {
            count += p->passes[i].totals[j].op == HB_OP_REFRESH;
        }
    }
    return count;
}

/* Runs the program of the text, of which the last value is the result, in one batch or in several. Programs of which
 * nothing encrypted is left, as of x - x, are refused. */
static uint32_t run(world *w, hb_quality_trust trust, size_t batch)
{
    say(w, "y = v%u + 1\n", w->count - 1, 0, 0);
    if (compile(w, trust) != HB_OK) {
        if (strstr(hb_last_error()->text, "a transparent ciphertext, which is refused") == NULL) {
            fail_msg("%s\n%s", hb_last_error()->text, w->text);
        }
        return 0;
    }
    const hb_runner_setting setting = {w->params, &w->f.keys,   &w->program, batch, {load, NULL, store, w},
                                       NULL,      {NULL, NULL}, NULL,        NULL};
    hb_runner *runner;
    assert_int_equal(hb_runner_open(w->engine, &setting, NULL, &runner), HB_OK);
    for (uint32_t pass = 0; pass < w->program.pass_count; pass++) {
        for (size_t first = 0; first < BLOCKS; first += batch) {
            assert_int_equal(hb_runner_rows(runner, pass, first, batch), HB_OK);
        }
        assert_int_equal(hb_runner_totals(runner, pass), HB_OK);
    }
    hb_runner_close(runner);
    const value *r = &w->value[w->count - 1];
    for (uint32_t i = 0; i < (r->total ? N : ROWS); i++) {
        if (w->stored[i] != (r->slot[i] + 1) % t_of(w)) {
            fail_msg("row %u is %llu instead of %llu of\n%s", i, (unsigned long long)w->stored[i],
                     (unsigned long long)((r->slot[i] + 1) % t_of(w)), w->text);
        }
    }
    const uint32_t passes = count_passes(&w->program);
    w->passes += passes;
    return passes;
}

/* A number of the environment: PROGRAMS, of each plain modulus, and SEED. */
static uint32_t from_environment(const char *name, uint32_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static void random_programs(void **state)
{
    (void)state;
    const uint32_t programs = from_environment("PROGRAMS", 6), seed = from_environment("SEED", 0);
    static const uint64_t plains[] = {786433, 65537, 1073479681};
    for (size_t p = 0; p < sizeof plains / sizeof *plains; p++) {
        world *w = malloc(sizeof *w);
        assert_non_null(w);
        open_world(w, p == 1 ? HB_EVAL_MOD_FINE : HB_EVAL_MOD_FINE_SURE, plains[p]);
        w->state += seed;
        for (uint32_t i = 0; i < programs; i++) {
            draw_program(w, i < 6 ? 12 + 6 * i : 1 + draw(w, 60));
            run(w, i % 3 == 2 ? HB_QUALITY_EXPECTED : HB_QUALITY_DRAWN, 1 + i % 2);
        }
        printf("t = %llu: %u passes; budgets %.0f to %.0f above the expected ones\n", (unsigned long long)plains[p],
               w->passes, w->least, w->most);
        /* The expected ones allow for values that share their noise; here most are drawn apart. */
        assert_true((w->passes > 10 || programs < 6) && w->least >= -2 && (w->most <= 15 || programs > 6));
        close_world(w);
        free(w);
    }
}

HB_UNIT(program_refresh)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
