/* Joint keys of several owners, all of whom are in one program, for tests; and their secrets added up, an oracle that
 * nobody else has. */
#ifndef HB_TESTS_JOINT_WORLD_H
#define HB_TESTS_JOINT_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "cpu/engine.h"
#include "joint/contribution.h"
#include "scheme/params.h"

enum { JOINT_MOST = 16, JOINT_ROTATIONS = 2 };

typedef struct joint_owner {
    hb_seed root, own;
    int8_t *ternary; /* [n] */
    hb_secret_key secret;
} joint_owner;

typedef struct joint_world {
    hb_params *params;
    hb_engine *engine;
    hb_owner_card cards[JOINT_MOST];
    hb_joint_rotation rotations[JOINT_ROTATIONS];
    hb_joint_session session;
    uint8_t id[HB_DIGEST_BYTES];
    joint_owner owner[JOINT_MOST];
    hb_secret_key sum; /* of all secrets: coefficients from -owners to owners */
    hb_public_key public_key;
    hb_switch_key relin, rotation[JOINT_ROTATIONS];
} joint_world;

/* Primes of these bits, the special one last. */
typedef struct joint_chain {
    size_t n;
    uint32_t bits[10], limbs;
    uint64_t plain;
} joint_chain;

static inline void joint_session_of(joint_world *w, uint32_t owners)
{
    for (uint32_t i = 0; i < owners; i++) {
        snprintf(w->cards[i].name, sizeof w->cards[i].name, "owner-%02u", (unsigned)i);
        memset(w->cards[i].sign, (int)i + 1, sizeof w->cards[i].sign);
        memset(w->cards[i].box, (int)i + 65, sizeof w->cards[i].box);
        memset(w->cards[i].nonce, (int)i + 129, sizeof w->cards[i].nonce);
    }
    w->rotations[0] = (hb_joint_rotation){3, w->params->data_limbs};
    w->rotations[1] = (hb_joint_rotation){(uint32_t)(2 * w->params->spec.n - 1), w->params->data_limbs};
    w->session = (hb_joint_session){.cards = w->cards,
                                    .owners = owners,
                                    .threshold = owners,
                                    .results = 1024, /* 2^10 */
                                    .relin_limbs = w->params->data_limbs,
                                    .rotation_count = JOINT_ROTATIONS,
                                    .rotations = w->rotations};
    hb_joint_session_for(&w->session, w->params);
    hb_joint_session_id(w->id, &w->session);
}

static inline void joint_owner_open(joint_world *w, uint32_t i, int seed)
{
    joint_owner *o = &w->owner[i];
    memset(o->root.bytes, seed, sizeof o->root.bytes);
    o->root.bytes[0] = (uint8_t)i;
    hb_owner_root(&o->own, &o->root, w->id);
    o->ternary = malloc(w->params->spec.n);
    assert_non_null(o->ternary);
    assert_int_equal(hb_secret_draw(w->engine, w->params, &o->own, o->ternary), HB_OK);
    assert_int_equal(hb_secret_key_load(&o->secret, w->engine, w->params, o->ternary), HB_OK);
}

/* Adds the ternary numbers up as integers. */
static inline void joint_sum_secrets(joint_world *w)
{
    const hb_params *p = w->params;
    const size_t n = p->spec.n;
    w->sum = (hb_secret_key){w->engine, p, {0}};
    assert_int_equal(hb_batch_alloc(w->engine, &w->sum.s, 1, p->key_limbs, p->ids), HB_OK);
    for (size_t j = 0; j < n; j++) {
        int64_t s = 0;
        for (uint32_t i = 0; i < w->session.owners; i++) {
            s += w->owner[i].ternary[j];
        }
        for (uint32_t l = 0; l < p->key_limbs; l++) {
            const uint64_t q = p->ring.moduli[p->ids[l]].value;
            w->sum.s.data[l * n + j] = s < 0 ? q - (uint64_t)-s : (uint64_t)s;
        }
    }
    assert_int_equal(hb_ntt(w->engine, w->sum.s), HB_OK);
}

