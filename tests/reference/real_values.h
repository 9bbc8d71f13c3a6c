/* Ciphertexts of reals with the numbers that they should hold, and with the bounds of their errors. Each operation acts
 * on all three. Slots are computed with in long doubles. */
#ifndef HB_TESTS_REAL_VALUES_H
#define HB_TESTS_REAL_VALUES_H

#include <math.h>
#include <string.h>

#include "check/fixture.h"
#include "ckks/error.h"
#include "ckks/presets.h"
#include "cpu/engine.h"
#include "rlwe/switch_keys.h"
#include "scheme/evaluator.h"
#include "scheme/quality.h"
#include "scheme/slots.h"

enum { MOST_REALS = 64 };

typedef struct real_world {
    hb_params *params;
    hb_engine *engine;
    hb_fixture f;
    size_t slots;
    uint64_t random, next; /* of ciphertexts */
    uint32_t reals;        /* made since real_world_forget, each with memory of its own */
    hb_batch *memory[2 * MOST_REALS];
    uint32_t memories;
} real_world;

/* A value. Its quality includes the error of encoding in doubles, but not that of decoding. */
typedef struct real {
    hb_ciphertexts c;
    long double *slots;
    hb_quality quality;
    hb_magnitude values;
    uint32_t node;             /* the same of values that have the same errors */
    uint8_t times[MOST_REALS]; /* how often a node is a factor of it */
    uint64_t terms;            /* bits: nodes of which it is a sum, whose errors cancel where they are subtracted */
} real;

static double real_random(real_world *w)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(w->random >> 11) * 0x1p-53;
}

static uint32_t real_choice(real_world *w, uint32_t below)
{
    return (uint32_t)(real_random(w) * below);
}

/* Returns a literal by the name of a preset, with another ring degree, or its own where n is 0; or, for the name
 * "two-primes", of levels that have two primes: the scale is as long as long doubles can tell errors of. */
static inline hb_params_spec real_spec(const char *preset, size_t n)
{
    const hb_ckks_chain two = {.first_bits = 47, .scale_bits = 66, .levels = 6, .special_limbs = 2};
    hb_params_spec spec = {.n = n, .security = {.level = 128}};
    if (strcmp(preset, "two-primes") == 0) {
        assert_int_equal(hb_ckks_find_chain(&spec, &two), HB_OK);
    } else {
        assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    }
    spec.n = n > 0 ? n : spec.n;
    spec.insecure = n > 0;
    return spec;
}

/* Opens parameters of a literal with keys for all that follows. */
static inline void real_world_open_spec(real_world *w, const hb_params_spec *spec, uint32_t seed)
{
    hb_seed root;
    memset(w, 0, sizeof *w);
    if (hb_params_open(spec, &w->params) != HB_OK) {
        fail_msg("%s", hb_last_error()->text);
    }
    assert_int_equal(hb_cpu_engine_open(&w->params->ring, &w->engine), HB_OK);
    memset(&root, (int)seed, sizeof root);
    assert_int_equal(hb_fixture_init(&w->f, w->engine, w->params, &root, 1), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&w->f, 32), HB_OK);
    w->slots = spec->n / 2;
    w->random = seed + 1;
    w->next = UINT64_C(1) << 40; /* the fixture has drawn others */
}

/* Opens parameters by their name, likewise (real_spec). */
static inline void real_world_open(real_world *w, const char *preset, size_t n, uint32_t seed)
{
    const hb_params_spec spec = real_spec(preset, n);
    real_world_open_spec(w, &spec, seed);
}

static inline void real_world_forget(real_world *w)
{
    for (uint32_t i = 0; i < w->memories; i++) {
        hb_batch_free(w->engine, w->memory[i]);
        free(w->memory[i]);
    }
    w->memories = w->reals = 0;
}

static inline void real_world_close(real_world *w)
{
    real_world_forget(w);
    hb_fixture_clear(&w->f);
    hb_engine_close(w->engine);
    hb_params_close(w->params);
}

