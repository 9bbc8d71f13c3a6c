/* Products of matrices and vectors in blocks of slots: every slot is as the header says, also slots behind the rows,
 * within the proven bound; the cheapest ways. */
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
#include "ring/galois.h"
#include "scheme/matrix.h"
#include "scheme/slots.h"
#include "unit/unit.h"

enum { N = 1024, SLOTS = N / 2, MOST = 64 };

static hb_params *open_params(void)
{
    hb_params_spec spec;
    hb_params *params;
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    spec.n = N; /* whose primes are 1 modulo 2^14 */
    spec.insecure = true;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

static double random_real(uint64_t stream, uint64_t i)
{
    return (double)(int64_t)stream_word(stream, i) / 0x1p63;
}

static hb_block_matrix dense(uint32_t rows, uint32_t columns, uint32_t block, const double *values)
{
    return (hb_block_matrix){.rows = rows, .columns = columns, .block = block, .values = values};
}

/* Returns the sums of its rows, valid until the next call. */
static const hb_block_sums *sums_of(const hb_block_matrix *w)
{
    static hb_block_sums rows[SLOTS];
    assert_true(w->rows <= SLOTS);
    hb_block_matrix_sums(w, rows);
    return rows;
}

static hb_status outline(const hb_params_spec *spec, const hb_block_matrix *w, hb_block_outline *out)
{
    return hb_matrix_outline(spec, w, sums_of(w), out);
}

/* The value in slot x: in part q of its block the sums of the columns of parts q, q + 1 ..., also of later blocks. */
static double expected(const hb_block_matrix *w, const hb_block_outline *by, const double *vector, size_t x)
{
    double sum = 0;
    for (uint32_t part = 0; part < by->parts; part++) {
        const size_t at = (x + (size_t)part * by->span) % SLOTS, inside = at % w->block, row = inside % by->span;
        for (size_t k = 0; k < by->span && row < w->rows; k++) {
            const size_t column = inside - row + k;
            sum += column < w->columns ? w->values[row * w->columns + column] * vector[at - row + k] : 0;
        }
    }
    return sum;
}

static void add_keys(hb_fixture *f, const int64_t *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = hb_slots_rotation(&f->params->spec, steps[i]);
        if (hb_switch_keys_find(&f->keys, element) == NULL) {
            assert_int_equal(hb_fixture_add_key(f, element), HB_OK);
        }
    }
}

/* Opens the matrix, which takes as much memory as announced, beside that of encoding, which is freed again. */
static void open_counted(hb_fixture *f, const hb_block_matrix *w, const hb_block_outline *by, uint32_t limbs,
                         uint64_t bytes, hb_block_map **map)
{
    count_on(f->engine);
    hb_block_map_wanted wanted = {.matrix = w, .outline = by, .limbs = limbs};
    assert_int_equal(hb_block_maps_open(f->engine, f->params, &wanted, 1), HB_OK);
    *map = wanted.map;
    assert_true(counted.bytes == bytes + counted_encoding(f->params->ring.n, by->diagonals));
    count_off(f->engine);
}

/* An observer of steps, of which each is a part of the whole. */
static void see(void *with, const hb_op_step *step)
{
    (void)with;
    assert_true(step->share >= 0 && step->share <= 1 + 1e-9);
}

