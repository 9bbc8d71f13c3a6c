/* Random expressions on ciphertexts: encrypted, compiled, run, decrypted, and compared with the value of the
 * expression's tree; the noise that is measured is never above the proven bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prime.h"
#include "check/fixture.h"
#include "cpu/engine.h"
#include "lang/run/runner.h"
#include "reference/divided_totals.h"
#include "reference/program_world.h"
#include "ring/galois.h"
#include "scheme/quality.h"
#include "unit/unit.h"

#define EXPRESSIONS 400

enum { N = 1024, T = 65537, LIMBS = 4, MOST_BLOCKS = 3, WORLDS = 3, WORDS = LIMBS * N };

/* A world and its tables, encrypted or encoded: [columns][blocks][2 or 1 components]. */
typedef struct sealed_world {
    rx_world plain;
    world_operands operands;
    uint64_t *table[RX_TABLES];
} sealed_world;

typedef struct fixture {
    hb_params *params;
    hb_engine *engine;
    hb_fixture fixture;
    hb_switch_keys keys;
    sealed_world worlds[WORLDS];
    /* The current run: */
    const sealed_world *world;
    hb_program *program;
    const rx_program *expression;
    uint64_t **output; /* slots, [columns][blocks * N] */
    stored_words words;
} fixture;

static void add_key(fixture *f, uint32_t element)
{
    hb_seed root, seeds[LIMBS];
    hb_switch_key key;
    memset(&root, (int)(element % 251), sizeof root);
    for (size_t i = 0; i < LIMBS; i++) {
        memset(&seeds[i], (int)(element % 241 + i), sizeof *seeds);
    }
    assert_int_equal(hb_switch_key_generate(&key, &f->fixture.secret, element, &root, seeds), HB_OK);
    assert_int_equal(hb_switch_keys_add(&f->keys, &key), HB_OK);
}

/* Column by column into ciphertexts or plaintexts. */
static void seal_table(fixture *f, sealed_world *w, int table, uint64_t *item)
{
    const size_t blocks = w->plain.blocks, columns = rx_tables[table].columns;
    const size_t words = rx_tables[table].encrypted ? 2 * WORDS : N;
    const hb_seed root = {{7}};
    w->table[table] = malloc(columns * blocks * words * sizeof(uint64_t));
    assert_non_null(w->table[table]);
    for (size_t i = 0; i < columns * blocks; i++) {
        uint64_t *to = w->table[table] + i * words;
        memcpy(f->fixture.values.data, w->plain.table[table] + i * N, N * sizeof *to);
        const hb_batch values = hb_batch_slice(f->fixture.values, 0, 1), plain = hb_batch_slice(f->fixture.plain, 0, 1);
        assert_int_equal(hb_encode(f->fixture.codec, plain, values), HB_OK);
        if (!rx_tables[table].encrypted) {
            memcpy(to, plain.data, N * sizeof *to);
            continue;
        }
        assert_int_equal(hb_encrypt(f->fixture.with_public, hb_batch_slice(f->fixture.c0, 0, 1),
                                    hb_batch_slice(f->fixture.c1, 0, 1), NULL, plain, &root, (*item)++),
                         HB_OK);
        memcpy(to, f->fixture.c0.data, WORDS * sizeof *to);
        memcpy(to + WORDS, f->fixture.c1.data, WORDS * sizeof *to);
    }
}

static int open_fixture(void **state)
{
    static const uint64_t rows[WORLDS] = {100, 2048, 2500};
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    const uint32_t bits[LIMBS + 1] = {60, 60, 60, 60, 60};
    hb_params_spec spec = {
        .n = N, .key_limbs = LIMBS + 1, .bfv.plain = T, .security = {.level = 128}, .insecure = true};
    const hb_seed root = {{1}};
    assert_int_equal(hb_create_primes(N, bits, LIMBS + 1, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&f->fixture, f->engine, f->params, &root, 1), HB_OK);
    add_key(f, HB_RELINEARIZATION);
    add_key(f, hb_galois_swap(N));
    for (int64_t step = 1; step < N / 2; step *= 2) { /* others go along their non-adjacent forms */
        add_key(f, hb_galois_rotation(N, 3, step));
        if (step < N / 4) {
            add_key(f, hb_galois_rotation(N, 3, -step));
        }
    }
    uint64_t seed = 5, item = 0;
    for (size_t i = 0; i < WORLDS; i++) {
        sealed_world *w = &f->worlds[i];
        w->plain = (rx_world){.n = N, .rows = rows[i], .t = T};
        rx_world_fill(&w->plain, &seed);
        world_operands_init(&w->operands, &w->plain, f->params);
        for (int table = 0; table < RX_TABLES; table++) {
            seal_table(f, w, table, &item);
        }
    }
    *state = f;
    return 0;
}

static int close_fixture(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < WORLDS; i++) {
        for (int table = 0; table < RX_TABLES; table++) {
            free(f->worlds[i].table[table]);
        }
        rx_world_free(&f->worlds[i].plain);
    }
    hb_switch_keys_clear(&f->keys);
    hb_fixture_clear(&f->fixture);
    hb_engine_close(f->engine);
    hb_params_close(f->params);
    free(f);
    return 0;
}

static hb_status load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    const fixture *f = context;
    const uint64_t *from = f->world->table[operand] + (column * f->world->plain.blocks + first) * 2 * WORDS;
    for (size_t c = 0; c < hb_ciphertexts_count(to); c++) {
        for (uint32_t i = 0; i < 2; i++) {
            memcpy(hb_batch_slice(hb_ciphertexts_component(to, i), c, 1).data, from + (2 * c + i) * WORDS,
                   WORDS * sizeof *from);
        }
    }
    return HB_OK;
}