static hb_batch *real_remember(real_world *w)
{
    hb_batch *batch = calloc(1, sizeof *batch);
    assert_true(batch != NULL && w->memories < sizeof w->memory / sizeof *w->memory);
    w->memory[w->memories++] = batch;
    return batch;
}

/* Ciphertexts, and the slots of a value, that are there until real_world_forget. */
static hb_ciphertexts real_room(real_world *w, uint32_t size, uint32_t limbs)
{
    hb_ciphertexts c;
    assert_int_equal(hb_ciphertexts_alloc(&c, w->engine, w->params, size, 1, limbs), HB_OK);
    *real_remember(w) = c.all;
    return c;
}

static real real_new(real_world *w, uint32_t limbs)
{
    real r = {.c = real_room(w, 2, limbs), .node = w->reals++};
    assert_true(r.node < MOST_REALS);
    r.terms = UINT64_C(1) << r.node;
    hb_batch *slots = real_remember(w);
    assert_int_equal(hb_batch_alloc(w->engine, slots, 4, 1, &w->params->common_id),
                     HB_OK); /* 16 bytes for each of N/2 */
    r.slots = (long double *)(void *)slots->data;
    return r;
}

static uint32_t real_limbs(const real *a)
{
    return a->c.all.limbs;
}

/* Returns whether no product of a has a level to go to, and the limbs of the level below. */
static inline bool real_is_lowest(const real_world *w, const real *a)
{
    return !hb_ckks_products_go_down(&w->params->spec, real_limbs(a));
}
static inline uint32_t real_below(const real_world *w, uint32_t limbs)
{
    return limbs - hb_params_level_limbs(w->params);
}

static hb_quality_factor real_factor(const real *a)
{
    return (hb_quality_factor){a->quality, 2, a->values, false};
}

static double real_scale(const real_world *w, uint32_t limbs)
{
    return hb_exact_scale_double(hb_ckks_scale(w->params, limbs));
}

/* Finds how large the slots are. */
static void real_measure_values(const real_world *w, real *a)
{
    long double most = 0, squares = 0, sum = 0;
    for (size_t i = 0; i < w->slots; i++) {
        most = fmaxl(most, fabsl(a->slots[i]));
        squares += a->slots[i] * a->slots[i];
        sum += a->slots[i];
    }
    const double bits = log2((double)most);
    a->values = (hb_magnitude){bits + 1e-9, log2((double)squares / (double)w->slots) / 2,
                               (double)(sum * sum / squares) / (double)w->slots, bits};
}

/* Factors of a product, as src/lang/analysis/factors.c has them. */
static void real_factors(real *r, const real *a, const real *b, bool product)
{
    for (uint32_t i = 0; i < MOST_REALS; i++) {
        r->times[i] = a->times[i] > b->times[i] ? a->times[i] : b->times[i];
    }
    if (product) {
        r->times[a->node]++;
        r->times[b->node] = (uint8_t)(r->times[b->node] + (a->node != b->node));
    }
}

/* r is a, without the parts that have no error. */
static void real_like(real *r, const real *a)
{
    memcpy(r->times, a->times, sizeof r->times);
    r->terms = a->terms;
}

static bool real_related(const real *a, const real *b)
{
    bool found = a->node == b->node || a->times[b->node] > 0 || b->times[a->node] > 0;
    for (uint32_t i = 0; i < MOST_REALS; i++) {
        found |= a->times[i] > 0 && b->times[i] > 0;
    }
    return found;
}

/* Plaintexts of the slots, for ciphertexts of these limbs. */
static hb_batch real_encode(real_world *w, const long double *slots, uint32_t limbs)
{
    hb_batch *plain = real_remember(w);
    assert_int_equal(hb_plaintexts_alloc(plain, w->engine, w->params, limbs, 1), HB_OK);
    double *values = (double *)(void *)w->f.values.data; /* the CPU engine's memory is the host's */
    for (size_t i = 0; i < w->slots; i++) {
        values[i] = (double)slots[i];
        values[w->slots + i] = 0;
    }
    assert_int_equal(hb_encode(w->f.codec, *plain, w->f.values), HB_OK);
    return *plain;
}

