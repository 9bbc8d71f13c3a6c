/* Ciphertexts of integers beside what they hold, on any engine (members.h), for programs of random operations: the
 * polynomial modulo t, computed on the host by definition, and the bound of the noise. Every step is decrypted and
 * measured. */
#ifndef HB_TESTS_INT_WORLD_H
#define HB_TESTS_INT_WORLD_H

#include "base/modarith.h"
#include "bfv/noise.h"
#include "reference/members.h"
#include "reference/slow.h"
#include "ring/galois.h"
#include "rlwe/bounds.h"
#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"

enum { INT_N = 1024, INT_VALUES = 4, INT_GALOIS = 3 };

/* Ways to a fresh ciphertext: with the secret key, with the public one, and with another secret key. */
typedef enum int_way { INT_BY_SECRET, INT_BY_PUBLIC, INT_BY_OTHER, INT_WAYS } int_way;

typedef struct int_value {
    hb_ciphertexts c; /* in memory for three components at the users' level */
    hb_batch memory;
    hb_quality noise;
    uint64_t message[INT_N];
} int_value;

typedef struct int_world {
    side *s;
    const hb_params *params;
    uint64_t t, state, encryptions;
    hb_seed root;
    hb_secret_key secret, other; /* other: of ciphertexts that come under the secret */
    hb_public_key public_key;
    hb_switch_keys keys;
    uint32_t elements[INT_GALOIS]; /* of single automorphisms */
    hb_evaluator *ev;
    hb_encryptor *encryptor[INT_WAYS];
    hb_batch plain;
    int_value value[INT_VALUES], made, wide;
} int_world;

static inline uint64_t int_draw(int_world *w, uint64_t below)
{
    return slow_random(&w->state) % below;
}

/* --- polynomials modulo t */

static inline void int_poly_multiply(uint64_t *r, const uint64_t *a, const uint64_t *b, uint64_t t)
{
    uint64_t product[INT_N];
    for (size_t k = 0; k < INT_N; k++) {
        hb_u128 plus = 0, minus = 0; /* t is below 2^58 */
        for (size_t i = 0; i < INT_N; i++) {
            const hb_u128 term = (hb_u128)a[i] * b[(k + INT_N - i) % INT_N];
            plus += i <= k ? term : 0;
            minus += i <= k ? 0 : term;
        }
        product[k] = (uint64_t)((plus % t + t - minus % t) % t);
    }
    memcpy(r, product, sizeof product);
}

static inline void int_poly_automorphism(uint64_t *r, const uint64_t *a, uint32_t element, uint64_t t)
{
    for (size_t i = 0; i < INT_N; i++) {
        const size_t at = i * element % (2 * INT_N);
        r[at % INT_N] = at < INT_N ? a[i] : (t - a[i]) % t;
    }
}

/* --- opening */

static inline hb_status int_add_key_for(int_world *w, hb_key_purpose purpose)
{
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_switch_key key = {0};
    hb_key_purpose_root(&root, &w->root, &purpose);
    hb_seed_public(seeds, HB_MAX_LIMBS, &root, 0);
    HB_TRY(hb_switch_key_generate_for(&key, &w->secret, &purpose, &root, seeds));
    const hb_status st = hb_switch_keys_add(&w->keys, &key);
    hb_switch_key_clear(&key);
    return st;
}

static inline hb_status int_add_key(int_world *w, uint32_t element, uint32_t limbs)
{
    hb_key_purpose purpose = hb_key_purpose_of(&w->params->spec, element);
    purpose.limbs = limbs;
    return int_add_key_for(w, purpose);
}

/* Keys of users and of maps serve alike: some are for the users' level, some for higher ones, some for all. */
static inline hb_status int_add_keys(int_world *w)
{
    const uint32_t fresh = w->params->fresh_limbs, data = w->params->data_limbs;
    const uint32_t limbs[] = {fresh, data, fresh + 1, (fresh + data) / 2};
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_galois_sum_steps(INT_N, steps);
    HB_TRY(int_add_key(w, HB_RELINEARIZATION, fresh));
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(int_add_key(w, hb_galois_rotation(INT_N, 3, steps[i]), limbs[i % 4]));
    }
    HB_TRY(int_add_key(w, hb_galois_swap(INT_N), fresh));
    HB_TRY(int_add_key_for(w, (hb_key_purpose){.source = HB_FROM_SECRET, .limbs = fresh, .other = &w->other}));
    w->elements[0] = hb_galois_rotation(INT_N, 3, steps[0]);
    w->elements[1] = hb_galois_rotation(INT_N, 3, steps[3]);
    w->elements[2] = hb_galois_swap(INT_N);
    return HB_OK;
}

