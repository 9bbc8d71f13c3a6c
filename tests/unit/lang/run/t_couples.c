/* Two row blocks as one ciphertext, by a program written by hand, run on encrypted reals: each comes back twice as
 * large, also a last one without a next one, and words are the same for every split of row blocks over batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lang/run/runner.h"
#include "reference/real_tables.h"
#include "unit/unit.h"

enum { STEP = 4 };

/* The words of both components that were stored, and their values. */
typedef struct stored {
    fixture *f;
    uint64_t words[BLOCKS][2 * LIMBS * N];
    double value[ALL];
} stored;

static hb_status load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    const fixture *f = ((const stored *)context)->f;
    const size_t count = hb_ciphertexts_count(to), words = (size_t)LIMBS * N;
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch from = hb_ciphertexts_component(f->sealed[operand], c);
        memcpy(hb_ciphertexts_component(to, c).data, from.data + (column * BLOCKS + first) * words,
               count * words * sizeof(uint64_t));
    }
    return HB_OK;
}

static hb_status store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    stored *s = context;
    assert_true(output == 0 && column == 0 && from.size == 2 && from.all.limbs == LIMBS);
    for (size_t i = 0; i < hb_ciphertexts_count(from); i++) {
        const hb_batch c0 = hb_batch_slice(hb_ciphertexts_component(from, 0), i, 1),
                       c1 = hb_batch_slice(hb_ciphertexts_component(from, 1), i, 1);
        memcpy(s->words[first + i], c0.data, (size_t)LIMBS * N * sizeof(uint64_t));
        memcpy(s->words[first + i] + (size_t)LIMBS * N, c1.data, (size_t)LIMBS * N * sizeof(uint64_t));
        decrypt_slots(s->f, c0, c1);
        memcpy(s->value + (first + i) * SLOTS, s->f->f.values.data, SLOTS * sizeof(double));
    }
    return HB_OK;
}

/* Loads a column, rotates its rows two row blocks at a time, and stores twice the result. */
static void run(stored *s, size_t batch)
{
    fixture *f = s->f;
    hb_register registers[] = {{.size = 2, .limbs = LIMBS},
                               {.size = 2, .limbs = LIMBS, .coupled = true},
                               {.size = 2, .limbs = LIMBS, .coupled = true},
                               {.size = 2, .limbs = LIMBS}};
    hb_instruction rows[] = {{.op = HB_OP_LOAD, .to = 0, .operand = X},
                             {.op = HB_OP_COUPLE, .to = 1, .a = 0},
                             {.op = HB_OP_ROTATE, .to = 2, .a = 1, .number = STEP},
                             {.op = HB_OP_UNCOUPLE, .to = 3, .a = 2},
                             {.op = HB_OP_STORE, .a = 3}};
    hb_pass pass = {.rows = rows, .row_count = 5};
    hb_output output = {.limbs = LIMBS};
    hb_program program = {.encoding = HB_ENCODE_SLOTS,
                          .rows = ROWS,
                          .block = 1,
                          .registers = registers,
                          .register_count = 4,
                          .passes = &pass,
                          .pass_count = 1,
                          .outputs = &output,
                          .output_count = 1};
    const hb_runner_setting setting = {f->params, &f->f.keys,   &program, batch, {load, NULL, store, s},
                                       NULL,      {NULL, NULL}, NULL,     NULL};
    hb_runner *runner;
    assert_int_equal(hb_program_blocks_together(&program), 2);
    assert_int_equal(hb_runner_open(f->engine, &setting, NULL, &runner), HB_OK);
    for (size_t first = 0; first < BLOCKS; first += batch) {
        const size_t count = BLOCKS - first < batch ? BLOCKS - first : batch;
        assert_int_equal(hb_runner_rows(runner, 0, first, count), HB_OK);
    }
    hb_runner_close(runner);
}

static void row_blocks_come_back_twice_as_large(void **state)
{
    stored *s = calloc(2, sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < 2; i++) {
        s[i].f = *state;
        run(&s[i], i == 0 ? 2 : BLOCKS); /* 2 and 1; 3 */
    }
    for (size_t block = 0; block < BLOCKS; block++) {
        assert_memory_equal(s[0].words[block], s[1].words[block], sizeof s[0].words[block]);
        for (size_t j = 0; j < SLOTS; j++) {
            const double x = s->f->value[X][block * SLOTS + (j + STEP) % SLOTS];
            assert_true(fabs(s->value[block * SLOTS + j] - 2 * x) < 0x1p-18);
        }
    }
    free(s);
}

/* One ciphertext in the place of two. */
static void coupled_registers_are_half_as_large(void **state)
{
    const fixture *f = *state;
    hb_register registers[] = {{.size = 2, .limbs = LIMBS}, {.size = 2, .limbs = LIMBS}};
    hb_program program = {.encoding = HB_ENCODE_SLOTS, .rows = ROWS, .registers = registers, .register_count = 2};
    const uint64_t one = hb_runner_bytes(f->params, &program, 1, NULL),
                   two = hb_runner_bytes(f->params, &program, 2, NULL),
                   three = hb_runner_bytes(f->params, &program, 3, NULL);
    const uint64_t register_bytes = 2 * LIMBS * N * sizeof(uint64_t);
    registers[1].coupled = true;
    assert_int_equal(hb_runner_bytes(f->params, &program, 1, NULL), one);
    assert_int_equal(hb_runner_bytes(f->params, &program, 2, NULL), two - register_bytes);
    assert_int_equal(hb_runner_bytes(f->params, &program, 3, NULL), three - register_bytes);
}

HB_UNIT(couples)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(row_blocks_come_back_twice_as_large),
                                       cmocka_unit_test(coupled_registers_are_half_as_large)};
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
