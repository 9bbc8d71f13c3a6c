/* Packed rows of the CPU engine against bits moved one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/toy.h"
#include "unit/unit.h"

/* Bit k of a little-endian stream. */
static unsigned bit_at(const uint8_t *row, size_t k)
{
    return row[k / 8] >> (k % 8) & 1;
}

static uint32_t slow_width(uint64_t m)
{
    uint32_t bits = 0;
    for (uint64_t largest = m - 1; largest != 0; largest /= 2) {
        bits++;
    }
    return bits;
}

/* One modulus of every width, the largest or the smallest. */
static uint64_t modulus_of(uint32_t bits, bool smallest)
{
    return smallest ? (1ull << (bits - 1)) + 1 : 1ull << bits;
}

enum { WIDTHS = 60, COUNT = 3, GAP = 2, N = 64 };

static void check_widths(bool smallest)
{
    uint64_t moduli[WIDTHS];
    size_t bytes = 0;
    for (uint32_t l = 0; l < WIDTHS; l++) {
        moduli[l] = modulus_of(l + 1, smallest);
        bytes += N * (l + 1) / 8;
    }
    toy t;
    toy_open(&t, 6, moduli, WIDTHS, false);
    assert_int_equal(hb_packed_bytes(&t.ring, t.ids, WIDTHS), bytes);
    uint64_t random = 4;
    hb_batch a = toy_batch(&t, COUNT, WIDTHS, t.ids, GAP), r = toy_batch(&t, COUNT, WIDTHS, t.ids, 0);
    toy_fill(&t, a, &random);
    uint8_t *packed = malloc(COUNT * bytes + 2);
    assert_non_null(packed);
    packed[0] = packed[COUNT * bytes + 1] = 0xa5;
    assert_int_equal(hb_pack(t.engine, (hb_packed){packed + 1, a.count, 0, 1}, a), HB_OK); /* at an odd address */

    const uint8_t *row = packed + 1;
    for (uint32_t l = 0; l < WIDTHS; l++) {
        assert_int_equal(hb_residue_bits(&t.ring.moduli[l]), slow_width(moduli[l]));
        for (size_t c = 0; c < COUNT; c++, row += hb_packed_row_bytes(N, &t.ring.moduli[l])) {
            for (size_t k = 0; k < N * (l + 1); k++) {
                assert_int_equal(bit_at(row, k), *toy_at(&t, a, c, l, k / (l + 1)) >> (k % (l + 1)) & 1);
            }
        }
    }
    assert_ptr_equal(row, packed + 1 + COUNT * bytes);
    assert_true(packed[0] == 0xa5 && *row == 0xa5);

    size_t out_of_range = 77;
    assert_int_equal(hb_unpack(t.engine, r, (hb_packed){packed + 1, r.count, 0, 1}, &out_of_range), HB_OK);
    assert_int_equal(out_of_range, 0);
    for (size_t c = 0; c < COUNT; c++) {
        assert_memory_equal(toy_at(&t, a, c, 0, 0), toy_at(&t, r, c, 0, 0), WIDTHS * N * sizeof(uint64_t));
    }
    free(packed);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_round_trip(void **state)
{
    (void)state;
    check_widths(false);
    check_widths(true);
}

/* Rows `stride` apart, from the second on: those between are left alone, and every other polynomial is found again. */
static void test_rows_apart(void **state)
{
    (void)state;
    const uint64_t moduli[] = {97, (1ull << 60) - 93};
    enum { STEP = 3, ROWS = 2 + STEP * (COUNT - 1) + 1 };
    toy t;
    toy_open(&t, 6, moduli, 2, false);
    uint64_t random = 6;
    hb_batch a = toy_batch(&t, COUNT, 2, t.ids, GAP), r = toy_batch(&t, COUNT, 2, t.ids, 0);
    toy_fill(&t, a, &random);
    const size_t bytes = hb_packed_bytes(&t.ring, t.ids, 2);
    uint8_t *apart = malloc(ROWS * bytes), *together = malloc(COUNT * bytes);
    assert_true(apart != NULL && together != NULL);
    memset(apart, 0xa5, ROWS * bytes);
    const hb_packed rows = {apart, ROWS, 1, STEP};
    assert_int_equal(hb_pack(t.engine, rows, a), HB_OK);
    assert_int_equal(hb_pack(t.engine, (hb_packed){together, COUNT, 0, 1}, a), HB_OK);
    const uint8_t *is = apart, *expected = together;
    for (uint32_t l = 0; l < 2; l++) {
        const size_t row = hb_packed_row_bytes(N, &t.ring.moduli[l]);
        for (size_t i = 0; i < ROWS; i++, is += row) {
            if (i % STEP == 1) {
                assert_memory_equal(is, expected, row);
                expected += row;
            }
            for (size_t k = 0; i % STEP != 1 && k < row; k++) {
                assert_int_equal(is[k], 0xa5);
            }
        }
    }
    size_t out_of_range = 77;
    assert_int_equal(hb_unpack(t.engine, r, rows, &out_of_range), HB_OK);
    assert_int_equal(out_of_range, 0);
    for (size_t c = 0; c < COUNT; c++) {
        assert_memory_equal(toy_at(&t, a, c, 0, 0), toy_at(&t, r, c, 0, 0), 2 * N * sizeof(uint64_t));
    }
    free(apart);
    free(together);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_out_of_range(void **state)
{
    (void)state;
    const uint64_t moduli[] = {97, (1ull << 61) - 1, (1ull << 60) + 33};
    toy t;
    toy_open(&t, 6, moduli, 3, false);
    uint64_t random = 5;
    hb_batch a = toy_batch(&t, COUNT, 3, t.ids, 0), r = toy_batch(&t, COUNT, 3, t.ids, GAP);
    toy_fill(&t, a, &random);
    size_t wrong = 0;
    for (size_t c = 0; c < COUNT; c++) {
        for (uint32_t l = 0; l < 3; l++) {
            for (size_t j = l; j < N; j += 13 + c) {
                *toy_at(&t, a, c, l, j) =
                    moduli[l]; /* the least value out of range has as many bits as the largest in it */
                wrong++;
            }
        }
    }
    uint8_t *packed = malloc(COUNT * hb_packed_bytes(&t.ring, t.ids, 3));
    assert_non_null(packed);
    assert_int_equal(hb_pack(t.engine, (hb_packed){packed, a.count, 0, 1}, a), HB_OK);
    size_t out_of_range;
    assert_int_equal(hb_unpack(t.engine, r, (hb_packed){packed, r.count, 0, 1}, &out_of_range), HB_OK);
    assert_int_equal(out_of_range, wrong);
    toy_assert_gaps(&t, r);
    free(packed);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

HB_UNIT(cpu_pack)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_rows_apart),
        cmocka_unit_test(test_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
