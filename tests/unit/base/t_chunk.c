/* Chunks cover every thing once, in order, and none has more than the step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/chunk.h"
#include "unit/unit.h"

static void test_cover(void **state)
{
    (void)state;
    for (size_t all = 0; all <= 12; all++) {
        for (size_t step = 1; step <= 14; step++) {
            size_t next = 0, chunks = 0;
            for (hb_chunk c = hb_chunks(all, step); hb_chunk_next(&c);) {
                assert_int_equal(c.first, next);
                assert_true(c.count >= 1 && c.count <= step);
                next += c.count;
                chunks++;
            }
            assert_int_equal(next, all);
            assert_int_equal(chunks, (all + step - 1) / step);
        }
    }
}

static void test_larger(void **state)
{
    (void)state;
    assert_int_equal(hb_larger(3, 5), 5);
    assert_int_equal(hb_larger(5, 3), 5);
    assert_int_equal(hb_larger(4, 4), 4);
    assert_int_equal(hb_smaller(5, 3), 3);
    assert_int_equal(hb_smaller(4, 4), 4);
}

HB_UNIT(chunk)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cover),
        cmocka_unit_test(test_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