/* Numbers of one of four kinds: of either sign or none, up to their largest or near it. They are doubles. */
static void real_draw(real_world *w, long double *slots)
{
    const uint32_t kind = real_choice(w, 4);
    for (size_t i = 0; i < w->slots; i++) {
        const double u = real_random(w), sign = real_random(w) < 0.5 ? -1 : 1;
        const double drawn[] = {sign * u, u, sign * (0.5 + u / 2), sign * sqrt(u)};
        slots[i] = drawn[kind];
    }
}

/* Encrypts new numbers with either key. */
static inline real real_encrypted(real_world *w, bool public_key)
{
    const uint32_t limbs = w->params->data_limbs;
    real r = real_new(w, limbs);
    real_draw(w, r.slots);
    real_measure_values(w, &r);
    const hb_batch c0 = hb_ciphertexts_component(r.c, 0), c1 = hb_ciphertexts_component(r.c, 1);
    const hb_batch plain = real_encode(w, r.slots, limbs);
    hb_seed seed;
    if (public_key) {
        assert_int_equal(hb_encrypt(w->f.with_public, c0, c1, NULL, plain, &w->f.root, w->next++), HB_OK);
    } else {
        assert_int_equal(hb_encrypt(w->f.with_secret, c0, (hb_batch){0}, &seed, plain, &w->f.root, w->next++), HB_OK);
        assert_int_equal(hb_sample_uniform(w->engine, c1, &seed), HB_OK);
    }
    r.quality = hb_quality_fresh(w->params, public_key, HB_GAUSSIAN);
    r.quality = hb_quality_transformed(w->params, limbs, r.quality, r.values);
    return r;
}

/* Brings a to fewer limbs. */
static inline real real_adjust(real_world *w, const real *a, uint32_t limbs)
{
    if (real_limbs(a) == limbs) {
        return *a;
    }
    real r = *a;
    r.c = real_room(w, 2, limbs);
    assert_int_equal(hb_evaluator_adjust(w->f.evaluator, r.c, a->c), HB_OK);
    r.quality = hb_quality_adjust(w->params, real_limbs(a), real_factor(a), limbs);
    return r;
}

static inline real real_add(real_world *w, const real *a, const real *b, hb_sign sign)
{
    const uint32_t limbs = real_limbs(a) < real_limbs(b) ? real_limbs(a) : real_limbs(b);
    const real x = real_adjust(w, a, limbs), y = real_adjust(w, b, limbs);
    real r = real_new(w, limbs);
    for (size_t i = 0; i < w->slots; i++) {
        r.slots[i] = sign == HB_PLUS ? x.slots[i] + y.slots[i] : x.slots[i] - y.slots[i];
    }
    if (sign == HB_PLUS) {
        assert_int_equal(hb_evaluator_add(w->f.evaluator, r.c, x.c, y.c), HB_OK);
    } else {
        assert_int_equal(hb_evaluator_sub(w->f.evaluator, r.c, x.c, y.c), HB_OK);
    }
    real_factors(&r, &x, &y, false);
    r.terms = x.terms | y.terms;
    r.quality = a->slots == b->slots ? hb_quality_multiply_integer(w->params, x.quality, 2)
                                     : hb_quality_add(w->params, x.quality, y.quality);
    real_measure_values(w, &r);
    return r;
}

