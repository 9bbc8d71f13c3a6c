/* Bases and base conversions against GMP: every constant, decomposition, and the overflow that a conversion keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "reference/big.h"
#include "ring/basis.h"
#include "unit/unit.h"

/* A ring with 64 NTT primes of 61 bits (ids 0 .. 63) and odd company: composites, a power of two, small moduli. */
#define LARGE 64
static const uint64_t others[] = {2, 9, 25, 49, 2305843009213693951 /* 2^61 - 1 */, 11 * 13, 1u << 31, 6, 17, 97};
#define OTHERS (sizeof others / sizeof *others)

static void open_ring(hb_ring *ring)
{
    uint64_t primes[LARGE];
    uint16_t id;
    assert_int_equal(hb_find_primes(2048, 61, LARGE, primes), HB_OK);
    assert_int_equal(hb_ring_init(ring, 10), HB_OK);
    for (size_t i = 0; i < LARGE; i++) {
        assert_int_equal(hb_ring_add_modulus(ring, primes[i], &id), HB_OK);
    }
    for (size_t i = 0; i < OTHERS; i++) {
        assert_int_equal(hb_ring_add_modulus(ring, others[i], &id), HB_OK);
    }
}

static uint64_t value(const hb_basis *b, uint32_t i)
{
    return b->ring->moduli[b->ids[i]].value;
}

static void check_basis(const hb_basis *b, const uint16_t *ids, uint32_t limbs)
{
    mpz_t q, punctured, m, x;
    uint64_t seed = limbs, residues[HB_MAX_LIMBS];
    hb_natural number;
    mpz_inits(punctured, m, x, NULL);
    mpz_init_set_ui(q, 1);
    assert_int_equal(b->limbs, limbs);
    for (uint32_t i = 0; i < limbs; i++) {
        assert_int_equal(b->ids[i], ids[i]);
        mpz_mul_ui(q, q, value(b, i));
    }
    assert_true(big_equals(q, &b->product));
    big_random(x, HB_NATURAL_WORDS, &seed);
    big_to_natural(&number, x);
    hb_basis_decompose(b, &number, residues);
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_divexact_ui(punctured, q, value(b, i));
        for (uint32_t j = 0; j < b->ring->count; j += 1 + j % 7) {
            const hb_modulus *target = &b->ring->moduli[j];
            uint64_t row[HB_MAX_LIMBS];
            hb_basis_punctured(b, target, row);
            assert_true(row[i] == mpz_fdiv_ui(punctured, target->value));
        }
        mpz_set_ui(m, value(b, i));
        assert_true(mpz_invert(punctured, punctured, m) != 0);
        assert_true(b->inverse_punctured[i] == mpz_get_ui(punctured));
        assert_true(residues[i] == mpz_fdiv_ui(x, value(b, i)));
    }
    mpz_clears(q, punctured, m, x, NULL);
}

static void test_bases(void **state)
{
    (void)state;
    hb_ring ring;
    hb_basis basis;
    uint16_t ids[HB_MAX_LIMBS];
    open_ring(&ring);
    for (uint32_t limbs = 1; limbs <= HB_MAX_LIMBS; limbs += limbs < 4 ? 1 : 12) {
        for (uint32_t i = 0; i < limbs; i++) {
            ids[i] = (uint16_t)((5 * i + limbs) % LARGE); /* not in the ring's order */
        }
        assert_int_equal(hb_basis_init(&basis, &ring, ids, limbs), HB_OK);
        check_basis(&basis, ids, limbs);
    }
    for (uint16_t i = 0; i < 7; i++) { /* the mixed moduli up to 2^31, but without 2 they are coprime */
        ids[i] = (uint16_t)(LARGE + 1 + (i == 6 ? 8 : i));
    }
    assert_int_equal(hb_basis_init(&basis, &ring, ids, 7), HB_OK);
    check_basis(&basis, ids, 7);
}

static void test_refusals(void **state)
{
    (void)state;
    hb_ring ring;
    hb_basis basis;
    uint16_t ids[HB_MAX_LIMBS + 1] = {0, 1, 2};
    open_ring(&ring);
    assert_int_equal(hb_basis_init(&basis, &ring, ids, 0), HB_ECONFIG);
    assert_int_equal(hb_basis_init(&basis, &ring, ids, HB_MAX_LIMBS + 1), HB_ECONFIG);
    assert_int_equal(hb_basis_init(&basis, &ring, ids, 4), HB_ECONFIG); /* ids[3] = ids[0] */
    assert_non_null(strstr(hb_last_error()->text, "moduli 0 and 3"));
    const uint16_t shared[] = {LARGE + 1, LARGE + 7}; /* 9 and 6 */
    assert_int_equal(hb_basis_init(&basis, &ring, shared, 2), HB_ECONFIG);
    assert_non_null(strstr(hb_last_error()->text, "share a factor"));
    assert_int_equal(basis.limbs, 0);
}

/* 1/a mod m, m prime. */
static uint64_t inverse_of(uint64_t a, uint64_t m)
{
    return slow_pow(a, m - 2, m);
}