/* Multiplies at the highest level; parts: how many there must be. */
static void check(hb_fixture *f, hb_block_matrix w, uint32_t parts)
{
    const hb_params *p = f->params;
    const uint32_t limbs = p->fresh_limbs, below = limbs - hb_params_level_limbs(p);
    static double vector[SLOTS];
    double most = 0;
    hb_block_outline by;
    int64_t *steps;
    uint32_t map_count, count;
    hb_block_map *map;
    uint64_t bytes;
    size_t words;
    for (size_t x = 0; x < SLOTS; x++) { /* slots behind the columns are not compared, unless they are to be 0 */
        vector[x] = w.alone && x % w.block >= w.columns ? 0 : random_real(w.columns, x);
    }
    memcpy(f->values.data, vector, sizeof vector);
    memset(f->values.data + SLOTS, 0, sizeof vector);
    assert_int_equal(hb_encode(f->codec, f->plain, f->values), HB_OK);
    assert_int_equal(hb_encrypt(f->with_public, hb_ciphertexts_component(f->a, 0), hb_ciphertexts_component(f->a, 1),
                                NULL, f->plain, &f->root, w.rows),
                     HB_OK);
    assert_int_equal(outline(&p->spec, &w, &by), HB_OK);
    assert_int_equal(by.parts, parts);
    assert_true(by.copies == 1 || (w.alone && parts == 1));
    assert_true(!w.alone || by.copies == 2);
    assert_true(by.span >= w.rows && by.span <= w.block);
    assert_int_equal(hb_matrix_steps(&p->spec, &(hb_block_pair){.matrix = {&w}}, &by, &steps, &map_count, &count),
                     HB_OK);
    add_keys(f, steps, count);
    hb_matrix_memory(p, &by, limbs, &bytes, &words);
    open_counted(f, &w, &by, limbs, bytes, &map);
    void *work = NULL;
    assert_int_equal(hb_alloc(f->engine, words * sizeof(uint64_t), &work), HB_OK);
    const hb_ciphertexts r = hb_ciphertexts_view(f->narrow, f->engine, p, 2, 1, below);
    assert_int_equal(hb_evaluator_matrix(f->evaluator, r, &f->a, map, &f->keys, (hb_workspace){work, words}), HB_OK);
    hb_decryptor *decryptor;
    const hb_batch plain = hb_batch_on(f->engine, f->plain.data, 1, below, p->ids),
                   phase = hb_batch_on(f->engine, f->phase.data, 1, below, p->ids);
    assert_int_equal(hb_decryptor_open(f->engine, &f->secret, below, 1, &decryptor), HB_OK);
    assert_int_equal(hb_phase(decryptor, phase, hb_ciphertexts_component(r, 0), hb_ciphertexts_component(r, 1)), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
    assert_int_equal(hb_decode(f->codec, f->values, plain), HB_OK);
    const double *found = (const double *)(const void *)f->values.data;
    for (size_t x = 0; x < SLOTS; x++) {
        const double wanted = expected(&w, &by, vector, x);
        most = fmax(most, fabs(found[x] - wanted));
        assert_true(parts > 1 || x % w.block < w.rows || wanted == 0);
    }
    const hb_quality_factor a = {hb_quality_fresh(p, true, HB_GAUSSIAN), 2, {0, -0.8, 0, 0}, false};
    const hb_quality bound = hb_quality_matrix(p, &w, &by, limbs, a);
    const double proven = exp2(-hb_quality_bits(p, below, bound.worst)),
                 likely = exp2(-hb_quality_bits(p, below, bound.expected));
    assert_true(most <= proven && proven < 1);
    assert_true(most <= 8 * likely); /* and it is about the expected one */
    hb_decryptor_close(decryptor);
    hb_free(f->engine, work);
    hb_block_map_close(map);
    free(steps);
}

static void test_products(void **state)
{
    (void)state;
    static double values[MOST * MOST], unit[5] = {0, 0, 0, 0.5, 0}, around[SLOTS * SLOTS];
    const hb_seed root = {{7}};
    hb_params *params = open_params();
    hb_engine *engine;
    hb_fixture f = {0};
    for (size_t i = 0; i < MOST * MOST; i++) {
        values[i] = random_real(3, i);
    }
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(hb_fixture_init(&f, engine, params, &root, 1), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&f, 0), HB_OK);
    f.evaluator->progress = hb_op_progress_whole((hb_op_observer){see, NULL});
    check(&f, dense(3, 5, 8, values), 1);
    check(&f, dense(8, 5, 8, values), 1); /* more rows than columns, and a full block */
    check(&f, dense(1, 1, 1, values), 1); /* a factor */
    check(&f, dense(1, 5, 16, unit), 1);  /* one column: one rotation */
    check(&f, dense(1, 64, 64, values), 16);
    check(&f, dense(2, 50, 128, values), 16); /* parts in a larger block */
    for (size_t i = 0; i < SLOTS; i++) { /* diagonals by 3 and 3 - SLOTS are one rotation, as is another by itself */
        around[i * SLOTS + (i + 3) % SLOTS] = random_real(4, i);
        around[i * SLOTS + i / 2 * 2] = random_real(5, i);
    }
    check(&f, dense(SLOTS, SLOTS, SLOTS, around), 1);
    hb_block_matrix room = dense(13, 16, 32, values); /* as much of it as the vector takes, and more */
    room.alone = true;
    check(&f, room, 1);
    room.block = 128;
    check(&f, room, 1);
    hb_fixture_clear(&f);
    hb_engine_close(engine);
    hb_params_close(params);
}

