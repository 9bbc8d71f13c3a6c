/* Sums of products and multiples of ciphertexts, and of rotated inner products, against compositions of simple
 * operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/toy.h"
#include "ring/permutation.h"
#include "unit/unit.h"

/* FP64 and integers, the widest of both, and the least. */
static const uint64_t moduli[] = {(1ull << 43) - 57, (1ull << 50) - 27, (1ull << 61) - 1, 2};
enum { MODULI = sizeof moduli / sizeof *moduli, COUNT = 3, GAP = 5, LEADING = 3, DIGITS = 5, OUTPUTS = 2, TERMS = 4 };

/* r = r + a, [count] of `from` polynomials on. */
static void add(const toy *t, hb_batch r, size_t from, hb_batch a)
{
    const hb_batch to = hb_batch_limbs(t->engine, hb_batch_slice(r, from, a.count), 0, a.limbs);
    assert_int_equal(hb_add(t->engine, to, to, a), HB_OK);
}

static void expect_same(const toy *t, hb_batch found, hb_batch expected)
{
    for (size_t c = 0; c < found.count; c++) {
        for (uint32_t l = 0; l < found.limbs; l++) {
            assert_memory_equal(toy_at(t, found, c, l, 0), toy_at(t, expected, c, l, 0), t->ring.n * sizeof(uint64_t));
        }
    }
}

/* Adds the residues to component 0, word by word. */
static void add_number(const toy *t, hb_batch r, const uint64_t *number)
{
    for (size_t i = 0; i < COUNT * r.limbs * t->ring.n; i++) {
        const uint32_t l = (uint32_t)(i / t->ring.n % r.limbs);
        uint64_t *word = toy_at(t, r, i / t->ring.n / r.limbs, l, i % t->ring.n);
        *word = (*word + number[l]) % moduli[l];
    }
}

typedef struct sum_shape {
    uint32_t log_n, products, multiples;
    bool twice, number, integer;
} sum_shape;

static void check_tensor_sum(const sum_shape *s)
{
    toy t;
    toy_open(&t, s->log_n, moduli, MODULI, s->integer);
    const size_t size = s->products > 0 ? 3 : 2;
    uint64_t random = s->log_n, weights[HB_SUM_MULTIPLES][MODULI];
    hb_batch a[HB_SUM_PRODUCTS], b[HB_SUM_PRODUCTS], c[HB_SUM_MULTIPLES];
    hb_batch r = toy_batch(&t, size * COUNT, MODULI, t.ids, GAP), expected = toy_batch(&t, 3 * COUNT, MODULI, t.ids, 0);
    hb_batch one = toy_batch(&t, 3 * COUNT, MODULI, t.ids, 0);
    hb_tensor_sum_operands x = {
        .a = a, .b = b, .c = c, .products = s->products, .multiples = s->multiples, .twice = s->twice};
    assert_int_equal(hb_clear(t.engine, expected), HB_OK);
    for (uint32_t i = 0; i < s->products; i++) {
        a[i] = toy_batch(&t, 2 * COUNT, MODULI, t.ids, i);
        b[i] = toy_batch(&t, 2 * COUNT, MODULI, t.ids, 0);
        toy_fill(&t, a[i], &random);
        toy_fill(&t, b[i], &random);
        assert_int_equal(hb_tensor(t.engine, one, a[i], b[i], 2, 2), HB_OK);
        add(&t, expected, 0, one);
        if (s->twice) {
            add(&t, expected, 0, one);
        }
    }
    for (uint32_t i = 0; i < s->multiples; i++) {
        c[i] = toy_batch(&t, 2 * COUNT, MODULI, t.ids, 1);
        toy_fill(&t, c[i], &random);
        for (uint32_t l = 0; l < MODULI; l++) {
            weights[i][l] = toy_residue(moduli[l], &random);
        }
        x.weights[i] = weights[i];
        assert_int_equal(hb_scale(t.engine, hb_batch_slice(one, 0, 2 * COUNT), c[i], weights[i]), HB_OK);
        add(&t, expected, 0, hb_batch_slice(one, 0, 2 * COUNT));
    }
    const uint64_t number[MODULI] = {1, moduli[1] - 1, moduli[2] / 2, 1};
    if (s->number) {
        x.number = number;
        add_number(&t, expected, number);
    }
    assert_int_equal(hb_tensor_sum(t.engine, r, &x), HB_OK);
    expect_same(&t, r, expected);
    toy_assert_gaps(&t, r);
    for (uint32_t i = 0; i < s->products; i++) {
        toy_free(a[i]);
        toy_free(b[i]);
    }
    for (uint32_t i = 0; i < s->multiples; i++) {
        toy_free(c[i]);
    }
    toy_free(r);
    toy_free(expected);
    toy_free(one);
    toy_close(&t);
}

