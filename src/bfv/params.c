#include "params.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "behz.h"
#include "bootstrapping/chain.h"
#include "level.h"
#include "params_private.h"
#include "presets.h"

_Static_assert(2 * HB_MAX_LIMBS + HB_MOST_RESIDUES + 1 <= HB_RING_MAX_MODULI,
               "a chain, all plain moduli, gamma and the auxiliary base must fit a ring");

static const uint64_t most_value = (1ull << HB_PRIME_MAX_BITS) - 1;

void hb_bfv_params_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec)
{
    hb_digest_state state;
    hb_digest_begin(&state, ""); /* no person: plain BLAKE2b */
    hb_digest_add_u64(&state, HB_BFV_SCHEME_TYPE);
    hb_digest_add_u64(&state, spec->n);
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        hb_digest_add_u64(&state, spec->primes[i]);
    }
    if (hb_spec_residues(spec) == 1) {
        hb_digest_add_u64(&state, spec->bfv.plain);
    }
    for (uint32_t i = 0; i < spec->bfv.plain_count; i++) {
        hb_digest_add_u64(&state, spec->bfv.plains[i]);
    }
    if (!hb_spec_switches_like_seal(spec)) {
        hb_digest_add_u64(&state, hb_spec_special_limbs(spec));
        hb_digest_add_u64(&state, hb_spec_digit_limbs(spec));
    }
    if (hb_spec_can_bootstrap(spec)) { /* five words, six with tables: no other literal has as many */
        const hb_bootstrapping_spec *b = &spec->bootstrapping;
        const uint64_t words[] = {b->eval_mod, b->stc_levels, b->cts_levels, b->sparse_weight, b->scale_bits};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            hb_digest_add_u64(&state, words[i]);
        }
        if (b->table_levels > 0) {
            hb_digest_add_u64(&state, b->table_levels);
        }
    }
    hb_digest_end(&state, digest);
}

/* For several plain moduli the list counts, and not which of them is t. */
static bool same_plains(const hb_bfv_spec *a, const hb_bfv_spec *b)
{
    return a->plain_count == b->plain_count &&
           (a->plain_count > 0 ? memcmp(a->plains, b->plains, a->plain_count * sizeof a->plains[0]) == 0
                               : a->plain == b->plain);
}

bool hb_bfv_params_same(const hb_params_spec *a, const hb_params_spec *b)
{
    return a->scheme == b->scheme && a->n == b->n && same_plains(&a->bfv, &b->bfv) && a->secret == b->secret &&
           a->key_limbs == b->key_limbs && hb_spec_special_limbs(a) == hb_spec_special_limbs(b) &&
           hb_spec_digit_limbs(a) == hb_spec_digit_limbs(b) &&
           hb_bootstrapping_same(&a->bootstrapping, &b->bootstrapping) &&
           memcmp(a->primes, b->primes, a->key_limbs * sizeof a->primes[0]) == 0;
}

/* Returns the chain's prime that divides t; 0: there is none. */
static uint64_t common_prime(const hb_params_spec *spec, uint64_t t)
{
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        if (t % spec->primes[i] == 0) {
            return spec->primes[i];
        }
    }
    return 0;
}

/* Returns the largest t that is below the product of the chain, and of at most 60 bits. */
static uint64_t most_plain(const hb_params_spec *spec)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        /* The product would pass 60 bits: every t of that size is below it. */
        if (spec->primes[i] > most_value / product) {
            return most_value;
        }
        product *= spec->primes[i];
    }
    return product - 1;
}

