/* Key switching with digits and special primes of any number: what is switched stands for the same, but for a noise that
 * is bounded; both forms, and one by one and hoisted, to the word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/engine.h"
#include "reference/slow.h"
#include "reference/streams.h"
#include "ring/permutation.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"

enum { N = 1 << STREAM_LOG_N, MOST = 5 };

/* Special primes, primes of a digit. The first is SEAL's. */
static const uint32_t kinds[][2] = {{1, 1}, {2, 2}, {3, 3}, {2, 1}, {3, 2}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct fixture {
    hb_params *params;
    hb_engine *engine;
    hb_seed root, seeds[HB_MAX_LIMBS];
    int8_t ternary[2][N];
    hb_secret_key secret, other;
    uint64_t random;
} fixture;

static void open_fixture(fixture *f, const uint32_t kind[2])
{
    memset(f, 0, sizeof *f);
    hb_params_spec spec = {.n = N,
                           .key_limbs = STREAM_PRIMES,
                           .special_limbs = kind[0],
                           .digit_limbs = kind[1],
                           .security = {.level = 128},
                           .insecure = true,
                           .bfv.plain = 12289};
    memcpy(spec.primes, stream_primes, sizeof stream_primes);
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
    memset(f->root.bytes, 7, sizeof f->root.bytes);
    hb_seed_public(f->seeds, STREAM_PRIMES, &f->root, 0);
    for (int i = 0; i < 2; i++) {
        const hb_seed root = {{(uint8_t)i}};
        assert_int_equal(hb_secret_draw(f->engine, f->params, &root, f->ternary[i]), HB_OK);
    }
    assert_int_equal(hb_secret_key_load(&f->secret, f->engine, f->params, f->ternary[0]), HB_OK);
    assert_int_equal(hb_secret_key_load(&f->other, f->engine, f->params, f->ternary[1]), HB_OK);
}

static void close_fixture(fixture *f)
{
    hb_secret_key_clear(&f->secret);
    hb_secret_key_clear(&f->other);
    hb_engine_close(f->engine);
    hb_params_close(f->params);
}

static hb_batch polynomials(fixture *f, size_t count, uint32_t limbs)
{
    hb_batch b;
    assert_int_equal(hb_batch_alloc(f->engine, &b, count, limbs, f->params->ids), HB_OK);
    return b;
}

static void fill(fixture *f, hb_batch b)
{
    for (size_t i = 0; i < b.count * b.limbs * N; i++) {
        b.data[i] = slow_random(&f->random) % f->params->ring.moduli[b.ids[i / N % b.limbs]].value;
    }
}

/* s(X^element) of integers. */
static void permute_ternary(int8_t *r, const int8_t *s, uint32_t element)
{
    for (size_t i = 0; i < N; i++) {
        const size_t at = i * element % (2 * N);
        r[at % N] = (int8_t)(at < N ? s[i] : -s[i]);
    }
}

static uint32_t inverse_of(uint32_t element)
{
    uint32_t inverse = 1;
    while (inverse * element % (2 * N) != 1) {
        inverse += 2;
    }
    return inverse;
}

static void load_permuted(fixture *f, hb_secret_key *key, uint32_t element)
{
    int8_t permuted[N];
    permute_ternary(permuted, f->ternary[0], element);
    assert_int_equal(hb_secret_key_load(key, f->engine, f->params, permuted), HB_OK);
}

static void make_key(fixture *f, hb_switch_key *key, hb_key_source source, uint32_t element, uint32_t limbs)
{
    const hb_key_purpose purpose = {
        .limbs = limbs, .source = source, .element = element, .other = source == HB_FROM_SECRET ? &f->other : NULL};
    hb_seed root;
    hb_switch_key_root(&root, &f->root, element + 100000 * (uint32_t)source);
    assert_int_equal(hb_switch_key_generate_for(key, &f->secret, &purpose, &root, f->seeds), HB_OK);
}

/* What switching adds at the level of k limbs, at most: errors times digits, over P, and rounding. */
static double noise_bound(const hb_params *p, uint32_t k)
{
    const hb_gadget *gadget = &p->gadget;
    double special = 1, digits = 0;
    for (uint32_t i = 0; i < p->special_limbs; i++) {
        special *= (double)p->spec.primes[p->data_limbs + i];
    }
    for (uint32_t j = 0; j < gadget->levels[k].digits; j++) {
        const uint32_t first = hb_gadget_first(gadget, j), limbs = hb_gadget_limbs(gadget, j, k);
        double digit = gadget->centred ? limbs / 2.0 : 1;
        for (uint32_t i = first; i < first + limbs; i++) {
            digit *= (double)p->spec.primes[i];
        }
        digits += digit / special;
    }
    return N * 19.0 * digits + (1 + N) * 0.5001;
}

/* Every coefficient of a, in coefficient form, is an integer within the bound, the same in all limbs. */
static void check_small(const fixture *f, hb_batch a, double bound)
{
    uint64_t most = 0;
    for (size_t c = 0; c < a.count; c++) {
        for (size_t j = 0; j < N; j++) {
            const uint64_t q = f->params->spec.primes[0], x = a.data[c * a.stride + j];
            const bool minus = x > q / 2;
            const uint64_t size = minus ? q - x : x;
            most = size > most ? size : most;
            for (uint32_t l = 1; l < a.limbs; l++) {
                const uint64_t m = f->params->spec.primes[l];
                assert_int_equal(a.data[c * a.stride + l * N + j], minus ? m - size : size);
            }
        }
    }
    assert_true((double)most <= bound);
    assert_true(most > 0);
}

/* r = a_0 + a_1 t in coefficient form, of a in NTT form, which is destroyed. */
static void take_phase(const fixture *f, hb_batch r, hb_batch a, const hb_secret_key *t)
{
    const size_t count = r.count;
    const hb_batch secret = hb_batch_limbs(f->engine, t->s, 0, a.limbs), a1 = hb_batch_slice(a, count, count);
    assert_int_equal(hb_mul(f->engine, a1, a1, secret), HB_OK);
    assert_int_equal(hb_add(f->engine, r, hb_batch_slice(a, 0, count), a1), HB_OK);
    assert_int_equal(hb_intt(f->engine, r), HB_OK);
}

/* The two secrets that a key of this source is between. */
static void load_secrets(fixture *f, hb_secret_key *from, hb_secret_key *to, hb_key_source source, uint32_t element)
{
    load_permuted(f, to, source == HB_TO_AUTOMORPHISM ? inverse_of(element) : 1);
    load_permuted(f, from, source == HB_FROM_AUTOMORPHISM ? element : 1);
    if (source == HB_FROM_SQUARE) {
        assert_int_equal(hb_mul(f->engine, from->s, from->s, from->s), HB_OK);
    } else if (source == HB_FROM_SECRET) {
        assert_int_equal(hb_copy(f->engine, from->s, f->other.s), HB_OK);
    }
}

/* d_0 + d_1 t - x s' of random x, at the level of k limbs. */
static void check_switch(fixture *f, const hb_switch_key *key, uint32_t k)
{
    enum { COUNT = 2 };
    hb_engine *e = f->engine;
    const hb_gadget_level *level = &f->params->gadget.levels[k];
    hb_secret_key from, to;
    hb_batch made, products, x = polynomials(f, COUNT, k), d = polynomials(f, 2 * COUNT, k),
                             r = polynomials(f, COUNT, k), none = {.data = NULL};
    assert_int_equal(hb_batch_alloc(e, &made, COUNT * level->digits, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &products, 2 * COUNT, level->switch_limbs, level->switch_ids), HB_OK);
    load_secrets(f, &from, &to, key->source, key->element);
    fill(f, x);
    const hb_digits digits = hb_digits_on(e, &f->params->gadget, k, made.data, COUNT);
    assert_int_equal(hb_digits_make(e, digits, x, none), HB_OK);
    assert_int_equal(hb_switch_key_multiply(e, products, digits, key), HB_OK);
    assert_int_equal(hb_mod_down_apply(e, d, none, products, d, &level->down, HB_NTT_FORM), HB_OK);
    take_phase(f, r, d, &to);
    assert_int_equal(hb_ntt(e, x), HB_OK);
    assert_int_equal(hb_mul(e, x, x, hb_batch_limbs(e, from.s, 0, k)), HB_OK);
    assert_int_equal(hb_intt(e, x), HB_OK);
    assert_int_equal(hb_sub(e, r, r, x), HB_OK);
    check_small(f, r, noise_bound(f->params, k));
    hb_secret_key_clear(&from);
    hb_secret_key_clear(&to);
    hb_batch *const all[] = {&x, &d, &r, &made, &products};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_free(e, all[i]);
    }
}