/* Parameters, owners and their secrets. owners: 1 for keys of one owner made by the same steps. */
static inline void joint_world_open(joint_world *w, const joint_chain *chain, uint32_t owners, int seed)
{
    memset(w, 0, sizeof *w);
    hb_params_spec spec = {.n = chain->n,
                           .key_limbs = chain->limbs,
                           .bfv.plain = chain->plain,
                           .security = {.level = 128},
                           .insecure = true,
                           .joint.owners = owners};
    assert_int_equal(hb_create_primes(spec.n, chain->bits, spec.key_limbs, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&w->params->ring, &w->engine), HB_OK);
    joint_session_of(w, owners);
    for (uint32_t i = 0; i < owners; i++) {
        joint_owner_open(w, i, seed);
    }
    joint_sum_secrets(w);
}

static inline void joint_make_relin(joint_world *w)
{
    const uint32_t owners = w->session.owners, limbs = w->session.relin_limbs;
    hb_switch_key first, more;
    uint8_t inputs[HB_DIGEST_BYTES];
    memset(inputs, (int)owners, sizeof inputs);
    for (uint32_t i = 0; i < owners; i++) {
        const joint_owner *o = &w->owner[i];
        assert_int_equal(hb_owner_relin_first(i == 0 ? &first : &more, &o->secret, &o->own, w->id, limbs), HB_OK);
        if (i > 0) {
            assert_int_equal(hb_joint_add_switch(&first, &more), HB_OK);
            hb_switch_key_clear(&more);
        }
    }
    for (uint32_t i = 0; i < owners; i++) {
        const joint_owner *o = &w->owner[i];
        hb_switch_key *out = i == 0 ? &w->relin : &more;
        assert_int_equal(hb_owner_relin_second(out, &o->secret, &o->own, &first, inputs), HB_OK);
        if (i > 0) {
            assert_int_equal(hb_joint_add_switch(&w->relin, &more), HB_OK);
            hb_switch_key_clear(&more);
        }
    }
    hb_switch_key_clear(&first);
}

/* The sum of all contributions to a rotation key; the caller clears it. */
static inline void joint_rotation_key(const joint_world *w, hb_joint_rotation rotation, hb_switch_key *key)
{
    hb_switch_key more;
    for (uint32_t i = 0; i < w->session.owners; i++) {
        const joint_owner *o = &w->owner[i];
        assert_int_equal(hb_owner_rotation(i == 0 ? key : &more, &o->secret, &o->own, w->id, rotation), HB_OK);
        if (i > 0) {
            assert_int_equal(hb_joint_add_switch(key, &more), HB_OK);
            hb_switch_key_clear(&more);
        }
    }
}

/* All joint keys of the session. */
static inline void joint_make_keys(joint_world *w)
{
    hb_public_key more;
    for (uint32_t i = 0; i < w->session.owners; i++) {
        const joint_owner *o = &w->owner[i];
        assert_int_equal(hb_owner_public(i == 0 ? &w->public_key : &more, &o->secret, &o->own, w->id), HB_OK);
        if (i > 0) {
            assert_int_equal(hb_joint_add_public(&w->public_key, &more), HB_OK);
            hb_public_key_clear(&more);
        }
    }
    joint_make_relin(w);
    for (uint32_t k = 0; k < JOINT_ROTATIONS; k++) {
        joint_rotation_key(w, w->rotations[k], &w->rotation[k]);
    }
}

static inline void joint_world_close(joint_world *w)
{
    for (uint32_t i = 0; i < w->session.owners; i++) {
        hb_secret_key_clear(&w->owner[i].secret);
        free(w->owner[i].ternary);
    }
    for (uint32_t k = 0; k < JOINT_ROTATIONS; k++) {
        hb_switch_key_clear(&w->rotation[k]);
    }
    hb_switch_key_clear(&w->relin);
    hb_public_key_clear(&w->public_key);
    hb_secret_key_clear(&w->sum);
    hb_engine_close(w->engine);
    hb_params_close(w->params);
}

#endif
