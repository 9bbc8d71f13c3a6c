/* Why data that comes under another person's key has to be sanitized: the holder of the new key who encrypted some
 * ciphertexts under the old one knows the rounding of each, r, as he drew all of it but the secret. Their phases are
 * r_0 + r_1 s and what little the change of keys adds. He reads them under the new key: linear equations for the old
 * secret s, of which least squares at each root of X^N + 1 gives every coefficient. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reference/key_pair.h"
#include "rlwe/encrypt.h"
#include "scheme/evaluator.h"
#include "unit/unit.h"

enum { N = 1024, COUNT = 128 };
static const uint32_t bits[] = {30, 30, 60}; /* a special prime so long that the key adds roundings alone */

typedef struct world {
    key_pair old;
    int8_t ternary[N]; /* of the new pair */
    hb_secret_key secret;
    hb_public_key public_key;
    double angle[2 * N][2]; /* roots of unity */
} world;

static void open_world(world *w)
{
    const hb_seed root = {{99}}, seed = {{98}};
    key_pair_open(&w->old, N, bits, 3, 65537, 1, false);
    assert_int_equal(hb_secret_draw(w->old.engine, w->old.params, &root, w->ternary), HB_OK);
    assert_int_equal(hb_secret_key_load(&w->secret, w->old.engine, w->old.params, w->ternary), HB_OK);
    assert_int_equal(hb_public_key_generate(&w->public_key, &w->secret, &root, &seed), HB_OK);
    for (size_t i = 0; i < 2 * (size_t)N; i++) {
        w->angle[i][0] = cos(acos(-1) / N * (double)i);
        w->angle[i][1] = sin(acos(-1) / N * (double)i);
    }
}

static void close_world(world *w)
{
    hb_public_key_clear(&w->public_key);
    hb_secret_key_clear(&w->secret);
    key_pair_close(&w->old);
}

static double centred(uint64_t word, uint64_t q)
{
    return word > q / 2 ? -(double)(q - word) : (double)word;
}

/* Encryptions of zero under the old public key, by a root that their maker knows. */
static void encrypt(const world *w, hb_ciphertexts c, const hb_seed *root)
{
    hb_encryptor *encryptor;
    assert_int_equal(hb_encryptor_open(w->old.engine, NULL, &w->old.public_key, HB_GAUSSIAN, COUNT, &encryptor), HB_OK);
    assert_int_equal(
        hb_encrypt_zero(encryptor, hb_ciphertexts_component(c, 0), hb_ciphertexts_component(c, 1), NULL, root, 0),
        HB_OK);
    hb_encryptor_close(encryptor);
}

/* Finds by how much component 1, or 0, was rounded, over P: pk u + e modulo the special prime P, with the sign turned,
 * from the draws of the encryption. r: [COUNT][N] */
static void find_rounding(const world *w, const hb_seed *root, hb_batch pk, uint32_t purpose, double *r)
{
    hb_engine *e = w->old.engine;
    const hb_params *p = w->old.params;
    const uint16_t *special = p->ids + p->data_limbs;
    hb_batch u = key_pair_batch(&w->old, COUNT, 1, special);
    assert_int_equal(hb_sample_small(e, u, HB_TERNARY, (hb_draw){root, HB_DRAW_TERNARY, 0}), HB_OK);
    assert_int_equal(hb_ntt(e, u), HB_OK);
    assert_int_equal(hb_mul(e, u, u, hb_batch_limbs(e, pk, p->data_limbs, 1)), HB_OK);
    assert_int_equal(hb_intt(e, u), HB_OK);
    assert_int_equal(hb_add_small(e, u, HB_GAUSSIAN, (hb_draw){root, purpose, 0}, HB_PLUS), HB_OK);
    const uint64_t q = p->ring.moduli[*special].value;
    for (size_t i = 0; i < COUNT * (size_t)N; i++) {
        r[i] = -centred(u.data[i], q) / (double)q;
    }
    hb_batch_free(e, &u);
}

