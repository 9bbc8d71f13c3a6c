#include "sharing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/modarith.h"

enum { CHECK_BITS = 72, FEWEST_CHECKS = 2 };

uint32_t hb_sharing_checks(const hb_params *params)
{
    uint32_t least = 64;
    for (uint32_t l = 0; l < params->key_limbs; l++) {
        const uint32_t bits = hb_residue_bits(&params->ring.moduli[params->ids[l]]);
        least = bits < least ? bits : least;
    }
    const uint32_t checks = (CHECK_BITS + least - 1) / least;
    return checks > FEWEST_CHECKS ? checks : FEWEST_CHECKS;
}

void hb_share_challenge(uint64_t *rho, const hb_params *params, const hb_share_test *test)
{
    for (uint32_t l = 0; l < params->key_limbs; l++) {
        const hb_modulus *q = &params->ring.moduli[params->ids[l]];
        uint8_t digest[HB_DIGEST_BYTES];
        hb_digest_state state;
        hb_u128 number = 0;
        hb_digest_begin(&state, "hebatch dealt");
        hb_digest_add(&state, test->inputs, HB_DIGEST_BYTES);
        hb_digest_add_u64(&state, test->check);
        hb_digest_add_u64(&state, q->value);
        hb_digest_end(&state, digest);
        for (size_t i = sizeof number; i-- > 0;) {
            number = number << 8 | digest[i];
        }
        rho[l] = hb_mod_reduce_wide(number, q);
    }
}

/* Coefficient k of polynomial p: f_j, then d_j0, d_j1 and so on. */
static hb_status coefficient(hb_batch r, const hb_secret_key *secret, const hb_seed *own, uint32_t p, uint32_t k)
{
    char label[32]; /* 7 characters and two numbers of at most 10 */
    hb_seed seed;
    if (p == 0 && k == 0) {
        return hb_copy(secret->engine, r, secret->s);
    }
    snprintf(label, sizeof label, "dealt %" PRIu32 " %" PRIu32, p, k);
    hb_seed_derive(&seed, own, label);
    const hb_status st = hb_sample_uniform(secret->engine, r, &seed);
    hb_wipe(&seed, sizeof seed);
    return st;
}

/* The residues of a point: it is below every prime. */
static void point_residues(uint64_t *residues, uint32_t limbs, uint32_t point)
{
    for (uint32_t l = 0; l < limbs; l++) {
        residues[l] = point;
    }
}

/* r = r x + a in each limb. */
static hb_status step(hb_engine *e, hb_batch r, const uint64_t *x, hb_batch a)
{
    HB_TRY(hb_scale(e, r, r, x));
    return hb_add(e, r, r, a);
}

static hb_status alloc_one(hb_batch *r, hb_engine *engine, const hb_params *params)
{
    return hb_batch_alloc_locked(engine, r, 1, params->key_limbs, params->ids);
}

static void free_one(hb_engine *engine, hb_batch *r)
{
    hb_batch_wipe(engine, *r);
    hb_batch_free(engine, r);
}

static hb_status evaluate(hb_batch r, hb_batch work, const hb_secret_key *secret, const hb_seed *own,
                          uint32_t threshold, const uint64_t *x, uint32_t p)
{
    HB_TRY(coefficient(r, secret, own, p, threshold - 1));
    for (uint32_t k = threshold - 1; k-- > 0;) {
        HB_TRY(coefficient(work, secret, own, p, k));
        HB_TRY(step(secret->engine, r, x, work));
    }
    return HB_OK;
}

hb_status hb_owner_deal(hb_batch shares, const hb_secret_key *secret, const hb_seed *own, uint32_t threshold,
                        uint32_t point)
{
    uint64_t x[HB_MAX_LIMBS];
    hb_batch work = {0};
    hb_status st;
    HB_ASSERT(threshold >= 2 && point >= 1 && point <= HB_MOST_OWNERS);
    HB_ASSERT(shares.count == 1 + hb_sharing_checks(secret->params) && shares.limbs == secret->params->key_limbs);
    point_residues(x, secret->params->key_limbs, point);
    HB_GOTO(alloc_one(&work, secret->engine, secret->params));
    for (uint32_t p = 0; p < shares.count; p++) {
        HB_GOTO(evaluate(hb_batch_slice(shares, p, 1), work, secret, own, threshold, x, p));
    }
    st = hb_finish(secret->engine);
done:
    free_one(secret->engine, &work);
    if (st != HB_OK) {
        hb_batch_wipe(secret->engine, shares);
    }
    return st;
}

hb_status hb_owner_blind(hb_batch blinded, const hb_secret_key *secret, const hb_seed *own, const hb_share_test *test)
{
    hb_engine *e = secret->engine;
    uint64_t rho[HB_MAX_LIMBS];
    hb_batch work = {0};
    hb_status st;
    HB_ASSERT(test->check < hb_sharing_checks(secret->params));
    hb_share_challenge(rho, secret->params, test);
    HB_GOTO(alloc_one(&work, e, secret->params));
    for (uint32_t k = 0; k < blinded.count; k++) {
        const hb_batch r = hb_batch_slice(blinded, k, 1);
        HB_GOTO(coefficient(r, secret, own, 0, k));
        HB_GOTO(coefficient(work, secret, own, 1 + test->check, k));
        HB_GOTO(step(e, r, rho, work));
    }
    st = hb_finish(e);
done:
    free_one(e, &work);
    if (st != HB_OK) {
        hb_batch_wipe(e, blinded); /* it may be f_j */
    }
    return st;
}

/* r = the blinded polynomial at x, less d_jr(x) + rho f_j(x) as they were dealt; work: memory. */
static hb_status difference(hb_engine *e, hb_batch r, hb_batch work, hb_batch shares, hb_batch blinded,
                            const uint64_t *x, const uint64_t *rho)
{
    HB_TRY(hb_copy(e, r, hb_batch_slice(blinded, blinded.count - 1, 1)));
    for (size_t k = blinded.count - 1; k-- > 0;) {
        HB_TRY(step(e, r, x, hb_batch_slice(blinded, k, 1)));
    }
    HB_TRY(hb_scale(e, work, hb_batch_slice(shares, 0, 1), rho));
    return hb_sub(e, r, r, work);
}

hb_status hb_share_compare(bool *good, const hb_params *params, hb_batch shares, hb_batch blinded, uint32_t point,
                           const hb_share_test *test, hb_engine *engine)
{
    uint64_t x[HB_MAX_LIMBS], rho[HB_MAX_LIMBS], zeros;
    hb_batch r = {0}, work = {0};
    hb_status st;
    *good = false;
    point_residues(x, params->key_limbs, point);
    hb_share_challenge(rho, params, test);
    HB_GOTO(alloc_one(&r, engine, params));
    HB_GOTO(alloc_one(&work, engine, params));
    HB_GOTO(difference(engine, r, work, shares, blinded, x, rho));
    HB_GOTO(hb_sub(engine, r, r, hb_batch_slice(shares, 1 + test->check, 1)));
    HB_GOTO(hb_count_zeros(engine, &zeros, r));
    *good = zeros == params->key_limbs * (uint64_t)params->spec.n;
done:
    free_one(engine, &r);
    free_one(engine, &work);
    return st;
}