static void test_sources(void **state)
{
    (void)state;
    static const struct {
        hb_key_source source;
        uint32_t element;
    } sources[] = {{HB_FROM_SQUARE, 0}, {HB_FROM_AUTOMORPHISM, 5}, {HB_TO_AUTOMORPHISM, 5}, {HB_FROM_SECRET, 0}};
    for (size_t i = 0; i < KINDS; i++) {
        fixture f;
        open_fixture(&f, kinds[i]);
        for (size_t j = 0; j < sizeof sources / sizeof *sources; j++) {
            hb_switch_key key;
            make_key(&f, &key, sources[j].source, sources[j].element, 0);
            for (uint32_t k = 1; k <= f.params->data_limbs; k++) {
                check_switch(&f, &key, k);
            }
            hb_switch_key_clear(&key);
        }
        close_fixture(&f);
    }
}

/* A key for a level is what that level has of one for all, and lists find the smallest that serves. */
static void test_levels(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        fixture f;
        hb_switch_keys keys = {0};
        open_fixture(&f, kinds[i]);
        hb_switch_key all, some;
        make_key(&f, &all, HB_TO_AUTOMORPHISM, 3, 0);
        make_key(&f, &some, HB_TO_AUTOMORPHISM, 3, 4);
        assert_int_equal(some.limbs, 4);
        assert_true(all.serial != some.serial);
        assert_int_equal(some.parts.limbs, 4 + f.params->special_limbs);
        assert_int_equal(some.parts.count, 2 * f.params->gadget.levels[4].digits);
        for (size_t c = 0; c < some.parts.count; c++) {
            for (uint32_t l = 0; l < some.parts.limbs; l++) {
                const uint32_t of_all = l < 4 ? l : f.params->data_limbs + l - 4;
                assert_memory_equal(some.parts.data + c * some.parts.stride + l * N,
                                    all.parts.data + c * all.parts.stride + of_all * N, N * sizeof(uint64_t));
            }
        }
        check_switch(&f, &some, 4);
        check_switch(&f, &some, 3);
        assert_int_equal(hb_switch_keys_add(&keys, &all), HB_OK);
        assert_int_equal(hb_switch_keys_add(&keys, &some), HB_OK);
        assert_int_equal(hb_switch_keys_find_at(&keys, HB_TO_AUTOMORPHISM, 3, 4)->limbs, 4);
        assert_int_equal(hb_switch_keys_find_at(&keys, HB_TO_AUTOMORPHISM, 3, 5)->limbs, f.params->data_limbs);
        assert_null(hb_switch_keys_find_at(&keys, HB_FROM_AUTOMORPHISM, 3, 1));
        assert_null(hb_switch_keys_find_at(&keys, HB_TO_AUTOMORPHISM, 5, 1));
        assert_null(hb_switch_keys_find(&keys, 3)); /* which is SEAL's */
        hb_switch_keys_clear(&keys);
        close_fixture(&f);
    }
}

