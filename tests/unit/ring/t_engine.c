/* The front end: memory, views, sizes, transforms through the table, and shapes that must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "reference/aborts.h"
#include "reference/toy.h"
#include "ring/bfv_ops.h"
#include "unit/unit.h"

static const uint64_t moduli[] = {97, (1ull << 43) - 57, (1ull << 60) - 93};
enum { LIMBS = 3, LOG_N = 6, N = 64, COUNT = 3 };

static void test_memory(void **state)
{
    (void)state;
    toy t;
    toy_open(&t, LOG_N, moduli, LIMBS, false);
    assert_string_equal(t.engine->ops->name, "cpu");
    for (size_t bytes = 0; bytes < 200; bytes += 33) {
        void *memory = NULL;
        assert_int_equal(hb_alloc(t.engine, bytes, &memory), HB_OK);
        assert_true(memory != NULL && (uintptr_t)memory % 64 == 0);
        memset(memory, 1, bytes);
        hb_free(t.engine, memory);
    }
    hb_free(t.engine, NULL);
    void *memory = NULL;
    assert_int_equal(hb_alloc(t.engine, SIZE_MAX, &memory), HB_ENOMEM);
    assert_null(memory);

    const char text[] = "twelve bytes";
    char there[sizeof text] = "", back[sizeof text] = "";
    assert_int_equal(hb_upload(t.engine, there, text, sizeof text), HB_OK);
    assert_int_equal(hb_download(t.engine, back, there, sizeof text), HB_OK);
    assert_int_equal(hb_finish(t.engine), HB_OK);
    assert_string_equal(back, text);
    toy_close(&t);
    hb_engine_close(NULL);
}

static void test_batches(void **state)
{
    (void)state;
    toy t;
    toy_open(&t, LOG_N, moduli, LIMBS, false);
    hb_batch b, too_many = {.data = t.ring.psi};
    assert_int_equal(hb_batch_alloc(t.engine, &b, COUNT, LIMBS, t.ids), HB_OK);
    assert_true(b.count == COUNT && b.limbs == LIMBS && b.stride == LIMBS * N && b.ids == t.ids);
    assert_int_equal(hb_batch_alloc(t.engine, &too_many, SIZE_MAX / 8 / N, LIMBS, t.ids), HB_ENOMEM);
    assert_null(too_many.data);

    hb_batch slice = hb_batch_slice(b, 1, 2), limbs = hb_batch_limbs(t.engine, slice, 2, 1);
    assert_true(slice.data == b.data + b.stride && slice.count == 2 && slice.stride == b.stride);
    assert_true(limbs.data == slice.data + 2 * N && limbs.limbs == 1 && limbs.ids[0] == 2 && limbs.stride == b.stride);

    /* Words out of every range, as after a failure, are wiped too; and only those of the view. */
    memset(b.data, 0xff, COUNT * b.stride * sizeof *b.data);
    hb_batch_wipe(t.engine, limbs);
    for (size_t i = 0; i < COUNT * b.stride; i++) {
        bool in_view = i / b.stride >= 1 && i % b.stride >= 2 * N;
        assert_true(b.data[i] == (in_view ? 0 : UINT64_MAX));
    }
    hb_batch_wipe(t.engine, too_many);
    hb_batch_free(t.engine, &b);
    assert_null(b.data);
    hb_batch_free(t.engine, &b);
    toy_close(&t);
}

static const uint64_t primes[] = {257, 641}; /* 1 mod 128: those with a transform of length 64 */

static void open_with_roots(toy *t)
{
    toy_open(t, LOG_N, primes, 2, false);
    toy_close(t);
    for (uint32_t i = 0; i < 2; i++) {
        for (uint64_t g = 2; t->ring.psi[i] == 0; g++) {
            uint64_t root = slow_pow(g, (primes[i] - 1) / (2 * N), primes[i]);
            t->ring.psi[i] = slow_pow(root, N, primes[i]) == primes[i] - 1 ? root : 0;
        }
    }
    assert_int_equal(hb_cpu_engine_open(&t->ring, &t->engine), HB_OK);
}

/* NTT(a) b, y being NTT(a), and b all of a batch or one of it; elsewhere and in place. */
static void check_products(toy *t, hb_batch a, hb_batch y)
{
    uint64_t random = 7;
    for (int way = 0; way < 4; way++) {
        hb_batch b = toy_copy(t, a), r = toy_copy(t, a);
        const hb_batch by = hb_batch_slice(b, 0, way & 1 ? 1 : COUNT);
        toy_fill(t, b, &random);
        assert_int_equal(hb_ntt_mul(t->engine, r, way & 2 ? r : a, by), HB_OK);
        for (size_t c = 0; c < COUNT; c++) {
            for (uint32_t l = 0; l < a.limbs; l++) {
                for (size_t j = 0; j < N; j++) {
                    const uint64_t factor = *toy_at(t, by, way & 1 ? 0 : c, l, j);
                    const uint64_t product = *toy_at(t, y, c, l, j) * factor % primes[a.ids[l]];
                    assert_int_equal(*toy_at(t, r, c, l, j), product);
                }
            }
        }
        toy_free(b);
        toy_free(r);
    }
}

