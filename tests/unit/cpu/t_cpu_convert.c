/* Base conversion and division by the last prime against big integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/crt.h"
#include "ring/convert_arith.h"
#include "unit/unit.h"

enum { COUNT = 2, GAP = 3, MOST = 8 };

/* Chains of pairwise coprime moduli; FP64, integer, mixed, tiny, ascending and descending. The last two are the targets
 * of conversions; they may share factors with the others. */
static const struct {
    uint32_t limbs;
    uint64_t moduli[MOST];
} chains[] = {
    {3, {97, 113, 193, 17, 1019}},
    {1, {(1ull << 43) - 57, 65537, (1ull << 61) - 1}},
    {4, {8796092858369, 8796092792833, 17592186028033, 17592185438209, 1032193, 2305843009213554689}},
    {3, {(1ull << 50) - 27, (1ull << 50) - 35, (1ull << 50) - 51, (1ull << 50) - 71, 2}},
    {4, {(1ull << 60) - 93, 97, (1ull << 36) - 5, (1ull << 60) - 107, 1ull << 49, (1ull << 60) - 173}},
    {2, {97, (1ull << 61) - 1, (1ull << 59) - 55, 3}},
};
enum { CHAINS = sizeof chains / sizeof *chains };

/* S = sum a_i qhat_i, not reduced modulo Q, modulo each target. */
static void check_conversion(size_t chain, bool integer)
{
    toy t;
    const uint32_t limbs = chains[chain].limbs;
    toy_open(&t, 6, chains[chain].moduli, limbs + 2, integer);
    uint64_t random = chain, matrix[2 * MOST];
    hb_batch a = toy_batch(&t, COUNT, limbs, t.ids, GAP), r = toy_batch(&t, COUNT, 2, t.ids + limbs, 0);
    toy_fill(&t, a, &random);
    mpz_t q, punctured[MOST], sum;
    mpz_inits(q, sum, (mpz_ptr)NULL);
    crt_product(&t, a, limbs, q);
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_init(punctured[i]);
        crt_punctured(q, toy_modulus(&t, a, i), punctured[i]);
        for (uint32_t o = 0; o < 2; o++) {
            matrix[o * limbs + i] = mpz_fdiv_ui(punctured[i], toy_modulus(&t, r, o));
        }
    }
    const hb_base_conversion conversion = {
        .from_limbs = limbs, .to_limbs = 2, .from_ids = a.ids, .to_ids = r.ids, .matrix = matrix};
    assert_int_equal(hb_base_convert(t.engine, r, a, &conversion), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (size_t j = 0; j < t.ring.n; j++) {
            mpz_set_ui(sum, 0);
            for (uint32_t i = 0; i < limbs; i++) {
                mpz_addmul_ui(sum, punctured[i], *toy_at(&t, a, c, i, j));
            }
            for (uint32_t o = 0; o < 2; o++) {
                assert_true(*toy_at(&t, r, c, o, j) == mpz_fdiv_ui(sum, toy_modulus(&t, r, o)));
            }
        }
    }
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_clear(punctured[i]);
    }
    mpz_clears(q, sum, (mpz_ptr)NULL);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_conversion(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        check_conversion(chain, false);
        check_conversion(chain, true);
    }
}

/* The optional parts of a conversion beside its matrix. */
typedef struct shape {
    bool scale, keep, overflow;
    hb_overflow_kind kind;
} shape;

/* Any constants; every third is m - 1. */
static void fill_constants(const toy *t, hb_base_conversion *c, uint64_t *random)
{
    for (uint32_t i = 0; i < c->from_limbs; i++) {
        c->scale[i] = i == 1 ? 1 : toy_residue(t->ring.moduli[c->from_ids[i]].value, random);
    }
    for (uint32_t o = 0; o < c->to_limbs; o++) {
        const uint64_t p = t->ring.moduli[c->to_ids[o]].value;
        for (uint32_t i = 0; i < c->from_limbs; i++) {
            c->matrix[o * c->from_limbs + i] = i % 3 == 0 ? p - 1 : toy_residue(p, random);
        }
        if (c->keep != NULL) {
            c->keep[o] = toy_residue(p, random);
        }
        if (c->overflow != NULL) {
            c->overflow->factors[o] = toy_residue(p, random);
        }
    }
}

