/* How many row blocks a computation takes at a time, in cases whose answer is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/batch_choice.h"
#include "unit/unit.h"

/* A long computation on ciphertexts that are read and written fast. */
static const hb_batch_case bootstraps = {.blocks = 16,
                                         .unit = 1,
                                         .most = 9,
                                         .threads = 4,
                                         .compute = 25e-3,
                                         .once = 8e-3,
                                         .move = 0.5e-3,
                                         .read = 5e-3,
                                         .write = 5e-3,
                                         .memory = 1.3e-3};

typedef struct choice {
    uint64_t size;
    hb_batch_limit limit;
} choice;

/* The memory of a test, and the sizes that it was asked for. */
typedef struct memory {
    uint64_t workers, fits; /* workers of sizes up to `fits`; larger ones do not fit */
    uint64_t sizes[HB_BATCH_MOST_SIZES];
    size_t count;
} memory;

static hb_status fit(void *context, const uint64_t *sizes, uint64_t *workers, size_t count)
{
    memory *m = context;
    assert_true(count >= 1 && count <= HB_BATCH_MOST_SIZES && m->count == 0);
    m->count = count;
    for (size_t i = 0; i < count; i++) {
        m->sizes[i] = sizes[i];
        workers[i] = sizes[i] <= m->fits ? m->workers : 0;
    }
    return HB_OK;
}

static choice choose(const hb_batch_case *c, uint64_t workers, uint64_t fits)
{
    memory m = {.workers = workers, .fits = fits};
    choice chosen;
    assert_int_equal(hb_batch_choose(c, (hb_batch_fit){fit, &m}, &chosen.size, &chosen.limit), HB_OK);
    return chosen;
}

static void test_sizes(void **state)
{
    (void)state;
    for (uint64_t unit = 1; unit <= 7; unit += 3) {
        for (uint64_t most = 1; most <= 4096; most = most * 3 + 1) {
            for (uint64_t blocks = 1; blocks <= 100000; blocks = blocks * 2 + 3) {
                const hb_batch_case c = {.blocks = blocks, .unit = unit, .most = most, .threads = 1};
                memory m = {.workers = 1, .fits = UINT64_MAX};
                choice chosen;
                assert_int_equal(hb_batch_choose(&c, (hb_batch_fit){fit, &m}, &chosen.size, &chosen.limit), HB_OK);
                assert_int_equal(m.sizes[0], unit);
                for (size_t i = 0; i < m.count; i++) {
                    assert_int_equal(m.sizes[i] % unit, 0);
                    assert_true(i == 0 || m.sizes[i] > m.sizes[i - 1]);
                    assert_true(m.sizes[i] <= (most > unit ? most : unit));
                    assert_true(m.sizes[i] < blocks + unit);
                }
                /* The largest is near the most that pay, or has all. */
                const uint64_t largest = m.sizes[m.count - 1], all = (blocks + unit - 1) / unit * unit;
                assert_true(largest == all || 2 * largest + unit > (most < all ? most / unit * unit : all));
            }
        }
    }
    /* Equal parts: 16 in two eights rather than nine and seven. */
    memory m = {.workers = 1, .fits = UINT64_MAX};
    choice chosen;
    assert_int_equal(hb_batch_choose(&bootstraps, (hb_batch_fit){fit, &m}, &chosen.size, &chosen.limit), HB_OK);
    assert_int_equal(m.sizes[m.count - 1], 8);
}

static void test_long_computations(void **state)
{
    (void)state;
    choice chosen = choose(&bootstraps, 3, 100);
    assert_int_equal(chosen.size, 8);
    assert_int_equal(chosen.limit, HB_BATCH_ENOUGH);
    chosen = choose(&bootstraps, 3, 4);
    assert_int_equal(chosen.size, 4);
    assert_int_equal(chosen.limit, HB_BATCH_MEMORY);
    /* Where none fits, the plan refuses the job. */
    chosen = choose(&bootstraps, 3, 0);
    assert_int_equal(chosen.size, 1);
    assert_int_equal(chosen.limit, HB_BATCH_MEMORY);
    hb_batch_case few = bootstraps;
    few.blocks = 5;
    chosen = choose(&few, 1, 100);
    assert_int_equal(chosen.size, 5);
    assert_int_equal(chosen.limit, HB_BATCH_BLOCKS);
    few.blocks = 1;
    chosen = choose(&few, 1, 100);
    assert_int_equal(chosen.size, 1);
    assert_int_equal(chosen.limit, HB_BATCH_BLOCKS);
}

/* Reading, computing and writing must overlap where files are what the job waits for. */
static void test_short_computations(void **state)
{
    (void)state;
    hb_batch_case product = bootstraps;
    product.compute = 0.26e-3;
    product.once = 0.09e-3;
    choice chosen = choose(&product, 3, 100);
    assert_int_equal(chosen.size, 1);
    assert_int_equal(chosen.limit, HB_BATCH_FILES);
    /* Many small ciphertexts share what each batch costs, but not all of them: some are read meanwhile. */
    const hb_batch_case small = {.blocks = 5000,
                                 .unit = 3,
                                 .most = 512,
                                 .threads = 4,
                                 .compute = 9e-6,
                                 .once = 60e-6,
                                 .move = 7e-6,
                                 .read = 10e-6,
                                 .write = 10e-6,
                                 .memory = 3e-6};
    chosen = choose(&small, 3, 10000);
    assert_true(chosen.size >= 30 && chosen.size <= 300);
    assert_int_equal(chosen.limit, HB_BATCH_FILES);
    assert_int_equal(chosen.size % 3, 0);
}

/* Buffers of large steps take time: none where that is longer than all that a batch saves. */
static void test_memory(void **state)
{
    (void)state;
    hb_batch_case c = bootstraps;
    c.blocks = 1000;
    c.threads = 1;
    assert_int_equal(choose(&c, 3, 100).size, 9);
    c.memory = 1; /* of five buffers */
    assert_int_equal(choose(&c, 3, 100).size, 1);
    assert_int_equal(choose(&c, 3, 100).limit, HB_BATCH_FILES);
}

/* Nothing to save: the smallest step. */
static void test_nothing_to_gain(void **state)
{
    (void)state;
    hb_batch_case c = bootstraps;
    c.once = 0;
    assert_int_equal(choose(&c, 3, 100).size, 1);
    c.read = c.write = c.memory = 0; /* no matter: the smallest of equal ones */
    assert_int_equal(choose(&c, 3, 100).size, 1);
}

static void test_words(void **state)
{
    (void)state;
    for (int limit = HB_BATCH_ASKED; limit <= HB_BATCH_FILES; limit++) {
        assert_non_null(hb_batch_limit_words((hb_batch_limit)limit));
        assert_true(limit == 0 ||
                    hb_batch_limit_words((hb_batch_limit)limit) != hb_batch_limit_words((hb_batch_limit)(limit - 1)));
    }
}

HB_UNIT(batch_choice)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_long_computations),
                                       cmocka_unit_test(test_short_computations),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_nothing_to_gain),
                                       cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