/* a factors[l], y being NTT(a). */
static void check_scaled_inverse(toy *t, hb_batch a, hb_batch y)
{
    hb_batch x = toy_copy(t, y);
    const uint64_t factors[] = {640, 123, 0};
    assert_int_equal(hb_intt_scaled(t->engine, x, factors), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (uint32_t l = 0; l < a.limbs; l++) {
            for (size_t j = 0; j < N; j++) {
                const uint64_t product = *toy_at(t, a, c, l, j) * factors[l] % primes[a.ids[l]];
                assert_int_equal(*toy_at(t, x, c, l, j), product);
            }
        }
    }
    toy_free(x);
}

/* Limbs next to each other in any order. */
static void test_transforms(void **state)
{
    (void)state;
    toy t;
    open_with_roots(&t);
    const uint16_t ids[] = {1, 0, 1};
    uint64_t random = 6;
    hb_batch x = toy_batch(&t, COUNT, 3, ids, 7);
    toy_fill(&t, x, &random);
    hb_batch before = toy_copy(&t, x);
    assert_int_equal(hb_ntt(t.engine, x), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (uint32_t l = 0; l < 3; l++) {
            for (size_t j = 0; j < N; j++) { /* word j is the value at psi^(2 brev(j) + 1) */
                uint64_t p = primes[ids[l]], point = slow_pow(t.ring.psi[ids[l]], 2 * slow_reverse(j, LOG_N) + 1, p);
                assert_true(*toy_at(&t, x, c, l, j) == slow_evaluate(toy_at(&t, before, c, l, 0), N, point, p));
            }
        }
    }
    hb_batch elsewhere = toy_batch(&t, COUNT, 3, ids, 7);
    assert_int_equal(hb_ntt_of(t.engine, elsewhere, before), HB_OK);
    assert_memory_equal(x.data, elsewhere.data, COUNT * x.stride * sizeof *x.data);
    check_products(&t, before, x);
    check_scaled_inverse(&t, before, x);
    assert_int_equal(hb_intt(t.engine, x), HB_OK);
    assert_memory_equal(x.data, before.data, COUNT * x.stride * sizeof *x.data);
    toy_free(x);
    toy_free(before);
    toy_free(elsewhere);
    toy_close(&t);
}

static int turns[3];

static void count_enter(hb_engine *e)
{
    (void)e;
    turns[0]++;
}

static void count_leave(hb_engine *e)
{
    (void)e;
    turns[1]++;
}

static void count_interrupt(hb_engine *e)
{
    (void)e;
    turns[2]++;
}

/* Nothing for one device to do; but an engine that has something to do is asked. */
static void test_turns(void **state)
{
    (void)state;
    toy t;
    toy_open(&t, LOG_N, moduli, LIMBS, false);
    const hb_engine_ops *own = t.engine->ops;
    hb_engine_ops counted = *own;
    assert_null(hb_engine_native(t.engine));
    counted.enter = count_enter;
    counted.leave = count_leave;
    counted.interrupt = count_interrupt;
    for (int asked = 0; asked < 2; asked++) {
        t.engine->ops = asked ? &counted : own;
        hb_engine_enter(t.engine);
        assert_true(turns[0] == asked && turns[1] == 0 && turns[2] == 0);
        hb_engine_interrupt(t.engine);
        assert_true(turns[0] == asked && turns[1] == 0 && turns[2] == asked);
        hb_engine_leave(t.engine);
        assert_true(turns[0] == asked && turns[1] == asked && turns[2] == asked);
    }
    t.engine->ops = own;
    toy_close(&t);
}

