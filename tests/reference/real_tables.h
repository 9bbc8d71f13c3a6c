/* Tables of reals, encrypted and plain, with their values, for expressions on them. Included after <cmocka.h>. */
#ifndef HB_TESTS_REAL_TABLES_H
#define HB_TESTS_REAL_TABLES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/fixture.h"
#include "ckks/presets.h"
#include "cpu/engine.h"
#include "lang/program/program.h"
#include "scheme/quality.h"
#include "scheme/slots.h"

enum { N = 1024, SLOTS = N / 2, ROWS = 1300, BLOCKS = 3, LIMBS = 9 };
enum { X, LOW, O, T, K, W, TABLES };
enum { COLUMNS = 3, ALL = BLOCKS * SLOTS };

static const struct {
    const char *name;
    uint64_t rows;
    uint32_t columns, limbs; /* limbs: 0 of plain ones */
    double most;
} tables[TABLES] = {[X] = {"x", ROWS, COLUMNS, LIMBS, 1},
                    [LOW] = {"low", ROWS, 1, LIMBS - 2, 1.5},
                    [O] = {"Z", 1, 1, LIMBS, 1.25},
                    [T] = {"t", ROWS, 1, 0, 2},
                    [K] = {"k", 1, 1, 0, 3},
                    [W] = {"w", 2, COLUMNS, 0, 1}};

typedef struct fixture {
    hb_params *params;
    hb_engine *engine;
    hb_fixture f;
    double value[TABLES][COLUMNS * ALL]; /* [columns][slots]; of O in slot 0; of K and W [rows][columns] */
    hb_ciphertexts sealed[3];            /* [columns * blocks] of X, LOW and O */
    hb_number weights[2 * COLUMNS];
    hb_column columns[COLUMNS];
    hb_schema schema[TABLES];
    hb_operand operand[TABLES];
    uint64_t random;
    /* The current run: */
    hb_program *program;
    double *result; /* [slots] */
} fixture;

static uint64_t draw(fixture *f, uint64_t below)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return (f->random >> 11) % below;
}

static inline double number(fixture *f, double most)
{
    return most * ((double)draw(f, 20001) / 10000 - 1);
}

/* --- tables */

static void seal(fixture *f, int table)
{
    const uint32_t columns = tables[table].columns, limbs = tables[table].limbs, count = columns * BLOCKS;
    const hb_params *p = f->params;
    hb_ciphertexts top;
    assert_int_equal(hb_ciphertexts_alloc(&top, f->engine, p, 2, 1, LIMBS), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&f->sealed[table], f->engine, p, 2, count, limbs), HB_OK);
    for (uint32_t i = 0; i < count; i++) {
        memset(f->f.values.data, 0, N * sizeof(uint64_t));
        memcpy(f->f.values.data, f->value[table] + (size_t)i * SLOTS, SLOTS * sizeof(double));
        assert_int_equal(hb_encode(f->f.codec, f->f.plain, f->f.values), HB_OK);
        assert_int_equal(hb_encrypt(f->f.with_public, hb_ciphertexts_component(top, 0),
                                    hb_ciphertexts_component(top, 1), NULL, f->f.plain, &f->f.root,
                                    (uint64_t)table * 100 + i),
                         HB_OK);
        hb_ciphertexts one;
        assert_int_equal(hb_ciphertexts_alloc(&one, f->engine, p, 2, 1, limbs), HB_OK);
        assert_int_equal(hb_evaluator_adjust(f->f.evaluator, one, top), HB_OK);
        for (uint32_t c = 0; c < 2; c++) {
            memcpy(hb_batch_slice(hb_ciphertexts_component(f->sealed[table], c), i, 1).data,
                   hb_ciphertexts_component(one, c).data, (size_t)limbs * N * sizeof(uint64_t));
        }
        hb_batch_free(f->engine, &one.all);
    }
    hb_batch_free(f->engine, &top.all);
}