static inline real real_multiply(real_world *w, const real *a, const real *b)
{
    const uint32_t limbs = real_limbs(a) < real_limbs(b) ? real_limbs(a) : real_limbs(b);
    const real x = real_adjust(w, a, limbs), y = real_adjust(w, b, limbs);
    const hb_ciphertexts wide = real_room(w, 3, limbs);
    real r = real_new(w, real_below(w, limbs));
    for (size_t i = 0; i < w->slots; i++) {
        r.slots[i] = x.slots[i] * y.slots[i];
    }
    assert_int_equal(hb_evaluator_multiply(w->f.evaluator, wide, x.c, y.c), HB_OK);
    assert_int_equal(hb_evaluator_relinearize_rescale(w->f.evaluator, r.c, wide,
                                                      hb_switch_keys_find(&w->f.keys, HB_RELINEARIZATION)),
                     HB_OK);
    real_factors(&r, &x, &y, true);
    hb_quality_factor left = real_factor(&x), right = real_factor(&y);
    left.related = real_related(&x, &y);
    const hb_quality product = x.slots == y.slots ? hb_quality_square(w->params, limbs, left)
                                                  : hb_quality_multiply(w->params, limbs, left, right);
    r.quality = hb_quality_relinearize_rescale(w->params, limbs, product);
    real_measure_values(w, &r);
    return r;
}

/* Rescales `wide`, which has scale S^2 and memory of two components, by one level. */
static inline void real_rescale(real_world *w, real *r, hb_ciphertexts wide, hb_quality quality)
{
    assert_int_equal(hb_evaluator_mod_switch(w->f.evaluator, r->c, wide), HB_OK);
    r->quality = hb_quality_mod_switch(w->params, wide.all.limbs, quality, 2);
    real_measure_values(w, r);
}

static inline real real_multiply_number(real_world *w, const real *a, double number)
{
    const hb_ciphertexts wide = real_room(w, 2, real_limbs(a));
    real r = real_new(w, real_below(w, real_limbs(a)));
    for (size_t i = 0; i < w->slots; i++) {
        r.slots[i] = a->slots[i] * number;
    }
    assert_int_equal(hb_evaluator_multiply_number(w->f.evaluator, wide, a->c, number), HB_OK);
    real_like(&r, a);
    real_rescale(w, &r, wide, hb_quality_multiply_number(w->params, real_limbs(a), real_factor(a), number));
    return r;
}

static inline real real_multiply_plain(real_world *w, const real *a)
{
    const hb_ciphertexts wide = real_room(w, 2, real_limbs(a));
    real b = real_new(w, 1), r = real_new(w, real_below(w, real_limbs(a)));
    real_draw(w, b.slots);
    real_measure_values(w, &b);
    for (size_t i = 0; i < w->slots; i++) {
        r.slots[i] = a->slots[i] * b.slots[i];
    }
    assert_int_equal(hb_evaluator_multiply_plain(w->f.evaluator, wide, a->c, real_encode(w, b.slots, real_limbs(a))),
                     HB_OK);
    real_like(&r, a);
    real_rescale(w, &r, wide,
                 hb_quality_multiply_plain(w->params, real_limbs(a), real_factor(a), HB_FACTOR_ANY, b.values));
    return r;
}

static inline real real_add_number(real_world *w, const real *a, double number)
{
    real r = real_new(w, real_limbs(a));
    for (size_t i = 0; i < w->slots; i++) {
        r.slots[i] = a->slots[i] + number;
    }
    assert_int_equal(hb_evaluator_add_number(w->f.evaluator, r.c, a->c, number), HB_OK);
    real_like(&r, a);
    r.node = a->node;
    r.quality = hb_quality_add_number(w->params, a->quality);
    real_measure_values(w, &r);
    return r;
}

static inline real real_add_plain(real_world *w, const real *a)
{
    real b = real_new(w, 1), r = real_new(w, real_limbs(a));
    real_draw(w, b.slots);
    real_measure_values(w, &b);
    for (size_t i = 0; i < w->slots; i++) {
        r.slots[i] = a->slots[i] - b.slots[i];
    }
    assert_int_equal(hb_evaluator_copy(w->f.evaluator, r.c, a->c), HB_OK);
    assert_int_equal(hb_evaluator_add_plain(w->f.evaluator, r.c, real_encode(w, b.slots, real_limbs(a)), HB_MINUS),
                     HB_OK);
    real_like(&r, a);
    r.node = a->node;
    r.quality = hb_quality_transformed(w->params, real_limbs(a), hb_quality_add_plain(w->params, a->quality), b.values);
    real_measure_values(w, &r);
    return r;
}