/* A key of another gadget: modulo the first prime and one special prime alone, its digit centred. */
static void test_other_gadget(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, kinds[1]);
    hb_engine *e = f.engine;
    const uint16_t *special = f.params->ids + f.params->data_limbs;
    const hb_gadget_spec spec = {f.params->ids, special, 1, 1, 1, true};
    hb_gadget gadget;
    hb_switch_key key;
    hb_batch made, products, none = {.data = NULL}, x = polynomials(&f, 1, 1), d = polynomials(&f, 2, 1),
                             r = polynomials(&f, 1, 1);
    assert_int_equal(hb_gadget_init(&gadget, &f.params->ring, &spec), HB_OK);
    const hb_key_purpose purpose = {.gadget = &gadget, .source = HB_FROM_SECRET, .other = &f.other};
    assert_int_equal(hb_switch_key_generate_for(&key, &f.secret, &purpose, &f.root, f.seeds), HB_OK);
    assert_int_equal(key.parts.count, 2);
    assert_int_equal(key.parts.limbs, 2);
    assert_int_equal(hb_batch_alloc(e, &made, 1, 2, gadget.levels[1].switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &products, 2, 2, gadget.levels[1].switch_ids), HB_OK);
    fill(&f, x);
    const hb_digits digits = hb_digits_on(e, &gadget, 1, made.data, 1);
    assert_int_equal(hb_digits_make(e, digits, x, none), HB_OK);
    assert_int_equal(hb_switch_key_multiply(e, products, digits, &key), HB_OK);
    assert_int_equal(hb_mod_down_apply(e, d, none, products, d, &gadget.levels[1].down, HB_NTT_FORM), HB_OK);
    take_phase(&f, r, d, &f.secret);
    assert_int_equal(hb_ntt(e, x), HB_OK);
    assert_int_equal(hb_mul(e, x, x, hb_batch_limbs(e, f.other.s, 0, 1)), HB_OK);
    assert_int_equal(hb_intt(e, x), HB_OK);
    assert_int_equal(hb_sub(e, r, r, x), HB_OK);
    check_small(&f, r, N * 19.0 + N);
    hb_batch *const all[] = {&x, &d, &r, &made, &products};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_free(e, all[i]);
    }
    hb_switch_key_clear(&key);
    hb_gadget_clear(&gadget);
    close_fixture(&f);
}

