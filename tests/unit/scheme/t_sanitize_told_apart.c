/* Two computations of the same values, which the owner of the key can tell apart, cannot be told apart behind
 * sanitizing: neither by the noise of coefficients nor by slots that are no cell. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/sanitize_world.h"
#include "unit/unit.h"

enum { MANY = 1000, CELLS = 700, FACTOR = 100 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The statistic of Kolmogorov and Smirnov, times the root of half the count. */
static double kolmogorov(double *a, double *b, size_t count)
{
    double most = 0;
    qsort(a, count, sizeof *a, by_size);
    qsort(b, count, sizeof *b, by_size);
    for (size_t i = 0, j = 0; i < count && j < count;) {
        const double at = fmin(a[i], b[j]);
        for (; i < count && a[i] <= at; i++) {
        }
        for (; j < count && b[j] <= at; j++) {
        }
        most = fmax(most, fabs((double)i - (double)j));
    }
    return most / (double)count * sqrt((double)count / 2);
}

/* The integer nearest to 0 with the residues at, at + n, of one or two limbs of the chain. */
static double centred(const hb_params *p, const uint64_t *at, uint32_t limbs)
{
    const uint64_t q = p->ring.moduli[p->ids[0]].value, r = p->ring.moduli[p->ids[limbs - 1]].value;
    slow_wide x = at[0], all = q;
    if (limbs == 2) {
        const uint64_t off = (at[p->spec.n] % r + r - at[0] % r) % r;
        x += (slow_wide)q * slow_mul(off, slow_pow(q % r, r - 2, r), r);
        all *= r;
    }
    return x > all / 2 ? -(double)(all - x) : (double)x;
}

/* Takes what the owner of the key sees: the noise of every coefficient, and values of slots that are no cell. */
static void look(const joint_world *w, hb_ciphertexts c, double *noise, double *strays)
{
    const hb_params *p = w->params;
    const size_t n = p->spec.n;
    const uint32_t limbs = c.all.limbs;
    uint64_t *values = malloc(MANY * n * sizeof *values);
    hb_ciphertexts less;
    hb_codec *codec;
    hb_evaluator *x;
    hb_decryptor *d;
    hb_batch plain, v, phase, c1;
    (void)decrypt(w, c, HB_ENCODE_SLOTS, values);
    for (size_t i = 0; i < MANY; i++) {
        for (size_t k = CELLS; k < n; k++) {
            strays[i * (n - CELLS) + k - CELLS] = (double)values[i * n + k];
        }
    }
    /* The phase less the message. */
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = MANY};
    assert_int_equal(hb_evaluator_open(w->engine, p, &requirements, &x), HB_OK);
    assert_int_equal(hb_codec_open(w->engine, p, HB_ENCODE_SLOTS, &codec), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&less, w->engine, p, 2, MANY, limbs), HB_OK);
    assert_int_equal(hb_values_alloc(&v, w->engine, p, MANY), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, p, limbs, MANY), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &phase, MANY, limbs, p->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &c1, MANY, limbs, p->ids), HB_OK);
    assert_int_equal(hb_decryptor_open(w->engine, &w->sum, limbs, MANY, &d), HB_OK);
    memcpy(v.data, values, MANY * n * sizeof *values);
    assert_int_equal(hb_encode(codec, plain, v), HB_OK);
    assert_int_equal(hb_evaluator_copy(x, less, c), HB_OK);
    assert_int_equal(hb_evaluator_add_plain(x, less, plain, HB_MINUS), HB_OK);
    assert_int_equal(hb_copy(w->engine, c1, hb_ciphertexts_component(less, 1)), HB_OK);
    assert_int_equal(hb_phase(d, phase, hb_ciphertexts_component(less, 0), c1), HB_OK);
    for (size_t i = 0; i < MANY * n; i++) {
        noise[i] = centred(p, phase.data + i / n * phase.stride + i % n, limbs);
    }
    hb_decryptor_close(d);
    hb_batch_free(w->engine, &phase);
    hb_batch_free(w->engine, &c1);
    hb_batch_free(w->engine, &plain);
    hb_batch_free(w->engine, &v);
    hb_batch_free(w->engine, &less.all);
    hb_codec_close(codec);
    hb_evaluator_close(x);
    free(values);
}

/* The values FACTOR x in cells: encrypted, or x times FACTOR; elsewhere other ones. */
static sealed compute(const joint_world *w, bool multiplied)
{
    const hb_params *p = w->params;
    const size_t n = p->spec.n;
    uint64_t *values = malloc(MANY * n * sizeof *values), seed = 11;
    for (size_t i = 0; i < MANY * n; i++) {
        const uint64_t x = slow_random(&seed) % 1000;
        values[i] = i % n >= CELLS ? (multiplied ? x : 5 * x) : multiplied ? x : FACTOR * x;
    }
    sealed a = encrypt(w, values, MANY, HB_ENCODE_SLOTS, multiplied ? 21 : 22);
    free(values);
    if (multiplied) {
        const hb_evaluator_requirements requirements = {.limbs = p->data_limbs, .count = MANY};
        hb_evaluator *x;
        assert_int_equal(hb_evaluator_open(w->engine, p, &requirements, &x), HB_OK);
        assert_int_equal(hb_evaluator_multiply_integer(x, a.c, a.c, FACTOR), HB_OK);
        hb_evaluator_close(x);
    }
    a.noise = hb_quality_multiply_integer(p, a.noise, FACTOR); /* a bound of both */
    return a;
}

static void computations_cannot_be_told_apart(void **state)
{
    (void)state;
    static const joint_chain chain = {1024, {58, 58, 59}, 3, 12289};
    joint_world w;
    joint_world_open(&w, &chain, 1, 6);
    joint_make_keys(&w);
    const hb_params *p = w.params;
    const size_t n = p->spec.n, all = MANY * n, beside = MANY * (n - CELLS);
    double *noise[2], *strays[2];
    hb_filled_slots cells[MANY];
    hb_sanitize_plan plan;
    for (size_t i = 0; i < MANY; i++) {
        cells[i] = (hb_filled_slots){CELLS, 1, 1};
    }
    for (int sanitized = 0; sanitized < 2; sanitized++) {
        for (int k = 0; k < 2; k++) {
            sealed a = compute(&w, k == 1);
            hb_ciphertexts c = a.c;
            noise[k] = malloc(all * sizeof *noise[k]);
            strays[k] = malloc(beside * sizeof *strays[k]);
            assert_true(noise[k] != NULL && strays[k] != NULL);
            if (sanitized == 1) {
                assert_int_equal(
                    hb_sanitize_plan_make(p, p->data_limbs, a.noise, (hb_sanitize_request){MANY, 40, 2}, &plan), HB_OK);
                c = sanitize(&w, &a, HB_ENCODE_SLOTS, &plan, cells, (uint8_t)(30 + k));
            }
            look(&w, c, noise[k], strays[k]);
            hb_batch_free(w.engine, &a.c.all);
        }
        const double of_noise = kolmogorov(noise[0], noise[1], all),
                     of_strays = kolmogorov(strays[0], strays[1], beside);
        if (sanitized == 1) {
            assert_true(of_noise < 1.95 && of_strays < 1.95); /* 0.1 % of equal distributions exceed it */
        } else {
            assert_true(of_noise > 100 && of_strays > 100);
        }
        for (int k = 0; k < 2; k++) {
            free(noise[k]);
            free(strays[k]);
        }
    }
    joint_world_close(&w);
}

HB_UNIT(sanitize_told_apart)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computations_cannot_be_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