/* The phases under the new secret, which its holder reads. v: [COUNT][N] */
static void read_phases(const world *w, hb_ciphertexts c, double *v)
{
    hb_engine *e = w->old.engine;
    const hb_params *p = w->old.params;
    const uint32_t limbs = c.all.limbs;
    const hb_batch c0 = hb_ciphertexts_component(c, 0), c1 = hb_ciphertexts_component(c, 1);
    assert_int_equal(hb_ntt(e, c.all), HB_OK);
    assert_int_equal(hb_mul(e, c1, c1, hb_batch_limbs(e, w->secret.s, 0, limbs)), HB_OK);
    assert_int_equal(hb_add(e, c0, c0, c1), HB_OK);
    assert_int_equal(hb_intt(e, c0), HB_OK);
    for (size_t i = 0; i < COUNT * (size_t)N; i++) {
        v[i] = centred(c0.data[i / N * c0.stride + i % N], p->spec.primes[0]);
    }
}

/* The value of x at root k, an odd power. */
static void evaluate(const world *w, const double *x, size_t k, double value[2])
{
    value[0] = value[1] = 0;
    for (size_t j = 0, at = 0; j < N; j++, at = (at + k) & (2 * N - 1)) {
        value[0] += x[j] * w->angle[at][0];
        value[1] += x[j] * w->angle[at][1];
    }
}

/* s by least squares: at each root the sum of conj(r) (v - k) over that of |r|^2; v, k, r: [COUNT][N]. */
static void solve(const world *w, double *v, const double *k, const double *r, double *s)
{
    for (size_t i = 0; i < COUNT * (size_t)N; i++) {
        v[i] -= k[i];
    }
    for (size_t j = 0; j < N; j++) {
        s[j] = 0;
    }
    for (size_t root = 1; root < N; root += 2) {
        double top[2] = {0, 0}, below = 0, a[2], b[2];
        for (size_t i = 0; i < COUNT; i++) {
            evaluate(w, r + i * N, root, a);
            evaluate(w, v + i * N, root, b);
            top[0] += a[0] * b[0] + a[1] * b[1];
            top[1] += a[0] * b[1] - a[1] * b[0];
            below += a[0] * a[0] + a[1] * a[1];
        }
        for (size_t j = 0, at = 0; j < N; j++, at = (at + root) & (2 * N - 1)) { /* and the conjugate root */
            s[j] += 2 * (top[0] * w->angle[at][0] + top[1] * w->angle[at][1]) / below / N;
        }
    }
}

static size_t count_right(const world *w, const double *s)
{
    size_t right = 0;
    for (size_t j = 0; j < N; j++) {
        right += (long)lround(s[j]) == w->old.ternary[j];
    }
    return right;
}

/* All of the old secret is read, from ciphertexts that nobody sanitized. */
static void old_secret_is_read(void **state)
{
    (void)state;
    static world w;
    const hb_seed own = {{5, 5}}, root = {{6}};
    hb_ciphertexts c;
    hb_switch_key key;
    hb_evaluator *x;
    double *r[2], *v = calloc(COUNT * (size_t)N, sizeof *v), s[N];
    open_world(&w);
    const hb_params *p = w.old.params;
    const hb_evaluator_requirements requirements = {.limbs = p->data_limbs, .count = COUNT, .switching = true};
    assert_int_equal(hb_evaluator_open(w.old.engine, p, &requirements, &x), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&c, w.old.engine, p, 2, COUNT, p->data_limbs), HB_OK);
    assert_int_equal(hb_switch_key_encrypt(&key, &w.old.secret, &w.public_key, 0, &root), HB_OK);
    encrypt(&w, c, &own);
    assert_int_equal(hb_evaluator_change_key(x, c, c, &key), HB_OK);
    read_phases(&w, c, v);
    for (int i = 0; i < 2; i++) {
        r[i] = calloc(COUNT * (size_t)N, sizeof *r[i]);
        assert_non_null(r[i]);
        find_rounding(&w, &own, i == 0 ? w.old.public_key.b : w.old.public_key.a,
                      i == 0 ? HB_DRAW_ERROR_0 : HB_DRAW_ERROR_1, r[i]);
    }
    solve(&w, v, r[0], r[1], s);
    assert_int_equal(count_right(&w, s), N);
    /* Noise as large as sanitizing adds: what is left is guessing. */
    uint64_t random = 1;
    for (size_t i = 0; i < COUNT * (size_t)N; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        v[i] += (double)(random >> 34) - 0x1p29;
    }
    solve(&w, v, r[0], r[1], s);
    assert_true(count_right(&w, s) < N / 8);
    free(r[0]);
    free(r[1]);
    free(v);
    hb_switch_key_clear(&key);
    hb_batch_free(w.old.engine, &c.all);
    hb_evaluator_close(x);
    close_world(&w);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(change_key_attack)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_secret_is_read),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
