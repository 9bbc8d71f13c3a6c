/* Sums of two products of matrices and vectors in blocks of slots, with giant steps in common: every slot is the sum of
 * both, within the bounds of both, and they take no more rotations than two products do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "check/fixture.h"
#include "cpu/engine.h"
#include "reference/counting_engine.h"
#include "reference/streams.h"
#include "scheme/matrix.h"
#include "scheme/slots.h"
#include "unit/unit.h"

enum { N = 1024, SLOTS = N / 2, MOST = 64 };

static double random_real(uint64_t stream, uint64_t i)
{
    return (double)(int64_t)stream_word(stream, i) / 0x1p63;
}

/* Two matrices, their vectors, and the pair that they are. */
typedef struct world {
    hb_fixture f;
    hb_block_matrix matrix[2];
    double vector[2][SLOTS];
    hb_ciphertexts sealed[2];
    hb_block_pair pair;
    hb_block_outline alone[2], both;
} world;

static void open_world(world *w)
{
    static const hb_seed root = {{7}};
    hb_params_spec spec;
    hb_params *params;
    hb_engine *engine;
    memset(w, 0, sizeof *w);
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    spec.n = N; /* whose primes are 1 modulo 2^14 */
    spec.insecure = true;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(hb_fixture_init(&w->f, engine, params, &root, 1), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&w->f, 0), HB_OK);
    w->sealed[0] = w->f.a;
    w->sealed[1] = w->f.b;
}

static void close_world(world *w)
{
    const hb_params *params = w->f.params;
    hb_engine *engine = w->f.engine;
    hb_fixture_clear(&w->f);
    hb_engine_close(engine);
    hb_params_close((hb_params *)(uintptr_t)params);
}

static void seal(world *w, uint32_t k)
{
    hb_fixture *f = &w->f;
    const hb_block_matrix *matrix = &w->matrix[k];
    for (size_t x = 0; x < SLOTS; x++) {
        w->vector[k][x] = matrix->alone && x % matrix->block >= matrix->columns ? 0 : random_real(k + 5, x);
    }
    memcpy(f->values.data, w->vector[k], sizeof w->vector[k]);
    memset(f->values.data + SLOTS, 0, sizeof w->vector[k]);
    assert_int_equal(hb_encode(f->codec, f->plain, f->values), HB_OK);
    assert_int_equal(hb_encrypt(f->with_public, hb_ciphertexts_component(w->sealed[k], 0),
                                hb_ciphertexts_component(w->sealed[k], 1), NULL, f->plain, &f->root, k),
                     HB_OK);
}

static void add_keys(world *w, const int64_t *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = hb_slots_rotation(&w->f.params->spec, steps[i]);
        if (hb_switch_keys_find(&w->f.keys, element) == NULL) {
            assert_int_equal(hb_fixture_add_key(&w->f, element), HB_OK);
        }
    }
}

/* Finds the pair, whose baby steps are those of both, and whose giant steps are no more than theirs. */
static void plan(world *w)
{
    const hb_params_spec *spec = &w->f.params->spec;
    for (uint32_t k = 0; k < 2; k++) {
        hb_block_sums rows[MOST];
        hb_block_matrix_sums(&w->matrix[k], rows);
        assert_int_equal(hb_matrix_outline(spec, &w->matrix[k], rows, &w->alone[k]), HB_OK);
        assert_int_equal(w->alone[k].parts, 1);
        w->pair.matrix[k] = &w->matrix[k];
        w->pair.outline[k] = w->alone[k];
    }
    int64_t *steps;
    uint32_t map_count, count;
    assert_int_equal(hb_matrix_steps(spec, &w->pair, &w->both, &steps, &map_count, &count), HB_OK);
    assert_int_equal(map_count, count);
    assert_true(count <= w->both.babies + w->both.giants + w->both.copies - 1);
    add_keys(w, steps, count);
    free(steps);
    const hb_block_outline *both = &w->both, *own = w->pair.outline, *apart = w->alone;
    assert_int_equal(both->diagonals, apart[0].diagonals + apart[1].diagonals);
    assert_int_equal(both->babies, own[0].babies + own[1].babies);
    assert_true(own[1].giants == 0 && own[0].giants == both->giants);
    assert_int_equal(both->copies, apart[0].copies + apart[1].copies - 1);
    assert_true(HB_HOISTED_SWITCH * both->babies + both->giants <=
                HB_HOISTED_SWITCH * (apart[0].babies + apart[1].babies) + apart[0].giants + apart[1].giants);
}

static double expected(const world *w, size_t x)
{
    double sum = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const hb_block_matrix *m = &w->matrix[k];
        if (x % m->block < m->rows) {
            for (hb_block_entries e = hb_block_row(m, (uint32_t)(x % m->block)); hb_block_entries_next(&e);) {
                sum += e.value * w->vector[k][x / m->block * m->block + e.slot];
            }
        }
    }
    return sum;
}