static hb_status load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to)
{
    const fixture *f = context;
    const uint64_t *from = f->world->table[operand] + (column * f->world->plain.blocks + first) * N;
    memcpy(to.data, from, to.count * N * sizeof *from);
    return HB_OK;
}

/* Decrypts at once, and holds the noise against its bound. */
static hb_status store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    fixture *f = context;
    if (!note_all_stored(&f->words, output, column, first, from)) {
        return HB_OK;
    }
    const hb_output *o = &f->program->outputs[output];
    uint64_t *to = f->output[output] + (column * f->world->plain.blocks + first) * N;
    const double predicted = hb_quality_bits(f->params, o->limbs, o->quality.worst);
    const size_t words = o->limbs * (size_t)N;
    hb_decryptor *decryptor;
    hb_batch c0, c1;
    assert_int_equal(from.size, 2);
    assert_int_equal(from.all.limbs, o->limbs);
    assert_int_equal(hb_decryptor_open(f->engine, &f->fixture.secret, o->limbs, 1, &decryptor), HB_OK);
    assert_int_equal(hb_batch_alloc(f->engine, &c0, 1, o->limbs, f->params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(f->engine, &c1, 1, o->limbs, f->params->ids), HB_OK);
    for (size_t c = 0; c < hb_ciphertexts_count(from); c++) {
        const hb_batch plain = hb_batch_slice(f->fixture.plain, 0, 1), values = hb_batch_slice(f->fixture.values, 0, 1);
        uint32_t budget = 0;
        memcpy(c0.data, hb_batch_slice(hb_ciphertexts_component(from, 0), c, 1).data, words * sizeof *to);
        memcpy(c1.data, hb_batch_slice(hb_ciphertexts_component(from, 1), c, 1).data, words * sizeof *to);
        assert_int_equal(hb_phase(decryptor, c0, c0, c1), HB_OK);
        assert_int_equal(hb_decrypt(decryptor, plain, c0), HB_OK);
        assert_int_equal(hb_decode(f->fixture.codec, values, plain), HB_OK);
        memcpy(to + c * N, values.data, N * sizeof *to);
        assert_int_equal(hb_decryptor_measure(decryptor, &budget, c0), HB_OK);
        if (budget < predicted) {
            fail_msg("%u bits of budget instead of at least %.0f: %s in\n%s", budget, predicted, o->name,
                     f->expression->text);
        }
    }
    hb_batch_free(f->engine, &c0);
    hb_batch_free(f->engine, &c1);
    hb_decryptor_close(decryptor);
    return HB_OK;
}

static void run(fixture *f, uint64_t *seed)
{
    const size_t blocks = f->world->plain.blocks, batch = 1 + rx_below(seed, MOST_BLOCKS);
    const hb_runner_setting setting = {f->params, &f->keys,     f->program, batch, {load, load_plain, store, f},
                                       NULL,      {NULL, NULL}, NULL};
    hb_runner *runner;
    assert_int_equal(hb_runner_open(f->engine, &setting, NULL, &runner), HB_OK);
    for (uint32_t pass = 0; pass < f->program->pass_count; pass++) {
        for (size_t first = 0; first < blocks; first += batch) {
            const size_t count = blocks - first < batch ? blocks - first : batch;
            assert_int_equal(hb_runner_rows(runner, pass, first, count), HB_OK);
        }
        assert_int_equal(hb_runner_totals(runner, pass), HB_OK);
    }
    hb_runner_close(runner);
    run_divided(f->engine, f->params, f->program, setting, blocks, &f->words);
}

static void compare(fixture *f, const rx_program *p, hb_program *program, const sealed_world *w, uint64_t *seed)
{
    f->world = w;
    f->program = program;
    f->expression = p;
    f->output = calloc(program->output_count, sizeof *f->output);
    assert_non_null(f->output);
    for (uint32_t i = 0; i < program->output_count; i++) {
        f->output[i] = calloc(program->outputs[i].schema.columns * rx_slots(&w->plain), sizeof(uint64_t));
        assert_non_null(f->output[i]);
    }
    begin_stored(&f->words, program, MOST_BLOCKS);
    run(f, seed);
    for (uint32_t i = 0; i < program->output_count; i++) {
        world_compare(program, i, f->output[i], &w->plain, p);
        free(f->output[i]);
    }
    free(f->output);
}

static void random_expressions(void **state)
{
    fixture *f = *state;
    uint64_t seed = 11;
    uint32_t done = 0, tried = 0;
    for (; done < EXPRESSIONS && tried < 2 * EXPRESSIONS; tried++) {
        const sealed_world *w = &f->worlds[tried % WORLDS];
        rx_program *p = rx_generate(&w->plain, &seed, (rx_limits){1 + (int)(tried % 4), 2, true});
        hb_program program;
        const hb_status st = world_compile(&program, &w->operands, p, f->params);
        if (st == HB_OK) {
            compare(f, p, &program, w, &seed);
            done++;
        } else if (st != HB_EDATA && strstr(hb_last_error()->text, "transparent") == NULL) {
            fail_msg("%s\n%s", hb_last_error()->text, p->text);
        }
        hb_program_clear(&program);
        rx_program_free(p);
    }
    assert_int_equal(done, EXPRESSIONS);            /* others left no budget, or nothing encrypted */
    assert_true(f->words.shares > EXPRESSIONS / 8); /* many have totals that ranks divide */
}

HB_UNIT(random_expressions)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions)};
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