/* By one slot, for which there is a key. The result is independent of other slots, except where all slots are equal. */
static inline real real_rotate(real_world *w, const real *a)
{
    real r = real_new(w, real_limbs(a));
    for (size_t i = 0; i < w->slots; i++) {
        r.slots[i] = a->slots[(i + 1) % w->slots];
    }
    assert_int_equal(hb_evaluator_rotate(w->f.evaluator, r.c, a->c, 1, &w->f.keys), HB_OK);
    r.terms |= a->terms;
    r.quality = hb_quality_switch(w->params, real_limbs(a), a->quality, HB_SWITCH_GALOIS);
    real_measure_values(w, &r);
    return r;
}

/* The sum of all slots in each of them. */
static inline real real_sum(real_world *w, const real *a)
{
    real total = real_new(w, real_limbs(a));
    long double sum = 0;
    for (size_t i = 0; i < w->slots; i++) {
        sum += a->slots[i];
    }
    for (size_t i = 0; i < w->slots; i++) {
        total.slots[i] = sum;
    }
    assert_int_equal(hb_evaluator_copy(w->f.evaluator, total.c, a->c), HB_OK);
    assert_int_equal(hb_evaluator_sum_slots(w->f.evaluator, total.c, &w->f.keys), HB_OK);
    total.terms |= a->terms;
    total.quality = hb_quality_sum_slots(w->params, real_limbs(a), a->quality);
    real_measure_values(w, &total);
    return total;
}

/* Takes the doubles nearest to the slots off a plaintext, and returns them: of wide scales these cannot tell the error.
 * Host memory, of the world. */
static inline const long double *real_nearest(real_world *w, const real *a, hb_batch plain)
{
    long double *nearest = (long double *)(void *)real_new(w, 1).slots;
    const bool wide = hb_ckks_is_wide(&w->params->spec);
    for (size_t i = 0; i < w->slots; i++) {
        nearest[i] = wide ? (double)a->slots[i] : 0;
    }
    if (wide) {
        assert_int_equal(hb_sub(w->engine, plain, plain, real_encode(w, nearest, real_limbs(a))), HB_OK);
    }
    return nearest;
}

/* Errors of slots, as they are decoded. */
typedef struct real_errors {
    double largest, mean; /* magnitude; root of the mean square */
    hb_precision told;    /* by the imaginary parts alone */
} real_errors;

static inline real_errors real_measure(real_world *w, const real *a)
{
    const uint32_t limbs = real_limbs(a);
    hb_batch *phase = real_remember(w), *plain = real_remember(w), *rest = real_remember(w);
    hb_decryptor *decryptor;
    real_errors found = {0};
    assert_int_equal(hb_batch_alloc(w->engine, phase, 1, limbs, w->params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, rest, 1, limbs, w->params->ids), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(plain, w->engine, w->params, limbs, 1), HB_OK);
    assert_int_equal(hb_decryptor_open(w->engine, &w->f.secret, limbs, 1, &decryptor), HB_OK);
    assert_int_equal(hb_copy(w->engine, *rest, hb_ciphertexts_component(a->c, 1)), HB_OK);
    assert_int_equal(hb_phase(decryptor, *phase, hb_ciphertexts_component(a->c, 0), *rest), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, *plain, *phase), HB_OK);
    const long double *nearest = real_nearest(w, a, *plain);
    assert_int_equal(hb_decode(w->f.codec, w->f.values, *plain), HB_OK);
    hb_decryptor_close(decryptor);
    const double *values = (const double *)(const void *)w->f.values.data;
    for (size_t i = 0; i < w->slots; i++) {
        const double error = hypot((double)(values[i] + nearest[i] - a->slots[i]), values[w->slots + i]);
        found.largest = fmax(found.largest, error);
        found.mean += error * error;
    }
    found.mean = sqrt(found.mean / (double)w->slots);
    assert_true(hb_quality_of_values(&w->params->spec, w->f.values.data,
                                     (hb_filled_slots){.rows = w->slots, .columns = 1, .stride = 1}, &found.told));
    return found;
}

#endif