/* Several are opened together, at levels and in blocks of their own; where one fails, none is. */
static void test_several(void **state)
{
    (void)state;
    static double values[3][MOST * MOST];
    static const uint32_t blocks[3] = {32, 64, 64};
    hb_params *params = open_params();
    hb_engine *engine;
    hb_block_matrix matrix[3];
    hb_block_outline by[3];
    hb_block_map_wanted wanted[3];
    for (uint32_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < MOST * MOST; i++) {
            values[k][i] = random_real(k, i);
        }
        matrix[k] = dense(17 + k, 19, blocks[k], values[k]);
        assert_int_equal(outline(&params->spec, &matrix[k], &by[k]), HB_OK);
        wanted[k] = (hb_block_map_wanted){.matrix = &matrix[k], .outline = &by[k], .limbs = params->fresh_limbs - k};
    }
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(hb_block_maps_open(engine, params, wanted, 3), HB_OK);
    for (uint32_t k = 0; k < 3; k++) {
        assert_non_null(wanted[k].map);
        assert_int_equal(wanted[k].map->outline.block, blocks[k]);
        hb_block_map_close(wanted[k].map);
    }
    values[2][5] = INFINITY;
    assert_int_equal(hb_block_maps_open(engine, params, wanted, 3), HB_EDATA);
    assert_true(wanted[0].map == NULL && wanted[1].map == NULL && wanted[2].map == NULL);
    hb_engine_close(engine);
    hb_params_close(params);
}

/* The outline of a matrix, made of that of another one with entries at the same places, is its own. */
static void check_values(const hb_params_spec *spec, const hb_block_matrix *w, const hb_block_outline *by)
{
    static double values[MOST * MOST];
    hb_block_matrix times = *w;
    hb_block_outline whole, again = *by;
    for (size_t i = 0; i < MOST * MOST; i++) {
        values[i] = -0.3 * w->values[i] + 0.1;
    }
    times.values = values;
    assert_int_equal(outline(spec, &times, &whole), HB_OK);
    assert_int_equal(hb_matrix_outline_values(spec, &times, sums_of(&times), &again), HB_OK);
    assert_true(again.span == whole.span && again.parts == whole.parts && again.copies == whole.copies);
    assert_true(again.baby == whole.baby && again.diagonals == whole.diagonals);
    assert_true(again.babies == whole.babies && again.giants == whole.giants);
    assert_true(again.most == whole.most && again.squares == whole.squares && again.most != by->most);
    assert_memory_equal(&again.gain, &whole.gain, sizeof whole.gain);
    assert_true(again.gain.magnitudes != by->gain.magnitudes);
}

/* For every shape, all rows and columns are reached, and no way takes more rotations than diagonals and parts. */
static void test_outlines(void **state)
{
    (void)state;
    static double values[MOST * MOST];
    hb_params *params = open_params();
    for (size_t i = 0; i < MOST * MOST; i++) {
        values[i] = 1 + (double)i;
    }
    for (uint32_t rows = 1; rows <= MOST; rows += 7) {
        for (uint32_t columns = 1; columns <= MOST; columns += 9) {
            const hb_block_matrix w = dense(rows, columns, MOST, values);
            hb_block_outline by;
            assert_int_equal(outline(&params->spec, &w, &by), HB_OK);
            assert_true(by.span >= rows && by.span * by.parts >= columns && by.span * by.parts <= 2 * MOST);
            assert_true(by.diagonals >= 1 && by.diagonals < 2 * by.span);
            assert_true(by.babies + by.giants <= by.diagonals);
            check_values(&params->spec, &w, &by);
        }
    }
    hb_params_close(params);
    const hb_block_matrix one = dense(1, 1, 1, values);
    hb_params_spec spec;
    hb_block_outline by;
    assert_int_equal(hb_params_preset("bfv-4096", &spec), HB_OK);
    assert_int_equal(outline(&spec, &one, &by), HB_ECONFIG);
    assert_int_equal(hb_params_preset("seal-ckks-8192", &spec), HB_OK);
    assert_int_equal(outline(&spec, &one, &by), HB_ECONFIG);
}

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) <= 0x1p-40 * fabs(b));
}

