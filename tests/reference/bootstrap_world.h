/* Bootstrapping on any engine: keys, values of many kinds, bootstraps of them, and the distance of the slots from the
 * expected values. */
#ifndef HB_TESTS_BOOTSTRAP_WORLD_H
#define HB_TESTS_BOOTSTRAP_WORLD_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/fixture.h"
#include "ckks/params.h"
#include "scheme/bootstrap.h"
#include "scheme/quality.h"

typedef struct bootstrap_world {
    hb_params *params;
    hb_engine *engine; /* closed with it */
    hb_fixture f;
    hb_evaluator *ev;
    hb_bootstrap *bootstrap;
    hb_decryptor *decryptor; /* of results */
    hb_ciphertexts a[2], r[2];
    hb_batch fresh, rest, phase, plain; /* fresh: two components at the highest level that users have */
    double *host;                       /* [N]: real parts, then imaginary ones */
    uint64_t random, next;              /* of ciphertexts */
    size_t slots;
    bool twice;
} bootstrap_world;

/* Opens it for a literal and an engine of its ring, which it takes over whatever happens; ranges: [ranges], host. */
static inline hb_status bootstrap_world_open(bootstrap_world *w, hb_params *params, hb_engine *engine,
                                             const hb_bootstrap_spec *spec)
{
    const hb_evaluator_requirements requirements = {
        .limbs = params->data_limbs, .count = 2 * spec->count, .switching = true};
    const hb_seed root = {{7}};
    *w = (bootstrap_world){
        .params = params, .engine = engine, .slots = params->ring.n / 2, .random = 1, .twice = spec->twice};
    w->host = malloc(params->ring.n * sizeof *w->host);
    if (w->host == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for slots");
    }
    HB_TRY(hb_fixture_init(&w->f, engine, params, &root, 1));
    HB_TRY(hb_fixture_add_bootstrap_keys(&w->f));
    HB_TRY(hb_evaluator_open(engine, params, &requirements, &w->ev));
    HB_TRY(hb_bootstrap_open(engine, params, spec, &w->bootstrap));
    HB_TRY(hb_decryptor_open(engine, &w->f.secret, w->bootstrap->result_limbs, 1, &w->decryptor));
    for (int i = 0; i < 2; i++) {
        HB_TRY(hb_ciphertexts_alloc(&w->a[i], engine, params, 2, 1, w->bootstrap->limbs));
        HB_TRY(hb_ciphertexts_alloc(&w->r[i], engine, params, 2, 1, w->bootstrap->result_limbs));
    }
    HB_TRY(hb_batch_alloc(engine, &w->fresh, 2, params->fresh_limbs, params->ids));
    HB_TRY(hb_batch_alloc(engine, &w->phase, 1, w->bootstrap->result_limbs, params->ids));
    HB_TRY(hb_batch_alloc(engine, &w->rest, 1, w->bootstrap->result_limbs, params->ids));
    return hb_plaintexts_alloc(&w->plain, engine, params, w->bootstrap->result_limbs, 1);
}

static inline void bootstrap_world_close(bootstrap_world *w)
{
    if (w->engine != NULL) {
        hb_batch *const batches[] = {&w->a[0].all, &w->a[1].all, &w->r[0].all, &w->r[1].all,
                                     &w->fresh,    &w->phase,    &w->rest,     &w->plain};
        for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
            hb_batch_free(w->engine, batches[i]);
        }
        hb_decryptor_close(w->decryptor);
        hb_bootstrap_close(w->bootstrap);
        hb_evaluator_close(w->ev);
        hb_fixture_clear(&w->f);
    }
    hb_engine_close(w->engine);
    hb_params_close(w->params);
    free(w->host);
}

static inline double bootstrap_random(bootstrap_world *w)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(w->random >> 11) * 0x1p-53;
}

typedef enum bootstrap_data {
    BOOTSTRAP_RANDOM,
    BOOTSTRAP_CONSTANT,
    BOOTSTRAP_ALTERNATING,
    BOOTSTRAP_EXTREME,
    BOOTSTRAP_HALF_ONES,
    BOOTSTRAP_ALIGNED,
    BOOTSTRAP_DATA
} bootstrap_data;

static const char *const bootstrap_data_names[BOOTSTRAP_DATA] = {"random",  "constant",  "alternating",
                                                                 "extreme", "half ones", "aligned"};

/* Where values are drawn: reals, complex ones with parts within 1, and such of a modulus within 1. */
typedef enum bootstrap_draws { BOOTSTRAP_REALS, BOOTSTRAP_SQUARE, BOOTSTRAP_DISC } bootstrap_draws;

/* Returns the draws that a kind takes. */
static inline bootstrap_draws bootstrap_draws_of(hb_bootstrap_kind kind)
{
    return kind == HB_BOOTSTRAP_COMPLEX  ? BOOTSTRAP_SQUARE
           : kind == HB_BOOTSTRAP_LOWEST ? BOOTSTRAP_DISC
                                         : BOOTSTRAP_REALS;
}

/* Values of that kind within 1; aligned ones are the slots of X, a polynomial with one coefficient of their modulus.
 * values: [N], host. */