static void add_table(fixture *f, int table)
{
    const uint32_t columns = tables[table].columns, limbs = tables[table].limbs;
    const uint64_t rows = tables[table].rows;
    for (uint32_t c = 0; c < columns; c++) {
        for (uint64_t r = 0; r < rows; r++) {
            f->value[table][rows > 2 ? c * ALL + r : r * columns + c] = number(f, tables[table].most);
        }
    }
    f->schema[table] = (hb_schema){.rows = rows, .columns = columns, .rank = 2, .width = 8, .column = f->columns};
    hb_operand *o = &f->operand[table];
    *o = (hb_operand){.name = tables[table].name,
                      .schema = &f->schema[table],
                      .encrypted = limbs > 0,
                      .limbs = limbs,
                      .ranged = true,
                      .values = hb_interval_of_reals(-tables[table].most, tables[table].most)};
    if (limbs > 0) {
        const double bits = log2(tables[table].most);
        const hb_magnitude values = {bits, bits, 0, bits};
        o->quality = hb_quality_transformed(f->params, LIMBS, hb_quality_fresh(f->params, true, HB_GAUSSIAN), values);
        if (limbs < LIMBS) {
            o->quality = hb_quality_adjust(
                f->params, LIMBS, (hb_quality_factor){.quality = o->quality, .size = 2, .values = values}, limbs);
        }
        seal(f, table);
    }
}

static void add_key(fixture *f, int64_t step)
{
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_switch_key key = {0};
    const uint32_t element = hb_slots_rotation(&f->params->spec, step);
    hb_switch_key_root(&root, &f->f.root, &f->params->spec, element);
    hb_seed_public(seeds, f->params->data_limbs, &root, 0);
    assert_int_equal(hb_switch_key_generate(&key, &f->f.secret, element, &root, seeds), HB_OK);
    assert_int_equal(hb_switch_keys_add(&f->f.keys, &key), HB_OK);
}

static inline int open_fixture(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    hb_params_spec spec = {.n = N, .insecure = true};
    const hb_ckks_chain chain = {.first_bits = 50, .scale_bits = 40, .levels = LIMBS - 1, .special_limbs = 2};
    const hb_seed root = {{3}};
    f->random = 88172645463325252u;
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    spec.security.level = 128;
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&f->f, f->engine, f->params, &root, 1), HB_OK);
    memset(f->f.values.data, 0, N * sizeof(uint64_t));
    assert_int_equal(hb_encode(f->f.codec, f->f.plain, f->f.values), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&f->f, 32), HB_OK); /* keys of all powers of two, and conjugation */
    for (int64_t step = -1; step >= -8; step *= 2) {         /* for the non-adjacent forms of others */
        add_key(f, step);
    }
    for (int c = 0; c < COLUMNS; c++) {
        f->columns[c] = (hb_column){.name = (char *)"", .cells = HB_CELL_REAL};
    }
    for (int table = 0; table < TABLES; table++) {
        add_table(f, table);
    }
    for (int i = 0; i < 2 * COLUMNS; i++) {
        f->weights[i].real = f->value[W][i];
    }
    f->operand[W].cells = f->weights;
    *state = f;
    return 0;
}

static inline int close_fixture(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        hb_batch_free(f->engine, &f->sealed[i].all);
    }
    hb_fixture_clear(&f->f);
    hb_engine_close(f->engine);
    hb_params_close(f->params);
    free(f);
    return 0;
}

/* --- results */

/* Sets f->f.values to the slots of a ciphertext at the top level. */
static inline void decrypt_slots(fixture *f, hb_batch c0, hb_batch c1)
{
    assert_int_equal(hb_phase(f->f.decryptor, f->f.phase, c0, c1), HB_OK);
    assert_int_equal(hb_decrypt(f->f.decryptor, f->f.plain, f->f.phase), HB_OK);
    assert_int_equal(hb_decode(f->f.codec, f->f.values, f->f.plain), HB_OK);
}

#endif