static void test_tensor_sum(void **state)
{
    (void)state;
    const sum_shape shapes[] = {
        {1, 1, 0, false, false, false},
        {10, 1, 0, true, true, false},
        {3, HB_SUM_PRODUCTS, HB_SUM_MULTIPLES, true, true, true},
        {10, HB_SUM_PRODUCTS, HB_SUM_MULTIPLES, false, false, false},
        {5, 0, 1, false, false, false},
        {10, 0, HB_SUM_MULTIPLES, false, true, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_tensor_sum(&shapes[i]);
    }
}

/* The operands of terms. */
typedef struct terms {
    hb_batch digits, own, key, plus, plain;
    hb_permutation by[2];
    uint64_t factors[LEADING];
} terms;

/* Returns polynomial `at` of plaintexts with all its words: each that there is stands for its neighbours. */
static hb_batch whole_plain(const toy *t, hb_batch plain, uint32_t at)
{
    const hb_batch whole = toy_batch(t, 1, MODULI, t->ids, 0);
    for (uint32_t l = 0; l < MODULI; l++) {
        for (size_t j = 0; j < t->ring.n; j++) {
            const size_t n = plain.n != 0 ? plain.n : t->ring.n,
                         stride = plain.limb_stride != 0 ? plain.limb_stride : t->ring.n;
            *toy_at(t, whole, 0, l, j) = plain.data[at * plain.stride + l * stride + j / (t->ring.n / n)];
        }
    }
    return whole;
}

/* Adds the rotated products of a term, times its factor, to component k of an output. */
static void add_term(const toy *t, hb_batch r, const hb_rotation_sum *x, uint32_t i, uint32_t o, uint32_t k)
{
    const hb_rotation_term *term = &x->terms[i];
    hb_batch sums = toy_batch(t, 2 * COUNT, MODULI, t->ids, 0), one = toy_batch(t, COUNT, MODULI, t->ids, 0);
    const hb_batch mine = hb_batch_slice(sums, k * COUNT, COUNT);
    assert_int_equal(hb_clear(t->engine, sums), HB_OK);
    if (term->digits.data != NULL) {
        assert_int_equal(hb_key_products(t->engine, sums, term->digits, term->key, 2, 2), HB_OK);
    }
    if (term->plus[k].data != NULL) {
        const hb_batch scaled = hb_batch_limbs(t->engine, one, 0, LEADING);
        assert_int_equal(x->factors != NULL ? hb_scale(t->engine, scaled, term->plus[k], x->factors)
                                            : hb_copy(t->engine, scaled, term->plus[k]),
                         HB_OK);
        add(t, mine, 0, scaled);
    }
    if (term->by != NULL) {
        assert_int_equal(hb_permute(t->engine, one, mine, term->by->map), HB_OK);
    } else {
        assert_int_equal(hb_copy(t->engine, one, mine), HB_OK);
    }
    const uint32_t at = x->which != NULL ? x->which[o * x->row + i] : 0;
    if (x->which != NULL && at != HB_ROTATION_NONE) {
        const hb_batch factor = whole_plain(t, x->plain, at);
        assert_int_equal(hb_mul(t->engine, one, one, factor), HB_OK);
        toy_free(factor);
    }
    if (at != HB_ROTATION_NONE) {
        add(t, r, (k * OUTPUTS + o) * COUNT, one);
    }
    toy_free(sums);
    toy_free(one);
}

static void check_rotation_sums(const toy *t, const hb_rotation_sum *x, uint64_t *random)
{
    const hb_batch r = toy_batch(t, 2 * OUTPUTS * COUNT, MODULI, t->ids, GAP),
                   expected = toy_batch(t, 2 * OUTPUTS * COUNT, MODULI, t->ids, 0);
    toy_fill(t, r, random);
    assert_int_equal(x->add ? hb_copy(t->engine, expected, r) : hb_clear(t->engine, expected), HB_OK);
    assert_int_equal(hb_rotation_sums(t->engine, r, OUTPUTS, x), HB_OK);
    for (uint32_t i = 0; i < x->count * OUTPUTS * 2; i++) {
        add_term(t, expected, x, i / (2 * OUTPUTS), i / 2 % OUTPUTS, i % 2);
    }
    expect_same(t, r, expected);
    toy_assert_gaps(t, r);
    toy_free(r);
    toy_free(expected);
}

/* Own limbs of digits are first read where they stand, and then also put among the digits, for the composition. */
static void put_own(const toy *t, const terms *s, const hb_limb_range *ranges)
{
    for (size_t i = 0; i < COUNT * DIGITS; i++) {
        const hb_limb_range own = ranges[i % DIGITS];
        for (uint32_t l = own.first; l < own.first + own.limbs; l++) {
            memcpy(toy_at(t, s->digits, i, l, 0), toy_at(t, s->own, i / DIGITS, l, 0), t->ring.n * sizeof(uint64_t));
        }
    }
}

static void check_rotations(uint32_t log_n, bool integer)
{
    static const uint32_t which[OUTPUTS][TERMS] = {{0, 1, HB_ROTATION_NONE, 2}, {3, HB_ROTATION_NONE, 0, 1}};
    static const hb_limb_range ranges[DIGITS] = {{0, 1}, {1, 2}};
    toy t;
    toy_open(&t, log_n, moduli, MODULI, integer);
    uint64_t random = log_n;
    terms s = {.digits = toy_batch(&t, DIGITS * COUNT, MODULI, t.ids, 0),
               .own = toy_batch(&t, COUNT, LEADING, t.ids, 0),
               .key = toy_batch(&t, 2 * DIGITS, MODULI, t.ids, 3),
               .plus = toy_batch(&t, COUNT, LEADING, t.ids, 0),
               .plain = toy_batch(&t, 4, MODULI, t.ids, 0)};
    toy_fill(&t, s.digits, &random);
    toy_fill(&t, s.own, &random);
    toy_fill(&t, s.key, &random);
    toy_fill(&t, s.plus, &random);
    toy_fill(&t, s.plain, &random);
    for (uint32_t l = 0; l < LEADING; l++) {
        s.factors[l] = toy_residue(moduli[l], &random);
    }
    assert_int_equal(hb_permutation_init_galois(&s.by[0], t.engine, 5), HB_OK);
    assert_int_equal(hb_permutation_init_galois(&s.by[1], t.engine, (uint32_t)(2 * t.ring.n - 1)), HB_OK);
    hb_rotation_term list[TERMS] = {{.by = &s.by[0], .digits = s.digits, .key = s.key, .plus[0] = s.plus},
                                    {.plus = {s.plus, s.plus}},
                                    {.by = &s.by[1], .digits = s.digits, .key = s.key},
                                    {.digits = s.digits, .key = s.key, .plus[1] = s.plus}};
    hb_rotation_sum x = {.terms = list, .count = TERMS};
    check_rotation_sums(&t, &x, &random);
    x = (hb_rotation_sum){.terms = list,
                          .count = TERMS,
                          .factors = s.factors,
                          .plain = s.plain,
                          .which = which[0],
                          .row = TERMS,
                          .add = true};
    check_rotation_sums(&t, &x, &random);
    for (size_t words = t.ring.n / 2; words >= 2; words /= 2) {
        x.plain.n = words;
        check_rotation_sums(&t, &x, &random);
    }
    x.plain.n = 0;
    for (uint32_t i = 0; i < TERMS; i++) {
        list[i].own = list[i].digits.data != NULL ? s.own : (hb_batch){.data = NULL};
    }
    x.ranges = ranges;
    const hb_batch apart = toy_batch(&t, 2 * OUTPUTS * COUNT, MODULI, t.ids, 0);
    x.add = false;
    assert_int_equal(hb_rotation_sums(t.engine, apart, OUTPUTS, &x), HB_OK);
    put_own(&t, &s, ranges);
    const hb_batch together = toy_batch(&t, 2 * OUTPUTS * COUNT, MODULI, t.ids, 0);
    for (uint32_t i = 0; i < TERMS; i++) {
        list[i].own.data = NULL;
    }
    assert_int_equal(hb_rotation_sums(t.engine, together, OUTPUTS, &x), HB_OK);
    expect_same(&t, apart, together);
    hb_permutation_clear(&s.by[0], t.engine);
    hb_permutation_clear(&s.by[1], t.engine);
    const hb_batch all[] = {s.digits, s.own, s.key, s.plus, s.plain, apart, together};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        toy_free(all[i]);
    }
    toy_close(&t);
}

static void test_rotation_sums(void **state)
{
    (void)state;
    check_rotations(2, false);
    check_rotations(5, true);
    check_rotations(9, false);
    check_rotations(11, false);
}

HB_UNIT(cpu_sums)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_sum),
        cmocka_unit_test(test_rotation_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
