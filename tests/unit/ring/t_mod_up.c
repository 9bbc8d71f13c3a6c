/* Digits of several primes, brought to a longer basis, against their definition with big integers; and words that an
 * independent program computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prime.h"
#include "reference/crt.h"
#include "reference/streams.h"
#include "ring/mod_up.h"
#include "unit/unit.h"

enum { LOG_N = 5, COUNT = 3, ALL = 9, GAP = 6 };

static const uint32_t bits[ALL] = {50, 41, 60, 36, 50, 59, 33, 20, 41};

static void open_ring(toy *t)
{
    uint64_t primes[ALL];
    assert_int_equal(hb_create_primes((size_t)1 << LOG_N, bits, ALL, primes), HB_OK);
    toy_open_primes(t, LOG_N, primes, ALL);
}

/* x = sum of the centred a_i (D / d_i)^-1 mod d_i, times D / d_i: an integer near [-D/2, D/2], = a modulo D. */
static void slow_digit(const toy *t, hb_batch a, size_t c, size_t j, const hb_mod_up *up, mpz_t x)
{
    mpz_t d, punctured, term;
    mpz_inits(punctured, term, (mpz_ptr)NULL);
    mpz_init_set_ui(d, 1);
    for (uint32_t i = up->first; i < up->first + up->limbs; i++) {
        mpz_mul_ui(d, d, toy_modulus(t, a, i));
    }
    mpz_set_ui(x, 0);
    for (uint32_t i = up->first; i < up->first + up->limbs; i++) {
        const uint64_t q = toy_modulus(t, a, i);
        const uint64_t y = slow_mul(*toy_at(t, a, c, i, j), crt_punctured(d, q, punctured), q);
        mpz_mul_ui(term, punctured, y);
        mpz_add(x, x, term);
        mpz_mul_ui(term, punctured, q);
        if (y > (q - 1) / 2) {
            mpz_sub(x, x, term);
        }
    }
    mpz_mul_ui(term, d, up->limbs);
    mpz_mul_ui(d, x, 2);
    assert_true(mpz_cmpabs(d, term) <= 0);
    mpz_clears(d, punctured, term, (mpz_ptr)NULL);
}

static void check_digit(const toy *t, uint32_t all, uint32_t level, uint32_t first, uint32_t limbs)
{
    hb_mod_up up;
    uint64_t random = 100 * all + 10 * first + limbs;
    hb_batch a = toy_batch(t, COUNT, level, t->ids, 0), r = toy_batch(t, COUNT, all, t->ids, GAP);
    assert_int_equal(hb_mod_up_init(&up, &t->ring, t->ids, all, first, limbs), HB_OK);
    toy_fill(t, a, &random);
    assert_int_equal(hb_mod_up_apply(t->engine, r, a, a, &up), HB_OK);
    mpz_t x;
    mpz_init(x);
    for (size_t i = 0; i < COUNT * t->ring.n; i++) {
        const size_t c = i / t->ring.n, j = i % t->ring.n;
        slow_digit(t, a, c, j, &up, x);
        for (uint32_t l = 0; l < all; l++) {
            assert_true(*toy_at(t, r, c, l, j) == mpz_fdiv_ui(x, toy_modulus(t, r, l)));
        }
    }
    mpz_clear(x);
    toy_assert_gaps(t, r);
    /* From a polynomial whose transform is there: the transform of that. */
    hb_batch ntt = toy_batch(t, COUNT, level, t->ids, 0), other = toy_batch(t, COUNT, all, t->ids, 0);
    assert_int_equal(hb_ntt_of(t->engine, ntt, a), HB_OK);
    const hb_limb_range own = {first, limbs};
    assert_int_equal(hb_mod_up_apply(t->engine, other, a, ntt, &up), HB_OK);
    assert_int_equal(hb_ntt_except(t->engine, other, 1, &own), HB_OK);
    assert_int_equal(hb_ntt(t->engine, r), HB_OK);
    assert_int_equal(hb_sub(t->engine, other, other, r), HB_OK);
    /* The digit of -a is the negative. */
    hb_batch minus = toy_batch(t, COUNT, all, t->ids, 0);
    assert_int_equal(hb_negate(t->engine, a, a), HB_OK);
    assert_int_equal(hb_mod_up_apply(t->engine, minus, a, a, &up), HB_OK);
    assert_int_equal(hb_ntt(t->engine, minus), HB_OK);
    assert_int_equal(hb_add(t->engine, minus, minus, r), HB_OK);
    for (size_t i = 0; i < COUNT * all * t->ring.n; i++) {
        assert_true(other.data[i] == 0 && minus.data[i] == 0);
    }
    toy_free(a);
    toy_free(r);
    toy_free(ntt);
    toy_free(other);
    toy_free(minus);
    hb_mod_up_clear(&up);
}