static hb_ciphertexts ciphertexts(fixture *f, uint32_t size, size_t count, uint32_t k)
{
    hb_ciphertexts a;
    assert_int_equal(hb_ciphertexts_alloc(&a, f->engine, f->params, size, count, k), HB_OK);
    fill(f, a.all);
    return a;
}

/* A copy in the other form. */
static hb_ciphertexts transformed(fixture *f, hb_ciphertexts a)
{
    hb_ciphertexts r = ciphertexts(f, a.size, hb_ciphertexts_count(a), a.all.limbs);
    r.form = a.form == HB_NTT_FORM ? HB_COEFFICIENT_FORM : HB_NTT_FORM;
    assert_int_equal(hb_copy(f->engine, r.all, a.all), HB_OK);
    assert_int_equal((r.form == HB_NTT_FORM ? hb_ntt : hb_intt)(f->engine, r.all), HB_OK);
    return r;
}

static void clear(fixture *f, hb_ciphertexts *a)
{
    hb_batch_free(f->engine, &a->all);
}

static void expect_same(hb_ciphertexts a, hb_ciphertexts b)
{
    assert_int_equal(a.all.count * a.all.stride, b.all.count * b.all.stride);
    assert_memory_equal(a.all.data, b.all.data, a.all.count * a.all.stride * sizeof *a.all.data);
}

/* b, in NTT form, is a, transformed back. */
static void expect_transform(fixture *f, hb_ciphertexts a, hb_ciphertexts b)
{
    hb_ciphertexts back = transformed(f, b);
    expect_same(a, back);
    clear(f, &back);
}

static hb_evaluator *open_evaluator(fixture *f, size_t count, bool small)
{
    hb_evaluator *ev;
    const hb_evaluator_requirements requirements = {
        .limbs = f->params->data_limbs, .count = count, .switching = true, .hoisting = true};
    f->engine->batch_bytes = small ? 1 : 0; /* a ciphertext at a time */
    assert_int_equal(hb_evaluator_open(f->engine, f->params, &requirements, &ev), HB_OK);
    f->engine->batch_bytes = 0;
    return ev;
}

/* r_0 + r_1 s - (a_0(X^g) + a_1(X^g) s(X^g)), of coefficient form. */
static void check_automorphism(fixture *f, hb_ciphertexts r, hb_ciphertexts a, uint32_t element)
{
    const size_t count = hb_ciphertexts_count(a);
    const uint32_t k = a.all.limbs;
    hb_secret_key permuted;
    hb_ciphertexts x = ciphertexts(f, 2, count, k), y = transformed(f, r);
    hb_batch phase = polynomials(f, count, k), expected = polynomials(f, count, k);
    load_permuted(f, &permuted, element);
    assert_int_equal(hb_galois(f->engine, x.all, a.all, element), HB_OK);
    assert_int_equal(hb_ntt(f->engine, x.all), HB_OK);
    take_phase(f, expected, x.all, &permuted);
    take_phase(f, phase, y.all, &f->secret);
    assert_int_equal(hb_sub(f->engine, phase, phase, expected), HB_OK);
    check_small(f, phase, noise_bound(f->params, k));
    hb_secret_key_clear(&permuted);
    hb_batch_free(f->engine, &phase);
    hb_batch_free(f->engine, &expected);
    clear(f, &x);
    clear(f, &y);
}

