/* Encoded matrices that wait for later runs: found by all that they were made of, for parameters that are the same
 * though the ones before are gone; the one that lies longest goes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/engine.h"
#include "scheme/block_shelf.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { SIDE = 4 };

typedef struct world {
    hb_params *first, *now; /* of the engine; of the run */
    hb_engine *engine;
    double values[SIDE * SIDE];
    hb_block_matrix matrix;
    hb_block_outline outline;
} world;

static hb_params *open_params(void)
{
    hb_params_spec spec;
    hb_params *params;
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    spec.n = 1024; /* whose primes are 1 modulo 2^14 */
    spec.insecure = true;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

static void outline(world *w)
{
    hb_block_sums rows[SIDE];
    hb_block_matrix_sums(&w->matrix, rows);
    assert_int_equal(hb_matrix_outline(&w->now->spec, &w->matrix, rows, &w->outline), HB_OK);
}

static int open_world(void **state)
{
    static world w;
    w = (world){.first = open_params(), .now = open_params()};
    assert_int_equal(hb_cpu_engine_open(&w.first->ring, &w.engine), HB_OK);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        w.values[i] = 1 + (double)i / 8;
    }
    w.matrix = (hb_block_matrix){.rows = SIDE, .columns = SIDE, .block = 16, .values = w.values};
    outline(&w);
    *state = &w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    hb_engine_close(w->engine);
    hb_params_close(w->first);
    hb_params_close(w->now);
    return 0;
}

static hb_block_map_wanted wanted_of(const world *w, uint32_t limbs)
{
    return (hb_block_map_wanted){.matrix = &w->matrix, .outline = &w->outline, .limbs = limbs};
}

/* Encodes the matrix with the parameters of the run. */
static hb_shelved encode(world *w, uint32_t limbs, uint64_t bytes)
{
    hb_block_map_wanted wanted = wanted_of(w, limbs);
    hb_shelved own = {.bytes = bytes};
    hb_block_map_digest(own.digest, w->now, &wanted);
    assert_int_equal(hb_block_maps_open(w->engine, w->now, &wanted, 1), HB_OK);
    own.map = wanted.map;
    return own;
}

static void next_run(world *w)
{
    hb_params_close(w->now);
    w->now = open_params();
}

static void test_taken_by_other_parameters(void **state)
{
    world *w = *state;
    hb_block_shelf shelf = {.list = NULL};
    const hb_shelved own = encode(w, w->now->fresh_limbs, 100);
    hb_shelved twice = encode(w, w->now->fresh_limbs, 100);
    assert_memory_equal(own.digest, twice.digest, sizeof own.digest);
    assert_null(hb_block_shelf_take(&shelf, w->now, &own));
    assert_int_equal(shelf.missing, 100);
    hb_block_shelf_put(&shelf, own);
    hb_block_shelf_put(&shelf, twice);
    assert_int_equal(shelf.bytes, 200);
    next_run(w);
    next_run(w);
    hb_block_map *map = hb_block_shelf_take(&shelf, w->now, &own);
    assert_ptr_equal(map, own.map);
    assert_ptr_equal(map->params, w->now);
    assert_ptr_equal(hb_block_shelf_take(&shelf, w->now, &own), twice.map);
    assert_null(hb_block_shelf_take(&shelf, w->now, &own)); /* each is one run's alone */
    assert_int_equal(shelf.bytes, 0);
    assert_int_equal(shelf.found, 200);
    hb_block_shelf_put(&shelf, own);
    next_run(w);
    hb_block_shelf_bound(&shelf, w->now, 0);
    assert_null(shelf.list);
    hb_block_map_use(twice.map, w->now);
    hb_block_map_close(twice.map);
}

/* Whatever the map is made of makes another digest. */
static void test_digests(void **state)
{
    world *w = *state;
    uint8_t digest[8][HB_DIGEST_BYTES];
    uint32_t picks[SIDE] = {3, 2, 1, 0};
    hb_block_map_wanted wanted = wanted_of(w, w->now->fresh_limbs);
    hb_block_map_digest(digest[0], w->now, &wanted);
    wanted.limbs--;
    hb_block_map_digest(digest[1], w->now, &wanted);
    wanted.limbs++;
    w->values[SIDE * SIDE - 1] += 0x1p-40;
    hb_block_map_digest(digest[2], w->now, &wanted);
    w->matrix.alone = true;
    hb_block_map_digest(digest[3], w->now, &wanted);
    w->matrix.picks = picks;
    hb_block_map_digest(digest[4], w->now, &wanted);
    w->outline.baby++;
    hb_block_map_digest(digest[5], w->now, &wanted);
    hb_block_pair pair = {.matrix = {&w->matrix, NULL}, .outline = {w->outline, w->outline}};
    wanted.pair = &pair;
    hb_block_map_digest(digest[6], w->now, &wanted);
    pair.matrix[1] = &w->matrix;
    hb_block_map_digest(digest[7], w->now, &wanted);
    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(digest[i], digest[j], HB_DIGEST_BYTES);
        }
    }
}

static void test_bound(void **state)
{
    world *w = *state;
    hb_block_shelf shelf = {.list = NULL};
    hb_shelved all[3];
    for (uint32_t i = 0; i < 3; i++) {
        w->values[0] = 2 + i;
        all[i] = encode(w, w->now->fresh_limbs, 100 + i);
        hb_block_shelf_put(&shelf, all[i]);
    }
    next_run(w);
    hb_block_shelf_bound(&shelf, w->now, 303);
    assert_int_equal(shelf.count, 3);
    hb_block_shelf_bound(&shelf, w->now, 204); /* the first one goes */
    assert_int_equal(shelf.count, 2);
    assert_int_equal(shelf.bytes, 203);
    assert_null(hb_block_shelf_take(&shelf, w->now, &all[0]));
    hb_block_map *map = hb_block_shelf_take(&shelf, w->now, &all[1]);
    assert_ptr_equal(map, all[1].map);
    hb_block_shelf_put(&shelf, all[1]); /* and lies there from now on */
    hb_block_shelf_bound(&shelf, w->now, 101);
    assert_ptr_equal(shelf.list[0].map, all[1].map);
    assert_int_equal(shelf.count, 1);
    hb_block_shelf_bound(&shelf, w->now, 0);
    assert_int_equal(shelf.count, 0);
    hb_block_shelf_bound(&shelf, NULL, 0);
}

HB_UNIT(block_shelf)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_taken_by_other_parameters, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_digests, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_bound, open_world, close_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
