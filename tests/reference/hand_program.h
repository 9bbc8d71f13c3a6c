/* A program written by hand that has every instruction, encrypted columns and keys for it, and its run. */
#ifndef HB_TESTS_HAND_PROGRAM_H
#define HB_TESTS_HAND_PROGRAM_H

#include "base/prime.h"
#include "check/fixture.h"
#include "cpu/engine.h"
#include "lang/run/runner.h"
#include "reference/slow.h"
#include "ring/galois.h"

enum { N = 1024, BLOCKS = 3, LAST = 300, LIMBS = 3, T = 12289, OUTPUTS = 4 }; /* T = 1 mod 2 N */
enum { X, Y, PRODUCT, P, R1, R2, R3, SWAPPED, W, LOW, SUM, TOTAL, EVERYWHERE, REGISTERS };

static const hb_register registers[REGISTERS] = {
    [X] = {.size = 2, .limbs = LIMBS},
    [Y] = {.size = 2, .limbs = LIMBS},
    [PRODUCT] = {.size = 3, .limbs = LIMBS},
    [P] = {.size = 2, .limbs = LIMBS},
    [R1] = {.size = 2, .limbs = LIMBS},
    [R2] = {.size = 2, .limbs = LIMBS},
    [R3] = {.size = 2, .limbs = LIMBS},
    [SWAPPED] = {.size = 2, .limbs = LIMBS},
    [W] = {.plain = true, .limbs = LIMBS},
    [LOW] = {.size = 2, .limbs = LIMBS - 1},
    [SUM] = {.size = 2, .limbs = LIMBS, .total = true},
    [TOTAL] = {.size = 2, .limbs = LIMBS, .total = true},
    [EVERYWHERE] = {.size = 2, .limbs = LIMBS},
};

/* Output 0: 5 ((x y - 3 + rot(x, 1) + rot(x, 2) - rot(x, 3) - swap(x)) w + w) - w, negated, a level lower. */
static const hb_instruction rows_0[] = {
    {.op = HB_OP_LOAD, .to = X, .operand = 0},
    {.op = HB_OP_LOAD, .to = Y, .operand = 1},
    {.op = HB_OP_MULTIPLY, .to = PRODUCT, .a = X, .b = Y},
    {.op = HB_OP_RELINEARIZE, .to = P, .a = PRODUCT},
    {.op = HB_OP_ADD_CONSTANT, .to = P, .a = P, .number = -3},
    {.op = HB_OP_ROTATE, .to = R1, .a = X, .number = 1},
    {.op = HB_OP_ROTATE, .to = R2, .a = X, .number = 2},
    {.op = HB_OP_ROTATE, .to = R3, .a = X, .number = 3}, /* along -1 and 4 */
    {.op = HB_OP_SWAP, .to = SWAPPED, .a = X},
    {.op = HB_OP_ADD, .to = P, .a = P, .b = R1},
    {.op = HB_OP_ADD, .to = P, .a = P, .b = R2},
    {.op = HB_OP_SUBTRACT, .to = P, .a = P, .b = R3},
    {.op = HB_OP_SUBTRACT, .to = P, .a = P, .b = SWAPPED},
    {.op = HB_OP_LOAD_PLAIN, .to = W, .operand = 2},
    {.op = HB_OP_MULTIPLY_PLAIN, .to = P, .a = P, .b = W},
    {.op = HB_OP_ADD_PLAIN, .to = P, .a = P, .b = W},
    {.op = HB_OP_MULTIPLY_INTEGER, .to = P, .a = P, .number = 5},
    {.op = HB_OP_SUBTRACT_PLAIN, .to = P, .a = P, .b = W},
    {.op = HB_OP_NEGATE, .to = P, .a = P},
    {.op = HB_OP_MOD_SWITCH, .to = LOW, .a = P},
    {.op = HB_OP_STORE, .a = LOW, .operand = 0},
    {.op = HB_OP_MASK, .to = X, .a = X},
    {.op = HB_OP_ACCUMULATE, .to = SUM, .a = X},
};

/* Output 1: the sum of x over all rows, and 7. */
static const hb_instruction totals_0[] = {
    {.op = HB_OP_SUM_SLOTS, .to = TOTAL, .a = SUM},
    {.op = HB_OP_ADD_CONSTANT, .to = TOTAL, .a = TOTAL, .number = 7},
    {.op = HB_OP_STORE, .a = TOTAL, .operand = 1},
};

