/* Joint keys of which T of n owners decrypt, all of whom are in one program, for tests: cards of their roots, and the
 * shares that all of them deal. */
#ifndef HB_TESTS_JOINT_SHARES_H
#define HB_TESTS_JOINT_SHARES_H

#include "joint/masks.h"
#include "joint/party.h"
#include "joint/share.h"
#include "joint/sharing.h"
#include "joint_world.h"

typedef struct joint_shares {
    hb_batch share[JOINT_MOST]; /* S_i, [1][K], NTT form */
} joint_shares;

/* Cards of roots and the threshold change the id, and all draws. */
static inline void joint_threshold(joint_world *w, uint32_t threshold, int seed)
{
    for (uint32_t i = 0; i < w->session.owners; i++) {
        hb_owner_card card;
        assert_int_equal(hb_party_card(&card, &w->owner[i].root, w->cards[i].name), HB_OK);
        w->cards[i] = card;
    }
    w->session.threshold = threshold;
    hb_joint_session_id(w->id, &w->session);
    hb_secret_key_clear(&w->sum);
    for (uint32_t i = 0; i < w->session.owners; i++) {
        hb_secret_key_clear(&w->owner[i].secret);
        free(w->owner[i].ternary);
        joint_owner_open(w, i, seed);
    }
    joint_sum_secrets(w);
}

static inline hb_batch joint_polynomials(const joint_world *w, size_t count)
{
    hb_batch r;
    assert_int_equal(hb_batch_alloc(w->engine, &r, count, w->params->key_limbs, w->params->ids), HB_OK);
    return r;
}

static inline void joint_deal(const joint_world *w, joint_shares *s)
{
    const uint32_t owners = w->session.owners;
    hb_batch dealt = joint_polynomials(w, 1 + hb_sharing_checks(w->params));
    for (uint32_t i = 0; i < owners; i++) {
        s->share[i] = joint_polynomials(w, 1);
        assert_int_equal(hb_clear(w->engine, s->share[i]), HB_OK);
        for (uint32_t j = 0; j < owners; j++) {
            const joint_owner *o = &w->owner[j];
            assert_int_equal(hb_owner_deal(dealt, &o->secret, &o->own, w->session.threshold, i + 1), HB_OK);
            assert_int_equal(hb_add(w->engine, s->share[i], s->share[i], hb_batch_slice(dealt, 0, 1)), HB_OK);
        }
    }
    hb_batch_free(w->engine, &dealt);
}

static inline void joint_shares_free(const joint_world *w, joint_shares *s)
{
    for (uint32_t i = 0; i < w->session.owners; i++) {
        hb_batch_free(w->engine, &s->share[i]);
    }
}

/* Owners in ascending order. */
typedef struct joint_set {
    uint32_t owner[JOINT_MOST], count;
} joint_set;

static inline joint_set joint_set_of(uint32_t bits)
{
    joint_set r = {.count = 0};
    for (uint32_t i = 0; i < JOINT_MOST; i++) {
        if (bits >> i & 1) {
            r.owner[r.count++] = i;
        }
    }
    return r;
}

/* l_i S_i of member k of a set; the caller clears. */
static inline hb_secret_key joint_share_key(const joint_world *w, const joint_shares *s, const joint_set *set,
                                            uint32_t k)
{
    const hb_params *p = w->params;
    uint32_t points[JOINT_MOST];
    uint64_t factors[HB_MAX_LIMBS];
    hb_secret_key key;
    uint8_t *packed = malloc(hb_packed_bytes(&p->ring, p->ids, p->key_limbs));
    for (uint32_t i = 0; i < set->count; i++) {
        points[i] = set->owner[i] + 1;
    }
    hb_lagrange_factors(factors, p, p->key_limbs, points, set->count, points[k]);
    assert_int_equal(hb_share_pack(w->engine, p, packed, s->share[set->owner[k]]), HB_OK);
    assert_int_equal(hb_share_load(&key, w->engine, p, packed, factors), HB_OK);
    free(packed);
    return key;
}

#endif
