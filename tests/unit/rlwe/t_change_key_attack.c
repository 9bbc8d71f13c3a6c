/* Why data that comes under another person's key has to be sanitized: the holder of the new key who encrypted some
 * ciphertexts under the old one knows the rounding of each, r, as he drew all of it but the secret. Their phases are
 * r_0 + r_1 s and what little the change of keys adds. He reads them under the new key: linear equations for the old
 * secret s, of which least squares at each root of X^N + 1 gives every coefficient. Sanitized under the new key, the
 * same ciphertexts tell him nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reference/key_pair.h"
#include "reference/slow.h"
#include "rlwe/encrypt.h"
#include "scheme/evaluator.h"
#include "scheme/quality.h"
#include "scheme/sanitize.h"
#include "unit/unit.h"

enum { N = 1024, COUNT = 128 };
static const uint32_t bits[] = {30, 30, 30, 60}; /* a special prime so long that the key adds roundings alone */

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
    key_pair_open(&w->old, N, bits, sizeof bits / sizeof *bits, 65537, 1, false);
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

/* An integer below 2^89 in magnitude from its residues modulo the first primes, place i of polynomials. */
static double integer(const hb_params *p, hb_batch c, size_t i)
{
    slow_wide x = 0, product = 1;
    for (uint32_t l = 0; l < c.limbs; l++) {
        const uint64_t q = p->spec.primes[l], residue = c.data[i / N * c.stride + l * N + i % N],
                       have = (uint64_t)(x % q), inverse = slow_pow((uint64_t)(product % q), q - 2, q);
        x += product * slow_mul(residue >= have ? residue - have : residue + (q - have), inverse, q);
        product *= q;
    }
    return x > product / 2 ? -(double)(product - x) : (double)x;
}

/* The phases under the new secret, which its holder reads. v: [COUNT][N] */
static void read_phases(const world *w, hb_ciphertexts c, double *v)
{
    hb_engine *e = w->old.engine;
    const hb_batch c0 = hb_ciphertexts_component(c, 0), c1 = hb_ciphertexts_component(c, 1);
    assert_int_equal(hb_ntt(e, c.all), HB_OK);
    assert_int_equal(hb_mul(e, c1, c1, hb_batch_limbs(e, w->secret.s, 0, c.all.limbs)), HB_OK);
    assert_int_equal(hb_add(e, c0, c0, c1), HB_OK);
    assert_int_equal(hb_intt(e, c0), HB_OK);
    for (size_t i = 0; i < COUNT * (size_t)N; i++) {
        v[i] = integer(w->old.params, c0, i);
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
        right += (long)lround(fmin(fmax(s[j], -N), N)) == w->old.ternary[j];
    }
    return right;
}

/* The correlation of what was found with the old secret: 1 where it is that, some 1 / sqrt(N) where it is unrelated. */
static double correlation(const world *w, const double *s)
{
    double both = 0, found = 0, real = 0;
    for (size_t j = 0; j < N; j++) {
        both += s[j] * w->old.ternary[j];
        found += s[j] * s[j];
        real += (double)w->old.ternary[j] * w->old.ternary[j];
    }
    return both / sqrt(found * real);
}

/* Encryptions of zero by the holder of the new key, under it; r[i]: how component i was rounded, [COUNT][N], which the
 * caller frees. */
static void move(const world *w, hb_ciphertexts *c, double *r[2])
{
    const hb_seed own = {{5, 5}}, root = {{6}};
    const hb_params *p = w->old.params;
    const hb_evaluator_requirements requirements = {.limbs = p->data_limbs, .count = COUNT, .switching = true};
    hb_switch_key key;
    hb_evaluator *x;
    assert_int_equal(hb_evaluator_open(w->old.engine, p, &requirements, &x), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(c, w->old.engine, p, 2, COUNT, p->data_limbs), HB_OK);
    assert_int_equal(hb_switch_key_encrypt(&key, &w->old.secret, &w->public_key, 0, &root), HB_OK);
    encrypt(w, *c, &own);
    assert_int_equal(hb_evaluator_change_key(x, *c, *c, &key), HB_OK);
    for (int i = 0; i < 2; i++) {
        r[i] = calloc(COUNT * (size_t)N, sizeof *r[i]);
        assert_non_null(r[i]);
        find_rounding(w, &own, i == 0 ? w->old.public_key.b : w->old.public_key.a,
                      i == 0 ? HB_DRAW_ERROR_0 : HB_DRAW_ERROR_1, r[i]);
    }
    hb_switch_key_clear(&key);
    hb_evaluator_close(x);
}

/* How ciphertexts under the new key are changed. */
typedef enum cleaning { NOTHING, ZERO, ALL, CLEANINGS } cleaning;

/* Sanitizes as rekey does it, or adds the encryption of zero alone. All slots hold cells, whose values he knows, and no
 * limb is dropped in the end: nothing but that hides anything from him. */
static void sanitize(const world *w, hb_ciphertexts c, cleaning how)
{
    const hb_params *p = w->old.params;
    const hb_quality noise =
        hb_quality_switch(p, p->data_limbs, hb_quality_fresh(p, true, HB_GAUSSIAN), HB_SWITCH_REKEY);
    const hb_sanitize_request request = {COUNT, how == ALL ? HB_SANITIZE_BITS : 0, HB_SANITIZE_LEAVE};
    const hb_seed root = {{7, 7, 7}};
    hb_sanitize_plan plan;
    hb_sanitizer *x;
    hb_filled_slots cells[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        cells[i] = (hb_filled_slots){1, N, N};
    }
    assert_int_equal(hb_sanitize_plan_make(p, p->data_limbs, noise, request, &plan), HB_OK);
    assert_int_equal(plan.limbs, p->data_limbs); /* so that nothing else changes the phases */
    plan.to = plan.limbs;
    assert_int_equal(hb_sanitizer_open(w->old.engine, &w->public_key, HB_ENCODE_COEFFICIENTS, &plan, COUNT, &x), HB_OK);
    assert_int_equal(hb_sanitize(x, c, c, cells, &root, 0), HB_OK);
    hb_sanitizer_close(x);
}

/* All of the old secret is read from ciphertexts that nobody sanitized, also where an encryption of zero alone was
 * added; and nothing where they were sanitized. */
static void old_secret_is_read(void **state)
{
    (void)state;
    static world w;
    double *v = calloc(COUNT * (size_t)N, sizeof *v), s[N], related[CLEANINGS];
    size_t right[CLEANINGS];
    assert_non_null(v);
    open_world(&w);
    for (int how = NOTHING; how < CLEANINGS; how++) {
        hb_ciphertexts c;
        double *r[2];
        move(&w, &c, r);
        if (how != NOTHING) {
            sanitize(&w, c, (cleaning)how);
        }
        read_phases(&w, c, v);
        solve(&w, v, r[0], r[1], s);
        right[how] = count_right(&w, s);
        related[how] = correlation(&w, s);
        free(r[0]);
        free(r[1]);
        hb_batch_free(w.old.engine, &c.all);
    }
    if (right[NOTHING] != N || related[NOTHING] < 0.9 || right[ZERO] != N || right[ALL] >= N / 8 ||
        fabs(related[ALL]) > 5 / sqrt(N)) {
        fail_msg("of %d coefficients right %zu, %zu, %zu; correlations %g, %g, %g", (int)N, right[NOTHING], right[ZERO],
                 right[ALL], related[NOTHING], related[ZERO], related[ALL]);
    }
    free(v);
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
