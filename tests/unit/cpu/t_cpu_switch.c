/* Automorphisms, products of ciphertexts and the steps of key switching against plain loops over __int128. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prime.h"
#include "reference/toy.h"
#include "ring/switch_arith.h"
#include "unit/unit.h"

/* FP64, integer, and both; small and large; q above, between and below p and 2p. */
static const uint64_t moduli[] = {97,
                                  (1ull << 43) - 57,
                                  (1ull << 44) - 17,
                                  (1ull << 50) - 27,
                                  (1ull << 50) - 35,
                                  (1ull << 59) - 55,
                                  (1ull << 60) - 93,
                                  (1ull << 61) - 1,
                                  2};
enum { MODULI = sizeof moduli / sizeof *moduli, COUNT = 3, GAP = 5 };

/* Coefficient i goes to i * element mod 2n; from n on it is subtracted. */
static void check_galois(uint32_t log_n, uint32_t element)
{
    toy t;
    toy_open(&t, log_n, moduli, MODULI, false);
    const size_t n = t.ring.n;
    uint64_t random = element;
    hb_batch a = toy_batch(&t, COUNT, MODULI, t.ids, GAP), r = toy_batch(&t, COUNT, MODULI, t.ids, 1);
    toy_fill(&t, a, &random);
    assert_int_equal(hb_galois(t.engine, r, a, element), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (uint32_t l = 0; l < MODULI; l++) {
            for (size_t i = 0; i < n; i++) {
                const uint64_t m = moduli[l], x = *toy_at(&t, a, c, l, i), to = i * (uint64_t)element % (2 * n);
                assert_true(*toy_at(&t, r, c, l, to % n) == (to < n ? x : (m - x) % m));
            }
        }
    }
    toy_assert_gaps(&t, r);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_galois(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 6; log_n++) { /* every element */
        for (uint32_t element = 1; element < 2u << log_n; element += 2) {
            check_galois(log_n, element);
        }
    }
    const uint32_t some[] = {1, 3, 6561, (2u << 13) - 1, (1u << 13) + 1};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        check_galois(13, some[i]);
    }
}

static void test_galois_inverse(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 31; log_n++) {
        const uint64_t n = 1ull << log_n;
        for (uint32_t i = 0; i < 100; i++) {
            const uint32_t element = (uint32_t)((i * (n / 37 + 1) * 2 + 1) % (2 * n)),
                           x = hb_galois_inverse(element, n);
            assert_true(x < 2 * n && (uint64_t)element * x % (2 * n) == 1);
        }
    }
}

typedef struct factors {
    hb_batch a, b;
    size_t a_size, b_size;
} factors;

/* sum over i + k = component of a_i b_k, of one word. */
static uint64_t slow_tensor(const toy *t, const factors *f, size_t component, size_t c, uint32_t l, size_t j)
{
    const size_t count = f->a.count / f->a_size, b_count = f->b.count / f->b_size;
    uint64_t sum = 0;
    for (size_t i = 0; i < f->a_size; i++) {
        for (size_t k = 0; k < f->b_size; k++) {
            if (i + k == component) {
                const uint64_t x = *toy_at(t, f->a, i * count + c, l, j);
                const uint64_t y = *toy_at(t, f->b, k * b_count + (b_count == 1 ? 0 : c), l, j);
                sum = (sum + slow_mul(x, y, moduli[l])) % moduli[l]; /* below 2^62 */
            }
        }
    }
    return sum;
}

