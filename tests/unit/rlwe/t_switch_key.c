/* Key-switching keys against their relation (semantics.md 7), computed with schoolbook products of integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/prime.h"
#include "base/sample.h"
#include "cpu/engine.h"
#include "reference/slow.h"
#include "ring/galois.h"
#include "rlwe/switch_keys.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024 };

typedef struct fixture {
    hb_params *params;
    hb_engine *engine;
    hb_seed root, public_seeds[HB_MAX_LIMBS];
    int8_t ternary[N];
    hb_secret_key secret;
} fixture;

/* FP64 and integer primes, ascending and not; the special prime is not always the largest. */
static const struct {
    uint32_t bits[4], limbs;
} chains[] = {{{27, 27, 27}, 3}, {{60, 36, 50, 51}, 4}, {{40, 30}, 2}};
enum { CHAINS = sizeof chains / sizeof *chains };

static void open_parameters(fixture *f, const uint32_t *bits, uint32_t limbs)
{
    memset(f, 0, sizeof *f);
    hb_params_spec spec = {
        .n = N, .key_limbs = limbs, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    assert_int_equal(hb_create_primes(N, bits, limbs, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
    memset(f->root.bytes, (int)limbs, sizeof f->root.bytes);
    hb_seed_public(f->public_seeds, f->params->data_limbs, &f->root, 0);
    assert_int_equal(hb_secret_draw(f->engine, f->params, &f->root, f->ternary), HB_OK);
    assert_int_equal(hb_secret_key_load(&f->secret, f->engine, f->params, f->ternary), HB_OK);
}

static void open_fixture(fixture *f, size_t chain)
{
    open_parameters(f, chains[chain].bits, chains[chain].limbs);
}

static void close_fixture(fixture *f)
{
    hb_secret_key_clear(&f->secret);
    hb_engine_close(f->engine);
    hb_params_close(f->params);
}

static size_t key_words(const hb_params *p)
{
    return (size_t)2 * p->data_limbs * p->key_limbs * N;
}

/* The polynomial that a key switches from, as integers: s^2 or s(X^g). */
static void target_integers(const int8_t *s, uint32_t element, int64_t *target)
{
    memset(target, 0, N * sizeof *target);
    for (size_t i = 0; i < N && element != HB_RELINEARIZATION; i++) {
        const size_t e = i * element % (2 * N);
        target[e % N] = e < N ? s[i] : -s[i];
    }
    for (size_t i = 0; i < N && element == HB_RELINEARIZATION; i++) {
        for (size_t j = 0; j < N; j++) {
            target[(i + j) % N] += i + j < N ? s[i] * s[j] : -(s[i] * s[j]);
        }
    }
}

static uint64_t residue(int64_t x, uint64_t q)
{
    return x < 0 ? (q - (uint64_t)-x % q) % q : (uint64_t)x % q;
}

/* r += a s modulo X^N + 1 and q. */
static void add_product(uint64_t *r, const uint64_t *a, const int8_t *s, uint64_t q)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N && s[i] != 0; j++) {
            const bool negative = (s[i] < 0) != (i + j >= N);
            const uint64_t x = r[(i + j) % N] + (negative ? q - a[j] : a[j]);
            r[(i + j) % N] = x % q;
        }
    }
}

/* The errors that part `j` must have, as integers. */
static void drawn_errors(const fixture *f, uint32_t j, int64_t *errors)
{
    hb_batch e;
    const uint64_t q = f->params->ring.moduli[0].value;
    assert_int_equal(hb_batch_alloc(f->engine, &e, 1, 1, f->params->ids), HB_OK);
    assert_int_equal(hb_sample_small(f->engine, e, HB_GAUSSIAN, (hb_draw){&f->root, HB_DRAW_ERROR_0, j}), HB_OK);
    size_t nonzero = 0;
    for (size_t i = 0; i < N; i++) {
        errors[i] = e.data[i] < q / 2 ? (int64_t)e.data[i] : -(int64_t)(q - e.data[i]);
        assert_in_range(errors[i] + HB_GAUSSIAN_BOUND, 0, 2 * HB_GAUSSIAN_BOUND);
        nonzero += errors[i] != 0;
    }
    assert_true(nonzero > N / 2);
    hb_batch_free(f->engine, &e);
}