/* Refuses a t with a factor in the chain; the user probably meant a t that batches. */
static hb_status refuse_common_prime(const hb_params_spec *spec)
{
    const uint64_t t = spec->bfv.plain;
    const uint64_t batching = hb_params_nearest_prime(spec, t, 2 * spec->n, 2, most_plain(spec));
    char advice[96] = "no t = 1 mod 2N is below the product of the chain: take a longer chain";
    if (batching != 0) {
        snprintf(advice, sizeof advice, "the nearest prime t = 1 mod 2N, which batches, is %" PRIu64, batching);
    }
    return HB_FAIL(HB_ECONFIG, "the plain modulus t = %" PRIu64 " is a multiple of the chain's prime %" PRIu64 "; %s",
                   t, common_prime(spec, t), advice);
}

/* Checks t: its size, its factors, and that it is below the product of the chain. */
static hb_status check_plain(const hb_params_spec *spec)
{
    const uint64_t t = spec->bfv.plain;
    if (t < 2 || t > most_value) {
        return HB_FAIL(HB_ECONFIG,
                       "the plain modulus t = %" PRIu64 " is not of 2 to 60 bits; the nearest that is: %" PRIu64, t,
                       t < 2 ? 2 : most_value);
    }
    if (common_prime(spec, t) != 0) {
        return refuse_common_prime(spec);
    }
    if (t > most_plain(spec)) {
        return HB_FAIL(HB_ECONFIG,
                       "the plain modulus t = %" PRIu64 " is not below the product of the primes, %" PRIu64
                       "; the largest t is %" PRIu64,
                       t, most_plain(spec) + 1, most_plain(spec));
    }
    return HB_OK;
}

static uint64_t plain_of(const hb_params_spec *spec, uint32_t residue)
{
    return hb_spec_of_residue(spec, residue).bfv.plain;
}

/* Checks several plain moduli, of which t is one: each as t, and primes, so that residues can be joined. */
static hb_status check_plains(const hb_params_spec *spec)
{
    const hb_bfv_spec *bfv = &spec->bfv;
    hb_residues residues;
    if (bfv->plain_count == 0) {
        return check_plain(spec);
    }
    if (bfv->plain_count < 2 || bfv->plain_count > HB_MOST_RESIDUES || bfv->residue >= bfv->plain_count ||
        bfv->plain != bfv->plains[bfv->residue]) {
        return HB_FAIL(HB_ECONFIG, "a list of %" PRIu32 " plain moduli, of which t is number %" PRIu32 "; 2 to %d",
                       bfv->plain_count, bfv->residue + 1, HB_MOST_RESIDUES);
    }
    for (uint32_t i = 0; i < bfv->plain_count; i++) {
        const hb_params_spec one = hb_spec_of_residue(spec, i);
        HB_TRY(check_plain(&one));
        if (!hb_is_prime(one.bfv.plain)) {
            return HB_FAIL(HB_ECONFIG, "several plain moduli are primes, and %" PRIu64 " is none", one.bfv.plain);
        }
    }
    return hb_residues_init(&residues, bfv->plains, bfv->plain_count);
}

/* Adds t and gamma to the ring; of several plain moduli all, in their order, so that the ring is the same whichever of
 * them is t, and one engine serves them all. gamma is the second largest 61-bit prime = 1 mod 2N: SEAL keeps the
 * largest for its m_sk (semantics.md 1.6). Being longer than any prime of the chain and than t, it is coprime to
 * them. */
static hb_status add_plain_gamma(hb_bfv_params *p)
{
    hb_params *rlwe = &p->rlwe;
    uint64_t longest[2];
    for (uint32_t i = 0; i < hb_spec_residues(&rlwe->spec); i++) {
        const uint64_t plain = plain_of(&rlwe->spec, i);
        uint16_t id;
        HB_TRY(hb_ring_add_modulus(&rlwe->ring, plain, &id));
        p->plain_id = plain == rlwe->spec.bfv.plain ? id : p->plain_id;
    }
    HB_TRY(hb_find_primes(2 * rlwe->spec.n, HB_MODULUS_MAX_BITS, 2, longest));
    HB_TRY(hb_ring_add_modulus(&rlwe->ring, longest[1], &p->gamma_id));
    p->plain_gamma_ids[0] = p->plain_id;
    p->plain_gamma_ids[1] = p->gamma_id;
    p->batching = rlwe->ring.psi[p->plain_id] != 0; /* a root is there exactly for a prime = 1 mod 2N */
    rlwe->common_id = p->gamma_id;
    return HB_OK;
}