/* scaled: of residues times factors, that the conversion multiplies with. */
static void check_conversion(const hb_basis *from, const uint16_t *to, uint32_t to_limbs, bool scaled, uint64_t *seed)
{
    hb_base_conversion c;
    mpz_t x, s, term, punctured, overflow;
    uint64_t y[HB_MAX_LIMBS], factors[HB_MAX_LIMBS];
    for (uint32_t i = 0; i < from->limbs; i++) {
        factors[i] = scaled ? slow_random(seed) % (value(from, i) - 1) + 1 : 1;
    }
    mpz_inits(x, s, term, punctured, overflow, NULL);
    assert_int_equal(hb_base_conversion_init(&c, from, scaled ? factors : NULL, to, to_limbs), HB_OK);
    assert_true(c.keep == NULL && c.overflow == NULL);
    assert_true(c.from_limbs == from->limbs && c.to_limbs == to_limbs && c.from_ids == from->ids && c.to_ids == to);
    mpz_t q;
    mpz_init(q);
    assert_true(big_from_natural(q, &from->product));
    big_random(x, HB_NATURAL_WORDS, seed);
    mpz_fdiv_r(x, x, q);
    for (uint32_t i = 0; i < from->limbs; i++) {
        y[i] = slow_mul(mpz_fdiv_ui(x, value(from, i)), from->inverse_punctured[i], value(from, i));
        /* The operand of the conversion is x over the factor: the factors of prime moduli have inverses. */
        const uint64_t taken =
            slow_mul(mpz_fdiv_ui(x, value(from, i)), inverse_of(factors[i], value(from, i)), value(from, i));
        assert_true(slow_mul(taken, c.scale[i], value(from, i)) == y[i]);
        mpz_divexact_ui(punctured, q, value(from, i));
        mpz_addmul_ui(s, punctured, y[i]);
    }
    mpz_sub(overflow, s, x);
    mpz_fdiv_qr(overflow, term, overflow, q);
    assert_true(mpz_sgn(term) == 0 && mpz_sgn(overflow) >= 0 && mpz_cmp_ui(overflow, from->limbs) < 0);
    for (uint32_t o = 0; o < to_limbs; o++) {
        const uint64_t p = from->ring->moduli[to[o]].value;
        uint64_t sum = 0;
        for (uint32_t i = 0; i < from->limbs; i++) {
            assert_true(c.matrix[o * from->limbs + i] < p);
            sum = (sum + slow_mul(y[i], c.matrix[o * from->limbs + i], p)) % p;
        }
        assert_true(sum == mpz_fdiv_ui(s, p));
    }
    hb_base_conversion_clear(&c);
    assert_null(c.matrix);
    mpz_clears(x, s, term, punctured, overflow, q, NULL);
}

static void test_conversions(void **state)
{
    (void)state;
    hb_ring ring;
    hb_basis from;
    uint16_t ids[HB_MAX_LIMBS];
    uint64_t seed = 9;
    open_ring(&ring);
    for (uint16_t i = 0; i < HB_MAX_LIMBS; i++) {
        ids[i] = i;
    }
    const uint16_t to[] = {LARGE + 0, 63, LARGE + 6, LARGE + 9};
    for (uint32_t limbs = 1; limbs <= HB_MAX_LIMBS; limbs = 2 * limbs + 1 < HB_MAX_LIMBS ? 2 * limbs + 1 : limbs + 1) {
        assert_int_equal(hb_basis_init(&from, &ring, ids, limbs), HB_OK);
        check_conversion(&from, to, 4, false, &seed);
        check_conversion(&from, to + 2, 1, true, &seed);
    }
    hb_base_conversion none;
    assert_int_equal(hb_base_conversion_init(&none, &from, NULL, to, 0), HB_ECONFIG);
    assert_int_equal(hb_base_conversion_init(&none, &from, NULL, to, HB_RING_MAX_MODULI + 1), HB_ECONFIG);
    hb_base_conversion_clear(&none);
    hb_base_conversion_clear(NULL);
}

/* Exactly the tables that were asked for are allocated, and zero. */
static void test_alloc(void **state)
{
    (void)state;
    const uint16_t from[] = {3, 1}, to[] = {2, 4, 0};
    for (int way = 0; way < 4; way++) {
        hb_base_conversion c;
        assert_int_equal(hb_base_conversion_alloc(&c, from, 2, to, 3, way & 1, way & 2), HB_OK);
        assert_true(c.from_ids == from && c.from_limbs == 2 && c.to_ids == to && c.to_limbs == 3);
        assert_true((c.keep != NULL) == (way & 1) && (c.overflow != NULL) == (way >> 1));
        for (size_t i = 0; i < 6; i++) {
            assert_true(c.matrix[i] == 0 && c.scale[i / 3] == 0 && (c.keep == NULL || c.keep[i / 2] == 0));
            assert_true(c.overflow == NULL || (c.overflow->weights[i / 3] == 0 && c.overflow->factors[i / 2] == 0));
        }
        hb_base_conversion_clear(&c);
        assert_true(c.matrix == NULL && c.scale == NULL && c.keep == NULL && c.overflow == NULL);
    }
}

HB_UNIT(basis)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bases),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_alloc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