enum { KEYS = 4 };

static void make_keys(fixture *f, hb_switch_key keys[KEYS], const hb_switch_key *list[KEYS])
{
    static const uint32_t elements[KEYS] = {3, 2 * N - 1, 25, 9};
    for (int i = 0; i < KEYS; i++) {
        make_key(f, &keys[i], i % 2 == 0 ? HB_FROM_AUTOMORPHISM : HB_TO_AUTOMORPHISM, elements[i], 0);
        list[i] = &keys[i];
    }
}

/* One by one in both forms, added, in place; and hoisted. */
static void check_rotations(fixture *f, uint32_t k, size_t count, bool small)
{
    hb_evaluator *ev = open_evaluator(f, count, small);
    hb_switch_key keys[KEYS];
    const hb_switch_key *list[KEYS];
    hb_ciphertexts a = ciphertexts(f, 2, count, k), ntt = transformed(f, a), hoisted[KEYS], hoisted_ntt[KEYS];
    make_keys(f, keys, list);
    for (int i = 0; i < KEYS; i++) {
        hoisted[i] = ciphertexts(f, 2, count, k);
        hoisted_ntt[i] = ciphertexts(f, 2, count, k);
        hoisted_ntt[i].form = HB_NTT_FORM;
    }
    assert_int_equal(hb_evaluator_galois_hoisted(ev, hoisted, a, list, KEYS), HB_OK);
    assert_int_equal(hb_evaluator_galois_hoisted(ev, hoisted_ntt, ntt, list, KEYS), HB_OK);
    for (int i = 0; i < KEYS; i++) {
        hb_ciphertexts r = ciphertexts(f, 2, count, k), r_ntt = transformed(f, r), sum = transformed(f, r_ntt);
        assert_int_equal(hb_evaluator_add(ev, sum, sum, hoisted[i]), HB_OK);
        assert_int_equal(hb_evaluator_galois_add(ev, r, a, list[i]), HB_OK);
        expect_same(r, sum);
        assert_int_equal(hb_evaluator_galois_add(ev, r_ntt, ntt, list[i]), HB_OK);
        expect_transform(f, r, r_ntt);
        assert_int_equal(hb_evaluator_galois(ev, r, a, list[i]), HB_OK);
        assert_int_equal(hb_evaluator_galois(ev, r_ntt, ntt, list[i]), HB_OK);
        expect_transform(f, r, r_ntt);
        expect_same(r, hoisted[i]);
        expect_same(r_ntt, hoisted_ntt[i]);
        check_automorphism(f, r, a, list[i]->element);
        assert_int_equal(hb_evaluator_copy(ev, r_ntt, ntt), HB_OK);
        assert_int_equal(hb_evaluator_galois(ev, r_ntt, r_ntt, list[i]), HB_OK);
        expect_same(r_ntt, hoisted_ntt[i]);
        clear(f, &r);
        clear(f, &r_ntt);
        clear(f, &sum);
    }
    for (int i = 0; i < KEYS; i++) {
        clear(f, &hoisted[i]);
        clear(f, &hoisted_ntt[i]);
        hb_switch_key_clear(&keys[i]);
    }
    clear(f, &a);
    clear(f, &ntt);
    hb_evaluator_close(ev);
}

static void test_rotations(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        fixture f;
        open_fixture(&f, kinds[i]);
        const uint32_t all = f.params->data_limbs;
        check_rotations(&f, all, 1, false);
        check_rotations(&f, all, 3, false); /* more than it pays to permute digits of */
        check_rotations(&f, all - 1, 3, true);
        check_rotations(&f, 1, 2, false);
        close_fixture(&f);
    }
}

