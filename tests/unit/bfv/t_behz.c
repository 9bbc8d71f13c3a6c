/* The base conversions of multiplication, coefficient by coefficient, against the integers that they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/small_bfv.h"
#include "unit/unit.h"

/* The residues of x, coefficient j, in the limbs of b. */
static void put_signed(const small_bfv *f, hb_batch b, size_t j, const mpz_t x)
{
    for (uint32_t l = 0; l < b.limbs; l++) {
        *word(b, 0, l, j) = mpz_fdiv_ui(x, f->params->ring.moduli[b.ids[l]].value);
    }
}

static void expect_residues(const small_bfv *f, hb_batch b, size_t j, const mpz_t x)
{
    for (uint32_t l = 0; l < b.limbs; l++) {
        assert_int_equal(*word(b, 0, l, j), mpz_fdiv_ui(x, f->params->ring.moduli[b.ids[l]].value));
    }
}

static hb_batch polynomial(const small_bfv *f, uint32_t limbs, const uint16_t *ids)
{
    hb_batch b;
    assert_int_equal(hb_batch_alloc(f->engine, &b, 1, limbs, ids), HB_OK);
    return b;
}

/* Step 1: also where the overflow of S decides which representative it is. */
static void check_lift(small_bfv *f, const hb_behz *behz, const slow_base *base)
{
    hb_batch a = polynomial(f, base->k, f->params->ids), r = polynomial(f, behz->limbs, behz->ids);
    mpz_t *x = slow_integers(N);
    for (size_t round = 0; round < 32; round++) {
        for (size_t j = 0; j < N; j++) {
            random_integer(x[j], base->q, &f->state);
            put_signed(f, a, j, x[j]);
        }
        assert_int_equal(hb_base_convert(f->engine, r, a, &behz->lift), HB_OK);
        for (size_t j = 0; j < N; j++) {
            slow_lift(x[j], x[j], base);
            expect_residues(f, r, j, x[j]);
        }
    }
    slow_integers_free(x, N);
    hb_batch_free(f->engine, &a);
    hb_batch_free(f->engine, &r);
}

/* d of a product: up to N min(a.size, b.size) (Q/2)^2 in magnitude, and the extremes are as frequent as all between. */
static void random_product(mpz_t d, const slow_base *base, uint64_t *state)
{
    const uint64_t choice = slow_random(state) % 4;
    mpz_t most;
    mpz_init(most);
    mpz_mul(most, base->q, base->q);
    mpz_mul_ui(most, most, N * HB_BEHZ_MOST_SIZE / 4);
    random_integer(d, most, state);
    if (choice == 0) {
        mpz_set(d, most);
    }
    if (choice % 2 == 1) {
        mpz_neg(d, d);
    }
    mpz_clear(most);
}

/* Steps 3 to 5. */
static void check_floor_and_back(small_bfv *f, const hb_behz *behz, const slow_base *base)
{
    hb_batch q = polynomial(f, base->k, f->params->ids), auxiliary = polynomial(f, behz->limbs, behz->ids);
    mpz_t *x = slow_integers(N);
    for (size_t round = 0; round < 32; round++) {
        for (size_t j = 0; j < N; j++) {
            random_product(x[j], base, &f->state);
            put_signed(f, q, j, x[j]);
            put_signed(f, auxiliary, j, x[j]);
        }
        assert_int_equal(hb_scale(f->engine, q, q, behz->factors), HB_OK);
        assert_int_equal(hb_base_convert(f->engine, auxiliary, q, &behz->floor), HB_OK);
        memset(q.data, 0xff, q.stride * sizeof *q.data);
        assert_int_equal(hb_base_convert(f->engine, q, auxiliary, &behz->back), HB_OK);
        for (size_t j = 0; j < N; j++) {
            slow_floor(x[j], x[j], f->params->spec.bfv.plain, base);
            expect_residues(f, q, j, x[j]);
        }
    }
    slow_integers_free(x, N);
    hb_batch_free(f->engine, &q);
    hb_batch_free(f->engine, &auxiliary);
}

static void conversions_are_their_integers(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        small_bfv f;
        open_chain(&f, chain);
        for (uint32_t k = 1; k <= f.params->data_limbs; k++) {
            if (has_level(&f, k)) {
                hb_behz behz;
                slow_base base;
                slow_base_init(&base, f.params->spec.primes, k);
                assert_int_equal(hb_behz_init(&behz, f.params, k), HB_OK);
                check_lift(&f, &behz, &base);
                check_floor_and_back(&f, &behz, &base);
                hb_behz_clear(&behz);
                slow_base_clear(&base);
            }
        }
        close_small(&f);
    }
}

/* |w| <= t s N Q (1/2 + k/2^32)^2 + k must be below B (floor(m_sk / 2) - nB), for every Q, t and prime of their sizes;
 * and with one prime fewer, of which B m_sk / 2 < 2^(bits limbs - 1) would be the room, there are not four bits to
 * spare. */
static void auxiliary_bases_are_large_enough(void **state)
{
    (void)state;
    uint64_t random = 5;
    mpz_t w, room;
    mpz_inits(w, room, NULL);
    for (size_t round = 0; round < 2000; round++) {
        const uint32_t bits = round % 2 == 0 ? 49 : 60, k = 1 + (uint32_t)(slow_random(&random) % 32);
        const uint32_t q_bits = k * (20 + (uint32_t)(slow_random(&random) % 41));
        const uint32_t plain_bits = 2 + (uint32_t)(slow_random(&random) % 59);
        const uint32_t log_n = 10 + (uint32_t)(slow_random(&random) % 8), size = 1 + (uint32_t)(round % 8);
        const uint32_t limbs = hb_behz_auxiliary_limbs(q_bits, plain_bits, log_n, k, size, bits);
        mpz_set_ui(w, 1); /* t, Q < 2^bits; (1/2 + k/2^32)^2 < 1/4 + 2^-20 */
        mpz_mul_2exp(w, w, q_bits + plain_bits + log_n);
        mpz_mul_ui(w, w, size * ((1 << 18) + 1));
        mpz_fdiv_q_2exp(w, w, 20);
        mpz_add_ui(w, w, k);
        const uint64_t least = ((uint64_t)1 << bits) - ((uint64_t)1 << (bits - 12)); /* of 64 primes below 2^bits */
        mpz_ui_pow_ui(room, least, limbs);
        mpz_mul_ui(room, room, least / 2 - limbs);
        assert_true(mpz_cmp(w, room) < 0);
        assert_true(limbs == 1 || bits * limbs < mpz_sizeinbase(w, 2) + 4);
    }
    mpz_clears(w, room, NULL);
}

static void a_full_base_is_refused(void **state)
{
    (void)state;
    small_bfv f;
    open_chain(&f, 0);
    const uint32_t limbs = f.params->auxiliary_limbs;
    hb_behz behz;
    for (f.params->auxiliary_limbs = 0; f.params->auxiliary_limbs < limbs; f.params->auxiliary_limbs++) {
        assert_int_equal(hb_behz_init(&behz, f.params, f.params->data_limbs), HB_ECONFIG);
        hb_behz_clear(&behz);
    }
    assert_int_equal(hb_behz_init(&behz, f.params, f.params->data_limbs), HB_OK);
    hb_behz_clear(&behz);
    close_small(&f);
}

HB_UNIT(behz)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_are_their_integers),
        cmocka_unit_test(auxiliary_bases_are_large_enough),
        cmocka_unit_test(a_full_base_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