static inline hb_status int_value_open(int_world *w, int_value *v)
{
    const uint32_t limbs = w->params->fresh_limbs;
    v->memory = take(w->s, 3, limbs, w->params->ids, 0);
    v->c =
        hb_ciphertexts_view((hb_ciphertexts){v->memory, 3, HB_COEFFICIENT_FORM}, w->s->engine, w->params, 2, 1, limbs);
    return HB_OK;
}

/* A zeroed world; closed also after a failure. */
static inline hb_status int_world_open(int_world *w, side *s, uint64_t seed)
{
    const hb_params *p = s->params;
    const hb_evaluator_requirements requirements = {
        .limbs = p->fresh_limbs, .count = 1, .size = 2, .switching = true, .hoisting = true, .plain_factors = true};
    HB_ASSERT(p->ring.n == INT_N);
    w->s = s;
    w->params = p;
    w->t = p->spec.bfv.plain;
    w->state = seed;
    w->root = (hb_seed){{(uint8_t)seed, 7}};
    hb_seed public_seed;
    hb_seed_derive(&public_seed, &w->root, "public key");
    HB_TRY(hb_secret_key_draw(&w->secret, s->engine, p, &w->root));
    HB_TRY(hb_secret_key_draw(&w->other, s->engine, p, &(hb_seed){{(uint8_t)seed, 8}}));
    HB_TRY(hb_public_key_generate(&w->public_key, &w->secret, &w->root, &public_seed));
    HB_TRY(int_add_keys(w));
    HB_TRY(hb_evaluator_open(s->engine, p, &requirements, &w->ev));
    HB_TRY(hb_encryptor_open(s->engine, &w->secret, NULL, HB_GAUSSIAN, 1, &w->encryptor[INT_BY_SECRET]));
    HB_TRY(hb_encryptor_open(s->engine, NULL, &w->public_key, HB_GAUSSIAN, 1, &w->encryptor[INT_BY_PUBLIC]));
    HB_TRY(hb_encryptor_open(s->engine, &w->other, NULL, HB_GAUSSIAN, 1, &w->encryptor[INT_BY_OTHER]));
    HB_TRY(hb_plaintexts_alloc(&w->plain, s->engine, p, p->fresh_limbs, 1));
    for (int i = 0; i < INT_VALUES; i++) {
        HB_TRY(int_value_open(w, &w->value[i]));
    }
    HB_TRY(int_value_open(w, &w->made));
    return int_value_open(w, &w->wide);
}

static inline void int_world_close(int_world *w)
{
    if (w->s != NULL) {
        hb_batch_free(w->s->engine, &w->plain);
    }
    for (int i = 0; i < INT_WAYS; i++) {
        hb_encryptor_close(w->encryptor[i]);
    }
    hb_evaluator_close(w->ev);
    hb_switch_keys_clear(&w->keys);
    hb_public_key_clear(&w->public_key);
    hb_secret_key_clear(&w->other);
    hb_secret_key_clear(&w->secret);
}

/* Lays the memory of a value out anew. */
static inline void int_shape(int_world *w, int_value *v, uint32_t size, uint32_t limbs)
{
    v->c = hb_ciphertexts_view((hb_ciphertexts){v->memory, 3, HB_COEFFICIENT_FORM}, w->s->engine, w->params, size, 1,
                               limbs);
}

/* --- checks */

/* c_0 + c_1 s + c_2 s^2. */
static inline hb_status int_phase(int_world *w, hb_decryptor *decryptor, hb_batch phase, hb_ciphertexts c)
{
    const hb_batch scratch = take(w->s, 1, c.all.limbs, c.all.ids, 0);
    HB_TRY(hb_copy(w->s->engine, scratch, hb_ciphertexts_component(c, c.size - 1)));
    for (uint32_t i = c.size - 1; i-- > 0;) {
        HB_TRY(hb_phase(decryptor, phase, hb_ciphertexts_component(c, i), scratch));
        HB_TRY(hb_copy(w->s->engine, scratch, phase));
    }
    return HB_OK;
}