/* The transforms of digits: each word of a, reduced, is a coefficient. */
static void test_transforms_of_digits(void **state)
{
    (void)state;
    toy t;
    open_with_roots(&t);
    const uint16_t from[] = {1, 0}, to[] = {0, 1, 0};
    uint64_t random = 8, digit[N];
    hb_batch a = toy_batch(&t, COUNT, 2, from, 3), r = toy_batch(&t, 2 * COUNT, 3, to, 7);
    toy_fill(&t, a, &random);
    assert_int_equal(hb_ntt_decompose(t.engine, r, a), HB_OK);
    for (size_t c = 0; c < 2 * COUNT; c++) {
        for (uint32_t l = 0; l < 3; l++) {
            const uint64_t p = primes[to[l]];
            for (size_t j = 0; j < N; j++) {
                digit[j] = *toy_at(&t, a, c / 2, (uint32_t)(c % 2), j) % p;
            }
            for (size_t j = 0; j < N; j++) {
                const uint64_t point = slow_pow(t.ring.psi[to[l]], 2 * slow_reverse(j, LOG_N) + 1, p);
                assert_true(*toy_at(&t, r, c, l, j) == slow_evaluate(digit, N, point, p));
            }
        }
    }
    toy_assert_gaps(&t, r);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_digest_rows(void **state)
{
    (void)state;
    toy t;
    toy_open(&t, LOG_N, moduli, LIMBS, false);
    const uint16_t ids[] = {2, 0}; /* rows of 60 and of 7 bits a word */
    const size_t bytes[] = {N * 60 / 8, N * 7 / 8};
    uint8_t rows[COUNT * N * 67 / 8], digests[2 * COUNT * HB_DIGEST_BYTES], expected[HB_DIGEST_BYTES];
    for (size_t i = 0; i < sizeof rows; i++) {
        rows[i] = (uint8_t)(7 * i);
    }
    assert_int_equal(hb_digest_rows(t.engine, digests, (hb_packed){rows, COUNT, 0, 1}, ids, 2), HB_OK);
    const uint8_t *row = rows;
    for (size_t i = 0; i < 2 * COUNT; i++) {
        hb_digest_row(expected, row, bytes[i / COUNT]);
        assert_memory_equal(digests + HB_DIGEST_BYTES * i, expected, HB_DIGEST_BYTES);
        row += bytes[i / COUNT];
    }
    toy_close(&t);
}

/* A fork computes with the tables of the engine, in its own workspace, and outlives it. */
static void test_fork(void **state)
{
    (void)state;
    toy t;
    open_with_roots(&t);
    hb_engine *fork;
    assert_int_equal(hb_engine_fork(t.engine, &fork), HB_OK);
    assert_true(fork != t.engine && fork->ring == t.engine->ring);
    const uint16_t ids[] = {0, 1};
    hb_batch x = toy_batch(&t, COUNT, 2, ids, 0);
    uint64_t random = 9;
    toy_fill(&t, x, &random);
    hb_batch y = toy_copy(&t, x);
    assert_int_equal(hb_ntt(t.engine, x), HB_OK);
    hb_engine_close(t.engine);
    assert_int_equal(hb_ntt(fork, y), HB_OK);
    assert_memory_equal(x.data, y.data, COUNT * x.stride * sizeof *x.data);
    void *memory = NULL;
    assert_int_equal(hb_host_alloc(fork, 100, &memory), HB_OK);
    memset(memory, 1, 100);
    hb_host_free(fork, memory);
    hb_host_free(fork, NULL);
    toy_free(x);
    toy_free(y);
    t.engine = fork;
    toy_close(&t);
}

/* Wrong calls; each must end the process. */
enum {
    FEWER_LIMBS,
    OTHER_LIMBS,
    FEWER_POLYNOMIALS,
    SHORT_STRIDE,
    UNKNOWN_MODULUS,
    NO_DATA,
    NO_ROOT,
    HALF_WORDS,
    SMALL_MODULUS,
    LARGE_FACTOR,
    LONG_SLICE,
    GATHER_IN_PLACE,
    EVEN_ELEMENT,
    GALOIS_IN_PLACE,
    TENSOR_SIZES,
    SPREAD_COUNT,
    SHORT_KEY,
    FOREIGN_KEY,
    PLAIN_COUNT,
    ROWS_APART,
    NO_STEP,
    WRONG_BORDER,
    WRONG_CALLS
};

/* Rows and constants that do not fit. */
static hb_status call_with_wrong_constants(toy *t, int which, hb_batch a)
{
    uint8_t packed[2 * COUNT * LIMBS * N * 8];
    const uint16_t one[] = {0};
    uint64_t words[LIMBS] = {0};
    hb_overflow overflow = {.kind = HB_OVERFLOW_BINARY, .half = 0, .weights = words, .factors = words};
    const hb_base_conversion conversion = {1, 1, one, one, words, words, NULL, &overflow};
    const hb_batch left = hb_batch_limbs(t->engine, a, 0, 1);
    hb_batch right = left;
    right.data = a.data + COUNT * a.stride;
    switch (which) {
    case PLAIN_COUNT:
        right.count = 2;
        return hb_add_scaled_plain(t->engine, a, right, &(hb_scale_plain){.half = 1, .delta = words}, HB_PLUS);
    case ROWS_APART:
        return hb_pack(t->engine, (hb_packed){packed, 2 * COUNT, 2, 2}, a);
    case NO_STEP:
        return hb_pack(t->engine, (hb_packed){packed, 2 * COUNT, 0, 0}, a);
    default:
        right.count = left.count;
        return hb_base_convert(t->engine, right, left, &conversion);
    }
}

/* Products of digits and of ciphertexts whose operands do not fit. a: [COUNT]; key: twice as many. */
static hb_status multiply_wrongly(toy *t, int which, hb_batch a, hb_batch b, hb_batch key)
{
    switch (which) {
    case TENSOR_SIZES:
        return hb_tensor(t->engine, b, hb_batch_slice(a, 0, 2), hb_batch_slice(a, 0, 1), 2, 2);
    case SPREAD_COUNT:
        return hb_decompose(t->engine, b, a);
    case SHORT_KEY: /* one part, two digits */
        return hb_key_products(t->engine, hb_batch_slice(b, 0, 2), hb_batch_slice(a, 0, 2), hb_batch_slice(key, 0, 2),
                               2, 2);
    default: /* FOREIGN_KEY: without the last limb */
        key.limbs--;
        return hb_key_products(t->engine, hb_batch_slice(b, 0, 2), hb_batch_slice(a, 0, 1), hb_batch_slice(key, 0, 2),
                               2, 2);
    }
}

/* Returns an operand that does not fit the others, in the way that `which` names. */
static hb_batch spoiled(hb_batch b, int which)
{
    static const uint16_t others[] = {0, 2, 1}, unknown[] = {0, 1, LIMBS};
    b.limbs -= which == FEWER_LIMBS;
    b.ids = which == OTHER_LIMBS ? others : which == UNKNOWN_MODULUS ? unknown : b.ids;
    b.count -= which == FEWER_POLYNOMIALS;
    b.stride -= which == SHORT_STRIDE;
    b.data = which == NO_DATA ? NULL : b.data;
    return b;
}

static void call_wrongly(void *with, int which)
{
    toy *t = with;
    const uint64_t factors[] = {97, 0, 0};
    const hb_seed seed = {{0}};
    uint8_t packed[COUNT * LIMBS * N * 8];
    uint32_t map[N] = {0};
    hb_batch a = toy_batch(t, 2 * COUNT, LIMBS, t->ids, 0), key = toy_copy(t, a);
    a.count = COUNT;
    const hb_batch b = spoiled(toy_copy(t, a), which);
    memset(key.data, 0, COUNT * key.stride * sizeof *key.data);
    memset(a.data, 0, COUNT * a.stride * sizeof *a.data);
    hb_status st = HB_OK;
    switch (which) {
    case NO_ROOT:
        st = hb_ntt(t->engine, a);
        break;
    case HALF_WORDS:
        t->ring.n /= 2;
        t->ring.moduli[0].bits = 7; /* 32 fields of 7 bits are three words and a half */
        st = hb_pack(t->engine, (hb_packed){packed, a.count, 0, 1}, hb_batch_limbs(t->engine, a, 0, 1));
        break;
    case SMALL_MODULUS:
        t->ring.moduli[0].value = 21;
        st = hb_sample_small(t->engine, a, HB_BINOMIAL, (hb_draw){.seed = &seed});
        break;
    case LARGE_FACTOR:
        st = hb_scale(t->engine, a, a, factors);
        break;
    case LONG_SLICE:
        a = hb_batch_slice(a, 2, 2);
        break;
    case GATHER_IN_PLACE:
        st = hb_permute(t->engine, a, a, map);
        break;
    case EVEN_ELEMENT:
        st = hb_galois(t->engine, b, a, 2);
        break;
    case GALOIS_IN_PLACE:
        st = hb_galois(t->engine, a, a, 3);
        break;
    case TENSOR_SIZES:
    case SPREAD_COUNT:
    case SHORT_KEY:
    case FOREIGN_KEY:
        st = multiply_wrongly(t, which, a, b, key);
        break;
    case PLAIN_COUNT:
    case ROWS_APART:
    case NO_STEP:
    case WRONG_BORDER:
        st = call_with_wrong_constants(t, which, a);
        break;
    default:
        st = hb_add(t->engine, a, a, b);
    }
    (void)st;
}

static void test_wrong_shapes(void **state)
{
    (void)state;
    toy t;
    toy_open(&t, LOG_N, moduli, LIMBS, false);
    for (int which = 0; which < WRONG_CALLS; which++) {
        assert_aborts(call_wrongly, &t, which);
    }
    toy_close(&t);
}

HB_UNIT(engine)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_batches),
        cmocka_unit_test(test_transforms),  cmocka_unit_test(test_transforms_of_digits),
        cmocka_unit_test(test_digest_rows), cmocka_unit_test(test_fork),
        cmocka_unit_test(test_turns),       cmocka_unit_test(test_wrong_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