/* One that is rounded may have any weights: they need not be those of the sources. */
static void fill_overflow(const toy *t, hb_base_conversion *c, hb_overflow_kind kind, uint16_t id, uint64_t *random)
{
    const uint64_t m = kind == HB_OVERFLOW_BINARY    ? 1ull << 32
                       : kind == HB_OVERFLOW_MODULAR ? t->ring.moduli[id].value
                                                     : UINT64_MAX;
    const uint64_t halves[] = {1, m / 2, m / 2 + 1, m - 1, m};
    c->overflow->kind = kind;
    c->overflow->id = id;
    c->overflow->half = halves[slow_random(random) % 5];
    for (uint32_t i = 0; i < c->from_limbs; i++) {
        c->overflow->weights[i] = toy_residue(m, random);
    }
}

/* The overflow that belongs to sources y_i, by the definition. */
static void slow_overflow(const toy *t, const hb_base_conversion *c, const uint64_t *y, mpz_t k)
{
    const hb_overflow *v = c->overflow;
    mpz_t term;
    uint64_t above = 0, fixed = 0;
    mpz_init(term);
    mpz_set_ui(k, 0);
    for (uint32_t i = 0; i < c->from_limbs; i++) {
        const uint64_t q = t->ring.moduli[c->from_ids[i]].value;
        above += y[i] > q / 2;
        mpz_set_ui(term, (y[i] + q / 2) % q);
        mpz_mul_ui(term, term, v->weights[i]);
        fixed += mpz_getlimbn(term, 1); /* bits 64 .. 127 */
        mpz_set_ui(term, y[i]);
        mpz_addmul_ui(k, term, v->weights[i]);
    }
    if (hb_overflow_is_modular(v)) {
        const uint64_t m = v->kind == HB_OVERFLOW_BINARY ? 1ull << 32 : t->ring.moduli[v->id].value;
        mpz_fdiv_r_ui(k, k, m);
        if (mpz_cmp_ui(k, v->half) >= 0) {
            mpz_sub_ui(k, k, m);
        }
    } else {
        const uint64_t rounded = (above << 32) + fixed + (1ull << 31) - v->half;
        mpz_set_ui(k, v->kind == HB_OVERFLOW_CENTRED ? above : rounded >> 32);
    }
    mpz_clear(term);
}

/* Coefficient j of polynomial `of`, in target o. */
typedef struct one_word {
    size_t of, j;
    uint32_t o;
} one_word;

/* keep r + sum y_i matrix_i + k factor, by the definition (ring/basis.h); before: the old r. */
static void slow_conversion(const toy *t, const hb_base_conversion *c, hb_batch a, one_word w, uint64_t before,
                            mpz_t sum)
{
    const uint32_t o = w.o;
    uint64_t y[MOST];
    mpz_t k, term;
    mpz_inits(k, term, (mpz_ptr)NULL);
    mpz_set_ui(sum, before);
    mpz_mul_ui(sum, sum, c->keep != NULL ? c->keep[o] : 0);
    for (uint32_t i = 0; i < c->from_limbs; i++) {
        const uint64_t x = *toy_at(t, a, w.of, i, w.j), q = toy_modulus(t, a, i);
        y[i] = c->scale != NULL ? slow_mul(x, c->scale[i], q) : x;
        mpz_set_ui(term, y[i]);
        mpz_addmul_ui(sum, term, c->matrix[o * c->from_limbs + i]);
    }
    if (c->overflow != NULL) {
        slow_overflow(t, c, y, k);
        mpz_mul_ui(k, k, c->overflow->factors[o]);
        mpz_add(sum, sum, k);
    }
    mpz_clears(k, term, (mpz_ptr)NULL);
}