/* Output 2: total + (total - x) + 7 in rows; output 3: total * y, not relinearized. */
static const hb_instruction rows_1[] = {
    {.op = HB_OP_LOAD, .to = X, .operand = 0},
    {.op = HB_OP_LOAD, .to = Y, .operand = 1},
    {.op = HB_OP_BROADCAST, .to = EVERYWHERE, .a = TOTAL},
    {.op = HB_OP_SUBTRACT, .to = X, .a = TOTAL, .b = X},
    {.op = HB_OP_ADD, .to = EVERYWHERE, .a = X, .b = EVERYWHERE},
    {.op = HB_OP_ADD_CONSTANT, .to = EVERYWHERE, .a = EVERYWHERE, .number = 7},
    {.op = HB_OP_STORE, .a = EVERYWHERE, .operand = 2},
    {.op = HB_OP_MULTIPLY, .to = PRODUCT, .a = TOTAL, .b = Y},
    {.op = HB_OP_RELINEARIZE, .to = P, .a = PRODUCT},
    {.op = HB_OP_STORE, .a = P, .operand = 3},
};

#define COUNT_OF(a) ((uint32_t)(sizeof(a) / sizeof *(a)))

typedef struct fixture {
    hb_params *params;
    hb_engine *engine;
    hb_fixture fixture;
    hb_switch_keys keys;
    hb_pass passes[2];
    hb_program program;
    uint64_t *slots[3];     /* [BLOCKS * N]: x, y, w; slots beyond the rows are not 0 */
    uint64_t *columns[2];   /* x, y encrypted: [BLOCKS][2][LIMBS][N] */
    uint64_t *plain;        /* w encoded */
    uint64_t *out[OUTPUTS]; /* as columns; of totals the first block alone */
    hb_engine *queue;       /* of the runner that is at work */
} fixture;

static const size_t ciphertext_words = (size_t)2 * LIMBS * N;

/* Where columns come from and go to: ciphertext-major on the host, component-major on the engine. */

static inline hb_status load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    const fixture *f = context;
    const size_t count = hb_ciphertexts_count(to), words = (size_t)LIMBS * N;
    assert_int_equal(column, 0);
    for (size_t c = 0; c < count; c++) {
        for (uint32_t i = 0; i < 2; i++) {
            const uint64_t *from = f->columns[operand] + (first + c) * ciphertext_words + i * words;
            HB_TRY(hb_upload(f->queue, hb_batch_slice(hb_ciphertexts_component(to, i), c, 1).data, from,
                             words * sizeof *from));
        }
    }
    return HB_OK;
}

static inline hb_status load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to)
{
    const fixture *f = context;
    assert_true(operand == 2 && column == 0);
    return hb_upload(f->queue, to.data, f->plain + first * N, to.count * N * sizeof *f->plain);
}

static inline hb_status store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    const fixture *f = context;
    const size_t count = hb_ciphertexts_count(from), words = (size_t)from.all.limbs * N;
    assert_int_equal(column, 0);
    for (size_t c = 0; c < count; c++) {
        for (uint32_t i = 0; i < 2; i++) {
            uint64_t *to = f->out[output] + (first + c) * ciphertext_words + i * words;
            HB_TRY(hb_download(f->queue, to, hb_batch_slice(hb_ciphertexts_component(from, i), c, 1).data,
                               words * sizeof *to));
        }
    }
    return HB_OK;
}

static inline void add_key(fixture *f, uint32_t element)
{
    hb_seed root, seeds[LIMBS];
    hb_switch_key key;
    memset(&root, (int)element + 1, sizeof root);
    for (size_t i = 0; i < LIMBS; i++) {
        memset(&seeds[i], (int)(element + 2 + i), sizeof *seeds);
    }
    assert_int_equal(hb_switch_key_generate(&key, &f->fixture.secret, element, &root, seeds), HB_OK);
    assert_int_equal(hb_switch_keys_add(&f->keys, &key), HB_OK);
}

