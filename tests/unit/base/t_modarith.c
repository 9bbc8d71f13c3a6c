/* Scalar arithmetic of both paths: every operand of every small modulus, then edges and random words of large ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/modarith.h"
#include "reference/slow.h"
#include "unit/unit.h"

__extension__ typedef __int128 signed_wide;

static hb_modulus modulus(uint64_t value)
{
    hb_modulus m;
    assert_int_equal(hb_modulus_init(&m, value), HB_OK);
    return m;
}

static void check_integer_pair(const hb_modulus *m, uint64_t a, uint64_t b)
{
    const uint64_t v = m->value;
    assert_int_equal(hb_mod_add(a, b, m), (uint64_t)(((slow_wide)a + b) % v));
    assert_int_equal(hb_mod_sub(a, b, m), (uint64_t)(((slow_wide)a + v - b) % v));
    assert_int_equal(hb_mod_mul(a, b, m), slow_mul(a, b, v));
    uint64_t lazy = hb_mul_shoup_lazy(a, b, hb_shoup_quotient(b, v), v);
    assert_true(lazy < 2 * v);
    assert_int_equal(lazy % v, slow_mul(a, b, v));
}

/* a, b: any integers with |a b| / m < 2^51. */
static void check_f64_pair(const hb_modulus *m, int64_t a, int64_t b)
{
    const double p = m->f64_value;
    double r = hb_f64_mul((double)a, (double)b, p, m->f64_inverse);
    double quotient = fabs((double)a * (double)b / p);
    assert_true(r == rint(r));
    assert_true(fabs(r) <= p * (0.5 + quotient / 4503599627370496.0) + 1); /* 2^52 */
    const signed_wide difference = (signed_wide)a * b - (int64_t)r;
    assert_true(difference % (int64_t)m->value == 0);
}

static void check_f64_single(const hb_modulus *m, int64_t x)
{
    double r = hb_f64_reduce((double)x, m->f64_value, m->f64_inverse);
    assert_true(fabs(r) <= (m->f64_value + 1) / 2);
    assert_true((x - (int64_t)r) % (int64_t)m->value == 0);
    const uint64_t v = m->value;
    assert_int_equal(hb_f64_residue(r, v), (uint64_t)((x % (int64_t)v + (int64_t)v) % (int64_t)v));
}

static void every_operand_of_small_moduli(void **state)
{
    (void)state;
    for (uint64_t v = 2; v <= 67; v++) {
        const hb_modulus m = modulus(v);
        for (uint64_t a = 0; a < v; a++) {
            assert_int_equal(hb_mod_negate(a, &m), (v - a) % v);
            for (uint64_t b = 0; b < v; b++) {
                check_integer_pair(&m, a, b);
            }
        }
        for (int64_t a = -(int64_t)(4 * v); a <= (int64_t)(4 * v); a++) {
            check_f64_single(&m, a);
            for (int64_t b = -(int64_t)v; b <= (int64_t)v; b++) {
                check_f64_pair(&m, a, b);
            }
        }
    }
}

static void inverses_and_powers(void **state)
{
    (void)state;
    for (uint64_t v = 2; v <= 130; v++) {
        const hb_modulus m = modulus(v);
        for (uint64_t a = 0; a < 2 * v; a++) {
            uint64_t inverse = hb_mod_inverse(a, &m), expected = 0;
            for (uint64_t b = 1; b < v; b++) {
                expected = a * b % v == 1 ? b : expected;
            }
            assert_int_equal(inverse, expected);
            assert_int_equal(hb_mod_pow(a, a + 3, &m), slow_pow(a, a + 3, v));
        }
    }
    const hb_modulus m = modulus(((uint64_t)1 << 61) - 1);
    uint64_t seed = 1;
    for (int i = 0; i < 1000; i++) {
        uint64_t a = slow_random(&seed) % m.value;
        assert_int_equal(slow_mul(a, hb_mod_inverse(a, &m), m.value), a != 0);
    }
}

static const uint64_t large[] = {((uint64_t)1 << 61) - 1,
                                 ((uint64_t)1 << 60) + 1,
                                 2305843009213317121u, /* 61 bits: 2^61 + 1 - 2^14 * 23 */
                                 ((uint64_t)1 << 51) - 129,
                                 ((uint64_t)1 << 50) - 27,
                                 1125899904679937u, /* 50 bits: 2^50 - 2^15 * 65 ... */
                                 ((uint64_t)1 << 49) + 1,
                                 8796092858369u,
                                 1032193,
                                 65537,
                                 (uint64_t)1 << 60,
                                 3};

static void edges_and_random_words_of_large_moduli(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const hb_modulus m = modulus(large[i]);
        const uint64_t v = m.value;
        const uint64_t edges[] = {0, 1, v / 2, v / 2 + 1, v - 2, v - 1};
        for (int k = 0; k < 20000; k++) {
            uint64_t a = k < 36 ? edges[k / 6] : slow_random(&seed) % v;
            uint64_t b = k < 36 ? edges[k % 6] : slow_random(&seed) % v;
            check_integer_pair(&m, a, b);
            uint64_t word = k < 2 ? UINT64_MAX - (uint64_t)k : slow_random(&seed);
            assert_int_equal(hb_mod_reduce(word, &m), word % v);
            /* The residue of a number below 0 is the distance of its magnitude to the next multiple of the modulus. */
            const int64_t integer = k == 2 ? INT64_MIN : k == 3 ? -(int64_t)v : (int64_t)word;
            const uint64_t magnitude = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
            assert_int_equal(hb_mod_reduce_signed(integer, &m), integer < 0 ? (v - magnitude % v) % v : magnitude % v);
            slow_wide wide = ((slow_wide)(k < 4 ? UINT64_MAX : slow_random(&seed)) << 64) | word;
            assert_int_equal(hb_mod_reduce_wide(wide, &m), (uint64_t)(wide % v));
            if (m.f64) {
                check_f64_pair(&m, (int64_t)a, (int64_t)b);
                check_f64_pair(&m, -(int64_t)a, (int64_t)b);
                /* the widest first operand a transform makes: B m < 2^52 against a balanced twiddle */
                check_f64_pair(&m, (int64_t)(4503599627370495u / v * v), (int64_t)(b / 2)); /* 2^52 - 1 */
                check_f64_single(&m, (int64_t)(word >> 12));
                check_f64_single(&m, -(int64_t)(word >> 12));
            }
        }
    }
}

static void words_and_doubles(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100000; i++) {
        uint64_t x = slow_random(&seed) >> (13 + i % 51); /* below 2^51 */
        assert_true(hb_f64_from_word(x) == (double)x);
        assert_true(hb_f64_from_word(2 * x) == (double)(2 * x));
        assert_int_equal(hb_f64_to_word((double)x), x);
        assert_int_equal(hb_f64_to_word(-(double)x), (uint64_t) - (int64_t)x);
    }
}

static void refuses_impossible_moduli(void **state)
{
    (void)state;
    hb_modulus m;
    const uint64_t bad[] = {0, 1, (uint64_t)1 << 61, UINT64_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(hb_modulus_init(&m, bad[i]), HB_ECONFIG);
    }
}

HB_UNIT(modarith)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operand_of_small_moduli),
        cmocka_unit_test(inverses_and_powers),
        cmocka_unit_test(edges_and_random_words_of_large_moduli),
        cmocka_unit_test(words_and_doubles),
        cmocka_unit_test(refuses_impossible_moduli),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