static void check_tensor(uint32_t a_size, uint32_t b_size, bool one, bool square, bool integer, uint32_t log_n)
{
    toy t;
    toy_open(&t, log_n, moduli, MODULI, integer);
    uint64_t random = 10 * a_size + b_size;
    const uint32_t size = a_size + b_size - 1;
    hb_batch a = toy_batch(&t, a_size * COUNT, MODULI, t.ids, GAP), r = toy_batch(&t, size * COUNT, MODULI, t.ids, 1);
    hb_batch other = toy_batch(&t, b_size * (one ? 1 : COUNT), MODULI, t.ids, 0);
    toy_fill(&t, a, &random);
    toy_fill(&t, other, &random);
    const hb_batch b = square ? a : other;
    const factors f = {a, b, a_size, b_size};
    assert_int_equal(hb_tensor(t.engine, r, a, b, a_size, b_size), HB_OK);
    for (size_t c = 0; c < size * COUNT; c++) {
        for (uint32_t l = 0; l < MODULI; l++) {
            for (size_t j = 0; j < t.ring.n; j++) {
                assert_true(*toy_at(&t, r, c, l, j) == slow_tensor(&t, &f, c / COUNT, c % COUNT, l, j));
            }
        }
    }
    toy_assert_gaps(&t, r);
    toy_free(a);
    toy_free(other);
    toy_free(r);
    toy_close(&t);
}

static void test_tensor(void **state)
{
    (void)state;
    for (uint32_t a_size = 1; a_size <= 8; a_size++) { /* up to two rounds of lazy sums */
        for (uint32_t b_size = 1; b_size <= 8; b_size++) {
            for (int way = 0; way < 4; way++) {
                check_tensor(a_size, b_size, way & 1, false, way & 2, 5);
            }
        }
        check_tensor(a_size, a_size, false, true, false, 5);
    }
    check_tensor(3, 2, false, false, false, 10); /* more than a block */
    check_tensor(3, 2, false, false, true, 10);
}

static void test_decompose(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 8; log_n++) {
        for (int integer = 0; integer < 2; integer++) {
            toy t;
            toy_open(&t, log_n, moduli, MODULI, integer);
            uint64_t random = log_n;
            hb_batch a = toy_batch(&t, COUNT, MODULI - 2, t.ids + 2, GAP);
            hb_batch r = toy_batch(&t, COUNT * (MODULI - 2), MODULI, t.ids, 1);
            toy_fill(&t, a, &random);
            assert_int_equal(hb_decompose(t.engine, r, a), HB_OK);
            for (size_t c = 0; c < r.count; c++) {
                for (uint32_t l = 0; l < MODULI; l++) {
                    for (size_t j = 0; j < t.ring.n; j++) {
                        const uint64_t digit = *toy_at(&t, a, c / a.limbs, (uint32_t)(c % a.limbs), j);
                        assert_true(*toy_at(&t, r, c, l, j) == digit % moduli[l]);
                    }
                }
            }
            toy_assert_gaps(&t, r);
            toy_free(a);
            toy_free(r);
            toy_close(&t);
        }
    }
}

/* Every x below q, of small moduli. */
static void test_all_digits(void **state)
{
    (void)state;
    for (uint64_t q = 2; q <= 64; q++) {
        for (uint64_t p = 2; p <= 64; p++) {
            hb_modulus from, to;
            assert_int_equal(hb_modulus_init(&from, q), HB_OK);
            assert_int_equal(hb_modulus_init(&to, p), HB_OK);
            for (uint64_t x = 0; x < q; x++) {
                const hb_digit_way way = hb_digit_way_of(&from, &to);
                const uint64_t y = way == HB_DIGIT_COPY ? x : way == HB_DIGIT_CORRECT ? hb_correct(x, p) : 99;
                assert_true(way == HB_DIGIT_F64 || y == x % p);
                assert_true(hb_digit_f64(x, &to) == x % p);
            }
        }
    }
}

/* Words of digits and of keys: any; the largest, whose products are small; those whose products are the largest when
 * balanced, so that lazy sums are, too. */
typedef enum filling { ANY, LARGEST, HALVES } filling;

