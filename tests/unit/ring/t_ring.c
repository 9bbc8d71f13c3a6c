/* Rings: limits, ids in order, constants and roots of prime, unsuited and composite moduli. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "reference/slow.h"
#include "ring/ring.h"
#include "unit/unit.h"

static void test_degree(void **state)
{
    (void)state;
    for (uint32_t log_n = 0; log_n <= 70; log_n++) {
        hb_ring ring;
        const int good = log_n >= 1 && log_n <= 17;
        assert_int_equal(hb_ring_init(&ring, log_n), good ? HB_OK : HB_ECONFIG);
        if (good) {
            assert_int_equal(ring.log_n, log_n);
            assert_int_equal(ring.n, slow_pow(2, log_n, UINT64_MAX));
            assert_int_equal(ring.count, 0);
        }
    }
}

static void test_moduli(void **state)
{
    (void)state;
    /* With a root, prime but not = 1 mod 16, composite though = 1 mod 16, even, the least, the largest. */
    static const uint64_t values[] = {97, 113, 193, 17, 101, 33, 97 * 113, 256, 2, ((uint64_t)1 << 61) - 1};
    const size_t with_root = 4;
    hb_ring ring;
    assert_int_equal(hb_ring_init(&ring, 3), HB_OK);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint16_t id = UINT16_MAX;
        uint64_t psi = 0;
        for (uint64_t x = 200; x >= 1 && i < with_root; x--) {
            psi = x < values[i] && slow_pow(x, 8, values[i]) == values[i] - 1 ? x : psi;
        }
        assert_int_equal(psi != 0, i < with_root);
        assert_int_equal(hb_ring_add_modulus(&ring, values[i], &id), HB_OK);
        assert_int_equal(id, i);
        assert_int_equal(ring.count, i + 1);
        assert_int_equal(ring.moduli[i].value, values[i]);
        assert_int_equal(ring.psi[i], psi);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    hb_ring ring;
    uint16_t id = 77;
    static const uint64_t bad[] = {0, 1, (uint64_t)1 << 61, UINT64_MAX};
    assert_int_equal(hb_ring_init(&ring, 10), HB_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(hb_ring_add_modulus(&ring, bad[i], &id), HB_ECONFIG);
        assert_int_equal(ring.count, 0);
        assert_int_equal(id, 77);
    }
    for (uint32_t i = 0; i < HB_RING_MAX_MODULI; i++) {
        assert_int_equal(hb_ring_add_modulus(&ring, i + 2, &id), HB_OK);
    }
    assert_int_equal(hb_ring_add_modulus(&ring, 12289, &id), HB_ECONFIG);
    assert_int_equal(ring.count, HB_RING_MAX_MODULI);
    assert_int_equal(id, HB_RING_MAX_MODULI - 1);
}

/* A subring keeps ids and moduli; those that are asked for have a root of its own order. */
static void test_subring(void **state)
{
    (void)state;
    static const uint64_t values[] = {97, 113, 193, 101};
    const uint16_t ids[] = {0, 2};
    hb_ring ring, sub;
    uint16_t id;
    assert_int_equal(hb_ring_init(&ring, 3), HB_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(hb_ring_add_modulus(&ring, values[i], &id), HB_OK);
    }
    for (uint32_t log_n = 1; log_n <= 3; log_n++) {
        hb_ring_subring(&sub, &ring, log_n, ids, 2);
        assert_true(sub.log_n == log_n && sub.n == (size_t)1 << log_n && sub.count == 4);
        for (size_t i = 0; i < 4; i++) {
            const uint64_t q = values[i], root = slow_pow(ring.psi[i], 8 >> log_n, q);
            assert_true(sub.moduli[i].value == q && sub.psi[i] == (i == 0 || i == 2 ? root : 0));
            assert_true(sub.psi[i] == 0 || slow_pow(root, sub.n, q) == q - 1);
        }
    }
}

HB_UNIT(ring)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_degree),
        cmocka_unit_test(test_moduli),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_subring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