/* b + a s + e = [P s' in limb j], in every limb of part j, coefficient by coefficient. parts: coefficient form. */
static void check_part(const fixture *f, const uint64_t *parts, uint32_t j, const int64_t *target)
{
    const hb_params *p = f->params;
    const uint64_t special = p->ring.moduli[p->key_limbs - 1].value;
    int64_t errors[N];
    uint64_t sum[N];
    drawn_errors(f, j, errors);
    for (uint32_t l = 0; l < p->key_limbs; l++) {
        const uint64_t q = p->ring.moduli[l].value, *b = parts + ((size_t)2 * j * p->key_limbs + l) * N;
        memcpy(sum, b, sizeof sum);
        add_product(sum, b + (size_t)p->key_limbs * N, f->ternary, q);
        for (size_t i = 0; i < N; i++) {
            const uint64_t expected = l == j ? slow_mul(special % q, residue(target[i], q), q) : 0;
            assert_int_equal((sum[i] + residue(errors[i], q)) % q, expected);
        }
    }
}

static void keys_hold_their_relation(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        fixture f;
        open_fixture(&f, chain);
        const hb_params *p = f.params;
        const uint32_t elements[] = {HB_RELINEARIZATION, 3, hb_galois_rotation(N, 3, -5), hb_galois_swap(N)};
        for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) {
            hb_switch_key key;
            int64_t target[N];
            assert_int_equal(hb_switch_key_generate(&key, &f.secret, elements[k], &f.root, f.public_seeds), HB_OK);
            assert_int_equal(key.element, elements[k]);
            assert_int_equal(key.parts.count, 2 * p->data_limbs);
            assert_int_equal(hb_switch_key_bytes(p), 8 * key_words(p));
            hb_batch a;
            assert_int_equal(hb_batch_alloc(f.engine, &a, p->data_limbs, p->key_limbs, p->ids), HB_OK);
            assert_int_equal(hb_sample_uniform(f.engine, a, f.public_seeds), HB_OK);
            for (size_t j = 0; j < p->data_limbs; j++) {
                assert_memory_equal(key.parts.data + (2 * j + 1) * a.stride, a.data + j * a.stride, 8 * a.stride);
            }
            hb_batch_free(f.engine, &a);
            assert_int_equal(hb_intt(f.engine, key.parts), HB_OK);
            target_integers(f.ternary, elements[k], target);
            for (uint32_t j = 0; j < p->data_limbs; j++) {
                check_part(&f, key.parts.data, j, target);
            }
            hb_switch_key_clear(&key);
        }
        close_fixture(&f);
    }
}

/* Both ways a key is stored, and words as they are, give the same key back; residues out of range are refused. */
static void keys_survive_packing_and_refuse_garbage(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        fixture f;
        open_fixture(&f, chain);
        const hb_params *p = f.params;
        const size_t packed_bytes = hb_switch_key_packed_bytes(p), key_bytes = 8 * key_words(p);
        assert_int_equal(packed_bytes, p->data_limbs * hb_packed_bytes(&p->ring, p->ids, p->key_limbs));
        uint8_t *b = malloc(packed_bytes), *a = malloc(packed_bytes);
        hb_switch_key key, copy;
        assert_int_equal(hb_switch_key_generate(&key, &f.secret, 9, &f.root, f.public_seeds), HB_OK);
        assert_int_equal(hb_switch_key_pack(&key, b, NULL), HB_OK);
        assert_int_equal(hb_switch_key_load(&copy, f.engine, p, 9, b, NULL, f.public_seeds), HB_OK);
        assert_memory_equal(copy.parts.data, key.parts.data, key_bytes);
        assert_int_equal(copy.element, 9);
        hb_switch_key_clear(&copy);
        memset(b, 0, packed_bytes);
        assert_int_equal(hb_switch_key_pack(&key, b, a), HB_OK);
        assert_int_equal(hb_switch_key_load(&copy, f.engine, p, 9, b, a, NULL), HB_OK);
        assert_memory_equal(copy.parts.data, key.parts.data, key_bytes);
        hb_switch_key_clear(&copy);
        assert_int_equal(hb_switch_key_load_words(&copy, f.engine, p, 9, key.parts.data), HB_OK);
        assert_memory_equal(copy.parts.data, key.parts.data, key_bytes);
        hb_switch_key_clear(&copy);

        memset(a + packed_bytes - 16, 0xff, 16); /* all ones: not below any prime */
        assert_int_equal(hb_switch_key_load(&copy, f.engine, p, 9, b, a, NULL), HB_EDATA);
        assert_null(copy.parts.data);
        memset(b + packed_bytes - 16, 0xff, 16);
        assert_int_equal(hb_switch_key_load(&copy, f.engine, p, 9, b, NULL, f.public_seeds), HB_EDATA);
        key.parts.data[key_words(p) - 1] = p->ring.moduli[p->key_limbs - 1].value; /* one too large for its limb */
        assert_int_equal(hb_switch_key_load_words(&copy, f.engine, p, 9, key.parts.data), HB_EDATA);
        assert_null(copy.parts.data);
        hb_switch_key_clear(&copy);
        hb_switch_key_clear(&key);
        free(a);
        free(b);
        close_fixture(&f);
    }
}