static inline void bootstrap_draw(bootstrap_world *w, double *values, bootstrap_data data, bootstrap_draws draws)
{
    size_t power = 1; /* of the root in a slot, modulo 2 N */
    for (size_t i = 0; i < 2 * w->slots; i++) {
        const size_t slot = i % w->slots;
        const double u = 2 * bootstrap_random(w) - 1, angle = acos(-1) * (double)power / (2 * (double)w->slots);
        power = power * hb_ckks_generator(&w->params->spec) % (4 * w->slots);
        const double drawn[BOOTSTRAP_DATA] = {u,
                                              1,
                                              slot % 2 == 0 ? 1 : -1,
                                              u < 0 ? -1 : 1,
                                              slot < w->slots / 2 ? 1 : 0,
                                              i < w->slots ? cos(angle) : sin(angle)};
        const double size = draws == BOOTSTRAP_DISC && data != BOOTSTRAP_ALIGNED ? sqrt(0.5) : 1;
        values[i] = draws == BOOTSTRAP_REALS && i >= w->slots ? 0 : size * drawn[data];
    }
}

/* Encrypts values, times 2^bits, at the level where bootstrapping begins. */
static inline hb_status bootstrap_encrypt(bootstrap_world *w, hb_ciphertexts a, const double *values, int bits)
{
    const hb_batch c0 = hb_batch_slice(w->fresh, 0, 1), c1 = hb_batch_slice(w->fresh, 1, 1);
    hb_seed seed;
    for (size_t i = 0; i < 2 * w->slots; i++) {
        w->host[i] = ldexp(values[i], bits);
    }
    HB_TRY(hb_upload(w->engine, w->f.values.data, w->host, 2 * w->slots * sizeof *w->host));
    HB_TRY(hb_encode(w->f.codec, w->f.plain, w->f.values));
    HB_TRY(hb_encrypt(w->f.with_secret, c0, (hb_batch){0}, &seed, w->f.plain, &w->f.root, w->next++));
    HB_TRY(hb_sample_uniform(w->engine, c1, &seed));
    HB_TRY(hb_evaluator_adjust(w->ev, a, (hb_ciphertexts){w->fresh, 2, HB_NTT_FORM}));
    return hb_finish(w->engine);
}

/* The error of such a ciphertext. */
static inline hb_quality_factor bootstrap_operand(const bootstrap_world *w, int bits)
{
    const hb_magnitude values = {bits, bits, 0, bits};
    hb_quality_factor a = {hb_quality_fresh(w->params, false, HB_GAUSSIAN), 2, values, false};
    a.quality = hb_quality_transformed(w->params, w->params->fresh_limbs, a.quality, values);
    a.quality = hb_quality_adjust(w->params, w->params->fresh_limbs, a, w->bootstrap->limbs);
    return a;
}

/* The bounds of the result. */
static inline hb_status bootstrap_bound(const bootstrap_world *w, hb_bootstrap_kind kind, uint32_t range_bits,
                                        hb_quality *bound)
{
    const hb_quality_factor a = bootstrap_operand(w, (int)range_bits);
    return hb_quality_bootstrap(w->params, kind, range_bits, w->twice, a, bound);
}

/* Leaves the slots of a result over 2^bits in w->host. */
static inline hb_status bootstrap_decrypt(bootstrap_world *w, hb_ciphertexts r, int bits)
{
    HB_TRY(hb_copy(w->engine, w->rest, hb_ciphertexts_component(r, 1)));
    HB_TRY(hb_phase(w->decryptor, w->phase, hb_ciphertexts_component(r, 0), w->rest));
    HB_TRY(hb_decrypt(w->decryptor, w->plain, w->phase));
    HB_TRY(hb_decode(w->f.codec, w->f.values, w->plain));
    HB_TRY(hb_download(w->engine, w->host, w->f.values.data, 2 * w->slots * sizeof *w->host));
    HB_TRY(hb_finish(w->engine));
    for (size_t i = 0; i < 2 * w->slots; i++) {
        w->host[i] = ldexp(w->host[i], -bits);
    }
    return HB_OK;
}

/* Errors of slots: bits of the largest and of the root of the mean square, and how many have each whole number of bits,
 * the last one that and more. */
enum { BOOTSTRAP_BINS = 40 };
typedef struct bootstrap_errors {
    double largest, mean;
    uint64_t bins[BOOTSTRAP_BINS];
} bootstrap_errors;

/* For reals the real parts alone count. */
static inline bootstrap_errors bootstrap_measure(const bootstrap_world *w, const double *values, bool real)
{
    bootstrap_errors found = {0};
    double largest = 0, squares = 0;
    for (size_t i = 0; i < w->slots; i++) {
        const double re = w->host[i] - values[i], im = real ? 0 : w->host[w->slots + i] - values[w->slots + i];
        const double error = hypot(re, im), bits = error > 0 ? -log2(error) : BOOTSTRAP_BINS;
        largest = fmax(largest, error);
        squares += error * error;
        found.bins[bits < 0 ? 0 : bits >= BOOTSTRAP_BINS ? BOOTSTRAP_BINS - 1 : (size_t)bits]++;
    }
    found.largest = -log2(largest);
    found.mean = -log2(squares / (double)w->slots) / 2;
    return found;
}

#endif