static inline void make_columns(fixture *f)
{
    uint64_t state = 3;
    const hb_seed root = {{9}};
    for (size_t operand = 0; operand < 3; operand++) {
        f->slots[operand] = malloc((size_t)BLOCKS * N * sizeof(uint64_t));
        for (size_t i = 0; i < (size_t)BLOCKS * N; i++) {
            f->slots[operand][i] = slow_random(&state) % T;
        }
        memcpy(f->fixture.values.data, f->slots[operand], (size_t)BLOCKS * N * sizeof(uint64_t));
        assert_int_equal(hb_encode(f->fixture.codec, f->fixture.plain, f->fixture.values), HB_OK);
        if (operand == 2) {
            f->plain = malloc((size_t)BLOCKS * N * sizeof(uint64_t));
            memcpy(f->plain, f->fixture.plain.data, (size_t)BLOCKS * N * sizeof(uint64_t));
            continue;
        }
        assert_int_equal(hb_encrypt(f->fixture.with_public, f->fixture.c0, f->fixture.c1, NULL, f->fixture.plain, &root,
                                    operand * BLOCKS),
                         HB_OK);
        f->columns[operand] = malloc(BLOCKS * ciphertext_words * sizeof(uint64_t));
        for (size_t c = 0; c < BLOCKS; c++) {
            uint64_t *to = f->columns[operand] + c * ciphertext_words;
            memcpy(to, hb_batch_slice(f->fixture.c0, c, 1).data, ciphertext_words / 2 * sizeof *to);
            memcpy(to + ciphertext_words / 2, hb_batch_slice(f->fixture.c1, c, 1).data,
                   ciphertext_words / 2 * sizeof *to);
        }
    }
}

static inline int open_fixture(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    const uint32_t bits[LIMBS + 1] = {50, 50, 50, 50};
    hb_params_spec spec = {
        .n = N, .key_limbs = LIMBS + 1, .bfv.plain = T, .security = {.level = 128}, .insecure = true};
    const hb_seed root = {{1}};
    const int64_t steps[] = {1, 2, -1};
    assert_int_equal(hb_create_primes(N, bits, LIMBS + 1, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&f->fixture, f->engine, f->params, &root, BLOCKS), HB_OK);
    make_columns(f);
    add_key(f, HB_RELINEARIZATION);
    add_key(f, hb_galois_swap(N));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        add_key(f, hb_galois_rotation(N, 3, steps[i]));
    }
    for (int64_t step = 4; step < N / 2; step *= 2) {
        add_key(f, hb_galois_rotation(N, 3, step));
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        f->out[i] = calloc(BLOCKS * ciphertext_words, sizeof(uint64_t));
    }
    f->passes[0] = (hb_pass){.rows = (hb_instruction *)(uintptr_t)rows_0, .row_count = COUNT_OF(rows_0)};
    f->passes[0].totals = (hb_instruction *)(uintptr_t)totals_0;
    f->passes[0].total_count = COUNT_OF(totals_0);
    f->passes[1] = (hb_pass){.rows = (hb_instruction *)(uintptr_t)rows_1, .row_count = COUNT_OF(rows_1)};
    f->program = (hb_program){.encoding = HB_ENCODE_SLOTS,
                              .rows = (uint64_t)(BLOCKS - 1) * N + LAST,
                              .registers = (hb_register *)(uintptr_t)registers,
                              .register_count = REGISTERS,
                              .passes = f->passes,
                              .pass_count = 2};
    *state = f;
    return 0;
}

static inline int close_fixture(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < OUTPUTS; i++) {
        free(f->out[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        free(f->slots[i]);
        free(i < 2 ? f->columns[i] : f->plain);
    }
    hb_switch_keys_clear(&f->keys);
    hb_fixture_clear(&f->fixture);
    hb_engine_close(f->engine);
    hb_params_close(f->params);
    free(f);
    return 0;
}

/* Row blocks in batches of `batch`, which runners take in turn. */
static inline void run(fixture *f, size_t batch, size_t runners)
{
    const hb_runner_setting setting = {f->params, &f->keys,     &f->program, batch, {load, load_plain, store, f},
                                       NULL,      {NULL, NULL}, NULL,        NULL};
    hb_engine *queues[2];
    hb_runner *runner[2] = {NULL, NULL};
    for (size_t i = 0; i < runners; i++) {
        assert_int_equal(hb_engine_fork(f->engine, &queues[i]), HB_OK);
        assert_int_equal(hb_runner_open(queues[i], &setting, runner[0], &runner[i]), HB_OK);
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (size_t first = 0, turn = 0; first < BLOCKS; first += batch, turn++) {
            const size_t count = BLOCKS - first < batch ? BLOCKS - first : batch;
            f->queue = queues[turn % runners];
            assert_int_equal(hb_runner_rows(runner[turn % runners], pass, first, count), HB_OK);
        }
        f->queue = queues[0];
        for (size_t i = 1; i < runners; i++) {
            assert_int_equal(hb_runner_add(runner[0], runner[i], pass), HB_OK);
        }
        assert_int_equal(hb_runner_totals(runner[0], pass), HB_OK);
    }
    for (size_t i = runners; i-- > 0;) {
        hb_runner_close(runner[i]);
        hb_engine_close(queues[i]);
    }
}

#endif