static void parameters_without_a_special_prime(void **state)
{
    (void)state;
    fixture f;
    open_parameters(&f, (const uint32_t[]){40}, 1);
    hb_switch_key key;
    assert_int_equal(hb_switch_key_generate(&key, &f.secret, HB_RELINEARIZATION, &f.root, f.public_seeds), HB_ECONFIG);
    assert_null(key.parts.data);
    close_fixture(&f);
}

static void open_seal_parameters(fixture *f)
{
    memset(f, 0, sizeof *f);
    json_t *json = json_load_file(HB_TESTS_VECTORS "/n1024/params.json", 0, NULL);
    assert_non_null(json);
    const json_t *primes = json_object_get(json, "primes");
    hb_params_spec spec = {
        .n = N, .security = {.level = 128}, .insecure = true, .key_limbs = (uint32_t)json_array_size(primes)};
    spec.bfv.plain = (uint64_t)json_integer_value(json_object_get(json, "t"));
    for (size_t i = 0; i < spec.key_limbs; i++) {
        spec.primes[i] = (uint64_t)json_integer_value(json_array_get(primes, i));
    }
    json_decref(json);
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
}

/* SEAL's own keys, whose second components have seeds of another kind, word for word through packing. */
static void keys_of_seal(void **state)
{
    (void)state;
    static const char *const names[] = {"rlk", "glk_3", "glk_683", "glk_2047"};
    static const uint32_t elements[] = {HB_RELINEARIZATION, 3, 683, 2047};
    fixture f;
    open_seal_parameters(&f);
    const size_t count = key_words(f.params), packed_bytes = hb_switch_key_packed_bytes(f.params);
    uint64_t *words = malloc(count * sizeof *words);
    uint8_t *b = malloc(packed_bytes), *a = malloc(packed_bytes);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/n1024/%s.u64", HB_TESTS_VECTORS, names[k]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        assert_int_equal(fread(words, sizeof *words, count, file), count);
        fclose(file);
        hb_switch_key key;
        assert_int_equal(hb_switch_key_load_words(&key, f.engine, f.params, elements[k], words), HB_OK);
        assert_int_equal(hb_switch_key_pack(&key, b, a), HB_OK);
        hb_switch_key_clear(&key);
        assert_int_equal(hb_switch_key_load(&key, f.engine, f.params, elements[k], b, a, NULL), HB_OK);
        assert_memory_equal(key.parts.data, words, count * sizeof *words);
        hb_switch_key_clear(&key);
    }
    free(a);
    free(b);
    free(words);
    close_fixture(&f);
}

static void rings_of_keys(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 2);
    hb_switch_keys ring = {0};
    const uint32_t elements[] = {3, HB_RELINEARIZATION, 9, 27};
    for (size_t k = 0; k < 4; k++) {
        hb_switch_key key;
        assert_null(hb_switch_keys_find(&ring, elements[k]));
        assert_int_equal(hb_switch_key_generate(&key, &f.secret, elements[k], &f.root, f.public_seeds), HB_OK);
        const uint64_t *data = key.parts.data;
        assert_int_equal(hb_switch_keys_add(&ring, &key), HB_OK);
        assert_null(key.parts.data);
        assert_ptr_equal(hb_switch_keys_find(&ring, elements[k])->parts.data, data);
    }
    assert_int_equal(hb_switch_keys_find(&ring, 9)->element, 9);
    assert_null(hb_switch_keys_find(&ring, 5));
    hb_switch_keys_clear(&ring);
    assert_null(hb_switch_keys_find(&ring, 3));
    hb_switch_keys_clear(&ring);
    close_fixture(&f);
}

HB_UNIT(switch_key)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_hold_their_relation),
        cmocka_unit_test(keys_survive_packing_and_refuse_garbage),
        cmocka_unit_test(parameters_without_a_special_prime),
        cmocka_unit_test(keys_of_seal),
        cmocka_unit_test(rings_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