static void compare(world *w, hb_ciphertexts r)
{
    hb_fixture *f = &w->f;
    const hb_params *p = f->params;
    const uint32_t limbs = p->fresh_limbs, below = r.all.limbs;
    const hb_quality_factor a = {hb_quality_fresh(p, true, HB_GAUSSIAN), 2, {0, -0.8, 0, 0}, false};
    const hb_batch plain = hb_batch_on(f->engine, f->plain.data, 1, below, p->ids),
                   phase = hb_batch_on(f->engine, f->phase.data, 1, below, p->ids);
    hb_decryptor *decryptor;
    double most = 0;
    assert_int_equal(hb_decryptor_open(f->engine, &f->secret, below, 1, &decryptor), HB_OK);
    assert_int_equal(hb_phase(decryptor, phase, hb_ciphertexts_component(r, 0), hb_ciphertexts_component(r, 1)), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
    assert_int_equal(hb_decode(f->codec, f->values, plain), HB_OK);
    for (size_t x = 0; x < SLOTS; x++) {
        most = fmax(most, fabs(((const double *)(const void *)f->values.data)[x] - expected(w, x)));
    }
    const hb_quality bound = hb_quality_add(p, hb_quality_matrix(p, &w->matrix[0], &w->pair.outline[0], limbs, a),
                                            hb_quality_matrix(p, &w->matrix[1], &w->pair.outline[1], limbs, a));
    assert_true(most <= exp2(-hb_quality_bits(p, below, bound.worst)));
    assert_true(most <= 8 * exp2(-hb_quality_bits(p, below, bound.expected)));
    assert_true(8 * most >= exp2(-hb_quality_bits(p, below, bound.expected)) / 8);
    hb_decryptor_close(decryptor);
}

static void check(world *w)
{
    const hb_params *p = w->f.params;
    const uint32_t limbs = p->fresh_limbs;
    hb_block_map_wanted wanted = {.pair = &w->pair, .outline = &w->both, .limbs = limbs};
    uint64_t bytes;
    size_t words;
    void *work = NULL;
    plan(w);
    seal(w, 0);
    seal(w, 1);
    hb_matrix_memory(p, &w->both, limbs, &bytes, &words);
    count_on(w->f.engine);
    assert_int_equal(hb_block_maps_open(w->f.engine, p, &wanted, 1), HB_OK);
    assert_true(counted.bytes == bytes + counted_encoding(p->ring.n, w->both.diagonals));
    count_off(w->f.engine);
    assert_int_equal(hb_alloc(w->f.engine, words * sizeof(uint64_t), &work), HB_OK);
    const hb_ciphertexts r = hb_ciphertexts_view(w->f.narrow, w->f.engine, p, 2, 1, limbs - hb_params_level_limbs(p));
    assert_int_equal(
        hb_evaluator_matrix(w->f.evaluator, r, w->sealed, wanted.map, &w->f.keys, (hb_workspace){work, words}), HB_OK);
    compare(w, r);
    hb_free(w->f.engine, work);
    hb_block_map_close(wanted.map);
}

static hb_block_matrix dense(uint32_t rows, uint32_t columns, uint32_t block, const double *values)
{
    return (hb_block_matrix){.rows = rows, .columns = columns, .block = block, .values = values};
}

static void sums_of_products(void **state)
{
    (void)state;
    static double values[2][MOST * MOST], sparse[MOST * MOST];
    static world w;
    for (size_t i = 0; i < MOST * MOST; i++) {
        values[0][i] = random_real(1, i);
        values[1][i] = random_real(2, i);
        sparse[i] = i % MOST < 8 ? values[0][i] : 0;
    }
    open_world(&w);
    w.matrix[0] = dense(16, 16, 16, values[0]);
    w.matrix[1] = dense(16, 16, 16, values[1]);
    check(&w);
    /* As many baby steps as two products have, and half as many giant steps. */
    assert_int_equal(w.both.babies, 2 * w.alone[0].babies);
    assert_int_equal(w.both.giants, w.alone[0].giants);
    w.matrix[1] = dense(16, 3, 16, values[1]);
    check(&w);
    w.matrix[0] = dense(MOST, MOST, MOST, values[0]);
    w.matrix[1] = dense(MOST, MOST, MOST, sparse);
    check(&w);
    for (uint32_t k = 0; k < 2; k++) { /* vectors that stand in their blocks twice: one of them, and both */
        w.matrix[0] = dense(13, 16, 64, values[0]);
        w.matrix[1] = dense(13, 14, 64, values[1]);
        w.matrix[0].alone = true;
        w.matrix[1].alone = k == 1;
        check(&w);
        assert_int_equal(w.both.copies, 2 + k);
    }
    close_world(&w);
}

/* One of them by a convolution: a sum of two ways through a network. */
static void sums_of_convolutions(void **state)
{
    (void)state;
    static double kernels[2 * 2 * 9], across[2 * 2];
    static world w;
    const hb_block_image image = {.height = 4, .width = 4, .gap = 1, .channels = 2};
    for (size_t i = 0; i < 2 * 2 * 9; i++) {
        kernels[i] = random_real(3, i);
        across[i % 4] = random_real(4, i);
    }
    open_world(&w);
    w.matrix[0] = (hb_block_matrix){
        .rows = 32, .columns = 32, .block = 32, .values = kernels, .from = image, .to = image, .kernel = 3};
    w.matrix[1] = (hb_block_matrix){
        .rows = 32, .columns = 32, .block = 32, .values = across, .from = image, .to = image, .kernel = 1};
    check(&w);
    close_world(&w);
}

HB_UNIT(block_pair)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_of_products), cmocka_unit_test(sums_of_convolutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