static void fill_all(const toy *t, hb_batch b, uint64_t *random, filling how, bool is_key)
{
    toy_fill(t, b, random);
    for (size_t i = 0; how != ANY && i < b.count * b.limbs * t->ring.n; i++) {
        const uint32_t l = (uint32_t)(i / t->ring.n % b.limbs);
        const uint64_t m = toy_modulus(t, b, l);
        *toy_at(t, b, i / t->ring.n / b.limbs, l, i % t->ring.n) = how == LARGEST ? m - 1 : is_key ? 1 : m / 2;
    }
}

/* Limbs of a key, and of the digits and the result: some of them. With the last three keys as a member of a group has
 * them, where others have the rest. */
static const struct {
    uint32_t key_limbs, limbs;
    uint16_t key_ids[MODULI], ids[MODULI];
} keys[] = {
    {9, 6, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 3, 4, 5, 6}},
    {6, 6, {0, 1, 3, 4, 5, 6}, {0, 1, 3, 4, 5, 6}},
    {4, 3, {1, 3, 5, 7}, {1, 3, 7}},
    {3, 2, {0, 4, 8}, {4, 8}},
    {1, 1, {6}, {6}},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* The key has a part more than the digits ask for. */
static void check_key_products(size_t which, uint32_t digits, uint32_t log_n, bool integer, filling how)
{
    const uint16_t *ids = keys[which].ids, *key_ids = keys[which].key_ids;
    const uint32_t limbs = keys[which].limbs, key_limbs = keys[which].key_limbs;
    toy t;
    toy_open(&t, log_n, moduli, MODULI, integer);
    uint64_t random = digits;
    hb_batch d = toy_batch(&t, COUNT * digits, limbs, ids, GAP), r = toy_batch(&t, 2 * COUNT, limbs, ids, 1);
    hb_batch key = toy_batch(&t, 2 * digits + 2, key_limbs, key_ids, 2 * GAP);
    fill_all(&t, d, &random, how, false);
    fill_all(&t, key, &random, how, true);
    assert_int_equal(hb_key_products(t.engine, r, d, key, 2, 2), HB_OK);
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < limbs; l++) {
            uint32_t of_key = 0;
            for (uint32_t i = 0; i < key_limbs; i++) {
                of_key = key_ids[i] == ids[l] ? i : of_key;
            }
            for (size_t j = 0; j < t.ring.n; j++) {
                uint64_t sum = 0, m = moduli[ids[l]];
                for (size_t i = 0; i < digits; i++) {
                    const uint64_t k = *toy_at(&t, key, 2 * i + c / COUNT, of_key, j);
                    sum = (sum + slow_mul(*toy_at(&t, d, c % COUNT * digits + i, l, j), k, m)) % m;
                }
                assert_true(*toy_at(&t, r, c, l, j) == sum);
            }
        }
    }
    toy_assert_gaps(&t, r);
    toy_free(d);
    toy_free(r);
    toy_free(key);
    toy_close(&t);
}

static void test_key_products(void **state)
{
    (void)state;
    for (uint32_t digits = 1; digits <= 9; digits++) {
        for (size_t key = 0; key < KEYS; key++) {
            check_key_products(key, digits, 4, false, ANY);
            check_key_products(key, digits, 4, true, ANY);
        }
    }
    for (uint32_t log_n = 1; log_n <= 10; log_n++) { /* below, at and above a block */
        check_key_products(0, 3, log_n, false, ANY);
    }
    for (filling how = LARGEST; how <= HALVES; how++) {
        check_key_products(0, HB_MAX_LIMBS, 3, false, how);
        check_key_products(0, HB_MAX_LIMBS, 3, true, how);
    }
}

/* Products of digits as they are made, against digits that stand in memory: transforms that take words as they are, or
 * reduce them, in both arithmetics, with an odd and an even number of stages. */