/* Decrypts to its message, with no less budget than is proven, which is returned. */
static inline hb_status int_measure(int_world *w, const char *what, const int_value *v, hb_decryptor *decryptor,
                                    uint32_t *budget)
{
    const uint32_t limbs = v->c.all.limbs;
    const hb_batch phase = take(w->s, 1, limbs, w->params->ids, 0);
    HB_TRY(int_phase(w, decryptor, phase, v->c));
    HB_TRY(hb_decrypt(decryptor, w->plain, phase));
    HB_TRY(hb_finish(w->s->engine));
    if (hb_limb_here(w->s->engine, w->plain.ids[0]) && memcmp(w->plain.data, v->message, sizeof v->message) != 0) {
        return HB_FAIL(HB_DIFFERS, "%s, t = %llu: decrypts to another message", what, (unsigned long long)w->t);
    }
    HB_TRY(hb_decryptor_measure(decryptor, budget, phase));
    const double proven = hb_noise_budget_of(w->params, limbs, v->noise.worst);
    return *budget >= proven ? HB_OK
                             : HB_FAIL(HB_DIFFERS, "%s, t = %llu: a budget of %u, and %g is proven", what,
                                       (unsigned long long)w->t, *budget, proven);
}

/* Checks that, and that members have the words of the whole engine. */
static inline hb_status int_check(int_world *w, const char *what, const int_value *v, uint32_t *budget)
{
    const size_t before = w->s->takens;
    uint32_t ignored;
    hb_decryptor *decryptor = NULL;
    HB_TRY(expect_batch(w->s, what, v->c.all));
    HB_TRY(hb_decryptor_open(w->s->engine, &w->secret, v->c.all.limbs, 1, &decryptor));
    const hb_status st = int_measure(w, what, v, decryptor, budget != NULL ? budget : &ignored);
    hb_decryptor_close(decryptor);
    give_back(w->s, before);
    return st;
}

/* --- values */

/* A random polynomial, in `plain` too: all coefficients, or few; the largest ones are among them. */
static inline void int_draw_message(int_world *w, uint64_t *message)
{
    const uint64_t few = int_draw(w, 4);
    for (size_t i = 0; i < INT_N; i++) {
        const uint64_t choice = int_draw(w, 8), drawn = int_draw(w, w->t);
        message[i] = few == 0 && i > 2 ? 0 : choice == 0 ? w->t - 1 : choice == 1 ? 0 : drawn;
    }
    if (hb_limb_here(w->s->engine, w->plain.ids[0])) {
        memcpy(w->plain.data, message, INT_N * sizeof *message);
    }
}

static inline hb_status int_encrypt_as(int_world *w, int_value *v, int_way way)
{
    static const char *const names[INT_WAYS] = {"encrypted with the secret key", "encrypted with the public key",
                                                "brought under another key"};
    hb_engine *e = w->s->engine;
    const hb_params *p = w->params;
    const bool public = way == INT_BY_PUBLIC;
    hb_seed seed;
    const hb_batch c0 = hb_ciphertexts_component(v->c, 0), c1 = hb_ciphertexts_component(v->c, 1);
    HB_TRY(hb_encrypt(w->encryptor[way], c0, public ? c1 : (hb_batch){.data = NULL}, public ? NULL : &seed, w->plain,
                      &w->root, ++w->encryptions));
    if (!public) {
        HB_TRY(hb_sample_uniform(e, c1, &seed));
        HB_TRY(hb_intt(e, c1));
    }
    v->noise = hb_noise_fresh(p, &p->key_shape, public, HB_GAUSSIAN);
    if (way == INT_BY_OTHER) {
        const hb_switch_key *key = hb_switch_keys_find_at(&w->keys, HB_FROM_SECRET, 0, v->c.all.limbs);
        HB_TRY(hb_evaluator_change_key(w->ev, v->c, v->c, key));
        v->noise = hb_noise_switch(p, &p->key_shape, v->c.all.limbs, v->noise, p->key_shape.galois);
    }
    return int_check(w, names[way], v, NULL);
}

/* A fresh ciphertext, made in some way, brought down to a level of users. */
static inline hb_status int_encrypt_fresh(int_world *w, int_value *v, uint32_t limbs)
{
    const int_way way = (int_way)int_draw(w, INT_WAYS);
    int_draw_message(w, v->message);
    int_shape(w, v, 2, w->params->fresh_limbs);
    HB_TRY(int_encrypt_as(w, v, way));
    while (v->c.all.limbs > limbs) {
        const hb_ciphertexts from = v->c;
        v->noise = hb_noise_mod_switch(w->params, &w->params->key_shape, from.all.limbs, v->noise, 2);
        int_shape(w, v, 2, from.all.limbs - 1);
        HB_TRY(hb_evaluator_mod_switch(w->ev, v->c, from));
    }
    return int_check(w, "fresh", v, NULL);
}

#endif