/* r_0 + r_1 s - (a_0 + a_1 s + a_2 s^2). */
static void check_relinearization(fixture *f, hb_evaluator *ev, const hb_switch_key *key, uint32_t k, size_t count)
{
    hb_engine *e = f->engine;
    hb_ciphertexts a = ciphertexts(f, 3, count, k), r = ciphertexts(f, 2, count, k), ntt = transformed(f, a),
                   r_ntt = transformed(f, r);
    hb_batch phase = polynomials(f, count, k), expected = polynomials(f, count, k);
    const hb_batch s = hb_batch_limbs(e, f->secret.s, 0, k);
    assert_int_equal(hb_evaluator_relinearize(ev, r, a, key), HB_OK);
    assert_int_equal(hb_evaluator_relinearize(ev, r_ntt, ntt, key), HB_OK);
    expect_transform(f, r, r_ntt);
    take_phase(f, phase, r_ntt.all, &f->secret);
    const hb_batch a1 = hb_ciphertexts_component(ntt, 1), a2 = hb_ciphertexts_component(ntt, 2);
    assert_int_equal(hb_mul(e, a2, a2, s), HB_OK);
    assert_int_equal(hb_add(e, a1, a1, a2), HB_OK);
    take_phase(f, expected, hb_batch_slice(ntt.all, 0, 2 * count), &f->secret);
    assert_int_equal(hb_sub(e, phase, phase, expected), HB_OK);
    check_small(f, phase, noise_bound(f->params, k));
    hb_ciphertexts in_place = {hb_batch_slice(a.all, 0, 2 * count), 2, HB_COEFFICIENT_FORM};
    assert_int_equal(hb_evaluator_relinearize(ev, in_place, a, key), HB_OK);
    expect_same(in_place, r);
    hb_batch_free(e, &phase);
    hb_batch_free(e, &expected);
    clear(f, &a);
    clear(f, &r);
    clear(f, &ntt);
    clear(f, &r_ntt);
}

/* The level below, in both forms, elsewhere and in place. */
static void check_mod_switch(fixture *f, hb_evaluator *ev, uint32_t k, size_t count)
{
    hb_ciphertexts a = ciphertexts(f, 2, count, k), ntt = transformed(f, a), r = ciphertexts(f, 2, count, k - 1),
                   r_ntt = transformed(f, r);
    assert_int_equal(hb_evaluator_mod_switch(ev, r, a), HB_OK);
    assert_int_equal(hb_evaluator_mod_switch(ev, r_ntt, ntt), HB_OK);
    expect_transform(f, r, r_ntt);
    hb_ciphertexts in_place = hb_ciphertexts_view(ntt, f->engine, f->params, 2, count, k - 1);
    assert_int_equal(in_place.form, HB_NTT_FORM);
    assert_int_equal(hb_evaluator_mod_switch(ev, in_place, ntt), HB_OK);
    expect_same(in_place, r_ntt);
    clear(f, &a);
    clear(f, &ntt);
    clear(f, &r);
    clear(f, &r_ntt);
}

static void test_relinearization(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        fixture f;
        hb_switch_key key;
        open_fixture(&f, kinds[i]);
        make_key(&f, &key, HB_FROM_SQUARE, HB_RELINEARIZATION, 0);
        for (int small = 0; small < 2; small++) {
            hb_evaluator *ev = open_evaluator(&f, 3, small != 0);
            for (uint32_t k = 1; k <= f.params->data_limbs; k++) {
                check_relinearization(&f, ev, &key, k, 3);
                if (k > 1) {
                    check_mod_switch(&f, ev, k, 3);
                }
            }
            hb_evaluator_close(ev);
        }
        hb_switch_key_clear(&key);
        close_fixture(&f);
    }
}

/* Another key in the memory of one that hoisting has seen is another key. */
static void test_identity(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        hb_switch_key first, second;
        open_fixture(&f, kinds[i]);
        hb_evaluator *ev = open_evaluator(&f, 1, false);
        hb_ciphertexts a = ciphertexts(&f, 2, 1, f.params->data_limbs), r = ciphertexts(&f, 2, 1, a.all.limbs),
                       expected = ciphertexts(&f, 2, 1, a.all.limbs);
        make_key(&f, &first, HB_FROM_AUTOMORPHISM, 3, 0);
        make_key(&f, &second, HB_FROM_AUTOMORPHISM, 25, 0);
        const hb_switch_key *one = &first, *other = &second;
        assert_int_equal(hb_evaluator_galois_hoisted(ev, &r, a, &one, 1), HB_OK);
        uint64_t *words = second.parts.data;
        memcpy(first.parts.data, words, first.parts.count * first.parts.stride * sizeof *words);
        second.parts.data = first.parts.data;
        assert_int_equal(hb_evaluator_galois(ev, expected, a, other), HB_OK);
        assert_int_equal(hb_evaluator_galois_hoisted(ev, &r, a, &other, 1), HB_OK);
        expect_same(r, expected);
        second.parts.data = words;
        hb_switch_key_clear(&first);
        hb_switch_key_clear(&second);
        clear(&f, &a);
        clear(&f, &r);
        clear(&f, &expected);
        hb_evaluator_close(ev);
        close_fixture(&f);
    }
}

