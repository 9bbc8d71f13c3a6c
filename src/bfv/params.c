#include "params.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "behz.h"
#include "params_private.h"

_Static_assert(2 * HB_MAX_LIMBS + 2 <= HB_RING_MAX_MODULI, "a chain, t, gamma and the auxiliary base must fit a ring");
_Static_assert(HB_MAX_LIMBS <= HB_PRIME_MAX_COUNT, "a whole chain can be made in one call");

void hb_params_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec)
{
    hb_digest_state state;
    hb_digest_begin(&state, "");  /* no person: plain BLAKE2b */
    hb_digest_add_u64(&state, 1); /* BFV */
    hb_digest_add_u64(&state, spec->n);
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        hb_digest_add_u64(&state, spec->primes[i]);
    }
    hb_digest_add_u64(&state, spec->plain);
    hb_digest_end(&state, digest);
}

bool hb_params_same(const hb_params_spec *a, const hb_params_spec *b)
{
    return a->n == b->n && a->plain == b->plain && a->key_limbs == b->key_limbs &&
           memcmp(a->primes, b->primes, a->key_limbs * sizeof a->primes[0]) == 0;
}

static void make_name(hb_params *p)
{
    const char *name = NULL;
    snprintf(p->name, sizeof p->name, "custom");
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        hb_params_spec preset;
        if (hb_params_preset(name, &preset) == HB_OK && hb_params_same(&preset, &p->spec)) {
            snprintf(p->name, sizeof p->name, "%s", name);
        }
    }
}

/* gamma is the second largest 61-bit prime = 1 mod 2N: SEAL keeps the largest for its m_sk (semantics.md 1.6). Being
 * longer than any prime of the chain and than t, it is coprime to them. */
static hb_status make_ring(hb_params *p)
{
    uint64_t auxiliary[2];
    HB_TRY(hb_ring_init(&p->ring, (uint32_t)__builtin_ctzll(p->spec.n)));
    for (uint32_t i = 0; i < p->key_limbs; i++) {
        HB_TRY(hb_ring_add_modulus(&p->ring, p->spec.primes[i], &p->ids[i]));
    }
    HB_TRY(hb_ring_add_modulus(&p->ring, p->spec.plain, &p->plain_id));
    HB_TRY(hb_find_primes(2 * p->spec.n, HB_MODULUS_MAX_BITS, 2, auxiliary));
    HB_TRY(hb_ring_add_modulus(&p->ring, auxiliary[1], &p->gamma_id));
    p->plain_gamma_ids[0] = p->plain_id;
    p->plain_gamma_ids[1] = p->gamma_id;
    p->batching = p->ring.psi[p->plain_id] != 0; /* a root is there exactly for a prime = 1 mod 2N */
    return HB_OK;
}

static bool in_chain(const hb_params *p, uint64_t prime)
{
    for (uint32_t i = 0; i < p->key_limbs; i++) {
        if (p->spec.primes[i] == prime) {
            return true;
        }
    }
    return p->spec.plain == prime;
}

/* Primes that are none of the ring's so far. HB_ECONFIG where there are not enough of them. */
static hb_status add_auxiliary(hb_params *p, uint32_t bits, uint32_t limbs)
{
    uint64_t primes[2 * HB_MAX_LIMBS + 1];
    const size_t candidates = (size_t)limbs + p->key_limbs + 1;
    HB_TRY(hb_find_primes(2 * p->spec.n, bits, candidates, primes));
    p->auxiliary_limbs = 0;
    for (size_t i = 0; p->auxiliary_limbs < limbs; i++) {
        if (!in_chain(p, primes[i])) {
            HB_TRY(hb_ring_add_modulus(&p->ring, primes[i], &p->auxiliary_ids[p->auxiliary_limbs]));
            p->auxiliary_limbs++;
        }
    }
    return HB_OK;
}

static hb_status make_auxiliary(hb_params *p)
{
    static const uint32_t sizes[] = {49, 60};
    const uint32_t q_bits = hb_natural_bits(&p->levels[p->data_limbs].basis.product);
    const uint32_t plain_bits = p->ring.moduli[p->plain_id].bits;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t limbs =
            1 + hb_behz_auxiliary_limbs(q_bits, plain_bits, p->ring.log_n, p->data_limbs, HB_BEHZ_MOST_SIZE, sizes[i]);
        if (limbs <= HB_MAX_LIMBS) {
            return add_auxiliary(p, sizes[i], limbs);
        }
    }
    p->auxiliary_limbs = 0; /* such ciphertexts are not multiplied */
    return HB_OK;
}

static hb_status make_product_base(hb_params *p)
{
    return hb_params_can_switch(p) ? hb_product_base_init(&p->product_base, &p->ring, p->ids, p->data_limbs,
                                                          p->auxiliary_ids, p->auxiliary_limbs)
                                   : HB_OK;
}

static hb_status make_levels(hb_params *p)
{
    p->levels = calloc((size_t)p->key_limbs + 1, sizeof *p->levels);
    if (p->levels == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the tables of %" PRIu32 " levels", p->key_limbs);
    }
    for (uint32_t k = 1; k <= p->key_limbs; k++) {
        HB_TRY(hb_level_init(&p->levels[k], p, k));
    }
    const bool special = p->key_limbs > 1 && p->levels[p->key_limbs - 1].basis.limbs != 0;
    p->data_limbs = special ? p->key_limbs - 1 : p->key_limbs;
    return HB_OK;
}

