/* Bounds of errors of two row blocks as one, against the errors of an encrypted run: a column with errors of its own,
 * other ones in each row block, is coupled, summed over the columns of its rows, and brought apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lang/analysis/ciphertext_size.h"
#include "lang/analysis/data_passes.h"
#include "lang/analysis/error_analysis.h"
#include "lang/analysis/error_bits.h"
#include "lang/analysis/transfer_functions.h"
#include "lang/ir/semantics.h"
#include "lang/run/runner.h"
#include "reference/real_tables.h"
#include "unit/unit.h"

enum { BLOCK = 8, PACKED = 162, CELLS = PACKED * BLOCK };

typedef struct measured {
    fixture *f;
    hb_ciphertexts given; /* [row blocks] */
    double largest;       /* of the errors that were given */
    double off[BLOCKS];   /* the largest errors of sums, which are twice as large as those of rows */
} measured;

static double value_of(const fixture *f, size_t slot)
{
    return slot < CELLS ? f->value[X][slot] : 0;
}

/* About normal. */
static double draw_error(fixture *f, double deviation)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        sum += number(f, deviation / 2);
    }
    return sum;
}

/* Encrypts a row block with errors of both parts of slots. */
static void give(measured *m, size_t block, double deviation)
{
    fixture *f = m->f;
    double *values = (double *)f->f.values.data;
    for (size_t j = 0; j < SLOTS; j++) {
        const double real = draw_error(f, deviation), imaginary = draw_error(f, deviation);
        values[j] = value_of(f, block * SLOTS + j) + real;
        values[SLOTS + j] = imaginary;
        m->largest = fmax(m->largest, hypot(real, imaginary));
    }
    assert_int_equal(hb_encode(f->f.codec, f->f.plain, f->f.values), HB_OK);
    assert_int_equal(hb_encrypt(f->f.with_public, hb_batch_slice(hb_ciphertexts_component(m->given, 0), block, 1),
                                hb_batch_slice(hb_ciphertexts_component(m->given, 1), block, 1), NULL, f->f.plain,
                                &f->f.root, 1000 + block),
                     HB_OK);
}

static hb_status load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    const measured *m = context;
    const size_t count = hb_ciphertexts_count(to), words = (size_t)LIMBS * N;
    assert_true(operand == 0 && column == 0);
    for (uint32_t c = 0; c < 2; c++) {
        memcpy(hb_ciphertexts_component(to, c).data, hb_ciphertexts_component(m->given, c).data + first * words,
               count * words * sizeof(uint64_t));
    }
    return HB_OK;
}

/* Notes the largest error of the sums in f->f.values, the slots of a row block. */
static void measure(measured *m, size_t block)
{
    const fixture *f = m->f;
    for (size_t j = 0; j < SLOTS && block * SLOTS + j < CELLS; j += BLOCK) {
        double sum = 0;
        for (size_t k = 0; k < BLOCK; k++) {
            sum += 2 * value_of(f, block * SLOTS + j + k);
        }
        m->off[block] = fmax(m->off[block], fabs(((const double *)f->f.values.data)[j] - sum));
    }
}

static hb_status store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    measured *m = context;
    assert_true(output == 0 && column == 0 && from.size == 2);
    for (size_t i = 0; i < hb_ciphertexts_count(from); i++) {
        decrypt_slots(m->f, hb_batch_slice(hb_ciphertexts_component(from, 0), i, 1),
                      hb_batch_slice(hb_ciphertexts_component(from, 1), i, 1));
        measure(m, first + i);
    }
    return HB_OK;
}

static void run(measured *m)
{
    hb_register registers[] = {{.size = 2, .limbs = LIMBS},
                               {.size = 2, .limbs = LIMBS, .coupled = true},
                               {.size = 2, .limbs = LIMBS, .coupled = true},
                               {.size = 2, .limbs = LIMBS}};
    hb_instruction rows[] = {{.op = HB_OP_LOAD, .to = 0},
                             {.op = HB_OP_COUPLE, .to = 1, .a = 0},
                             {.op = HB_OP_ROW_SUM, .to = 2, .a = 1, .number = BLOCK},
                             {.op = HB_OP_UNCOUPLE, .to = 3, .a = 2},
                             {.op = HB_OP_STORE, .a = 3}};
    hb_pass pass = {.rows = rows, .row_count = 5};
    hb_output output = {.limbs = LIMBS};
    hb_program program = {.encoding = HB_ENCODE_SLOTS,
                          .rows = PACKED,
                          .block = BLOCK,
                          .registers = registers,
                          .register_count = 4,
                          .passes = &pass,
                          .pass_count = 1,
                          .outputs = &output,
                          .output_count = 1};
    const hb_runner_setting setting = {m->f->params, &m->f->f.keys, &program, BLOCKS, {load, NULL, store, m},
                                       NULL,         {NULL, NULL},  NULL,     NULL};
    hb_runner *runner;
    assert_int_equal(hb_runner_open(m->f->engine, &setting, NULL, &runner), HB_OK);
    assert_int_equal(hb_runner_rows(runner, 0, 0, BLOCKS), HB_OK);
    hb_runner_close(runner);
}