/* Products of one ciphertext's digits with several keys, permuted and added before they are divided: the sum of its
 * automorphisms, with the rounding of one. */
static void test_late_division(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, kinds[1]);
    hb_engine *e = f.engine;
    const uint32_t k = f.params->data_limbs - 1;
    const hb_gadget_level *level = &f.params->gadget.levels[k];
    hb_switch_key keys[KEYS];
    const hb_switch_key *list[KEYS];
    hb_batch made, products, permuted, none = {.data = NULL};
    hb_ciphertexts a = ciphertexts(&f, 2, 1, k), sum = ciphertexts(&f, 2, 1, k), one = ciphertexts(&f, 2, 1, k);
    hb_evaluator *ev = open_evaluator(&f, 1, false);
    make_keys(&f, keys, list);
    assert_int_equal(hb_batch_alloc(e, &made, level->digits, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &products, 2, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &permuted, 2, level->switch_limbs, level->switch_ids), HB_OK);
    hb_batch total;
    assert_int_equal(hb_batch_alloc(e, &total, 2, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_clear(e, total), HB_OK);
    assert_int_equal(hb_clear(e, sum.all), HB_OK);
    const hb_digits digits = hb_digits_on(e, &f.params->gadget, k, made.data, 1);
    assert_int_equal(hb_digits_make(e, digits, hb_ciphertexts_component(a, 1), none), HB_OK);
    hb_batch c0 = polynomials(&f, 1, k), d = polynomials(&f, 2, k);
    for (int i = 1; i < KEYS; i += 2) { /* those that switch first */
        hb_permutation automorphism;
        assert_int_equal(hb_permutation_init_galois(&automorphism, e, list[i]->element), HB_OK);
        assert_int_equal(hb_switch_key_multiply(e, products, digits, list[i]), HB_OK);
        assert_int_equal(hb_permute(e, permuted, products, automorphism.map), HB_OK);
        assert_int_equal(hb_add(e, total, total, permuted), HB_OK);
        hb_permutation_clear(&automorphism, e);
        assert_int_equal(hb_galois(e, c0, hb_ciphertexts_component(a, 0), list[i]->element), HB_OK);
        const hb_batch sum0 = hb_ciphertexts_component(sum, 0);
        assert_int_equal(hb_add(e, sum0, sum0, c0), HB_OK);
    }
    assert_int_equal(hb_intt(e, total), HB_OK);
    assert_int_equal(
        hb_mod_down_apply(e, sum.all, hb_ciphertexts_component(sum, 0), total, none, &level->down, HB_COEFFICIENT_FORM),
        HB_OK);
    for (int i = 1; i < KEYS; i += 2) { /* what remains is noise: of two switches, and of three roundings */
        assert_int_equal(hb_evaluator_galois(ev, one, a, list[i]), HB_OK);
        assert_int_equal(hb_evaluator_sub(ev, sum, sum, one), HB_OK);
    }
    hb_ciphertexts rest = transformed(&f, sum);
    take_phase(&f, c0, rest.all, &f.secret);
    check_small(&f, c0, 4 * noise_bound(f.params, k));
    hb_batch *const all[] = {&made, &products, &permuted, &total, &c0, &d};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_free(e, all[i]);
    }
    for (int i = 0; i < KEYS; i++) {
        hb_switch_key_clear(&keys[i]);
    }
    clear(&f, &a);
    clear(&f, &sum);
    clear(&f, &one);
    clear(&f, &rest);
    hb_evaluator_close(ev);
    close_fixture(&f);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),         cmocka_unit_test(test_levels),
        cmocka_unit_test(test_other_gadget),    cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_relinearization), cmocka_unit_test(test_identity),
        cmocka_unit_test(test_late_division),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