/* From all limbs of a chain but the last to all, with an overflow modulo the last. */
static void check_shape(size_t chain, bool integer, shape has, uint32_t log_n)
{
    toy t;
    const uint32_t from = chains[chain].limbs, to = from + 2;
    toy_open(&t, log_n, chains[chain].moduli, to, integer);
    uint64_t random = 16 * chain + log_n;
    hb_batch a = toy_batch(&t, COUNT, from, t.ids, GAP), r = toy_batch(&t, COUNT, to, t.ids, 1);
    toy_fill(&t, a, &random);
    if (has.keep) {
        toy_fill(&t, r, &random); /* else its words may be anything */
    }
    hb_batch before = toy_copy(&t, r);
    hb_base_conversion c;
    assert_int_equal(hb_base_conversion_alloc(&c, a.ids, from, r.ids, to, has.keep, has.overflow), HB_OK);
    fill_constants(&t, &c, &random);
    if (has.overflow) {
        fill_overflow(&t, &c, has.kind, (uint16_t)(random % to), &random);
    }
    if (!has.scale) {
        free(c.scale);
        c.scale = NULL;
    }
    assert_int_equal(hb_base_convert(t.engine, r, a, &c), HB_OK);
    mpz_t sum;
    mpz_init(sum);
    for (size_t i = 0; i < COUNT * t.ring.n * to; i++) {
        const size_t of = i / to / t.ring.n, j = i / to % t.ring.n;
        const uint32_t o = (uint32_t)(i % to);
        slow_conversion(&t, &c, a, (one_word){of, j, o}, *toy_at(&t, before, of, o, j), sum);
        assert_true(*toy_at(&t, r, of, o, j) == mpz_fdiv_ui(sum, toy_modulus(&t, r, o)));
    }
    toy_assert_gaps(&t, r);
    mpz_clear(sum);
    hb_base_conversion_clear(&c);
    toy_free(a);
    toy_free(r);
    toy_free(before);
    toy_close(&t);
}

static void test_shapes(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        for (int way = 0; way < 40; way++) {
            static const hb_overflow_kind kinds[] = {HB_OVERFLOW_MODULAR, HB_OVERFLOW_MODULAR, HB_OVERFLOW_BINARY,
                                                     HB_OVERFLOW_CENTRED, HB_OVERFLOW_ROUNDED};
            const shape has = {way & 2, way & 4, way / 8 > 0, kinds[way / 8]};
            for (uint32_t log_n = 1; log_n <= 10; log_n += 3) { /* two blocks the last time */
                check_shape(chain, way & 1, has, log_n);
            }
        }
    }
}

/* Every k of a small modulus, and words around the border of 2^32: k' and its correction make k. */
static void test_overflow(void **state)
{
    (void)state;
    hb_modulus p;
    assert_int_equal(hb_modulus_init(&p, (1ull << 43) - 57), HB_OK);
    for (uint64_t m = 2; m <= 40; m++) {
        for (uint64_t half = 1; half <= m; half++) {
            for (uint64_t k = 0; k < m; k++) {
                const uint64_t start = hb_overflow_start(half, m, 5, &p);
                const uint64_t expected = k < half ? 5 * k : p.value - 5 * (m - k);
                assert_true((start + 5 * hb_overflow_shifted(k, half, m)) % p.value == expected);
            }
        }
    }
    const uint64_t word = HB_OVERFLOW_WORD, half = word / 2;
    assert_true(hb_overflow_shifted(half - 1, half, word) == word - 1); /* the largest */
    assert_true(hb_overflow_shifted(half, half, word) == 0);            /* the smallest */
    assert_true(hb_overflow_shifted(0, half, word) == half);
    const uint64_t m = (1ull << 61) - 1;
    assert_true(hb_overflow_shifted(m - 1, 1, m) == m - 2 && hb_overflow_shifted(0, 1, m) == m - 1);
    assert_true(hb_overflow_shifted(m - 1, m, m) == m - 1 && hb_overflow_shifted(0, m, m) == 0);
}

