/* Random expressions on ciphertexts under keys of one owner or several: encrypted, compiled, run, decrypted, and
 * compared with the value of the expression's tree. The noise that is measured is never above the proven bound, nor
 * above the likely one. Included after <cmocka.h>. */
#ifndef HB_TEST_SEALED_WORLD_H
#define HB_TEST_SEALED_WORLD_H

#include "check/fixture.h"
#include "lang/run/runner.h"
#include "reference/divided_totals.h"
#include "reference/joint_world.h"
#include "reference/program_world.h"
#include "ring/galois.h"
#include "scheme/quality.h"

enum { N = 1024, T = 65537, LIMBS = 4, MOST_BLOCKS = 3, WORLDS = 3, WORDS = LIMBS * N };
static const joint_chain sealed_chain = {N, {60, 60, 60, 60, 60}, LIMBS + 1, T};

/* A world and its tables, encrypted or encoded: [columns][blocks][2 or 1 components]. */
typedef struct sealed_world {
    rx_world plain;
    world_operands operands;
    uint64_t *table[RX_TABLES];
} sealed_world;

typedef struct fixture {
    joint_world owners; /* whose keys these are */
    hb_params *params;  /* theirs, as are the next two */
    hb_engine *engine;
    const hb_secret_key *secret; /* the sum of all secrets */
    hb_encryptor *encryptor;
    hb_fixture fixture; /* its codec and its memory */
    hb_switch_keys keys;
    sealed_world worlds[WORLDS];
    /* The current run: */
    const sealed_world *world;
    hb_program *program;
    const rx_program *expression;
    uint64_t **output; /* slots, [columns][blocks * N] */
    stored_words words;
} fixture;

static inline void add_key(fixture *f, uint32_t element)
{
    hb_switch_key key;
    joint_rotation_key(&f->owners, (hb_joint_rotation){element, LIMBS}, &key);
    assert_int_equal(hb_switch_keys_add(&f->keys, &key), HB_OK);
}

/* Column by column into ciphertexts or plaintexts. */
static inline void seal_table(fixture *f, sealed_world *w, int table, uint64_t *item)
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
        assert_int_equal(hb_encrypt(f->encryptor, hb_batch_slice(f->fixture.c0, 0, 1),
                                    hb_batch_slice(f->fixture.c1, 0, 1), NULL, plain, &root, (*item)++),
                         HB_OK);
        memcpy(to, f->fixture.c0.data, WORDS * sizeof *to);
        memcpy(to + WORDS, f->fixture.c1.data, WORDS * sizeof *to);
    }
}

/* The key of one owner is as keygen makes it, with one error. */
static inline void add_relin(fixture *f)
{
    if (f->owners.session.owners > 1) {
        assert_int_equal(hb_switch_keys_add(&f->keys, &f->owners.relin), HB_OK);
        return;
    }
    const hb_seed root = {{2}};
    hb_seed seeds[LIMBS];
    hb_switch_key key;
    for (size_t i = 0; i < LIMBS; i++) {
        memset(&seeds[i], (int)(3 + i), sizeof *seeds);
    }
    assert_int_equal(hb_switch_key_generate(&key, f->secret, HB_RELINEARIZATION, &root, seeds), HB_OK);
    assert_int_equal(hb_switch_keys_add(&f->keys, &key), HB_OK);
}

static inline void open_fixture(fixture *f, uint32_t owners)
{
    static const uint64_t rows[WORLDS] = {100, 2048, 2500};
    const hb_seed root = {{1}};
    memset(f, 0, sizeof *f);
    joint_world_open(&f->owners, &sealed_chain, owners, 17);
    if (owners > 1) {
        f->owners.params->spec.joint = (hb_joint_spec){.owners = owners, .threshold = owners, .results = 1000};
    }
    joint_make_keys(&f->owners);
    f->params = f->owners.params;
    f->engine = f->owners.engine;
    f->secret = &f->owners.sum;
    assert_int_equal(hb_fixture_init(&f->fixture, f->engine, f->params, &root, 1), HB_OK);
    assert_int_equal(hb_encryptor_open(f->engine, NULL, &f->owners.public_key, HB_GAUSSIAN, 1, &f->encryptor), HB_OK);
    add_relin(f);
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
}

static inline void close_fixture(fixture *f)
{
    for (size_t i = 0; i < WORLDS; i++) {
        for (int table = 0; table < RX_TABLES; table++) {
            free(f->worlds[i].table[table]);
        }
        rx_world_free(&f->worlds[i].plain);
    }
    hb_encryptor_close(f->encryptor);
    hb_switch_keys_clear(&f->keys);
    hb_fixture_clear(&f->fixture);
    joint_world_close(&f->owners);
}

static inline hb_status load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
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

static inline hb_status load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to)
{
    const fixture *f = context;
    const uint64_t *from = f->world->table[operand] + (column * f->world->plain.blocks + first) * N;
    memcpy(to.data, from, to.count * N * sizeof *from);
    return HB_OK;
}

/* Decrypts at once, and holds the noise against its bounds. */
static inline hb_status store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    fixture *f = context;
    if (!note_all_stored(&f->words, output, column, first, from)) {
        return HB_OK;
    }
    const hb_output *o = &f->program->outputs[output];
    uint64_t *to = f->output[output] + (column * f->world->plain.blocks + first) * N;
    const double predicted = hb_quality_bits(f->params, o->limbs, o->quality.worst);
    const double likely = hb_quality_bits(f->params, o->limbs, hb_quality_likely(f->params, o->quality));
    const size_t words = o->limbs * (size_t)N;
    hb_decryptor *decryptor;
    hb_batch c0, c1;
    assert_int_equal(from.size, 2);
    assert_int_equal(from.all.limbs, o->limbs);
    assert_int_equal(hb_decryptor_open(f->engine, f->secret, o->limbs, 1, &decryptor), HB_OK);
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
        if (budget < predicted || budget < likely) {
            fail_msg("%u bits of budget instead of at least %.0f, likely %.0f: %s in\n%s", budget, predicted, likely,
                     o->name, f->expression->text);
        }
    }
    hb_batch_free(f->engine, &c0);
    hb_batch_free(f->engine, &c1);
    hb_decryptor_close(decryptor);
    return HB_OK;
}

static inline void run(fixture *f, uint64_t *seed)
{
    const size_t blocks = f->world->plain.blocks, batch = 1 + rx_below(seed, MOST_BLOCKS);
    const hb_runner_setting setting = {f->params, &f->keys,     f->program, batch, {load, load_plain, store, f},
                                       NULL,      {NULL, NULL}, NULL,       NULL};
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

static inline void compare(fixture *f, const rx_program *p, hb_program *program, const sealed_world *w, uint64_t *seed)
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

/* Runs so many random expressions; others leave no budget, or nothing encrypted. */
static inline void run_expressions(fixture *f, uint32_t expressions, uint64_t seed)
{
    uint32_t done = 0, tried = 0;
    for (; done < expressions && tried < 2 * expressions; tried++) {
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
    assert_int_equal(done, expressions);
}

#endif