static bool is_plain(const hb_params_spec *spec, uint64_t prime)
{
    bool found = false;
    for (uint32_t i = 0; i < hb_spec_residues(spec); i++) {
        found = found || plain_of(spec, i) == prime;
    }
    return found;
}

/* Adds auxiliary primes that are none of the ring's so far. HB_ECONFIG where there are not enough of them. */
static hb_status add_auxiliary(hb_params *p, uint32_t bits, uint32_t limbs)
{
    uint64_t primes[2 * HB_MAX_LIMBS + HB_MOST_RESIDUES];
    /* So many primes are enough, because only those of the chain and the plain moduli are left out. */
    const size_t candidates = (size_t)limbs + p->key_limbs + hb_spec_residues(&p->spec);
    HB_TRY(hb_find_primes(2 * p->spec.n, bits, candidates, primes));
    for (size_t i = 0; p->auxiliary_limbs < limbs; i++) {
        if (!hb_params_in_chain(&p->spec, primes[i]) && !is_plain(&p->spec, primes[i])) {
            HB_TRY(hb_ring_add_modulus(&p->ring, primes[i], &p->auxiliary_ids[p->auxiliary_limbs]));
            p->auxiliary_limbs++;
        }
    }
    return HB_OK;
}

/* Makes the auxiliary base; none where it would have too many primes: such ciphertexts are not multiplied. */
static hb_status make_auxiliary(hb_params *p, uint32_t longest)
{
    static const uint32_t sizes[] = {49, 60};
    const uint32_t q_bits = hb_natural_bits(&hb_params_fresh_level(p)->basis.product);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t limbs =
            1 + hb_behz_auxiliary_limbs(q_bits, longest, p->ring.log_n, p->fresh_limbs, HB_BEHZ_MOST_SIZE, sizes[i]);
        if (limbs <= HB_MAX_LIMBS) {
            return add_auxiliary(p, sizes[i], limbs);
        }
    }
    return HB_OK;
}

/* Returns the bits of the longest plain modulus. */
static uint32_t plain_bits(const hb_params *p)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < hb_spec_residues(&p->spec); i++) {
        const uint64_t plain = plain_of(&p->spec, i);
        longest = plain > longest ? plain : longest;
    }
    return 64 - (uint32_t)__builtin_clzll(longest);
}

/* Makes the levels whose product exceeds t, with BFV's constants. */
static hb_status make_levels(hb_bfv_params *p)
{
    const uint32_t all = p->rlwe.key_limbs;
    hb_natural t;
    hb_natural_set(&t, p->rlwe.spec.bfv.plain);
    HB_TRY(hb_params_init_levels(&p->rlwe, &t));
    if (hb_params_can_bootstrap(&p->rlwe)) { /* higher levels are its own; one special prime leaves one rounding */
        p->rlwe.fresh_limbs = hb_bootstrapping_levels_of(&p->rlwe.spec).coefficients + 1;
        p->rlwe.fresh_special = 1;
    }
    p->levels = calloc((size_t)all + 1, sizeof *p->levels);
    if (p->levels == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the tables of %" PRIu32 " levels", all);
    }
    for (uint32_t k = 1; k <= all; k++) {
        if (p->rlwe.levels[k].basis.limbs == k) {
            HB_TRY(hb_bfv_level_init(&p->levels[k], p, k));
        }
    }
    return HB_OK;
}