/* Sets bounds, in units of values, to those of the result of a column whose errors are `largest` at most. */
static void find_bounds(const measured *m, double *worst, double *expected)
{
    const hb_params *p = m->f->params;
    const hb_item item = {.at = 0};
    hb_operand x = m->f->operand[X];
    hb_graph g = {.params = p,
                  .spec = &p->spec,
                  .semantics = hb_semantics_of(HB_CKKS),
                  .operands = &x,
                  .operand_count = 1,
                  .rows = PACKED,
                  .block = BLOCK,
                  .encoding = HB_ENCODE_SLOTS};
    const hb_node loaded = {
        .op = HB_OP_LOAD,
        .a = HB_NO_NODE,
        .b = HB_NO_NODE,
        .shape = {.limbs = LIMBS, .width = BLOCK, .padding_zero = true, .tail_zero = true, .halves = HB_HALVES_REAL},
        .range.interval = hb_interval_of_reals(-1, 1)};
    hb_facts facts;
    uint32_t y;
    hb_graph_at_item(&g, &item, (hb_iteration){0});
    assert_int_equal(hb_graph_node(&g, &loaded, &y), HB_OK);
    const double error = hb_node_error_bits(&g, &g.nodes[y], m->largest);
    x.quality = (hb_quality){.worst = error, .expected = error, .powers = 1};
    assert_int_equal(hb_graph_unary(&g, HB_OP_COUPLE, y, 0, &y), HB_OK);
    assert_int_equal(hb_graph_unary(&g, HB_OP_ROW_SUM, y, BLOCK, &y), HB_OK);
    assert_int_equal(hb_graph_unary(&g, HB_OP_UNCOUPLE, y, 0, &y), HB_OK);
    assert_int_equal(hb_facts_init(&facts, &g), HB_OK);
    hb_facts_need(&facts, &y, 1);
    hb_facts_find_sizes(&facts);
    assert_int_equal(hb_facts_find_data_passes(&facts), HB_OK);
    assert_int_equal(hb_facts_find_errors(&facts, HB_QUALITY_WORST), HB_OK);
    const hb_quality quality = hb_node_quality(&facts, &g.nodes[y]);
    *worst = hb_node_error_value(&g, &g.nodes[y], quality.worst);
    *expected = hb_node_error_value(&g, &g.nodes[y], quality.expected);
    hb_facts_clear(&facts);
    hb_graph_clear(&g);
}

/* Each of two row blocks has the real errors of its own and the imaginary ones of the other: those of the worse one are
 * in both. The last one has no next one, and its own alone. */
static void measured_errors_are_within_their_bounds(void **state)
{
    static const double deviation[][BLOCKS] = {
        {0x1p-16, 0x1p-16, 0x1p-16}, {0x1p-20, 0x1p-16, 0x1p-18}, {0x1p-16, 0x1p-20, 0x1p-16}};
    fixture *f = *state;
    for (size_t i = 0; i < sizeof deviation / sizeof *deviation; i++) {
        measured m = {.f = f};
        double worst, expected;
        assert_int_equal(hb_ciphertexts_alloc(&m.given, f->engine, f->params, 2, BLOCKS, LIMBS), HB_OK);
        for (size_t block = 0; block < BLOCKS; block++) {
            give(&m, block, deviation[i][block]);
        }
        run(&m);
        find_bounds(&m, &worst, &expected);
        for (size_t block = 0; block < BLOCKS; block++) {
            const double bits = log2(m.off[block] / expected);
            assert_true(m.off[block] <= worst && bits <= hb_quality_margin(f->params));
            assert_true(block == 2 || bits > -1.75);
        }
        hb_batch_free(f->engine, &m.given.all);
    }
}

HB_UNIT(coupled_errors)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(measured_errors_are_within_their_bounds)};
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