static hb_block_gain gain_of(const hb_block_matrix *matrix)
{
    return hb_block_sums_gain(sums_of(matrix), matrix->rows);
}

/* By rows written out; and of a convolution, by the table that it is. */
static void test_gains(void **state)
{
    (void)state;
    static const double values[] = {3, -4, 0, 1, 1, 1}, kernel[] = {1, -2, 3, -4, 5, -6, 7, -8, 9};
    const hb_block_gain gain = gain_of(&(hb_block_matrix){.rows = 2, .columns = 3, .block = 8, .values = values});
    assert_near(gain.sum, 3);
    assert_near(gain.magnitudes, 7);
    assert_near(gain.root, 5);
    assert_near(gain.largest, 4);
    assert_near(gain.mean, sqrt((25 + 9) / 2.0));
    const hb_block_image image = {.height = 4, .width = 4, .gap = 1, .channels = 1};
    double table[16 * 16] = {0};
    for (int i = 0; i < 16; i++) {
        for (int k = 0; k < 9; k++) {
            const int row = i / 4 + k / 3 - 1, column = i % 4 + k % 3 - 1;
            if (row >= 0 && row < 4 && column >= 0 && column < 4) {
                table[i * 16 + row * 4 + column] = kernel[k];
            }
        }
    }
    const hb_block_gain by_kernel = gain_of(&(hb_block_matrix){
        .rows = 16, .columns = 16, .block = 16, .values = kernel, .from = image, .to = image, .kernel = 3});
    const hb_block_matrix written = dense(16, 16, 16, table);
    const hb_block_gain by_table = gain_of(&written);
    assert_near(by_kernel.sum, by_table.sum);
    assert_near(by_kernel.magnitudes, by_table.magnitudes);
    assert_near(by_kernel.root, by_table.root);
    assert_near(by_kernel.largest, 9);
    assert_near(by_kernel.mean, by_table.mean);
}

/* Returns how many bits of a systematic error rows of these weights take: in the largest slot, in the mean. */
static hb_systematic lost(const hb_params *p, const double *row)
{
    static double values[MOST * MOST];
    for (int i = 0; i < MOST; i++) {
        memcpy(values + (size_t)i * MOST, row, MOST * sizeof *row);
    }
    const double scale = hb_quality_bits(p, p->fresh_limbs, 0);
    const hb_block_matrix w = dense(MOST, MOST, MOST, values);
    hb_quality a = hb_quality_fresh(p, true, HB_GAUSSIAN);
    hb_block_outline by;
    a.systematic = (hb_systematic){scale - 6, scale - 8};
    a.worst = a.norm = scale - 6;
    assert_int_equal(outline(&p->spec, &w, &by), HB_OK);
    assert_int_equal(by.parts, 1);
    const hb_quality r =
        hb_quality_matrix(p, &w, &by, p->fresh_limbs, (hb_quality_factor){a, 2, {0, -0.8, 0, 0}, false});
    const double below = hb_quality_bits(p, p->fresh_limbs - hb_params_level_limbs(p), 0);
    return (hb_systematic){r.systematic.most - below + 6, r.systematic.mean - below + 8};
}

/* Errors of one sign add up as the weights do. */
static void test_systematic(void **state)
{
    (void)state;
    double ones[MOST], signs[MOST], one[MOST] = {0};
    hb_params *params = open_params();
    for (int i = 0; i < MOST; i++) {
        ones[i] = 1;
        signs[i] = i % 2 == 0 ? 1 : -1;
    }
    one[5] = 1;
    const hb_systematic all = lost(params, ones), both = lost(params, signs), same = lost(params, one);
    assert_true(fabs(all.mean - 6) < 0.1 && all.most <= 6.1);
    assert_true(fabs(both.mean - 3) < 0.1 && both.most > 3 && both.most < 4);
    assert_true(fabs(same.mean) < 0.1 && fabs(same.most) < 0.1);
    hb_params_close(params);
}

HB_UNIT(block_matrix)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_several),
                                       cmocka_unit_test(test_outlines), cmocka_unit_test(test_gains),
                                       cmocka_unit_test(test_systematic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