static void test_definition(void **state)
{
    (void)state;
    toy t;
    open_ring(&t);
    for (uint32_t first = 0; first < ALL - 1; first++) {
        for (uint32_t limbs = 1; first + limbs < ALL; limbs++) {
            check_digit(&t, ALL, first + limbs, first, limbs);
        }
    }
    check_digit(&t, 4, 3, 0, 2); /* a has more limbs than the digits before this one */
    check_digit(&t, 2, 2, 0, 1);
    toy_close(&t);
}

static void test_refusals(void **state)
{
    (void)state;
    toy t;
    hb_mod_up up;
    const uint16_t twice[] = {0, 1, 1, 2};
    open_ring(&t);
    assert_int_equal(hb_mod_up_init(&up, &t.ring, twice, 4, 1, 2), HB_ECONFIG);
    hb_mod_up_clear(&up);
    toy_close(&t);
}

/* Limbs 1 .. 5 of a stream to the others: the conversion that keeps the overflow, as the digit is, and the rounded one,
 * also of values next to the borders of rounding. */
static void test_words(void **state)
{
    (void)state;
    static const uint16_t from[] = {1, 2, 3, 4, 5}, to[] = {0, 6, 7, 8};
    toy t;
    hb_basis basis;
    hb_base_conversion kept, rounded;
    char hex[2 * HB_DIGEST_BYTES + 1];
    toy_open_primes(&t, STREAM_LOG_N, stream_primes, STREAM_PRIMES);
    hb_batch a = toy_batch(&t, 1, 5, from, 0), r = toy_batch(&t, 1, 4, to, 0);
    for (uint32_t l = 0; l < 5; l++) {
        const uint64_t parts[] = {101, from[l]};
        stream_uniform(toy_at(&t, a, 0, l, 0), t.ring.n, toy_modulus(&t, a, l), parts, 2);
    }
    assert_int_equal(hb_basis_init(&basis, &t.ring, from, 5), HB_OK);
    assert_int_equal(hb_base_conversion_init_centred(&kept, &basis, HB_OVERFLOW_CENTRED, to, 4), HB_OK);
    assert_int_equal(hb_base_conversion_init_centred(&rounded, &basis, HB_OVERFLOW_ROUNDED, to, 4), HB_OK);
    assert_int_equal(hb_base_convert(t.engine, r, a, &kept), HB_OK);
    assert_string_equal(words_digest(r.data, 4 * t.ring.n, hex),
                        "0d1153bd64ffc1a4b944efd409046d2303e9af2fb519104740de8a076703b46c");
    assert_int_equal(hb_base_convert(t.engine, r, a, &rounded), HB_OK);
    assert_string_equal(words_digest(r.data, 4 * t.ring.n, hex),
                        "18f5150f333f7d60e0b3854b6a0750cbd49a08323966372e5018d860c5cbb4e7");
    mpz_t d, x, y;
    mpz_inits(d, x, y, (mpz_ptr)NULL);
    crt_product(&t, a, 5, d);
    for (size_t j = 0; j < 8; j++) { /* 0, 1, -1, D/2, 1 more, D/2 -+ D 2^-40, D/3 */
        mpz_fdiv_q_2exp(x, d, 1);
        mpz_fdiv_q_2exp(y, d, 40);
        if (j < 3) {
            mpz_set_si(x, j < 2 ? (long)j : -1);
        } else if (j == 4) {
            mpz_add_ui(x, x, 1);
        } else if (j == 5) {
            mpz_sub(x, x, y);
        } else if (j == 6) {
            mpz_add(x, x, y);
        } else if (j == 7) {
            mpz_fdiv_q_ui(x, d, 3);
        }
        crt_put(&t, a, 0, j, x);
    }
    mpz_clears(d, x, y, (mpz_ptr)NULL);
    assert_int_equal(hb_base_convert(t.engine, r, a, &rounded), HB_OK);
    assert_string_equal(words_digest(r.data, 4 * t.ring.n, hex),
                        "ad6a535edca236c28ee538041116bb8b718a819a48deca4d76c9c74d152fe367");
    hb_base_conversion_clear(&kept);
    hb_base_conversion_clear(&rounded);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

HB_UNIT(mod_up)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