/* 64 limbs and every word as large as it may be: no sum overflows. The matrix need not belong to a basis for that. */
static void check_most_limbs(uint64_t modulus, bool integer)
{
    enum { LOG_N = 10 }; /* more than one block of accumulators */
    uint64_t moduli[HB_MAX_LIMBS + 1], matrix[HB_MAX_LIMBS];
    for (uint32_t i = 0; i <= HB_MAX_LIMBS; i++) {
        moduli[i] = modulus;
        matrix[i % HB_MAX_LIMBS] = modulus - 1;
    }
    toy t;
    toy_open(&t, LOG_N, moduli, HB_MAX_LIMBS + 1, integer);
    hb_batch a = toy_batch(&t, 1, HB_MAX_LIMBS, t.ids, 0), r = toy_batch(&t, 1, 1, t.ids + HB_MAX_LIMBS, 0);
    for (size_t i = 0; i < HB_MAX_LIMBS * t.ring.n; i++) {
        a.data[i] = modulus - 1 - i % t.ring.n % 3;
    }
    const hb_base_conversion conversion = {
        .from_limbs = HB_MAX_LIMBS, .to_limbs = 1, .from_ids = a.ids, .to_ids = r.ids, .matrix = matrix};
    assert_int_equal(hb_base_convert(t.engine, r, a, &conversion), HB_OK);
    for (size_t j = 0; j < t.ring.n; j++) {
        assert_true(r.data[j] == slow_mul(HB_MAX_LIMBS, 1 + j % 3, modulus)); /* (-1)(-1 - j) 64 times */
    }
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

/* The same with kept words and an overflow: sources of 60 bits, targets and the overflow's modulus of 61; or all of 50
 * bits. */
static void check_most_terms(uint64_t source, uint64_t target, bool integer)
{
    uint64_t moduli[HB_MAX_LIMBS + 1];
    for (uint32_t i = 0; i <= HB_MAX_LIMBS; i++) {
        moduli[i] = i < HB_MAX_LIMBS ? source : target;
    }
    toy t;
    toy_open(&t, 1, moduli, HB_MAX_LIMBS + 1, integer);
    hb_batch a = toy_batch(&t, 1, HB_MAX_LIMBS, t.ids, 0), r = toy_batch(&t, 1, 1, t.ids + HB_MAX_LIMBS, 0);
    hb_base_conversion c;
    assert_int_equal(hb_base_conversion_alloc(&c, a.ids, HB_MAX_LIMBS, r.ids, 1, true, true), HB_OK);
    for (uint32_t i = 0; i < HB_MAX_LIMBS; i++) {
        c.scale[i] = source - 1;
        c.matrix[i] = c.overflow->weights[i] = target - 1;
        *toy_at(&t, a, 0, i, 0) = *toy_at(&t, a, 0, i, 1) = 1; /* y = source - 1 */
    }
    c.keep[0] = c.overflow->factors[0] = r.data[0] = target - 1;
    r.data[1] = 0;
    c.overflow->id = HB_MAX_LIMBS;
    c.overflow->half = target;
    assert_int_equal(hb_base_convert(t.engine, r, a, &c), HB_OK);
    const uint64_t sum = target - slow_mul(HB_MAX_LIMBS, source - 1, target); /* -64 (source - 1) = k */
    const uint64_t expected = (sum + target - sum % target) % target;         /* and k times -1 */
    assert_true(r.data[1] == expected % target && r.data[0] == (expected + 1) % target);
    hb_base_conversion_clear(&c);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_most_limbs(void **state)
{
    (void)state;
    check_most_terms((1ull << 60) - 93, (1ull << 61) - 1, true);
    check_most_terms((1ull << 50) - 27, (1ull << 50) - 35, true);
    check_most_terms((1ull << 50) - 27, (1ull << 50) - 35, false);
    check_most_limbs((1ull << 61) - 1, true);
    check_most_limbs((1ull << 50) - 27, true);
    check_most_limbs((1ull << 50) - 27, false);
}

typedef struct drop {
    bool integer, in_place, add, apart;
} drop;

/* b is added, or is a batch without data. The last limb is that of a, or stands apart and a's is spoilt. */
static hb_status divide(const toy *t, hb_batch r, hb_batch b, hb_batch a, const hb_drop_last *constants, drop how)
{
    hb_engine *e = t->engine;
    if (!how.apart) {
        return how.add ? hb_divide_round_add(e, r, b, a, constants) : hb_divide_round_last(e, r, a, constants);
    }
    hb_batch last = toy_batch(t, a.count, 1, &a.ids[r.limbs], 5);
    for (size_t c = 0; c < a.count; c++) {
        for (size_t j = 0; j < t->ring.n; j++) {
            *toy_at(t, last, c, 0, j) = *toy_at(t, a, c, r.limbs, j);
            *toy_at(t, a, c, r.limbs, j) = 0;
        }
    }
    const hb_status st = e->ops->rns->divide_round(e, r, how.add ? b : (hb_batch){.data = NULL},
                                                   hb_batch_limbs(e, a, 0, r.limbs), last, constants);
    toy_free(last);
    return st;
}

/* floor((X + floor(p/2)) / p) modulo the remaining primes; added to something else, or not. In place: of a, or of the
 * addend. */
static void check_drop(size_t chain, drop how)
{
    const bool in_place = how.in_place, add = how.add;
    toy t;
    const uint32_t limbs = chains[chain].limbs;
    toy_open(&t, 7, chains[chain].moduli, limbs, how.integer);
    const uint64_t p = t.ring.moduli[limbs - 1].value;
    uint64_t random = chain + 10, inverse[MOST];
    for (uint32_t i = 0; i + 1 < limbs; i++) {
        inverse[i] = hb_mod_inverse(p, &t.ring.moduli[i]);
    }
    const hb_drop_last constants = {.last_id = (uint16_t)(limbs - 1), .half = p / 2, .inverse = inverse};
    hb_batch a = toy_batch(&t, COUNT, limbs, t.ids, GAP);
    hb_batch other = toy_batch(&t, COUNT, limbs - 1, t.ids, 1), b = toy_copy(&t, other);
    toy_fill(&t, b, &random);
    memcpy(other.data, b.data, COUNT * b.stride * sizeof *b.data);
    const hb_batch r = in_place && !add ? hb_batch_limbs(t.engine, a, 0, limbs - 1) : other;
    const size_t numbers = COUNT * t.ring.n;
    mpz_t q, *x = malloc(numbers * sizeof *x);
    assert_non_null(x);
    mpz_init(q);
    crt_product(&t, a, limbs, q);
    for (size_t i = 0; i < numbers; i++) {
        mpz_init(x[i]);
        crt_random(x[i], q, &random);
        crt_put(&t, a, i / t.ring.n, i % t.ring.n, x[i]);
    }
    assert_int_equal(divide(&t, r, in_place ? r : b, a, &constants, how), HB_OK);
    for (size_t i = 0; i < numbers; i++) {
        mpz_add_ui(x[i], x[i], p / 2);
        mpz_fdiv_q_ui(x[i], x[i], p);
        for (uint32_t l = 0; l + 1 < limbs; l++) {
            const uint64_t m = toy_modulus(&t, r, l), before = *toy_at(&t, b, i / t.ring.n, l, i % t.ring.n);
            const uint64_t expected = (mpz_fdiv_ui(x[i], m) + (add ? before : 0)) % m;
            assert_true(*toy_at(&t, r, i / t.ring.n, l, i % t.ring.n) == expected);
        }
        mpz_clear(x[i]);
    }
    toy_assert_gaps(&t, a);
    toy_assert_gaps(&t, other);
    toy_free(other);
    toy_free(b);
    mpz_clear(q);
    free(x);
    toy_free(a);
    toy_close(&t);
}

static void test_drop_last(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        for (int way = 0; way < 16 && chains[chain].limbs > 1; way++) {
            check_drop(chain, (drop){way & 1, way & 2, way & 4, way & 8});
        }
    }
}

HB_UNIT(cpu_convert)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversion), cmocka_unit_test(test_shapes),    cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_most_limbs), cmocka_unit_test(test_drop_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