hb_status hb_bfv_params_make(const hb_params_spec *spec, const hb_params_facts *facts, hb_params **out)
{
    hb_status st;
    *out = NULL;
    hb_bfv_params *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a parameter set");
    }
    HB_GOTO(hb_params_init(&p->rlwe, spec, facts));
    hb_bfv_params_digest(p->rlwe.digest, &p->rlwe.spec);
    hb_params_make_name(&p->rlwe, hb_bfv_preset, hb_bfv_params_same);
    /* Levels need t and gamma; the auxiliary base needs the size of Q; key switching comes last. */
    HB_GOTO(add_plain_gamma(p));
    HB_GOTO(make_levels(p));
    HB_GOTO(make_auxiliary(&p->rlwe, plain_bits(&p->rlwe)));
    HB_GOTO(hb_params_init_switching(&p->rlwe));
    *out = &p->rlwe;
    return HB_OK;
done:
    hb_bfv_params_close(&p->rlwe);
    return st;
}

/* Checks the levels of bootstrapping, and that t stays below the primes that users have. */
static hb_status check_chain(const hb_params_spec *spec, hb_params_facts *facts)
{
    HB_TRY(hb_bootstrapping_check(spec, facts));
    if (!hb_spec_can_bootstrap(spec)) {
        return HB_OK;
    }
    const hb_natural users = hb_params_primes_product(spec, 0, hb_bootstrapping_levels_of(spec).coefficients + 1);
    for (uint32_t i = 0; i < hb_spec_residues(spec); i++) {
        hb_natural t;
        hb_natural_set(&t, plain_of(spec, i));
        if (hb_natural_compare(&t, &users) >= 0) {
            return HB_FAIL(HB_ECONFIG,
                           "the plain modulus t = %" PRIu64 " is not below the product of the users' primes",
                           plain_of(spec, i));
        }
    }
    return hb_spec_owners(spec) == 1
               ? HB_OK
               : HB_FAIL(HB_ECONFIG, "joint keys of a chain that bootstraps: there are none, as no owner may know the "
                                     "sparse secret; take a chain without bootstrapping");
}

hb_status hb_bfv_params_open(const hb_params_spec *spec, hb_params **out)
{
    hb_params_facts facts;
    *out = NULL;
    HB_TRY(hb_params_check(spec, &facts));
    HB_TRY(check_plains(spec));
    HB_TRY(check_chain(spec, &facts));
    return hb_bfv_params_make(spec, &facts, out);
}

void hb_bfv_params_close(hb_params *params)
{
    hb_bfv_params *p = (hb_bfv_params *)params;
    if (p == NULL) {
        return;
    }
    for (uint32_t k = 1; p->levels != NULL && k <= params->key_limbs; k++) {
        hb_bfv_level_clear(&p->levels[k]);
    }
    free(p->levels);
    hb_params_clear(params);
    free(p);
}

hb_status hb_bfv_require_batching(const hb_params *params)
{
    if (hb_bfv_of(params)->batching) {
        return HB_OK;
    }
    const uint64_t t = params->spec.bfv.plain, step = 2 * params->spec.n;
    const uint32_t bits = params->ring.moduli[hb_bfv_of(params)->plain_id].bits;
    const hb_natural *q = &hb_params_fresh_level(params)->basis.product;
    uint64_t most = most_value, most_of_size = (1ull << bits) - 1;
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
    /* First one of the same size, then any. */
    uint64_t good = hb_params_nearest_prime(&params->spec, t, step, 1ull << (bits - 1), most_of_size);
    if (good != 0) {
        snprintf(advice, sizeof advice, "the nearest good t of %" PRIu32 " bits is %" PRIu64, bits, good);
    } else if ((good = hb_params_nearest_prime(&params->spec, t, step, 2, most)) != 0) {
        snprintf(advice, sizeof advice, "no t of %" PRIu32 " bits is good, the nearest is %" PRIu64, bits, good);
    }
    return HB_FAIL(HB_ECONFIG, "slot encoding (batching) at N = %zu needs %s: %s; coefficient encoding takes any t",
                   params->spec.n, rule, advice);
}