hb_status hb_params_open(const hb_params_spec *spec, hb_params **out)
{
    hb_status st = HB_OK;
    hb_params_facts facts;
    *out = NULL;
    HB_TRY(hb_params_check(spec, &facts));
    hb_params *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a parameter set");
    }
    p->spec = *spec;
    p->spec.insecure = facts.insecure;
    memset(p->spec.primes + spec->key_limbs, 0, (HB_MAX_LIMBS - spec->key_limbs) * sizeof *spec->primes);
    p->key_limbs = spec->key_limbs;
    p->chain_bits = facts.chain_bits;
    hb_params_digest(p->digest, &p->spec);
    make_name(p);
    HB_GOTO(make_ring(p));
    HB_GOTO(make_levels(p));
    HB_GOTO(make_auxiliary(p));
    HB_GOTO(make_product_base(p));
    HB_GOTO(hb_params_divide(p, 1));
    *out = p;
    p = NULL;
done:
    hb_params_close(p);
    return st;
}

hb_status hb_params_divide(hb_params *params, uint32_t members)
{
    if (members < 1 || members > params->data_limbs) {
        return HB_FAIL(HB_ECONFIG,
                       "the limbs of a ciphertext cannot be divided over %" PRIu32 " ranks: with parameters %s it has "
                       "%" PRIu32 ", and each rank needs one",
                       members, params->name, params->data_limbs);
    }
    hb_limb_map *map = &params->map;
    map->members = members;
    map->most_limbs = params->key_limbs > params->auxiliary_limbs ? params->key_limbs : params->auxiliary_limbs;
    memset(map->owner, HB_EVERY_MEMBER, sizeof map->owner);
    for (uint32_t i = 0; i < params->key_limbs; i++) {
        map->owner[params->ids[i]] = (uint8_t)(i % members);
    }
    for (uint32_t j = 0; j < params->auxiliary_limbs; j++) {
        map->owner[params->auxiliary_ids[j]] = (uint8_t)((params->data_limbs + j) % members);
    }
    return HB_OK;
}

uint32_t hb_params_most_limbs(const hb_params *params, const uint16_t *ids, uint32_t limbs)
{
    return hb_limb_map_most(&params->map, ids, limbs);
}

void hb_params_close(hb_params *params)
{
    if (params == NULL) {
        return;
    }
    for (uint32_t k = 1; params->levels != NULL && k <= params->key_limbs; k++) {
        hb_level_clear(&params->levels[k]);
    }
    free(params->levels);
    hb_product_base_clear(&params->product_base);
    free(params);
}

bool hb_params_switch_by_integers(const hb_params *params)
{
    return params->product_base.basis.limbs > 0 && params->map.members == 1;
}

bool hb_params_can_switch(const hb_params *params)
{
    return params->data_limbs < params->key_limbs;
}

hb_status hb_params_require_switching(const hb_params *params)
{
    return hb_params_can_switch(params)
               ? HB_OK
               : HB_FAIL(
                     HB_ECONFIG,
                     "parameters %s have no special prime, so neither products nor rotations can be switched back to "
                     "the secret key: take a chain with one prime more (presets from bfv-4096 on have it)",
                     params->name);
}

const hb_level *hb_params_data_level(const hb_params *params)
{
    return &params->levels[params->data_limbs];
}

hb_status hb_params_require_batching(const hb_params *params)
{
    if (params->batching) {
        return HB_OK;
    }
    const uint64_t t = params->spec.plain, step = 2 * params->spec.n;
    const uint32_t bits = params->ring.moduli[params->plain_id].bits;
    const hb_natural *q = &hb_params_data_level(params)->basis.product;
    uint64_t most = (1ull << HB_PRIME_MAX_BITS) - 1, most_of_size = (1ull << bits) - 1;
    if (hb_natural_bits(q) <= HB_PRIME_MAX_BITS) {
        most = q->word[0] - 1; /* t must stay below Q */
        most_of_size = most_of_size < most ? most_of_size : most;
    }
    char rule[96], advice[96] = "no t below the product of the primes is good";
    if (hb_is_prime(t)) {
        snprintf(rule, sizeof rule, "t = 1 mod 2N, but %" PRIu64 " mod %" PRIu64 " = %" PRIu64, t, step, t % step);
    } else {
        snprintf(rule, sizeof rule, "a prime t, and %" PRIu64 " is not prime", t);
    }
    uint64_t good = hb_params_nearest_prime(&params->spec, t, step, 1ull << (bits - 1), most_of_size);
    if (good != 0) {
        snprintf(advice, sizeof advice, "the nearest good t of %" PRIu32 " bits is %" PRIu64, bits, good);
    } else if ((good = hb_params_nearest_prime(&params->spec, t, step, 2, most)) != 0) {
        snprintf(advice, sizeof advice, "no t of %" PRIu32 " bits is good, the nearest is %" PRIu64, bits, good);
    }
    return HB_FAIL(HB_ECONFIG, "slot encoding (batching) at N = %zu needs %s: %s; coefficient encoding takes any t",
                   params->spec.n, rule, advice);
}