static void check_made_digits(uint32_t log_n, bool is_known)
{
    enum { DIGITS = 9, OUTPUTS = 4, CIPHERTEXTS = 3 };
    const uint32_t bits[] = {20, 40, 41, 41, 49, 50, 55, 56, 60, 61};
    const uint16_t ids[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, from[] = {9, 8, 0, 3, 2, 1, 4, 6, 5};
    uint64_t primes[10], random = log_n;
    for (uint32_t i = 0; i < 10; i++) {
        uint64_t found[2];
        assert_int_equal(hb_find_primes(4096, bits[i], 2, found), HB_OK);
        primes[i] = found[i == 3];
    }
    toy t;
    toy_open_primes(&t, log_n, primes, 10);
    hb_batch a = toy_batch(&t, CIPHERTEXTS, DIGITS, from, GAP), known = toy_batch(&t, CIPHERTEXTS, DIGITS, from, 1);
    hb_batch digits = toy_batch(&t, CIPHERTEXTS * DIGITS, 10, ids, 3), key = toy_batch(&t, 6 * DIGITS, 10, ids, GAP);
    hb_batch r = toy_batch(&t, OUTPUTS * CIPHERTEXTS, 10, ids, 1);
    toy_fill(&t, a, &random);
    toy_fill(&t, key, &random);
    assert_int_equal(hb_ntt_of(t.engine, known, a), HB_OK);
    assert_int_equal(hb_decompose(t.engine, digits, a), HB_OK);
    assert_int_equal(hb_ntt(t.engine, digits), HB_OK);
    assert_int_equal(hb_key_products(t.engine, r, digits, key, OUTPUTS, 6), HB_OK);
    const hb_batch expected = toy_copy(&t, r);
    toy_fill(&t, r, &random);
    const hb_batch none = {.data = NULL};
    const hb_digit_operands x = {a, is_known ? known : none, digits, key, OUTPUTS, 6};
    assert_int_equal(hb_digit_products(t.engine, r, &x), HB_OK);
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < 10; l++) {
            assert_memory_equal(toy_at(&t, r, c, l, 0), toy_at(&t, expected, c, l, 0), t.ring.n * sizeof *r.data);
        }
    }
    toy_assert_gaps(&t, r);
    toy_assert_gaps(&t, digits);
    toy_free(a);
    toy_free(known);
    toy_free(digits);
    toy_free(key);
    toy_free(r);
    toy_free(expected);
    toy_close(&t);
}

static void test_made_digits(void **state)
{
    (void)state;
    for (uint32_t log_n = 3; log_n <= 11; log_n += log_n == 3 ? 3 : 1) { /* words one at a time, and vectors */
        check_made_digits(log_n, false);
        check_made_digits(log_n, true);
    }
}

static void test_count_zeros(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 7; log_n++) {
        toy t;
        toy_open(&t, log_n, moduli, MODULI, false);
        hb_batch a = toy_batch(&t, COUNT, MODULI, t.ids, GAP);
        uint64_t random = log_n, expected = 0, zeros = 99;
        toy_fill(&t, a, &random);
        for (size_t i = 0; i < COUNT * MODULI * t.ring.n; i++) {
            uint64_t *word = toy_at(&t, a, i / t.ring.n / MODULI, (uint32_t)(i / t.ring.n % MODULI), i % t.ring.n);
            expected += *word == 0;
        }
        for (size_t i = 0; i < GAP; i++) {
            a.data[a.stride - GAP + i] = 0; /* between polynomials: not counted */
        }
        assert_true(expected > 0);
        assert_int_equal(hb_count_zeros(t.engine, &zeros, a), HB_OK);
        assert_true(zeros == expected);
        a.count = 0;
        assert_int_equal(hb_count_zeros(t.engine, &zeros, a), HB_OK);
        assert_true(zeros == 0);
        toy_free(a);
        toy_close(&t);
    }
}

HB_UNIT(cpu_switch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_galois),      cmocka_unit_test(test_galois_inverse), cmocka_unit_test(test_tensor),
        cmocka_unit_test(test_decompose),   cmocka_unit_test(test_all_digits),     cmocka_unit_test(test_key_products),
        cmocka_unit_test(test_made_digits), cmocka_unit_test(test_count_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
